package demodata_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/counter"
	"airtill/internal/counter/countertest"
	"airtill/internal/harness/demodata/demotest"
	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/statement"
	"airtill/internal/store"
	"airtill/internal/till"
	"airtill/internal/vault"
)

var quiet = slog.New(slog.DiscardHandler)

func verifier(b *testing.B, db *store.DB) *invariant.Service {
	b.Helper()
	book := ledger.New(ledger.Deps{DB: db})
	agree := func(ctx context.Context) (reconcile.UpstreamBalance, error) {
		booked, err := book.Balance(ctx, ledger.Float, "EUR")
		return reconcile.UpstreamBalance{AskedAt: time.Now(), ToldAt: time.Now(), Micros: booked.Micros(), Currency: "EUR"}, err
	}
	return invariant.New(invariant.Deps{
		DB: db, Ledger: book, Balance: agree, Audit: audit.New(audit.Deps{DB: db, Now: time.Now, Log: quiet}), Staff: demotest.Staff(b, db), Log: quiet, Now: time.Now,
	})
}

// storeBalances leaves stored balances as they are after ten minutes.
func storeBalances(b *testing.B, db *store.DB) {
	b.Helper()
	book := ledger.New(ledger.Deps{DB: db})
	for i := range 2 {
		require.NoError(b, book.Checkpoint(b.Context(), time.Now().Add(time.Duration(i)*time.Hour)))
	}
}

// BenchmarkVerify is the check of the night: a million sales within a minute.
func BenchmarkVerify(b *testing.B) {
	db := demotest.Open(b, 60)
	storeBalances(b, db)
	s := verifier(b, db)
	for b.Loop() {
		run, err := s.Verify(b.Context(), "bench")
		require.NoError(b, err)
		require.True(b, run.Holds, "%+v", run.Findings)
		for _, f := range run.Findings {
			b.ReportMetric(float64(f.Checked), f.Name)
		}
	}
}

// closer closes statements two days after the last sale.
func closer(b *testing.B, db *store.DB) *statement.Service {
	b.Helper()
	var last time.Time
	require.NoError(b, db.Read(b.Context()).Raw("SELECT recorded_at FROM sales ORDER BY recorded_at DESC LIMIT 1").Scan(&last).Error)
	return statement.New(statement.Deps{DB: db, Staff: demotest.Staff(b, db), Now: func() time.Time { return last.Add(48 * time.Hour) }, Log: quiet})
}

// BenchmarkStatements closes the day of 50 shops: 10,000 sales of each in half a
// minute. Closed days stay closed, so it is one run: -benchtime 1x.
func BenchmarkStatements(b *testing.B) {
	s, closed := closer(b, demotest.Open(b, 1)), 0
	for b.Loop() {
		n, err := s.CloseDue(b.Context())
		require.NoError(b, err)
		closed += n
	}
	require.Positive(b, closed)
	b.ReportMetric(float64(closed), "statements")
}

// BenchmarkSaleBesideTheBooks tells by what factor the slowest sale of a hundred is
// slower while the books are checked. Quiet and busy rounds follow one another, so
// that what else the machine does meets both.
func BenchmarkSaleBesideTheBooks(b *testing.B) {
	db := demotest.Open(b, 60)
	storeBalances(b, db)
	counter := newDesk(b, db)
	check := verifier(b, db)
	var alone, beside []time.Duration
	for b.Loop() {
		alone = append(alone, counter.round(b)...)
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		go func() {
			for n := 0; ; n++ {
				if _, err := check.Verify(ctx, fmt.Sprint("bench ", n)); err != nil {
					ended <- err
					return
				}
			}
		}()
		beside = append(beside, counter.round(b)...)
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "interrupted") {
			require.NoError(b, err)
		}
	}
	compare(b, alone, beside)
}

// BenchmarkSaleBesideTheStatements is the same while the day of 50 shops is closed.
// Closed days stay closed, so it is one run: -benchtime 1x.
func BenchmarkSaleBesideTheStatements(b *testing.B) {
	db := demotest.Open(b, 1)
	storeBalances(b, db)
	s := closer(b, db)
	counter := newDesk(b, db)
	var alone, beside []time.Duration
	for b.Loop() {
		for range 10 {
			alone = append(alone, counter.round(b)...)
		}
		ended := make(chan error, 1)
		go func() {
			closed, err := s.CloseDue(b.Context())
			if closed == 0 && err == nil {
				err = errors.New("no day was closed: -benchtime 1x, on a database where none was")
			}
			ended <- err
		}()
		for len(ended) == 0 {
			beside = append(beside, counter.round(b)...)
		}
		require.NoError(b, <-ended)
	}
	compare(b, alone, beside)
}

func compare(b *testing.B, alone, beside []time.Duration) {
	b.Helper()
	b.ReportMetric(float64(len(beside)), "beside")
	b.ReportMetric(float64(p99(alone).Microseconds())/1000, "ms-alone")
	b.ReportMetric(float64(p99(beside).Microseconds())/1000, "ms-beside")
	b.ReportMetric(float64(p99(beside))/float64(p99(alone)), "times")
}

func p99(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)*99/100]
}

// desk records sales at a till of its own.
type desk struct {
	sales   *sales.Service
	seller  counter.Seller
	counter *counter.Service
	sold    int64 // begins anywhere: a database may have seen a benchmark before
}

func newDesk(b *testing.B, db *store.DB) *desk {
	b.Helper()
	book, chain := ledger.New(ledger.Deps{DB: db}), audit.New(audit.Deps{DB: db, Now: time.Now, Log: quiet})
	require.NoError(b, db.Tx(b.Context(), func(tx *store.Tx) error {
		return ledger.Post(b.Context(), tx, ledger.Entry{Key: "bench/" + store.NewID(time.Now()), At: time.Now(), Journal: ledger.OpeningBalance(money.MustParse("100000000", "EUR"))})
	}))
	shops, err := demotest.Staff(b, db).Shops(b.Context())
	require.NoError(b, err)
	bench := staff.Till{ShopID: shops[0].ID, Name: "Bench " + store.NewID(time.Now())}
	at, err := demotest.Staff(b, db).AddTill(b.Context(), audit.Command("bench"), bench)
	require.NoError(b, err)
	shift, err := till.New(till.Deps{DB: db, Ledger: book, Audit: chain, Now: time.Now}).Open(b.Context(), till.Opening{
		Actor: audit.Actor{UserID: "c"}, ShopID: shops[0].ID, TillID: at.ID, Float: till.Counted(money.MustParse("20", "EUR")),
	})
	require.NoError(b, err)
	vault, err := vault.New(vault.NewKey())
	require.NoError(b, err)
	sold := sales.New(sales.Deps{DB: db, Vault: vault, Audit: chain, Bus: signal.NewMemory(), Process: "bench", Now: time.Now, Log: quiet})
	return &desk{
		sales: sold, counter: countertest.New(b, pricing.New(pricing.Deps{DB: db, Audit: chain, Now: time.Now}), sold),
		seller: counter.Seller{CashierID: "c", Country: "IE", ShopID: shops[0].ID, TillID: at.ID, ShiftID: shift.ID, Language: "en", Currency: "EUR"},
		sold:   time.Now().UnixMilli(),
	}
}

// round records two hundred sales and returns how long each took.
func (c *desk) round(b *testing.B) (took []time.Duration) {
	b.Helper()
	c.seller.CashierID = "bench " + store.NewID(time.Now()) // cashiers have a limit
	for range 200 {
		c.sold++
		number := fmt.Sprintf("35387%07d", c.sold%10_000_000)
		offer := countertest.Offer(b, c.counter, countertest.Ask(c.seller, countertest.Irish(b), number),
			counter.Confirmation{Key: "bench-key-" + store.NewID(time.Now()), Again: true})
		began := time.Now()
		_, _, err := c.sales.Sell(b.Context(), offer)
		took = append(took, time.Since(began))
		require.NoError(b, err)
	}
	return took
}
