package counter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/counter/countertest"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func (w *world) biller() (*catalog.Product, string) {
	w.t.Helper()
	on, account := w.Catalog.Current(), ""
	p := w.find(func(p *catalog.Product) bool {
		provider, _ := on.Provider(p.Provider)
		for length := 6; length < 16 && p.LookupBillsRequired && len(p.Settings) > 0 && p.Settings[0].Mandatory; length++ {
			if account = "1234567890123456"[:length]; on.Accepts(provider, account) == catalog.Matches {
				return true
			}
		}
		return false
	})
	return p, account
}

func TestWhatIsNotAnsweredIsNotSold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p, account := w.biller()
	name := p.Settings[0].Name
	ask := countertest.Ask(w.seller, p, account)
	ask.Confirmed = false
	q, err := w.Counter.Preview(t.Context(), ask, "")
	require.NoError(t, err)
	require.False(t, q.Ready())
	require.Empty(t, q.SettingProblems, "nothing was asked yet, so nothing is missing")
	require.False(t, q.BillsAsked, "the settings come first")
	ask.Confirmed = true
	for what, value := range map[string]string{"nothing": "", "too long": strings.Repeat("x", 201), "control": "a\x00b"} {
		ask.Settings = []counter.Setting{{Name: name, Value: value}, {Name: "Discount", Value: "100%"}}
		q := w.quote(ask)
		require.Error(t, q.SettingProblems[name], what)
		require.False(t, q.Right())
		_, err := q.Offer(counter.Confirmation{})
		require.Equal(t, fault.Invalid, fault.KindOf(err), what)
	}
	w.unsold()
}

func TestABillIsPaidAsItWasFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		p, account := w.biller()
		name := p.Settings[0].Name
		ask := countertest.Ask(w.seller, p, account)
		var q *counter.Quote
		for _, holder := range []string{"M. Popescu", "A. Byrne", "J. Okafor", "L. Silva"} {
			ask.Settings = []counter.Setting{{Name: name, Value: holder}, {Name: "Discount", Value: "100%"}}
			var err error
			q, err = w.Counter.Preview(t.Context(), ask, "")
			require.NoError(t, err)
			require.True(t, q.BillsAsked)
			if len(q.Bills) > 0 {
				break
			}
		}
		require.NotEmpty(t, q.Bills, "nobody owes anything")
		_, err := q.Offer(counter.Confirmation{})
		require.ErrorIs(t, err, counter.ErrNoBill, "none was chosen")

		bill := q.Bills[0]
		ask.Bill = bill.ID
		q = w.quote(ask)
		require.True(t, q.Ready())
		require.Equal(t, bill.Pay, q.Terms.Price, "in full")
		require.Equal(t, bill.Ref, q.Terms.BillRef)
		require.Len(t, q.Terms.Settings, 1, "nothing else that a form may hold")

		for what, spoil := range map[string]func(*counter.Ask){
			"another holder": func(a *counter.Ask) { a.Settings = []counter.Setting{{Name: name, Value: "E. Mallory"}} },
			"a made-up bill": func(a *counter.Ask) { a.Bill = "BL0011223344556677" },
		} {
			other := ask
			spoil(&other)
			void := w.quote(other)
			require.True(t, void.BillVoid, what)
			require.Empty(t, void.Bills, "they are looked up for a page")
			_, err := void.Offer(counter.Confirmation{})
			require.ErrorIs(t, err, counter.ErrNoBill, what)
		}
		sale, err := w.sell(q)
		require.NoError(t, err)
		require.Equal(t, bill.Ref, sale.BillRef)
		w.Counter.Spend(t.Context(), q)
		require.True(t, w.quote(ask).BillVoid, "it is being paid")
	})
}

func TestBillsThatCannotBeLookedUpAreAProblemOfThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	p, account := w.biller()
	ask := countertest.Ask(w.seller, p, account)
	ask.Settings = []counter.Setting{{Name: p.Settings[0].Name, Value: "M. Popescu"}}
	w.fault(`{"match":{"endpoint":"LookupBills"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
	q, err := w.Counter.Preview(t.Context(), ask, "")
	require.NoError(t, err)
	require.Equal(t, "number", fault.FieldOf(q.BillProblem))
	require.False(t, q.BillsAsked)
	require.False(t, q.Ready())
}

func TestSettingsOfTheLastSaleAreRecalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	on, account := w.Catalog.Current(), ""
	p := w.find(func(p *catalog.Product) bool {
		provider, _ := on.Provider(p.Provider)
		asks := p.Instant() && !p.LookupBillsRequired && len(p.Settings) > 0 && p.Addressed() && !p.Settings[0].Secret() && p.Settings[0].Rule().Kind == catalog.NoRule
		for length := 6; length < 16 && asks; length++ {
			if account = "1234567890123456"[:length]; on.Accepts(provider, account) == catalog.Matches {
				return true
			}
		}
		return false
	})
	ask := countertest.Ask(w.seller, p, account)
	for _, d := range p.Settings {
		ask.Settings = append(ask.Settings, counter.Setting{Name: d.Name, Value: "12345678"})
	}
	q := w.quote(ask)
	require.True(t, q.Ready(), "%v", q.SettingProblems)
	sale, err := w.sell(q)
	require.NoError(t, err)
	w.Sales.Dispatch(sale)
	require.Eventually(t, func() bool {
		now, err := w.Sales.Get(t.Context(), sale.ID, "")
		return err == nil && now.Fulfilment == sales.Complete
	}, time.Minute, 20*time.Millisecond)
	ask.Settings = nil
	again, err := w.Counter.Preview(t.Context(), ask, "")
	require.NoError(t, err)
	require.Equal(t, "12345678", again.Ask.Setting(p.Settings[0].Name))
	require.Empty(t, w.quote(ask).Ask.Settings, "a form says all itself")
}
