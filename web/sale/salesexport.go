package sale

import (
	"iter"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// SalesFile is GET /sales.csv, .xlsx and .pdf: all sales of the list at the same address, oldest first.
func (s *Screens) SalesFile(format string) func(*gin.Context) error {
	return func(c *gin.Context) error { return s.sendSales(c, format) }
}

func (s *Screens) sendSales(c *gin.Context, format string) error {
	f, err := s.listFilter(c)
	if err != nil {
		return err
	}
	if f.Search != "" {
		return fault.New(fault.Invalid, "sales.search-as-file")
	}
	names, err := s.Names(c)
	if err != nil {
		return err
	}
	l := frame.Printable(s.LocaleOf(c.Request), format)
	out := salesSheet{
		l: l, names: names, zones: map[string]*time.Location{},
		costs: frame.Present(c).User.Can(staff.ViewCost), on: s.D.Catalog.Current(), countries: map[string]string{},
	}
	for _, shop := range names.Visible {
		out.zones[shop.ID] = shop.Location()
	}
	f.Before = ""
	title, notes := l.Text("sales.title"), []string{l.Text("reports.made", l.DateTime(s.D.Now()))}
	if f.chosen || f.from == 0 {
		title = l.Text("sales.list")
	}
	if f.to > f.from {
		notes = append(notes, frame.PeriodText(l, f.from, f.to))
	}
	counted := f.Filter
	counted.Sold = !f.Practice // as Each has it
	count, err := s.D.Sales.Count(c.Request.Context(), counted)
	if err != nil {
		return err
	}
	sums, whole, err := s.D.Report.Listed(
		c.Request.Context(), s.D.Sales, report.OfRows(f.Filter, frame.ShopIDs(f.shops), f.from, f.to, f.slot),
	)
	if err != nil {
		return err
	}
	table := sheet.Table{
		Title: title, Notes: notes, Columns: out.columns(),
		Rows: out.rows(s.D.Sales.Each(c.Request.Context(), f.Filter)), Count: count,
	}
	if whole {
		table.Totals = out.totals(sums)
	}
	name := "sales"
	if f.to > f.from {
		name += "-" + f.from.String() + "-" + (f.to - 1).String()
	}
	return s.SendSheet(c, table, l, name, format)
}

// salesSheet writes sales as rows.
type salesSheet struct {
	l     locale.Locale
	names frame.Names
	zones map[string]*time.Location // each is read from a file
	costs bool

	on        *catalog.Snapshot
	countries map[string]string // as they have been written so far
}

// country is named as on the pages: the file's headings and states are words of its reader's language, too.
func (x salesSheet) country(iso string) string {
	name, known := x.countries[iso]
	if !known {
		name = frame.CountryName(x.l, x.on, iso)
		x.countries[iso] = name
	}
	return name
}

func (x salesSheet) columns() []sheet.Column {
	columns := []sheet.Column{
		{Name: x.l.Text("sales.at"), Wide: 3},
		{Name: x.l.Text("reports.by.shop"), Wide: 2},
		{Name: x.l.Text("reports.by.till"), Wide: 2},
		{Name: x.l.Text("reports.by.cashier"), Wide: 2},
		{Name: x.l.Text("sales.col.code"), Wide: 2},
		{Name: x.l.Text("sales.col.ref"), Wide: 4},
		{Name: x.l.Text("reports.by.country"), Wide: 2},
		{Name: x.l.Text("reports.by.provider"), Wide: 2},
		{Name: x.l.Text("reports.by.product"), Wide: 3},
		{Name: x.l.Text("sales.number"), Wide: 3},
		{Name: x.l.Text("sales.state"), Wide: 2},
		{Name: x.l.Text("reports.by.reason"), Wide: 2},
		{Name: x.l.Text("sales.price"), End: true, Wide: 2},
		{Name: x.l.Text("reports.col.currency")},
	}
	if x.costs {
		columns = append(columns, []sheet.Column{
			{Name: x.l.Text("reports.col.sent"), End: true, Wide: 2},
			{Name: x.l.Text("reports.col.fees"), End: true, Wide: 2},
			{Name: x.l.Text("reports.col.commission"), End: true, Wide: 2},
			{Name: x.l.Text("sales.col.sendCurrency")},
		}...)
	}
	return columns
}

func (x salesSheet) rows(all iter.Seq2[sales.Sale, error]) iter.Seq2[[]sheet.Cell, error] {
	return func(yield func([]sheet.Cell, error) bool) {
		for sale, err := range all {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(x.row(sale), nil) {
				return
			}
		}
	}
}

// totals are the number of sales and the cash of those sent, by currency.
func (x salesSheet) totals(sums []report.ListSum) (rows [][]sheet.Cell) {
	for _, in := range sums {
		row := make([]sheet.Cell, len(x.columns()))
		row[0], row[1] = sheet.Text(x.l.Text("reports.total")), sheet.Whole(in.Count())
		for i, column := range x.columns() {
			switch column.Name {
			case x.l.Text("sales.price"):
				row[i] = sheet.Amount(money.Of(in.Taken, in.Currency))
			case x.l.Text("reports.col.currency"):
				row[i] = sheet.Text(string(in.Currency))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func (x salesSheet) row(sale sales.Sale) []sheet.Cell {
	zone, known := x.zones[sale.ShopID]
	if !known {
		zone = x.l.Zone()
	}
	reason := sale.ReasonCode
	if sale.ReasonContext != "" {
		reason += "/" + sale.ReasonContext
	}
	row := []sheet.Cell{
		sheet.Moment(sale.RecordedAt, zone),
		sheet.Text(x.names.Shops[sale.ShopID]), sheet.Text(x.names.Tills[sale.TillID]),
		sheet.Text(x.names.People[sale.CashierID]),
		sheet.Text(sale.Code), sheet.Text(sale.Ref), sheet.Text(x.country(sale.CountryISO)),
		sheet.Text(sale.ProviderName), sheet.Text(sale.ProductText), sheet.Text(sale.AccountNumber),
		sheet.Text(templates.StateWord(x.l, string(sale.Fulfilment))), sheet.Text(reason),
		sheet.Amount(sale.Price()), sheet.Text(string(sale.PriceCurrency)),
	}
	if x.costs {
		for _, micros := range []int64{sale.ActualSendMicros, sale.ActualDistMicros, sale.CommissionMicros} {
			if sale.Fulfilment != sales.Complete { // what was deducted for it comes back, or may do so
				micros = 0
			}
			row = append(row, sheet.Amount(money.Of(micros, sale.SendCurrency)))
		}
		row = append(row, sheet.Text(string(sale.SendCurrency)))
	}
	return row
}

// filesOf leads to the files of a list, for those who may export it.
func filesOf(c *gin.Context) []templates.Link {
	if !frame.Present(c).User.Can(staff.ViewReports) || c.Query("q") != "" {
		return nil
	}
	values := frame.AllOf(c.Request.URL)
	return frame.FormatLinks(func(format string) string { return "/sales." + format + "?" + values.Encode() })
}
