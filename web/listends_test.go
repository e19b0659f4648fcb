package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/till"
)

// TestAFullPageOfAListIsItsLastOne where nothing more is there, and leads on where there is.
func TestAFullPageOfAListIsItsLastOne(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	sale := b.saleAt(b.atTill(staff.Cashier).sellTopUp())
	finance, auditor := b.signIn(staff.Finance), b.signIn(staff.Auditor)
	reader := func(path string) *browser {
		if strings.HasPrefix(path, "/admin/audit") {
			return auditor
		}
		return finance
	}
	shop, till, cashier := b.shop.ID, b.tills[1].ID, b.users[staff.Cashier].ID
	more := func(from, to int) {
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			for i := from; i <= to; i++ {
				e := audit.Entry{Actor: audit.Command("a test"), Act: audit.TillAdded, Subject: audit.Of(audit.Till, "1")}
				if err := b.audit().Write(t.Context(), tx, e); err != nil {
					return err
				}
			}
			n := fmt.Sprintf("FROM n WHERE i >= %d", from)
			return fill(tx, to,
				`INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency, opening_micros, opened_at, closed_at,
				counted_micros) SELECT 'old-' || i, '`+shop+`', '`+till+`', i, '`+cashier+`', 'EUR', 0, @at, @at, 0 `+n,
				`INSERT INTO statements (id, shop_id, number, day, from_at, to_at, last_posting, closed_at, document, hash)
				SELECT 'old-' || i, '`+shop+`', i, '2026-02-01-' || (1000 + i), @at, @at, 0, @at, '{}', '' `+n,
			)
		}))
	}
	copied := func(from, to int) { b.copySale(sale, max(from, 2), to) } // it is the first
	for _, list := range []struct {
		path, next string
		rows       int
		add        func(from, to int)
	}{
		{"/admin/audit?action=" + string(audit.TillAdded), "main p > a.button[href*=before]", 100, more},
		{"/shifts?from=2026-03-01&to=2026-03-01&till=" + till, ".page-foot a", 100, nil},
		{"/shifts?till=" + till, ".page-foot a", 100, nil},
		{"/statements?month=2026-02", ".page-foot a", 100, nil},
		{"/sales?from=2026-03-01&to=2026-03-01", ".page-foot a", 200, copied},
	} {
		if list.add != nil {
			list.add(1, list.rows)
		}
		page := reader(list.path).get(list.path).page(t)
		rows := page.Find("main table tbody tr").Length()
		require.Equal(t, list.rows, min(rows, list.rows), list.path)
		require.Zero(t, page.Find(list.next).Length(), list.path)
	}
	more(101, 101)
	copied(201, 201)
	for _, list := range [][2]string{
		{"/admin/audit?action=" + string(audit.TillAdded), "main p > a.button[href*=before]"},
		{"/shifts?from=2026-03-01&to=2026-03-01&till=" + till, ".page-foot a"},
		{"/shifts?till=" + till, ".page-foot a"},
		{"/statements?month=2026-02", ".page-foot a"},
		{"/sales?from=2026-03-01&to=2026-03-01", ".page-foot a"},
	} {
		w := reader(list[0])
		next, on := w.get(list[0]).page(t).Find(list[1]).Attr("href")
		require.True(t, on, list[0])
		require.Equal(t, 1, w.get(next).page(t).Find("main table tbody tr").Length(), next)
	}
}

// copySale stores further sales like one, as often as there are numbers from one to another.
func (b *bench) copySale(like sales.Sale, from, to int) {
	b.t.Helper()
	require.NoError(b.t, b.db.Tx(b.t.Context(), func(tx *store.Tx) error {
		for i := from; i <= to; i++ {
			like := like
			like.ID = like.ID[:len(like.ID)-4] + fmt.Sprintf("%04d", i)
			like.Ref, like.Code, like.IdempotencyKey = like.ID+"REF", like.ID, like.ID
			like.Number += i
			if err := tx.Create(&like).Error; err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestAListThatEndsSaysSo, and where the rest is.
func TestAListThatEndsSaysSo(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}]`)
	path := b.atTill(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Unknown)
	b.pass(46 * 24 * time.Hour)
	sale := b.saleAt(path)
	add := func(last int) {
		b.copySale(sale, last-1, last-1)
		b.stand(reconcile.Break{Kind: reconcile.BalanceDown, ShopID: fmt.Sprint(last), Micros: -1_000_000})
	}
	b.copySale(sale, 1, 198)
	for i := range 199 {
		b.stand(reconcile.Break{Kind: reconcile.BalanceDown, ShopID: fmt.Sprint(i), Micros: -1_000_000})
	}
	outside := func(from, to int) {
		n := fmt.Sprintf("FROM n WHERE i >= %d", from)
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return fill(tx, to,
				`INSERT INTO top_ups (id, micros, currency, account, reference, entered_at, entered_by, approved_by)
				SELECT 'old-' || i, 1000000, 'EUR', '1010', 'bank' || i, @at, '', '' `+n,
				`INSERT INTO foreign_sales (transfer_ref, ref, seller, sku_code, micros, currency, booked_at)
				SELECT 'old-' || i, 'KIOSK' || i, 'KIOSK', 'SKU9', -5000000, 'EUR', @at `+n,
			)
		}))
	}
	w := b.signIn(staff.Finance)
	said := func(page string) int {
		return strings.Count(w.get(page).page(t).Find("main").Text(), "Download the CSV file for all of them")
	}
	add(200)
	outside(1, 50)
	for _, page := range []string{"/reconcile", "/reconcile/verdicts", "/reconcile/outside"} {
		require.Zero(t, said(page), page)
	}
	add(201)
	outside(51, 51)
	require.Equal(t, 1, said("/reconcile"))
	require.Equal(t, 1, said("/reconcile/verdicts"))
	require.Equal(t, 2, said("/reconcile/outside"))
	for _, list := range []string{"/reconcile", "/reconcile/verdicts"} {
		file := w.get(list + "?file=csv")
		require.Equal(t, 1+201, strings.Count(strings.TrimSpace(file.body), "\n")+1, list)
	}
	require.Contains(t, w.get("/today").page(t).Find("#today").Text(), "201")
}

// TestEveryDifferenceThatOffsetsOneIsOffered, the newest too: the one sought may be any of them.
func TestEveryDifferenceThatOffsetsOneIsOffered(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	for i := range reconcile.QueueListed + 1 {
		b.stand(reconcile.Break{Kind: reconcile.MissingUpstream, ShopID: fmt.Sprint(i), Micros: 5_000_000, FloatMicros: 5_000_000})
	}
	page := b.signIn(staff.Finance).get(b.stand(reconcile.Break{Kind: reconcile.ForeignSale, Micros: -5_000_000, FloatMicros: -5_000_000})).page(t)
	require.Equal(t, reconcile.QueueListed+1, page.Find(`[name="other"]`).Length())
}

// TestTodayNamesEveryOpenDrawer, the one that was opened first, too: it may have been forgotten.
func TestTodayNamesEveryOpenDrawer(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return fill(tx, till.Listed+1, `INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency, opening_micros, opened_at)
			SELECT 'open-' || (1000 + i), '`+b.shop.ID+`', 'till-' || i, 1, '`+b.users[staff.Cashier].ID+`', 'EUR', 0, @at FROM n`)
	}))
	page := b.signIn(staff.Finance).get("/today").page(t)
	require.Equal(t, 1, page.Find(`#today a[href="/shift/open-1001"]`).Length())
}
