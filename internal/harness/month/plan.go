package month

import (
	"airtill/internal/money"
	"airtill/internal/reconcile"
)

// slot is a day with a round of it, or with a shop.
type slot struct{ day, of int }

// plan says what goes wrong when.
type plan struct {
	sales   map[slot]map[int][]mischief // by day and round, of each shop
	calm    map[slot]bool
	outside map[slot][]outsider
	drawers map[slot]miscount // by day and shop
	float   map[int][]floatMove
}

// outsider is a sale that no shop of ours made.
type outsider struct {
	drift string
	ours  bool // under our installation's code
	kind  reconcile.Kind
}

// miscount is by how much a drawer is not what it should be.
type miscount struct {
	drift  string
	kind   reconcile.Kind
	micros int64
}

func (m *month) newPlan() plan {
	p := plan{sales: map[slot]map[int][]mischief{}, calm: map[slot]bool{}, outside: map[slot][]outsider{}, drawers: map[slot]miscount{}, float: map[int][]floatMove{}}
	free := m.dice.Perm(m.options.days - lastDays)
	for _, wrong := range mischiefs() {
		for range wrong.times {
			at := m.someRound()
			if wrong.own {
				at = slot{free[0], m.dice.IntN(ownRounds)}
				free = free[1:]
			}
			if p.sales[at] == nil {
				p.sales[at] = map[int][]mischief{}
			}
			where := m.dice.IntN(len(m.shops))
			p.sales[at][where] = append(p.sales[at][where], wrong)
			p.calm[at] = p.calm[at] || wrong.alone
		}
	}
	m.planOutside(&p)
	m.planDrawers(&p)
	m.planFloat(&p)
	return p
}

// ownRounds are the first of a day: what begins in them is over in the evening.
const ownRounds = 3

// someDay is one on which something may go wrong; the last ones are for finding it.
func (m *month) someDay() int { return m.dice.IntN(m.options.days - lastDays) }

func (m *month) someRound() slot { return slot{m.someDay(), m.dice.IntN(roundsADay)} }

func (m *month) planOutside(p *plan) {
	for range 7 {
		at := m.someRound()
		p.outside[at] = append(p.outside[at], outsider{drift: "sale of other software", kind: reconcile.ForeignSale})
	}
	for range 2 {
		at := m.someRound()
		p.outside[at] = append(p.outside[at], outsider{drift: "record under our code that we lack", ours: true, kind: reconcile.UnknownHere})
	}
}

func (m *month) planDrawers(p *plan) {
	for i := range 18 {
		off := miscount{drift: "cash over", kind: reconcile.CashOver, micros: int64(1+m.dice.IntN(900)) * money.Scale / 100}
		if i%3 > 0 {
			off = miscount{drift: "cash short", kind: reconcile.CashShort, micros: -off.micros}
		}
		p.drawers[slot{m.someDay(), m.dice.IntN(len(m.shops))}] = off
	}
}

func (m *month) planFloat(p *plan) {
	add := func(move floatMove) {
		day := m.someDay()
		p.float[day] = append(p.float[day], move)
	}
	for i := range 3 {
		add(floatMove{drift: "float top-up nobody announced", micros: int64(1000+i) * money.Scale, paid: true, kind: reconcile.BalanceUp})
		add(floatMove{drift: "float top-up two people announced", micros: int64(2000+i) * money.Scale, paid: true, announced: true})
		add(floatMove{drift: "balance lower for no reason", micros: -(3*money.Scale + 210_000 + int64(i)*10_000), kind: reconcile.BalanceDown})
	}
}
