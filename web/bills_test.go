package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// biller returns an instant bill product with a mandatory setting, and two
// account numbers that its provider may know.
func (b *bench) biller() (p *catalog.Product, account, other string) {
	b.t.Helper()
	snapshot := b.server.D.Catalog.Current()
	for p := range snapshot.AllProducts() {
		provider, _ := snapshot.Provider(p.Provider)
		if !p.LookupBillsRequired || !p.Instant() || p.Unsellable != "" || len(p.Settings) == 0 || !p.Settings[0].Mandatory || !snapshot.ProviderUp(p.Provider) {
			continue
		}
		for length := 6; length < 16; length++ {
			account, other := "1234567890123456"[:length], "2345678901234567"[:length]
			if snapshot.Accepts(provider, account) == catalog.Matches && snapshot.Accepts(provider, other) == catalog.Matches {
				return p, account, other
			}
		}
	}
	b.t.Fatal("no bill product")
	return nil, "", ""
}

// billForm is the address of the bill product, with what is settled more.
func billForm(p *catalog.Product, number string, more ...string) string {
	query := url.Values{"number": {number}, "provider": {p.Provider}, "sku": {p.SKU}}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return "/counter?" + query.Encode()
}

// bills are the cards of a page, with the id that each one posts.
func (a answer) bills(t testing.TB) []string {
	t.Helper()
	return a.page(t).Find("button[name=bill]").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") })
}

// owing finds a customer of a bill product who owes something.
func (w *browser) owing(p *catalog.Product, billed string) (holder string, found answer) {
	w.b.t.Helper()
	for _, name := range []string{"M. Popescu", "A. Byrne", "J. Okafor", "L. Silva"} {
		found = w.get(billForm(p, billed, "setting."+p.Settings[0].Name, name, "step", "confirm"))
		if len(found.bills(w.b.t)) > 0 {
			require.Equal(w.b.t, http.StatusOK, found.StatusCode)
			return name, found
		}
	}
	w.b.t.Fatal("nobody owes anything: " + found.page(w.b.t).Text())
	return "", found
}

func TestABillIsLookedUpChosenAndPaid(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		p, billed, _ := b.biller()
		asks := w.get(billForm(p, billed))
		require.Equal(t, http.StatusOK, asks.StatusCode)
		require.Equal(t, 1, asks.page(t).Find(`input[name="setting.`+p.Settings[0].Name+`"]`).Length())
		require.Empty(t, asks.bills(t), "the settings come first")
		require.Equal(t, http.StatusUnprocessableEntity, w.get(billForm(p, billed, "step", "confirm")).StatusCode, "a mandatory one is missing")

		holder, list := w.owing(p, billed)
		require.Contains(t, list.page(t).Find(".card-bill").First().Text(), "Period")
		confirm := w.get(billForm(p, billed, "setting."+p.Settings[0].Name, holder, "bill", list.bills(t)[0], "step", "confirm"))
		require.Contains(t, confirm.page(t).Find("dl.facts").Text(), "DueDate")
		require.Contains(t, confirm.page(t).Find("dl.facts").Text(), holder)
		form := confirmed(t, confirm)
		sold := w.post("/sales", form)
		require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.page(t).Text())
		path := sold.Header.Get("Location")
		b.becomes(path, sales.Complete)
		sale := b.saleAt(path)
		require.Regexp(t, `^BL[0-9a-f]{16}$`, sale.BillRef)
		require.NotContains(t, list.body+confirm.body, sale.BillRef, "a browser never holds it before the sale")
		require.Contains(t, w.get(path+"/receipt").page(t).Text(), sale.BillRef)

		again := w.post("/sales", form)
		require.Equal(t, path, again.Header.Get("Location"), "the same form is the same sale, though its bills were looked up anew")
		require.NotContains(t, w.get(billForm(p, billed, "setting."+p.Settings[0].Name, holder, "step", "confirm")).bills(t), list.bills(t)[0], "a paid bill is not offered")
		kept := w.get(billForm(p, billed)).page(t).Find(`input[name="setting.` + p.Settings[0].Name + `"]`)
		require.Equal(t, holder, kept.AttrOr("value", ""), "a harmless setting is remembered for the customer")
	})
}

// TestMoreBillsThanAPageShows: what is not shown is not said not to be there.
func TestMoreBillsThanAPageShows(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		p, billed, _ := b.biller()
		holder, list := w.owing(p, billed)
		require.NotContains(t, list.page(t).Find(".bills").Text(), "There are more bills")
		var found []catalog.Bill
		var stored string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT bills FROM bill_lookups WHERE bills LIKE ?", "%"+list.bills(t)[0]+"%").Scan(&stored).Error)
		require.NoError(t, json.Unmarshal([]byte(stored), &found))
		for len(found) <= catalog.BillsShown {
			more := found[0]
			more.ID = "another" + strconv.Itoa(len(found))
			found = append(found, more)
		}
		many, err := json.Marshal(found)
		require.NoError(t, err)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE bill_lookups SET bills = ?", string(many)).Error
		}))
		page := w.get(billForm(p, billed, "setting."+p.Settings[0].Name, holder, "step", "confirm")).page(t)
		require.Equal(t, catalog.BillsShown, page.Find(".card-bill").Length())
		require.Contains(t, page.Find(".bills").Text(), "There are more bills than the 40 shown here.")
	})
}

func TestAChosenBillIsVoidForAnythingElse(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	p, billed, other := b.biller()
	holder, list := w.owing(p, billed)
	setting, bill := "setting."+p.Settings[0].Name, list.bills(t)[0]
	for name, address := range map[string]string{
		"another holder": billForm(p, billed, setting, "E. Mallory", "bill", bill, "step", "confirm"),
		"another number": billForm(p, other, setting, holder, "bill", bill, "step", "confirm"),
		"a made-up bill": billForm(p, billed, setting, holder, "bill", "BL0011223344556677", "step", "confirm"),
	} {
		got := w.get(address)
		require.Equal(t, http.StatusConflict, got.StatusCode, name)
		require.Contains(t, got.page(t).Text(), "This bill can no longer be paid", name)
		require.Zero(t, got.page(t).Find("form.confirm").Length(), name)
	}
	good := billForm(p, billed, setting, holder, "bill", bill, "step", "confirm")
	tamper := func(field, value string) answer {
		form := confirmed(t, w.get(good))
		form.Set(field, value)
		return w.post("/sales", form)
	}
	for field, value := range map[string]string{"bill": "BL0011223344556677", setting: "E. Mallory", "number": other} {
		got := tamper(field, value)
		require.Equal(t, http.StatusConflict, got.StatusCode, field)
		require.Contains(t, got.page(t).Text(), "This bill can no longer be paid", field)
	}
	require.Equal(t, http.StatusConflict, tamper("shown", "0.01 EUR").StatusCode)

	form := confirmed(t, w.get(good))
	b.pass(11 * time.Minute) // and the bills of then are too old
	require.NoError(t, b.server.D.Catalog.SyncStatuses(t.Context()))
	require.NoError(t, b.server.D.Catalog.Refresh(t.Context()))
	late := w.post("/sales", form)
	require.Equal(t, http.StatusConflict, late.StatusCode)
	require.Contains(t, late.page(t).Text(), "This bill can no longer be paid")
	require.Contains(t, late.bills(t), bill, "found again, it is the same")
	require.Contains(t, w.get("/sales").page(t).Text(), "Nothing sold yet today.")
}

func TestBillsThatCannotBeLookedUpKeepTheForm(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	p, billed, _ := b.biller()
	setting := "setting." + p.Settings[0].Name
	for fault, want := range map[string]struct {
		status int
		words  string
	}{
		`"code":"TransientProviderError","context":"ProviderTimedOut"`: {http.StatusServiceUnavailable, "no answer came in time"},
		`"code":"AccountNumberInvalid"`:                                {http.StatusUnprocessableEntity, "does not know this account number"},
		`"code":"ParameterInvalid","context":"Settings"`:               {http.StatusUnprocessableEntity, "does not accept these details"},
		`"code":"AuthenticationFailed"`:                                {http.StatusServiceUnavailable, "If it happens again, tell your manager"},

		`"code":"RateLimited"`: {http.StatusServiceUnavailable, "The transfer service cannot be asked more often right now. Nothing was charged"},
	} {
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"LookupBills"},"action":{"kind":"error",`+fault+`}}]`)
		got := w.get(billForm(p, billed, setting, "M. Popescu", "step", "confirm"))
		require.Equal(t, want.status, got.StatusCode, fault)
		require.Contains(t, got.page(t).Find("#details-problem").Text(), want.words)
		require.Equal(t, "M. Popescu", got.page(t).Find(`input[name="`+setting+`"]`).AttrOr("value", ""), "what was typed is kept")
	}
	require.NotContains(t, b.log.String(), "Popescu")
	require.NotContains(t, b.log.String(), billed)
}

func TestSettingsHoldWhatTheProductAsksAndNothingElse(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	p, billed, _ := b.biller()
	setting := "setting." + p.Settings[0].Name
	for name, value := range map[string]string{"too long": strings.Repeat("x", 201), "control": "a\x00b", "broken": "\xff\xfe"} {
		got := w.get(billForm(p, billed, setting, value, "step", "confirm"))
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, name)
		require.Contains(t, got.page(t).Find(".refused").Text(), "characters", name)
	}
	holder, list := w.owing(p, billed)
	form := confirmed(t, w.get(billForm(p, billed, setting, holder, "bill", list.bills(t)[0], "step", "confirm")))
	form.Set("setting.Discount", "100%")
	path := w.post("/sales", form).Header.Get("Location")
	b.becomes(path, sales.Complete)
	require.NotContains(t, b.saleAt(path).Settings, "Discount")
}
