package report

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// span is a stretch of rollups of one level, shared by some shops.
type span struct {
	level    level
	from, to int64
	day      Day // the day its rows are shown under; 0: their own
	shops    []string
	minus    bool // to be subtracted
}

// cut covers the period with the coarsest rollups there are: whole months where folded, then days, then
// quarters. Where all shops are asked for but none by itself, it uses the rows of all
// shops together as far as they go.
func (s *Service) cut(q Query, c cube, all folds) []span {
	var spans []span
	asked := slices.Compact(slices.Sorted(slices.Values(q.Shops)))
	if len(all) > 1 && slices.Contains(shared, c) && !slices.ContainsFunc(slices.Collect(maps.Values(all)), q.early) &&
		!slices.Contains(q.By, ByShop) && slices.Equal(asked, slices.Sorted(maps.Keys(all))) {
		together := all.together()
		if spans = q.folded(together, min(q.To, together.DaysTo)); q.To <= together.DaysTo {
			for _, f := range all {
				for _, piece := range q.rest(f) {
					spans = join(spans, piece)
				}
			}
			return spans
		}
		q.From = max(q.From, together.DaysTo)
	}
	for _, shopID := range asked {
		f, known := all[shopID]
		if !known {
			continue // it has sold nothing yet
		}
		for _, piece := range q.pieces(f, DayOf(s.d.Now(), f.zone)) {
			spans = join(spans, piece)
		}
	}
	return spans
}

// join adds a shop's span to the list, in one with the same span of other shops.
func join(spans []span, piece span) []span {
	for i, s := range spans {
		if s.level == piece.level && s.from == piece.from && s.to == piece.to && s.day == piece.day && s.minus ==
			piece.minus {
			spans[i].shops = append(spans[i].shops, piece.shops...)
			return spans
		}
	}
	return append(spans, piece)
}

// pieces cuts the period where a shop's fold ends.
func (q Query) pieces(f fold, today Day) []span {
	end := min(q.To, today+1)
	if q.early(f) {
		return q.quarters(f, q.From, end)
	}
	folded, from := q.folded(f, min(end, f.DaysTo)), max(q.From, f.DaysTo)
	return slices.Concat(folded, q.quarters(f, from, end), q.rest(f))
}

// halfSold is when about half of a day's sales are made: a day that ends later has fewer quarters left than
// gone.
const halfSold = 15 * time.Hour

// early says whether a shop's last day ends so early that adding its quarters is less work than subtracting the
// rest from the day.
func (q Query) early(f fold) bool {
	return !q.Until.IsZero() && q.ends(f.zone).Sub((q.To-1).Begins(f.zone)) < halfSold
}

// ends is when the last day ends by the clock of a zone.
func (q Query) ends(zone *time.Location) time.Time {
	begins, ends := (q.To - 1).Begins(zone), q.To.Begins(zone)
	if q.Until.IsZero() {
		return ends
	}
	switch at := q.Until.In(zone).AddDate(0, 0, -int(q.Ago)); {
	case at.Before(begins): // the day it is compared with has not begun there
		return begins
	case at.Before(ends):
		return at
	}
	return ends
}

// rest is what to subtract from a last day that is summed whole.
func (q Query) rest(f fold) []span {
	day := q.To - 1
	if q.Until.IsZero() || q.To > f.DaysTo {
		return nil
	}
	rest := span{
		level: byQuarter, from: int64(quarterOf(q.ends(f.zone))),
		to: int64(quarterOf((day + 1).Begins(f.zone))), day: q.shownAs(day), shops: []string{f.ShopID}, minus: true,
	}
	if rest.from >= rest.to {
		return nil
	}
	return []span{rest}
}

// shownAs is the day under which a day's quarters are shown.
func (q Query) shownAs(day Day) Day {
	if slices.Contains(q.By, ByMonth) {
		return day.Month()
	}
	return day
}

// folded covers days up to one that is not folded, by month and by week where that will do.
func (q Query) folded(f fold, to Day) []span {
	var all []span
	daily, monthly := slices.Contains(q.By, ByDay), slices.Contains(q.By, ByMonth)
	for month := q.From.Month(); month < to; month = month.AddMonths(1) {
		piece := span{
			level: byDay, from: int64(max(month, q.From)), to: int64(min(month.AddMonths(1), to)),
			shops: []string{f.ShopID},
		}
		if piece.from >= piece.to {
			continue
		}
		switch whole := piece.from == int64(month) && piece.to == int64(month.AddMonths(1)) && month < f.monthsTo(); {
		case whole && !daily:
			piece.level = byMonth
		case monthly:
			piece.day = month
		}
		if last := len(all) - 1; last >= 0 && all[last].level == piece.level && all[last].day == piece.day {
			all[last].to = piece.to
			continue
		}
		all = append(all, piece)
	}
	if daily {
		return all
	}
	var finer []span
	for _, piece := range all {
		finer = append(finer, piece.byWeeks(f.weeksTo())...)
	}
	return finer
}

// byWeeks splits days into their whole past weeks, and what comes before and after.
func (s span) byWeeks(weeksTo Day) []span {
	first, last := (Day(s.from) + 6).Week(), min(Day(s.to).Week(), weeksTo)
	if s.level != byDay || first >= last {
		return []span{s}
	}
	before, weeks, after := s, s, s
	before.to, weeks.from, weeks.to, after.from = int64(first), int64(first), int64(last), int64(last)
	weeks.level = byWeek
	return slices.DeleteFunc([]span{before, weeks, after}, func(part span) bool { return part.from >= part.to })
}

// quarters covers days that are not folded or end early.
func (q Query) quarters(f fold, from, to Day) []span {
	var all []span
	for day := from; day < to; day++ {
		ends := (day + 1).Begins(f.zone)
		if day == q.To-1 {
			ends = q.ends(f.zone)
		}
		all = append(all, span{
			level: byQuarter, from: int64(quarterOf(day.Begins(f.zone))), to: int64(quarterOf(ends)),
			day: q.shownAs(day), shops: []string{f.ShopID},
		})
	}
	return all
}

// statement writes the SELECT of a query.
func (q Query) statement(c cube, spans []span) (string, []any) {
	picked := []string{"price_currency", "send_currency"}
	for _, dimension := range q.By {
		picked = append(picked, columns[dimension])
	}
	fields, summed := strings.Join(picked, ", "), q.Sums
	if summed == nil {
		summed = measureNames
	}
	plus := strings.Join(append([]string{"sales AS counted"}, summed...), ", ")
	minus := "-sales AS counted"
	for _, measure := range summed {
		minus += ", -" + measure + " AS " + measure
	}
	var unions []string
	var args []any
	for _, s := range spans {
		day, measures := "starts", plus
		if s.minus {
			measures = minus
		}
		if s.day != 0 {
			day = "CAST(? AS BIGINT)"
			args = append(args, s.day)
		}
		where := "cube = ? AND level = ? AND shop_id IN ? AND starts >= ? AND starts < ?"
		args = append(args, c, s.level, s.shops, s.from, s.to)
		for _, dimension := range slices.Sorted(maps.Keys(q.Only)) {
			where += " AND " + columns[dimension] + " = ?"
			args = append(args, q.Only[dimension])
		}
		unions = append(
			unions,
			"SELECT "+day+" AS day, "+strings.ReplaceAll(fields, ", day", "")+", "+measures+" FROM rollups WHERE "+
				where,
		)
	}
	// Rows that subtracting reduced to no sales are left out.
	return "SELECT " + fields + ", " + sumsSQL(summed) + " FROM (" + strings.Join(unions, " UNION ALL ") +
		") AS r GROUP BY " + fields + " HAVING SUM(counted) <> 0", args
}
