package report

import (
	"fmt"
	"time"

	"airtill/internal/staff"
)

// Day is a date of the calendar, as days since 1 January 1970. The moment it begins at depends on the shop's
// zone.
type Day int64

// The calendar that reports cover.
const (
	// FirstDay is older than any sale of ours.
	FirstDay Day = 18_262 // 1 January 2020
	lastDay  Day = 47_481 // 31 December 2099
)

const secondsOfDay = 24 * 60 * 60

// DayOf returns the date of a moment in a zone.
func DayOf(at time.Time, zone *time.Location) Day {
	year, month, day := at.In(zone).Date()
	return date(year, month, day)
}

func date(year int, month time.Month, day int) Day {
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsOfDay)
}

// ParseDay reads a date like 2026-03-31. It fails on anything else, and on dates outside 2020 to 2099.
func ParseDay(text string) (Day, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, fmt.Errorf("not a date: %.40q", text)
	}
	day := DayOf(at, time.UTC)
	if day < FirstDay || day > lastDay {
		return 0, fmt.Errorf("not a date of this business: %.40q", text)
	}
	return day, nil
}

// Time returns midnight UTC of the date, the form in which dates are written.
func (d Day) Time() time.Time { return time.Unix(int64(d)*secondsOfDay, 0).UTC() }

// String writes the date like 2026-03-31.
func (d Day) String() string { return d.Time().Format(time.DateOnly) }

// Begins returns when the date begins in a zone.
func (d Day) Begins(zone *time.Location) time.Time {
	year, month, day := d.Time().Date()
	return staff.DayBegins(year, month, day, zone)
}

// Week returns the Monday of the date's week.
func (d Day) Week() Day { return d - Day((d.Weekday()+6)%7) }

// Month returns the first day of the date's month.
func (d Day) Month() Day { return d.AddMonths(0) }

// AddMonths returns the first day of the month so many months after the date's.
func (d Day) AddMonths(n int) Day {
	year, month, _ := d.Time().Date()
	return date(year, month+time.Month(n), 1)
}

// Years returns the same date n years later; 29 February becomes 1 March where there is none.
func (d Day) Years(n int) Day {
	year, month, day := d.Time().Date()
	return date(year+n, month, day)
}

// Weekday returns the day of the week.
func (d Day) Weekday() time.Weekday { return d.Time().Weekday() }

// quarter is a quarter of an hour, counted since 1970. Every zone in use today is offset by whole quarters, so
// a shop's day begins with one.
type quarter int64

const (
	secondsOfQuarter = 15 * 60
	quarterHour      = secondsOfQuarter * time.Second
)

func quarterOf(at time.Time) quarter { return quarter(at.Unix() / secondsOfQuarter) }

func (q quarter) begins() time.Time { return time.Unix(int64(q)*secondsOfQuarter, 0).UTC() }

// slotOf is weekday × 24 + hour, as a shop's clock shows them.
func slotOf(at time.Time, zone *time.Location) int {
	local := at.In(zone)
	return int(local.Weekday())*24 + local.Hour()
}

// Slots is how many hours a week has.
const Slots = 7 * 24

// Stretches are the times of some days, half-open, in order: of all of them as one, or of one hour of the week
// (weekday × 24 + hour) by the clocks of a zone. Where clocks go back, an hour is two hours long, or comes
// twice.
func Stretches(from, to Day, slot int, zone *time.Location) (all [][2]time.Time) {
	if slot < 0 {
		return [][2]time.Time{{from.Begins(zone), to.Begins(zone)}}
	}
	for day := from; day < to; day++ {
		if int(day.Weekday()) != slot/24 {
			continue
		}
		for at, ends := day.Begins(zone), (day + 1).Begins(zone); at.Before(ends); at = at.Add(quarterHour) {
			switch last := len(all) - 1; {
			case slotOf(at, zone) != slot:
			case last >= 0 && all[last][1].Equal(at):
				all[last][1] = at.Add(quarterHour)
			default:
				all = append(all, [2]time.Time{at, at.Add(quarterHour)})
			}
		}
	}
	return all
}
