package report

import (
	"cmp"
	"context"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Preview is what a price rule would have made of last week's sales.
type Preview struct {
	Sales    int  // complete sales of the shops the rule is for
	Affected int  // those it would have priced
	Raised   int  // those it would have raised to the cost
	Cut      bool // there were too many to look at; the first count
	Sums     []PreviewSum
	Examples []PreviewLine
}

// PreviewSum is the sum of affected sales in one currency of tills.
type PreviewSum struct {
	Paid, WouldPay money.Amount
	Cost           money.Amount // less the expected commission
}

// Margins are the real margin and the one the rule would have made.
func (s PreviewSum) Margins() (is, would money.Amount) {
	margin := func(paid money.Amount) money.Amount { return money.Of(paid.Micros()-s.Cost.Micros(), paid.Currency()) }
	return margin(s.Paid), margin(s.WouldPay)
}

// PreviewLine is one sale, as it was and as it would have been.
type PreviewLine struct {
	At             time.Time
	Provider, Name string
	Paid, WouldPay money.Amount
	Raised         bool
}

const (
	previewDays     = 7
	previewMost     = 100_000
	previewExamples = 10
)

// PreviewRule says what a new or changed rule would have made of the last seven days' sales, beside the other
// rules in use now. It fails with a fault of kind Invalid if the rule makes no sense.
func (s *Service) PreviewRule(ctx context.Context, draft pricing.Rule) (Preview, error) {
	var p Preview
	if err := s.d.Pricing.CheckRule(ctx, &draft); err != nil {
		return p, err
	}
	err := s.preview(ctx, draft, &p)
	return p, fault.Doing("preview price rule", err)
}

func (s *Service) preview(ctx context.Context, draft pricing.Rule, p *Preview) error {
	db := s.d.DB.Read(ctx)
	shops, err := store.All[struct {
		ID, Zone string
		Currency money.Currency
	}](db.Raw("SELECT id, zone, currency FROM shops WHERE id = ? OR ? = '' ORDER BY name", draft.ShopID, draft.ShopID))
	if err != nil {
		return err
	}
	for _, shop := range shops {
		zone, err := staff.ZoneOf(shop.Zone)
		if err != nil {
			return err
		}
		tariff, err := s.d.Pricing.Tariff(ctx, shop.ID, shop.Currency, zone, s.d.Now())
		if err == nil {
			err = p.add(db, tariff.Without(draft.ID).With(forPreview(draft)), s.d.Now())
		}
		if err != nil || p.Cut { // what is left would be read and not counted
			return err
		}
	}
	return nil
}

// forPreview is the rule as if it held already.
func forPreview(draft pricing.Rule) pricing.Rule {
	draft.ID, draft.FirstDay = draftID, ""
	return draft
}

// draftID tells the draft from the rules in use.
const draftID = "draft"

func (p *Preview) add(db *gorm.DB, tariff *pricing.Tariff, now time.Time) error {
	var failed error
	err := eachSold(db, tariff.ShopID, now.AddDate(0, 0, -previewDays), now, func(sale soldRow) {
		if !sale.complete() || failed != nil {
			return
		}
		if p.Sales == previewMost {
			p.Cut = true
			return
		}
		p.Sales++
		failed = p.addSale(tariff, sale)
	})
	return cmp.Or(err, failed)
}

func (p *Preview) addSale(tariff *pricing.Tariff, sale soldRow) error {
	priced, err := tariff.Price(pricing.Subject{
		Country: sale.country, Provider: sale.provider, Kind: sale.kind, SKU: sale.sku,
		Send: money.Of(sale.send, sale.sendCurrency), DistributorFee: money.Of(sale.dist, sale.sendCurrency),
		CommissionRate: sale.commissionRate,
	})
	if err != nil || priced.Rule == nil || priced.Rule.ID != draftID || sale.priceCurrency != tariff.Currency {
		return err
	}
	p.Affected++
	line := PreviewLine{
		At: sale.recordedAt, Provider: sale.providerName, Name: sale.productName,
		Paid: money.Of(sale.price, sale.priceCurrency), WouldPay: priced.Price, Raised: priced.Raised,
	}
	if line.Raised {
		p.Raised++
	}
	if len(p.Examples) < previewExamples {
		p.Examples = append(p.Examples, line)
	}
	return p.sum(line, priced.Cost)
}

func (p *Preview) sum(line PreviewLine, cost money.Amount) error {
	for i := range p.Sums {
		sum := &p.Sums[i]
		if sum.Paid.Currency() != line.Paid.Currency() {
			continue
		}
		for _, pair := range []struct {
			into *money.Amount
			add  money.Amount
		}{{&sum.Paid, line.Paid}, {&sum.WouldPay, line.WouldPay}, {&sum.Cost, cost}} {
			total, err := pair.into.Add(pair.add)
			if err != nil {
				return err
			}
			*pair.into = total
		}
		return nil
	}
	p.Sums = append(p.Sums, PreviewSum{Paid: line.Paid, WouldPay: line.WouldPay, Cost: cost})
	return nil
}
