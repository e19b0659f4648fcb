package sales

import (
	"context"
	"time"

	"airtill/internal/counter"
	"airtill/internal/limit"
	"airtill/internal/store"
)

// around is what surrounds a new sale.
type around struct {
	twins []Sale
	float limit.Float
}

// asked are the questions for it outside a transaction.
func (a *around) asked(sale *Sale, now time.Time) []store.Asked {
	if sale.Practice {
		return nil // all sales of a PIN product share one number
	}
	return []store.Asked{twins(sale, now, &a.twins), a.float.Asked(sale.SendCurrency)}
}

// guard checks what two cashiers at once could break, and what the till's rules forbid.
func (s *Service) guard(
	ctx context.Context, db store.Asker, a *around, sale *Sale, offer counter.Offer, allowed *allowing,
) error {
	if sale.Practice {
		return nil
	}
	day := offer.Seller().Day
	if err := guardSame(ctx, db, a.twins, sale, offer.Confirmed(), allowed.pass); err != nil {
		return err
	}
	if err := s.d.Limits.CheckSale(ctx, db, sale.measured(), day, allowed.pass); err != nil {
		return err
	}
	return s.guardFloat(ctx, db, a.float, sale, day)
}

func (s *Service) guardFloat(
	ctx context.Context, db store.Asker, float limit.Float, sale *Sale, day time.Time,
) error {
	total, err := sale.Quoted().Total()
	if err != nil {
		return err
	}
	return s.d.Limits.CheckFloat(ctx, db, float, sale.ShopID, total, day)
}

// measured is a new sale as limits measure it.
func (s *Sale) measured() limit.Act {
	act := limit.Act{
		Name: s.ParamsHash, SaleID: s.ID, ShopID: s.ShopID, TillID: s.TillID, CashierID: s.CashierID,
		SKUCode: s.SKUCode, Price: s.Price(),
	}
	if s.Addressed() {
		act.AccountNumber = s.AccountNumber
	}
	return act
}

// measuredAs is a "refund" or a "retry" of a sale as limits measure it.
func (s *Sale) measuredAs(name string) limit.Act {
	act := s.measured()
	act.Name = name + ":" + s.ID
	return act
}

// guardSame refuses a sale whose twin is still open, and asks about one already made today. For a PIN it only
// asks: a second one takes nothing from the first.
func guardSame(
	ctx context.Context, db store.Asker, twins []Sale, sale *Sale, said counter.Confirmation, pass func(error) error,
) error {
	open, same, err := twinsOf(ctx, db, sale, twins)
	switch {
	case err != nil:
		return err
	case open != nil:
		return pass(&UnknownError{Earlier: *open})
	case same != nil && !said.Again && said.Approver.ID == "":
		return &DuplicateError{Earlier: *same}
	}
	return nil
}
