package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// formOf returns the hidden fields of the form that posts to a path.
func formOf(t testing.TB, got answer, action string) url.Values {
	t.Helper()
	form := url.Values{}
	for _, field := range got.page(t).Find(`form[action="` + action + `"] input[type=hidden]`).EachIter() {
		form.Set(field.AttrOr("name", ""), field.AttrOr("value", ""))
	}
	require.NotEmpty(t, form, "no form %s: %s", action, got.page(t).Find("main").Text())
	return form
}

// filled adds fields to a form.
func filled(form url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// closeWith counts the drawer of the till once and returns where that leads.
func (w *browser) closeWith(pairs ...string) string {
	w.b.t.Helper()
	return w.closeAt("/shift/close", pairs...)
}

func (w *browser) closeAt(path string, pairs ...string) string {
	w.b.t.Helper()
	got := w.post("/shift/close", filled(formOf(w.b.t, w.get(path), "/shift/close"), pairs...))
	require.Equal(w.b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return got.Header.Get("Location")
}

func TestAShiftIsCountedBlindAndClosed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w, boss := b.signIn(staff.Cashier), b.signIn(staff.Manager)
		require.NotContains(t, w.get("/shift").page(t).Find("main").Text(), "Cash in the drawer", "a cashier counts blind")
		own := w.get("/shift").page(t).Find(".report-acts a[href^='/shift/0']").AttrOr("href", "")
		for _, path := range []string{own, own + "/receipt", "/shift", "/sales"} {
			text := w.get(path).page(t).Text()
			require.NotContains(t, text, "Taken for sales", path)
			require.NotContains(t, text, "Cash for sent sales", path)
		}
		require.Contains(t, boss.get(own).page(t).Text(), "Expected")
		open := boss.get(w.get("/shift").page(t).Find(".report-acts a[href^='/shift/0']").AttrOr("href", "")).page(t)
		require.Contains(t, open.Find("main").Text(), "Expected")
		require.NotContains(t, w.get(open.Find("main a[href*='close?shift=']").AttrOr("href", "")).page(t).Find("main").Text(), "Expected")

		moved := filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", "expense", "amount", "4.50", "reason", "milk")
		for range 2 {
			require.Equal(t, http.StatusSeeOther, w.post("/shift/cash", moved).StatusCode)
		}
		require.Equal(t, 1, strings.Count(w.get("/shift").body, "milk"))
		for kind, amount := range map[string]string{"expense": "60", "back": "60"} {
			wrong := filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", kind, "amount", amount, "reason", "6.00 of bread")
			require.Equal(t, http.StatusSeeOther, w.post("/shift/cash", wrong).StatusCode)
		}
		moves := strings.Join(strings.Fields(w.get("/shift").page(t).Find("[aria-labelledby=moves-title]").Text()), " ")
		require.Contains(t, moves, "−€60.00")
		require.Contains(t, moves, "bread€60.00")
		require.Contains(t, moves, "the other way")

		again := w.closeWith("pieces-50000000", "1", "pieces-5000000", "9")
		require.True(t, strings.HasPrefix(again, "/shift/close?shift="), again)
		require.Contains(t, w.get(again).page(t).Text(), "Count again")
		report := w.closeWith("pieces-50000000", "1", "pieces-5000000", "9", "loose", "0.40")
		require.Regexp(t, `^/shift/[0-9A-Z]{26}$`, report)

		page := w.get(report).page(t)
		require.Equal(t, "Z report 1", page.Find("h1").Text())
		figures := strings.Join(strings.Fields(page.Find(".figures").Text()), " ")
		require.Equal(t, "Expected€95.50 Counted€95.40 Difference−€0.10 Short", figures)
		require.Contains(t, boss.get("/shifts").page(t).Find("table").Text(), "−€0.10")
		require.Contains(t, w.get("/counter").page(t).Text(), "Open your shift")
		require.Equal(t, http.StatusForbidden, w.get("/shifts").StatusCode)
	})
}

// TestWhatStaysInTheDrawerOutlivesTheFirstCount, which did not match.
func TestWhatStaysInTheDrawerOutlivesTheFirstCount(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.signIn(staff.Cashier)
		again := w.closeWith("loose", "90", "left", "30.00")
		require.Equal(t, "30.00", w.get(again).page(t).Find("#left").AttrOr("value", ""))
	})
}

// TestAFirstCountCorrectedOnItsOwnPageIsTheSecond, once its cashier has read so.
func TestAFirstCountCorrectedOnItsOwnPageIsTheSecond(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.signIn(staff.Cashier)
		first := filled(formOf(t, w.get("/shift/close"), "/shift/close"), "loose", "90")
		require.Equal(t, http.StatusSeeOther, w.post("/shift/close", first).StatusCode)
		got := w.post("/shift/close", filled(first, "loose", "99.50"))
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
		require.Contains(t, got.page(t).Find("#count-problem").Text(), "This one is not recorded yet")
		require.Equal(t, "99.50", got.page(t).Find("#loose").AttrOr("value", ""))
		form := filled(formOf(t, got, "/shift/close"), "loose", "99.50")
		report := w.post("/shift/close", form).Header.Get("Location")
		require.Contains(t, w.get(report).page(t).Find(".figures").Text(), "€99.50")
	})
}

// TestTheZReportSplitsByCashierAndItsCopiesSaySo: a till that changed hands tells who
// sold what, and a second paper cannot pass for the first.
func TestTheZReportSplitsByCashierAndItsCopiesSaySo(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w, boss := b.signIn(staff.Cashier), b.signIn(staff.Manager)
		open := w.get("/shift").page(t).Find(".report-acts a[href^='/shift/0']").AttrOr("href", "")
		b.becomes(w.sellTopUp(), sales.Complete)
		require.NotContains(t, w.get(open).page(t).Text(), "Sales by cashier", "one person's are the shift's")
		require.NotContains(t, w.get(open+"/receipt").page(t).Text(), "DUPLICATE", "an X report is printed as often as one likes")
		b.pass(2 * time.Minute)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { // sold after a fast switch
			return tx.Exec("UPDATE sales SET cashier_id = (SELECT id FROM users WHERE username = 'supervisor')").Error
		}))
		b.becomes(w.sellTo("0871234568"), sales.Complete)
		cash := strings.TrimPrefix(boss.get(open+"/receipt").page(t).Find("p.total bdi").Text(), "€")
		report := w.closeWith("loose", cash)
		require.Equal(t, open, report)
		text := strings.Join(strings.Fields(w.get(report).page(t).Text()), " ")
		require.Regexp(t, `Sales by cashiercashier · \S+ × 1€[0-9.]+supervisor · \S+ × 1€`, text)

		print := func() *goquery.Document {
			paper := w.get(report + "/receipt")
			require.Empty(t, paper.page(t).Find("body").AttrOr("data-ask", ""), "looking prints nothing")
			printed := w.post(report+"/print", formOf(t, paper, report+"/print"))
			require.Equal(t, http.StatusSeeOther, printed.StatusCode)
			return w.get(printed.Header.Get("Location")).page(t)
		}
		first := print()
		require.NotContains(t, first.Text(), "DUPLICATE")
		require.Contains(t, first.Text(), "supervisor · ")
		ask := first.Find("body").AttrOr("data-ask", "")
		csrf := map[string][]string{"csrf": {first.Find("body").AttrOr("data-csrf", "")}}
		require.Equal(t, http.StatusNoContent, w.post(ask, csrf).StatusCode)
		require.Equal(t, http.StatusConflict, w.post(ask, csrf).StatusCode, "it opens the print window once")
		second := print()
		require.Regexp(t, "DUPLICATE 1 · cashier · ", second.Find(".stamp").Text())
		require.Contains(t, w.get(report+"/receipt").page(t).Text(), "DUPLICATE 2", "what the next will say")
		require.Contains(t, w.get(second.Find("a[download]").AttrOr("href", "")).body, "DUPLICATE 1", "on the roll too")
		require.Equal(t, http.StatusNotFound, w.get(report+"/receipt.escpos").StatusCode, "no copy without a record")
		require.Contains(t, b.signIn(staff.Auditor).get("/admin/audit?action=receipt.reprinted").body, "cashier")
	})
}

// TestAReportTellsHowSalesEndedWhoseCashWasGivenBack: one that was sent after all is not among those that were not.
func TestAReportTellsHowSalesEndedWhoseCashWasGivenBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		boss := b.signIn(staff.Manager)
		report := b.signIn(staff.Cashier).get("/shift").page(t).Find(".report-acts a[href^='/shift/0']").AttrOr("href", "")
		for i, state := range []sales.State{"cancelled", "complete", "failed", "failed", "unknown", "voided"} {
			s := sales.Sale{
				ID: fmt.Sprintf("%026d", i), IdempotencyKey: fmt.Sprint(i), Code: fmt.Sprint("C", i), Number: i + 1, ShopID: b.shop.ID,
				TillID: b.tills[0].ID, ShiftID: strings.TrimPrefix(report, "/shift/"), CashierID: b.users[staff.Cashier].ID,
				Fulfilment: state, Cash: sales.CashRefunded,
			}
			s.Ref, s.PriceMicros, s.PriceCurrency = fmt.Sprint(i), 2_000_000, "EUR"
			require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Create(&s).Error }))
		}
		text := squeezed(boss.get(report).page(t).Find(".report-sections section:contains('Sales')").Text())
		require.Contains(t, text, "Cancelled, cash given back × 1€2.00Sent, cash given back × 1€2.00"+
			"Not sent, cash given back × 3€6.00Not known yet, cash given back × 1€2.00")
	})
}

func TestMuchCashLeavesOnlyWithAManager(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w, boss := b.signIn(staff.Cashier), b.signIn(staff.Manager)
	fields := []string{"kind", "safe", "amount", "100.01", "reason", "too many notes"}
	got := w.post("/shift/cash", filled(formOf(t, w.get("/shift"), "/shift/cash"), fields...))
	require.Equal(t, http.StatusForbidden, got.StatusCode)
	page := got.page(t)
	require.Contains(t, page.Find("#move-problem").Text(), "Only a manager")
	require.Equal(t, "100.01", page.Find("#amount").AttrOr("value", ""), "what was typed is kept")
	require.Equal(t, "/counter", boss.post("/shift/open", filled(formOf(t, boss.get("/shift"), "/shift/open"), "float", "200")).Header.Get("Location"))
	form := filled(formOf(t, boss.get("/shift"), "/shift/cash"), fields...)
	require.Equal(t, "approve", boss.post("/shift/cash", form).page(t).Find("form.move button.primary").AttrOr("name", ""))
	require.Equal(t, http.StatusSeeOther, boss.post("/shift/cash", filled(form, "approve", "1")).StatusCode)
	for _, wrong := range [][]string{{"amount", "x"}, {"amount", "0"}, {"reason", " "}, {"kind", "gift"}} {
		form := filled(filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", "in", "amount", "5", "reason", "change"), wrong...)
		require.Equal(t, http.StatusUnprocessableEntity, w.post("/shift/cash", form).StatusCode, wrong)
	}
}

// TestCashThatNoShiftTakesIsSaidNotToBeBooked: a page left open, whose shift was closed in another window.
func TestCashThatNoShiftTakesIsSaidNotToBeBooked(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	stale := filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", "in", "amount", "20", "reason", "change")
	w.closeWith("loose", "0")
	require.Regexp(t, "^/shift/0", w.closeWith("loose", "0"), "the second count stands")
	got := w.post("/shift/cash", stale)
	require.Equal(t, http.StatusConflict, got.StatusCode)
	require.Contains(t, got.page(t).Find("main").Text(), "The shift at this till was closed. Open a new one first. Nothing was done.")
}

// TestCashThatWasBookedIsNotSaidToBeUndone: the answer got lost, and the shift was closed before the form was sent again.
func TestCashThatWasBookedIsNotSaidToBeUndone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.signIn(staff.Cashier)
		moved := filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", "in", "amount", "20", "reason", "change")
		require.Equal(t, http.StatusSeeOther, w.post("/shift/cash", moved).StatusCode)
		w.closeWith("loose", "0")
		report := w.closeWith("loose", "0")
		got := w.post("/shift/cash", moved)
		require.Equal(t, http.StatusSeeOther, got.StatusCode, squeezed(got.page(t).Find("main").Text()))
		require.Equal(t, report, got.Header.Get("Location"), "where it stands")
		other := w.post("/shift/cash", with(moved, "amount", "30"))
		require.Equal(t, http.StatusConflict, other.StatusCode)
		require.Contains(t, other.page(t).Find("main").Text(), "Nothing was done")

		b.openTill(w)
		moved = filled(formOf(t, w.get("/shift"), "/shift/cash"), "kind", "in", "amount", "20", "reason", "change")
		require.Equal(t, http.StatusSeeOther, w.post("/shift/cash", moved).StatusCode)
		var tillID string
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT till_id FROM cash_moves m JOIN shifts s ON s.id = m.shift_id WHERE closed_at IS NULL").Scan(&tillID).Error)
		boss := b.signIn(staff.Manager)
		place := boss.post("/till", url.Values{"csrf": {boss.csrf("/till")}, "till": {tillID}, "take": {"1"}})
		require.Equal(t, http.StatusSeeOther, place.StatusCode)
		again := w.post("/shift/cash", moved)
		require.Regexp(t, "^/shift/0", again.Header.Get("Location"), squeezed(again.page(t).Find("main").Text()))
		require.NotContains(t, w.get("/shift").page(t).Find("main").Text(), "no cash was booked", "the last action was booked")
		require.NotContains(t, w.get("/counter").page(t).Find("main").Text(), "nothing was sold")
		fresh := w.post("/shift/cash", with(moved, "key", "another"))
		require.Contains(t, fresh.page(t).Find("main").Text(), "nothing was sold and no cash was booked", "this browser works there no longer")
	})
}

// TestAFloatCountedByPiecesNeedsNoSum, nor is a space one.
func TestAFloatCountedByPiecesNeedsNoSum(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		boss := b.signIn(staff.Manager)
		form := filled(formOf(t, boss.get("/shift"), "/shift/open"), "float", " ", "pieces-50000000", "2")
		got := boss.post("/shift/open", form)
		require.Equal(t, http.StatusSeeOther, got.StatusCode, squeezed(got.page(t).Find("main").Text()))
		require.Contains(t, boss.get("/shift").page(t).Find("main").Text(), "€100.00")
	})
}

func TestCountsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Cashier)
	for _, wrong := range [][]string{
		{},
		{"pieces-50000000", "-1"},
		{"pieces-50000000", "1.5"},
		{"pieces-50000000", "x"},
		{"pieces-50000000", "9999999999999999999"},
		{"pieces-50000000", "999999"},
		{"loose", "-5"},
		{"loose", "5", "left", "6"},
		{"loose", "5", "left", "x"},
		{"loose", "5", "key", ""},
	} {
		got := w.post("/shift/close", filled(formOf(t, w.get("/shift/close"), "/shift/close"), wrong...))
		if len(wrong) > 1 && wrong[0] == "loose" && wrong[len(wrong)-2] == "left" && wrong[len(wrong)-1] == "6" {
			require.Equal(t, http.StatusSeeOther, got.StatusCode, "the first count differs, so nothing is left yet")
			continue
		}
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, wrong)
	}
	require.Equal(t, http.StatusOK, w.get("/shift").StatusCode, "still open")
}

// TestARefusedCountStaysWithItsDrawer: whoever counts another till's drawer, and types what cannot be, corrects that
// count and is not led to close a drawer of their own.
func TestARefusedCountStaysWithItsDrawer(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w, boss := b.signIn(staff.Cashier), b.signIn(staff.Manager)
	report := w.get("/shift").page(t).Find(".report-acts a[href^='/shift/0']").AttrOr("href", "")
	shift := strings.TrimPrefix(report, "/shift/")
	for _, wrong := range [][]string{{"pieces-50000000", "999999"}, {"loose", "5", "key", ""}} {
		form := filled(formOf(t, boss.get("/shift/close?shift="+shift), "/shift/close"), wrong...)
		refused := boss.post("/shift/close", form)
		require.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode)
		require.Equal(t, shift, formOf(t, refused, "/shift/close").Get("shift"))
		typed := refused.page(t).Find("input[name='"+wrong[0]+"']").AttrOr("value", "")
		require.Equal(t, wrong[1], typed, "what was typed is there to correct")
	}
}

// The shift is closed on another device: this one sees it on its next act, may
// not sell, and is told what to do.
func TestATillClosedElsewhereFreezes(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w, boss := b.signIn(staff.Cashier), b.signIn(staff.Manager)
		sku := fixed(t, w.get("/counter?number="+irish))
		sale := confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))
		require.Equal(t, http.StatusNoContent, w.get("/shift/state").StatusCode)
		report := w.get("/shift").page(t).Find(".report-acts a[href^='/shift/0']").AttrOr("href", "")
		require.Equal(t, report, boss.closeAt("/shift/close?shift="+strings.TrimPrefix(report, "/shift/"), "loose", "100"))

		require.Equal(t, http.StatusConflict, w.get("/shift/state").StatusCode)
		for _, got := range []answer{w.get("/counter"), w.get("/shift"), w.post("/sales", sale), w.post("/shift/cash", url.Values{})} {
			require.Equal(t, http.StatusConflict, got.StatusCode)
			require.Contains(t, got.page(t).Text(), "manager closed its shift at 12:00 on another device.")
		}
		// Even when a new shift has been opened there meanwhile.
		require.Equal(t, "/counter", boss.post("/till", filled(formOf(t, boss.get("/till"), "/till"), "till", b.tills[0].ID)).Header.Get("Location"))
		require.Equal(t, http.StatusSeeOther, boss.post("/shift/open", filled(formOf(t, boss.get("/shift"), "/shift/open"), "float", "50")).StatusCode)
		require.Equal(t, http.StatusConflict, w.post("/sales", sale).StatusCode)
		require.Contains(t, w.get("/sales").page(t).Text(), "Nothing sold yet today.")

		on := w.post("/till", formOf(t, w.get("/counter"), "/till"))
		require.Equal(t, http.StatusSeeOther, on.StatusCode)
		question := w.get(on.Header.Get("Location"))
		require.Contains(t, question.page(t).Text(), "Take over Till 1?")
		require.Equal(t, "/counter", w.post("/till", formOf(t, question, "/till")).Header.Get("Location"))
		require.Equal(t, http.StatusOK, w.get("/counter").StatusCode)
		require.Contains(t, boss.get("/counter").page(t).Text(), "cashier took it over at 12:00 on another device.")
	})
}

func TestTillsSayWhoWorksThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w, boss := b.signIn(staff.Cashier), b.signIn(staff.Manager)
	cards := strings.Join(strings.Fields(boss.get("/till").page(t).Find(".cards").Text()), " ")
	require.Contains(t, cards, "Till 1 cashier has worked here since 12:00")
	require.Contains(t, cards, "Till 2 No shift is open")

	csrf := formOf(t, w.get("/till"), "/till")
	require.Equal(t, "/counter", w.post("/till", filled(csrf, "till", b.tills[1].ID)).Header.Get("Location"), "a free till")
	require.Contains(t, w.get("/counter").page(t).Text(), "Open your shift")
	b.pass(time.Minute)
	require.Equal(t, http.StatusNotFound, w.post("/till", filled(csrf, "till", "none")).StatusCode)
}

// Two windows open a till at once, each with a count of its own: the count that does not hold is told so.
func TestTwoCountsOpenOneShift(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Cashier)
	w.closeWith("loose", "100")
	one, two, three := formOf(t, w.get("/shift"), "/shift/open"), formOf(t, w.get("/shift"), "/shift/open"), formOf(t, w.get("/shift"), "/shift/open")
	require.Equal(t, "/counter", w.post("/shift/open", filled(one, "float", "100")).Header.Get("Location"))
	got := w.post("/shift/open", filled(two, "float", "150"))
	require.Equal(t, http.StatusConflict, got.StatusCode)
	require.Contains(t, got.page(t).Text(), "A shift is open at this till already. Your count was not recorded.")
	require.Equal(t, "/counter", w.post("/shift/open", filled(three, "float", "100")).Header.Get("Location"), "as both counted")
}

func TestTheSameFormOpensOneShift(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Cashier)
	w.closeWith("loose", "100")
	form := filled(formOf(t, w.get("/shift"), "/shift/open"), "float", "150.20", "pieces-50000000", "3", "pieces-200000", "1")
	for range 2 {
		require.Equal(t, "/counter", w.post("/shift/open", form).Header.Get("Location"))
	}
	require.Contains(t, w.get("/shift").page(t).Text(), "€150.20")
	w.closeWith("loose", "150.20")
	require.Equal(t, "/counter", w.post("/shift/open", form).Header.Get("Location"))
	require.Contains(t, w.get("/counter").page(t).Text(), "Open your shift", "an old form opens nothing")

	form = filled(formOf(t, w.get("/shift"), "/shift/open"), "float", "10", "pieces-50000000", "3")
	got := w.post("/shift/open", form)
	require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
	require.Contains(t, got.page(t).Text(), "do not match")
	require.Equal(t, "3", got.page(t).Find("input[name=pieces-50000000]").AttrOr("value", ""))
	form.Set("float", "")
	require.Equal(t, "/counter", w.post("/shift/open", form).Header.Get("Location"))
	require.Contains(t, w.get("/shift").page(t).Text(), "€150.00")
}

// TestTheFiguresOfAShiftOpenItsSales, not those of the day, of another till, or of the shift before.
func TestTheFiguresOfAShiftOpenItsSales(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.atTill(staff.Cashier)
		b.openTill(w)
		sell := func(number, change string) string {
			path, _ := w.sold(number)
			b.moveSale(path, change)
			return path
		}
		const owed, sent = "fulfilment = 'failed', cash = 'refund_due'", "fulfilment = 'complete', cash = 'earned'"
		sell("0871234560", owed)
		sell("0871234561", sent)
		for b.pass(time.Minute); !strings.HasPrefix(w.closeWith("loose", "110"), "/shift/0"); b.pass(time.Minute) {
		}
		b.openTill(w)
		b.pass(time.Minute)
		mine := []string{sell("0871234562", owed), sell("0871234563", sent), sell("0871234564", sent)}
		b.moveSale(sell("0871234565", owed), "till_id = '"+b.tills[1].ID+"'")
		page := w.get("/shift").page(t)
		behind := func(figure string) (paths []string) {
			link := page.Find(".figure").FilterFunction(func(_ int, f *goquery.Selection) bool {
				return strings.TrimSpace(f.Find("dt").Text()) == figure
			}).Find("a").AttrOr("href", "")
			require.NotEmpty(t, link, figure)
			for _, row := range w.get(link).page(t).Find("table.list tbody a").EachIter() {
				path, _, _ := strings.Cut(row.AttrOr("href", ""), "?")
				paths = append(paths, path)
			}
			return paths
		}
		require.ElementsMatch(t, mine[:1], behind("To give back"))
		require.ElementsMatch(t, mine[1:], behind("Sent"))
		require.Equal(t, http.StatusNotFound, w.get("/sales?shift=none").StatusCode)
	})
}
