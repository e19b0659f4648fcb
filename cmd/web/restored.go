package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/redis/go-redis/v9"

	"airtill/internal/audit"
	"airtill/internal/restore"
)

// restored makes a database that was restored from backup safe to sell with.
func restored(ctx context.Context, t terminal, args []string) error {
	if err := t.parse(flag.NewFlagSet("restored", flag.ContinueOnError), args); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *books) error {
		if err := b.config.checkServe(); err != nil {
			return err
		}
		s, err := newShop(ctx, b)
		if err != nil {
			return err
		}
		report, err := s.restore.Restored(ctx, audit.Command("web restored"))
		if err == nil {
			err = printRestored(t.out, report)
		}
		return errors.Join(err, s.close())
	})
}

// newRestore returns what watches over the age of the database, with a mark
// wherever one can be kept.
func (s *shop) newRestore() *restore.Service {
	return restore.New(restore.Deps{DB: s.db, Client: s.client, Sales: s.sales, Audit: s.audit, Marks: s.config.marks(s.redis), Log: s.log, Now: now})
}

// marks are kept in Redis, and beside a SQLite file. PostgreSQL without Redis is
// a single process: its mark stands beside the vault's key.
func (c config) marks(client *redis.Client) []restore.Mark {
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

func printRestored(out io.Writer, r restore.Report) error {
	fmt.Fprintf(out, "the installation code is now %s\n", r.Code)
	for _, sale := range r.Voided {
		fmt.Fprintf(out, "voided: receipt %s, cash due back %s\n", sale.Code, sale.Price())
	}
	for _, sale := range r.Found {
		fmt.Fprintf(out, "was sent in the time that is lost: receipt %s, now %s\n", sale.Code, sale.Fulfilment)
	}
	for _, ref := range r.Strays {
		fmt.Fprintf(out, "sent in the time that is lost, unknown here: %s\n", ref)
	}
	_, err := fmt.Fprintln(out, "the till may sell again; count the drawers, and settle what the upstream has and the books do not")
	return err
}
