package statement_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/statement"
	"airtill/internal/store"
)

var evening = time.Date(2026, 3, 14, 23, 30, 0, 0, time.UTC)

// office is shops with some days of trade behind them, and a clock.
type office struct {
	t     testing.TB
	db    *store.DB
	staff *staff.Service
	now   time.Time
	*statement.Service
}

func newOffice(t testing.TB, db *store.DB, plan demodata.Plan) *office {
	t.Helper()
	o := &office{t: t, db: db, now: evening}
	clock := func() time.Time { return o.now }
	log := slog.New(slog.DiscardHandler)
	var err error
	o.staff = staff.New(staff.Deps{DB: db, Now: clock, Audit: audit.New(audit.Deps{DB: db, Now: clock, Log: log}), Log: log, Hashing: stafftest.Hashing()})
	o.Service = statement.New(statement.Deps{DB: db, Staff: o.staff, Now: clock, Log: log})
	generator, err := demodata.New(demodata.Deps{DB: db, Staff: o.staff, Now: clock, Log: log}, plan)
	require.NoError(t, err)
	require.NoError(t, generator.Generate(t.Context()))
	return o
}

// sum is a figure of the books, from plain SQL.
func (o *office) sum(query string, args ...any) (n int64) {
	o.t.Helper()
	require.NoError(o.t, o.db.Read(o.t.Context()).Raw(query, args...).Scan(&n).Error)
	return n
}

// documents reads every statement of a shop, the oldest first.
func (o *office) documents(shopID string) (all []statement.Document) {
	o.t.Helper()
	list, err := o.List(o.t.Context(), statement.Filter{ShopID: shopID, Limit: 100})
	require.NoError(o.t, err)
	for i := len(list) - 1; i >= 0; i-- {
		whole, err := o.Get(o.t.Context(), list[i].ID, shopID)
		require.NoError(o.t, err)
		doc, err := whole.Read()
		require.NoError(o.t, err)
		all = append(all, doc)
	}
	return all
}

func (o *office) shops() []staff.Shop {
	o.t.Helper()
	shops, err := o.staff.Shops(o.t.Context())
	require.NoError(o.t, err)
	return shops
}

func TestStatementsAddUpToTheBooks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := newOffice(t, db, demodata.Plan{Sales: 300, Days: 3, Shops: 2, Seed: 7})
		closed, err := o.CloseDue(t.Context())
		require.NoError(t, err)
		require.Positive(t, closed)
		again, err := o.CloseDue(t.Context())
		require.NoError(t, err)
		require.Zero(t, again, "a day is closed once, and today is not over")
		o.now = evening.Add(48 * time.Hour) // the days are over for every shop
		_, err = o.CloseDue(t.Context())
		require.NoError(t, err)

		for _, shop := range o.shops() {
			var m statement.Money
			docs := o.documents(shop.ID)
			require.NotEmpty(t, docs)
			for i, d := range docs {
				require.Equal(t, i+1, d.Number)
				for _, one := range d.Money {
					m.Taken += one.Taken
					m.GivenBack += one.GivenBack
					m.Sent += one.Sent
					m.Commission += one.Commission
					m.Margin += one.Margin
					m.Float += one.Float
					m.OverShort += one.OverShort
					m.Cash.Closing, m.Prepaid.Closing = one.Cash.Closing, one.Prepaid.Closing
				}
			}
			of := func(account, kind string) int64 {
				return o.sum("SELECT COALESCE(SUM(p.micros), 0) FROM postings p JOIN sales s ON s.id = p.sale_id WHERE s.shop_id = ? AND p.account LIKE ? AND p.kind LIKE ?", shop.ID, account, kind)
			}
			require.Equal(t, of("1000:%", "J1"), m.Taken)
			require.Equal(t, -of("1000:%", "J12"), m.GivenBack)
			require.Equal(t, -of("4100", "%"), m.Commission)
			require.Equal(t, -of("4%", "%")-of("5%", "%"), m.Margin)
			require.Equal(t, of("1100", "%"), m.Float)
			require.Equal(t, -of("2000", "%"), m.Prepaid.Closing)
			require.Equal(t, o.sum("SELECT COUNT(*) FROM sales WHERE shop_id = ? AND cash = 'earned' AND NOT practice", shop.ID), m.Sent)
			require.Equal(t, o.sum("SELECT COALESCE(SUM(p.micros), 0) FROM postings p JOIN shifts h ON p.account = '1000:' || h.id WHERE h.shop_id = ?", shop.ID), m.Cash.Closing)
		}
		offences, checked, err := o.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)
		require.Equal(t, o.sum("SELECT COUNT(*) FROM statements"), checked)
	})
}

// TestLaterCorrectionIsOnALaterStatement: what is booked for a sale of a closed
// day, and what was written late for it, appear on the next statement, and the
// closed one does not change.
func TestLaterCorrectionIsOnALaterStatement(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := newOffice(t, db, demodata.Plan{Sales: 60, Days: 2, Shops: 1, Seed: 7})
		shop := o.shops()[0]
		o.now = evening.Add(6 * time.Hour)
		_, err := o.CloseDue(t.Context())
		require.NoError(t, err)
		before := o.documents(shop.ID)
		last := before[len(before)-1]

		var sale struct{ ID, Code string }
		require.NoError(t, db.Read(t.Context()).Raw("SELECT id, code FROM sales WHERE shop_id = ? AND cash = 'earned' AND recorded_at < ? ORDER BY id LIMIT 1", shop.ID, last.To).Scan(&sale).Error)
		loss := ledger.LateLoss(money.MustParse("9.40", "EUR"))
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return ledger.Post(t.Context(), tx,
				ledger.Entry{Key: sale.ID + "/late", SaleID: sale.ID, At: o.now, Journal: loss},
				ledger.Entry{Key: sale.ID + "/straggler", SaleID: sale.ID, At: last.To.Add(-time.Second), Journal: ledger.CommissionEarned(money.MustParse("0.40", "EUR"))})
		}))
		o.now = o.now.Add(24 * time.Hour)
		_, err = o.CloseDue(t.Context())
		require.NoError(t, err)
		after := o.documents(shop.ID)
		require.Len(t, after, len(before)+1)
		require.Equal(t, before, after[:len(before)], "a closed statement never changes")
		next := after[len(before)]
		require.EqualValues(t, 9_400_000, next.Money[0].Losses)
		require.EqualValues(t, 400_000, next.Money[0].Commission)
		require.Len(t, next.Corrections, 1)
		require.Equal(t, sale.Code, next.Corrections[0].Code)
		require.Equal(t, []string{"J14", "J4"}, next.Corrections[0].Kinds)
		require.EqualValues(t, -9_000_000, next.Corrections[0].Margin)

		err = db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			return tx.Exec("UPDATE statements SET document = '{}'").Error
		})
		require.ErrorContains(t, err, "append-only")
		_, err = o.Get(t.Context(), "nothing", "")
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	})
}

// TestGoodwillForADifferenceIsInTheMargin: two people book the difference of a sale as goodwill, and the margin of the
// day is what its corrections say.
func TestGoodwillForADifferenceIsInTheMargin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := newOffice(t, db, demodata.Plan{Sales: 60, Days: 2, Shops: 1, Seed: 7})
		shop := o.shops()[0]
		o.now = evening.Add(6 * time.Hour)
		o.close()
		var sale string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT id FROM sales WHERE cash = 'earned' ORDER BY id LIMIT 1").Scan(&sale).Error)
		less := ledger.FloatExplained(ledger.Goodwill, money.MustParse("-1.50", "EUR"))
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return ledger.Post(t.Context(), tx, ledger.Entry{Key: "break/0", SaleID: sale, At: o.now, Journal: less})
		}))
		o.now = o.now.Add(24 * time.Hour)
		o.close()
		docs := o.documents(shop.ID)
		last := docs[len(docs)-1]
		require.EqualValues(t, -1_500_000, last.Corrections[0].Margin)
		require.EqualValues(t, -1_500_000, last.Money[0].Margin)
		require.EqualValues(t, 1_500_000, last.Money[0].Goodwill)
	})
}

// TestDaysClosedTogetherAreAsIfClosedEachNight: when the till was off for days, and
// however few postings are read at once, the statements say the same.
func TestDaysClosedTogetherAreAsIfClosedEachNight(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		nightly := closedOver(t, db, func(o *office) { o.close() })
		together := closedOver(t, storetest.Open(t, storetest.URL(t, db.Dialect())), func(o *office) { o.Uses().AtOnce = 7 })
		require.Len(t, nightly, 5)
		require.Equal(t, nightly, together)
		require.EqualValues(t, 9_400_000, nightly[2].Money[0].Losses)
		require.Equal(t, []string{"J12", "J14", "J2", "J4"}, nightly[2].Corrections[0].Kinds)
		require.Empty(t, nightly[3].Corrections)
		require.Len(t, nightly[1].Corrections, 1, "what the day sold itself is no correction")
		require.EqualValues(t, -1, nightly[2].Money[0].Refunds, "one was taken back")
		held := statement.Moves{Opening: 10_200_000, Closing: 10_200_000}
		require.Equal(t, held, nightly[3].Money[0].Held, "a day opens with what the one before closed with")
	})
}

func (o *office) close() {
	o.t.Helper()
	_, err := o.CloseDue(o.t.Context())
	require.NoError(o.t, err)
}

// closedOver lets three more days pass after two of trade, with a correction on the first
// of them, and returns what the statements say beside when they were closed.
func closedOver(t *testing.T, db *store.DB, night func(o *office)) []statement.Document {
	t.Helper()
	o := newOffice(t, db, demodata.Plan{Sales: 60, Days: 2, Shops: 1, Seed: 7})
	shop := o.shops()[0]
	var sale string
	require.NoError(t, db.Read(t.Context()).Raw("SELECT id FROM sales WHERE shop_id = ? AND cash = 'earned' ORDER BY id DESC LIMIT 1", shop.ID).Scan(&sale).Error)
	post := func(entries ...ledger.Entry) {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return ledger.Post(t.Context(), tx, entries...) }))
	}
	midnight := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	var first string
	require.NoError(t, db.Read(t.Context()).Raw("SELECT MIN(id) FROM sales WHERE shop_id = ? AND cash = 'earned'", shop.ID).Scan(&first).Error)
	post(ledger.Entry{Key: "early", SaleID: first, At: midnight.Add(-time.Hour), Journal: ledger.CommissionEarned(money.MustParse("0.10", "EUR"))})
	for n := range 3 {
		o.now = midnight.AddDate(0, 0, n).Add(2 * time.Hour)
		night(o)
		at := o.now.Add(8 * time.Hour)
		post(ledger.Entry{Key: fmt.Sprint("paid/", n), At: at, Journal: ledger.FloatToppedUp(ledger.Safe, money.MustParse("1", "EUR"))})
		if n == 0 {
			post(ledger.Entry{Key: "late", SaleID: sale, At: at, Journal: ledger.LateLoss(money.MustParse("9.40", "EUR"))},
				ledger.Entry{Key: "later", SaleID: sale, At: at, Journal: ledger.CommissionEarned(money.MustParse("0.40", "EUR"))},
				ledger.Entry{Key: "back", SaleID: sale, At: at, Journal: ledger.CashRefunded("shift", money.MustParse("-5", "EUR"))},
				ledger.Entry{Key: "held", SaleID: sale, At: at, Journal: ledger.Reserve(money.MustParse("10.20", "EUR"))})
		}
	}
	o.now = midnight.AddDate(0, 0, 3).Add(2 * time.Hour)
	o.close()
	docs := o.documents(shop.ID)
	for i := range docs {
		docs[i].ClosedAt, docs[i].Previous, docs[i].ShopID = time.Time{}, "", ""
	}
	return docs
}

// TestHoweverManyAreReadAtOnce, several shops in two zones say the same, down to the
// last figure.
func TestHoweverManyAreReadAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		closed := func(db *store.DB, atOnce int64) (all []statement.Document) {
			o := newOffice(t, db, demodata.Plan{Sales: 250, Days: 3, Shops: 4, Seed: 11})
			o.Uses().AtOnce, o.now = atOnce, evening.Add(48*time.Hour)
			o.close()
			for _, shop := range o.shops() {
				for _, doc := range o.documents(shop.ID) {
					doc.ShopID, doc.Previous = "", ""
					all = append(all, doc)
				}
			}
			return all
		}
		whole := closed(db, 0)
		require.Greater(t, len(whole), 4*3)
		var sent int64
		for _, doc := range whole {
			for _, m := range doc.Money {
				sent += m.Sent
			}
		}
		require.Equal(t, int64(250), sent+unsent(t, db))
		for _, atOnce := range []int64{1, 13, 100} {
			require.Equal(t, whole, closed(storetest.Open(t, storetest.URL(t, db.Dialect())), atOnce), "%d at once", atOnce)
		}
	})
}

// unsent counts the sales that earned nothing.
func unsent(t *testing.T, db *store.DB) (n int64) {
	t.Helper()
	require.NoError(t, db.Read(t.Context()).Raw("SELECT COUNT(*) FROM sales WHERE cash <> 'earned'").Scan(&n).Error)
	return n
}

// TestADayReadsNoFurtherThanItsEnd: when many days are closed together, each reads its
// own postings, and what comes late for one of them is counted once.
func TestADayReadsNoFurtherThanItsEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := newOffice(t, db, demodata.Plan{Sales: 60, Days: 3, Shops: 1, Seed: 7})
		var sale string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT id FROM sales WHERE cash = 'earned' ORDER BY id LIMIT 1").Scan(&sale).Error)
		for key, at := range map[string]time.Time{"straggler": evening.AddDate(0, 0, -2), "now": evening} {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return ledger.Post(t.Context(), tx, ledger.Entry{Key: key, SaleID: sale, At: at, Journal: ledger.CommissionEarned(money.MustParse("0.40", "EUR"))})
			}))
		}
		o.now = evening.Add(24 * time.Hour)
		o.close()
		list, err := o.List(t.Context(), statement.Filter{Limit: 100})
		require.NoError(t, err)
		require.Len(t, list, 3)
		for i, s := range list[1:] {
			require.Less(t, s.LastPosting, list[i].LastPosting)
		}
		var told int64
		for _, doc := range o.documents(list[0].ShopID) {
			told += doc.Money[0].Commission
		}
		require.Equal(t, -o.sum("SELECT SUM(micros) FROM postings WHERE account = '4100'"), told)
	})
}

// TestVerifySeesWhatWasChanged goes behind the trigger's back.
func TestVerifySeesWhatWasChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, problem string }{
		"a figure":   {"UPDATE statements SET document = REPLACE(document, '\"taken\":', '\"taken\":1') WHERE number = 1", "changed"},
		"a number":   {"UPDATE statements SET number = 9 WHERE number = (SELECT MAX(number) FROM statements)", "notNext"},
		"a whole":    {"DELETE FROM statements WHERE number = 1", "notNext"},
		"the moment": {"UPDATE statements SET from_at = '2020-01-01 00:00:00+00:00' WHERE number = 2", "gap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, storetest.Open(t, storetest.URL(t, store.SQLite)), demodata.Plan{Sales: 60, Days: 3, Shops: 1, Seed: 7})
			o.now = evening.Add(24 * time.Hour)
			_, err := o.CloseDue(t.Context())
			require.NoError(t, err)
			require.NoError(t, o.db.Tx(t.Context(), func(tx *store.Tx) error {
				for _, trigger := range []string{"statements_no_update", "statements_no_delete"} {
					if err := tx.Exec("DROP TRIGGER " + trigger).Error; err != nil {
						return err
					}
				}
				return tx.Exec(c.sql).Error
			}))
			offences, _, err := o.Verify(t.Context())
			require.NoError(t, err)
			require.NotEmpty(t, offences)
			require.Contains(t, offences[0].Problem, c.problem)
			for _, o := range offences {
				kind := invariant.Kind("statement." + strings.Fields(o.Problem)[0])
				require.Len(t, strings.Fields(o.Problem)[1:], len(invariant.Kinds()[kind]), kind)
				require.Contains(t, invariant.Kinds(), kind)
			}
		})
	}
}

// BenchmarkCloseDay is one night of a large business. The design asks for 50
// shops of 10,000 sales within 30 s; a tenth of the sales is timed here.
func BenchmarkCloseDay(b *testing.B) {
	o := newOffice(b, storetest.New(b), demodata.Plan{Sales: 50_000, Days: 1, Shops: 50, Seed: 7})
	o.now = evening.Add(48 * time.Hour)
	for b.Loop() {
		_, err := o.CloseDue(b.Context())
		require.NoError(b, err)
		b.StopTimer()
		require.NoError(b, o.db.Tx(b.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(b, tx)
			if tx.Dialect() == store.Postgres {
				return tx.Exec("ALTER TABLE statements DISABLE TRIGGER ALL; DELETE FROM statements; ALTER TABLE statements ENABLE TRIGGER ALL").Error
			}
			if err := tx.Exec("DROP TRIGGER IF EXISTS statements_no_delete").Error; err != nil {
				return err
			}
			return tx.Exec("DELETE FROM statements").Error
		}))
		b.StartTimer()
	}
}
