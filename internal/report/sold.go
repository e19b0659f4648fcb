package report

import (
	"database/sql"
	"time"

	"github.com/shopspring/decimal"
	"gorm.io/gorm"

	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// soldRow is what reports need of a sale.
type soldRow struct {
	recordedAt                   time.Time
	till, cashier                string
	country, provider, kind, sku string
	providerName, productName    string
	fulfilment                   sales.State
	cash                         sales.Cash
	reasonCode, reasonContext    string
	price, send, fee, dist       int64
	commission                   int64
	commissionRate               string
	priceCurrency, sendCurrency  money.Currency
	finalAt                      sql.NullTime
}

const soldSQL = `SELECT recorded_at, till_id, cashier_id, country_iso, provider_code, kind, sku_code,
	provider_name, product_text, fulfilment, cash, reason_code, reason_context,
price_micros, actual_send_micros, actual_fee_micros, actual_dist_micros, commission_micros, commission_rate,
	price_currency, send_currency, final_at
FROM sales WHERE shop_id = ? AND id >= ? AND id < ? AND NOT practice`

// eachSold visits the sales a shop recorded between two moments.
func eachSold(db *gorm.DB, shopID string, from, to time.Time, visit func(soldRow)) error {
	sold := db.Raw(soldSQL, shopID, store.FirstID(from), store.FirstID(to))
	return store.Scan(sold, func(scan func(into ...any) error) error {
		var s soldRow
		err := scan(&s.recordedAt, &s.till, &s.cashier, &s.country, &s.provider, &s.kind, &s.sku,
			&s.providerName, &s.productName, &s.fulfilment, &s.cash, &s.reasonCode, &s.reasonContext,
			&s.price, &s.send, &s.fee, &s.dist, &s.commission, &s.commissionRate, &s.priceCurrency, &s.sendCurrency,
			&s.finalAt)
		if err == nil {
			visit(s)
		}
		return err
	})
}

func (s soldRow) complete() bool { return s.fulfilment == sales.Complete }

func (s soldRow) failed() bool { return s.fulfilment.Final() && !s.complete() }

// reason is the failure's code, with its context if it has one.
func (s soldRow) reason() string {
	if s.reasonContext == "" {
		return s.reasonCode
	}
	return s.reasonCode + "/" + s.reasonContext
}

// measures is what one sale adds to its sums.
func (s soldRow) measures(rates []pricing.Rate) Measures {
	m := Measures{Sales: 1}
	switch {
	case s.complete():
		m.Complete = 1
		s.earnings(&m, rates)
	case s.failed():
		m.Failed = 1
	case s.cash == sales.CashRefunded: // before anybody knew the outcome
		m.Open, m.RefundedMicros = 1, s.price
		return m
	default:
		m.Open, m.OpenMicros = 1, s.price
		return m
	}
	switch s.cash {
	case sales.CashRefunded:
		m.RefundedMicros = s.price
	case sales.CashRefundDue:
		m.DueMicros = s.price
	default:
	}
	s.timing(&m)
	return m
}

func (s soldRow) earnings(m *Measures, rates []pricing.Rate) {
	m.PriceMicros, m.SendMicros, m.FeeMicros, m.DistMicros = s.price, s.send, s.fee, s.dist
	m.CommissionMicros = s.commission
	if s.cash == sales.CashRefunded { // it went through after its cash had gone back
		m.PriceMicros = 0
	}
	m.ExpectedMicros = s.expected()
	cost := s.send + s.dist - s.commission
	if s.priceCurrency == s.sendCurrency {
		if m.PriceMicros != 0 {
			m.MarkUpMicros = s.price - s.send
		}
		m.MarginMicros = m.PriceMicros - cost
	} else if rate, known := pricing.RateAt(rates, s.sendCurrency, s.priceCurrency, s.recordedAt); known {
		m.MarginMicros = m.PriceMicros - s.inTillCurrency(cost, rate)
		if m.PriceMicros != 0 {
			m.MarkUpMicros = s.price - s.inTillCurrency(s.send, rate)
		}
	}
}

// inTillCurrency converts a cost at the rate that held at the sale, to the till's smallest coin.
func (s soldRow) inTillCurrency(cost int64, rate decimal.Decimal) int64 {
	amount, err := money.Of(cost, s.sendCurrency).Times(rate, s.priceCurrency.Decimals())
	if err != nil {
		return 0 // no sale a till can make
	}
	return amount.Micros()
}

// expected is the commission by the catalogue's rate, 0 without one.
func (s soldRow) expected() int64 {
	rate, _ := money.Rate(s.commissionRate) // zero where it fails, as for a product that the catalogue lost
	amount, err := money.Of(s.send, s.sendCurrency).Times(rate, s.sendCurrency.Decimals())
	if err != nil {
		return 0 // no sale a till can make
	}
	return amount.Micros()
}

func (s soldRow) timing(m *Measures) {
	if !s.finalAt.Valid {
		return
	}
	took := max(s.finalAt.Time.Sub(s.recordedAt), 0)
	m.OutcomeMS = took.Milliseconds()
	for limit, count := range map[time.Duration]*int64{
		2 * time.Second: &m.Within2s, 10 * time.Second: &m.Within10s, 100 * time.Second: &m.Within100s,
	} {
		if took <= limit {
			*count = 1
		}
	}
}
