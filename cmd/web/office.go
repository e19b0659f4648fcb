package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"airtill/internal/app"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/jobs"
	"airtill/internal/staff"
)

// migrate brings the database to this binary's version.
func migrate(ctx context.Context, t terminal) error {
	b, err := openBooks(ctx, t)
	if err != nil {
		return err
	}
	err = b.DB.Migrate(ctx)
	newer := false
	if err == nil {
		newer, err = b.DB.Newer(ctx)
	}
	switch {
	case err != nil:
	case newer:
		_, err = fmt.Fprintln(t.out, "the database is newer than this program; nothing was changed")
	default:
		_, err = fmt.Fprintln(t.out, "the database is up to date")
	}
	return errors.Join(err, b.Close())
}

// addShop adds a shop with its tills.
func addShop(ctx context.Context, t terminal) error {
	var shop staff.NewShop
	t.flags.StringVar(&shop.Name, "name", "", "name, as on its receipts")
	t.flags.StringVar(&shop.Zone, "zone", "", "time zone, like Europe/Dublin")
	t.flags.StringVar(&shop.Country, "country", "", "country, two letters like IE")
	t.flags.StringVar(&shop.Currency, "currency", "", "currency of its tills, like EUR")
	t.flags.StringVar(&shop.Address, "address", "", "address, as on its receipts")
	t.flags.StringVar(&shop.TaxID, "tax-id", "", "tax number, as on its receipts")
	t.flags.IntVar(&shop.Tills, "tills", 1, "how many tills it has")
	if err := t.parse(); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *app.Books) error {
		added, tills, err := b.Staff.CreateShop(ctx, t.by(), shop)
		if err == nil {
			_, err = fmt.Fprintf(t.out, "added shop %s with %d tills: %s\n", added.Name, len(tills), added.ID)
		}
		return err
	})
}

// addUser adds a user with the password on standard input.
func addUser(ctx context.Context, t terminal) error {
	var user staff.NewUser
	var role, shop string
	t.flags.StringVar(&user.Username, "username", "", "the name to sign in with")
	t.flags.StringVar(&user.DisplayName, "name", "", "the name on screens and receipts; the username if empty")
	t.flags.StringVar(&role, "role", "", "cashier, supervisor, manager, finance, auditor or admin")
	t.flags.StringVar(&shop, "shop", "", "name or id of the shop; finance, auditor and admin see all")
	t.flags.StringVar(&user.Locale, "locale", "", "language, like en-IE")
	if err := t.parse(); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *app.Books) error {
		var err error
		if user.Role = staff.Role(role); shop != "" {
			user.ShopID, err = shopNamed(ctx, b, shop)
		}
		if !user.Role.InShop() {
			user.ShopID = "" // such a role sees every shop
		}
		if err == nil {
			err = user.Check()
		}
		if err == nil {
			user.Password, err = t.readPassword()
		}
		if err != nil {
			return err
		}
		added, err := b.Staff.CreateUser(ctx, t.by(), user)
		if err == nil {
			_, err = fmt.Fprintf(t.out, "added %s %s: %s\n", added.Role, added.Username, added.ID)
		}
		return err
	})
}

// shopNamed finds a shop by name or id.
func shopNamed(ctx context.Context, b *app.Books, named string) (string, error) {
	shops, err := b.Staff.Shops(ctx)
	if err != nil {
		return "", err
	}
	for _, shop := range shops {
		if shop.Name == named || shop.ID == named {
			return shop.ID, nil
		}
	}
	return "", fault.OnField("shop", "shop.unknown-name", named)
}

// maxPasswordLine is longer than any allowed password.
const maxPasswordLine = 4 << 10

// readPassword and readLine read the first line of standard input.
func (t terminal) readPassword() (string, error) { return t.readLine("password") }

func (t terminal) readLine(what string) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(t.in, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the %s: %w", what, err)
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", fmt.Errorf("no %s on standard input; write it in one line", what)
	}
	return line, nil
}

// withBooks runs a command on an up-to-date database.
func withBooks(ctx context.Context, t terminal, work func(*app.Books) error) error {
	b, err := openBooks(ctx, t)
	if err != nil {
		return err
	}
	err = b.UpToDate(ctx)
	if err == nil {
		err = work(b)
	}
	return errors.Join(err, b.Close())
}

// openBooks opens the database named by the environment, migrated or not.
func openBooks(ctx context.Context, t terminal) (*app.Books, error) {
	c, err := t.config(config.checkDatabase)
	if err != nil {
		return nil, err
	}
	b, err := app.OpenBooks(ctx, c.deps(newLog(t.err, c.LogLevel)))
	if err == nil {
		b.Board.OnSign(func(w jobs.Work) { tellWork(t.err, w) })
	}
	return b, err
}

// tellWork writes a line of progress, to the log, since the output is the command's own.
func tellWork(out io.Writer, w jobs.Work) {
	far := strconv.FormatInt(w.Done, 10)
	if w.Total > 0 {
		far += " of " + strconv.FormatInt(w.Total, 10)
	}
	fmt.Fprintf(out, "%s: %s %s\n", w.Kind, far, w.Detail)
}

// deps are what the rooms need from this program.
func (c config) deps(log *slog.Logger) app.Deps {
	return app.Deps{Config: c.Config, Log: log, Now: now}
}

// now is the one clock of this program.
func now() time.Time { return failpoint.Now() }
