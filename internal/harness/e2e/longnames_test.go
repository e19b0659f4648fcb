//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// TestNamesOfOneLongWordFit: a shop, a till, a person, an operator and a product whose names are one word of the longest
// that is taken make no page wider than its window, and none of them is cut off in it.
func TestNamesOfOneLongWordFit(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	cashier := w.atCounter(t, p)
	v := prepareViews(t, w, cashier)
	lengthen(t, w.databaseURL())
	manager := newBrowser(t, p.url)
	manager.signIn("manager", w.password)
	for b, views := range map[*browser][]screen{
		cashier: {
			{name: "the number", path: "/counter"},
			{name: "sent", path: v.sent},
			{name: "the sales", path: "/sales"},
			{name: "the shift", path: "/shift"},
			{name: "which till", path: "/till"},
			{name: "the account", path: "/account"},
		},
		manager: {
			{name: "today", path: "/"},
			{name: "past shifts", path: "/shifts"},
			{name: "who works here", path: "/till"},
			{name: "cashiers", path: "/reports/cashiers"},
			{name: "products", path: "/reports/products"},
		},
	} {
		for _, width := range []int64{320, 1024} {
			b.walk(views, width, func(s screen) {
				if wide := asks[string](b, tooWide+` || `+tooNarrow); wide != "" {
					t.Errorf("%s, %d px: %s", s.name, width, wide)
				}
			})
		}
	}
}

// lengthen makes names one word of 200 letters.
func lengthen(t *testing.T, address string) {
	t.Helper()
	db, err := store.Open(t.Context(), address)
	require.NoError(t, err)
	word := strings.Repeat("Prepaidguthabenaufladung", 9)[:200]
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		for table, column := range map[string]string{
			"shops": "name", "tills": "name", "users": "display_name", "sales": "product_text",
		} {
			if err := tx.Exec("UPDATE "+table+" SET "+column+" = ?", word).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, db.Close())
}
