package demodata

import (
	"context"
	"time"

	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/till"
)

// shift is a drawer of one day.
type shift struct {
	till.Shift

	sold int
	cash int64
}

const (
	float      = 150 * money.Scale
	rowsAtOnce = 2000 // in memory
)

// tradeDay invents one day of one shop, and returns how many sales it had.
func (g *Generator) tradeDay(ctx context.Context, tx *store.Tx, p *place, c *calendar, day int) (int, error) {
	moments := g.times(p, c, day, c.take(p, day))
	if len(moments) == 0 {
		return 0, nil
	}
	shifts, err := g.openShifts(ctx, tx, p, c, day)
	if err != nil {
		return 0, err
	}
	var batch []*told
	for i, at := range moments {
		s := &shifts[g.random.IntN(len(shifts))]
		s.sold++
		sold, err := g.sell(*s, s.sold, store.Moment(at))
		if err != nil {
			return 0, err
		}
		s.cash += kept(sold.sale)
		if batch = append(batch, sold); len(batch) == rowsAtOnce || i == len(moments)-1 {
			if err := g.write(ctx, tx, batch); err != nil {
				return 0, err
			}
			batch = batch[:0]
		}
	}
	return len(moments), g.closeShifts(ctx, tx, shifts)
}

// kept is what of a sale's cash stayed in the drawer.
func kept(s sales.Sale) int64 {
	if s.Cash == sales.CashEarned {
		return s.PriceMicros
	}
	return 0
}

// openShifts opens every till in the morning.
func (g *Generator) openShifts(ctx context.Context, tx *store.Tx, p *place, c *calendar, day int) ([]shift, error) {
	opened := store.Moment(c.date(p, day).Add(7*time.Hour + 45*time.Minute))
	var shifts []shift
	var entries []ledger.Entry
	for i, t := range p.tills {
		p.shifts[t.ID]++
		cashier := p.cashiers[(i+day)%len(p.cashiers)].ID
		s := shift{Shift: till.Shift{
			ID: g.id(opened), ShopID: p.shop.ID, TillID: t.ID, Number: p.shifts[t.ID], CashierID: cashier, SeatBy: cashier,
			Currency: p.shop.Currency, OpeningMicros: float, OpenedAt: opened, SeatAt: &opened,
		}, cash: float}
		shifts = append(shifts, s)
		entries = append(entries, ledger.Entry{Key: "shift/" + s.ID, At: opened, Journal: ledger.DrawerOpened(s.ID, money.Of(float, p.shop.Currency))})
	}
	for i := range shifts {
		if err := tx.Create(&shifts[i].Shift).Error; err != nil {
			return nil, err
		}
	}
	if g.plan.Bare {
		return shifts, nil
	}
	return shifts, ledger.Post(ctx, tx, entries...)
}

// closeShifts counts every drawer in the evening, now and then with a difference,
// and takes its cash to the safe; today's stay open.
func (g *Generator) closeShifts(ctx context.Context, tx *store.Tx, shifts []shift) error {
	var statements []store.Statement
	var entries []ledger.Entry
	var counts [][]any
	for _, s := range shifts {
		closed := s.OpenedAt.Add(14*time.Hour + 30*time.Minute)
		if closed.After(g.d.Now()) {
			continue
		}
		difference := g.difference()
		counted := money.Of(s.cash+difference, s.Currency)
		statements = append(statements, store.Statement{
			SQL:  "UPDATE shifts SET closed_at = ?, closed_by = ?, counted_micros = ?, left_micros = ? WHERE id = ?",
			Args: []any{closed, s.CashierID, counted.Micros(), min(float, counted.Micros()), s.ID},
		})
		if !g.plan.Bare {
			if err := till.New(till.Deps{}).FileInvented(tx, s.Shift, closed, counted.Micros()); err != nil {
				return err
			}
		}
		counts = append(counts, []any{s.ID, 1, "seed-" + s.ID, s.CashierID, closed, "{}", counted.Micros(), s.cash})
		if difference != 0 {
			entries = append(entries, ledger.Entry{Key: "shift/" + s.ID + "/close", At: closed, Journal: ledger.CountDifference(s.ID, money.Of(difference, s.Currency))})
		}
		entries = append(entries, ledger.Entry{Key: "shift/" + s.ID + "/close", At: closed, Journal: ledger.Journal{
			Kind: "J20", Legs: []ledger.Leg{{Account: ledger.Safe, Amount: counted}, {Account: ledger.TillOf(s.ID), Amount: counted.Neg()}},
		}})
	}
	if len(statements) == 0 {
		return nil
	}
	if _, err := tx.ExecAll(ctx, statements...); err != nil {
		return err
	}
	columns := []string{"shift_id", "seq", "form_key", "user_id", "at", "piles", "counted_micros", "expected_micros"}
	if err := tx.InsertRows(ctx, "drawer_counts", columns, counts); err != nil || g.plan.Bare {
		return err
	}
	return ledger.Post(ctx, tx, entries...)
}

// difference is what a count is off by: one in nine is, by cents or by a note.
func (g *Generator) difference() int64 {
	if g.random.IntN(9) > 0 {
		return 0
	}
	return []int64{-10, -5, -2, -1, 1, 5}[g.random.IntN(6)] * []int64{50_000, money.Scale}[g.random.IntN(2)]
}

// write stores sales with all that belongs to them.
func (g *Generator) write(ctx context.Context, tx *store.Tx, batch []*told) error {
	var events []sales.Event
	var entries []ledger.Entry
	sold, attempts := make([]sales.Sale, 0, len(batch)), make([][]any, 0, len(batch))
	for _, t := range batch {
		t.sale.NextCheckAt = nil // nobody upstream knows of it
		sold, events, entries = append(sold, t.sale), append(events, t.events...), append(entries, t.journals...)
		attempts = append(attempts, []any{t.sale.Ref, t.sale.ID, 1, t.sale.AttemptAt, false})
	}
	if err := store.Insert(ctx, tx, "sales", sold); err != nil || g.plan.Bare {
		return err
	}
	if err := tx.InsertRows(ctx, "attempts", []string{"ref", "sale_id", "number", "created_at", "late"}, attempts); err != nil {
		return err
	}
	if err := store.Insert(ctx, tx, "sale_events", events); err != nil {
		return err
	}
	if err := ledger.Post(ctx, tx, entries...); err != nil {
		return err
	}
	return g.payUpstream(ctx, tx, batch)
}

// payUpstream tops the float up by what these sales took out of it, so that it
// stands at nothing and the first balance the upstream tells opens the books as
// it does on any other day.
func (g *Generator) payUpstream(ctx context.Context, tx *store.Tx, batch []*told) error {
	var spent int64
	for _, t := range batch {
		if t.sale.Fulfilment == sales.Complete {
			spent += t.sale.ActualSendMicros + t.sale.ActualDistMicros - t.sale.CommissionMicros
		}
	}
	last := batch[len(batch)-1].sale
	amount := money.Of(spent, last.SendCurrency)
	return ledger.Post(ctx, tx, ledger.Entry{Key: "top-up/" + last.ID, At: last.UpdatedAt, Journal: ledger.Journal{
		Kind: "J13", Legs: []ledger.Leg{{Account: ledger.Float, Amount: amount}, {Account: ledger.Safe, Amount: amount.Neg()}},
	}})
}
