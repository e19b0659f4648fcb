package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// readers are the roles that see Today.
var readers = []staff.Role{staff.Manager, staff.Finance, staff.Auditor, staff.Admin}

// TestEveryKindOfIncidentLeadsSomewhere on Today, for whoever reads it: with a sale
// to its page, without one to where it is dealt with.
func TestEveryKindOfIncidentLeadsSomewhere(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	path := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Complete)
	readings := map[staff.Role]*browser{}
	for _, role := range readers {
		readings[role] = b.signIn(role)
	}
	subjects := []string{"", strings.TrimPrefix(path, "/sales/"), "ref:AB3D01JZZZZZZZZZZZZZZZZZZZZZZZ01"}
	for _, kind := range sales.IncidentKinds() {
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.Exec("DELETE FROM incidents").Error; err != nil {
				return err
			}
			for _, subject := range subjects {
				if err := sales.RaiseIncident(t.Context(), tx, sales.Incident{Kind: kind, SaleID: subject, At: b.clock()}); err != nil {
					return err
				}
			}
			return nil
		}))
		for _, role := range readers {
			w := readings[role]
			alerts := w.get("/today").page(t).Find("#today .alerts li")
			require.Equal(t, len(subjects), alerts.Length(), "%s for %s", kind, role)
			ofSale := 0
			alerts.Each(func(_ int, a *goquery.Selection) {
				link := a.Find("a").AttrOr("href", "")
				require.NotEmpty(t, link, "%s for %s leads nowhere", kind, role)
				require.NotContains(t, []string{"/", "/today"}, link, "%s leads back to itself", kind)
				require.Equal(t, http.StatusOK, w.get(link).StatusCode, "%s for %s: %s", kind, role, link)
				if link == path {
					ofSale++
				}
				if kind == sales.LowFloat && link != path {
					require.Equal(t, "/reconcile/outside", link)
				}
			})
			require.Equal(t, 1, ofSale, "%s for %s", kind, role)
			w.get("/admin/health").page(t).Find(".alerts a").Each(func(_ int, a *goquery.Selection) {
				require.Equal(t, http.StatusOK, w.get(a.AttrOr("href", "")).StatusCode, "%s for %s", kind, role)
			})
		}
	}
}

// TestTodayTellsNothingOfOtherShopsSales: her link to them would lead nowhere, too.
func TestTodayTellsNothingOfOtherShopsSales(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	path := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Complete)
	const other = "01ZZZZZZZZZZZZZZZZZZZZZZZZ"
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for _, sale := range []string{strings.TrimPrefix(path, "/sales/"), other} {
			if err := sales.RaiseIncident(t.Context(), tx, sales.Incident{Kind: sales.LateSuccess, SaleID: sale, At: b.clock()}); err != nil {
				return err
			}
		}
		return nil
	}))
	links := func(role staff.Role) (all []string) {
		b.signIn(role).get("/today").page(t).Find("#today .alerts a").Each(func(_ int, a *goquery.Selection) { all = append(all, a.AttrOr("href", "")) })
		return all
	}
	require.Equal(t, []string{path}, links(staff.Manager))
	require.ElementsMatch(t, []string{path, "/sales/" + other}, links(staff.Auditor))
}

// TestEveryBarLeadsSomewhere for who reads it in the office: alerts by each rule, a
// float that ran low, prices that grew old, an upstream that says nothing.
func TestEveryBarLeadsSomewhere(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return sales.RaiseIncident(t.Context(), tx, sales.Incident{Kind: sales.LowFloat, At: b.clock()})
	}))
	leads := func(role staff.Role) (n int) {
		w := b.signIn(role)
		w.get("/admin/health").page(t).Find(".banner:not([hidden])").Each(func(_ int, bar *goquery.Selection) {
			link := bar.Find("a").AttrOr("href", "")
			require.NotContains(t, []string{"", "/", "/today"}, link, "%s for %s leads nowhere", bar.Text(), role)
			require.Equal(t, http.StatusOK, w.get(link).StatusCode, "%s for %s: %s", bar.Text(), role, link)
			n++
		})
		return n
	}
	b.pass(25 * time.Hour)
	for _, role := range readers {
		require.Equal(t, 1, leads(role), "never more than one line: of float, prices and upstream the worst")
	}
	for _, rule := range []string{alert.FloatLow, alert.FloatReserve, alert.FloatRunway, alert.BreakOpen, alert.VerifyFailed, alert.JobFailed, alert.WebhookStorm, "a_rule_to_come"} {
		b.raise(rule, alert.Critical, "1", "2")
	}
	for _, role := range readers {
		told := 8
		if role == staff.Manager {
			told -= 2 // of differences and marks of other shops
		}
		require.Equal(t, 1+told, leads(role), "one line, and the alerts in their panel")
	}
}
