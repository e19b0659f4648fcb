package sale

import (
	"cmp"
	"maps"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// SalesList is GET /sales: what was sold today in the user's shop, or in all, or the sales behind a figure of
// a report.
func (s *Screens) SalesList(c *gin.Context) error {
	ctx := c.Request.Context()
	f, err := s.listFilter(c)
	if fault.KindOf(err) == fault.Invalid && frame.Present(c).User.Can(staff.ViewReports) {
		return s.refuse(c, f, err)
	}
	if err != nil {
		return err
	}
	f.Limit = pageSize + 1
	rows, err := s.D.Sales.List(ctx, f.Filter)
	if err != nil {
		return err
	}
	rows, more := frame.Page(rows, pageSize)
	if f.Search != "" && f.Before == "" && len(rows) == 1 {
		return frame.Redirect(c, "/sales/"+rows[0].ID) // found
	}
	sums, all, err := s.D.Report.Listed(
		ctx, s.D.Sales, report.OfRows(f.Filter, frame.ShopIDs(f.shops), f.from, f.to, f.slot),
	)
	if err != nil {
		return err
	}
	names, err := s.Names(c)
	if err != nil {
		return err
	}
	var form *templates.SalesForm
	if frame.Present(c).User.Can(staff.ViewReports) {
		form = s.salesForm(c, f, names)
	}
	return s.Show(c, http.StatusOK, func(around templates.Frame) templ.Component {
		page := templates.SalesPage{
			Frame: around, Query: f.Search, Waiting: f.Waiting || f.Owing,
			Chosen: f.chosen, MoreURL: olderURL(c, rows, more), Files: filesOf(c), Form: form,
		}
		switch {
		case f.from != 0 && !f.chosen:
			page.Day = s.D.Now()
		case f.from != 0:
			page.Period = frame.PeriodText(around.Locale, f.from, f.to)
		}
		for _, sale := range rows {
			page.Rows = append(page.Rows, s.SaleRow(around.Locale, sale, names))
		}
		sum(&page, sums, all, cmp.Or(money.Currency(f.Currency), frame.CurrencyOf(names.Visible...)))
		if frame.Present(c).User.CountsBlind() {
			page.Taken = nil // of one's own till it would be what the drawer must hold
		}
		return templates.Sales(page)
	})
}

// refuse shows the form as it was filled in, with what is wrong with it.
func (s *Screens) refuse(c *gin.Context, f listing, refused error) error {
	names, err := s.Names(c)
	if err != nil {
		return err
	}
	form := s.salesForm(c, f, names)
	form.From, form.To, form.Open = c.Query("from"), c.Query("to"), true
	form.Problem, form.Field = s.LocaleOf(c.Request).Fault(refused), fault.FieldOf(refused)
	return s.Show(c, frame.StatusOf(refused), func(around templates.Frame) templ.Component {
		return templates.Sales(templates.SalesPage{Frame: around, Chosen: true, Form: form})
	})
}

// mostNamed bounds how many numbers a customer's name searches for.
const mostNamed = 50

// meant are the numbers that a search may mean: as it is dialled in the countries of some shops, and those of one
// shop's customers with a name like it; shopID "" has none.
func (s *Screens) meant(
	c *gin.Context, shopID string, shops []staff.Shop, search string,
) (accounts []string, err error) {
	if search == "" {
		return nil, nil
	}
	dialled := map[string]bool{}
	for _, shop := range append([]staff.Shop{{}}, shops...) {
		if number, err := catalog.ParseNumber(search, shop.Country); err == nil && !dialled[shop.Country] {
			accounts = append(accounts, number.Forms()...)
		}
		dialled[shop.Country] = true
	}
	if shopID == "" {
		return accounts, nil
	}
	found, err := s.D.Customers.Find(c.Request.Context(), shopID, search, mostNamed)
	for _, entry := range found {
		accounts = append(accounts, entry.AccountNumber)
	}
	return accounts, err
}

// sum says what the list adds up to, in each currency. If not all was looked at, it says only that there are
// more.
func sum(page *templates.SalesPage, sums []report.ListSum, all bool, till money.Currency) {
	count := int64(0)
	for _, in := range sums {
		count += in.Count()
		page.Sent, page.Failed = page.Sent+in.Sent, page.Failed+in.Failed
		page.Taken = append(page.Taken, money.Of(in.Taken, in.Currency))
		page.Open, page.Owed = more(page.Open, in.Held, in.Currency), more(page.Owed, in.Owed, in.Currency)
	}
	if len(sums) == 0 {
		page.Taken = []money.Amount{money.Of(0, till)}
	}
	if page.Count = count; !all {
		page.MoreThan = page.Text("sales.moreThan", page.Number(count), page.Number(sales.MostTotalled))
	}
	if count > sheet.MostPrinted || !all {
		page.FileNote = page.Text("sales.longFile", page.Number(sheet.MostPrinted))
	}
}

func more(amounts []money.Amount, micros int64, currency money.Currency) []money.Amount {
	if micros == 0 {
		return amounts
	}
	return append(amounts, money.Of(micros, currency))
}

// salesForm filters the list, for those who may look through all of it.
func (s *Screens) salesForm(c *gin.Context, f listing, names frame.Names) *templates.SalesForm {
	l, values := s.LocaleOf(c.Request), c.Request.URL.Query()
	form := &templates.SalesForm{
		Product: values.Get("named"), Amount: values.Get("amount"),
		Open: values.Get("named")+
			values.Get("amount")+values.Get("till")+values.Get("cashier")+values.Get("state") != "",
	}
	if f.to > f.from {
		form.From, form.To = f.from.String(), (f.to - 1).String()
	}
	states := map[string]string{
		"complete": l.Text("sales.sent"), "failed": l.Text("today.failed"), "waiting": l.Text("sales.waiting"),
		"owed": l.Text("sales.owed"),
	}
	if len(names.Visible) > 1 && frame.Present(c).Shop.ID == "" {
		form.Picks = append(form.Picks,
			frame.PickNamed(l, "shop", l.Text("reports.by.shop"), values.Get("shop"), names.Shops))
	}
	till, cashier := values.Get("till"), values.Get("cashier")
	tills, people := names.Picked(f.ShopID, till, cashier)
	if len(tills) > 0 {
		form.Picks = append(form.Picks, frame.PickNamed(l, "till", l.Text("reports.by.till"), till, tills))
	}
	if len(people) > 0 {
		form.Picks = append(form.Picks, frame.PickNamed(l, "cashier", l.Text("reports.by.cashier"), cashier, people))
	}
	form.Picks = append(form.Picks, frame.PickNamed(l, "state", l.Text("sales.state"), values.Get("state"), states))
	for _, name := range []string{"country", "provider", "kind", "product", "reason", "currency", "slot"} {
		if value := values.Get(name); value != "" {
			form.Hidden = append(form.Hidden, templates.HiddenField{Name: name, Value: value})
		}
	}
	for _, preset := range []struct {
		name     string
		from, to report.Day
	}{
		{"reports.preset.today", f.today, f.today},
		{"reports.preset.yesterday", f.today - 1, f.today - 1},
		{"sales.thisWeek", f.today.Week(), f.today},
	} {
		other := maps.Clone(values)
		for _, name := range []string{"before", "slot", "q", "shift"} {
			other.Del(name)
		}
		other.Set("from", preset.from.String())
		other.Set("to", preset.to.String())
		form.Presets = append(form.Presets, templates.Link{
			Text: l.Text(preset.name), URL: "/sales?" + other.Encode(),
			Current: f.from == preset.from && f.to == preset.to+1,
		})
	}
	return form
}
