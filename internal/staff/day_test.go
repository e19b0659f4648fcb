package staff_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

// Where clocks change at midnight a day begins at one, or at the first of two midnights; it never begins on the
// evening before.
func TestADayBeginsWhereClocksChangeAtMidnight(t *testing.T) {
	t.Parallel()
	for date, c := range map[string]struct{ zone, begins string }{
		"2026-03-08": {"America/Havana", "2026-03-08T01:00:00-04:00"},
		"2026-11-01": {"America/Havana", "2026-11-01T00:00:00-04:00"}, // the clock shows it twice
		"2026-09-06": {"America/Santiago", "2026-09-06T01:00:00-03:00"},
		"2026-04-05": {"America/Santiago", "2026-04-05T00:00:00-04:00"}, // eleven in the evening came twice
		"2026-03-29": {"Atlantic/Azores", "2026-03-29T01:00:00Z"},
		"2026-10-25": {"Atlantic/Azores", "2026-10-25T00:00:00Z"},
		"2026-04-24": {"Africa/Cairo", "2026-04-24T01:00:00+03:00"},
		"2026-03-30": {"Europe/Dublin", "2026-03-30T00:00:00+01:00"},
		"2026-12-32": {"Asia/Kathmandu", "2027-01-01T00:00:00+05:45"}, // counted on past the month
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		var year, month, day int
		_, err = fmt.Sscanf(date, "%d-%d-%d", &year, &month, &day)
		require.NoError(t, err)
		require.Equal(t, c.begins, staff.DayBegins(year, time.Month(month), day, zone).Format(time.RFC3339), "%s in %s", date, c.zone)
	}
}
