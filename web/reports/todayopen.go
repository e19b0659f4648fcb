package reports

import (
	"maps"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// addOpen adds sales that wait for their outcome and what is owed to customers, oldest first.
func (s *Screens) addOpen(c *gin.Context, p *templates.TodayPage, names frame.Names) error {
	ctx, l := c.Request.Context(), s.LocaleOf(c.Request)
	open := sales.Filter{ShopID: frame.Present(c).Shop.ID, Owing: true, Sold: true, Oldest: true, Limit: waitingShown}
	totals, err := s.D.Sales.Totals(ctx, open)
	if err != nil || len(totals) == 0 {
		return err
	}
	rows, err := s.D.Sales.List(ctx, open)
	if err != nil {
		return err
	}
	var waits, owes int64
	held, owed := map[money.Currency]int64{}, map[money.Currency]int64{}
	for _, t := range totals { // each of one state
		switch t.Cash {
		case sales.CashRefundDue:
			owes += t.Count
			owed[money.Currency(t.PriceCurrency)] += t.PriceMicros
		case sales.CashRefunded: // given back in doubt
			waits += t.Count
		default:
			waits += t.Count
			held[money.Currency(t.PriceCurrency)] += t.PriceMicros
		}
	}
	for _, one := range []struct {
		key, state, tone string
		count            int64
		sums             map[money.Currency]int64
	}{{"sales.waiting", "waiting", "wait", waits, held}, {"sales.owed", "owed", frame.ToneBad, owes, owed}} {
		if one.count > 0 {
			p.Open = append(p.Open, templates.Figure{
				Name: l.Text(one.key), Value: l.Number(one.count), Note: amountsOf(l, one.sums),
				URL: "/sales?state=" + one.state, Tone: one.tone,
			})
		}
	}
	for _, sale := range rows {
		p.Waiting = append(p.Waiting, s.SaleRow(l, sale, names))
	}
	return nil
}

// amountsOf writes sums, each in its currency.
func amountsOf(l locale.Locale, sums map[money.Currency]int64) string {
	var all []string
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		all = append(all, l.Amount(money.Of(sums[currency], currency)))
	}
	return strings.Join(all, " · ")
}
