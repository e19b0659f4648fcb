package shift

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Shifts is GET /shifts: a shop's shifts and how each was counted, or the shifts behind a row of the cash
// report.
func (s *Screens) Shifts(c *gin.Context) error {
	f, err := s.shiftFilter(c)
	if err != nil {
		return err
	}
	f.Limit = frame.RowsOf(c, till.Listed)
	r := frame.ReadsOf(c)
	all := frame.LoadOf(r, s.D.Till.List, f.Filter)
	names := frame.LoadHere(r, s.Names)
	differences := frame.LoadOf(r, s.D.Till.Differences, all)
	if r.Err != nil {
		return r.Err
	}
	if c.Query("file") != "" {
		return s.shiftsFile(c, all, names, differences)
	}
	all, more := frame.Page(all, till.Listed)
	return s.Show(c, http.StatusOK, func(around templates.Frame) templ.Component {
		page := templates.ShiftsPage{Frame: around, Files: frame.FileLinks(c.Request.URL, frame.AllOf(c.Request.URL))}
		if f.to != 0 {
			page.Period = frame.PeriodText(around.Locale, f.from, f.to)
		}
		if more {
			values, last := frame.AllOf(c.Request.URL), all[len(all)-1]
			values.Set("before", last.ID)
			if !last.Closed() {
				values.Set("before-open", "1")
			}
			page.MoreURL = "/shifts?" + values.Encode()
		}
		for _, shift := range all {
			page.Rows = append(page.Rows, shiftRow(around.Locale, shift, names, differences))
		}
		return templates.Shifts(page)
	})
}

// shiftsFile is the same list as a file.
func (s *Screens) shiftsFile(
	c *gin.Context, all []till.Shift, n frame.Names, differences map[string]till.Difference,
) error {
	l := s.FileLocale(c)
	columns := []sheet.Column{
		{Name: l.Text("report.opened"), Wide: 2},
		{Name: l.Text("reports.by.shop"), Wide: 2},
		{Name: l.Text("shifts.till"), Wide: 2},
		{Name: l.Text("find.shift"), End: true},
		{Name: l.Text("find.cashier"), Wide: 2},
		{Name: l.Text("report.closed"), Wide: 2},
		{Name: l.Text("report.counted"), End: true},
		{Name: l.Text("report.difference"), End: true},
		{Name: l.Text("drawers.later"), End: true},
		{Name: l.Text("reports.col.currency")},
	}
	var rows [][]sheet.Cell
	for _, shift := range all {
		closed, counted := sheet.Text(l.Text("shifts.open")), sheet.Text("")
		off, later := sheet.Text(""), sheet.Text("")
		if shift.Closed() {
			closed = sheet.Moment(*shift.ClosedAt, l.Zone())
			counted = sheet.Amount(money.Of(*shift.CountedMicros, shift.Currency))
		}
		if difference, filed := differences[shift.ID]; filed {
			off, later = sheet.Amount(difference.Counted), sheet.Amount(difference.Later)
		}
		rows = append(rows, []sheet.Cell{
			sheet.Moment(shift.OpenedAt, l.Zone()), sheet.Text(n.Shops[shift.ShopID]),
			sheet.Text(n.Tills[shift.TillID]), sheet.Whole(int64(shift.Number)), sheet.Text(n.People[shift.CashierID]),
			closed, counted, off, later, sheet.Text(string(shift.Currency)),
		})
	}
	return s.SendList(c, l.Text("shifts.title"), "shifts", columns, rows)
}

func shiftRow(
	l locale.Locale, shift till.Shift, n frame.Names, differences map[string]till.Difference,
) templates.ShiftRow {
	row := templates.ShiftRow{
		URL: "/shift/" + shift.ID, Till: n.Tills[shift.TillID], Number: shift.Number,
		Cashier: n.People[shift.CashierID], OpenedAt: shift.OpenedAt,
	}
	if shift.Closed() {
		row.Closed, row.Counted = l.DateTime(*shift.ClosedAt), l.Amount(money.Of(*shift.CountedMicros, shift.Currency))
	}
	if difference, filed := differences[shift.ID]; filed {
		row.Verdict, row.Tone = verdictOf(l, difference.Counted)
		if !difference.Counted.IsZero() {
			row.Amount = l.Amount(difference.Counted)
		}
		if !difference.Later.IsZero() {
			row.Later = l.Amount(difference.Later)
		}
	}
	return row
}

// shiftListing is which shifts to list.
type shiftListing struct {
	till.Filter
	from, to report.Day // of each shop's calendar, half-open; both 0: any
}

// shiftFilter reads what to list: the latest, unless the address names days.
func (s *Screens) shiftFilter(c *gin.Context) (shiftListing, error) {
	f := shiftListing{Filter: till.Filter{
		ShopID: frame.Present(c).Shop.ID, TillID: c.Query("till"), CashierID: c.Query("cashier"),
		Currency: money.Currency(c.Query("currency")), Before: c.Query("before"),
		BeforeOpen: c.Query("before-open") != "",
	}}
	shops, err := s.VisibleShops(c)
	if err != nil {
		return f, err
	}
	if shop := c.Query("shop"); shop != "" {
		chosen, err := s.D.Staff.Shop(c.Request.Context(), shop)
		if err != nil || !frame.Present(c).User.Sees(chosen.ID) {
			return f, fault.New(fault.NotFound, "shop.none")
		}
		f.ShopID, shops = chosen.ID, []staff.Shop{chosen}
	}
	if c.Query("from") == "" && c.Query("to") == "" {
		return f, nil
	}
	zone := s.LocaleOf(c.Request).Zone()
	if c.Query("shop") != "" {
		zone = shops[0].Location()
	}
	f.from, f.to, err = frame.ReadDays(c, report.DayOf(s.D.Now(), zone))
	switch {
	case fault.CodeOf(err) == "period.ends-first":
		return f, err
	case err != nil:
		return f, fault.New(fault.NotFound, "day.none")
	}
	zones := map[string][]string{}
	for _, shop := range shops {
		zones[shop.Zone] = append(zones[shop.Zone], shop.ID)
	}
	f.Opened = []till.Span{}
	for _, shop := range shops {
		if all := zones[shop.Zone]; all[0] == shop.ID { // once for each zone
			clock := shop.Location()
			f.Opened = append(f.Opened, till.Span{Shops: all, From: f.from.Begins(clock), To: f.to.Begins(clock)})
		}
	}
	return f, nil
}
