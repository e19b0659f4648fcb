package statement_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/statement"
	"airtill/internal/store"
)

// emptyOffice is shops that have opened a till and sold nothing, and a clock.
func emptyOffice(t *testing.T, db *store.DB, now time.Time) *office {
	t.Helper()
	o := &office{t: t, db: db, now: now}
	clock, log := func() time.Time { return o.now }, slog.New(slog.DiscardHandler)
	o.staff = staff.New(staff.Deps{DB: db, Now: clock, Audit: audit.New(audit.Deps{DB: db, Now: clock, Log: log}), Log: log, Hashing: stafftest.Hashing()})
	o.Service = statement.New(statement.Deps{DB: db, Staff: o.staff, Now: clock, Log: log})
	return o
}

// opened is a shop in a zone whose first shift began at a moment.
func (o *office) opened(name, zone string, at time.Time) staff.Shop {
	o.t.Helper()
	shop, tills, err := o.staff.CreateShop(o.t.Context(), audit.Command("test"), staff.NewShop{
		Name: name, Zone: zone, Country: "IE", Currency: "EUR", Tills: 1,
	})
	require.NoError(o.t, err)
	require.NoError(o.t, o.db.Tx(o.t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency, opening_micros, opened_at)
			VALUES (?, ?, ?, 1, '', 'EUR', 0, ?)`, store.NewID(at), shop.ID, tills[0].ID, store.Moment(at)).Error
	}))
	return shop
}

// Where clocks change at midnight a day follows the one before all the same: it was closed again and again, so that
// its shop got no statement any more.
func TestDaysFollowEachOtherWhereClocksChangeAtMidnight(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := emptyOffice(t, db, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		changes := map[string]time.Time{}
		for zone, changed := range map[string]string{
			"America/Havana": "2026-03-08", "America/Santiago": "2026-09-06", "Atlantic/Azores": "2026-03-29",
			"Africa/Cairo": "2026-04-24", "Europe/Dublin": "2026-10-25", "UTC": "2026-03-01",
		} {
			at, err := time.Parse(time.DateOnly, changed)
			require.NoError(t, err)
			changes[o.opened(zone, zone, at.AddDate(0, 0, -2).Add(17*time.Hour)).ID] = at
			o.now = later(o.now, at.AddDate(0, 0, 4))
		}
		for o.sum("SELECT COUNT(*) FROM statements") < o.sum("SELECT COUNT(*) FROM shops") {
			o.close() // as often as it takes
		}
		for _, shop := range o.shops() {
			docs := o.documents(shop.ID)
			require.Greater(t, len(docs), 4, shop.Zone)
			for i, doc := range docs {
				require.Equal(t, changes[shop.ID].AddDate(0, 0, i-2).Format(time.DateOnly), doc.Day, shop.Zone)
				require.Equal(t, doc.Day, doc.From.In(shop.Location()).Format(time.DateOnly), shop.Zone)
				require.InDelta(t, 24, doc.To.Sub(doc.From).Hours(), 1, "%s %s", shop.Zone, doc.Day)
				if i > 0 {
					require.Equal(t, docs[i-1].To, doc.From, "%s %s", shop.Zone, doc.Day)
				}
			}
		}
		offences, _, err := o.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// A shop that never opened a till has no statements, and a day is closed two hours after its end, not sooner.
func TestADayIsClosedTwoHoursAfterItsEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
		o := emptyOffice(t, db, noon)
		_, _, err := o.staff.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{
			Name: "Never open", Zone: "UTC", Country: "IE", Currency: "EUR", Tills: 1,
		})
		require.NoError(t, err)
		shop := o.opened("Main Street", "America/New_York", noon)
		midnight := time.Date(2026, 3, 15, 4, 0, 0, 0, time.UTC)
		for after, want := range map[time.Duration]int{2*time.Hour - 1: 0, 2 * time.Hour: 1} {
			o.now = midnight.Add(after)
			if want == 0 {
				o.close()
				require.Empty(t, o.documents(shop.ID))
			}
		}
		o.now = midnight.Add(2 * time.Hour)
		o.close()
		require.Len(t, o.documents(shop.ID), 1)
		require.EqualValues(t, 1, o.sum("SELECT COUNT(*) FROM statements"))
		o.now = midnight.AddDate(0, 0, 100) // the till was off for long
		n, err := o.CloseDue(t.Context())
		require.NoError(t, err)
		require.Equal(t, 40, n, "so many at once, the rest in the next run")
		o.close()
		o.close()
		require.EqualValues(t, 100, o.sum("SELECT COUNT(*) FROM statements"))
	})
}

// A statement says of which differences nobody knew why when its day was over, and of its own shop alone.
func TestADayTellsOfItsUnresolvedDifferences(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
		midnight := noon.Add(12 * time.Hour)
		o := emptyOffice(t, db, midnight.Add(2*time.Hour))
		shop := o.opened("One", "UTC", noon)
		for i, b := range []struct {
			shop, kind, state string
			found             time.Time
		}{
			{shop.ID, "cash_short", "open", noon},
			{shop.ID, "cash_short", "proposed", midnight.Add(-time.Microsecond)},
			{shop.ID, "cash_over", "open", noon},
			{shop.ID, "cash_short", "resolved", noon},
			{shop.ID, "cash_short", "open", midnight},
			{"another", "cash_short", "open", noon},
		} {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Exec(`INSERT INTO breaks (id, kind, subject, shop_id, sale_id, cashier_id, micros, currency, float_micros,
					booked_micros, evidence, digest, found_at, seen_at, state, owner, resolution, account, reference, proposed_by,
					resolved_by, reopened, acts) VALUES (?, ?, ?, ?, '', '', ?, 'EUR', 0, 0, '{}', '', ?, ?, ?, '', '', '', '', '', '', 0, 0)`,
					fmt.Sprint(i), b.kind, fmt.Sprint(i), b.shop, i+1, b.found, b.found, b.state).Error
			}))
		}
		o.close()
		require.Equal(t, []statement.Breaks{
			{Kind: "cash_over", Currency: "EUR", Count: 1, Micros: 3}, {Kind: "cash_short", Currency: "EUR", Count: 2, Micros: 3},
		}, o.documents(shop.ID)[0].Breaks)
	})
}

// Two processes that close the same days at once make one chain.
func TestTwoProcessesCloseADayOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
		o := emptyOffice(t, db, noon.AddDate(0, 0, 10))
		o.opened("One", "UTC", noon)
		o.opened("Two", "Europe/Dublin", noon)
		closed := make(chan int, 2)
		for range 2 {
			go func() {
				n, err := o.CloseDue(t.Context())
				if err != nil {
					t.Error(err)
				}
				closed <- n
			}()
		}
		require.Equal(t, 20, <-closed+<-closed, "each day counts for the one that closed it")
		offences, checked, err := o.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)
		require.EqualValues(t, 20, checked)
	})
}

// Pages of the list follow each other without a gap, in one month or over its end, and a shop sees its own.
func TestPagesOfStatementsFollowEachOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		first := time.Date(2026, 1, 29, 12, 0, 0, 0, time.UTC)
		o := emptyOffice(t, db, first.AddDate(0, 0, 6))
		one := o.opened("One", "UTC", first)
		o.opened("Two", "UTC", first)
		o.close()
		list := func(f statement.Filter) (places []string) {
			found, err := o.List(t.Context(), f)
			require.NoError(t, err)
			for _, s := range found {
				require.Empty(t, s.Document, "they are large")
				places = append(places, s.Place())
			}
			return places
		}
		all := list(statement.Filter{Limit: 100})
		require.Len(t, all, 12)
		for name, f := range map[string]statement.Filter{"all": {}, "of a shop": {ShopID: one.ID}, "of a month": {Month: "2026-02"}, "of both": {ShopID: one.ID, Month: "2026-01"}} {
			f.Limit = 100
			whole := list(f)
			var paged []string
			for f.Limit = 3; ; {
				page := list(f)
				if len(page) == 0 {
					break
				}
				paged, f.Below = append(paged, page...), page[len(page)-1]
			}
			require.Equal(t, whole, paged, name)
			require.Subset(t, all, whole, name)
		}
		require.Len(t, list(statement.Filter{Month: "2026-01", Limit: 100}), 6)
		require.Len(t, list(statement.Filter{Month: "2026-02", Limit: 100}), 6)
		require.Empty(t, list(statement.Filter{Month: "2025-12", Limit: 100}))
	})
}

// A shop whose zone is mended has each day once: the one after the change is longer or shorter.
func TestDaysFollowEachOtherWhenAShopChangesItsZone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
		o := emptyOffice(t, db, noon.AddDate(0, 0, 1))
		shop := o.opened("One", "UTC", noon)
		o.close()
		for i, zone := range []string{"America/New_York", "Pacific/Auckland", "UTC"} {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Exec("UPDATE shops SET zone = ? WHERE id = ?", zone, shop.ID).Error
			}))
			o.now = noon.AddDate(0, 0, i+2)
			o.close()
		}
		docs := o.documents(shop.ID)
		require.Len(t, docs, 4)
		for i, doc := range docs {
			require.Equal(t, noon.AddDate(0, 0, i).Format(time.DateOnly), doc.Day)
			if i > 0 {
				require.Equal(t, docs[i-1].To, doc.From)
			}
		}
		offences, _, err := o.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)
	})
}

// The first statement of a shop that opens beside others reads the days since it opened, not all they ever sold.
func TestAShopsFirstDayIsReadFromItsBeginning(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		o := newOffice(t, db, demodata.Plan{Sales: 60, Days: 3, Shops: 1, Seed: 7})
		o.now = evening.AddDate(0, 0, 11)
		o.close()
		o.opened("Second", "UTC", evening.AddDate(0, 0, 10))
		o.Uses().AtOnce = 10
		asked := storetest.Recorded(t, db)
		closed, err := o.CloseDue(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, closed)
		reads := 0
		for _, query := range *asked {
			if strings.Contains(query.SQL, "FROM postings p CROSS JOIN sales") {
				reads++
			}
		}
		require.Zero(t, reads)
	})
}

// TestAShopsFirstDayIsThatOfItsOwnClock: it is the evening before in Los Angeles.
func TestAShopsFirstDayIsThatOfItsOwnClock(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		opened := time.Date(2026, 2, 2, 3, 0, 0, 0, time.UTC)
		o := emptyOffice(t, db, opened.AddDate(0, 0, 1))
		shop := o.opened("West", "America/Los_Angeles", opened)
		o.close()
		days := o.documents(shop.ID)
		require.NotEmpty(t, days)
		require.Equal(t, "2026-02-01", days[0].Day)
	})
}
