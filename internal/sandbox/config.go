package sandbox

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// Config is what GET and PUT /_sandbox/config exchange. A PUT changes the
// fields it names. Currency and homeCountry can change only while there are no
// transfers. The doc tags say what each field means; the console shows them.
type Config struct {
	Currency           string   `json:"currency" doc:"the agent's, ISO 4217"`
	OpeningBalance     string   `json:"openingBalance" doc:"decimal; acts at the next reset"`
	HomeCountry        string   `json:"homeCountry" doc:"of numbers with one leading 0"`
	APIKey             string   `json:"apiKey" doc:"for the header api_key"`
	ClientID           string   `json:"clientId" doc:"OAuth"`
	ClientSecret       string   `json:"clientSecret" doc:"OAuth"`
	TokenLifetime      Duration `json:"tokenLifetime" doc:"real time"`
	SendCurrencies     []string `json:"sendCurrencies" doc:"arranged besides the agent's"`
	SuspendedProviders []string `json:"suspendedProviders" doc:"provider codes"`

	DuplicatePrevention bool     `json:"duplicatePrevention" doc:"of a DistributorRef, for 60 minutes"`
	SimilarInProgress   bool     `json:"similarInProgress" doc:"refuse a second transfer of the same product under way"`
	AccountPerHour      int      `json:"accountPerHour" doc:"transfers to one number, 0: any"`
	Limits              bool     `json:"limits" doc:"requests per method in 10 minutes"`
	LimitStatus         int      `json:"limitStatus" doc:"HTTP status beyond them: 429 or 503"`
	Latency             Duration `json:"latency" doc:"a provider's, real time"`
	ProcessingTimeout   Duration `json:"processingTimeout" doc:"real time"`
	BatchDelay          Duration `json:"batchDelay" doc:"Submitted to Processing, simulated"`
	BatchProcessing     Duration `json:"batchProcessing" doc:"Processing to the end, simulated"`
	CancelDelay         Duration `json:"cancelDelay" doc:"Cancelling to Cancelled, simulated"`
	DeferDelay          Duration `json:"deferDelay" doc:"to the first attempt, simulated"`
	DeferRetryDelay     Duration `json:"deferRetryDelay" doc:"between attempts, simulated"`
	DeferAttempts       int      `json:"deferAttempts" doc:"at most"`

	WebhookURL          string     `json:"webhookUrl" doc:"https, or http on loopback; empty: none"`
	WebhookPublicKey    string     `json:"webhookPublicKey" doc:"PEM; set: payloads are encrypted"`
	WebhookHeaderPrefix string     `json:"webhookHeaderPrefix" doc:"of the signature headers"`
	SignedOrder         string     `json:"signedOrder" doc:"timestamp-body or body-timestamp"`
	WebhookTimeout      Duration   `json:"webhookTimeout" doc:"real time"`
	WebhookRetries      []Duration `json:"webhookRetries" doc:"waits between deliveries, simulated"`

	ClockOffset Duration `json:"clockOffset" doc:"added to the simulated time"`
	ClockSpeed  int      `json:"clockSpeed" doc:"simulated seconds in a real one"`
}

func defaultConfig() Config {
	const second, minute, hour = Duration(time.Second), Duration(time.Minute), Duration(time.Hour)
	return Config{
		Currency: "EUR", OpeningBalance: "10000.00", HomeCountry: "IE",
		APIKey: "sandbox-key", ClientID: "sandbox-client", ClientSecret: "sandbox-secret", TokenLifetime: 30 * minute,
		SendCurrencies: []string{}, SuspendedProviders: []string{},
		Limits: true, LimitStatus: http.StatusTooManyRequests, ProcessingTimeout: 90 * second,
		BatchDelay: 30 * second, BatchProcessing: 5 * second, DeferDelay: 2 * second, DeferRetryDelay: 10 * second, DeferAttempts: 6,
		WebhookHeaderPrefix: "X-Service-Webhook-", SignedOrder: "timestamp-body", WebhookTimeout: 10 * second,
		WebhookRetries: []Duration{10 * second, minute, 5 * minute, 15 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 8 * hour},
		ClockSpeed:     1,
	}
}

// changed returns the configuration with the fields of a JSON object set.
func (c Config) changed(body []byte) (Config, error) {
	c.SendCurrencies, c.SuspendedProviders = slices.Clone(c.SendCurrencies), slices.Clone(c.SuspendedProviders)
	c.WebhookRetries = slices.Clone(c.WebhookRetries)
	if err := strict(body, &c); err != nil {
		return c, err
	}
	return c, c.check()
}

func (c *Config) check() error {
	if _, err := catalogue.ParseDecimal(c.OpeningBalance); err != nil {
		return fmt.Errorf("openingBalance: %w", err)
	}
	if c.SignedOrder != "timestamp-body" && c.SignedOrder != "body-timestamp" {
		return errors.New("signedOrder is timestamp-body or body-timestamp")
	}
	if c.LimitStatus != http.StatusTooManyRequests && c.LimitStatus != http.StatusServiceUnavailable {
		return errors.New("limitStatus is 429 or 503")
	}
	if c.ClockSpeed < 1 || c.ClockSpeed > 1_000_000 {
		return errors.New("clockSpeed lies between 1 and 1000000")
	}
	if c.DeferAttempts < 1 || c.TokenLifetime <= 0 || c.ProcessingTimeout <= 0 || c.WebhookTimeout <= 0 {
		return errors.New("deferAttempts, tokenLifetime, processingTimeout and webhookTimeout are positive")
	}
	waits := append([]Duration{c.Latency, c.BatchDelay, c.BatchProcessing, c.CancelDelay, c.DeferDelay, c.DeferRetryDelay}, c.WebhookRetries...)
	if slices.Min(waits) < 0 || c.AccountPerHour < 0 {
		return errors.New("delays, waits and accountPerHour are not negative")
	}
	if !regexp.MustCompile(`^[A-Za-z0-9-]+$`).MatchString(c.WebhookHeaderPrefix) {
		return errors.New("webhookHeaderPrefix has letters, digits and hyphens")
	}
	if c.WebhookPublicKey != "" {
		if _, err := publicKey(c.WebhookPublicKey); err != nil {
			return fmt.Errorf("webhookPublicKey: %w", err)
		}
	}
	return checkWebhookURL(c.WebhookURL)
}

// checkNames wants the currencies and providers that are newly named to exist.
func (c *Config) checkNames(old Config, on *catalogue.Catalogue) error {
	for _, currency := range c.SendCurrencies {
		if _, known := on.Convert(0, currency, on.Currency); !known && !slices.Contains(old.SendCurrencies, currency) {
			return fmt.Errorf("sendCurrencies: no rate is known for %.10q", currency)
		}
	}
	for _, code := range c.SuspendedProviders {
		if on.Provider(code) == nil && !slices.Contains(old.SuspendedProviders, code) {
			return fmt.Errorf("suspendedProviders: there is no %.20q", code)
		}
	}
	return nil
}

// checkWebhookURL wants https, except on loopback.
func checkWebhookURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("webhookUrl: %w", err)
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback())
	if u.Host == "" || (u.Scheme != "https" && (u.Scheme != "http" || !loopback)) {
		return errors.New("webhookUrl is https, or http on loopback")
	}
	return nil
}

// publicKey reads an RSA key of 2048 or 4096 bits, PEM, X.509.
func publicKey(text string) (*rsa.PublicKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("not PEM")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok || (key.N.BitLen() != 2048 && key.N.BitLen() != 4096) {
		return nil, errors.New("not an RSA key of 2048 or 4096 bits")
	}
	return key, nil
}

// errBusy is a change that needs an empty ledger.
var errBusy = errors.New("currency and homeCountry can change only before the first transfer: reset first")

// configure applies a partial configuration.
func (s *Service) configure(body []byte) (Config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.config
	next, err := old.changed(body)
	restock := next.Currency != old.Currency || next.HomeCountry != old.HomeCountry
	if err == nil && restock && len(s.book.all) > 0 {
		err = errBusy
	}
	stocked := s.shelf.Load()
	if err == nil && restock {
		stocked, err = s.stock(next)
	}
	if err == nil {
		err = next.checkNames(old, stocked.catalogue)
	}
	turned := *s.clock
	turned.set(next.ClockSpeed, time.Duration(next.ClockOffset))
	if err == nil {
		err = s.journal.write(entry{Config: &next, Clock: &turned.clockState})
	}
	if err != nil {
		return old, err
	}
	s.config = next
	s.shelf.Store(stocked)
	*s.clock = turned
	s.poke()
	return next, nil
}

// strict decodes JSON and refuses fields that do not exist.
func strict(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one JSON value")
	}
	return nil
}
