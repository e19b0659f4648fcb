package forecast_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/forecast"
	"airtill/internal/money"
)

// aDay is one on which the hours from 8 to 20 take so much each.
func aDay(each int64) (hours [24]int64) {
	for hour := 8; hour < 20; hour++ {
		hours[hour] = each * money.Scale
	}
	return hours
}

// weeksOf are days that are all alike, up to an hour of today.
func weeksOf(each, today int64, until int) forecast.Days {
	d := forecast.Days{}
	d.Today = len(d.Spent) - 1
	for day := range d.Today {
		d.Spent[day] = aDay(each)
	}
	d.Spent[d.Today] = aDay(today)
	for hour := until; hour < 24; hour++ {
		d.Spent[d.Today][hour] = 0
	}
	return d
}

var noon = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

func TestFloatLasts(t *testing.T) {
	t.Parallel()
	const eur = money.Scale
	for _, c := range []struct {
		name  string
		now   time.Time
		float int64
		days  forecast.Days
		want  string
	}{
		{"as on any other day", noon, 450 * eur, weeksOf(100, 100, 12), "31 16:30"},
		{"twice as fast", noon, 450 * eur, weeksOf(100, 200, 12), "31 14:15"},
		{"half as fast, into tomorrow", noon, 450 * eur, weeksOf(100, 50, 12), "01 08:30"},
		{"within this hour", noon.Add(30 * time.Minute), 25 * eur, weeksOf(100, 100, 12), "31 12:45"},
		{"no faster than three times", noon, 450 * eur, weeksOf(100, 5000, 12), "31 13:30"},
		{"overnight", noon, 800 * eur, weeksOf(100, 100, 12), "31 20:00"},
		{"gone", noon, 0, weeksOf(100, 100, 12), "31 12:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := forecast.Predict(c.now, c.float, c.days)
			require.True(t, r.Known)
			require.False(t, r.Beyond)
			require.Equal(t, c.want, r.At.Format("02 15:04"))
			require.Zero(t, r.Error, "days that are alike are foreseen exactly")
			require.Positive(t, r.Trials)
		})
	}
}

func TestFloatOfManyWeeksLastsBeyondOne(t *testing.T) {
	t.Parallel()
	r := forecast.Predict(noon, 1_000_000*money.Scale, weeksOf(100, 100, 12))
	require.True(t, r.Known && r.Beyond)
	require.True(t, r.At.IsZero())
}

func TestNothingIsForetoldFromNothing(t *testing.T) {
	t.Parallel()
	d := weeksOf(0, 100, 12)
	require.False(t, forecast.Predict(noon, money.Scale, d).Known)
	d.Spent[d.Today-7] = aDay(100)
	require.False(t, forecast.Predict(noon, money.Scale, d).Known, "one such weekday is none")
	d.Spent[d.Today-14] = aDay(100)
	require.True(t, forecast.Predict(noon, money.Scale, d).Known)
}

func TestErrorIsThatOfTrials(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(1, 2))
	d := weeksOf(100, 100, 12)
	for day := range d.Today {
		for hour := range d.Spent[day] {
			d.Spent[day][hour] = d.Spent[day][hour] * (80 + dice.Int64N(41)) / 100 // within 20 % of its shape
		}
	}
	r := forecast.Predict(noon, 450*money.Scale, d)
	require.Positive(t, r.Error)
	require.Less(t, r.Error, 20)
	require.True(t, r.Soonest.Before(r.At) && r.At.Before(r.Latest), "%v %v %v", r.Soonest, r.At, r.Latest)
}

// TestErrorIsTheMedianOfTheTrials, and what lies between with it: of 14 days that are
// over, seven came to 80 where 100 were foreseen, which is off by 25 %, three to 200
// where 95 were (52 %) and four to just that.
func TestErrorIsTheMedianOfTheTrials(t *testing.T) {
	t.Parallel()
	d := forecast.Days{}
	d.Today = len(d.Spent) - 1
	for day := range d.Today {
		each := int64(100)
		switch ago := d.Today - day; {
		case ago <= 3:
			each = 200
		case ago <= 7:
			each = 95
		case ago <= 14:
			each = 80
		}
		for hour := 15; hour < 20; hour++ { // nothing before: the pace of a day tells nothing
			d.Spent[day][hour] = each * money.Scale
		}
	}
	r := forecast.Predict(noon, 190*money.Scale, d)
	require.Equal(t, 25, r.Error)
	require.Equal(t, 14*4, r.Trials, "from 12, 13, 14 and 15 o'clock on; before that nothing came")
	for want, got := range map[string]time.Time{"17:00": r.At, "16:36": r.Soonest, "17:40": r.Latest} {
		require.Equal(t, want, got.Format("15:04"))
	}
}

// TestHoursAreThoseOfTheClock: on a day when clocks change, and after it, an hour is the one that the clock shows.
func TestHoursAreThoseOfTheClock(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Dublin")
	require.NoError(t, err)
	for _, c := range []struct {
		now   time.Time
		float int64
		want  string
	}{
		{time.Date(2026, 3, 29, 12, 0, 0, 0, zone), 450, "29 16:30"},   // clocks went forward at 1
		{time.Date(2026, 10, 25, 12, 0, 0, 0, zone), 450, "25 16:30"},  // and back at 2
		{time.Date(2026, 3, 29, 12, 0, 0, 0, zone), 850, "30 08:30"},   // nothing is sold after 20:00
		{time.Date(2026, 10, 25, 12, 0, 0, 0, zone), 850, "26 08:30"},  // likewise
		{time.Date(2026, 3, 28, 12, 0, 0, 0, zone), 850, "29 08:30"},   // they will
		{time.Date(2026, 10, 24, 12, 0, 0, 0, zone), 1950, "25 19:30"}, // likewise
		{time.Date(2026, 3, 27, 12, 0, 0, 0, zone), 2050, "29 08:30"},
	} {
		r := forecast.Predict(c.now, c.float*money.Scale, weeksOf(100, 100, 12))
		require.Equal(t, c.want, r.At.Format("02 15:04"), c.now)
	}
}

// TestAnHourThatClocksLeaveOutTakesNothing: neither it nor the hour before it is taken for the other, east and west of
// Greenwich, at midnight too, and where two hours are left out.
func TestAnHourThatClocksLeaveOutTakesNothing(t *testing.T) {
	t.Parallel()
	for place, c := range map[string]struct {
		noon   time.Time // before
		last   int       // the last hour in which anything is sold
		usedUp string
	}{
		"Europe/Dublin":    {time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC), 0, "29 00:30"},
		"America/New_York": {time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC), 1, "08 01:30"},
		"America/St_Johns": {time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC), 1, "08 01:30"},
		"America/Santiago": {time.Date(2026, 9, 5, 12, 0, 0, 0, time.UTC), 23, "05 23:30"},
		"Africa/Cairo":     {time.Date(2026, 4, 23, 12, 0, 0, 0, time.UTC), 23, "23 23:30"},
		"Antarctica/Troll": {time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC), 0, "29 00:30"},
	} {
		zone, err := time.LoadLocation(place)
		require.NoError(t, err)
		d := forecast.Days{}
		d.Today = len(d.Spent) - 1
		for day := range d.Today {
			d.Spent[day][c.last] = 100 * money.Scale
		}
		now := time.Date(c.noon.Year(), c.noon.Month(), c.noon.Day(), 12, 0, 0, 0, zone)
		require.Equal(t, c.usedUp, forecast.Predict(now, 50*money.Scale, d).At.Format("02 15:04"), place)
	}
}

// TestTheLastHourOfALongDayCounts: a shop that sells all day sells in the hour that comes twice, and in the last one.
func TestTheLastHourOfALongDayCounts(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Dublin")
	require.NoError(t, err)
	d := weeksOf(0, 0, 12)
	for day := range d.Spent {
		for hour := range d.Spent[day] {
			if day < d.Today || hour < 12 {
				d.Spent[day][hour] = 100 * money.Scale
			}
		}
	}
	r := forecast.Predict(time.Date(2026, 10, 25, 12, 0, 0, 0, zone), 1250*money.Scale, d)
	require.Equal(t, "26 00:30", r.At.Format("02 15:04"))
}
