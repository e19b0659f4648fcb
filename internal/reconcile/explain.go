package reconcile

import "slices"

// mostOutcomes bounds how many sums are tried. With more sales open at once, a balance tells nothing, unless it is
// beyond all of them.
const mostOutcomes = 50_000

// reaches says whether a difference is a sum of one option from each list, so what sales under way may have
// done to a balance. Options repeat between sales, so there are far fewer sums than combinations. sure is
// false if there were too many to tell.
func reaches(difference int64, options [][]int64) (yes, sure bool) {
	var least, most int64
	for _, choice := range options {
		least, most = least+slices.Min(choice), most+slices.Max(choice)
	}
	if difference < least || difference > most {
		return false, true
	}
	sums := []int64{0}          // ascending
	var next, one, both []int64 // reused: there may be hundreds of sales, and a balance each minute
	for _, choice := range options {
		next = next[:0]
		for _, c := range choice {
			one = one[:0]
			for _, sum := range sums {
				one = append(one, sum+c)
			}
			both = union(both[:0], next, one)
			next, both = both, next
		}
		if len(next) > mostOutcomes {
			return false, false
		}
		sums, next = next, sums
	}
	_, yes = slices.BinarySearch(sums, difference)
	return yes, true
}

// union appends what is in either of two ascending lists, once each and ascending.
func union(to, a, b []int64) []int64 {
	for len(a) > 0 && len(b) > 0 {
		least := min(a[0], b[0])
		to = append(to, least)
		if a[0] == least {
			a = a[1:]
		}
		if b[0] == least {
			b = b[1:]
		}
	}
	return append(append(to, a...), b...)
}

// How odd it is that something happened; of all explanations of a difference the least odd wins. Something
// unknown is odder than any one known thing, but less odd than two rare ones whose sum happens to fit. A
// refund that comes when its transfer fails is not odd at all.
const (
	oddOld     = 1  // an announced payment arrives, or an old refund comes after all
	oddRest    = 8  // the missing part of one arrives
	oddUndone  = 12 // an unexplained difference is gone
	oddRare    = 25 // a sale was not charged, or was executed, contrary to the list
	oddPart    = 30 // a refund comes in part, added to how odd the whole is
	oddUnknown = 40
)

// odd is how odd it is that a cause happened.
func (c cause) odd() int {
	switch {
	case c.what == byReceivable && c.fresh:
		return 0
	case c.what == byReceivable && c.broken.Kind == PartialRefund:
		return oddRest
	case c.what == byReceivable, c.what == byTopUp:
		return oddOld
	case c.what == byUndone:
		return oddUndone
	}
	return oddRare
}

// explanation is what may be behind a difference.
type explanation struct {
	whole   []int // indexes of causes that happened whole
	part    int   // index of a refund that came in part; -1: none
	paid    int64 // that part
	alike   []int // refunds that could as well be the one that came in part
	unknown int64 // the rest, if no refund came in part
}

// complete says whether nothing is left for a person.
func (e explanation) complete() bool { return e.part < 0 && e.unknown == 0 }

// thought is the sum of some causes, and which refund came in part besides.
type thought struct {
	sum  int64
	part int
}

// way is the least odd way to a thought.
type way struct {
	odd    int
	took   int // index of its last whole cause; -1: none
	before *way
}

// thoughts are sums of causes, the least odd first.
type thoughts struct {
	order []thought
	ways  map[thought]way
}

// mostThoughts bounds them. The expected ones come first.
const mostThoughts = 5_000

func (l *thoughts) add(t thought, w way) {
	known, found := l.ways[t]
	switch {
	case w.odd > oddUnknown, found && known.odd < w.odd:
	case found && known.odd == w.odd && w.took >= 0: // the earlier causes win
	case found:
		l.ways[t] = w
	case len(l.order) < mostThoughts:
		l.order, l.ways[t] = append(l.order, t), w
	}
}

// explain finds the least odd explanation of a difference: whole causes, and besides them a part of one refund
// or something unknown, as small as possible. No cause is used twice. Among equals the earlier causes win.
func explain(rest int64, all []cause) explanation {
	now := thoughts{ways: map[thought]way{}}
	now.add(thought{part: -1}, way{took: -1})
	for i, c := range all {
		next := thoughts{ways: make(map[thought]way, 2*len(now.order))}
		for _, t := range now.order {
			before := now.ways[t]
			without := func() { next.add(t, way{before.odd, -1, &before}) }
			if c.odd() > 0 {
				without()
			}
			next.add(thought{t.sum + c.value, t.part}, way{before.odd + c.odd(), i, &before})
			without()
		}
		for _, t := range now.order {
			if before := now.ways[t]; c.what == byReceivable && t.part < 0 {
				next.add(thought{t.sum, i}, way{before.odd + c.odd() + oddPart, -1, &before})
			}
		}
		now = next
	}
	now.together(all, cause.justOwed)
	now.together(all, cause.owed)
	return now.choose(rest, all)
}

// together adds that all causes of a kind happened, which is likely for refunds: it counts as no odder than
// one rare thing. Among many causes, the bounded search misses it.
func (l *thoughts) together(all []cause, kind func(cause) bool) {
	t, w := thought{part: -1}, way{took: -1}
	for i, c := range all {
		if kind(c) {
			before := w
			t.sum, w = t.sum+c.value, way{min(before.odd+c.odd(), oddRare), i, &before}
		}
	}
	known, found := l.ways[t]
	if !found {
		l.order = append(l.order, t)
	}
	if !found || w.odd < known.odd {
		l.ways[t] = w
	}
}

func (c cause) owed() bool     { return c.what == byReceivable }
func (c cause) justOwed() bool { return c.owed() && c.fresh }

// choose takes the least odd thought that leads to a difference.
func (l *thoughts) choose(rest int64, all []cause) explanation {
	e, least := explanation{part: -1, unknown: rest}, oddUnknown
	for _, t := range l.order {
		w, left := l.ways[t], rest-t.sum
		found, odd := explanation{part: t.part}, w.odd
		switch {
		case t.part >= 0 && left > 0 && left < all[t.part].value:
			found.paid = left
		case t.part >= 0:
			continue
		case left != 0:
			found.unknown, odd = left, odd+oddUnknown
		}
		switch {
		case odd < least || odd == least && abs(found.unknown) < abs(e.unknown):
			e, least = found, odd
			e.whole = w.whole()
		case odd == least && found.part >= 0 && e.part >= 0:
			e.alike = append(e.alike, found.part)
		}
	}
	return e
}

// whole lists the whole causes of a thought.
func (w way) whole() (all []int) {
	for at := &w; at != nil; at = at.before {
		if at.took >= 0 {
			all = append(all, at.took)
		}
	}
	return all
}

func abs(n int64) int64 { return max(n, -n) }
