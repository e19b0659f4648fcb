package app

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// TestWhatCustomersReadIsWanted: a sale in a language without messages has its texts
// fetched, one in a language that is fetched anyway writes nothing.
func TestWhatCustomersReadIsWanted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, err := OpenBooks(t.Context(), Deps{
			Config: Config{
				UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key",
				ListenAddr: "127.0.0.1:0", PublicURL: "http://127.0.0.1:8080",
			},
			DB: db, VaultKey: vault.NewKey(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		require.NoError(t, err)
		a, err := New(t.Context(), b)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		for _, language := range []string{"en", "fr", "ru", "ru"} {
			var sold sales.Sale
			sold.AccountNumber = apiclient.DefaultPINAccountNumber
			sold.Language = language
			require.NoError(t, a.remember(t.Context(), []sales.Sale{sold}))
		}
		wanted, err := store.All[string](db.Read(t.Context()).Raw("SELECT language FROM wanted_languages"))
		require.NoError(t, err)
		require.Equal(t, []string{"ru"}, wanted)
	})
}
