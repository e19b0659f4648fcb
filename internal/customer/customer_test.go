package customer_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/customer"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// bench is a book with two shops and a clock that is moved by hand.
type bench struct {
	*customer.Book
	t        *testing.T
	db       *store.DB
	here     string
	there    string
	nowMicro atomic.Int64
}

func each(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := &bench{t: t, db: db}
		b.nowMicro.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
		log := slog.New(slog.DiscardHandler)
		office := staff.New(staff.Deps{DB: db, Now: b.now, Audit: audit.New(audit.Deps{DB: db, Now: b.now, Log: log}), Log: log, Hashing: stafftest.Hashing()})
		for name, id := range map[string]*string{"Main Street": &b.here, "High Street": &b.there} {
			shop, _, err := office.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: name, Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
			require.NoError(t, err)
			*id = shop.ID
		}
		b.Book = customer.New(customer.Deps{DB: db, Now: b.now, Log: log, Retention: 100 * 24 * time.Hour})
		test(t, b)
	})
}

func (b *bench) now() time.Time { return time.UnixMicro(b.nowMicro.Load()).UTC() }

func (b *bench) pass(d time.Duration) { b.nowMicro.Add(d.Microseconds()) }

// sold has a sale to a number go through.
func (b *bench) sold(ctx context.Context, shop, account, sale string) error {
	remembered := b.Remembered(shop, account, sale)
	return b.db.Exec(ctx, remembered.SQL, remembered.Args...)
}

// found are the numbers that a search finds in a shop.
func (b *bench) found(shop, typed string) []string {
	b.t.Helper()
	entries, err := b.Find(b.t.Context(), shop, typed, 9)
	require.NoError(b.t, err)
	numbers := []string{}
	for _, e := range entries {
		numbers = append(numbers, e.AccountNumber)
	}
	return numbers
}

func TestEarlierCustomersAreFoundByEndingAndName(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		require.NoError(t, b.sold(ctx, b.here, "353871234567", "sale-1"))
		b.pass(time.Minute)
		require.NoError(t, b.sold(ctx, b.here, "2348030004567", "sale-2"))
		require.NoError(t, b.sold(ctx, b.there, "353860004567", "sale-3"))
		require.NoError(t, b.Write(ctx, b.here, "  Siobhán   O'Neill ", "353871234567"))

		require.Equal(t, []string{"2348030004567", "353871234567"}, b.found(b.here, "4567"), "the latest first, of this shop alone")
		require.Equal(t, b.found(b.here, "4567"), b.found(b.here, "٤٥٦٧"))
		require.Equal(t, []string{"353871234567"}, b.found(b.here, "siobhan"))
		require.Equal(t, []string{"353871234567"}, b.found(b.here, "NEILL sio"))
		require.Empty(t, b.found(b.there, "siobhan"))
		for _, typed := range []string{"", "567", "34567", "4568", "%", "nobody", "_iobhan", "sio%neill", "\x00\xff"} {
			require.Empty(t, b.found(b.here, typed), "%q", typed)
		}
		entry, err := b.Of(ctx, b.here, "353871234567")
		require.NoError(t, err)
		require.Equal(t, "Siobhán O'Neill", entry.Name)
		require.Equal(t, "sale-1", entry.SaleID, "writing a name down keeps what was bought")
	})
}

func TestACustomerHasSeveralNumbersAndANumberOneName(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		require.NoError(t, b.Write(ctx, b.here, "Ama", "233200000001"))
		require.NoError(t, b.Write(ctx, b.here, "AMA", "233200000002"))
		require.Len(t, b.found(b.here, "ama"), 2, "one customer")
		require.NoError(t, b.Write(ctx, b.here, "Kofi", "233200000002"))
		require.NoError(t, b.Write(ctx, b.here, "Kofi", "233200000001"))
		require.Empty(t, b.found(b.here, "ama"), "a name without a number is gone")
		entries, err := b.List(ctx, b.here, "", 10)
		require.NoError(t, err)
		require.Len(t, entries, 2)

		require.NoError(t, b.Write(ctx, b.here, "Esi", "233200000003"))
		require.NoError(t, b.Rename(ctx, b.here, entries[0].CustomerID, "Kofi of the market"))
		require.Len(t, b.found(b.here, "market"), 2)
		require.Equal(t, fault.Conflict, fault.KindOf(b.Rename(ctx, b.here, entries[0].CustomerID, "esi")))
		require.Equal(t, fault.NotFound, fault.KindOf(b.Rename(ctx, b.there, entries[0].CustomerID, "Stranger")), "another shop's")

		require.NoError(t, b.Forget(ctx, b.there, "233200000003"))
		require.Len(t, b.found(b.here, "esi"), 1, "another shop forgets nothing of ours")
		require.NoError(t, b.Forget(ctx, b.here, "233200000003"))
		require.Empty(t, b.found(b.here, "esi"))
		found, err := b.List(ctx, b.here, "0002", 10)
		require.NoError(t, err)
		require.Len(t, found, 1)
	})
}

func TestNamesAndNumbersThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for name, number := range map[string]string{"": "353871234567", " 12 ": "353871234567", "a\x00b": "353871234567", "\xff": "353871234567", "Ama": "12", "Kofi": "+353871234567"} {
			require.Equal(t, fault.Invalid, fault.KindOf(b.Write(t.Context(), b.here, name, number)), "%q %q", name, number)
		}
	})
}

func TestWhoDoesNotComeIsForgotten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		require.NoError(t, b.Write(ctx, b.here, "Ama", "233200000001"))
		require.NoError(t, b.Write(ctx, b.here, "Kofi", "233200000002"))
		b.pass(60 * 24 * time.Hour)
		require.NoError(t, b.sold(ctx, b.here, "233200000002", "sale"))
		b.pass(60 * 24 * time.Hour)
		require.Empty(t, b.found(b.here, "ama"), "over, whether or not the job has run")
		require.NoError(t, b.Sweep(ctx))
		require.Len(t, b.found(b.here, "kofi"), 1)
		var left int64
		require.NoError(t, b.db.Read(ctx).Raw("SELECT (SELECT COUNT(*) FROM customers) + (SELECT COUNT(*) FROM customer_numbers)").Scan(&left).Error)
		require.EqualValues(t, 2, left)
	})
}

// TestManyAreForgottenABatchAtATime: what stops the last of them leaves the others forgotten, and nobody waits for all.
func TestManyAreForgottenABatchAtATime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		require.NoError(t, b.Write(ctx, b.here, "Ama", "233200000001"))
		const many, kept = 520, 20
		require.NoError(t, b.db.Tx(ctx, func(tx *store.Tx) error {
			rows := make([][]any, many-1)
			for i := range rows {
				rows[i] = []any{b.here, fmt.Sprint(353870000000 + i), "0000", "", b.now().Add(time.Duration(i+1) * time.Second)}
			}
			into := []string{"shop_id", "account_number", "ending", "sale_id", "seen_at"}
			return tx.InsertRows(ctx, "customer_numbers", into, rows)
		}))
		b.pass(120 * 24 * time.Hour)
		left := func() (n int64) {
			require.NoError(t, b.db.Read(ctx).Table("customer_numbers").Count(&n).Error)
			return n
		}
		if b.db.Dialect() == store.SQLite { // whose tables the till may make
			require.NoError(t, b.db.Exec(ctx, "CREATE TABLE needs (shop_id TEXT, account_number TEXT, "+
				"FOREIGN KEY (shop_id, account_number) REFERENCES customer_numbers (shop_id, account_number))"))
			require.NoError(t, b.db.Exec(ctx, "INSERT INTO needs SELECT shop_id, MAX(account_number) FROM customer_numbers GROUP BY shop_id"))
			require.Error(t, b.Sweep(ctx))
			require.EqualValues(t, kept, left())
			require.NoError(t, b.db.Exec(ctx, "DELETE FROM needs"))
		}
		require.NoError(t, b.Sweep(ctx))
		require.Zero(t, left())
		var names int64
		require.NoError(t, b.db.Read(ctx).Table("customers").Count(&names).Error)
		require.Zero(t, names)
	})
}

func TestAsks(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]bool{"4567": true, " 4567 ": true, "٤٥٦٧": true, "٤٥٦": false, "ama": true, "Жан": true, "456": false, "0871234567": false, "": false, "12-4": false} {
		require.Equal(t, want, customer.Asks(typed), typed)
	}
}

// TestANumberComesWhileTheLastIsForgotten in another process: both are done, and whoever has a number keeps her name.
func TestANumberComesWhileTheLastIsForgotten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for range 30 {
			require.NoError(t, b.Write(t.Context(), b.here, "Ama", "353871111111"))
			var both sync.WaitGroup
			var wrote, forgot error
			both.Go(func() { wrote = b.Write(t.Context(), b.here, "Ama", "353872222222") })
			both.Go(func() { forgot = b.Forget(t.Context(), b.here, "353871111111") })
			both.Wait()
			require.NoError(t, wrote)
			require.NoError(t, forgot)
			require.Equal(t, []string{"353872222222"}, b.found(b.here, "Ama"))
			b.pass(200 * 24 * time.Hour)
			both.Go(func() { wrote = b.Write(t.Context(), b.here, "Ama", "353873333333") })
			both.Go(func() { forgot = b.Sweep(t.Context()) })
			both.Wait()
			require.NoError(t, wrote)
			require.NoError(t, forgot)
			require.Equal(t, []string{"353873333333"}, b.found(b.here, "Ama"))
			require.NoError(t, b.Forget(t.Context(), b.here, "353873333333"))
		}
	})
}
