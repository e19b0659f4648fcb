package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/receipt"
	"airtill/internal/reconcile"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// place is a shop as the routes name its things: by the beginning of a route's
// pattern, up to the parameter.
type place struct {
	name string // own or other
	ids  map[string]string
	till staff.Till
	one  staff.User // who works there
}

// twoShops is a bench with two shops that have traded. The people of the bench
// work in the first, and one of each kind of thing is in both.
func twoShops(t *testing.T, change func(*frame.Deps)) (b *bench, own, other place) {
	t.Helper()
	b = invented(t, newBench(t, storetest.New(t), change))
	_, err := b.server.D.Statements.CloseDue(t.Context())
	require.NoError(t, err)
	shops, err := b.staff.Shops(t.Context())
	require.NoError(t, err)
	shops = slices.DeleteFunc(shops, func(s staff.Shop) bool { return s.ID == b.shop.ID })
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE users SET shop_id = ? WHERE shop_id = ?", shops[0].ID, b.shop.ID).Error
	}))
	b.shop = shops[0]
	own, other = b.furnish("own", shops[0]), b.furnish("other", shops[1])
	b.tills = []staff.Till{own.till}
	b.raise("float", alert.Warning, "80.00 EUR")
	var told string
	require.NoError(t, b.db.Read(t.Context()).Table("alerts").Pluck("id", &told).Error)
	now := store.Moment(b.clock())
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		topUp := map[string]any{"id": "top-up", "micros": 1_000_000, "currency": "EUR", "reference": "bank", "account": "1010", "entered_by": "somebody", "entered_at": now, "approved_by": ""}
		return errors.Join(tx.Table("top_ups").Create(topUp).Error, tx.Create(&catalog.Run{ID: "run", Resource: catalog.Products, StartedAt: now, EndedAt: &now, LeaseUntil: now, Outcome: catalog.Done}).Error)
	}))
	for _, p := range []place{own, other} { // which are of no shop
		p.ids["/alerts/:id"], p.ids["/reconcile/topups/:id"], p.ids["/admin/catalogue/runs/:id"] = told, "top-up", "run"
		p.ids["/reports/:name"], p.ids["/logos/:provider"], p.ids["/static/*file"] = "sales", "NONE", "none.css"
	}
	return b, own, other
}

// furnish puts one of each thing into a shop that has traded.
func (b *bench) furnish(name string, shop staff.Shop) place {
	t := b.t
	t.Helper()
	tills, err := b.staff.Tills(t.Context(), shop.ID)
	require.NoError(t, err)
	people, err := b.staff.Users(t.Context())
	require.NoError(t, err)
	p := place{name: name, till: tills[0]}
	for _, u := range people {
		if u.ShopID == shop.ID && u.Role == staff.Cashier {
			p.one = u
		}
	}
	id := func(table, where string) (id string) {
		require.NoError(t, b.db.Read(t.Context()).Table(table).Where("shop_id = ?", shop.ID).Where(where).Order("id").Limit(1).Pluck("id", &id).Error)
		require.NotEmpty(t, id, "%s has no row of %s", name, table)
		return id
	}
	sale, overdue, shift := id("sales", "fulfilment = 'complete'"), id("sales", "fulfilment = 'failed'"), id("shifts", "closed_at IS NOT NULL")
	var code string
	require.NoError(t, b.db.Read(t.Context()).Table("sales").Where("id = ?", sale).Pluck("code", &code).Error)
	by := audit.Actor{UserID: p.one.ID, ShopID: shop.ID, TillID: p.till.ID}
	ofSale, err := b.server.D.Receipts.Start(t.Context(), by, "key-of-sale-"+name, sale, receipt.Receipt, receipt.Customers)
	require.NoError(t, err)
	ofShift, err := b.server.D.Receipts.StartReport(t.Context(), by, "key-of-shift-"+name, shift)
	require.NoError(t, err)
	open, err := b.server.D.Till.Current(t.Context(), p.till.ID)
	require.NoError(t, err)
	require.NotNil(t, open, "somebody sells there")

	now := store.Moment(b.clock())
	later := now.Add(time.Hour)
	owner := map[string]string{"own": b.users[staff.Manager].ID, "other": b.users[staff.Finance].ID}[name]
	difference := b.stand(reconcile.Break{Kind: reconcile.CashOver, ShopID: shop.ID, Micros: 1_000_000, CashierID: p.one.ID})
	rows := []struct {
		table string
		row   map[string]any
	}{
		{"customers", map[string]any{"shop_id": shop.ID, "name": "Mary", "folded": "mary", "created_at": now}},
		{"approvals", map[string]any{"shop_id": shop.ID, "till_id": p.till.ID, "asked_by": p.one.ID, "act": "limit", "subject": name, "summary": name, "asked_at": now, "expires_at": later}},
		{"report_views", map[string]any{"user_id": owner, "name": name, "path": "sales", "made_at": now}},
		{"report_mailings", map[string]any{"user_id": owner, "path": "sales", "recipients": "a@shop.example", "format": "csv", "every": "day", "hour": 8, "zone": "UTC", "language": "en", "slot_at": later, "next_at": later, "tries": 0, "problem": "", "made_at": now}},
	}
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for _, r := range rows {
			r.row["id"] = r.table + "-" + name
			if err := tx.Table(r.table).Create(r.row).Error; err != nil {
				return fmt.Errorf("%s: %w", r.table, err)
			}
		}
		number := map[string]any{"shop_id": shop.ID, "account_number": "353871234567", "ending": "4567", "customer_id": "customers-" + name, "sale_id": "", "seen_at": now}
		if err := tx.Table("customer_numbers").Create(number).Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE sales SET fulfilment = 'unknown', final_at = NULL, next_check_at = ?, attempt_at = ?, permit_at = ? WHERE id = ?",
			later, now.AddDate(0, 0, -50), now.AddDate(0, 0, -50), overdue).Error
	}))
	p.ids = map[string]string{
		"/sales/:id": sale, "/s/:code": code, "/sales/:id/print/:print": ofSale.ID, "/shift/:id": shift, "/shift/:id/print/:print": ofShift.ID,
		"/statements/:id": id("statements", ""), "/reconcile/breaks/:id": difference[len("/reconcile/breaks/"):], "/reconcile/verdicts/:id": overdue,
		"/customers/:id": "customers-" + name, "/approvals/:id": "approvals-" + name, "/reports/views/:id": "report_views-" + name,
		"/reports/mailings/:id": "report_mailings-" + name, "/admin/people/:id": p.one.ID, "/admin/shops/:id": shop.ID,
	}
	return p
}

// named are things that a form or a question names beside the path.
func (p place) named(route string) url.Values {
	shop, number := p.ids["/admin/shops/:id"], url.Values{"number": {"0871234567"}}
	return map[string]url.Values{
		"POST /till": {"till": {p.till.ID}, "take": {"1"}}, "GET /admin/catalogue/texts": {"language": {"fr"}},
		"GET /shift/close": {"shift": {p.ids["/shift/:id"]}}, "POST /shift/close": {"shift": {p.ids["/shift/:id"]}, "key": {"close-" + p.name}},
		"GET /shifts": {"shop": {shop}, "till": {p.till.ID}}, "GET /sales": {"shop": {shop}}, "GET /sales.csv": {"shop": {shop}}, "GET /sales.xlsx": {"shop": {shop}}, "GET /sales.pdf": {"shop": {shop}},
		"GET /reports/:name": {"shop": {shop}}, "POST /admin/shops/:id": {"act": {"till"}, "till": {"Back of " + p.name}},
		"GET /sales/:id/receipt.escpos": {"print": {p.ids["/sales/:id/print/:print"]}}, "GET /shift/:id/receipt.escpos": {"print": {p.ids["/shift/:id/print/:print"]}},
		"GET /admin/counter": {"shop": {shop}}, "POST /admin/counter": {"shop": {shop}, "act": {"pin"}, "sku": {"NONE"}},
		"POST /customers/forget": number, "POST /admin/limits": {"shop": {shop}, "kind": {"number-day"}, "most": {"3"}},
		"POST /sales/:id/print": {"key": {"0123456789abcdef-print-" + p.name}, "copy": {"shop"}}, "POST /shift/:id/print": {"key": {"0123456789abcdef-report-" + p.name}},
		"POST /reconcile/verdicts/:id/propose": {"verdict": {"failed"}, "reason": {"The provider says so"}},
		"POST /customers/:id":                  {"name": {"Renamed " + p.name}},
	}[route]
}

// digest is a hash over every row of every table.
func digest(t testing.TB, db *store.DB) string {
	t.Helper()
	query := "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name"
	if db.Dialect() == store.SQLite {
		query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
	}
	var tables []string
	require.NoError(t, db.Read(t.Context()).Raw(query).Scan(&tables).Error)
	require.Greater(t, len(tables), 5)
	hash := sha256.New()
	for _, table := range tables {
		var rows []map[string]any
		require.NoError(t, db.Read(t.Context()).Table(table).Find(&rows).Error)
		var lines []string
		for _, row := range rows {
			lines = append(lines, fmt.Sprint(row)) // maps print in the order of their keys
		}
		slices.Sort(lines)
		fmt.Fprintln(hash, table, lines)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
