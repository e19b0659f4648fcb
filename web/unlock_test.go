package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// pinned are the PINs of the benches' users.
var pinned = map[staff.Role]string{staff.Cashier: "4826", staff.Supervisor: "73910", staff.Manager: "905172"}

// trustedTill is a browser at a till that takes PINs, in which these roles gave
// their password today; the last is signed in.
func (b *bench) trustedTill(roles ...staff.Role) *browser {
	b.t.Helper()
	w := b.browser()
	for _, role := range append([]staff.Role{staff.Manager}, roles...) {
		w.logIn(role)
		set := w.post("/account/pin", url.Values{"csrf": {w.csrf("/account")}, "password": {password}, "pin": {pinned[role]}})
		require.Equal(b.t, http.StatusSeeOther, set.StatusCode, set.body)
		if role == staff.Manager {
			require.Equal(b.t, http.StatusSeeOther, w.post("/account/trust", url.Values{"csrf": {w.csrf("/account")}}).StatusCode)
		}
	}
	return w
}

// logIn signs in by password in this browser, whoever was there before.
func (w *browser) logIn(role staff.Role) {
	w.b.t.Helper()
	delete(w.cookies, w.b.server.CookieName("session"))
	got := w.post("/login", url.Values{"username": {string(role)}, "password": {password}})
	require.Equal(w.b.t, http.StatusSeeOther, got.StatusCode, got.body)
}

func (w *browser) unlock(pin string) answer {
	w.b.t.Helper()
	form := w.get("/unlock?next=/whoami")
	require.Equal(w.b.t, http.StatusOK, form.StatusCode, "no PIN is taken here")
	return w.post("/unlock", url.Values{"csrf": {form.page(w.b.t).Find("input[name=csrf]").AttrOr("value", "")}, "pin": {pin}, "next": {"/whoami"}})
}

func TestAPINAndEnterChangeTheCashier(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.trustedTill(staff.Supervisor, staff.Cashier)
		require.Equal(t, "cashier", w.who())
		before := w.session()
		here, _, _, err := b.staff.Present(t.Context(), before)
		require.NoError(t, err)
		locked := w.post("/lock", url.Values{"csrf": {w.csrf("/account")}, "next": {"/counter?number=0871234567"}})
		require.Equal(t, "/unlock?next=%2Fcounter%3Fnumber%3D0871234567", locked.Header.Get("Location"))
		_, _, live, err := b.staff.Present(t.Context(), before)
		require.NoError(t, err)
		require.False(t, live, "the session before is over")

		require.Equal(t, http.StatusUnprocessableEntity, w.unlock("9999").StatusCode)
		got := w.unlock(pinned[staff.Supervisor])
		require.Equal(t, "/whoami", got.Header.Get("Location"), got.body)
		require.Equal(t, "supervisor", w.who())
		require.NotEqual(t, before, w.session())
		p, _, live, err := b.staff.Present(t.Context(), w.session())
		require.NoError(t, err)
		require.True(t, live)
		require.Equal(t, here.Till.Name, p.Till.Name, "at the same till")
		require.NotContains(t, b.log.String(), pinned[staff.Supervisor])
	})
}

// Two have the same PIN: whoever has said which of them they are is not asked by a slip of the finger to begin again.
// The PIN alone would then be a try at both, until neither has one left.
func TestWhoSaidWhoTheyAreMayMistype(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.trustedTill(staff.Cashier)
	pin := url.Values{"csrf": {w.csrf("/account")}, "password": {password}, "pin": {pinned[staff.Manager]}}
	require.Equal(t, http.StatusSeeOther, w.post("/account/pin", pin).StatusCode)
	w.post("/lock", url.Values{"csrf": {w.csrf("/account")}})
	who := w.unlock(pinned[staff.Manager])
	require.Equal(t, http.StatusConflict, who.StatusCode)
	form := url.Values{
		"csrf": {who.page(t).Find("input[name=csrf]").AttrOr("value", "")},
		"user": {b.users[staff.Manager].ID}, "pin": {"8531"},
	}
	wrong := w.post("/unlock", form)
	require.Equal(t, http.StatusUnprocessableEntity, wrong.StatusCode)
	chosen := wrong.page(t).Find("select[name=user] option[selected]")
	require.Equal(t, b.users[staff.Manager].ID, chosen.AttrOr("value", "nobody"))
	form.Set("pin", pinned[staff.Manager])
	require.Equal(t, http.StatusSeeOther, w.post("/unlock", form).StatusCode)
	require.Equal(t, "manager", w.who())
}

func TestAnIdleSessionIsUnlockedAndADayIsNot(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.trustedTill(staff.Cashier)
	b.pass(staff.SessionIdle)
	require.Equal(t, "/unlock?next=%2Fcounter", w.get("/counter").Header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, w.unlock(pinned[staff.Cashier]).StatusCode)
	require.Equal(t, "cashier", w.who())
	b.pass(staff.SessionAbsolute)
	require.Equal(t, "/login?next=%2Fcounter", w.get("/counter").Header.Get("Location"))
}

func TestPINsAreTakenNowhereElse(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.trustedTill(staff.Cashier)
	other := b.signIn(staff.Cashier)
	require.Equal(t, http.StatusSeeOther, other.post("/lock", url.Values{"csrf": {other.csrf("/account")}}).StatusCode)
	require.True(t, strings.HasPrefix(other.get("/unlock").Header.Get("Location"), "/login"), "another browser asks for the password")
	require.True(t, strings.HasPrefix(other.post("/unlock", url.Values{"pin": {pinned[staff.Cashier]}}).Header.Get("Location"), "/login"))

	_ = w.post("/lock", url.Values{"csrf": {w.csrf("/account")}})
	for range 4 {
		require.Equal(t, http.StatusUnprocessableEntity, w.unlock("1111").StatusCode)
	}
	require.True(t, strings.HasPrefix(w.unlock("1111").Header.Get("Location"), "/login"), "five wrong tries ask for the password")
	require.True(t, strings.HasPrefix(w.get("/unlock").Header.Get("Location"), "/login"))
	late := w.post("/unlock", url.Values{"csrf": {w.csrf("/login")}, "pin": {pinned[staff.Cashier]}})
	require.True(t, strings.HasPrefix(late.Header.Get("Location"), "/login"), "the right one comes too late")
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Cashier).post("/account/trust", nil).StatusCode)
}

// TestATillThatTakesNoPINDoesNotLock: whoever takes the trust from their own till would have to type their password
// after three minutes without a touch.
func TestATillThatTakesNoPINDoesNotLock(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.trustedTill()
	locksAfter := func() string { return w.get("/account").page(t).Find("[data-lock]").AttrOr("data-lock", "") }
	require.Equal(t, "180", locksAfter())
	device := w.get("/account").page(t).Find("input[name=device]").AttrOr("value", "")
	form := url.Values{"csrf": {w.csrf("/account")}, "device": {device}}
	require.Equal(t, http.StatusSeeOther, w.post("/account/distrust", form).StatusCode)
	require.Equal(t, "0", locksAfter())
	require.Equal(t, http.StatusSeeOther, w.post("/account/trust", url.Values{"csrf": {w.csrf("/account")}}).StatusCode)
	require.Equal(t, "180", locksAfter())
}

func TestASaleSurvivesTheEndOfItsSession(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	sku := fixed(t, w.get("/counter?number="+irish))
	form := confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))
	b.pass(staff.SessionIdle + time.Second)
	require.NoError(t, b.server.D.Catalog.SyncStatuses(t.Context()))
	require.NoError(t, b.server.D.Catalog.Refresh(t.Context()))

	gate := w.post("/sales", form).Header.Get("Location")
	require.True(t, strings.HasPrefix(gate, "/login?next="), gate)
	target, err := url.Parse(gate)
	require.NoError(t, err)
	next := target.Query().Get("next")
	again := w.post("/login", url.Values{"username": {"cashier"}, "password": {password}, "next": {next}})
	require.Equal(t, next, again.Header.Get("Location"))
	kept := confirmed(t, w.get(next))
	require.Equal(t, form.Get("key"), kept.Get("key"), "the same name for the sale")
	require.Equal(t, form.Get("sku"), kept.Get("sku"))
	require.Equal(t, http.StatusSeeOther, w.post("/sales", kept).StatusCode)
}
