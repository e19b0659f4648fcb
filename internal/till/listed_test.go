package till_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/ledger"
	"airtill/internal/till"
)

// Open shifts stand before all others, each list within its bounds and half-open in time; pages follow each other.
func TestShiftsAreListed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		now := noon
		d.Uses().Now = func() time.Time { return now }
		var ids []string
		for i := range 4 {
			now = noon.Add(time.Duration(i) * time.Hour)
			by := audit.Actor{UserID: []string{"aoife", "brid"}[i/3]}
			shift, err := d.Open(t.Context(), till.Opening{Actor: by, ShopID: "shop", TillID: fmt.Sprint("till-", i), Float: till.Counted(eur("0"))})
			require.NoError(t, err)
			ids = append(ids, shift.ID)
			if i != 1 {
				d.count(shift, fmt.Sprint("close-", i), "0")
			}
		}
		listed := func(f till.Filter) (found []string) {
			shifts, err := d.List(t.Context(), f)
			require.NoError(t, err)
			for _, s := range shifts {
				found = append(found, s.ID)
			}
			return found
		}
		require.Equal(t, []string{ids[1], ids[3], ids[2], ids[0]}, listed(till.Filter{}))
		var paged []string
		for last := ""; len(paged) < len(ids); last = paged[len(paged)-1] {
			next := listed(till.Filter{Limit: 1, Before: last})
			require.Len(t, next, 1, "after %q", last)
			paged = append(paged, next...)
		}
		require.Equal(t, []string{ids[1], ids[3], ids[2], ids[0]}, paged)
		require.Empty(t, listed(till.Filter{Before: ids[0]}))
		_, err := d.List(t.Context(), till.Filter{Before: "nothing"})
		require.Equal(t, "/shift.none", codeOf(err))
		require.Equal(t, []string{ids[1]}, listed(till.Filter{Open: true}))
		require.Equal(t, []string{ids[3]}, listed(till.Filter{CashierID: "brid"}))
		require.Equal(t, []string{ids[2]}, listed(till.Filter{TillID: "till-2"}))
		require.Empty(t, listed(till.Filter{ShopID: "another"}))
		require.Empty(t, listed(till.Filter{Currency: "USD"}))
		for _, c := range []struct {
			sought till.Sought
			want   []string
		}{
			{till.Sought{}, nil},
			{till.Sought{ID: ids[0]}, ids[:1]},
			{till.Sought{ShopID: "another", ID: ids[0]}, nil},
			{till.Sought{ShopID: "shop", Tills: []string{"till-0", "till-2"}}, []string{ids[2], ids[0]}},
			{till.Sought{Cashiers: []string{"brid"}, ID: ids[1]}, []string{ids[3], ids[1]}},
			{till.Sought{Numbered: []string{"till-3", "till-1"}, Number: 1}, []string{ids[3], ids[1]}},
			{till.Sought{Numbered: []string{"till-3"}, Number: 2}, nil},
		} {
			shifts, err := d.Find(t.Context(), c.sought, 9)
			require.NoError(t, err)
			var found []string
			for _, s := range shifts {
				found = append(found, s.ID)
			}
			require.Equal(t, c.want, found, "%+v", c.sought)
		}
		newest, err := d.Find(t.Context(), till.Sought{Cashiers: []string{"aoife"}}, 1)
		require.NoError(t, err)
		require.Equal(t, ids[2], newest[0].ID)
		early, late := noon.Add(time.Hour), noon.Add(3*time.Hour)
		period := till.Filter{Opened: []till.Span{
			{Shops: []string{"another"}, From: noon, To: late}, {Shops: []string{"shop"}, From: early, To: late},
		}}
		require.Equal(t, []string{ids[2], ids[1]}, listed(period))
		period.Limit = 1
		require.Equal(t, []string{ids[2]}, listed(period))
		period.Before = ids[2]
		require.Equal(t, []string{ids[1]}, listed(period))
		_, err = d.Get(t.Context(), ids[0], "another")
		require.Equal(t, "/shift.none", codeOf(err))
	})
}

// TestOpenShiftsAreListedThoughTheLastOneListedCloses before the next page is asked for.
func TestOpenShiftsAreListedThoughTheLastOneListedCloses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		now := noon
		d.Uses().Now = func() time.Time { return now }
		var opened []till.Shift
		for i := range 4 {
			now = noon.Add(time.Duration(i) * time.Hour)
			opened = append(opened, d.open(fmt.Sprint("till-", i), "0"))
		}
		d.count(opened[0], "close-0", "0")
		first, err := d.List(t.Context(), till.Filter{Limit: 1})
		require.NoError(t, err)
		require.Equal(t, opened[3].ID, first[0].ID)
		d.count(opened[3], "close-3", "0")
		rest, err := d.List(t.Context(), till.Filter{Before: first[0].ID, BeforeOpen: true})
		require.NoError(t, err)
		var ids []string
		for _, s := range rest {
			ids = append(ids, s.ID)
		}
		require.Equal(t, []string{opened[2].ID, opened[1].ID, opened[3].ID, opened[0].ID}, ids)
	})
}

// Whoever takes a till over sits there; the change of hands is on record, and the drawer is the same.
func TestATakeOverIsOnRecord(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift := d.open("till-1", "20")
		seats := map[string]bool{shift.Seat: true}
		for _, from := range []string{shift.SeatBy, "brid"} {
			taken, err := d.Take(t.Context(), audit.Actor{UserID: "brid", Name: "brid"}, shift.ID, "shop", from)
			require.NoError(t, err)
			require.Equal(t, "brid", taken.SeatBy)
			require.Equal(t, shift.CashierID, taken.CashierID, "who opened it did")
			seats[taken.Seat] = true
		}
		require.Len(t, seats, 3, "a browser that worked there before stops")
		records, err := d.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.TillTakenOver})
		require.NoError(t, err)
		require.Len(t, records, 2)
		require.Equal(t, audit.Of(audit.Shift, shift.ID), records[0].Subject)
		require.Equal(t, "20.00 EUR", d.balance(ledger.TillOf(shift.ID)))
		_, err = d.Take(t.Context(), aoife(), "nothing", "shop", "brid")
		require.Equal(t, "/shift.none", codeOf(err))
	})
}
