package demodata

import (
	"slices"
	"time"
)

// weekdays and hoursOpen are how much is sold, in comparison, on each day of the
// week (Sunday first) and in each hour of the day: a busy Friday and Saturday,
// one peak at lunch and one after work.
var (
	weekdays  = [7]int64{62, 86, 84, 90, 98, 132, 144}
	hoursOpen = [24]int64{8: 18, 9: 34, 10: 46, 11: 58, 12: 88, 13: 92, 14: 66, 15: 58, 16: 72, 17: 104, 18: 118, 19: 82, 20: 44, 21: 16}
)

// pay is how much more is bought when wages have come.
func pay(day time.Time) int64 {
	if d := day.Day(); d >= 26 || d <= 3 {
		return 118
	}
	return 100
}

// calendar shares the sales out over shops and days.
type calendar struct {
	now     time.Time
	days    int
	sales   int64
	weights int64 // of all shops and days together
	used    int64 // of those that have been asked for
}

func newCalendar(p Plan, places []place, now time.Time) *calendar {
	c := &calendar{now: now, days: p.Days, sales: int64(p.Sales)}
	for day := range p.Days {
		for i := range places {
			c.weights += c.weight(&places[i], day)
		}
	}
	return c
}

// date is midnight of a day of the plan in the shop's zone; the last is today.
func (c *calendar) date(p *place, day int) time.Time {
	year, month, today := c.now.In(p.zone).Date()
	return time.Date(year, month, today-c.days+1+day, 0, 0, 0, 0, p.zone)
}

func (c *calendar) weight(p *place, day int) int64 {
	date := c.date(p, day)
	var open int64
	for _, hour := range c.hours(p, day) {
		open += hour
	}
	return p.weight * weekdays[date.Weekday()] * pay(date) * open / 1000
}

// hours are the weights of the hours of a day that are over.
func (c *calendar) hours(p *place, day int) [24]int64 {
	hours, local := hoursOpen, c.now.In(p.zone)
	if day == c.days-1 {
		for hour := local.Hour(); hour < len(hours); hour++ {
			hours[hour] = 0
		}
	}
	return hours
}

// take returns how many sales are made in a shop on the next day. Over the whole
// plan the shares add up to exactly the sales asked for, unless no shop has been
// open yet.
func (c *calendar) take(p *place, day int) int {
	before := c.share()
	c.used += c.weight(p, day)
	return int(c.share() - before)
}

func (c *calendar) share() int64 {
	if c.weights == 0 {
		return 0
	}
	return c.sales * (c.used / 1000) / max(c.weights/1000, 1)
}

// times draws the moments of a day's sales, in order.
func (g *Generator) times(p *place, c *calendar, day, n int) []time.Time {
	hours, date := c.hours(p, day), c.date(p, day)
	year, month, today := date.Date()
	all := make([]time.Time, n)
	for i := range all {
		hour := pick(g, hours[:], func(w int64) int64 { return w })
		all[i] = time.Date(year, month, today, hour, g.random.IntN(60), g.random.IntN(60), g.random.IntN(1e9), p.zone)
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// pick draws an index by weight.
func pick[T any](g *Generator, from []T, weight func(T) int64) int {
	var sum int64
	for _, x := range from {
		sum += weight(x)
	}
	at := g.random.Int64N(max(sum, 1))
	for i, x := range from {
		if at -= weight(x); at < 0 {
			return i
		}
	}
	return 0
}
