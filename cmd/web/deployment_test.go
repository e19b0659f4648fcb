package main

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"airtill/internal/app"
	"airtill/internal/health"

	"github.com/stretchr/testify/require"
)

// found are the distinct texts of a pattern's group in a file of the project.
func found(t *testing.T, file, pattern string) []string {
	t.Helper()
	text, err := os.ReadFile("../../" + file)
	require.NoError(t, err)
	all := map[string]bool{}
	for _, match := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		for _, name := range regexp.MustCompile(`[A-Z][A-Z0-9_]+`).FindAll(match[1], -1) {
			all[string(name)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// What README says can be set is what the program reads, what the example shows,
// and what docker compose passes on.
func TestEveryVariableReachesTheContainer(t *testing.T) {
	t.Parallel()
	var read []string
	for field := range reflect.TypeFor[app.Config]().Fields() {
		if name := field.Tag.Get("env"); name != "" {
			read = append(read, name)
		}
	}
	slices.Sort(read)
	require.Equal(t, read, found(t, "README.md", "(?m)^\\| ((?:`[A-Z0-9_]+`(?:, )?)+) \\|"), "README's table")

	example := found(t, ".env.example", `(?m)^(?:# ?)?([A-Z][A-Z0-9_]+)=`)
	compose := found(t, "docker-compose.yml", `(?m)^    ([A-Z][A-Z0-9_]+): `)
	for _, name := range append(read, "HTTPS_PROXY", "NO_PROXY") { // which Go's own packages read
		require.Contains(t, example, name, ".env.example")
		require.Contains(t, compose, name, "docker-compose.yml")
	}
	for _, name := range fromFiles() {
		if name != "DATABASE_URL" && name != "REDIS_URL" { // those are compose's own
			require.Contains(t, compose, name+"_FILE", "docker-compose.yml")
		}
	}

	empty := production()
	for _, name := range compose {
		if empty[name] == "" {
			empty[name] = "" // as compose passes on what is not set
		}
	}
	c, err := readConfig(empty)
	require.NoError(t, err)
	require.NoError(t, c.checkServe())
}

// What README says that people are told of is what they are told of.
func TestEveryAlertIsInTheREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, alerts, found := strings.Cut(string(text), "\n### Alerts\n")
	require.True(t, found)
	alerts, _, _ = strings.Cut(alerts, "\n### ")
	var described, rules []string
	for _, name := range regexp.MustCompile("`([a-z]+_[a-z]+)`").FindAllStringSubmatch(alerts, -1) {
		described = append(described, name[1])
	}
	for _, rule := range new(health.Service).Rules() {
		rules = append(rules, rule.Name)
	}
	require.ElementsMatch(t, rules, described)
}

func TestAServerBehindAProxyThatNobodyNamedIsToldSo(t *testing.T) {
	t.Parallel()
	for proxies, told := range map[string]bool{"": true, "10.0.0.0/8": false} {
		env := production()
		env["TRUSTED_PROXIES"] = proxies
		c, err := readConfig(env)
		require.NoError(t, err)
		var log bytes.Buffer
		c.warn(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		require.Equal(t, told, bytes.Contains(log.Bytes(), []byte("TRUSTED_PROXIES")))
	}
}
