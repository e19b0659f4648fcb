package main

import (
	"context"
	"flag"
	"fmt"

	"airtill/internal/audit"
	"airtill/internal/sales"
)

// rewrap seals everything under the first key of VAULT_KEY_FILE.
func rewrap(ctx context.Context, t terminal, args []string) error {
	if err := t.parse(flag.NewFlagSet("vault rewrap", flag.ContinueOnError), args); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *books) error {
		key, err := b.config.vaultKey()
		if err != nil {
			return err
		}
		vault, err := sales.NewVault(key)
		if err != nil {
			return err
		}
		service := sales.New(sales.Deps{DB: b.db, Ledger: b.ledger, Vault: vault, Audit: b.audit, Now: now, Log: b.log})
		count, err := service.Rewrap(ctx, audit.Command("web vault rewrap"))
		if err == nil {
			_, err = fmt.Fprintf(t.out, "%d receipts and webhooks are sealed under the first key now; older keys can be removed from the file\n", count)
		}
		return err
	})
}
