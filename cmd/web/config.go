package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"

	"airtill/internal/app"
	"airtill/internal/dial"
)

// config is the environment of this program, unchecked.
type config struct {
	app.Config

	readable []string // NAME_FILEs that others on this machine may read
	unseen   error    // invisible characters in it
	mistyped []string // names of variables
}

// fromFiles are the variables that may be given as NAME_FILE instead.
func fromFiles() []string {
	return []string{
		"DATABASE_URL", "REDIS_URL", "UPSTREAM_API_KEY", "UPSTREAM_CLIENT_ID", "UPSTREAM_CLIENT_SECRET",
		"METRICS_TOKEN", "OIDC_CLIENT_SECRET", "SMTP_URL", "ALERT_WEBHOOK_URL", "ALERT_WEBHOOK_SECRET",
	}
}

// config reads the environment and checks as much of it as a command needs.
func (t terminal) config(checks ...func(config) error) (config, error) {
	c, err := readConfig(t.env)
	for _, check := range checks {
		if err == nil {
			err = check(c)
		}
	}
	return c, err
}

// readConfig reads the environment, unchecked.
func readConfig(environ map[string]string) (config, error) {
	given, readable, err := withFiles(withoutLineEnds(environ))
	if err != nil {
		return config{}, err
	}
	tidyLists(given)
	c, err := env.ParseAsWithOptions[config](env.Options{Environment: given})
	if err != nil {
		return config{}, fmt.Errorf("configuration:\n%w", unread(err))
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/") // paths are put after it
	c.readable, c.unseen, c.mistyped = readable, checkVisible(given), mistyped(environ)
	return c, nil
}

// tidyLists drops the spaces around what lists name, and what names nothing, as after a last comma.
func tidyLists(given map[string]string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[app.Config]()) {
		name := field.Tag.Get("env")
		if field.Type.Kind() != reflect.Slice || given[name] == "" {
			continue
		}
		separator := separatorOf(field)
		var named []string
		for part := range strings.SplitSeq(given[name], separator) {
			if part = strings.TrimSpace(part); part != "" {
				named = append(named, part)
			}
		}
		given[name] = strings.Join(named, separator)
	}
}

// unread says which variables hold no value of their kind. The library names our fields, in words for programmers.
func unread(err error) error {
	kinds := map[reflect.Type]string{
		reflect.TypeFor[bool](): "true or false", reflect.TypeFor[int](): "a whole number",
		reflect.TypeFor[slog.Level]():     "debug, info, warn or error",
		reflect.TypeFor[[]netip.Prefix](): "networks like 10.0.0.0/8, separated by commas",
	}
	var all env.AggregateError
	if !errors.As(err, &all) {
		return err
	}
	var told []error
	for _, err := range all.Errors {
		var unread env.ParseError
		if errors.As(err, &unread) && kinds[unread.Type] != "" {
			field, _ := reflect.TypeFor[app.Config]().FieldByName(unread.Name)
			err = fmt.Errorf("%s must be %s", field.Tag.Get("env"), kinds[unread.Type])
		}
		told = append(told, err)
	}
	return errors.Join(told...)
}

// withFiles returns the environment with the content of each NAME_FILE under NAME, and which of those others
// may read. That is no error, unlike for a key (app.Config.VaultKey): in containers one often cannot choose a
// file's mode.
func withFiles(environ map[string]string) (given map[string]string, readable []string, err error) {
	given = make(map[string]string, len(environ))
	for name, value := range environ {
		given[name] = value
	}
	for _, name := range fromFiles() {
		path := environ[name+"_FILE"]
		if path == "" {
			continue
		}
		if environ[name] != "" {
			return nil, nil, fmt.Errorf("configuration: both %s and %s_FILE are set; remove one", name, name)
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, fmt.Errorf("configuration: %s_FILE: %w", name, err)
		}
		if about, err := os.Stat(path); err == nil && about.Mode().Perm()&0o077 != 0 {
			readable = append(readable, name+"_FILE")
		}
		given[name] = strings.TrimRight(string(body), "\r\n")
	}
	return given, readable, nil
}

// production: not for trying out, since others can reach it.
func (c config) production() bool {
	u, err := url.Parse(c.PublicURL)
	return err != nil || !dial.ThisMachine(u.Hostname())
}

// https says whether browsers reach the till over TLS, by a proxy or directly.
func (c config) https() bool { return isHTTPS(c.PublicURL) }

// warn logs what is allowed and probably not meant.
func (c config) warn(ctx context.Context, log *slog.Logger) {
	if c.https() && !c.ownTLS() && len(c.TrustedProxies) == 0 {
		log.WarnContext(
			ctx, "web.no_trusted_proxies", "effect",
			"TRUSTED_PROXIES is empty: all who come through the TLS proxy count as one address",
		)
	}
	if err := c.notRead(); err != nil {
		log.WarnContext(ctx, "web.variable_not_read", "effect", err.Error())
	}
	for _, name := range c.readable {
		log.WarnContext(
			ctx, "web.secret_readable", "variable", name, "effect",
			"others on this machine may read the file; run: chmod 600",
		)
	}
}

// redacted lists the settings, without secrets, in the order of the fields.
func (c config) redacted() []string {
	var lines []string
	for field, value := range reflect.ValueOf(c.Config).Fields() {
		name, text := field.Tag.Get("env"), fmt.Sprint(value)
		switch {
		case name == "":
			continue
		case field.Type.Kind() == reflect.Slice:
			text = listed(value, separatorOf(field))
		case field.Type == reflect.TypeFor[string]() && strings.HasSuffix(name, "_URL"):
			text = withoutPassword(text)
		}
		if text != "" {
			lines = append(lines, name+"="+text)
		}
	}
	return lines
}

func listed(values reflect.Value, separator string) string {
	var all []string
	for _, value := range values.Seq2() {
		all = append(all, fmt.Sprint(value))
	}
	return strings.Join(all, separator)
}

// separatorOf is what stands between the values of a list.
func separatorOf(field reflect.StructField) string { return cmp.Or(field.Tag.Get("envSeparator"), ",") }

// withoutPassword hides the password in an address; one that cannot be parsed, or has no user where one is
// written, is hidden whole.
func withoutPassword(address string) string {
	if address == "" || strings.HasPrefix(address, "sqlite:") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User == nil && strings.Contains(address, "@") {
		return "(unreadable)"
	}
	query := u.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "password") {
			query.Set(name, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.Redacted()
}

// leastSecret is the length of the shortest secret that signs webhooks of alerts.
const leastSecret = 16
