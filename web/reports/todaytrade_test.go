package reports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/web/locale"
)

// dayWith is a day with takings in these hours, beside a week ago.
func dayWith(now, then []int) dayTrade {
	t := dayTrade{
		currencies: []money.Currency{"EUR"},
		sums:       map[money.Currency]*twice{"EUR": {}}, hours: map[money.Currency]*[24]twice{"EUR": {}},
	}
	for _, hour := range now {
		t.hours["EUR"][hour].now = report.Measures{PriceMicros: 5_000_000}
	}
	for _, hour := range then {
		t.hours["EUR"][hour].then = report.Measures{PriceMicros: 5_000_000}
	}
	return t
}

// TestTheHoursOfADay run from the first with takings to the last, beside those of a week ago if there were any.
func TestTheHoursOfADay(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	for _, day := range []struct {
		name      string
		now, then []int
		from, to  string
		hours     int
		compared  bool
	}{
		{name: "nothing yet"},
		{name: "one hour", now: []int{9}, from: "09:00", to: "09:00", hours: 1},
		{name: "long", now: []int{7, 19}, from: "07:00", to: "19:00", hours: 13},
		{name: "a week ago", now: []int{10}, then: []int{9}, from: "09:00", to: "10:00", hours: 2, compared: true},
	} {
		t.Run(day.name, func(t *testing.T) {
			t.Parallel()
			p := dayWith(day.now, day.then).hoursPicture(l)
			require.Len(t, p.Points, day.hours)
			require.Equal(t, day.compared, p.Compared)
			for _, point := range p.Points {
				require.Equal(t, day.compared, point.Before != "", point.Says())
			}
			if day.hours > 0 {
				require.Equal(t, []string{day.from, day.to}, []string{p.Points[0].Name, p.Points[day.hours-1].Name})
			}
		})
	}
}

// TestADayIsComparedAlikeForEveryReader: how far a week ago counts is told by the shops' clocks, not by the reader's.
func TestADayIsComparedAlikeForEveryReader(t *testing.T) {
	t.Parallel()
	s, shops := trading(t)
	var then []report.Measures
	for _, zone := range []string{"UTC", "America/New_York"} {
		reader, err := time.LoadLocation(zone)
		require.NoError(t, err)
		trade, err := s.dayOf(t.Context(), reader, shops)
		require.NoError(t, err)
		then = append(then, trade.whole.then)
	}
	require.Positive(t, then[0].Sales)
	require.Equal(t, then[0], then[1])
}
