package invariant_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/counter"
	"airtill/internal/counter/countertest"
	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
	"airtill/internal/till"
	"airtill/internal/vault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is books in which everything holds: an opened float, a shop, a shift and
// a complete sale.
type world struct {
	*invariant.Service
	t       *testing.T
	db      *store.DB
	book    *ledger.Ledger
	sales   *sales.Service
	staff   *staff.Service
	seller  counter.Seller
	counter *counter.Service
	at      time.Time
	balance money.Amount // what the upstream says; zero: nothing
}

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	w := &world{t: t, db: db, at: noon}
	w.book = ledger.New(ledger.Deps{DB: db})
	log, book := slog.New(slog.DiscardHandler), w.book
	chain := audit.New(audit.Deps{DB: db, Now: w.now, Log: log})
	vault, err := vault.New(vault.NewKey())
	require.NoError(t, err)
	w.sales = sales.New(sales.Deps{
		DB: db, Vault: vault, Audit: chain, Limits: limit.New(limit.Deps{DB: db, Audit: chain, Now: w.now, Log: log}),
		Bus: signal.NewMemory(), Process: "p", Now: w.now, Log: log,
	})
	prices := pricing.New(pricing.Deps{DB: db, Audit: chain, Now: w.now})
	w.counter = countertest.New(t, prices, w.sales)
	w.staff = staff.New(staff.Deps{DB: db, Audit: chain, Now: w.now, Log: log, Hashing: stafftest.Hashing()})
	w.Service = invariant.New(invariant.Deps{DB: db, Ledger: book, Audit: chain, Staff: w.staff, Balance: w.tell, Log: log, Now: w.now, Metrics: prometheus.NewRegistry()})
	w.post(ledger.Entry{Key: "opening/EUR", At: noon, Journal: ledger.OpeningBalance(money.MustParse("100", "EUR"))})
	shop, tills, err := w.staff.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: "X", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	shift, err := till.New(till.Deps{DB: db, Ledger: book, Audit: chain, Now: w.now}).Open(t.Context(), till.Opening{
		Actor: audit.Actor{UserID: "c"}, ShopID: shop.ID, TillID: tills[0].ID, Float: till.Counted(money.MustParse("20", "EUR")),
	})
	require.NoError(t, err)
	w.seller = counter.Seller{CashierID: "c", Country: "IE", ShopID: shop.ID, TillID: tills[0].ID, ShiftID: shift.ID, Language: "en", Currency: "EUR"}
	return w
}

func (w *world) now() time.Time { return w.at }

func (w *world) post(e ledger.Entry) {
	w.t.Helper()
	require.NoError(w.t, w.db.Tx(w.t.Context(), func(tx *store.Tx) error { return ledger.Post(w.t.Context(), tx, e) }))
}

// tell is the upstream's answer, kept as reconcile keeps it.
func (w *world) tell(ctx context.Context) (reconcile.UpstreamBalance, error) {
	if w.balance.IsZero() {
		return reconcile.UpstreamBalance{}, errors.New("no answer")
	}
	told := reconcile.UpstreamBalance{ID: store.NewID(w.at), AskedAt: w.at, ToldAt: w.at, Micros: w.balance.Micros(), Currency: w.balance.Currency()}
	return told, w.db.Tx(ctx, func(tx *store.Tx) error { return tx.Create(&told).Error })
}

// sell makes a sale of 10.00, not sent yet.
func (w *world) sell() sales.Sale {
	w.t.Helper()
	ask := countertest.Ask(w.seller, countertest.Range(w.t), "353871234567")
	ask.Send = "10"
	offer := countertest.Offer(w.t, w.counter, ask,
		counter.Confirmation{Key: fmt.Sprintf("0123456789abcdef-%d", w.at.UnixNano()), Again: true})
	sale, created, err := w.sales.Sell(w.t.Context(), offer)
	require.NoError(w.t, err)
	require.True(w.t, created)
	return sale
}

func (w *world) observe(sale sales.Sale, o sales.Observation) sales.Sale {
	w.t.Helper()
	o.At, o.Ref = w.at, sale.Ref
	after, err := w.sales.Observe(w.t.Context(), sale.ID, o)
	require.NoError(w.t, err)
	return after
}

// complete sells and has it sent.
func (w *world) complete() sales.Sale {
	w.t.Helper()
	sale := w.observe(w.sell(), sales.Observation{Cause: sales.Permitted, Permit: sales.Permit{By: "p"}})
	return w.observe(sale, sales.Observation{Cause: sales.Replied, State: sales.Complete, Facts: &sales.Facts{TransferRef: "1", Commission: money.Of(0, "EUR")}})
}

// move moves cash into and out of the drawer.
func (w *world) move() {
	w.t.Helper()
	drawers := till.New(till.Deps{DB: w.db, Ledger: w.book, Audit: w.Uses().Audit, Now: w.now})
	for _, kind := range []till.MoveKind{till.PaidIn, till.ToSafe, till.Expense, till.ExpenseBack} {
		_, err := drawers.MoveCash(w.t.Context(), till.Moving{
			Key: string(kind), Actor: audit.Actor{UserID: "c"}, ShiftID: w.seller.ShiftID, Kind: kind, Amount: money.MustParse("2", "EUR"), Reason: "x",
		})
		require.NoError(w.t, err)
	}
}

// settled is a world at rest an hour later, which the upstream agrees with.
func settled(t *testing.T, db *store.DB) (*world, sales.Sale) {
	t.Helper()
	w := newWorld(t, db)
	sale := w.complete()
	w.at = w.at.Add(time.Hour)
	w.balance = money.MustParse("90", "EUR")
	return w, sale
}

// spoil writes what the program never would, past the guards of the database.
func (w *world) spoil(sql string, args ...any) {
	w.t.Helper()
	guards := map[store.Dialect][]string{
		store.SQLite: {
			"DROP TRIGGER IF EXISTS postings_no_update", "DROP TRIGGER IF EXISTS postings_no_delete", "DROP TRIGGER IF EXISTS sale_events_no_update",
			"DROP TRIGGER IF EXISTS sale_events_no_delete", "DROP TRIGGER IF EXISTS audit_entries_no_update",
			"DROP TRIGGER IF EXISTS cash_moves_no_update", "DROP TRIGGER IF EXISTS cash_moves_no_delete",
		},
		store.Postgres: {
			"DROP TRIGGER IF EXISTS postings_append_only ON postings", "DROP TRIGGER IF EXISTS sale_events_append_only ON sale_events",
			"DROP TRIGGER IF EXISTS audit_entries_append_only ON audit_entries",
			"DROP TRIGGER IF EXISTS cash_moves_append_only ON cash_moves",
		},
	}
	require.NoError(w.t, w.db.Tx(w.t.Context(), func(tx *store.Tx) error {
		storetest.AsOwner(w.t, tx)
		for _, guard := range guards[w.db.Dialect()] {
			if err := tx.Exec(guard).Error; err != nil {
				return err
			}
		}
		return tx.Exec(sql, args...).Error
	}))
}

// verify returns the findings by name.
func (w *world) verify() (run invariant.Run, byName map[string]invariant.Finding) {
	w.t.Helper()
	run, err := w.Verify(w.t.Context(), "test")
	require.NoError(w.t, err)
	byName = map[string]invariant.Finding{}
	for _, f := range run.Findings {
		byName[f.Name] = f
		for _, o := range f.Offenders {
			require.Contains(w.t, invariant.Kinds(), o.Kind)
			require.Len(w.t, o.Facts, len(invariant.Kinds()[o.Kind]), o.Kind)
		}
	}
	return run, byName
}

func TestEverythingHolds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, _ := settled(t, db)
		w.move()
		run, found := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		for _, name := range []string{"I2", "I3", "I5", "I6", "I7", "I8", "audit"} {
			require.Positive(t, found[name].Checked, name)
			require.Empty(t, found[name].Notes, name)
		}
		last, err := w.Last(t.Context())
		require.NoError(t, err)
		require.Equal(t, run.ID, last.ID)
		require.Equal(t, run.Findings, last.Findings)
	})
}

// Each way to spoil the books is found by its invariant, with the id that
// offends, and only by those that say they will.
func TestEachInvariantNamesItsOffender(t *testing.T) {
	t.Parallel()
	const lost = "INSERT INTO postings (journal, line, kind, account, micros, currency, at) VALUES "
	for name, spoil := range map[string]struct {
		sql     string
		args    func(sale sales.Sale, w *world) []any
		broken  []string
		subject func(sale sales.Sale, w *world) string
	}{
		"half a journal":     {lost + "('lost/J2', 0, 'J2', '5900', 1, 'EUR', ?)", at, []string{"I3"}, is("lost/J2")},
		"a checkpoint":       {"INSERT INTO ledger_checkpoints (account, currency, micros, last_id) VALUES ('1100', 'EUR', 7, 999999999)", none, []string{"I4"}, is("1100")},
		"float nobody moved": {lost + "('x/J13', 0, 'J13', '1100', 5, 'EUR', ?), ('x/J13', 1, 'J13', '1010', -5, 'EUR', ?)", twice, []string{"I5"}, is("1100")},
		"a reserve kept":     {lost + "('x/J2', 0, 'J2', '1110', 5, 'EUR', ?), ('x/J2', 1, 'J2', '5900', -5, 'EUR', ?)", twice, []string{"I6"}, is("1110")},
		"an end of the cash without its journal": {
			"UPDATE sales SET cash = 'refunded', events = 4; INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note) SELECT id, 4, updated_at, 'refunded', '', ref, 'complete/earned', 'complete/refunded', '', '' FROM sales",
			none,
			[]string{"I2"},
			saleID,
		},
		"a journal of the cash without its end": {
			"INSERT INTO postings (journal, line, kind, sale_id, account, micros, currency, at) SELECT 'x/J12', 0, 'J12', id, '1000:' || shift_id, -price_micros, 'EUR', updated_at FROM sales UNION ALL SELECT 'x/J12', 1, 'J12', id, '5900', price_micros, 'EUR', updated_at FROM sales",
			none,
			[]string{"I2"},
			saleID,
		},
		"earned by a transfer that failed": {"UPDATE sales SET fulfilment = 'failed'", none, []string{"I2", "I8"}, saleID},
		"another float in the drawer":      {"UPDATE shifts SET opening_micros = 1", none, []string{"I7"}, shift},
		"cash moved otherwise":             {"UPDATE cash_moves SET micros = 1 WHERE kind = 'in'", none, []string{"I7"}, shift},
		"cash kept as an expense":          {"UPDATE cash_moves SET kind = 'expense' WHERE kind = 'safe'", none, []string{"I7"}, shift},
		"a shift gone":                     {"DELETE FROM cash_moves; DELETE FROM shifts", none, []string{"I7"}, shift},
		"cash back as an expense":          {"UPDATE cash_moves SET kind = 'expense' WHERE kind = 'back'", none, []string{"I7"}, shift},
		"a move of cash gone":              {"DELETE FROM cash_moves WHERE kind = 'expense'", none, []string{"I7"}, shift},
		"a sale's price":                   {"UPDATE sales SET price_micros = 1", none, []string{"I7", "I2"}, shift},
		"a shift closed without its count": {"UPDATE shifts SET closed_at = opened_at, counted_micros = 5", none, []string{"I7"}, shift},
		"an event gone":                    {"DELETE FROM sale_events WHERE seq = 2", none, []string{"I8"}, saleID},
		"all events gone":                  {"DELETE FROM sale_events", none, []string{"I8"}, saleID},
		"a state written past the events":  {"UPDATE sales SET fulfilment = 'failed'", none, []string{"I8", "I2"}, saleID},
		"a final state left": {
			"INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note) VALUES (?, 4, ?, 'listed', '', '', 'complete/earned', 'failed/refund_due', '', '')",
			func(sale sales.Sale, w *world) []any { return []any{sale.ID, w.at} },
			[]string{"I8"},
			saleID,
		},
		"a move that is none": {"UPDATE sale_events SET cause = 'called_off' WHERE seq = 3", none, []string{"I8"}, saleID},
		"an audit entry":      {"UPDATE audit_entries SET reason = 'x' WHERE seq = 1", none, []string{"audit"}, is("1")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w, sale := settled(t, db)
				w.move()
				w.spoil(spoil.sql, spoil.args(sale, w)...)
				run, found := w.verify()
				require.Equal(t, len(spoil.broken) == 0, run.Holds)
				for name, f := range found {
					if slices.Contains(spoil.broken, name) {
						require.Positive(t, f.Broken(), name)
						if name == spoil.broken[0] {
							require.Equal(t, spoil.subject(sale, w), f.Offenders[0].Subject)
						}
					} else {
						require.Zero(t, f.Broken(), "%s: %+v", name, f.Offenders)
					}
				}
			})
		})
	}
}

func none(sales.Sale, *world) []any   { return nil }
func at(_ sales.Sale, w *world) []any { return []any{w.at.Add(-time.Minute)} }
func twice(_ sales.Sale, w *world) []any {
	return []any{w.at.Add(-time.Minute), w.at.Add(-time.Minute)}
}
func shift(_ sales.Sale, w *world) string     { return w.seller.ShiftID }
func saleID(sale sales.Sale, _ *world) string { return sale.ID }
func is(id string) func(sales.Sale, *world) string {
	return func(sales.Sale, *world) string { return id }
}

func TestALateSuccessWithItsIncidentHolds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.observe(w.sell(), sales.Observation{Cause: sales.Permitted, Permit: sales.Permit{By: "p"}})
		sale = w.observe(sale, sales.Observation{Cause: sales.Replied, State: sales.Failed, ReasonCode: "RateLimited"})
		sale = w.observe(sale, sales.Observation{Cause: sales.Listed, State: sales.Complete, Facts: &sales.Facts{TransferRef: "1", Commission: money.Of(0, "EUR")}})
		require.Equal(t, sales.Complete, sale.Fulfilment)
		w.at, w.balance = w.at.Add(time.Hour), money.MustParse("90", "EUR")
		run, _ := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		w.spoil("DELETE FROM incidents")
		run, found := w.verify()
		require.False(t, run.Holds)
		require.Equal(t, invariant.Kind("sale.left"), found["I8"].Offenders[0].Kind)
	})
}

// The incident of one move is not that of another.
func TestEachMoveOutOfAnEndHasItsOwnIncident(t *testing.T) {
	t.Parallel()
	for _, kind := range []sales.IncidentKind{sales.LateSuccess, sales.LateReversal} {
		storetest.Each(t, func(t *testing.T, db *store.DB) {
			w := newWorld(t, db)
			sale := w.observe(w.sell(), sales.Observation{Cause: sales.Permitted, Permit: sales.Permit{By: "p"}})
			sale = w.observe(sale, sales.Observation{Cause: sales.Replied, State: sales.Failed, ReasonCode: "RateLimited"})
			sale = w.observe(sale, sales.Observation{Cause: sales.Listed, State: sales.Complete, Facts: &sales.Facts{TransferRef: "1", Commission: money.Of(0, "EUR")}})
			for range 2 {
				w.at = w.at.Add(2 * time.Minute)
				sale = w.observe(sale, sales.Observation{Cause: sales.Listed, State: sales.Failed})
			}
			require.Equal(t, sales.Failed, sale.Fulfilment)
			_, found := w.verify()
			require.Empty(t, found["I8"].Offenders)
			w.spoil("DELETE FROM incidents WHERE kind = ?", kind)
			_, found = w.verify()
			require.Len(t, found["I8"].Offenders, 1, kind)
			require.Equal(t, sale.ID, found["I8"].Offenders[0].Subject)
		})
	}
}

func TestAFailureIsAnIncidentUntilAllHoldsAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, _ := settled(t, db)
		w.spoil("UPDATE shifts SET opening_micros = 1")
		open := func() (n int64) {
			require.NoError(t, db.Read(t.Context()).Table("incidents").Where("kind = ? AND closed_at IS NULL", sales.InvariantBroken).Count(&n).Error)
			return n
		}
		for range 2 {
			run, _ := w.verify()
			require.False(t, run.Holds)
			require.Equal(t, int64(1), open(), "one, however often it is found")
		}
		w.spoil("UPDATE shifts SET opening_micros = 20000000")
		run, _ := w.verify()
		require.True(t, run.Holds)
		require.Zero(t, open())
	})
}

func TestOffendersAreNamedUpToABound(t *testing.T) {
	t.Parallel()
	w, _ := settled(t, storetest.New(t))
	for i := range 60 {
		w.post(ledger.Entry{Key: fmt.Sprint("p", i), At: w.at.Add(-time.Minute), Journal: ledger.OpeningBalance(money.MustParse("1", "GBP"))})
	}
	w.spoil("DELETE FROM postings WHERE currency = 'GBP' AND line = 1")
	_, found := w.verify()
	require.Len(t, found["I3"].Offenders, 50)
	require.Equal(t, 10, found["I3"].More)
	require.Equal(t, 60, found["I3"].Broken())
}

func TestItRunsOnceANight(t *testing.T) {
	t.Parallel()
	w, _ := settled(t, storetest.New(t))
	runs := func() (n int64) {
		require.NoError(t, w.db.Read(t.Context()).Table("verify_runs").Count(&n).Error)
		return n
	}
	look := func() { require.NoError(t, w.VerifyIfDue(t.Context())) }
	look()
	require.Equal(t, int64(1), runs(), "never run: due")
	for _, hour := range []int{14, 23, 26, 27} { // until 03:00 of the next night
		w.at = time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC)
		look()
		require.Equal(t, int64(1), runs(), hour)
	}
	w.at = time.Date(2026, 3, 2, 3, 31, 0, 0, time.UTC)
	look()
	look()
	require.Equal(t, int64(2), runs())
	w.at = time.Date(2026, 7, 1, 2, 31, 0, 0, time.UTC) // 03:31 in Dublin's summer
	look()
	require.Equal(t, int64(3), runs())
}

func TestTheMetricTellsOfOffenders(t *testing.T) {
	t.Parallel()
	w, _ := settled(t, storetest.New(t))
	registry := prometheus.NewRegistry()
	d := *w.Uses()
	d.Metrics = registry
	s := invariant.New(d)
	w.spoil("UPDATE shifts SET opening_micros = 1")
	_, err := s.Verify(t.Context(), "test")
	require.NoError(t, err)
	families, err := registry.Gather()
	require.NoError(t, err)
	told := map[string]int{}
	for _, metric := range families[1].GetMetric() {
		told[metric.GetLabel()[0].GetValue()] = int(metric.GetGauge().GetValue())
	}
	require.Equal(t, map[string]int{"I2": 0, "I3": 0, "I4": 0, "I5": 0, "I6": 0, "I7": 1, "I8": 0, "audit": 0, "sealed": 0}, told)
	require.Equal(t, int(w.at.Unix()), int(families[0].GetMetric()[0].GetGauge().GetValue()))
}

// What store.Guards has against a trigger is a kind of incident.
func TestEachProblemOfAGuardHasItsKind(t *testing.T) {
	t.Parallel()
	for _, problem := range []string{"missing", "off", "changed"} {
		require.Contains(t, invariant.Kinds(), invariant.Kind("guard."+problem))
	}
}
