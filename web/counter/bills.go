package counter

import (
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// billProblem says why bills could not be looked up; "": they were.
func billProblem(l locale.Locale, err error) string {
	switch f := fault.FieldOf(err); {
	case err == nil:
		return ""
	case f == "number":
		return l.Text("bills.wrongNumber")
	case fault.KindOf(err) == fault.Invalid:
		return l.Text("bills.wrongDetails")
	}
	return l.Fault(err)
}

// showBills fills in the part of the details page that bills need.
func showBills(l locale.Locale, page *templates.DetailsPage, q *counter.Quote) {
	page.NeedsBill, page.Changed, page.Problem = true, q.BillVoid, billProblem(l, q.BillProblem)
	page.NothingOwed = q.BillsAsked && len(q.Bills) == 0
	bills, more := frame.Page(q.Bills, catalog.BillsShown)
	page.MoreBills = more
	for _, bill := range bills {
		shown := templates.Bill{ID: bill.ID, Lines: billLines(bill.Bill), Price: bill.Pay}
		if !bill.Payable {
			shown.Unpayable = l.Text("bills.outOfRange", l.Amount(q.Least), l.Amount(q.Most))
		}
		page.Bills = append(page.Bills, shown)
	}
}

func billLines(bill catalog.Bill) []templates.Line {
	var lines []templates.Line
	for _, info := range bill.Info {
		lines = append(lines, templates.Line{Name: info.Name, Value: info.Value})
	}
	return lines
}
