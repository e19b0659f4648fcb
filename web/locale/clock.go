package locale

import (
	"strconv"
	"strings"
	"time"
)

// Time returns the time of day in the shop's zone: "14:02".
func (l Locale) Time(t time.Time) string { return l.digits(t.In(l.zone).Format("15:04")) }

// Seconds is Time to the second, for receipts: "14:02:31".
func (l Locale) Seconds(t time.Time) string { return l.digits(t.In(l.zone).Format("15:04:05")) }

// Date returns the calendar day in the shop's zone: "21 Nov 2026".
func (l Locale) Date(t time.Time) string {
	t = t.In(l.zone)
	months := strings.Fields(l.Text("date.months"))
	return l.digits(l.Text("date.format", t.Day(), months[t.Month()-1], t.Year()))
}

// DayOfYear returns the calendar day without its year, where there is little room: "21 Nov".
func (l Locale) DayOfYear(t time.Time) string {
	t = t.In(l.zone)
	months := strings.Fields(l.Text("date.months"))
	return l.digits(l.Text("date.short", t.Day(), months[t.Month()-1]))
}

// DateTime returns day and time of day: "21 Nov 2026, 14:02".
func (l Locale) DateTime(t time.Time) string {
	return l.Text("date.time", l.Date(t), l.Time(t))
}

// At tells within a sentence when something was: "at 14:02", or "on 21 Nov 2026, 14:02" if that is not today.
func (l Locale) At(t, now time.Time) string { return l.within(t, now, "date.at", "date.on") }

// Since tells within a sentence since when something is: "since 14:02", or "since 21 Nov 2026, 14:02".
func (l Locale) Since(t, now time.Time) string {
	return l.within(t, now, "date.since", "date.sinceDay")
}

func (l Locale) within(t, now time.Time, today, otherDay string) string {
	if l.Date(t) == l.Date(now) {
		return l.Text(today, l.Time(t))
	}
	return l.Text(otherDay, l.DateTime(t))
}

// Month returns the month in the shop's zone: "Nov 2026".
func (l Locale) Month(t time.Time) string {
	t = t.In(l.zone)
	return strings.Fields(l.Text("date.months"))[t.Month()-1] + " " + l.digits(strconv.Itoa(t.Year()))
}

// Weekday returns the short name of a day of the week: "Mon".
func (l Locale) Weekday(day time.Weekday) string {
	return strings.Fields(l.Text("date.weekdays"))[day]
}
