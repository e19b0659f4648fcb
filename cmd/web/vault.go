package main

import (
	"context"
	"errors"
	"fmt"

	"airtill/internal/app"
	"airtill/internal/sales"
	"airtill/internal/vault"
)

// rotateVault seals everything under the first key of VAULT_KEY_FILE.
func rotateVault(ctx context.Context, t terminal) error {
	return withBooks(ctx, t, func(b *app.Books) error {
		key, err := b.Config.VaultKey()
		if err != nil {
			return err
		}
		vault, err := vault.New(key)
		if err != nil {
			return err
		}
		service := sales.New(sales.Deps{DB: b.DB, Vault: vault, Audit: b.Audit, Now: now, Log: b.Log})
		count, err := service.Rotate(ctx, t.by(), func(done int) {
			fmt.Fprintf(t.err, "%d are sealed under the first key now\n", done)
		})
		secrets := 0
		if err == nil {
			secrets, err = b.Staff.RewrapSecrets(ctx, vault.Rewrap)
		}
		if err == nil {
			err = forgetHashed(ctx, b)
		}
		if err == nil {
			_, err = fmt.Fprintf(
				t.out,
				"%d receipts, webhooks and authenticators are sealed under the first key now; older keys can be "+
					"removed from the file\n",
				count+secrets,
			)
		}
		return err
	})
}

func forgetHashed(ctx context.Context, b *app.Books) error {
	people, err := b.CustomersData()
	if err == nil {
		err = people.ForgetHashed(ctx)
	}
	return err
}

// rewrapIsRotate tells a command's new name.
func rewrapIsRotate(context.Context, terminal) error {
	return errors.New("this is called web vault rotate now")
}
