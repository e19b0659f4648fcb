package month

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
)

// shop is one shop with one till, whose cashier counts the drawer by hand.
type shop struct {
	staff.Shop

	m       *month
	till    staff.Till
	shift   till.Shift
	drawer  int64 // millionths that are in it, by what went in and out
	dice    *rand.Rand
	held    map[string]bool // sales whose cash is kept, though a refund is due
	numbers int             // sold to
}

const drawerFloat = 100 * money.Scale

func (s *shop) actor() audit.Actor {
	return audit.Actor{UserID: "cashier-" + s.ID, Name: "cashier", Role: string(staff.Cashier), ShopID: s.ID, TillID: s.till.ID}
}

func (s *shop) open(ctx context.Context) (err error) {
	s.shift, err = s.m.Till.Open(ctx, till.Opening{Actor: s.actor(), ShopID: s.ID, TillID: s.till.ID, Float: till.Counted(money.Of(drawerFloat, s.Currency))})
	s.drawer = drawerFloat
	return err
}

// close counts the drawer, twice if the first count is not what the till
// expects, and takes note of what must be found.
func (s *shop) close(ctx context.Context, off int64) error {
	for count := range 2 {
		_, again, err := s.m.Till.Close(ctx, till.Ending{
			Key: fmt.Sprintf("%s/%d", s.shift.ID, count), Actor: s.actor(), ShopID: s.ID, ShiftID: s.shift.ID, Count: till.Counted(money.Of(s.drawer+off, s.Currency)),
		})
		if err != nil || !again {
			return err
		}
	}
	return errors.New("the drawer was counted twice and is not closed")
}

// trade sells so often, and lets go wrong what is planned, and a little more.
func (s *shop) trade(ctx context.Context, times int, planned []mischief, calm bool) error {
	if err := s.giveBack(ctx); err != nil {
		return err
	}
	for i := range times {
		var wrong mischief
		switch {
		case i < len(planned):
			wrong = planned[i]
		case s.dice.IntN(100) < 3:
			usual := noise()
			wrong = usual[s.dice.IntN(len(usual))]
			if wrong.batch && calm {
				wrong = mischief{batch: true}
			}
		default:
			wrong.batch = s.dice.IntN(100) < 4
		}
		if err := s.sell(ctx, wrong); err != nil {
			return err
		}
	}
	return nil
}

// number is one that nothing was sold to yet.
func (s *shop) number(batch bool) string {
	s.numbers++
	own := s.m.index[s.ID]*100_000 + s.numbers
	if batch {
		return fmt.Sprintf("535%07d", 1_000_000+own)
	}
	return fmt.Sprintf("35387%07d", 1_000_000+own)
}

// sell makes one sale and waits until its send has ended.
func (s *shop) sell(ctx context.Context, wrong mischief) error {
	product := s.m.goods.instant[s.dice.IntN(len(s.m.goods.instant))]
	if wrong.batch {
		product = s.m.goods.batch
	}
	quoted, err := quoteOf(product)
	if err != nil {
		return err
	}
	offer, err := s.offer(ctx, product, s.number(wrong.batch))
	if err != nil {
		return err
	}
	sale, _, err := s.m.Sales.Sell(ctx, offer)
	if err != nil {
		return err
	}
	s.drawer += sale.PriceMicros
	if wrong.faults != nil {
		if err := s.m.upstream.goWrong(ctx, wrong.faults(sale.Ref, quoted)...); err != nil {
			return err
		}
	}
	if sale, err = s.sent(ctx, sale); err != nil {
		return err
	}
	if wrong.name == "" && sale.Fulfilment != sales.Complete && sale.Fulfilment != sales.Submitted {
		return fmt.Errorf("a sale with which nothing is wrong became %s: %s %s", sale.Fulfilment, sale.ReasonCode, sale.ReasonContext)
	}
	return s.remember(ctx, sale, wrong, quoted)
}

// remember takes note of what must be found of a sale, and does the rest of the
// mischief.
func (s *shop) remember(ctx context.Context, sale sales.Sale, wrong mischief, q quote) error {
	if wrong.held {
		s.held[sale.ID] = true
	}
	if wrong.kind != "" {
		s.m.expect(expectation{drift: wrong.name, kind: wrong.kind, subject: sale.ID, micros: wrong.amount(q)})
	}
	if wrong.returned {
		s.m.owe(given(q))
	}
	if !wrong.twice {
		return nil
	}
	_, err := s.m.Client.SendTransfer(ctx, apiclient.SendTransferRequest{
		SkuCode: sale.SKUCode, SendValue: apiclient.DecimalOf(sale.Quoted().Send), AccountNumber: sale.AccountNumber, DistributorRef: sale.Ref,
	}, apiclient.SendOptions{Permit: s.m.now()})
	return err
}

// sentWithin is far longer than a send to this machine takes.
const sentWithin = 30 * time.Second

// sent dispatches a sale and waits for the reply, or the lack of one.
func (s *shop) sent(ctx context.Context, sale sales.Sale) (sales.Sale, error) {
	ctx, cancel := context.WithTimeout(ctx, sentWithin)
	defer cancel()
	moved, done := s.m.Bus.Subscribe(sales.Topic(sale.ID))
	defer done()
	s.m.Sales.Dispatch(sale)
	for {
		now, err := s.m.Sales.Get(ctx, sale.ID, "")
		if err != nil || now.Fulfilment != sales.Recorded && now.Fulfilment != sales.Sending {
			return now, err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return now, fmt.Errorf("sale %s is %s and stays so", now.ID, now.Fulfilment)
		}
	}
}

// giveBack hands back the cash of sales that came to nothing.
func (s *shop) giveBack(ctx context.Context) error {
	var due []sales.Sale
	err := s.m.DB.Read(ctx).Where("shop_id = ? AND cash = ?", s.ID, sales.CashRefundDue).Find(&due).Error
	if err != nil {
		return err
	}
	for _, sale := range due {
		if s.held[sale.ID] {
			continue
		}
		after, err := s.m.Sales.Refund(ctx, sale.ID, sales.Act{Actor: s.actor(), ShiftID: s.shift.ID})
		if err != nil {
			return fmt.Errorf("refund: %w", err)
		}
		s.drawer -= after.PriceMicros
	}
	return nil
}
