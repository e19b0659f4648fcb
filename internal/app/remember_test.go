package app

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// offline is the till without an upstream that answers.
func offline(t *testing.T, db *store.DB) *App {
	t.Helper()
	return offlineUnder(t, db, vault.NewKey())
}

// offlineUnder is offline with a file of vault keys.
func offlineUnder(t *testing.T, db *store.DB, keys string) *App {
	t.Helper()
	b, err := OpenBooks(t.Context(), Deps{
		Config: Config{
			UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key",
			ListenAddr: "127.0.0.1:0", PublicURL: "http://127.0.0.1:8080",
		},
		DB: db, VaultKey: keys, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	a, err := New(t.Context(), b)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// TestWhatCustomersReadIsWanted: a sale in a language without messages has its texts
// fetched, one in a language that is fetched anyway writes nothing.
func TestWhatCustomersReadIsWanted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		a := offline(t, db)
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

// TestNobodysNumberIsWrittenDown: a voucher's, and what stands for one that its owner had erased, whose sale may still
// turn out to have gone through.
func TestNobodysNumberIsWrittenDown(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		a := offline(t, db)
		shop, _, err := a.Staff.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: "Shop", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		var all []sales.Sale
		for _, account := range []string{apiclient.DefaultPINAccountNumber, sales.Erased, "353871234567"} {
			sold := sales.Sale{ID: "sale", ShopID: shop.ID, Language: "en"}
			sold.AccountNumber, sold.ProviderCode = account, "P1"
			all = append(all, sold)
		}
		require.NoError(t, a.remember(t.Context(), all))
		book, err := store.All[string](db.Read(t.Context()).Raw("SELECT account_number FROM customer_numbers"))
		require.NoError(t, err)
		require.Equal(t, []string{"353871234567"}, book)
		var operators int64
		require.NoError(t, db.Read(t.Context()).Table("number_operators").Count(&operators).Error)
		require.EqualValues(t, 1, operators)
	})
}

// TestAStopRemembersWhoWasSoldToLast: the customer of a sale that was sent as a process stopped is in the book.
func TestAStopRemembersWhoWasSoldToLast(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		a := offline(t, db)
		shop, _, err := a.Staff.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: "Shop", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		require.NoError(t, a.Start(t.Context()))
		sold := sales.Sale{ID: "sale", ShopID: shop.ID, Language: "en"}
		sold.AccountNumber, sold.ProviderCode, sold.SendCurrency = "353871234567", "P1", "EUR"
		a.hearSold(sold)
		require.NoError(t, a.Stop(t.Context()))
		book, err := store.All[string](db.Read(t.Context()).Raw("SELECT account_number FROM customer_numbers"))
		require.NoError(t, err)
		require.Equal(t, []string{"353871234567"}, book)
	})
}

// What is remembered of numbers under a key stays known, and so can be erased, whatever else is in the file.
func TestNumbersStayKnownWhenAnOlderKeyLeavesTheFile(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		key, older := vault.NewKey(), strings.Replace(vault.NewKey(), "k1", "k0", 1)
		a := offlineUnder(t, db, key+older)
		require.NoError(t, a.Catalog.Remember(t.Context(), "353871234567", "ZEIE", catalog.SourceSale))
		for _, file := range []string{key + older, key, "# since March\n" + key, strings.TrimSpace(key)} {
			people, err := offlineUnder(t, db, file).CustomersData()
			require.NoError(t, err)
			found, err := people.Find(t.Context(), "+353871234567")
			require.NoError(t, err)
			require.Len(t, found.Operators, 1, file)
		}
	})
}

// TestTheFloatIsFoldedAsSalesComplete: a sale sums few postings, however many there were since the last run of the
// job that folds all accounts.
func TestTheFloatIsFoldedAsSalesComplete(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		book := ledger.New(ledger.Deps{DB: db})
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return ledger.Post(t.Context(), tx, ledger.Entry{
				Key: "first", At: time.Now(), Journal: ledger.OpeningBalance(money.MustParse("100", "EUR")),
			})
		}))
		a := &App{Books: &Books{DB: db, Ledger: book}}
		var sold sales.Sale
		sold.SendCurrency = "EUR"
		unfolded := map[money.Currency]int{}
		checkpoints := func() (n int64) {
			require.NoError(t, db.Read(t.Context()).Table("ledger_checkpoints").Count(&n).Error)
			return n
		}
		for range foldAfter - 1 {
			require.NoError(t, a.foldFloat(t.Context(), []sales.Sale{sold}, unfolded))
		}
		require.Zero(t, checkpoints())
		require.NoError(t, a.foldFloat(t.Context(), []sales.Sale{sold}, unfolded))
		require.EqualValues(t, 1, checkpoints())
		require.Zero(t, unfolded["EUR"], "it counts anew")
	})
}
