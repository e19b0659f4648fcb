package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// quartersOf counts how often spans read each quarter of an hour of a shop that keeps UTC.
func quartersOf(t require.TestingT, spans []span) map[quarter]int {
	read := map[quarter]int{}
	for _, s := range spans {
		by := 1
		if s.minus {
			by = -1
		}
		add := func(from, to Day) {
			for q := quarterOf(from.Time()); q < quarterOf(to.Time()); q++ {
				read[q] += by
			}
		}
		require.Less(t, s.from, s.to, "nothing is asked for in vain")
		switch s.level {
		case byQuarter:
			for q := s.from; q < s.to; q++ {
				read[quarter(q)] += by
			}
		case byDay:
			add(Day(s.from), Day(s.to))
		case byWeek:
			require.Equal(t, Day(s.from).Week(), Day(s.from))
			require.Equal(t, Day(s.to).Week(), Day(s.to))
			add(Day(s.from), Day(s.to))
		case byMonth:
			require.Equal(t, Day(s.from).Month(), Day(s.from))
			require.Equal(t, Day(s.to).Month(), Day(s.to))
			add(Day(s.from), Day(s.to))
		}
	}
	for q, times := range read {
		if times == 0 {
			delete(read, q)
		}
	}
	return read
}

// Whatever period is asked for, however it is cut into months, weeks, days and quarters: each quarter of it is read once,
// up to today and to the time of day at which it ends, and no other.
func TestEveryQuarterOfAPeriodIsReadOnce(t *testing.T) {
	t.Parallel()
	today := DayOf(time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC), time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		f := fold{ShopID: "shop", DaysTo: today - Day(rapid.IntRange(-1, 3).Draw(rt, "behind")), zone: time.UTC}
		q := Query{From: today - Day(rapid.IntRange(-1, 120).Draw(rt, "from"))}
		q.To = q.From + Day(rapid.IntRange(1, 130).Draw(rt, "days"))
		if rapid.Bool().Draw(rt, "near what is folded") {
			q.To = max(q.From+1, f.DaysTo+Day(rapid.IntRange(-1, 2).Draw(rt, "to")))
		}
		until := time.Duration(rapid.IntRange(0, 24*4).Draw(rt, "until")) * 15 * time.Minute
		if q.To > today+1 {
			until = 0 // what is still going on is cut by itself
		}
		if until > 0 {
			q.Ago = Day(rapid.IntRange(0, 7).Draw(rt, "ago"))
			q.Until = (q.To - 1 + q.Ago).Time().Add(until)
		}
		q.By = rapid.SampledFrom([][]Dimension{nil, {ByMonth}, {ByDay}}).Draw(rt, "by")
		want := map[quarter]int{}
		end := min(q.To, today+1).Time()
		if until > 0 {
			end = (q.To - 1).Time().Add(until)
		}
		for at := quarterOf(q.From.Time()); at < quarterOf(end); at++ {
			want[at] = 1
		}
		require.Equal(rt, want, quartersOf(rt, q.pieces(f, today)), "%s to %s until %s, folded to %s", q.From, q.To, until, f.DaysTo)
	})
}

// A long period is read by the coarsest sums there are: whole months that are over, whole weeks, single days.
func TestALongPeriodIsReadByTheCoarsestSums(t *testing.T) {
	t.Parallel()
	day := func(text string) Day {
		d, err := ParseDay(text)
		require.NoError(t, err)
		return d
	}
	type piece struct {
		level    level
		from, to string
	}
	f := fold{ShopID: "shop", DaysTo: day("2026-03-15"), zone: time.UTC}
	for name, c := range map[string]struct {
		q    Query
		want []piece
	}{
		"three months and some": {
			Query{From: day("2025-12-01"), To: day("2026-03-15")},
			[]piece{{byMonth, "2025-12-01", "2026-03-01"}, {byDay, "2026-03-01", "2026-03-02"}, {byWeek, "2026-03-02", "2026-03-09"}, {byDay, "2026-03-09", "2026-03-15"}},
		},
		"a month that is not over": {
			Query{From: day("2026-03-01"), To: day("2026-04-01")},
			[]piece{{byDay, "2026-03-01", "2026-03-02"}, {byWeek, "2026-03-02", "2026-03-09"}, {byDay, "2026-03-09", "2026-03-15"}},
		},
		"one day":       {Query{From: day("2026-03-10"), To: day("2026-03-11")}, []piece{{byDay, "2026-03-10", "2026-03-11"}}},
		"a week by day": {Query{From: day("2026-03-02"), To: day("2026-03-09"), By: []Dimension{ByDay}}, []piece{{byDay, "2026-03-02", "2026-03-09"}}},
		"a week":        {Query{From: day("2026-03-02"), To: day("2026-03-09")}, []piece{{byWeek, "2026-03-02", "2026-03-09"}}},
		"most of a week": {
			Query{From: day("2026-03-02"), To: day("2026-03-08")}, []piece{{byDay, "2026-03-02", "2026-03-08"}},
		},
	} {
		var got []piece
		for _, s := range c.q.folded(f, min(c.q.To, f.DaysTo)) {
			got = append(got, piece{s.level, Day(s.from).String(), Day(s.to).String()})
		}
		require.Equal(t, c.want, got, name)
	}
}

// Several shops are read together where the same stretch is read of each, and shown alike.
func TestOnlyTheSameStretchIsReadOfSeveralShops(t *testing.T) {
	t.Parallel()
	one := span{level: byDay, from: 3, to: 5, day: 7, shops: []string{"one"}}
	for what, change := range map[string]func(*span){
		"level": func(s *span) { s.level = byQuarter }, "from": func(s *span) { s.from++ }, "to": func(s *span) { s.to++ },
		"day": func(s *span) { s.day++ }, "sign": func(s *span) { s.minus = true },
	} {
		other := one
		change(&other)
		require.Len(t, join([]span{one}, other), 2, what)
	}
	same := one
	same.shops = []string{"two"}
	both := join([]span{one}, same)
	require.Len(t, both, 1)
	require.Equal(t, []string{"one", "two"}, both[0].shops)
}

// Every mailing covers the days after those of the one before, whatever the clocks do at midnight and at its hour.
func TestMailingsCoverEveryDayOnce(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 2, 20, 9, 0, 0, 0, time.UTC)
	for _, zone := range []string{"America/Havana", "America/Santiago", "Atlantic/Azores", "Africa/Cairo", "Europe/Dublin", "Pacific/Auckland", "UTC"} {
		for every, times := range map[string]int{"day": 260, "week": 40, "month": 10} {
			for _, hour := range []int{0, 1, 2, 7, 23} {
				m := Mailing{Every: every, Hour: hour, Zone: zone}
				var err error
				m.SlotAt, err = m.slotAfter(begin)
				require.NoError(t, err)
				_, last, err := m.Period()
				require.NoError(t, err)
				for range times {
					before := m.SlotAt
					m.SlotAt, err = m.slotAfter(m.SlotAt)
					require.NoError(t, err)
					require.True(t, m.SlotAt.After(before))
					from, to, err := m.Period()
					require.NoError(t, err)
					require.Equal(t, last, from, "%s each %s at %d: %s", zone, every, hour, m.SlotAt)
					last = to
				}
			}
		}
	}
}

// A zone that this machine does not know is an error, not another time.
func TestAMailingInNoZoneIsAnError(t *testing.T) {
	t.Parallel()
	m := Mailing{Every: "day", Zone: "Mars/Olympus"}
	_, err := m.slotAfter(soldAt)
	require.Error(t, err)
	_, _, err = m.Period()
	require.Error(t, err)
}
