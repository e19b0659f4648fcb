package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"airtill/internal/app"
	"airtill/internal/restore"
)

// restored makes a database restored from backup safe to sell with.
func restored(ctx context.Context, t terminal) error {
	return withBooks(ctx, t, func(b *app.Books) error {
		if err := (config{Config: b.Config}).checkServe(); err != nil {
			return err
		}
		if err := b.Audit.KeysFit(ctx); err != nil {
			return err
		}
		a, err := app.New(ctx, b)
		if err != nil {
			return err
		}
		report, err := a.Restore.Restored(ctx, t.by())
		if err == nil {
			err = printRestored(t.out, report)
		}
		return errors.Join(err, a.Close())
	})
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
	_, err := fmt.Fprintln(
		out, "the till may sell again; count the drawers, and settle what the upstream has and the books do not",
	)
	return err
}
