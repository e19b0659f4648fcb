package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/reconcile"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestALongFileIsWholeOrSaysThatItIsCut: files for programs have every row of a list, and printed ones say where they
// end.
func TestALongFileIsWholeOrSaysThatItIsCut(t *testing.T) {
	t.Parallel()
	const all = sheet.MostPrinted + 1
	b := newBench(t, storetest.New(t), nil)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		breaks := make([]reconcile.Break, all)
		for i := range breaks {
			id := fmt.Sprintf("break-%05d", i)
			breaks[i] = reconcile.Break{
				ID: id, Subject: id, Kind: reconcile.BalanceDown, State: reconcile.Open, FoundAt: b.clock(),
				SeenAt: b.clock(), Evidence: "{}", Currency: "EUR", Micros: -1_000_000,
			}
		}
		if err := tx.CreateInBatches(&breaks, 500).Error; err != nil {
			return err
		}
		return fill(tx, all,
			`INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency, opening_micros, opened_at, closed_at,
			counted_micros) SELECT 'old-' || i, '`+b.shop.ID+`', '`+b.tills[1].ID+`', i, '`+b.users[staff.Cashier].ID+`', 'EUR', 0, @at, @at, 0 FROM n`,
			`INSERT INTO statements (id, shop_id, number, day, from_at, to_at, last_posting, closed_at, document, hash)
			SELECT 'old-' || i, '`+b.shop.ID+`', i, '2026-02-01-' || i, @at, @at, 0, @at, '{}', '' FROM n`,
			`INSERT INTO top_ups (id, micros, currency, account, reference, entered_at, entered_by, approved_by)
			SELECT 'old-' || i, 1000000, 'EUR', '1010', 'bank ' || i, @at, '', '' FROM n`,
			`INSERT INTO foreign_sales (transfer_ref, ref, seller, sku_code, micros, currency, booked_at)
			SELECT 'old-' || i, 'KIOSK' || i, 'KIOSK', 'SKU9', -5000000, 'EUR', @at FROM n`,
		)
	}))
	w := b.signIn(staff.Finance)
	cut := "Only the first 5,000 rows are printed. Download the CSV file for all of them."
	for list, rows := range map[string]int{
		"/reconcile?": all, "/shifts?": all + 1, "/statements?month=2026-02&": all, "/reconcile/outside?list=topups&": all,
		"/reconcile/outside?list=sold&": all,
	} {
		file := w.get(list + "file=csv")
		require.Equal(t, http.StatusOK, file.StatusCode, list)
		read, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\uFEFF"))).ReadAll()
		require.NoError(t, err, list)
		n := len(read) // a failure shows no rows
		require.Equal(t, 1+rows, n, list)
		require.True(t, slices.Contains(pdfTexts(t, w.get(list+"file=pdf").body), cut), list)
	}
}

// fill runs statements that select from n, which has the numbers up to a last one, with the time @at.
func fill(tx *store.Tx, last int, statements ...string) error {
	for _, sql := range statements {
		into, from, _ := strings.Cut(sql, "SELECT")
		err := tx.Exec(into+"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @last) SELECT"+from,
			map[string]any{"last": last, "at": noon}).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// TestALongFileOfCorrectionsIsWhole, and says of the oldest of them who allowed it.
func TestALongFileOfCorrectionsIsWhole(t *testing.T) {
	t.Parallel()
	const all = sheet.MostPrinted + 1
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	sale := b.saleAt(b.atTill(staff.Cashier).sellTopUp())
	manager := b.users[staff.Manager]
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for i := range all {
			e := audit.Entry{
				Actor: audit.Command("a test"), Act: audit.SaleApproved, Subject: audit.Of(audit.Sale, strconv.Itoa(i)),
				Facts: audit.Facts{audit.Person("approver", manager.ID)},
			}
			if i == 0 {
				e.Subject = audit.Of(audit.Sale, sale.ID)
			}
			if err := b.audit().Write(t.Context(), tx, e); err != nil {
				return err
			}
		}
		return fill(tx, all, `INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note)
			SELECT '`+sale.ID+`', 100 + i, @at, 'refunded', 'a test', '', '', '', '`+manager.ID+`', 'why' FROM n`)
	}))
	w := b.signIn(staff.Finance)
	list := "/admin/corrections?from=2026-03-01&to=2026-03-01&table=0&"
	read, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.get(list+"file=csv").body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	n := len(read)
	require.Equal(t, 1+all, n)
	require.Equal(t, manager.DisplayName, read[1][3])
}
