package shift

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Of answers with what is told of the shift that the path names, if this user may see it: their own, their shop's if
// they are in charge, any if they see all.
func (s *Screens) Of(tell func(*gin.Context, till.Shift) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		shift, err := s.D.Till.Get(c.Request.Context(), c.Param("id"), frame.Present(c).Shop.ID)
		switch {
		case err != nil:
			return err
		case !mayRead(frame.Present(c).User, shift):
			return fault.New(fault.NotFound, "shift.none")
		}
		return tell(c, shift)
	}
}

func mayRead(u staff.User, shift till.Shift) bool {
	own := shift.CashierID == u.ID || shift.SeatBy == u.ID || shift.ClosedBy != nil && *shift.ClosedBy == u.ID
	return own || u.Can(staff.ManageShifts) || u.Can(staff.ViewReports)
}

// reportOf is a shift's report, with its hash once closed.
func (s *Screens) reportOf(c *gin.Context, shift till.Shift) (till.Report, string, error) {
	if !shift.Closed() {
		report, err := s.D.Till.XReport(c.Request.Context(), shift)
		if fault.KindOf(err) != fault.Conflict { // closed meanwhile
			return report, "", err
		}
	}
	return s.D.Till.ZReport(c.Request.Context(), shift.ID)
}

// seesExpected says whether a user may know what a drawer must hold: those in charge always, others once it
// was counted.
func seesExpected(u staff.User, r till.Report) bool {
	return r.Closing != nil || !u.CountsBlind()
}

// ShiftReport is GET /shift/{id}.
func (s *Screens) ShiftReport(c *gin.Context, shift till.Shift) error {
	report, hash, err := s.reportOf(c, shift)
	if err != nil {
		return err
	}
	names, err := s.Names(c)
	if err != nil {
		return err
	}
	later, err := s.D.Till.Corrections(c.Request.Context(), shift.ID)
	if err != nil {
		return err
	}
	u := frame.Present(c).User
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.ReportPage{
			Frame: f, Title: reportTitle(f.Locale, report), Lead: report.Shop + " · " + report.Till,
			Sections: reportSections(f.Locale, report, names, seesExpected(u, report)), Hash: hash,
			Verdict:  reportVerdict(f.Locale, report),
			Later:    frame.CorrectedLater(f.Locale, later),
			PrintURL: "/shift/" + shift.ID + "/receipt",
		}
		if !shift.Closed() && u.Can(staff.ManageShifts) {
			page.CloseURL = "/shift/close?shift=" + shift.ID
		}
		return templates.ShiftReport(page)
	})
}

func reportTitle(l locale.Locale, r till.Report) string {
	if r.Closing == nil {
		return l.Text("report.x")
	}
	return l.Text("report.z", l.Number(int64(r.Number)))
}

// reportVerdict is how a count compares with the books.
func reportVerdict(l locale.Locale, r till.Report) []templates.Figure {
	if r.Closing == nil {
		return nil
	}
	difference := r.Amount(r.Closing.Difference)
	verdict, tone := verdictOf(l, difference)
	return []templates.Figure{
		{Name: l.Text("report.expected"), Value: l.Amount(r.Amount(r.Expected))},
		{Name: l.Text("report.counted"), Value: l.Amount(r.Amount(r.Closing.Counted))},
		{Name: l.Text("report.difference"), Value: l.Amount(difference), Note: verdict, Tone: tone},
	}
}

func verdictOf(l locale.Locale, difference money.Amount) (text, tone string) {
	switch difference.Sign() {
	case 0:
		return l.Text("shifts.agrees"), "good"
	case 1:
		return l.Text("shifts.over"), "wait"
	}
	return l.Text("shifts.short"), "bad"
}

// reportSections are the parts of a report in the order of its paper.
func reportSections(l locale.Locale, r till.Report, n frame.Names, expected bool) []templates.ReportSection {
	sections := []templates.ReportSection{shiftSection(l, r), drawerSection(l, r, expected)}
	if r.Closing != nil {
		sections = append(sections, closingSection(l, r))
	}
	sections = append(sections, templates.ReportSection{
		Title: l.Text("report.sales"), Lines: soldLines(l, r, r.Sales, expected), None: l.Text("report.noSales"),
	})
	if len(r.Sellers) > 0 {
		sections = append(sections, templates.ReportSection{
			Title: l.Text("report.sellers"), Lines: soldLines(l, r, r.Sellers, expected),
		})
	}
	return append(sections,
		templates.ReportSection{
			Title: l.Text("report.carried"), Lines: carriedLines(l, r), None: l.Text("report.noneCarried"),
		},
		templates.ReportSection{
			Title: l.Text("report.moves"), Lines: moveLines(l, r.Moves, n), None: l.Text("move.none"),
		})
}

func shiftSection(l locale.Locale, r till.Report) templates.ReportSection {
	section := templates.ReportSection{Title: l.Text("report.shift"), Lines: []templates.Line{
		{Name: l.Text("report.opened"), Value: l.DateTime(r.OpenedAt)},
		{Name: l.Text("report.openedBy"), Value: r.OpenedBy},
	}}
	if r.Closing != nil {
		section.Lines = append(section.Lines, templates.Line{Name: l.Text("report.closed"), Value: l.DateTime(r.At)},
			templates.Line{Name: l.Text("report.closedBy"), Value: r.Closing.ClosedBy})
	}
	return section
}

func drawerSection(l locale.Locale, r till.Report, expected bool) templates.ReportSection {
	line := func(key string, micros int64) templates.Line {
		return templates.Line{Name: l.Text(key), Value: l.Amount(r.Amount(micros))}
	}
	section := templates.ReportSection{
		Title: l.Text("report.drawer"), Lines: []templates.Line{line("report.opening", r.Opening)},
	}
	if !expected {
		return section
	}
	add := func(key string, micros int64) {
		if micros != 0 {
			section.Lines = append(section.Lines, line(key, micros))
		}
	}
	add("report.openingDifference", r.OpeningDifference().Micros())
	add("report.taken", r.Taken)
	add("report.refunded", -r.Refunded)
	add("report.goodwill", -r.Goodwill)
	add("report.paidIn", r.PaidIn)
	add("report.dropped", -r.Dropped)
	add("report.expenses", -r.Expenses)
	total := line("report.expected", r.Expected)
	section.Total = &total
	return section
}

func closingSection(l locale.Locale, r till.Report) templates.ReportSection {
	section := templates.ReportSection{Title: l.Text("report.counted")}
	for _, pile := range r.Closing.Piles {
		section.Lines = append(section.Lines, templates.Line{
			Name:  l.ShortAmount(r.Amount(pile.Micros)) + " × " + l.Number(pile.Pieces),
			Value: l.Amount(r.Amount(pile.Micros * pile.Pieces)),
		})
	}
	if r.Closing.Loose != 0 {
		section.Lines = append(section.Lines, templates.Line{
			Name: l.Text("count.loose"), Value: l.Amount(r.Amount(r.Closing.Loose)),
		})
	}
	section.Lines = append(section.Lines,
		templates.Line{Name: l.Text("report.counts"), Value: l.Number(int64(r.Closing.Counts))},
		templates.Line{Name: l.Text("report.left"), Value: l.Amount(r.Amount(r.Closing.Left))},
		templates.Line{Name: l.Text("report.banked"), Value: l.Amount(r.Amount(r.Closing.Banked))})
	section.Total = &templates.Line{Name: l.Text("report.counted"), Value: l.Amount(r.Amount(r.Closing.Counted))}
	return section
}

// soldLines are sales by how they read: states of one word are one line.
func soldLines(l locale.Locale, r till.Report, all []till.Sold, sums bool) []templates.Line {
	var names []string
	summed := map[string]till.Sold{}
	for _, sold := range all {
		name := soldName(l, sold)
		sum, there := summed[name]
		if !there {
			names = append(names, name)
		}
		sum.Count, sum.Micros = sum.Count+sold.Count, sum.Micros+sold.Micros
		summed[name] = sum
	}
	var lines []templates.Line
	for _, name := range names {
		sum := summed[name]
		line := templates.Line{Name: name, Value: l.Number(sum.Count)}
		if sums {
			line = templates.Line{Name: name + " × " + l.Number(sum.Count), Value: l.Amount(r.Amount(sum.Micros))}
		}
		lines = append(lines, line)
	}
	return lines
}

// soldName is how sales ended, and whose they are.
func soldName(l locale.Locale, sold till.Sold) string {
	name := templates.StateWord(l, sold.Fulfilment)
	if sold.Cash == string(sales.CashRefunded) {
		name = l.Text("report.refundedSales", name)
	}
	if sold.Cashier != "" {
		name = sold.Cashier + " · " + name
	}
	return name
}

func carriedLines(l locale.Locale, r till.Report) []templates.Line {
	var lines []templates.Line
	for _, sale := range r.Carried {
		word := templates.StateWord(l, sale.Fulfilment)
		if sale.Cash == string(sales.CashRefundDue) {
			word = l.Text("report.owed")
		}
		lines = append(lines, templates.Line{
			Name: frame.Spelled(sale.Code) + " · " + word, Value: l.Amount(r.Amount(sale.Micros)),
		})
	}
	return lines
}
