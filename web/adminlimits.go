package web

import (
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
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
	ctx := c.Request.Context()
	limits, err := s.d.Sales.Limits(ctx)
	if err != nil {
		return err
	}
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return err
	}
	stops, err := s.d.Sales.Stops(ctx, "", s.d.Now().Add(-stopsCounted))
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, shop := range shops {
		names[shop.ID] = shop.Name
	}
	p := s.newOffice(c, "/admin/limits", refused)
	p.add(p.limitsPart(limits, shops, names, tillCurrency(c)))
	p.add(p.stopsPart(stops, names))
	return s.showOffice(c, p)
}

func (p *officePage) limitsPart(limits []sales.Limit, shops []staff.Shop, names map[string]string, currency money.Currency) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("limits.what"), p.l.Text("reports.by.shop"), p.l.Text("limits.most")}}
	for _, limit := range limits {
		name, value := limitName(p.l, limit)
		most := p.l.Number(limit.Most)
		if limit.Measure == sales.Sum {
			most = p.l.Amount(limit.Amount())
		}
		t.Rows = append(t.Rows, templates.OfficeRow{
			Cells: []templates.OfficeCell{{Text: name}, {Text: every(p.l, names[limit.ShopID])}, {Text: most}},
			Acts: []templates.OfficeAct{{Text: p.l.Text("office.remove"), Action: "/admin/limits", Hidden: []templates.HiddenField{
				{Name: "act", Value: "remove"}, {Name: "kind", Value: value}, {Name: "shop", Value: limit.ShopID}, {Name: "currency", Value: string(limit.Currency)},
			}}},
		})
	}
	var kinds []templates.Choice
	for _, kind := range limitKinds {
		kinds = append(kinds, templates.Choice{Value: kind.value, Text: p.l.Text(kind.name)})
	}
	return templates.OfficePart{Title: p.l.Text("office.limits"), Note: p.l.Text("limits.note"), Table: t, Empty: p.l.Text("limits.none"), Form: &templates.OfficeForm{
		Action: "/admin/limits", Fields: []templates.OfficeField{p.list("kind", "limits.what", "", kinds...), p.shops(shops, ""), p.field("most", "limits.most", ""), p.field("currency", "limits.currency", string(currency))},
		Buttons: []templates.OfficeButton{{Text: p.l.Text("reports.save"), Primary: true}},
	}}
}

// stopsCounted is how far back it is counted what limits stopped.
const stopsCounted = 7 * 24 * time.Hour

// stopsPart is what the limits stopped in a week, and what managers let by.
func (p *officePage) stopsPart(stops []sales.StopCount, names map[string]string) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("limits.what"), p.l.Text("reports.by.shop"), p.l.Text("limits.stopped"), p.l.Text("limits.allowed")}}
	for _, stop := range stops {
		name, _ := limitName(p.l, sales.Limit{Subject: stop.Subject, Period: stop.Period, Measure: stop.Measure})
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: name, Hint: stop.Currency}, {Text: names[stop.ShopID]}, {Text: p.l.Number(int64(stop.Stopped))}, {Text: p.l.Number(int64(stop.Allowed))},
		}})
	}
	return templates.OfficePart{Title: p.l.Text("limits.week"), Note: p.l.Text("limits.weekNote"), Table: t, Empty: p.l.Text("limits.noneStopped")}
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
