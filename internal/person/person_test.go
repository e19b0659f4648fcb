package person_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// bought is a world in which a number has bought, by a reply and by a webhook, stands in
// a book and is remembered, and another has bought too.
func bought(t *testing.T, db *store.DB) (w *apptest.World, mine, other sales.Sale) {
	t.Helper()
	w = apptest.New(t, db)
	w.Fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"receipt","text":"Thank you"}}`) // some sales have none
	offer := w.TopUp()
	mine = w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
	press := apptest.Order("2", offer)
	press.AccountNumber = "353879999999"
	other = w.Becomes(w.Sell(press, offer).ID, sales.Complete, false)
	w.Rest()
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		shop := "INSERT INTO shops (id, name, zone, country, currency, address, tax_id, created_at) VALUES (?, ?, ?, ?, ?, '', '', ?)"
		return tx.Exec(shop, mine.ShopID, "Main Street", "Europe/Dublin", "IE", "EUR", w.Now()).Error
	}))
	for _, sale := range []sales.Sale{mine, other} {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.ExecLast(t.Context(), w.Customers.Remembered(sale.ShopID, sale.AccountNumber, sale.ID))
		}))
		require.NoError(t, w.Customers.Write(t.Context(), sale.ShopID, "Ama of "+sale.AccountNumber, sale.AccountNumber))
		require.NoError(t, w.Catalog.Remember(t.Context(), sale.AccountNumber, sale.ProviderCode, "sale"))
	}
	return w, mine, other
}

// TestANumberIsErasedFromEveryTable looks for it in every row of every table, in the forms
// and hashes in which it was there before.
func TestANumberIsErasedFromEveryTable(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, mine, other := bought(t, db)
		found, err := w.Persons.Find(t.Context(), "087 123 4567")
		require.NoError(t, err)
		require.Len(t, found.Sales, 1)
		require.Len(t, found.Book, 1)
		require.Len(t, found.Operators, 1)
		require.True(t, found.Sales[0].Receipt)
		traces := []string{mine.AccountNumber, mine.ParamsHash, "Ama of " + mine.AccountNumber, w.Get(mine.ID).SealedReceipt}
		for _, trace := range traces {
			require.True(t, stands(t, db, trace), "%s was there", trace)
		}

		_, err = w.Persons.Erase(t.Context(), audit.Command("test"), "+353 87 123 4567", "letter of 3 March")
		require.NoError(t, err)
		for _, trace := range traces {
			require.False(t, stands(t, db, trace), "%s is still there", trace)
		}
		for _, typed := range []string{mine.AccountNumber, "0871234567"} {
			found, err = w.Persons.Find(t.Context(), typed)
			require.NoError(t, err)
			require.True(t, found.Empty())
		}
		found, err = w.Persons.Find(t.Context(), other.AccountNumber)
		require.NoError(t, err)
		require.Len(t, found.Sales, 1, "another's stay")
		require.Len(t, found.Book, 1)
		require.Len(t, found.Operators, 1)

		// The books hold, and the upstream's list of the sale neither brings the number
		// back nor is taken for another's.
		sale := w.Get(mine.ID)
		require.True(t, sale.Erased())
		require.Equal(t, mine.Price(), sale.Price())
		w.AtRest()
		w.Pass(time.Hour)
		look, err := w.Reconcile.LookAtRecords(t.Context(), "", false)
		require.NoError(t, err)
		require.Equal(t, 2, look.Matched)
		require.Zero(t, look.Found)
		require.Empty(t, w.Incidents())
		require.False(t, stands(t, db, mine.AccountNumber))
		broken, err := w.Audit.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, broken)
	})
}

// TestAWebhookBringsNoErasedNumberBack: the upstream may tell of a sale long after its end.
func TestAWebhookBringsNoErasedNumberBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, mine, other := bought(t, db)
		_, err := w.Persons.Erase(t.Context(), audit.Command("test"), "+"+mine.AccountNumber, "letter of 3 March")
		require.NoError(t, err)
		for _, sale := range []sales.Sale{mine, other} {
			answer, err := w.Client.ListTransferRecords(t.Context(), apiclient.ListTransferRecordsRequest{DistributorRef: sale.Ref, Take: 1})
			require.NoError(t, err)
			n := &apiclient.Notification{SignedAt: w.Now(), Digest: strings.Repeat(sale.ID, 3)[:64]}
			n.Response.TransferRecord = &answer.Items[0].TransferRecord
			n.Body, err = json.Marshal(n.Response)
			require.NoError(t, err)
			require.Contains(t, string(n.Body), sale.AccountNumber)
			verdict, err := w.Sales.Notify(t.Context(), n)
			require.NoError(t, err)
			require.Equal(t, sales.Applied, verdict)
		}
		bodies, err := store.Pairs[string, string](db.Read(t.Context()).Raw("SELECT sale_id, sealed_body FROM webhooks"))
		require.NoError(t, err)
		require.Len(t, bodies, 2)
		require.Empty(t, bodies[mine.ID])
		require.NotEmpty(t, bodies[other.ID], "another's stays")
		require.Empty(t, w.Incidents())
		w.AtRest()
	})
}

// TestALookUpUnderWayBringsNothingErasedBack: the sweep reads a sale, asks the upstream, and somebody erases meanwhile.
func TestALookUpUnderWayBringsNothingErasedBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, mine, _ := bought(t, db)
		answer, err := w.Client.ListTransferRecords(t.Context(), apiclient.ListTransferRecordsRequest{DistributorRef: mine.Ref, Take: 1})
		require.NoError(t, err)
		record := &answer.Items[0].TransferRecord
		record.ReceiptText, record.ReceiptParams = "For "+mine.AccountNumber, apiclient.Params{"pin": "1234-5678"}
		_, err = w.Persons.Erase(t.Context(), audit.Command("test"), "+"+mine.AccountNumber, "letter of 3 March")
		require.NoError(t, err)
		after, err := w.Sales.ObserveListed(t.Context(), mine, answer.Items)
		require.NoError(t, err)
		require.True(t, after.Erased())
		require.Empty(t, w.Get(mine.ID).SealedReceipt+w.Get(mine.ID).PINHint)
		require.Empty(t, w.Incidents())
	})
}

func TestWhatStillNeedsItsNumberIsNotErased(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apptest.New(t, db)
		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
		refused := func(typed, reason, code string) {
			t.Helper()
			_, err := w.Persons.Erase(t.Context(), audit.Command("test"), typed, reason)
			require.Error(t, err)
			require.Equal(t, code, codeOf(err))
		}
		refused("+"+sale.AccountNumber, "letter", "customer.unsettled")
		refused("+"+sale.AccountNumber, " ", "customer.erasure-reason")
		refused("+353871111111", "letter", "customer.nothing-stored")
		refused("0000000000", "letter", "customer.nobodys")
		refused("12", "letter", "number.too-short")
		require.Equal(t, sale.AccountNumber, w.Get(sale.ID).AccountNumber)
		for _, open := range []sales.Sale{
			{Fulfilment: sales.Unknown, Cash: sales.CashRefunded},
			{Fulfilment: sales.Failed, Cash: sales.CashRefundDue},
			{Fulfilment: sales.Failed, Cash: sales.CashTaken},
		} {
			require.NoError(t, db.Exec(t.Context(), "UPDATE sales SET fulfilment = ?, cash = ? WHERE id = ?", open.Fulfilment, open.Cash, sale.ID))
			refused("+"+sale.AccountNumber, "letter", "customer.unsettled")
		}
	})
}

func TestErasingTakesTwoPeopleWhoTypeTheSameNumber(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, mine, other := bought(t, db)
		now := w.Now()
		nora := audit.Actor{UserID: "nora", Name: "nora", Role: "admin", SignedInAt: now}
		liam := audit.Actor{UserID: "liam", Name: "liam", Role: "admin", SignedInAt: now}
		stale := liam
		stale.SignedInAt = now.Add(-time.Hour)
		people := w.Persons
		require.NoError(t, people.Propose(t.Context(), nora, "+"+mine.AccountNumber, "letter of 3 March"))
		require.Equal(t, fault.Conflict, fault.KindOf(people.Propose(t.Context(), liam, "0871234567", "once more")))
		waiting, err := people.Waiting(t.Context())
		require.NoError(t, err)
		require.Len(t, waiting, 1)
		require.NotContains(t, fmt.Sprint(waiting), mine.AccountNumber)
		id := waiting[0].ID
		for name, c := range map[string]struct {
			by    audit.Actor
			typed string
			kind  fault.Kind
		}{
			"who proposed it":        {nora, "+" + mine.AccountNumber, fault.Forbidden},
			"signed in an hour ago":  {stale, "+" + mine.AccountNumber, fault.Forbidden},
			"another number":         {liam, "+" + other.AccountNumber, fault.Invalid},
			"a number of nobody":     {liam, "+353871111111", fault.Invalid},
			"nothing that is stored": {liam, "", fault.Invalid},
		} {
			require.Equal(t, c.kind, fault.KindOf(people.Confirm(t.Context(), c.by, id, c.typed)), name)
			require.Equal(t, mine.AccountNumber, w.Get(mine.ID).AccountNumber, name)
		}
		require.NoError(t, people.Propose(t.Context(), nora, "+"+other.AccountNumber, "letter"))
		require.NoError(t, people.Confirm(t.Context(), liam, id, "087 123 4567"))
		require.True(t, func() bool { s := w.Get(mine.ID); return s.Erased() }())
		require.Equal(t, fault.Conflict, fault.KindOf(people.Confirm(t.Context(), liam, id, "087 123 4567")), "once")

		require.Equal(t, "customer.erasure-reason", codeOf(people.Propose(t.Context(), nora, "+"+other.AccountNumber, " ")))
		waiting, err = people.Waiting(t.Context())
		require.NoError(t, err)
		require.Len(t, waiting, 1, "the other's")
		require.NoError(t, people.Decline(t.Context(), nora, waiting[0].ID))
		require.Equal(t, other.AccountNumber, w.Get(other.ID).AccountNumber)
		for act, times := range map[audit.Act]int{
			audit.CustomerErasureProposed: 2, audit.CustomerErasureDeclined: 1, audit.CustomerErased: 1,
		} {
			told, err := w.Audit.List(t.Context(), audit.Filter{Act: act})
			require.NoError(t, err)
			require.Len(t, told, times, act)
		}
	})
}

// TestOneNumberIsOneHoweverTwoPeopleWriteIt: but not where something is stored under what only one of them typed.
func TestOneNumberIsOneHoweverTwoPeopleWriteIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, mine, other := bought(t, db)
		now := w.Now()
		nora := audit.Actor{UserID: "nora", Name: "nora", Role: "admin", SignedInAt: now}
		liam := audit.Actor{UserID: "liam", Name: "liam", Role: "admin", SignedInAt: now}
		ways := []string{"087-123-4567", "00353 87 123 4567", "+353 (0)87 123 4567", "0871234567", "+353-87-123-4567"}
		for _, one := range ways {
			require.NoError(t, w.Persons.Propose(t.Context(), nora, one, "letter of 3 March"), one)
			for _, another := range ways {
				require.Equal(t, "staff.waiting", codeOf(w.Persons.Propose(t.Context(), liam, another, "once more")), "%s, %s", one, another)
			}
			waiting, err := w.Persons.Waiting(t.Context())
			require.NoError(t, err)
			require.NoError(t, w.Persons.Decline(t.Context(), liam, waiting[0].ID))
		}

		// A provider may know it with its hyphens.
		require.NoError(t, db.Exec(t.Context(), "UPDATE sales SET account_number = '087-999-9999' WHERE id = ?", other.ID))
		require.NoError(t, w.Persons.Propose(t.Context(), nora, "087-999-9999", "letter"))
		waiting, err := w.Persons.Waiting(t.Context())
		require.NoError(t, err)
		require.Equal(t, "customer.other-number", codeOf(w.Persons.Confirm(t.Context(), liam, waiting[0].ID, "0879999999")))
		require.NoError(t, w.Persons.Confirm(t.Context(), liam, waiting[0].ID, "087-999-9999"))
		require.Equal(t, sales.Erased, w.Get(other.ID).AccountNumber)

		require.NoError(t, w.Persons.Propose(t.Context(), nora, "087-123-4567", "letter"))
		waiting, err = w.Persons.Waiting(t.Context())
		require.NoError(t, err)
		require.NoError(t, w.Persons.Confirm(t.Context(), liam, waiting[0].ID, "00353871234567"))
		require.Equal(t, sales.Erased, w.Get(mine.ID).AccountNumber)
	})
}

func TestANumberOfTwoCountriesMustHaveItsPrefix(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, _, _ := bought(t, db)
		_, _, err := w.Staff.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{
			Name: "Accra", Zone: "Africa/Accra", Country: "GH", Currency: "GHS", Tills: 1,
		})
		require.NoError(t, err)
		_, err = w.Persons.Find(t.Context(), "0241234567") // a mobile there; no number of Ireland's
		require.NoError(t, err)
		_, _, err = w.Staff.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{
			Name: "London", Zone: "Europe/London", Country: "GB", Currency: "GBP", Tills: 1,
		})
		require.NoError(t, err)
		_, err = w.Persons.Find(t.Context(), "02081234567")
		require.NoError(t, err)
		_, _, err = w.Staff.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{
			Name: "Berlin", Zone: "Europe/Berlin", Country: "DE", Currency: "EUR", Tills: 1,
		})
		require.NoError(t, err)
		_, err = w.Persons.Find(t.Context(), "02081234567")
		require.Equal(t, "customer.which-country", codeOf(err), "London's or Oberhausen's")
		_, err = w.Persons.Find(t.Context(), "+442081234567")
		require.NoError(t, err)
	})
}

func codeOf(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}

// stands says whether a text is anywhere in the database.
func stands(t *testing.T, db *store.DB, text string) bool {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if db.Dialect() == store.Postgres {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	}
	var tables []string
	require.NoError(t, db.Read(t.Context()).Raw(query).Scan(&tables).Error)
	require.Contains(t, tables, "customer_numbers")
	for _, table := range tables {
		var rows []map[string]any
		require.NoError(t, db.Read(t.Context()).Table(table).Find(&rows).Error)
		for _, row := range rows {
			for _, value := range row {
				if raw, ok := value.([]byte); ok {
					value = string(raw)
				}
				if strings.Contains(fmt.Sprint(value), text) {
					return true
				}
			}
		}
	}
	return false
}

// TestANumberThatWasOnlyLookedUpIsStoredToo, by its hash, until the answer is forgotten.
func TestANumberThatWasOnlyLookedUpIsStoredToo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, mine, _ := bought(t, db)
		looked := func(number string) {
			require.NoError(t, w.Catalog.Remember(t.Context(), number, "two", "lookup"))
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return errors.Join(
					tx.Exec("INSERT INTO number_lookups (number_hash, country, items, asked_at) "+
						"SELECT number_hash, 'IE', '[]', seen_at FROM number_operators WHERE provider = 'two'").Error,
					tx.Exec("DELETE FROM number_operators WHERE provider = 'two'").Error,
				)
			}))
		}
		looked(mine.AccountNumber)
		looked("353876666666")
		known, err := w.Persons.Find(t.Context(), mine.AccountNumber)
		require.NoError(t, err)
		require.Len(t, known.Operators, 1, "whose number it is says it all")
		found, err := w.Persons.Find(t.Context(), "087 666 6666")
		require.NoError(t, err)
		require.False(t, found.Empty())
		require.Len(t, found.Operators, 1)
		require.Empty(t, found.Operators[0].Provider)
		require.Equal(t, "lookup", found.Operators[0].Source)
		_, err = w.Persons.Erase(t.Context(), audit.Actor{Name: "web person erase"}, "087 666 6666", "their letter")
		require.NoError(t, err)
		found, err = w.Persons.Find(t.Context(), "087 666 6666")
		require.NoError(t, err)
		require.True(t, found.Empty())
	})
}
