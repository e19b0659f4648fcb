package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// stand puts a break into the queue, as a look would.
func (b *bench) stand(br reconcile.Break) string {
	b.t.Helper()
	br.ID, br.State, br.FoundAt, br.SeenAt = "break-"+string(br.Kind)+br.ShopID, reconcile.Open, b.clock(), b.clock()
	if br.Evidence == "" {
		br.Evidence = "{}"
	}
	br.Subject, br.Currency = br.ID, "EUR"
	require.NoError(b.t, b.db.Tx(b.t.Context(), func(tx *store.Tx) error { return tx.Create(&br).Error }))
	return "/reconcile/breaks/" + br.ID
}

// second hires another person of finance and signs in.
func (b *bench) secondFinance() *browser {
	b.t.Helper()
	_, err := b.staff.CreateUser(b.t.Context(), setup, staff.NewUser{Username: "finance2", Role: staff.Finance, Password: password})
	require.NoError(b.t, err)
	w := b.browser()
	got := w.post("/login", url.Values{"username": {"finance2"}, "password": {password}})
	require.Equal(b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return w
}

func TestTwoPeopleResolveADifference(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		page := b.stand(reconcile.Break{Kind: reconcile.BalanceDown, Micros: -3_210_000, FloatMicros: -3_210_000})
		first, second := b.signIn(staff.Finance), b.secondFinance()
		list := first.get("/reconcile")
		require.Equal(t, http.StatusOK, list.StatusCode)
		require.Contains(t, list.page(t).Find("table.list").Text(), "Balance lower than the books")
		require.Contains(t, first.get(page).page(t).Find("main").Text(), "Ask the transfer service for a list")
		require.Contains(t, first.get(page).page(t).Find(".figures").Text(), "−€3.21 The other side has less than our books")

		require.Equal(t, http.StatusSeeOther, first.post(page+"/comment", url.Values{"note": {"asked them"}}).StatusCode)
		require.Equal(t, http.StatusSeeOther, first.post(page+"/take", nil).StatusCode)
		require.Equal(t, http.StatusConflict, first.post(page+"/agree", url.Values{"note": {"it is so"}}).StatusCode, "the books do not follow it")
		refused := first.post(page+"/propose", url.Values{"resolution": {"writeoff"}, "reference": {"T-1"}})
		require.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode)
		require.Equal(t, "T-1", refused.page(t).Find("#reference").AttrOr("value", ""), "what was typed is kept")
		require.Equal(t, http.StatusSeeOther, first.post(page+"/propose", url.Values{"resolution": {"writeoff"}, "note": {"bank charge"}}).StatusCode)
		require.Zero(t, first.get(page).page(t).Find(`form[action$="/confirm"] button.primary`).Length(), "not offered to who proposed it")
		require.Equal(t, http.StatusForbidden, first.post(page+"/confirm", nil).StatusCode)

		require.Contains(t, second.get(page).page(t).Find("main").Text(), "5900 Losses")
		b.pass(11 * time.Minute)
		require.Equal(t, http.StatusForbidden, second.post(page+"/confirm", nil).StatusCode, "signed in too long ago")
		again := b.browser()
		require.Equal(t, http.StatusSeeOther, again.post("/login", url.Values{"username": {"finance2"}, "password": {password}}).StatusCode)
		read := fieldsOf(again.get(page).page(t).Find(`form[action$="/confirm"]`))
		require.Equal(t, http.StatusSeeOther, again.post(page+"/confirm", read).StatusCode)
		require.Equal(t, http.StatusConflict, again.post(page+"/confirm", nil).StatusCode)
		require.Contains(t, first.get(page).page(t).Find("main").Text(), "Resolved")
		var booked int64
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT SUM(micros) FROM postings WHERE account = '5900'").Scan(&booked).Error)
		require.EqualValues(t, 3_210_000, booked)
	})
}

// TestASecondPersonAgreesToWhatTheyRead, and not to what was proposed in its place while they read it.
func TestASecondPersonAgreesToWhatTheyRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	page := b.stand(reconcile.Break{Kind: reconcile.BalanceDown, Micros: -3_210_000, FloatMicros: -3_210_000})
	first, second := b.signIn(staff.Finance), b.secondFinance()
	propose := func(account string) {
		form := url.Values{"resolution": {"journal"}, "account": {account}, "note": {"bank charge"}}
		require.Equal(t, http.StatusSeeOther, first.post(page+"/propose", form).StatusCode)
	}
	read := func() url.Values { return fieldsOf(second.get(page).page(t).Find(`form[action$="/confirm"]`)) }
	propose("5900")
	losses := read()
	require.Equal(t, http.StatusSeeOther, first.post(page+"/decline", nil).StatusCode)
	propose("1010")
	require.Equal(t, http.StatusConflict, second.post(page+"/confirm", losses).StatusCode)
	require.Equal(t, http.StatusConflict, second.post(page+"/decline", losses).StatusCode, "nor do they drop what they have not read")
	require.Equal(t, http.StatusSeeOther, second.post(page+"/confirm", read()).StatusCode)
}

// TestWhatMayBeBookedIsOffered: what other software sold is that, though its commission,
// which came later, raises the balance as a payment does.
func TestWhatMayBeBookedIsOffered(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Finance)
	for kind, first := range map[reconcile.Kind]reconcile.Resolution{reconcile.ForeignSale: reconcile.Foreign, reconcile.BalanceUp: reconcile.TopUp, reconcile.LateSuccess: reconcile.TopUp} {
		page := b.stand(reconcile.Break{Kind: kind, Micros: -9_400_000, FloatMicros: 800_000})
		require.Equal(t, string(first), w.get(page).page(t).Find("#resolution option").First().AttrOr("value", ""), kind)
	}
}

// TestTheTwoSidesOfOneThingAreMatched: offered where another difference makes up for it,
// and only there.
func TestTheTwoSidesOfOneThingAreMatched(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	missing := b.stand(reconcile.Break{Kind: reconcile.MissingUpstream, ShopID: b.shop.ID, Micros: 9_400_000, FloatMicros: 9_400_000})
	foreign := b.stand(reconcile.Break{Kind: reconcile.ForeignSale, Micros: -9_400_000, FloatMicros: -9_400_000})
	alone := b.stand(reconcile.Break{Kind: reconcile.BalanceDown, Micros: -3_210_000, FloatMicros: -3_210_000})
	w := b.signIn(staff.Finance)
	require.Contains(t, w.get("/reconcile").page(t).Find("main .figures").Text(), "Of this, in the balance but not in the books: −€3.21")
	require.Zero(t, w.get(alone).page(t).Find("form[action$='/match']").Length())
	form := w.get(missing).page(t).Find("form[action$='/match']")
	choice := form.Find("input[name=other]")
	require.Equal(t, 1, choice.Length())
	require.Contains(t, form.Find("label.choice").Text(), "Sold by other software")
	require.Equal(t, []string{foreign}, hrefs(form), "what it is chosen from can be read first")
	other := choice.AttrOr("value", "")
	refused := w.post(missing+"/match", url.Values{"other": {other}})
	require.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode)
	require.Equal(t, http.StatusConflict, w.post(missing+"/match", url.Values{"other": {strings.TrimPrefix(alone, "/reconcile/breaks/")}, "note": {"x"}}).StatusCode)
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Manager).post(missing+"/match", url.Values{"other": {other}, "note": {"x"}}).StatusCode)
	require.Equal(t, http.StatusSeeOther, w.post(missing+"/match", url.Values{"other": {other}, "note": {"they confirmed it"}}).StatusCode)
	for _, page := range []string{missing, foreign} {
		text := w.get(page).page(t).Find("main").Text()
		require.Contains(t, text, "Resolved")
		require.Contains(t, text, "they confirmed it")
	}
	require.Contains(t, hrefs(w.get(missing).page(t).Find("main")), foreign, "and what it was matched with is one step away")
	acts, err := b.server.D.Audit.List(t.Context(), audit.Filter{Limit: 2})
	require.NoError(t, err)
	require.Equal(t, audit.BreakMatched, acts[0].Act)
}

// hrefs are where the links of a part of a page lead.
func hrefs(part *goquery.Selection) []string {
	return part.Find("a").Map(func(_ int, a *goquery.Selection) string { return a.AttrOr("href", "") })
}

// TestWhatMayExplainADifferenceIsOneStepAway: a difference where there is one, else the
// sale, else the payments. Who sees one shop only is not led to what may be another's.
func TestWhatMayExplainADifferenceIsOneStepAway(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	sale := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(sale, sales.Complete)
	id := strings.TrimPrefix(sale, "/sales/")
	missing := b.stand(reconcile.Break{Kind: reconcile.MissingUpstream, ShopID: b.shop.ID, SaleID: id, Micros: 9_400_000})
	evidence, err := json.Marshal(reconcile.Evidence{Candidates: []reconcile.Candidate{
		{What: "missing", SaleID: id, BreakID: strings.TrimPrefix(missing, "/reconcile/breaks/"), Amount: "9.40 EUR"},
		{What: "receivable", SaleID: id, Amount: "9.40 EUR"},
		{What: "topup", Amount: "500.00 EUR"},
	}})
	require.NoError(t, err)
	whole := b.stand(reconcile.Break{Kind: reconcile.BalanceUp, Micros: 5_000_000, FloatMicros: 5_000_000, Evidence: string(evidence)})
	own := b.stand(reconcile.Break{Kind: reconcile.BalanceDown, ShopID: b.shop.ID, Micros: -5_000_000, FloatMicros: -5_000_000, Evidence: string(evidence)})
	want := []string{missing, sale, "/reconcile/outside"}
	for _, role := range []staff.Role{staff.Finance, staff.Auditor, staff.Admin} {
		w := b.signIn(role)
		side := w.get(whole).page(t).Find(".side")
		require.Contains(t, side.Find("dt a").First().Text(), "Sale that is not listed")
		require.Equal(t, want, hrefs(side), role)
		for _, href := range want {
			require.Equal(t, http.StatusOK, w.get(href).StatusCode, "%s %s", role, href)
		}
	}
	side := b.signIn(staff.Manager).get(own).page(t).Find(".side")
	require.Contains(t, side.Text(), "Sale that is not listed")
	require.Empty(t, hrefs(side))
}

// TestEachSideSaysWhen: the till's time of a sale and the upstream's are two.
func TestEachSideSaysWhen(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	ours, theirs := time.Date(2026, 3, 2, 9, 12, 0, 0, time.UTC), time.Date(2026, 3, 2, 9, 14, 0, 0, time.UTC)
	evidence, err := json.Marshal(reconcile.Evidence{Ours: &reconcile.OurSide{SKU: "A"}, Theirs: []reconcile.TheirSide{{SKU: "A", At: theirs}}})
	require.NoError(t, err)
	page := b.signIn(staff.Finance).get(b.stand(reconcile.Break{Kind: reconcile.CommissionOff, ShopID: b.shop.ID, Evidence: string(evidence), OursAt: &ours, TheirsAt: &theirs})).page(t)
	require.Equal(t, []string{"2 Mar 2026, 09:12", "2 Mar 2026, 09:14"}, page.Find("dl dd").FilterFunction(func(_ int, dd *goquery.Selection) bool { return dd.Prev().Text() == "When" }).Map(func(_ int, dd *goquery.Selection) string { return dd.Text() }))
}

// TestADifferenceNamesItsProduct: by what the catalogue calls it, or what it was called when it was sold, with its code
// for the service; all that a page shows are asked for at once.
func TestADifferenceNamesItsProduct(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	on := b.server.D.Catalog.Current()
	var listed *catalog.Product
	for listed = range on.AllProducts() {
		break
	}
	provider, _ := on.Provider(listed.Provider)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO rollup_names (what, code, name) VALUES ('product', 'GONE', 'Once 5 GB')").Error
	}))
	about := func(ours, theirs string) string {
		evidence, err := json.Marshal(reconcile.Evidence{Ours: &reconcile.OurSide{SKU: ours}, Theirs: []reconcile.TheirSide{{SKU: theirs, Ref: "OTHER-1"}}})
		require.NoError(t, err)
		return string(evidence)
	}
	w := b.signIn(staff.Finance)
	named := provider.Name + " · " + on.Text(listed, "en").DisplayText + " (" + listed.SKU + ")"
	for _, c := range []struct {
		kind         reconcile.Kind
		ours, theirs string
		want         []string
	}{
		{reconcile.CommissionOff, listed.SKU, "GONE", []string{named, "Once 5 GB (GONE)"}},
		{reconcile.MissingUpstream, "NEVER", listed.SKU, []string{"NEVER", named}},
	} {
		page := b.stand(reconcile.Break{Kind: c.kind, ShopID: b.shop.ID, Evidence: about(c.ours, c.theirs)})
		require.Equal(t, c.want, w.get(page).page(t).Find("dl dd").FilterFunction(func(_ int, dd *goquery.Selection) bool { return dd.Prev().Text() == "Product" }).Map(func(_ int, dd *goquery.Selection) string { return dd.Text() }))
		require.Contains(t, w.get("/reconcile").page(t).Find("table.list").Text(), b.shop.Name+" · "+c.want[0])
	}
	asked := func() int64 {
		before := b.db.Counts()
		w.get("/reconcile")
		return b.db.Counts().Sub(before).Statements
	}
	few := asked()
	for i := range 5 {
		b.stand(reconcile.Break{Kind: reconcile.CommissionOff, ShopID: fmt.Sprint(i), Evidence: about("GONE", "GONE")})
	}
	require.Equal(t, few, asked(), "no question a line")
}

// TestAResolvedDifferenceCanBeNotedAndOpenedAgain, if nothing was booked for it.
func TestAResolvedDifferenceCanBeNotedAndOpenedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		page := b.stand(reconcile.Break{Kind: reconcile.CashShort, ShopID: b.shop.ID, Micros: -12_500_000})
		w := b.signIn(staff.Finance)
		require.Equal(t, http.StatusSeeOther, w.post(page+"/agree", url.Values{"note": {"a coin too many"}}).StatusCode)
		form := w.get(page).page(t).Find(`main form[action$="/comment"]`)
		require.Equal(t, 1, form.Length())
		require.Equal(t, http.StatusSeeOther, w.post(page+"/comment", url.Values{"note": {"of till 2, I meant"}}).StatusCode)
		reopen := form.Find("button[formaction]")
		require.Equal(t, "Open it again", reopen.Text())
		refused := w.post(reopen.AttrOr("formaction", ""), url.Values{"note": {" "}})
		require.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode)
		require.Equal(t, http.StatusSeeOther, w.post(reopen.AttrOr("formaction", ""), url.Values{"note": {"the wrong one"}}).StatusCode)
		text := w.get(page).page(t).Find("main").Text()
		for _, told := range []string{"a coin too many", "of till 2, I meant", "the wrong one", "It is explained"} {
			require.Contains(t, text, told)
		}
		acts, err := b.server.D.Audit.List(t.Context(), audit.Filter{Limit: 1})
		require.NoError(t, err)
		require.Equal(t, audit.BreakReopened, acts[0].Act)
		require.Equal(t, "the wrong one", acts[0].Reason)
		auditor := b.signIn(staff.Auditor)
		require.Equal(t, http.StatusForbidden, auditor.post(page+"/reopen", url.Values{"note": {"x"}}).StatusCode)
	})
}

func TestManagersSeeTheirOwnShopsDifferences(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	other, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Elsewhere", Zone: "UTC", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	drawer, err := json.Marshal(reconcile.Evidence{Drawer: &reconcile.DrawerSide{Till: "Till 2", Expected: "100.00 EUR", Counted: "87.50 EUR", ClosedAt: b.clock()}})
	require.NoError(t, err)
	own := b.stand(reconcile.Break{Kind: reconcile.CashShort, ShopID: b.shop.ID, Micros: -12_500_000, Evidence: string(drawer), CashierID: b.users[staff.Cashier].ID})
	foreign := b.stand(reconcile.Break{Kind: reconcile.CashOver, ShopID: other.ID, Micros: 1_000_000, Evidence: string(drawer)})
	whole := b.stand(reconcile.Break{Kind: reconcile.BalanceUp, Micros: 5_000_000, FloatMicros: 5_000_000})

	w := b.signIn(staff.Manager)
	list := w.get("/reconcile?shop=" + other.ID).page(t).Find("main").Text()
	require.Contains(t, list, "Drawer short")
	require.NotContains(t, list, "Elsewhere")
	require.Equal(t, http.StatusOK, w.get(own).StatusCode)
	require.Equal(t, http.StatusNotFound, w.get(foreign).StatusCode)
	require.Equal(t, http.StatusNotFound, w.get(whole).StatusCode)
	require.Contains(t, w.get(own).page(t).Find("main").Text(), "€87.50")
	require.Zero(t, w.get(own).page(t).Find("main form").Length(), "a manager reads")
	require.Equal(t, http.StatusForbidden, w.post(own+"/agree", url.Values{"note": {"x"}}).StatusCode)

	auditor := b.signIn(staff.Auditor)
	require.Equal(t, http.StatusOK, auditor.get(whole).StatusCode)
	require.Equal(t, http.StatusForbidden, auditor.post(whole+"/comment", url.Values{"note": {"x"}}).StatusCode)
	require.Equal(t, 3, auditor.get("/reconcile").page(t).Find("table.list tbody tr").Length())
	require.Equal(t, 1, auditor.get("/reconcile?kind=balance_up").page(t).Find("table.list tbody tr").Length())
	require.Equal(t, 0, auditor.get("/reconcile?state=resolved").page(t).Find("table.list tbody tr").Length())
}

func TestPaymentsAndSellersTakeTwoPeople(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first, second := b.signIn(staff.Finance), b.secondFinance()
		bad := first.post("/reconcile/topups", url.Values{"amount": {"-5"}, "account": {"1010"}, "reference": {"INV 1"}})
		require.Equal(t, http.StatusUnprocessableEntity, bad.StatusCode)
		require.Equal(t, "INV 1", bad.page(t).Find("#topup-reference").AttrOr("value", ""))
		require.Equal(t, http.StatusSeeOther, first.post("/reconcile/topups", url.Values{"amount": {"500"}, "account": {"1010"}, "reference": {"INV 1"}}).StatusCode)
		paid, err := b.server.D.Reconcile.TopUps(t.Context(), 5)
		require.NoError(t, err)
		require.Len(t, paid, 1)
		require.Equal(t, money.MustParse("500", "EUR"), paid[0].Amount())
		require.Equal(t, http.StatusForbidden, first.post("/reconcile/topups/"+paid[0].ID+"/approve", nil).StatusCode)
		require.Equal(t, http.StatusSeeOther, second.post("/reconcile/topups/"+paid[0].ID+"/approve", nil).StatusCode)
		outside := first.get("/reconcile/outside").page(t).Find("main")
		require.Contains(t, outside.Text(), "On its way")
		mistaken := outside.Find("li.entry button").FilterFunction(func(_ int, b *goquery.Selection) bool { return b.Text() == "Entered by mistake" })
		require.Equal(t, 1, mistaken.Length())
		require.Equal(t, http.StatusSeeOther, first.post(mistaken.Closest("form").AttrOr("action", ""), nil).StatusCode)
		require.NotContains(t, first.get("/reconcile/outside").page(t).Find("main").Text(), "INV 1")
		require.Equal(t, http.StatusConflict, second.post("/reconcile/topups/"+paid[0].ID+"/refuse", nil).StatusCode)

		require.Equal(t, http.StatusSeeOther, first.post("/reconcile/sellers", url.Values{"prefix": {"POS2-"}, "name": {"Web shop"}}).StatusCode)
		require.Equal(t, http.StatusForbidden, first.post("/reconcile/sellers/approve", url.Values{"prefix": {"POS2-"}}).StatusCode)
		slip := first.get("/reconcile/outside").page(t).Find(`form[action="/reconcile/sellers/approve"]`)
		require.Equal(t, "Decline", slip.Find("button").Text(), "not offered to agree to who declared it")
		require.Equal(t, http.StatusSeeOther, first.post(slip.Find("button").AttrOr("formaction", ""), fieldsOf(slip)).StatusCode)
		require.NotContains(t, first.get("/reconcile/outside").page(t).Find("main").Text(), "POS2-")
		require.Equal(t, http.StatusSeeOther, first.post("/reconcile/sellers", url.Values{"prefix": {"POS2-"}, "name": {"Web shop"}}).StatusCode)
		require.Equal(t, http.StatusSeeOther, second.post("/reconcile/sellers/approve", url.Values{"prefix": {"POS2-"}}).StatusCode)
		sellers, err := b.server.D.Reconcile.Sellers(t.Context())
		require.NoError(t, err)
		require.NotNil(t, sellers[0].ApprovedAt)
		require.Equal(t, http.StatusOK, first.get("/reconcile/drawers").StatusCode)
		acts, err := b.server.D.Audit.List(t.Context(), audit.Filter{Limit: 4})
		require.NoError(t, err)
		require.Equal(t, audit.SellerApproved, acts[0].Act)
	})
}

// TestOverAndShortOverTime: each cashier leads to how it came about, month by month.
func TestOverAndShortOverTime(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	drawers := w.get("/reconcile/drawers").page(t)
	require.Positive(t, drawers.Find("tbody tr td:nth-child(3)").FilterFunction(func(_ int, cell *goquery.Selection) bool { return strings.TrimSpace(cell.Text()) != "0" }).Length(), "counted otherwise")
	links := drawers.Find("tbody th a")
	require.Greater(t, links.Length(), 1)
	links.Each(func(_ int, link *goquery.Selection) {
		address, err := url.Parse(link.AttrOr("href", ""))
		require.NoError(t, err)
		var off int64
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT SUM(c.counted_micros - c.expected_micros) FROM drawer_counts c JOIN shifts s ON s.id = c.shift_id WHERE s.cashier_id = ?",
			address.Query().Get("cashier")).Scan(&off).Error)
		require.Equal(t, off/10_000, w.behind(address.String()).cents("Over or short"))
	})
}

// TestEachRowOfADryRunLeadsSomewhere: to the difference where it is stored, else to the
// sale; a record that is of no sale is named as the upstream names it. It says what is
// known without storing, and asks for nothing that cannot be.
func TestEachRowOfADryRunLeadsSomewhere(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	cashier, w := b.signIn(staff.Cashier), b.signIn(staff.Finance)
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"requote","commission":"0.01"}}]`)
	sale := cashier.sellTopUp()
	b.becomes(sale, sales.Complete)
	b.sellElsewhere(b.saleAt(sale), "OTHER-1")
	b.pass(6 * time.Minute)

	dry := func() *goquery.Selection {
		return w.post("/reconcile/look", url.Values{"dry": {"1"}}).page(t).Find(".dry")
	}
	found := dry()
	head := strings.Join(found.Find("thead th").Map(func(_ int, th *goquery.Selection) string { return th.Text() }), ", ")
	require.Equal(t, "Kind, When, Which side has more, State, Difference", head)
	found.Find("tbody tr > *").Each(func(_ int, cell *goquery.Selection) {
		require.NotEmpty(t, strings.TrimSpace(cell.Text()), "a cell says something: %s", found.Text())
	})
	commission, foreign := found.Find("tbody tr").Eq(0), found.Find("tbody tr").Eq(1)
	require.Equal(t, []string{sale}, hrefs(found), "a new difference is of a sale, or of none")
	require.Equal(t, http.StatusOK, w.get(sale).StatusCode)
	require.Contains(t, commission.Text(), "Commission differs")
	require.Contains(t, foreign.Text(), "Sold by other software")
	require.Contains(t, foreign.Find(".hint").First().Text(), "OTHER-1 · "+b.saleAt(sale).ProviderName+" · "+b.saleAt(sale).ProductText+" ("+b.saleAt(sale).SKUCode+") · Reference at the transfer service: ")
	for _, row := range []*goquery.Selection{commission, foreign} {
		require.Contains(t, row.Find(".cell-at").Text(), "Record of the transfer service")
		require.Contains(t, row.Find(".cell-at").Text(), "12:00")
		require.Equal(t, "The other side has less than our books", row.Find(".cell-product").Text())
	}

	require.Equal(t, http.StatusSeeOther, w.post("/reconcile/look", nil).StatusCode)
	require.Empty(t, dry().Find("tbody tr").Length())
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE breaks SET digest = 'other evidence' WHERE sale_id = ''").Error
	}))
	var id string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT id FROM breaks WHERE kind = ?", reconcile.ForeignSale).Scan(&id).Error)
	require.Contains(t, hrefs(dry()), "/reconcile/breaks/"+id, "a known difference has its own page")
}

// sellElsewhere sells the same once more on the account, as other software would.
func (b *bench) sellElsewhere(like sales.Sale, ref string) {
	b.t.Helper()
	body, err := json.Marshal(map[string]any{
		"SkuCode": like.SKUCode, "SendValue": json.Number(like.Quoted().Send.Decimal(2)), "AccountNumber": like.AccountNumber, "DistributorRef": ref, "ValidateOnly": false,
	})
	require.NoError(b.t, err)
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.upstream+"/api/V1/SendTransfer", bytes.NewReader(body))
	require.NoError(b.t, err)
	r.Header.Set("Api_key", "sandbox-key")
	r.Header.Set("Content-Type", "application/json")
	told, err := b.http.Client().Transport.RoundTrip(r)
	require.NoError(b.t, err)
	defer told.Body.Close()
	require.Equal(b.t, http.StatusOK, told.StatusCode)
}

func TestLookSaysWhenTheUpstreamIsAway(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Finance)
	for _, form := range []url.Values{nil, {"dry": {"1"}}} {
		got := w.post("/reconcile/look", form)
		require.Equal(t, http.StatusServiceUnavailable, got.StatusCode)
		require.Contains(t, got.page(t).Find("#reconcile-problem").Text(), "did not answer")
	}
	require.Contains(t, w.get("/reconcile").page(t).Find("main").Text(), "The last check failed")
	drawers, err := b.server.D.Reconcile.LastRun(t.Context(), "drawers")
	require.NoError(t, err)
	require.NotNil(t, drawers, "the drawers are looked at all the same")
}
