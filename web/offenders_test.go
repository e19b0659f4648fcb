package web

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// breaks are what the program never writes: half a booking, a drawer, a reserve and a history that do not fit, the
// report of a shift that is open, and a protection taken away.
func breaks(t *testing.T, b *bench, sale sales.Sale) {
	t.Helper()
	drop := "DROP TRIGGER sale_events_no_update"
	if b.db.Dialect() == store.Postgres {
		drop = "DROP TRIGGER sale_events_append_only ON sale_events"
	}
	for _, sql := range []string{
		drop, "UPDATE sale_events SET cause = 'called_off' WHERE seq = 3", "UPDATE shifts SET opening_micros = opening_micros + 1000000",
		"INSERT INTO z_reports (shift_id, shop_id, till_id, number, at, document, hash) SELECT id, shop_id, till_id, number, opened_at, '{}', '' " +
			"FROM shifts WHERE id = '" + sale.ShiftID + "'",
		"INSERT INTO postings (journal, line, kind, account, micros, currency, at) VALUES ('" + sale.ID + "/2/J2', 9, 'J2', '1110', 5000000, 'EUR', CURRENT_TIMESTAMP)",
	} {
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			return tx.Exec(sql).Error
		}), sql)
	}
}

// TestWhatAChecksFindsIsInWordsOfAShop, by the names people know, with no id or code; those are folded away.
func TestWhatAChecksFindsIsInWordsOfAShop(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		path := b.signIn(staff.Cashier).sellTopUp()
		b.becomes(path, sales.Complete)
		sale := b.saleAt(path)
		breaks(t, b, sale)
		run, err := b.checks.Verify(t.Context(), "test")
		require.NoError(t, err)
		require.False(t, run.Holds)

		w := b.signIn(staff.Admin)
		page := w.get("/admin/health").page(t)
		said := squeezed(page.Find(".checks").Text())
		for _, words := range []string{
			"Sale " + frame.Spelled(sale.Code), frame.Masked(sale.AccountNumber), "Step 3 of its history is one that no sale can take.",
			"Its two sides differ by €5.00.", "It opened with €", "It has a Z report although it is open.", "Protection in the database", "It is missing.",
		} {
			require.Contains(t, said, words)
		}
		require.NotContains(t, said, sale.AccountNumber)
		require.Positive(t, page.Find(`.offenders a[href="/sales/`+sale.ID+`"]`).Length())
		require.Positive(t, page.Find(`.offenders a[href="/shift/`+sale.ShiftID+`"]`).Length())
		require.Contains(t, page.Find(`details [lang="en"]`).Text(), sale.ID, "for support")
		page.Find("details .code").Remove()
		require.NotRegexp(t, anID, page.Find("main").Text())
		plain := &crawl{t: t, unplain: map[string]string{}}
		plain.read("/admin/health/", page)
		require.Empty(t, plain.unplain)

		w.post("/language", url.Values{"language": {"ar"}, "next": {"/"}})
		page = w.get("/admin/health").page(t)
		require.Contains(t, squeezed(page.Find(".offenders").Text()), "من تاريخها لا يمكن أن تمر بها عملية")
		require.Contains(t, page.Find(".offenders").Text(), "\u2066"+frame.Masked(sale.AccountNumber)+"\u2069")
		page.Find("details").Remove()
		require.Zero(t, page.Find(`.checks [lang="en"]`).Length())
		require.NotRegexp(t, `€5\.00 EUR|sale\.|shift\.`, page.Find(".offenders").Text())
	})
}

// TestAnOffenderOfBeforeThereWereKindsIsStillShown, folded away, in the English it was stored in.
func TestAnOffenderOfBeforeThereWereKindsIsStillShown(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	_, err := b.checks.Verify(t.Context(), "test")
	require.NoError(t, err)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`UPDATE verify_runs SET holds = ?, findings = '[{"Name":"I6","Rule":"x","Offenders":[{"Subject":"1110","Problem":"holds 5.00 EUR although no sale is open"}]}]'`, false).Error
	}))
	checks := b.signIn(staff.Manager).get("/admin/health").page(t).Find(".checks")
	require.Equal(t, "1110: holds 5.00 EUR although no sale is open", squeezed(checks.Find(`details [lang="en"]`).Text()))
}

// TestTheFileOfHealthSaysThatThereIsMore than a check names, as its page does.
func TestTheFileOfHealthSaysThatThereIsMore(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	_, err := b.checks.Verify(t.Context(), "test")
	require.NoError(t, err)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`UPDATE verify_runs SET holds = ?, findings = '[{"Name":"I6","Rule":"x","More":7,"Offenders":[{"Subject":"1110","Kind":"postings.apart"}]}]'`, false).Error
	}))
	w := b.signIn(staff.Manager)
	require.Contains(t, squeezed(w.get("/admin/health").page(t).Find(".checks").Text()), "and 7 more")
	require.Contains(t, w.get("/admin/health?file=csv").body, "and 7 more")
}

// TestAManagerSeesNoNameOfAnotherShop in what a check found: neither a name nor a link.
func TestAManagerSeesNoNameOfAnotherShop(t *testing.T) {
	t.Parallel()
	b, own, other := twoShops(t, nil)
	mine, theirs := own.ids["/sales/:id"], other.ids["/sales/:id"]
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET events = events + 1 WHERE id IN (?, ?)", mine, theirs).Error
	}))
	_, err := b.checks.Verify(t.Context(), "test")
	require.NoError(t, err)
	linked := func(role staff.Role, id string) int {
		return b.signIn(role).get("/admin/health").page(t).Find(`.offenders a[href="/sales/` + id + `"]`).Length()
	}
	require.Equal(t, []int{1, 1}, []int{linked(staff.Admin, mine), linked(staff.Admin, theirs)})
	require.Equal(t, []int{1, 0}, []int{linked(staff.Manager, mine), linked(staff.Manager, theirs)})
	page := b.signIn(staff.Manager).get("/admin/health").page(t)
	require.Regexp(t, "^Sale( Sale)*$", squeezed(page.Find(".offenders strong").Text()), "no more of it")
}
