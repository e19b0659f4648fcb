package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/app"
	"airtill/internal/invariant"
	"airtill/internal/store"
	"airtill/internal/vault"
	"airtill/web/locale"

	"golang.org/x/text/language"
)

// checkWithin bounds each try.
const checkWithin = 15 * time.Second

// check tries everything the environment names, and prints a line for each.
func check(ctx context.Context, t terminal) error {
	c, err := readConfig(t.env)
	if err != nil {
		fmt.Fprintf(t.out, "FAIL  configuration: %s\n", oneLine(err.Error()))
		return errSaid
	}
	failed := false
	for _, try := range []struct {
		name string
		used bool
		run  func(context.Context) (string, error)
	}{
		{"configuration", true, c.tryConfiguration},
		{"vault", c.VaultKeyFile != "", c.tryVault},
		{"database", true, c.tryDatabase},
		{"Redis", true, c.tryRedis},
		{"upstream credentials", true, c.tryUpstream},
		{"webhook keys", true, c.tryWebhookKeys},
		{"mail server", c.SMTPURL != "", c.tryMail},
		{"single sign-on", c.OIDCIssuer != "", c.tryProvider},
		{"alert webhook", c.AlertWebhookURL != "", c.tryAlertWebhook},
	} {
		if !try.used {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, checkWithin)
		found, err := try.run(ctx)
		cancel()
		if err != nil {
			failed = true
			fmt.Fprintf(t.out, "FAIL  %s: %s\n", try.name, oneLine(err.Error()))
			continue
		}
		fmt.Fprintf(t.out, "ok    %s: %s\n", try.name, found)
	}
	if failed {
		return errSaid
	}
	return nil
}

// oneLine puts several lines into one.
func oneLine(text string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(text, "configuration:")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

func (c config) tryConfiguration(context.Context) (string, error) {
	if err := c.checkServe(); err != nil {
		return "", err
	}
	found := strings.Join(c.redacted(), " ")
	if err := c.notRead(); err != nil {
		found += "; " + err.Error()
	}
	return found, nil
}

// tryVault reads the keys as serve does.
func (c config) tryVault(context.Context) (string, error) {
	text, err := c.VaultKey()
	if err == nil {
		_, err = vault.New(text)
	}
	return "the keys are usable", err
}

func (c config) tryDatabase(ctx context.Context) (string, error) {
	if err := c.checkDatabase(); err != nil {
		return "", err
	}
	db, err := store.Open(ctx, c.DatabaseURL)
	if err != nil {
		return "", err
	}
	pending, err := db.Pending(ctx)
	if err == nil && pending {
		err = errors.New("it is older than this program; run web migrate")
	}
	newer, found := false, string(db.Dialect())+", up to date"
	if err == nil {
		if newer, err = db.Newer(ctx); newer {
			found = string(db.Dialect()) + ", newer than this program"
		}
	}
	if err == nil {
		var owner bool
		if owner, err = db.Owner(ctx); owner {
			// web migrate could not make the program's role
			found += ". " + locale.New(language.English, time.UTC).Text("health.note."+string(invariant.OwnsTables)) +
				" See README.md."
		}
	}
	return found, errors.Join(err, db.Close())
}

func (c config) tryRedis(ctx context.Context) (string, error) {
	if c.RedisURL == "" {
		return "not used; cache and budgets are in memory, for one process", nil
	}
	client, err := app.NewRedis(c.Config, nil)
	if err != nil {
		return "", err
	}
	return "answers", errors.Join(app.TryRedis(ctx, client), client.Close())
}

// tryUpstream asks for the balance, which needs good credentials. The call counts with those of the till, if there is
// Redis; a SQLite file's are the till's own, which may be running.
func (c config) tryUpstream(ctx context.Context) (string, error) {
	log := slog.New(slog.DiscardHandler)
	var budget apiclient.Budget
	if c.RedisURL != "" {
		shared, err := app.NewRedis(c.Config, nil)
		if err != nil {
			return "", err
		}
		defer shared.Close()
		budget = c.SharedBudget(shared, log, now)
	}
	client, err := c.NewUpstream(budget, nil, log, now)
	if err != nil {
		return "", err
	}
	defer client.Close()
	balance, err := client.GetBalance(apiclient.WithPriority(ctx, apiclient.PriorityCashier)) // somebody waits
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("accepted, balance %s %s", balance.Balance, balance.CurrencyIso), nil
}

// tryWebhookKeys fetches the public keys as serve does, and opens the file of the private ones.
func (c config) tryWebhookKeys(ctx context.Context) (string, error) {
	private, err := c.WebhookPrivateKeys()
	if err != nil {
		return "", err
	}
	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: c.WebhookAddress(), Now: now})
	if err != nil {
		return "", err
	}
	defer keys.Close()
	usable, err := keys.Refresh(ctx)
	switch {
	case err != nil && c.UpstreamAuthURL == "" && c.SendMode != app.SendDefer:
		return "none at UPSTREAM_BASE_URL; webhooks are answered 503 until UPSTREAM_AUTH_URL is set, which only " +
			"deferred sends need", nil
	case err != nil:
		return "", err
	case len(private) == 0:
		return fmt.Sprintf("%d usable; encrypted webhooks are refused, WEBHOOK_PRIVATE_KEY_FILE is not set", usable),
			nil
	}
	return fmt.Sprintf("%d usable; encrypted webhooks are opened with %d private", usable, len(private)), nil
}

func (c config) tryMail(ctx context.Context) (string, error) {
	mailer, err := c.NewMailer(now)
	if err != nil {
		return "", err
	}
	return "lets the till in; no mail was sent", mailer.Check(ctx)
}

func (c config) tryProvider(ctx context.Context) (string, error) {
	outside, err := c.Outside(now)
	if err != nil {
		return "", err
	}
	usable, err := outside.Provider.Check(ctx)
	return fmt.Sprintf("answers, %d usable keys; nobody was signed in", usable), err
}

func (c config) tryAlertWebhook(ctx context.Context) (string, error) {
	return "somebody answers at its host; nothing was posted", alert.CheckWebhook(ctx, string(c.AlertWebhookURL))
}
