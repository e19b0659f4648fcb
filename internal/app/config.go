package app

import (
	"cmp"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/idp"
	"airtill/internal/mail"
	"airtill/internal/restore"
	"airtill/internal/staff"
	"airtill/internal/vault"
)

// Config is what an installation sets, for cmd/web by the environment; see README.md. web check prints it all: what
// nobody may read is a Secret, and an address that may hold a password ends in _URL.
type Config struct {
	DatabaseURL  string `env:"DATABASE_URL"`
	RedisURL     string `env:"REDIS_URL"`
	ListenAddr   string `env:"LISTEN_ADDR" envDefault:"127.0.0.1:8080"`
	PublicURL    string `env:"PUBLIC_URL"`
	TLSCertFile  string `env:"TLS_CERT_FILE"`
	TLSKeyFile   string `env:"TLS_KEY_FILE"`
	TLSACMECache string `env:"TLS_ACME_CACHE"`

	TLSACMEDirectory string `env:"TLS_ACME_DIRECTORY" envDefault:"https://acme-v02.api.letsencrypt.org/directory"`

	TLSRedirectAddr      string                `env:"TLS_REDIRECT_ADDR"`
	UpstreamBaseURL      string                `env:"UPSTREAM_BASE_URL"`
	UpstreamAuthURL      string                `env:"UPSTREAM_AUTH_URL"`
	UpstreamAPIKey       Secret                `env:"UPSTREAM_API_KEY"`
	UpstreamClientID     string                `env:"UPSTREAM_CLIENT_ID"`
	UpstreamClientSecret Secret                `env:"UPSTREAM_CLIENT_SECRET"`
	WebhookHeaderPrefix  string                `env:"WEBHOOK_HEADER_PREFIX" envDefault:"X-Service-Webhook-"`
	WebhookSignedOrder   apiclient.SignedOrder `env:"WEBHOOK_SIGNED_ORDER" envDefault:"auto"`
	WebhookPrivateKey    string                `env:"WEBHOOK_PRIVATE_KEY_FILE"`
	VaultKeyFile         string                `env:"VAULT_KEY_FILE"`
	SendMode             string                `env:"SEND_MODE" envDefault:"wait"`
	SecondFactor         string                `env:"SECOND_FACTOR" envDefault:"required"`
	OIDCIssuer           string                `env:"OIDC_ISSUER"`
	OIDCClientID         string                `env:"OIDC_CLIENT_ID"`
	OIDCClientSecret     Secret                `env:"OIDC_CLIENT_SECRET"`
	OIDCScopes           []string              `env:"OIDC_SCOPES" envDefault:"profile,email"`
	OIDCGroupClaim       string                `env:"OIDC_GROUP_CLAIM" envDefault:"groups"`
	OIDCRoles            []string              `env:"OIDC_ROLES" envSeparator:";"`
	OIDCShopClaim        string                `env:"OIDC_SHOP_CLAIM"`
	OIDCSecond           []string              `env:"OIDC_SECOND"`
	Practice             bool                  `env:"PRACTICE"`
	CustomerDays         int                   `env:"CUSTOMER_DAYS" envDefault:"400"`
	ReceiptDays          int                   `env:"RECEIPT_DAYS" envDefault:"90"`
	LogoHosts            []string              `env:"LOGO_HOSTS"`
	LogLevel             slog.Level            `env:"LOG_LEVEL" envDefault:"INFO"`
	MetricsToken         Secret                `env:"METRICS_TOKEN"`
	TrustedProxies       []netip.Prefix        `env:"TRUSTED_PROXIES"`
	SMTPURL              string                `env:"SMTP_URL"`
	MailFrom             string                `env:"MAIL_FROM"`
	AlertMailTo          []string              `env:"ALERT_MAIL_TO"`
	AlertWebhookURL      Secret                `env:"ALERT_WEBHOOK_URL"`
	AlertWebhookSecret   Secret                `env:"ALERT_WEBHOOK_SECRET"`

	LogoSimulator string // host and port of the demo's simulator; no variable sets it
}

// Secret is never printed.
type Secret string

// String says only whether there is one.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// The send modes: wait for each transfer's outcome, or have it come by webhook.
const (
	SendWait  = "wait"
	SendDefer = "defer"
)

// Whether finance and admins need a second factor, and other roles where their rule says so. It is optional only
// where nobody else can reach the till.
const (
	SecondRequired = "required"
	SecondOptional = "optional"
)

// ReceiptKeep is how long what the provider wrote for the customer, including PINs, is retained at least.
func (c Config) ReceiptKeep() time.Duration { return time.Duration(c.ReceiptDays) * 24 * time.Hour }

// CustomerRetention is how long after its last sale a number stays in a shop's customer book.
func (c Config) CustomerRetention() time.Duration {
	return time.Duration(c.CustomerDays) * 24 * time.Hour
}

// NewMailer returns a mailer; without SMTP_URL it sends nothing.
func (c Config) NewMailer(now func() time.Time) (*mail.Mailer, error) {
	return mail.New(mail.Deps{URL: c.SMTPURL, From: c.MailFrom, Now: now})
}

// Outside returns the identity provider that people sign in through, nil if there is none.
func (c Config) Outside(now func() time.Time) (*staff.Outside, error) {
	if c.OIDCIssuer == "" {
		return nil, nil
	}
	outside := &staff.Outside{}
	for _, pair := range c.OIDCRoles {
		end := strings.LastIndex(pair, "=") // a group may be named like CN=till,OU=shops
		role := staff.Role(strings.TrimSpace(pair[end+1:]))
		if end < 1 || !role.Valid() {
			return nil, fmt.Errorf("OIDC_ROLES: %q is not GROUP=ROLE", pair)
		}
		outside.Roles = append(outside.Roles, staff.GroupRole{Group: strings.TrimSpace(pair[:end]), Role: role})
	}
	if len(outside.Roles) == 0 {
		return nil, errors.New("OIDC_ROLES is not set; name the groups that may sign in: admins=admin;tills=cashier")
	}
	var err error
	outside.Provider, err = idp.New(idp.Deps{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: string(c.OIDCClientSecret),
		Redirect: strings.TrimSuffix(c.PublicURL, "/") + "/login/sso", Scopes: c.OIDCScopes,
		GroupClaim: c.OIDCGroupClaim, ShopClaim: c.OIDCShopClaim, Second: c.OIDCSecond, Now: now,
	})
	return outside, err
}

// newWebhook returns the opener of webhooks, with the private keys for encrypted ones if there are any.
func (c Config) newWebhook(log *slog.Logger, now func() time.Time) (*apiclient.Webhook, error) {
	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: c.WebhookAddress(), Now: now, Log: log})
	if err != nil {
		return nil, err
	}
	private, err := c.WebhookPrivateKeys()
	if err != nil {
		return nil, err
	}
	return apiclient.NewWebhook(apiclient.WebhookDeps{
		Keys: keys, HeaderPrefix: c.WebhookHeaderPrefix, SignedOrder: c.WebhookSignedOrder, PrivateKeys: private,
	})
}

// Webhooks says whether transfers may be deferred: it is known where the keys are that sign their outcomes.
func (c Config) Webhooks() bool { return c.UpstreamAuthURL != "" }

// WebhookAddress is where the public keys are: with an API key no identity provider need be named, and the
// service's own address may have them.
func (c Config) WebhookAddress() string { return cmp.Or(c.UpstreamAuthURL, c.UpstreamBaseURL) }

// WebhookPrivateKeys reads the current key and, during a change, its predecessor; none if there is no file.
func (c Config) WebhookPrivateKeys() ([]*rsa.PrivateKey, error) {
	if c.WebhookPrivateKey == "" {
		return nil, nil
	}
	text, err := readKey(c.WebhookPrivateKey)
	if err != nil {
		return nil, fmt.Errorf("WEBHOOK_PRIVATE_KEY_FILE: %w", err)
	}
	keys, err := apiclient.ParsePrivateKeys(text)
	return keys, fault.Doing("WEBHOOK_PRIVATE_KEY_FILE", err)
}

// VaultKey returns the text of the vault's key file. For a SQLite file used by this machine only, the first
// start makes one.
func (c Config) VaultKey() (string, error) {
	path := c.VaultKeyPath()
	if c.VaultKeyFile == "" {
		if err := writeVaultKey(path); err != nil && !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("vault key: %w", err)
		}
	}
	body, err := readKey(path)
	if err != nil {
		return "", fmt.Errorf("vault key: %w", err)
	}
	return string(body), nil
}

// VaultKeyPath is where the vault's key file is; unless it is named, where the first start on a SQLite file makes one.
func (c Config) VaultKeyPath() string {
	return cmp.Or(c.VaultKeyFile, strings.TrimPrefix(c.DatabaseURL, "sqlite:")+".vault-key")
}

func (b *Books) vaultKey() (string, error) {
	if b.d.VaultKey != "" {
		return b.d.VaultKey, nil
	}
	return b.Config.VaultKey()
}

// secrets seal and open people's credentials. A command on PostgreSQL without VAULT_KEY_FILE can do neither,
// and fails when it has to.
func (b *Books) secrets() (seal, open func(owner, text string) (string, error), err error) {
	if b.d.VaultKey+b.Config.VaultKeyFile == "" && !strings.HasPrefix(b.Config.DatabaseURL, "sqlite:") {
		none := func(string, string) (string, error) { return "", errors.New("VAULT_KEY_FILE is not set") }
		return none, none, nil
	}
	key, err := b.vaultKey()
	if err != nil {
		return nil, nil, err
	}
	v, err := vault.New(key)
	if err != nil {
		return nil, nil, err
	}
	seal = func(owner, text string) (string, error) { return v.Seal(owner, vault.Receipt{Text: text}) }
	open = func(owner, text string) (string, error) {
		opened, err := v.Open(owner, text)
		return opened.Text, err
	}
	return seal, open, nil
}

// auditKeys sign the audit trail: one is derived from each of the vault's, so that there is one secret to
// guard. A command on PostgreSQL without VAULT_KEY_FILE has none.
func (b *Books) auditKeys() ([]audit.Key, error) {
	if b.d.VaultKey+b.Config.VaultKeyFile == "" && !strings.HasPrefix(b.Config.DatabaseURL, "sqlite:") {
		return nil, nil
	}
	text, err := b.vaultKey()
	if err != nil {
		return nil, err
	}
	var keys []audit.Key
	for _, line := range keyLines(text) {
		id, secret, _ := strings.Cut(line, ":")
		key, err := derived(secret, auditTrail)
		if err != nil {
			return nil, err
		}
		keys = append(keys, audit.Key{ID: id, Secret: key})
	}
	return keys, nil
}

// Marks of how new the database is are stored in Redis, or beside a SQLite file. PostgreSQL without Redis has
// a single process, whose mark is beside the vault's key.
func (c Config) Marks(client *redis.Client) []restore.Mark {
	var marks []restore.Mark
	path, isSQLite := strings.CutPrefix(c.DatabaseURL, "sqlite:")
	switch {
	case isSQLite:
		marks = append(marks, restore.File{Path: path + ".mark"})
	case client == nil && c.VaultKeyFile != "":
		marks = append(marks, restore.File{Path: c.VaultKeyFile + ".mark"})
	}
	if client != nil {
		marks = append(marks, restore.Redis{Client: client, Prefix: redisPrefix})
	}
	return marks
}

// readKey reads a file of keys that only its owner may read.
func readKey(path string) ([]byte, error) {
	about, err := os.Stat(path)
	if err == nil && about.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("others may read %s; run: chmod 600 %s", path, path)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
