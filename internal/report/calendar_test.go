package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/report"
)

// TestDaysFollowEachOther: in every zone, also where clocks change at midnight, a
// day begins when the one before ends.
func TestDaysFollowEachOther(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Dublin", "America/Havana", "Africa/Cairo", "Asia/Beirut", "America/Asuncion", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for d := day(t, "2025-01-01"); d < day(t, "2027-01-01"); d++ {
			begins := d.Begins(zone)
			require.Equal(t, d, report.DayOf(begins, zone), "%s %s", name, d)
			require.Equal(t, d-1, report.DayOf(begins.Add(-time.Nanosecond), zone), "%s %s", name, d)
		}
	}
}

// TestHoursOfAWeekFollowTheClock: also where clocks change, the hours of the week
// cover every moment once, and each is the hour that the clock showed.
func TestHoursOfAWeekFollowTheClock(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Dublin", "Africa/Cairo", "Asia/Kathmandu", "Australia/Lord_Howe"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		from, to := day(t, "2026-01-01"), day(t, "2027-01-01")
		var covered time.Duration
		stretches := 0
		for slot := range report.Slots {
			for _, hours := range report.Stretches(from, to, slot, zone) {
				covered += hours[1].Sub(hours[0])
				stretches++
				for at := hours[0]; at.Before(hours[1]); at = at.Add(15 * time.Minute) {
					require.Equal(t, slot, int(at.In(zone).Weekday())*24+at.In(zone).Hour(), "%s %s", name, at)
				}
			}
		}
		require.Equal(t, to.Begins(zone).Sub(from.Begins(zone)), covered, name)
		require.LessOrEqual(t, stretches, 365*24, "an hour is one stretch, whole")
		require.Equal(t, [][2]time.Time{{from.Begins(zone), to.Begins(zone)}}, report.Stretches(from, to, -1, zone))
	}
}

func TestDatesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "2026-02-30", "2026-1-1", "1999-12-31", "2100-01-01", "yesterday", "2026-03-01T00:00:00Z"} {
		_, err := report.ParseDay(text)
		require.Error(t, err, text)
	}
}

func TestMonthsAndYears(t *testing.T) {
	t.Parallel()
	require.Equal(t, "2026-12-01", day(t, "2026-12-31").Month().String())
	require.Equal(t, "2027-01-01", day(t, "2026-12-31").AddMonths(1).String())
	require.Equal(t, "2023-03-01", day(t, "2024-02-29").Years(-1).String())
}
