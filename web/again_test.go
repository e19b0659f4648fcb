package web

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestAFormWhoseAnswerWasLostIsPressedAgain: what it made is there, once, and nobody reads that somebody else made it.
func TestAFormWhoseAnswerWasLostIsPressedAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		const people, shops, prices, outside = "/admin/people", "/admin/shops", "/admin/prices", "/reconcile/outside"
		const rates, topUps, sellers = "/admin/rates", "/reconcile/topups", "/reconcile/sellers"
		shop, clerk := shops+"/"+b.shop.ID, people+"/"+b.users[staff.Cashier].ID
		boss := people + "/" + b.users[staff.Finance].ID
		soon := b.clock().In(b.shop.Location()).Add(2 * time.Minute).Format("2006-01-02T15:04")
		quay := map[string]string{
			"name": "Quay", "zone": "Europe/Dublin", "country": "IE", "currency": "EUR", "tills": "2",
		}
		hired := map[string]string{"username": "nora", "role": "cashier", "shop": b.shop.ID, "password": password}
		rate := map[string]string{"from_currency": "USD", "to_currency": "EUR", "rate": "0.92", "again": "0.92"}
		planned := maps.Clone(rate)
		planned["valid_from"] = soon
		lost := map[string]string{"password": password + " new", "reason": "lost"}
		paid := map[string]string{"amount": "500", "account": "1010", "reference": "INV 1"}
		for _, c := range []struct {
			role              staff.Role
			page, action, act string
			fields            map[string]string
			other             string // a field whose other value the same page must not be taken for having saved
		}{
			{staff.Finance, prices, rates, "", planned, "rate"}, // holds by the time it is pressed again
			{staff.Admin, shops, shops, "", quay, "address"},
			{staff.Admin, shop, shop, "facts", map[string]string{"address": "2 Quay"}, ""},
			{staff.Admin, shop, shop, "till", map[string]string{"till": "Window"}, "till"},
			{staff.Admin, shop, shop, "till", nil, "till"},
			{staff.Admin, shop, shop, "rename", map[string]string{"till_id": b.tills[0].ID, "till": "Door"}, ""},
			{staff.Admin, people, people, "", hired, "display_name"},
			{staff.Admin, clerk, clerk, "name", map[string]string{"display_name": "Nora", "reason": "asked"}, ""},
			{staff.Admin, clerk, clerk, "name", map[string]string{"display_name": "", "reason": "asked"}, ""},
			{staff.Admin, clerk, clerk, "role", map[string]string{"role": "supervisor", "reason": "promoted"}, ""},
			{staff.Admin, boss, boss, "password", lost, ""},
			{staff.Finance, prices, rates, "", rate, "rate"},
			{staff.Finance, outside, topUps, "", paid, "amount"},
			{staff.Finance, outside, sellers, "", map[string]string{"prefix": "POS2-", "name": "web shop"}, "name"},
		} {
			w := b.signIn(c.role)
			form := w.fill(c.page, c.action, c.act, c.fields)
			made := w.post(c.action, form)
			require.Equal(t, http.StatusSeeOther, made.StatusCode, "%v: %s", c, made.body)
			b.pass(4 * time.Minute) // the page was looked at for a while
			before := b.acts()
			again := w.post(c.action, form)
			require.Equal(t, http.StatusSeeOther, again.StatusCode, "%v: %s", c, again.body)
			require.Equal(t, made.Header.Get("Location"), again.Header.Get("Location"))
			if c.other != "" {
				form.Set(c.other, "1")
				require.NotEqual(t, http.StatusSeeOther, w.post(c.action, form).StatusCode, c)
			}
			require.Equal(t, before, b.acts(), "%v is on record once", c)
		}
	})
}

// acts is how many acts are on record.
func (b *bench) acts() int {
	b.t.Helper()
	records, err := b.audit().List(b.t.Context(), audit.Filter{Limit: -1})
	require.NoError(b.t, err)
	return len(records)
}

// TestWhatIsMadeByAnotherFormIsToldApart: the same payment that is entered twice is one too many.
func TestWhatIsMadeByAnotherFormIsToldApart(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Finance)
	for _, status := range []int{http.StatusSeeOther, http.StatusUnprocessableEntity} {
		got := w.post("/reconcile/topups", w.fill("/reconcile/outside", "/reconcile/topups", "",
			map[string]string{"amount": "500", "account": "1010", "reference": "INV 1"}))
		require.Equal(t, status, got.StatusCode, got.body)
	}
	declare := func(by staff.Role) error {
		return b.server.D.Reconcile.DeclareSeller(t.Context(), audit.Actor{UserID: b.users[by].ID}, "POS", "till")
	}
	require.NoError(t, declare(staff.Finance))
	require.Equal(t, "foreign.taken", fault.CodeOf(declare(staff.Admin)), "somebody else's")
}
