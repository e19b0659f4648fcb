package frame

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A shop's day holds every moment of its date and no other, where clocks change at midnight too: limits of a day began
// anew an hour before its end.
func TestABusinessDayHoldsItsDate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"America/Havana", "America/Santiago", "Atlantic/Azores", "Africa/Cairo", "Europe/Dublin", "UTC"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		end := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		_, end = BusinessDay(end, zone)
		for range 365 {
			from, to := BusinessDay(end, zone)
			require.Equal(t, end, from, "%s: days follow each other", name)
			date := from.In(zone).Format(time.DateOnly)
			require.Equal(t, date, to.Add(-time.Second).In(zone).Format(time.DateOnly), name)
			for _, at := range []time.Time{from.Add(12 * time.Hour), to.Add(-time.Second)} {
				sameFrom, sameTo := BusinessDay(at, zone)
				require.True(t, sameFrom.Equal(from) && sameTo.Equal(to), "%s %s", name, at)
			}
			end = to
		}
	}
}
