package web

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestOfTwoWhoSignInAtOnceEachGetsATill: neither has opened a shift yet.
func TestOfTwoWhoSignInAtOnceEachGetsATill(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		first := b.signIn(staff.Cashier)
		b.openTill(first)
		_, err := b.staff.AddTill(t.Context(), setup, staff.Till{ShopID: b.shop.ID, Name: "Till 3"})
		require.NoError(t, err)
		var places sync.Map
		var group sync.WaitGroup
		for _, name := range []string{"brid", "cait"} {
			_, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: name, Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
			require.NoError(t, err)
			w := b.browser()
			w.get("/login")
			group.Go(func() {
				location := w.post("/login", url.Values{"username": {name}, "password": {password}}).Header.Get("Location")
				p, _, live, err := b.staff.Present(t.Context(), w.session())
				if location == "/" && live && err == nil {
					places.Store(p.Till.ID, name)
				}
			})
		}
		group.Wait()
		count := 0
		places.Range(func(till, _ any) bool { count++; require.NotEqual(t, b.tills[0].ID, till); return true })
		require.Equal(t, 2, count, "two people, two tills")
	})
}

// Who signs in where somebody else works takes a free till, or is asked.
func TestATillInUseIsNotSharedInSilence(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	first := b.signIn(staff.Cashier)
	b.openTill(first)
	at := func(w *browser) string {
		p, _, live, err := b.staff.Present(t.Context(), w.session())
		require.NoError(t, err)
		require.True(t, live)
		return p.Till.ID
	}
	_, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "brid", Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
	require.NoError(t, err)
	signIn := func(w *browser, name string) string {
		return w.post("/login", url.Values{"username": {name}, "password": {password}}).Header.Get("Location")
	}
	brid := b.browser()
	require.Equal(t, "/", signIn(brid, "brid"))
	require.NotEqual(t, at(first), at(brid), "the free till")
	b.openTill(brid)

	_, err = b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "cait", Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
	require.NoError(t, err)
	cait := b.browser()
	asked := signIn(cait, "cait")
	require.Equal(t, "/till?till="+at(cait), asked)
	require.Contains(t, cait.get(asked).page(t).Find("form.sheet").Text(), "Take")
	require.Equal(t, asked, cait.get("/counter").Header.Get("Location"), "nothing is sold before that is answered")
	require.Equal(t, asked, cait.get("/shift").Header.Get("Location"))
	taken := cait.post("/till", with(fieldsOf(cait.get(asked).page(t).Find("form.sheet"))))
	require.Equal(t, http.StatusSeeOther, taken.StatusCode)
	require.Equal(t, http.StatusOK, cait.get("/shift").StatusCode)
}

// TestWhoIsAskedAboutGivesWay: of somebody else who took the till over meanwhile it is asked anew.
func TestWhoIsAskedAboutGivesWay(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	first, brid, cait := b.signIn(staff.Cashier), b.browser(), b.browser()
	b.openTill(first)
	for name, w := range map[string]*browser{"brid": brid, "cait": cait} {
		_, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: name, Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
		require.NoError(t, err)
		w.post("/login", url.Values{"username": {name}, "password": {password}})
	}
	ask := "/till?till=" + b.tills[0].ID
	asked := with(fieldsOf(brid.get(ask).page(t).Find("form.sheet")))
	require.Equal(t, "/counter", cait.post("/till", with(fieldsOf(cait.get(ask).page(t).Find("form.sheet")))).Header.Get("Location"))
	require.Equal(t, ask, brid.post("/till", asked).Header.Get("Location"))
	require.Contains(t, brid.get(ask).page(t).Find("form.sheet").Text(), "cait stops selling there at once")
	require.Equal(t, http.StatusOK, cait.get("/shift").StatusCode, "she works there")
	asked = with(fieldsOf(brid.get(ask).page(t).Find("form.sheet")))
	for range 2 { // a double click
		require.Equal(t, "/counter", brid.post("/till", asked).Header.Get("Location"))
		require.Equal(t, http.StatusOK, brid.get("/shift").StatusCode)
	}
	require.Equal(t, http.StatusConflict, cait.get("/shift").StatusCode)
}

// TestATillThatAnotherOpensMeanwhileIsNotSharedInSilence: who sat there before there was a shift is asked, too.
func TestATillThatAnotherOpensMeanwhileIsNotSharedInSilence(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	first, boss, brid := b.signIn(staff.Cashier), b.signIn(staff.Manager), b.browser()
	_, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "brid", Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
	require.NoError(t, err)
	brid.post("/login", url.Values{"username": {"brid"}, "password": {password}})
	for _, w := range []*browser{first, boss, brid} {
		require.Equal(t, "/counter", w.post("/till", url.Values{"till": {b.tills[1].ID}}).Header.Get("Location"))
	}
	float := filled(formOf(t, first.get("/shift"), "/shift/open"), "float", "100")
	b.openTill(brid)
	ask := "/till?till=" + b.tills[1].ID
	for _, path := range []string{"/counter", "/shift"} {
		require.Equal(t, ask, first.get(path).Header.Get("Location"), path)
	}
	require.Equal(t, ask, first.post("/shift/open", float).Header.Get("Location"), "though it began with as much")
	require.Equal(t, http.StatusOK, boss.get("/shift").StatusCode, "whoever is in charge works at any till")
	require.Equal(t, http.StatusOK, brid.get("/shift").StatusCode)
	require.Equal(t, "/counter", first.post("/till", with(fieldsOf(first.get(ask).page(t).Find("form.sheet")))).Header.Get("Location"))
	require.Equal(t, http.StatusOK, first.get("/shift").StatusCode)
}

// TestPeopleWhoComeByAPINShareADrawer, whoever opens the shift, and when.
func TestPeopleWhoComeByAPINShareADrawer(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w, brid := b.trustedTill(staff.Cashier), b.browser()
	_, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "brid", Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
	require.NoError(t, err)
	brid.post("/login", url.Values{"username": {"brid"}, "password": {password}})
	for _, at := range []*browser{w, brid} {
		require.Equal(t, "/counter", at.post("/till", url.Values{"till": {b.tills[1].ID}}).Header.Get("Location"))
	}
	w.post("/lock", url.Values{"csrf": {w.csrf("/account")}})
	require.Equal(t, http.StatusSeeOther, w.unlock(pinned[staff.Cashier]).StatusCode)
	b.openTill(brid)
	require.Equal(t, http.StatusOK, w.get("/shift").StatusCode)
}

// TestADrawerIsNotClosedByWhomItWasTakenFrom: somebody else answers for it now. Those in charge of the shop may close any.
func TestADrawerIsNotClosedByWhomItWasTakenFrom(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w, boss := b.signIn(staff.Cashier), b.signIn(staff.Supervisor)
	b.openTill(w)
	count := filled(formOf(t, w.get("/shift/close"), "/shift/close"), "loose", "100")
	path := "/shift/close?shift=" + count.Get("shift")
	_, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "brid", Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
	require.NoError(t, err)
	brid := b.browser()
	brid.post("/login", url.Values{"username": {"brid"}, "password": {password}})
	taken := brid.post("/till", url.Values{"till": {b.tills[0].ID}, "take": {"1"}})
	require.Equal(t, "/counter", taken.Header.Get("Location"))

	for _, got := range []answer{w.get(path), w.post("/shift/close", count)} {
		require.Equal(t, http.StatusConflict, got.StatusCode, got.Header.Get("Location"))
		require.Contains(t, got.page(t).Text(), "took it over at 12:00 on another device.")
	}
	require.Equal(t, http.StatusOK, brid.get("/shift").StatusCode, "it is open")
	report := boss.closeAt(path, "loose", "100")
	require.Equal(t, "/shift/"+count.Get("shift"), report)
	require.Equal(t, report, w.get(path).Header.Get("Location"), "what is over may be read about")
}

// TestAnOpenShiftWithoutASeatStopsNobody: a seat may be empty, as the column allows.
func TestAnOpenShiftWithoutASeatStopsNobody(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		opener, other := b.signIn(staff.Cashier), b.signIn(staff.Supervisor)
		b.openTill(opener)
		exec := func(statement string) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(statement).Error }))
		}
		exec("UPDATE shifts SET seat = '', seat_by = '', seat_at = NULL")
		for _, path := range []string{"/till", "/counter", "/shift"} {
			for _, w := range []*browser{opener, other} {
				require.Less(t, w.get(path).StatusCode, http.StatusInternalServerError, path)
			}
		}
	})
}

// TestAShiftOfAnotherDayIsSaidToBe: "since 12:00" alone reads as today's.
func TestAShiftOfAnotherDayIsSaidToBe(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	says := func() string {
		return strings.TrimSpace(b.atTill(staff.Cashier).get("/counter").page(t).Find(`.pill[href="/shift"]`).Text())
	}
	require.Equal(t, "Shift since 12:00", says())
	b.pass(24 * time.Hour)
	require.Equal(t, "Shift since 1 Mar 2026, 12:00", says())
}
