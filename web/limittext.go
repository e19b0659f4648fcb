package web

import (
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/web/locale"
)

// limitText explains a limit to whoever it stopped.
func limitText(l locale.Locale, e *limit.Error) string {
	most, used := l.Number(e.Limit.Most), l.Number(e.Used)
	if e.Limit.Measure == limit.Sum {
		most, used = l.Amount(e.Limit.Amount()), l.Amount(money.Of(e.Used, e.Limit.Currency))
	}
	hour := e.Limit.Period == limit.Hour
	switch {
	case e.Limit.Subject == limit.OneSale:
		return l.Text("limit.sale", most)
	case e.Limit.Subject == limit.OneRefund:
		return l.Text("limit.refund", most)
	case e.Limit.Subject == limit.OneNumber && e.Limit.Measure == limit.Sum && hour:
		return l.Text("limit.numberHourSum", used, most)
	case e.Limit.Subject == limit.OneNumber && e.Limit.Measure == limit.Sum:
		return l.Text("limit.numberDaySum", used, most)
	case e.Limit.Subject == limit.OneNumber && hour:
		return l.Text("limit.numberHour", used, most)
	case e.Limit.Subject == limit.OneNumber:
		return l.Text("limit.numberDay", used, most)
	case e.Limit.Measure == limit.Sum && hour:
		return l.Text("limit.cashierHourSum", used, most)
	case e.Limit.Measure == limit.Sum:
		return l.Text("limit.cashierDaySum", used, most)
	case hour:
		return l.Text("limit.cashierHour", used, most)
	}
	return l.Text("limit.cashierDay", used, most)
}
