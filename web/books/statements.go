package books

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sheet"
	"airtill/internal/statement"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const statementsListed = 100

// Statements is GET /statements (month, before): the closed days of a month in the shops the user sees; by
// default the month of yesterday.
func (s *Screens) Statements(c *gin.Context) error {
	zone := s.LocaleOf(c.Request).Zone()
	last := (report.DayOf(s.D.Now(), zone) - 1).Month()
	month, before := last, c.Query("before")
	if asked := c.Query("month"); asked != "" {
		var err error
		if month, err = report.ParseDay(asked + "-01"); err != nil {
			return fault.New(fault.NotFound, "day.none")
		}
	}
	if c.Query("file") != "" {
		before = ""
	}
	r := frame.ReadsOf(c)
	all := frame.LoadOf(r, s.D.Statements.List, statement.Filter{
		ShopID: frame.Present(c).Shop.ID, Month: monthOf(month), Below: before,
		Limit: frame.RowsOf(c, statementsListed),
	})
	names := frame.LoadHere(r, s.Names)
	if r.Err != nil {
		return r.Err
	}
	if c.Query("file") != "" {
		return s.statementsFile(c, all, names.Shops)
	}
	all, more := frame.Page(all, statementsListed)
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.StatementsPage{
			Frame: f, Month: f.Month(frame.NoonOf(f.Locale, month)),
			Files: frame.FileLinks(c.Request.URL, c.Request.URL.Query()),
		}
		for shown, n := min(month.AddMonths(2), last), 0; n < monthsShown; shown, n = shown.AddMonths(-1), n+1 {
			page.Months = append(page.Months, templates.Link{
				Text: f.Month(frame.NoonOf(f.Locale, shown)), URL: "/statements?month=" + monthOf(shown),
				Current: shown == month,
			})
		}
		if more {
			page.MoreURL = "/statements?month=" + monthOf(month) + "&before=" + url.QueryEscape(all[len(all)-1].Place())
		}
		for _, one := range all {
			page.Rows = append(page.Rows, templates.StatementRow{
				URL: "/statements/" + one.ID, Day: dateOf(f.Locale, one.Day), Number: f.Number(int64(one.Number)),
				Shop: names.Shops[one.ShopID], ClosedAt: f.DateTime(one.ClosedAt),
			})
		}
		return templates.Statements(page)
	})
}

// monthsShown is how many months the list leads to at once.
const monthsShown = 6

// monthOf writes a month as its days begin.
func monthOf(d report.Day) string { return d.String()[:len("2026-03")] }

// statementsFile is the same list as a file, with each statement's fingerprint.
func (s *Screens) statementsFile(c *gin.Context, all []statement.Statement, names map[string]string) error {
	l := s.FileLocale(c)
	columns := []sheet.Column{
		{Name: l.Text("statement.day"), Wide: 2},
		{Name: l.Text("reconcile.shop"), Wide: 2},
		{Name: l.Text("statement.number"), End: true},
		{Name: l.Text("statement.closed"), Wide: 2},
		{Name: l.Text("statement.hash"), Wide: 4},
	}
	var rows [][]sheet.Cell
	for _, one := range all {
		rows = append(rows, []sheet.Cell{
			sheet.Text(one.Day), sheet.Text(names[one.ShopID]), sheet.Whole(int64(one.Number)),
			sheet.Moment(one.ClosedAt, l.Zone()), sheet.Text(one.Hash),
		})
	}
	return s.SendList(c, l.Text("statement.title"), "statements", columns, rows)
}

// dateOf writes a business day.
func dateOf(l locale.Locale, day string) string {
	date, _ := report.ParseDay(day) // as it was closed
	return l.Date(frame.NoonOf(l, date))
}

// Statement is GET /statements/{id}, and .csv, .xlsx, .pdf.
func (s *Screens) Statement(c *gin.Context) error {
	id, format, _ := strings.Cut(c.Param("id"), ".")
	found, err := s.D.Statements.Get(c.Request.Context(), id, frame.Present(c).Shop.ID)
	if err != nil {
		return err
	}
	doc, err := found.Read()
	if err != nil {
		return err
	}
	if format != "" {
		return s.exportStatement(c, found, doc, format)
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		return templates.Statement(templates.StatementPage{
			Frame: f, ID: id, Shop: doc.Shop, Title: statementTitle(f.Locale, doc),
			Closed: f.Text("statement.closedAt", f.DateTime(doc.ClosedAt)), Hash: found.Hash,
			Parts: statementParts(f.Locale, doc), Corrections: doc.Corrections,
		})
	})
}

func statementTitle(l locale.Locale, d statement.Document) string {
	return l.Text("statement.of", l.Number(int64(d.Number)), dateOf(l, d.Day))
}

// statementParts are a statement's figures, without zeros.
func statementParts(l locale.Locale, d statement.Document) []templates.StatementPart {
	var parts []templates.StatementPart
	for _, m := range d.Money {
		parts = append(parts, cashPart(l, m), tradePart(l, m), openPart(l, m))
	}
	if len(d.Breaks) > 0 {
		part := templates.StatementPart{Title: l.Text("statement.breaks")}
		for _, b := range d.Breaks {
			part.Lines = append(part.Lines, templates.StatementLine{
				Name: times(l, "break.kind."+b.Kind, b.Count), Amount: money.Of(b.Micros, b.Currency),
			})
		}
		parts = append(parts, part)
	}
	return slices.DeleteFunc(parts, func(p templates.StatementPart) bool { return len(p.Lines) == 0 })
}

// times names a figure with the number of things it sums.
func times(l locale.Locale, key string, count int64) string {
	return l.Text(key) + " ×\u00a0" + l.Number(count)
}

// partOf has the items that are not zero, and the strong ones always.
func partOf(title string, currency money.Currency, items ...templates.StatementLine) templates.StatementPart {
	p := templates.StatementPart{Title: title + " · " + string(currency)}
	for _, item := range items {
		if item.Strong || !item.Amount.IsZero() {
			p.Lines = append(p.Lines, item)
		}
	}
	return p
}

// linesIn make the figures of a part: a line, and one that stands there even if it is zero.
func linesIn(currency money.Currency) (line, always func(name string, micros int64) templates.StatementLine) {
	line = func(name string, micros int64) templates.StatementLine {
		return templates.StatementLine{Name: name, Amount: money.Of(micros, currency)}
	}
	always = func(name string, micros int64) templates.StatementLine {
		return templates.StatementLine{Name: name, Amount: money.Of(micros, currency), Strong: true}
	}
	return line, always
}

func cashPart(l locale.Locale, m statement.Money) templates.StatementPart {
	line, always := linesIn(m.Currency)
	return partOf(l.Text("statement.cash"), m.Currency,
		always(l.Text("statement.opening"), m.Cash.Opening),
		line(l.Text("statement.taken"), m.Taken),
		line(times(l, "statement.givenBack", m.Refunds), -m.GivenBack),
		line(l.Text("statement.floatIn"), m.FloatIn),
		line(l.Text("statement.banked"), -m.Banked),
		line(l.Text("statement.expenses"), -m.Expenses),
		line(l.Text("statement.overShort"), m.OverShort),
		always(l.Text("statement.closing"), m.Cash.Closing),
	)
}

func tradePart(l locale.Locale, m statement.Money) templates.StatementPart {
	line, always := linesIn(m.Currency)
	return partOf(l.Text("statement.trade"), m.Currency,
		line(times(l, "statement.faceValue", m.Sent), m.FaceValue),
		line(l.Text("statement.customerFee"), m.CustomerFee),
		line(l.Text("statement.markUp"), m.MarkUp),
		line(l.Text("statement.commission"), m.Commission),
		line(l.Text("statement.cost"), -m.Cost),
		line(l.Text("statement.fee"), -m.Fee),
		line(l.Text("statement.losses"), -m.Losses),
		line(l.Text("statement.goodwill"), -m.Goodwill),
		always(l.Text("statement.margin"), m.Margin),
		line(l.Text("statement.float"), m.Float),
	)
}

func openPart(l locale.Locale, m statement.Money) templates.StatementPart {
	line, _ := linesIn(m.Currency)
	return partOf(l.Text("statement.open"), m.Currency,
		line(l.Text("statement.prepaid"), m.Prepaid.Closing),
		line(l.Text("statement.refundsDue"), m.RefundsDue.Closing),
		line(l.Text("statement.held"), m.Held.Closing),
		line(l.Text("statement.receivable"), m.Receivable.Closing),
	)
}

// exportStatement answers with a statement as a file.
func (s *Screens) exportStatement(
	c *gin.Context, found statement.Statement, d statement.Document, format string,
) error {
	if err := frame.CheckFormat(format); err != nil {
		return err
	}
	l := frame.Printable(s.LocaleOf(c.Request), format)
	var rows [][]sheet.Cell
	for _, part := range statementParts(l, d) {
		for _, item := range part.Lines {
			rows = append(rows, []sheet.Cell{
				sheet.Text(part.Title), sheet.Text(item.Name), sheet.Text(string(item.Amount.Currency())),
				sheet.Amount(item.Amount),
			})
		}
	}
	for _, late := range d.Corrections {
		figure := func(name string, micros int64) []sheet.Cell {
			return []sheet.Cell{
				sheet.Text(l.Text("statement.corrections")),
				sheet.Text(late.Code + " " + strings.Join(late.Kinds, " ") + " · " + name),
				sheet.Text(string(late.Currency)), sheet.Amount(money.Of(micros, late.Currency)),
			}
		}
		rows = append(
			rows, figure(l.Text("statement.margin"), late.Margin), figure(l.Text("statement.cash"), late.Cash),
		)
	}
	table := sheet.Table{
		Title: d.Shop + " · " + statementTitle(l, d),
		Notes: []string{l.Text("statement.closedAt", l.DateTime(d.ClosedAt)), found.Hash}, Rows: sheet.From(rows),
		Columns: []sheet.Column{
			{Name: l.Text("statement.part"), Wide: 3},
			{Name: l.Text("statement.item"), Wide: 4},
			{Name: l.Text("statement.currency")},
			{Name: l.Text("statement.amount"), End: true, Wide: 2},
		},
	}
	return s.SendSheet(c, table, l, "statement-"+d.Day+"-"+found.ID, format)
}
