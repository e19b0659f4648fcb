package month

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/money"
	"airtill/internal/staff"
)

const (
	roundsADay = 8
	// lastDays have no drift: what came before them is found by their end.
	lastDays = 5
	currency = money.Currency("EUR")
)

// month is the script.
type month struct {
	*world

	out   io.Writer
	dice  *rand.Rand
	goods goods
	shops []*shop
	index map[string]int // of a shop, by its id
	plan  plan

	mu       sync.Mutex // shops trade beside each other
	expected []expectation
	owed     []int64 // what the upstream gives back tonight
	payments int
}

func newMonth(w *world, out io.Writer) *month {
	return &month{world: w, out: out, dice: newDice(w.options.seed, mostShops), index: map[string]int{}}
}

// mostShops is beyond the number of any shop.
const mostShops = 1 << 20

// newDice is a source of chance that the seed decides.
func newDice(seed, of uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, of)) //nolint:gosec // a seed must play the same month again
}

func (m *month) expect(e expectation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expected = append(m.expected, e)
}

func (m *month) owe(micros int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owed = append(m.owed, micros)
}

// play plays every day, and then waits for what comes late.
func (m *month) play(ctx context.Context) error {
	if err := m.openShops(ctx); err != nil {
		return fmt.Errorf("open the shops: %w", err)
	}
	m.plan = m.newPlan()
	for day := range m.options.days {
		if err := m.day(ctx, day); err != nil {
			return fmt.Errorf("day %d: %w", day+1, err)
		}
	}
	return nil
}

var zones = []string{"Europe/Dublin", "Europe/Lisbon", "Europe/Madrid"}

func (m *month) openShops(ctx context.Context) (err error) {
	if m.goods, err = m.readGoods(ctx); err != nil {
		return err
	}
	for i := range m.options.shops {
		made, tills, err := m.Staff.CreateShop(ctx, audit.Command("month"), staff.NewShop{
			Name: fmt.Sprintf("Shop %d", i+1), Zone: zones[i%len(zones)], Country: "IE", Currency: string(currency), Tills: 1,
		})
		if err != nil {
			return err
		}
		m.index[made.ID] = i
		m.shops = append(m.shops, &shop{Shop: made, m: m, till: tills[0], held: map[string]bool{}, dice: newDice(m.options.seed, uint64(i))})
	}
	_, err = m.Reconcile.ReadBalance(ctx)
	return err
}

// day is one business day of all shops, with the night after it.
func (m *month) day(ctx context.Context, day int) error {
	morning := firstDay.AddDate(0, 0, day).Add(7*time.Hour + 30*time.Minute)
	if err := errors.Join(m.leapTo(ctx, morning), m.each(func(s *shop) error { return s.open(ctx) })); err != nil {
		return err
	}
	for round := range roundsADay {
		if err := m.round(ctx, day, round, morning.Add(time.Duration(round)*85*time.Minute)); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
	}
	if err := m.evening(ctx, day); err != nil {
		return fmt.Errorf("evening: %w", err)
	}
	if err := m.night(ctx, day, morning.Add(12*time.Hour+30*time.Minute)); err != nil {
		return fmt.Errorf("night: %w", err)
	}
	if (day+1)%7 == 0 {
		return m.resolve(ctx)
	}
	return nil
}

// round is an hour and a half: all shops sell, then the upstream works on.
func (m *month) round(ctx context.Context, day, round int, at time.Time) error {
	if err := m.leapTo(ctx, at); err != nil {
		return err
	}
	today := m.plan.sales[slot{day, round}]
	err := m.each(func(s *shop) error {
		return s.trade(ctx, m.perRound(), today[m.index[s.ID]], m.plan.calm[slot{day, round}])
	})
	if err != nil {
		return err
	}
	for _, outsider := range m.plan.outside[slot{day, round}] {
		if err := m.sellOutside(ctx, outsider); err != nil {
			return err
		}
	}
	for _, wait := range []time.Duration{7 * time.Minute, 15 * time.Minute, 40 * time.Minute} {
		if err := errors.Join(m.leap(ctx, wait), m.chores(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// perRound is how often each shop sells, so that the month has its sales.
func (m *month) perRound() int {
	rounds := m.options.shops * m.options.days * roundsADay
	return (m.options.sales + rounds - 1) / rounds
}

// each lets every shop do something, beside the others.
func (m *month) each(do func(*shop) error) error {
	problems := make([]error, len(m.shops))
	var all sync.WaitGroup
	for i, s := range m.shops {
		all.Go(func() { problems[i] = do(s) })
	}
	all.Wait()
	return errors.Join(problems...)
}

// evening hands back what is due and counts the drawers.
func (m *month) evening(ctx context.Context, day int) error {
	for i, s := range m.shops {
		off := m.plan.drawers[slot{day, i}]
		if err := errors.Join(s.giveBack(ctx), s.close(ctx, off.micros)); err != nil {
			return err
		}
		if off.kind != "" {
			m.expect(expectation{drift: off.drift, kind: off.kind, subject: s.shift.ID, micros: off.micros})
		}
	}
	return nil
}

// night is when payments arrive and statements are closed.
func (m *month) night(ctx context.Context, day int, at time.Time) error {
	if err := errors.Join(m.leapTo(ctx, at), m.chores(ctx)); err != nil {
		return err
	}
	for _, move := range m.plan.float[day] {
		if err := m.moveFloat(ctx, move); err != nil {
			return err
		}
	}
	for _, micros := range m.owed {
		if err := m.drift(ctx, micros); err != nil {
			return err
		}
		if err := errors.Join(m.leap(ctx, 10*time.Minute), m.chores(ctx)); err != nil {
			return err
		}
	}
	m.owed = nil
	for range 3 {
		if err := errors.Join(m.leap(ctx, 2*time.Hour), m.chores(ctx)); err != nil {
			return err
		}
	}
	_, err := m.Statements.CloseDue(ctx)
	return err
}

// chores is what the till's jobs do by themselves.
func (m *month) chores(ctx context.Context) error {
	_, drawers := m.Reconcile.LookAtDrawers(ctx, "")
	return errors.Join(
		later(m.FollowUp.Sweep(ctx)), later(m.Reconcile.CheckBalance(ctx, "")), later(m.Reconcile.LookIfDue(ctx)), drawers, m.Ledger.Checkpoint(ctx, m.now()),
	)
}

// later: what the budget of calls does not allow now is due the next time.
func later(err error) error {
	if errors.Is(err, apiclient.ErrBudget) {
		return nil
	}
	return err
}

// sellOutside is a sale that no shop made: other software's, or one under our
// own code that the database does not know.
func (m *month) sellOutside(ctx context.Context, o outsider) error {
	product := m.goods.instant[0]
	quoted, err := quoteOf(product)
	if err != nil {
		return err
	}
	m.payments++
	ref := fmt.Sprintf("OTHER-%d", m.payments)
	if o.ours {
		var code string
		if err := m.DB.Read(ctx).Raw("SELECT code FROM installations").Scan(&code).Error; err != nil {
			return err
		}
		ref = fmt.Sprintf("%s%028d", code, m.payments)
	}
	answer, err := m.Client.SendTransfer(ctx, apiclient.SendTransferRequest{
		SkuCode: product.SKU, SendValue: apiclient.DecimalOf(product.Minimum.Send()), AccountNumber: fmt.Sprintf("35387%07d", 9_000_000+m.payments), DistributorRef: ref,
	}, apiclient.SendOptions{Permit: m.now()})
	if err != nil {
		return err
	}
	m.expect(expectation{drift: o.drift, kind: o.kind, subject: answer.TransferRecord.TransferId.TransferRef, micros: taken(quoted)})
	return nil
}
