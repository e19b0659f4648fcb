package web

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/web/locale"
	"airtill/web/templates"
)

// limitKinds are the limits there are, with the keys of their names.
var limitKinds = []struct {
	value, name string
	limit       sales.Limit
}{
	{"sale", "limits.sale", sales.Limit{Subject: sales.OneSale, Period: sales.Each, Measure: sales.Sum}},
	{"number-hour", "limits.numberHour", sales.Limit{Subject: sales.OneNumber, Period: sales.Hour, Measure: sales.Count}},
	{"number-day", "limits.numberDay", sales.Limit{Subject: sales.OneNumber, Period: sales.Day, Measure: sales.Count}},
	{"number-hour-sum", "limits.numberHourSum", sales.Limit{Subject: sales.OneNumber, Period: sales.Hour, Measure: sales.Sum}},
	{"number-day-sum", "limits.numberDaySum", sales.Limit{Subject: sales.OneNumber, Period: sales.Day, Measure: sales.Sum}},
	{"cashier-hour", "limits.cashierHour", sales.Limit{Subject: sales.OneSeller, Period: sales.Hour, Measure: sales.Count}},
	{"cashier-day", "limits.cashierDay", sales.Limit{Subject: sales.OneSeller, Period: sales.Day, Measure: sales.Count}},
	{"cashier-hour-sum", "limits.cashierHourSum", sales.Limit{Subject: sales.OneSeller, Period: sales.Hour, Measure: sales.Sum}},
	{"cashier-day-sum", "limits.cashierDaySum", sales.Limit{Subject: sales.OneSeller, Period: sales.Day, Measure: sales.Sum}},
	{"refund", "limits.refund", sales.Limit{Subject: sales.OneRefund, Period: sales.Each, Measure: sales.Sum}},
	{"float-day", "limits.floatDay", sales.Limit{Subject: sales.LowMark, Period: sales.Day, Measure: sales.Sum}},
	{"float-kept", "limits.floatKept", sales.Limit{Subject: sales.FloatKept, Period: sales.Each, Measure: sales.Sum}},
	{"float", "limits.float", sales.Limit{Subject: sales.LowMark, Period: sales.Each, Measure: sales.Sum}},
}

func limitName(l locale.Locale, limit sales.Limit) (name, value string) {
	for _, kind := range limitKinds {
		if kind.limit.Subject == limit.Subject && kind.limit.Period == limit.Period && kind.limit.Measure == limit.Measure {
			return l.Text(kind.name), kind.value
		}
	}
	return string(limit.Subject), ""
}

// limits is GET /admin/limits.
func (s *Server) limits(c *gin.Context) error { return s.showLimits(c, nil) }

func (s *Server) showLimits(c *gin.Context, refused error) error {
	r := reads{ctx: c.Request.Context()}
	limits := load(&r, s.d.Sales.Limits)
	shops := load(&r, s.d.Staff.Shops)
	stops := load(&r, func(ctx context.Context) ([]sales.StopCount, error) {
		return s.d.Sales.Stops(ctx, "", s.d.Now().Add(-stopsCounted))
	})
	if r.err != nil {
		return r.err
	}
	names := map[string]string{}
	for _, shop := range shops {
		names[shop.ID] = shop.Name
	}
	p := s.newOffice(c, "/admin/limits", refused)
	set, stopped := p.limitsTable(limits, names), p.stopsTable(stops, names)
	return s.showOffice(c, p, templates.OfficeLimits(&p.Office, templates.Limits{
		All: set, Shops: p.orAll(shopChoices(shops)), Kinds: p.limitKinds(), Currency: string(tillCurrency(c)), Stopped: stopped,
		Set: limits, Kind: func(i int) string { _, kind := limitName(p.l, limits[i]); return kind },
	}))
}

func (p *office) limitsTable(limits []sales.Limit, names map[string]string) *templates.Table {
	t := p.table(p.l.Text("office.limits"), "limits.what", "reports.by.shop", "limits.most")
	for _, limit := range limits {
		name, _ := limitName(p.l, limit)
		most := p.l.Number(limit.Most)
		if limit.Measure == sales.Sum {
			most = p.l.Amount(limit.Amount())
		}
		t.Add(templates.Row{{Text: name}, {Text: every(p.l, names[limit.ShopID])}, {Text: most}})
	}
	return t
}

func (p *office) limitKinds() (kinds []templates.Choice) {
	for _, kind := range limitKinds {
		kinds = append(kinds, templates.Choice{Value: kind.value, Text: p.l.Text(kind.name)})
	}
	return kinds
}

// stopsCounted is how far back it is counted what limits stopped.
const stopsCounted = 7 * 24 * time.Hour

// stopsTable is what the limits stopped in a week, and what managers let by.
func (p *office) stopsTable(stops []sales.StopCount, names map[string]string) *templates.Table {
	t := p.table(p.l.Text("limits.week"), "limits.what", "reports.by.shop", "limits.stopped", "limits.allowed")
	for _, stop := range stops {
		name, _ := limitName(p.l, sales.Limit{Subject: stop.Subject, Period: stop.Period, Measure: stop.Measure})
		t.Add(templates.Row{
			{Text: name, Hint: stop.Currency},
			{Text: names[stop.ShopID]},
			{Text: p.l.Number(int64(stop.Stopped))},
			{Text: p.l.Number(int64(stop.Allowed))},
		})
	}
	return t
}

// setLimit is POST /admin/limits (fields kind, shop, most, currency; act remove).
func (s *Server) setLimit(c *gin.Context) error {
	var limit sales.Limit
	for _, kind := range limitKinds {
		if kind.value == c.PostForm("kind") {
			limit = kind.limit
		}
	}
	limit.ShopID = c.PostForm("shop")
	if limit.Measure == sales.Sum {
		limit.Currency = money.Currency(strings.ToUpper(strings.TrimSpace(c.PostForm("currency"))))
	}
	err := s.readMost(c, &limit)
	done := "saved"
	if c.PostForm("act") == "remove" {
		limit.Most, err, done = -1, nil, "removed"
	}
	if err == nil {
		err = s.d.Sales.SetLimit(c.Request.Context(), present(c).Actor(), limit)
	}
	return s.conclude(c, err, "/admin/limits", done, s.showLimits)
}

func (s *Server) readMost(c *gin.Context, limit *sales.Limit) error {
	l := s.localeOf(c.Request)
	if limit.Measure == sales.Sum {
		amount, err := l.ParseCash(c.PostForm("most"), limit.Currency)
		if limit.Most = amount.Micros(); err != nil || limit.Most < 0 {
			return fault.OnField("most", "amount.digits")
		}
		return refuseNothing(*limit)
	}
	most, err := strconv.ParseInt(strings.TrimSpace(c.PostForm("most")), 10, 32)
	if err != nil || most < 0 {
		return fault.OnField("most", "limit.count")
	}
	limit.Most = most
	return refuseNothing(*limit)
}

// refuseNothing refuses a limit that would stop everything; that every refund waits
// for somebody in charge may well be meant.
func refuseNothing(limit sales.Limit) error {
	if limit.Most == 0 && limit.Subject != sales.OneRefund {
		return fault.OnField("most", "limit.zero")
	}
	return nil
}
