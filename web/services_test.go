package web

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/till"
	"airtill/internal/vault"
)

// vaultKey is of all tills here, so that one opens what another wrote.
var vaultKey = vault.NewKey()

// build makes the rooms as the program does, until the test ends.
func (b *bench) build(c app.Config, log *slog.Logger) *app.App {
	t := b.t
	t.Helper()
	if c.SecondFactor == "" {
		c.SecondFactor = app.SecondOptional // most tests are of something else
	}
	c.UpstreamAuthURL, c.AlertWebhookURL = c.UpstreamBaseURL, "http://127.0.0.1:1"
	c.PublicURL = cmp.Or(c.PublicURL, "http://127.0.0.1:8080")
	books, err := app.OpenBooks(t.Context(), app.Deps{
		Config: c, DB: b.db, Log: log, Now: b.clock, Process: "test", VaultKey: vaultKey,
		Hashing: stafftest.Hashing(),
	})
	require.NoError(t, err)
	b.staff = books.Staff
	a, err := app.New(t.Context(), books)
	require.NoError(t, err)
	storetest.AtEnd(t, a, func(a *app.App) {
		require.NoError(t, a.Sales.Drain(context.WithoutCancel(t.Context())))
		require.NoError(t, a.Close())
	})
	return a
}

// openShift opens a shift of the cashier at the first till, with 100.00 in the drawer.
func (b *bench) openShift(a *app.App) {
	b.t.Helper()
	_, err := a.Till.Open(b.t.Context(), till.Opening{
		Actor: audit.Actor{UserID: b.users[staff.Cashier].ID}, ShopID: b.shop.ID, TillID: b.tills[0].ID,
		Float: till.Counted(money.Of(100_000_000, "EUR")),
	})
	require.NoError(b.t, err)
}
