package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"airtill/internal/app"

	"github.com/stretchr/testify/require"
)

// production is an environment with nothing to complain about.
func production() map[string]string {
	return map[string]string{
		"DATABASE_URL": "postgres://till:hush@db/airtill", "REDIS_URL": "redis://:hush@cache:6379/0", "PUBLIC_URL": "https://till.example.com",
		"UPSTREAM_BASE_URL": "https://api.example.com", "UPSTREAM_AUTH_URL": "https://auth.example.com",
		"UPSTREAM_CLIENT_ID": "shop-7", "UPSTREAM_CLIENT_SECRET": "hush", "VAULT_KEY_FILE": "/run/secrets/vault-key",
	}
}

var sso = map[string]string{
	"OIDC_ISSUER": "https://id.example.com/realms/shop", "OIDC_CLIENT_ID": "till", "OIDC_CLIENT_SECRET": "hush",
	"OIDC_ROLES": "CN=owners,OU=shop=admin; tills=cashier",
}

func with(env map[string]string, name, value string) map[string]string {
	changed := maps.Clone(env)
	changed[name] = value
	return changed
}

func TestConfigurationSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change map[string]string
		want   string // "": no complaint
	}{
		{"whole", nil, ""},
		{"an API key", map[string]string{"UPSTREAM_API_KEY": "k", "UPSTREAM_CLIENT_ID": "", "UPSTREAM_AUTH_URL": ""}, ""},
		{"no database", map[string]string{"DATABASE_URL": ""}, "DATABASE_URL is not set"},
		{"no public address", map[string]string{"PUBLIC_URL": ""}, "PUBLIC_URL is not set"},
		{"public address in clear", map[string]string{"PUBLIC_URL": "http://till.example.com"}, "https://"},
		{"public address with a path", map[string]string{"PUBLIC_URL": "https://example.com/till"}, "without a path"},
		{"public address with a password", map[string]string{"PUBLIC_URL": "https://till:hush@till.example.com"}, "PUBLIC_URL must be like"},
		{"public address with a place in a page", map[string]string{"PUBLIC_URL": "https://till.example.com#sale"}, "PUBLIC_URL must be like"},
		{"public address with an empty question", map[string]string{"PUBLIC_URL": "https://till.example.com?"}, "PUBLIC_URL must be like"},
		{"in clear on this machine", map[string]string{"PUBLIC_URL": "http://127.0.0.1:8080"}, ""},
		{"a mail server without a sender", map[string]string{"SMTP_URL": "smtp://till:hush@mail.example.com"}, "MAIL_FROM"},
		{"a mail server", map[string]string{"SMTP_URL": "smtp://till:hush@mail.example.com", "MAIL_FROM": "till@example.com"}, ""},
		{"alerts by mail without a server", map[string]string{"ALERT_MAIL_TO": "owner@example.com"}, "SMTP_URL is not"},
		{"alerts by mail to nobody", map[string]string{
			"SMTP_URL": "smtp://till:hush@mail.example.com", "MAIL_FROM": "till@example.com", "ALERT_MAIL_TO": "owner@example.com,the owner",
		}, `ALERT_MAIL_TO: "the owner" is no address`},
		{"alerts by mail", map[string]string{
			"SMTP_URL": "smtp://till:hush@mail.example.com", "MAIL_FROM": "till@example.com", "ALERT_MAIL_TO": "owner@example.com, Boss <boss@example.com>",
		}, ""},
		{"alerts in clear", map[string]string{"ALERT_WEBHOOK_URL": "http://alerts.example.com", "ALERT_WEBHOOK_SECRET": "0123456789abcdef"}, "https://"},
		{"alerts that anyone could forge", map[string]string{"ALERT_WEBHOOK_URL": "https://alerts.example.com", "ALERT_WEBHOOK_SECRET": "hush"}, "ALERT_WEBHOOK_SECRET"},
		{"alerts", map[string]string{"ALERT_WEBHOOK_URL": "https://alerts.example.com", "ALERT_WEBHOOK_SECRET": "0123456789abcdef"}, ""},
		{"upstream in clear", map[string]string{"UPSTREAM_BASE_URL": "http://api.example.com"}, "must begin with https://"},
		{"identity provider in clear", map[string]string{"UPSTREAM_AUTH_URL": "http://auth.example.com"}, "must begin with https://"},
		{"all in clear on this machine", map[string]string{"UPSTREAM_BASE_URL": "http://sandbox:8081", "PUBLIC_URL": "http://localhost:1"}, ""},
		{"upstream with a question", map[string]string{"UPSTREAM_BASE_URL": "https://api.example.com/?tenant=7"}, "UPSTREAM_BASE_URL"},
		{"upstream with an empty question", map[string]string{"UPSTREAM_BASE_URL": "https://api.example.com?"}, "UPSTREAM_BASE_URL"},
		{"identity provider with an empty place", map[string]string{"UPSTREAM_AUTH_URL": "https://auth.example.com#"}, "UPSTREAM_AUTH_URL"},
		{"upstream with what the till adds", map[string]string{"UPSTREAM_BASE_URL": "https://api.example.com/api/v1/"}, "leave out /api/V1"},
		{"upstream below a path", map[string]string{"UPSTREAM_BASE_URL": "https://gateway.example.com/transfers/"}, ""},
		{"no upstream", map[string]string{"UPSTREAM_BASE_URL": ""}, "UPSTREAM_BASE_URL"},
		{"no credentials", map[string]string{"UPSTREAM_CLIENT_SECRET": ""}, "no upstream credentials"},
		{"two kinds of credentials", map[string]string{"UPSTREAM_API_KEY": "k"}, "remove one"},
		{"a client without an identity provider", map[string]string{"UPSTREAM_AUTH_URL": ""}, "UPSTREAM_AUTH_URL"},
		{"no vault key", map[string]string{"VAULT_KEY_FILE": ""}, "VAULT_KEY_FILE is not set"},
		{"no vault key beside a file in production", map[string]string{
			"VAULT_KEY_FILE": "", "DATABASE_URL": "sqlite:x.db",
		}, "VAULT_KEY_FILE is not set"},
		{"no vault key on this machine, other database", map[string]string{"VAULT_KEY_FILE": "", "PUBLIC_URL": "http://localhost:1"}, "VAULT_KEY_FILE"},
		{"no vault key beside a file", map[string]string{"VAULT_KEY_FILE": "", "PUBLIC_URL": "http://localhost:1", "DATABASE_URL": "sqlite:x.db"}, ""},
		{"placeholder", map[string]string{"UPSTREAM_CLIENT_SECRET": "sandbox-secret"}, "UPSTREAM_CLIENT_SECRET holds a placeholder"},
		{"placeholder on this machine", map[string]string{"UPSTREAM_CLIENT_SECRET": "sandbox-secret", "PUBLIC_URL": "http://[::1]:8080"}, ""},
		{"listen", map[string]string{"LISTEN_ADDR": "8080"}, "LISTEN_ADDR"},
		{"order", map[string]string{"WEBHOOK_SIGNED_ORDER": "both"}, "WEBHOOK_SIGNED_ORDER"},
		{"mode", map[string]string{"SEND_MODE": "never"}, "SEND_MODE"},
		{"a prefix of no header", map[string]string{"WEBHOOK_HEADER_PREFIX": "X Acme: "}, "WEBHOOK_HEADER_PREFIX"},
		{"another prefix", map[string]string{"WEBHOOK_HEADER_PREFIX": "X-Acme_Webhook-"}, ""},
		{"a second step for whoever likes, in public", map[string]string{"SECOND_FACTOR": "optional"}, "SECOND_FACTOR optional is for a till that only this machine reaches"},
		{"a second step for whoever likes, by a name of this network", map[string]string{"SECOND_FACTOR": "optional", "PUBLIC_URL": "https://till"}, "SECOND_FACTOR optional"},
		{"a second step for whoever likes, on this machine", map[string]string{"SECOND_FACTOR": "optional", "PUBLIC_URL": "http://localhost:8080"}, ""},
		{"single sign-on", sso, ""},
		{"single sign-on in clear", with(sso, "OIDC_ISSUER", "http://id.example.com"), "OIDC_ISSUER must begin with https://"},
		{"single sign-on by nobody", with(sso, "OIDC_ISSUER", ""), "OIDC_ISSUER is not set"},
		{"single sign-on without a secret", with(sso, "OIDC_CLIENT_SECRET", ""), "OIDC_CLIENT_SECRET"},
		{"single sign-on for no group", with(sso, "OIDC_ROLES", ""), "OIDC_ROLES is not set"},
		{"single sign-on with a role that is none", with(sso, "OIDC_ROLES", "all=boss"), `"all=boss" is not GROUP=ROLE`},
		{"single sign-on with a copied secret", with(sso, "OIDC_CLIENT_SECRET", "changeme"), "placeholder"},
		{"a second step for nobody", map[string]string{"SECOND_FACTOR": "none"}, "SECOND_FACTOR must be"},
		{"a port that is none", map[string]string{"LISTEN_ADDR": "127.0.0.1:99999"}, `LISTEN_ADDR "127.0.0.1:99999" is no address`},
		{"a port by its name", map[string]string{"LISTEN_ADDR": "127.0.0.1:http"}, ""},
		{"a redirect from a port alone", map[string]string{"TLS_REDIRECT_ADDR": "80", "TLS_ACME_CACHE": "acme"}, `TLS_REDIRECT_ADDR "80" is no address`},
		{"a redirect", map[string]string{"TLS_REDIRECT_ADDR": ":80", "TLS_ACME_CACHE": "acme"}, ""},
		{"deferred", map[string]string{"SEND_MODE": "defer"}, ""},
		{"defer without keys", map[string]string{"SEND_MODE": "defer", "UPSTREAM_API_KEY": "k", "UPSTREAM_CLIENT_ID": "", "UPSTREAM_AUTH_URL": ""}, "UPSTREAM_AUTH_URL"},
		{"empty means unset", map[string]string{"LISTEN_ADDR": "", "SEND_MODE": "", "LOG_LEVEL": ""}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := production()
			maps.Copy(env, c.change)
			read, err := readConfig(env)
			require.NoError(t, err)
			if err = read.checkServe(); c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestConfigurationThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"LOG_LEVEL": "loud", "TRUSTED_PROXIES": "10.0.0.1", "CUSTOMER_DAYS": "a year", "RECEIPT_DAYS": "99999999999999999999",
		"PRACTICE": "yes",
	} {
		_, err := readConfig(map[string]string{name: value, "SEND_MODE": "wait"})
		require.ErrorContains(t, err, name)
		require.NotContains(t, err.Error(), "field", "an operator sees no field")
		require.NotContains(t, err.Error(), "strconv")
	}
	_, err := readConfig(map[string]string{"LOG_LEVEL": "loud", "PRACTICE": "yes"})
	require.ErrorContains(t, err, "LOG_LEVEL")
	require.ErrorContains(t, err, "PRACTICE")
}

// TestAListMayHaveSpacesAfterItsCommas, as people write one: a host or a claim that begins with one is found nowhere.
func TestAListMayHaveSpacesAfterItsCommas(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"TRUSTED_PROXIES": "10.0.0.0/8, 172.16.0.0/12 ", "OIDC_SECOND": "mfa, otp", "LOGO_HOSTS": " a.example.com , b.example.com,",
		"ALERT_MAIL_TO": "owner@example.com, boss@example.com,", "OIDC_ROLES": "CN=a,OU=b=admin; tills=cashier;", "OIDC_SCOPES": "email, groups",
	}
	c, err := readConfig(env)
	require.NoError(t, err)
	require.Equal(t, "[10.0.0.0/8 172.16.0.0/12]", fmt.Sprint(c.TrustedProxies))
	require.Equal(t, []string{"mfa", "otp"}, c.OIDCSecond)
	require.Equal(t, []string{"a.example.com", "b.example.com"}, c.LogoHosts)
	require.Equal(t, []string{"owner@example.com", "boss@example.com"}, c.AlertMailTo)
	require.Equal(t, []string{"CN=a,OU=b=admin", "tills=cashier"}, c.OIDCRoles)
	require.Equal(t, []string{"email", "groups"}, c.OIDCScopes)
	require.Equal(t, "mfa, otp", env["OIDC_SECOND"], "what was given stays")
}

func TestKeysThatOthersMayReadAreRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte("k1:00\n"), 0o600))
	c := app.Config{VaultKeyFile: path, WebhookPrivateKey: path}
	_, err := c.VaultKey()
	require.NoError(t, err)
	for _, mode := range []os.FileMode{0o644, 0o640, 0o604} {
		require.NoError(t, os.Chmod(path, mode))
		_, err = c.VaultKey()
		require.ErrorContains(t, err, "chmod 600")
		_, err = c.WebhookPrivateKeys()
		require.ErrorContains(t, err, "chmod 600")
	}
}

func TestSecretsFromFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte("from a file\n"), 0o600))
	for _, name := range fromFiles() {
		env := map[string]string{name + "_FILE": path}
		given, readable, err := withFiles(env)
		require.NoError(t, err)
		require.Equal(t, "from a file", given[name])
		require.Empty(t, readable)

		env[name] = "and here"
		_, _, err = withFiles(env)
		require.ErrorContains(t, err, "remove one")
	}
	_, err := readConfig(map[string]string{"UPSTREAM_API_KEY_FILE": path + "-gone"})
	require.ErrorContains(t, err, "UPSTREAM_API_KEY_FILE")
}

func TestSecretsThatOthersMayReadAreToldOf(t *testing.T) {
	t.Parallel()
	for mode, told := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o444: true} {
		for _, name := range fromFiles() {
			path := filepath.Join(t.TempDir(), "secret")
			require.NoError(t, os.WriteFile(path, []byte("10.0.0.0/8 canary"), 0o600))
			require.NoError(t, os.Chmod(path, mode))
			c, err := readConfig(map[string]string{name + "_FILE": path})
			require.NoError(t, err)
			var log bytes.Buffer
			c.warn(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
			require.Equal(t, told, strings.Contains(log.String(), name+"_FILE"), "%s %s", name, mode)
			require.NotContains(t, log.String(), "canary")
		}
	}
}

func TestNoSecretIsPrinted(t *testing.T) {
	t.Parallel()
	env := production()
	env["SMTP_URL"], env["MAIL_FROM"] = "smtp://till:hush@mail.example.com", "till@example.com"
	maps.Copy(env, sso)
	env["METRICS_TOKEN"], env["DATABASE_URL"] = "hush", "postgres://till:hush@db/airtill?sslpassword=hush&sslmode=require"
	c, err := readConfig(env)
	require.NoError(t, err)
	printed := strings.Join(c.redacted(), " ")
	require.NotContains(t, printed, "hush")
	require.Contains(t, printed, "UPSTREAM_CLIENT_SECRET=(set)")
	require.Contains(t, printed, "sslmode=require")
	for _, odd := range []string{
		"redis://:hu sh@cache:port", "host=db user=till password=hush dbname=airtill", "postgres://till:80/hush@db/airtill",
	} {
		require.Equal(t, "(unreadable)", withoutPassword(odd))
	}
}

// TestEverySettingIsPrinted, as the environment names it; of a secret only that it is set.
func TestEverySettingIsPrinted(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"LOGO_HOSTS": "a.example.com,b.example.com", "OIDC_ROLES": "CN=a,OU=b=admin;tills=cashier", "OIDC_SECOND": "mfa",
		"ALERT_MAIL_TO": "owner@example.com", "TRUSTED_PROXIES": "10.0.0.0/8,172.16.0.0/12", "PRACTICE": "true",
		"CUSTOMER_DAYS": "30", "RECEIPT_DAYS": "61", "LOG_LEVEL": "WARN", "OIDC_SCOPES": "email,groups",
	}
	var want []string
	for field := range reflect.TypeFor[app.Config]().Fields() {
		name := field.Tag.Get("env")
		if name == "" {
			continue
		}
		if field.Type.Kind() == reflect.String {
			env[name] = "https://example.com/" + strings.ToLower(name)
		}
		line := name + "=" + env[name]
		if field.Type == reflect.TypeFor[app.Secret]() {
			line = name + "=(set)"
		}
		want = append(want, line)
	}
	c, err := readConfig(env)
	require.NoError(t, err)
	require.Equal(t, want, c.redacted())
	require.Contains(t, want, "ALERT_WEBHOOK_URL=(set)", "many services have their key in it")
}

// TestAPublicAddressMayEndInASlash, which stands in no address that is made of it.
func TestAPublicAddressMayEndInASlash(t *testing.T) {
	t.Parallel()
	c, err := readConfig(with(production(), "PUBLIC_URL", "https://till.example.com/"))
	require.NoError(t, err)
	require.NoError(t, c.checkServe())
	require.Equal(t, "https://till.example.com", c.PublicURL)
}
