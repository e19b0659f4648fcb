package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/mail"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"airtill/internal/apiclient"
	"airtill/internal/app"
	"airtill/internal/dial"
	"airtill/internal/fault"
)

// checkDatabase is all that commands need which only touch rows.
func (c config) checkDatabase() error {
	return fault.Doing("configuration", errors.Join(c.unseen, c.namesDatabase()))
}

// checkServe checks all that selling needs, and reports everything at once.
func (c config) checkServe() error {
	_, noMail := c.NewMailer(now)
	if err := errors.Join(
		c.unseen, c.namesDatabase(), c.checkPublicURL(), c.checkUpstream(), c.checkVault(), c.checkMode(),
		c.checkDays(), noMail, c.checkAlerts(), c.checkPlaceholders(), c.checkTLS(), c.checkOIDC(), c.checkListen(),
	); err != nil {
		return fmt.Errorf("configuration:\n%w", errors.Join(err, c.notRead()))
	}
	return nil
}

func (c config) namesDatabase() error {
	if c.DatabaseURL == "" {
		return errors.New("DATABASE_URL is not set; give postgres://user:password@host/name, or sqlite:PATH")
	}
	return nil
}

func (c config) checkListen() error {
	err := listens("LISTEN_ADDR", c.ListenAddr)
	if c.TLSRedirectAddr != "" {
		err = errors.Join(err, listens("TLS_REDIRECT_ADDR", c.TLSRedirectAddr))
	}
	return err
}

// listens says whether a variable names an address and a port to listen on.
func listens(variable, address string) error {
	_, port, err := net.SplitHostPort(address)
	number, named := strconv.Atoi(port)
	if err != nil || named == nil && (number < 0 || number > math.MaxUint16) {
		return fmt.Errorf("%s %q is no address; write it like 127.0.0.1:8080", variable, address)
	}
	return nil
}

func (c config) checkDays() (err error) {
	if c.CustomerDays < 1 || c.CustomerDays > 3650 {
		err = fmt.Errorf("CUSTOMER_DAYS is %d; give the days after which a customer is forgotten, 1 to 3650",
			c.CustomerDays)
	}
	if c.ReceiptDays < 61 || c.ReceiptDays > 3650 {
		err = errors.Join(err, fmt.Errorf("RECEIPT_DAYS is %d; give the days after which receipts and PINs are thrown "+
			"away, 61 to 3650: until then the upstream lists them", c.ReceiptDays))
	}
	return err
}

func (c config) checkPublicURL() error {
	u, err := url.Parse(c.PublicURL)
	switch {
	case c.PublicURL == "":
		return errors.New("PUBLIC_URL is not set; give the address that browsers use, like https://till.example.com")
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") ||
		strings.Trim(u.Path, "/") != "" || strings.ContainsAny(c.PublicURL, "@?#"): // stands in mails
		return errors.New("PUBLIC_URL must be like https://till.example.com, without a path or a user")
	case u.Scheme == "http" && !dial.ThisMachine(u.Hostname()):
		return errors.New("PUBLIC_URL must begin with https:// unless it is on this machine")
	}
	return nil
}

// checkTLS checks the till's own TLS, if it has any.
func (c config) checkTLS() error {
	u, err := url.Parse(c.PublicURL)
	switch {
	case (c.TLSCertFile == "") != (c.TLSKeyFile == ""):
		return errors.New("TLS_CERT_FILE and TLS_KEY_FILE belong together; set both, or none where a proxy speaks TLS")
	case c.TLSCertFile != "" && c.TLSACMECache != "":
		return errors.New("both TLS_CERT_FILE and TLS_ACME_CACHE are set; remove one")
	case !c.ownTLS() && c.TLSRedirectAddr != "":
		return errors.New("TLS_REDIRECT_ADDR needs TLS_CERT_FILE or TLS_ACME_CACHE")
	case !c.ownTLS():
		return nil
	case err != nil:
		return fmt.Errorf("PUBLIC_URL: %w", err)
	case !c.https():
		return errors.New("PUBLIC_URL must begin with https:// where the till speaks TLS")
	case c.TLSACMECache != "" && (net.ParseIP(u.Hostname()) != nil || !strings.Contains(u.Hostname(), ".")):
		return fmt.Errorf("TLS_ACME_CACHE needs a PUBLIC_URL with a name that the authority can look up, not %s",
			u.Hostname())
	case c.TLSACMECache != "" && !isHTTPS(c.TLSACMEDirectory):
		return errors.New("TLS_ACME_DIRECTORY must begin with https://")
	case c.TLSACMECache != "":
		return nil
	}
	return c.checkCertificate(u.Hostname())
}

// checkCertificate says whether browsers will accept the certificate for this host.
func (c config) checkCertificate(host string) error {
	if about, err := os.Stat(c.TLSKeyFile); err == nil && about.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may read TLS_KEY_FILE; run: chmod 600 %s", c.TLSKeyFile)
	}
	pair, err := tls.LoadX509KeyPair(c.TLSCertFile, c.TLSKeyFile)
	if err == nil {
		err = pair.Leaf.VerifyHostname(host)
	}
	if err == nil && now().After(pair.Leaf.NotAfter) {
		err = fmt.Errorf("it ended on %s", pair.Leaf.NotAfter.Format("2006-01-02"))
	}
	return fault.Doing("TLS_CERT_FILE", err)
}

// ownTLS says whether the till does TLS without a proxy.
func (c config) ownTLS() bool { return c.TLSCertFile+c.TLSACMECache != "" }

func (c config) checkUpstream() error {
	switch {
	case !apiclient.IsAddress(c.UpstreamBaseURL):
		return errors.New(
			"UPSTREAM_BASE_URL must be the transfer service's address, like https://api.example.com, without a user, " +
				"? and #",
		)
	case strings.HasSuffix(strings.ToLower(strings.TrimRight(c.UpstreamBaseURL, "/")), "/api/v1"):
		return errors.New("leave out /api/V1 at the end of UPSTREAM_BASE_URL: the till puts it there itself")
	case c.UpstreamAPIKey != "" && c.UpstreamClientID != "":
		return errors.New("both UPSTREAM_API_KEY and UPSTREAM_CLIENT_ID are set; remove one")
	case c.UpstreamAPIKey == "" && (c.UpstreamClientID == "" || c.UpstreamClientSecret == ""):
		return errors.New(
			"no upstream credentials; set UPSTREAM_API_KEY, or UPSTREAM_CLIENT_ID and UPSTREAM_CLIENT_SECRET",
		)
	case (c.UpstreamAPIKey == "" || c.UpstreamAuthURL != "") && !apiclient.IsAddress(c.UpstreamAuthURL):
		return errors.New(
			"UPSTREAM_AUTH_URL must be the identity provider's address, like https://auth.example.com, without a " +
				"user, ? and #",
		)
	case c.https() && (!isHTTPS(c.UpstreamBaseURL) || c.UpstreamAuthURL != "" && !isHTTPS(c.UpstreamAuthURL)):
		return errors.New(
			"UPSTREAM_BASE_URL and UPSTREAM_AUTH_URL must begin with https://: credentials and PINs go there",
		)
	}
	return nil
}

// checkOIDC checks whom people sign in through, if there is somebody.
func (c config) checkOIDC() error {
	u, err := dial.Secretless(c.OIDCIssuer, "https", "http")
	switch {
	case c.OIDCIssuer == "" && c.OIDCClientID+string(c.OIDCClientSecret)+strings.Join(c.OIDCRoles, "") != "":
		return errors.New("OIDC_ISSUER is not set, and other OIDC_ variables are; give the identity provider's address")
	case c.OIDCIssuer == "":
		return nil
	case err != nil:
		return fmt.Errorf("OIDC_ISSUER: %w", err)
	case u.Scheme != "https" && !dial.ThisMachine(u.Hostname()):
		return errors.New("OIDC_ISSUER must begin with https:// unless it is on this machine")
	case c.OIDCClientID == "" || c.OIDCClientSecret == "":
		return errors.New("OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET")
	}
	_, err = c.Outside(now)
	return err
}

func (c config) checkVault() error {
	if c.VaultKeyFile == "" && (c.production() || !strings.HasPrefix(c.DatabaseURL, "sqlite:")) {
		return errors.New(
			`VAULT_KEY_FILE is not set; make the key that seals PINs with: echo "k1:$(openssl rand -hex 32)" > FILE, ` +
				"and keep a copy of it",
		)
	}
	return nil
}

func (c config) checkMode() error {
	orders := []apiclient.SignedOrder{apiclient.OrderAuto, apiclient.OrderTimestampBody, apiclient.OrderBodyTimestamp}
	switch {
	case c.SendMode != app.SendWait && c.SendMode != app.SendDefer:
		return errors.New("SEND_MODE must be wait or defer")
	case c.SendMode == app.SendDefer && !c.Webhooks():
		return errors.New("SEND_MODE defer needs UPSTREAM_AUTH_URL: the keys that sign webhooks are there")
	case c.SecondFactor != app.SecondRequired && c.SecondFactor != app.SecondOptional:
		return errors.New("SECOND_FACTOR must be required or optional")
	case c.SecondFactor == app.SecondOptional && c.production():
		return errors.New("SECOND_FACTOR optional is for a till that only this machine reaches; remove it")
	case !slices.Contains(orders, c.WebhookSignedOrder):
		return errors.New("WEBHOOK_SIGNED_ORDER must be auto, timestamp-body or body-timestamp")
	case !httpguts.ValidHeaderFieldName(c.WebhookHeaderPrefix): // every webhook would be refused
		return errors.New("WEBHOOK_HEADER_PREFIX must begin names of headers, like X-Service-Webhook-")
	}
	return nil
}

// checkPlaceholders refuses example values that were never changed.
func (c config) checkPlaceholders() error {
	if !c.production() {
		return nil
	}
	known := []string{
		"sandbox-key", "sandbox-client", "sandbox-secret", "changeme", "change-me", "secret", "password", "xxx", "todo",
	}
	var problems []error
	for name, value := range map[string]string{
		"UPSTREAM_API_KEY": string(c.UpstreamAPIKey), "UPSTREAM_CLIENT_ID": c.UpstreamClientID,
		"UPSTREAM_CLIENT_SECRET": string(c.UpstreamClientSecret), "METRICS_TOKEN": string(c.MetricsToken),
		"OIDC_CLIENT_SECRET": string(c.OIDCClientSecret),
	} {
		if slices.Contains(known, strings.ToLower(value)) {
			problems = append(problems, fmt.Errorf("%s holds a placeholder; give the real value", name))
		}
	}
	return errors.Join(problems...)
}

func isHTTPS(text string) bool { return strings.HasPrefix(strings.ToLower(text), "https://") }

func (c config) checkAlerts() error {
	u, err := dial.Secretless(string(c.AlertWebhookURL), "https", "http")
	noAddress := slices.IndexFunc(c.AlertMailTo, func(to string) bool {
		_, err := mail.ParseAddress(to)
		return err != nil
	})
	switch {
	case len(c.AlertMailTo) > 0 && c.SMTPURL == "":
		return errors.New("ALERT_MAIL_TO is set and SMTP_URL is not; alerts would reach nobody")
	case noAddress >= 0:
		return fmt.Errorf("ALERT_MAIL_TO: %q is no address; write them like owner@example.com, with commas between",
			c.AlertMailTo[noAddress])
	case c.AlertWebhookURL == "":
		return nil
	case err != nil:
		return fmt.Errorf("ALERT_WEBHOOK_URL: %w", err)
	case u.Scheme != "https" && !dial.ThisMachine(u.Hostname()):
		return errors.New("ALERT_WEBHOOK_URL must begin with https:// unless it is on this machine")
	case len(c.AlertWebhookSecret) < leastSecret:
		return fmt.Errorf(
			"ALERT_WEBHOOK_SECRET must have %d characters at least; make one with: openssl rand -hex 32", leastSecret,
		)
	}
	return nil
}
