package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/hostile"
)

// TestAddressesThatNoOperatorMeans holds every address that an operator gives against those that logos are held
// against. Another host, another port and a private network may be meant; all else is refused at the start, with
// the name of the variable and without what may be a password in it.
func TestAddressesThatNoOperatorMeans(t *testing.T) {
	t.Parallel()
	meant := map[string]bool{}
	for _, address := range []string{
		"evil.example/a.png", "logos.example.com.evil.example/a.png", "evil.example/logos.example.com",
		"xlogos.example.com/a.png", "a.logos.example.com/a.png", "example.com/a.png",
		"logos.example.com:80/a.png", "logos.example.com:8443/a.png", "logos.example.com:22/",
		"127.0.0.1/a.png", "127.0.0.1.nip.io/", "localhost/", "localhost.localdomain/", "[::1]/", "[fd00::1]/",
		"metadata.google.internal/", // where it leads is looked at when it is called
		"10.0.0.1/", "172.16.0.1/", "192.168.1.1/", "100.64.0.1/",
	} {
		meant["https://"+address] = true
	}
	all := hostile.Addresses("logos.example.com")
	require.GreaterOrEqual(t, len(all), 60)
	for name, around := range map[string]map[string]string{
		"ALERT_WEBHOOK_URL": {"ALERT_WEBHOOK_SECRET": "0123456789abcdef"},
		"SMTP_URL":          {"MAIL_FROM": "till@example.com"},
		"UPSTREAM_AUTH_URL": {},
		"UPSTREAM_BASE_URL": {},
		"OIDC_ISSUER":       sso,
	} {
		complaint := func(address string) error {
			env := production()
			maps.Copy(env, around)
			env[name] = address
			read, err := readConfig(env)
			require.NoError(t, err)
			return read.checkServe()
		}
		if name != "SMTP_URL" { // whose account stands in it
			err := complaint("https://till:hush@logos.example.com")
			require.ErrorContains(t, err, name)
			require.NotContains(t, err.Error(), "hush")
		}
		for _, address := range all {
			given := address
			if name == "SMTP_URL" { // has a user and no path
				if strings.Contains(address, "@") {
					continue
				}
				given = strings.Replace(address, "https", "smtps", 1)
				if meant[address] {
					given = given[:strings.Index(given[8:], "/")+9]
				}
			}
			if address == "" {
				continue // not set
			}
			err := complaint(given)
			if meant[address] {
				require.NoError(t, err, "%s %q", name, given)
				continue
			}
			require.ErrorContains(t, err, name, "%q", given)
		}
	}
}
