package main

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A .env from Windows, read by a shell, gave each value a line end: a path was another database, and a secret was
// refused by the service.
func TestWhatNobodySeesInAValueIsDroppedOrRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name, text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		return filepath.Join(dir, name)
	}
	env := map[string]string{"UPSTREAM_CLIENT_SECRET_FILE": path("secret", "hush\r\n\r\n") + "\r"}
	for name, value := range production() {
		if name != "UPSTREAM_CLIENT_SECRET" {
			env[name] = value + "\r"
		}
	}
	want, err := readConfig(production())
	require.NoError(t, err)
	read, err := readConfig(env)
	require.NoError(t, err)
	require.Equal(t, want.Config, read.Config)

	lists := []string{
		"TRUSTED_PROXIES", "LOGO_HOSTS", "OIDC_SCOPES", "OIDC_SECOND", "OIDC_ROLES", "ALERT_MAIL_TO",
	}
	for _, name := range variables() {
		unseen := []string{"\ufeffk", "a\tb", "a\rb", "a\x00b"}
		if !slices.Contains(lists, name) { // whose spaces do no harm
			unseen = append(unseen, " k", "k\u00a0")
		}
		for _, value := range unseen {
			read, err := readConfig(with(production(), name, value))
			if err == nil {
				err = errors.Join(read.checkServe(), read.checkDatabase())
			}
			require.ErrorContains(t, err, name, "%q", value)
		}
	}
	marked := production()
	delete(marked, "UPSTREAM_CLIENT_SECRET")
	marked["UPSTREAM_CLIENT_SECRET_FILE"] = path("marked", "\ufeffhush\n")
	marked["OIDC_GROUP_CLAIM"] = "گروه\u200cها" // as Persian is written
	read, err = readConfig(marked)
	require.NoError(t, err)
	for _, err := range []error{read.checkServe(), read.checkDatabase()} {
		require.ErrorContains(t, err, "UPSTREAM_CLIENT_SECRET contains an invisible character")
		require.NotContains(t, err.Error(), "OIDC_GROUP_CLAIM")
	}
}

// Nobody was told of a name with a slip in it: what it should have set was as if it had not been given.
func TestAMistypedVariableIsToldOf(t *testing.T) {
	t.Parallel()
	for name, meant := range map[string]string{
		"UPSTREAM_CLENT_ID": "UPSTREAM_CLIENT_ID", "REDIS_URI": "REDIS_URL", "MAIL_FORM": "MAIL_FROM",
		"TRUSTED_PROXYS": "TRUSTED_PROXIES", "VAULT_KEY": "VAULT_KEY_FILE", "PUBLIC_URL_FILE": "PUBLIC_URL",
		"ALERT_MAILTO": "ALERT_MAIL_TO", "SMTP_URL_FIL": "SMTP_URL_FILE",
	} {
		env := with(production(), name, "x")
		c, err := readConfig(env)
		require.NoError(t, err)
		told := name + " (" + meant + "?)"
		var log bytes.Buffer
		c.warn(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		require.Contains(t, log.String(), told)
		found, err := c.tryConfiguration(t.Context())
		require.NoError(t, err)
		require.Contains(t, found, told)

		c, err = readConfig(with(env, "DATABASE_URL", ""))
		require.NoError(t, err)
		require.ErrorContains(t, c.checkServe(), told)
	}
	c, err := readConfig(with(with(production(), "HOME", "/root"), "POSTGRES_PASSWORD", "x"))
	require.NoError(t, err)
	require.NoError(t, c.notRead())
}
