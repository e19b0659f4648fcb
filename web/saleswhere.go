package web

import (
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/report"
	"airtill/internal/sales"
)

// listing is which sales to list, and what that is called.
type listing struct {
	sales.Filter
	from, to report.Day // half-open; both 0 where no day bounds the list
	chosen   bool       // by more than the day: a figure of a report led here
}

// listFilter reads what to list: today, unless the address says otherwise. A
// search and the waiting sales go beyond the day.
func (s *Server) listFilter(c *gin.Context) (listing, error) {
	l := listing{Filter: sales.Filter{
		ShopID: present(c).Shop.ID, Search: c.Query("q"), Waiting: c.Query("state") == "waiting", Practice: s.practising(c),
		TillID: c.Query("till"), CashierID: c.Query("cashier"), CountryISO: c.Query("country"), ProviderCode: c.Query("provider"),
		Kind: c.Query("kind"), SKUCode: c.Query("product"), Reason: c.Query("reason"), States: stateGroups[c.Query("state")], Before: c.Query("before"),
	}}
	zone := s.localeOf(c.Request).Zone()
	if shop := c.Query("shop"); shop != "" {
		chosen, err := s.d.Staff.Shop(c.Request.Context(), shop)
		if err != nil || !present(c).User.Sees(chosen.ID) {
			return l, fault.New(fault.NotFound, "There is no such shop.")
		}
		l.ShopID, zone, l.chosen = chosen.ID, chosen.Location(), true
	}
	for _, name := range []string{"from", "till", "cashier", "country", "provider", "kind", "product", "reason"} {
		l.chosen = l.chosen || c.Query(name) != ""
	}
	l.chosen = l.chosen || l.States != nil
	if l.Search != "" || l.Waiting {
		return l, nil
	}
	l.from = report.DayOf(s.d.Now(), zone)
	l.to = l.from + 1
	return l, l.readDays(c, zone)
}

// stateGroups are the states that a list may be narrowed to.
var stateGroups = map[string][]sales.State{
	"complete": {sales.Complete},
	"failed":   {sales.Failed, sales.Cancelled, sales.Voided},
}

func (l *listing) readDays(c *gin.Context, zone *time.Location) error {
	for _, end := range []struct {
		name string
		day  *report.Day
		add  report.Day
	}{{"from", &l.from, 0}, {"to", &l.to, 1}} {
		text := c.Query(end.name)
		if text == "" {
			continue
		}
		day, err := report.ParseDay(text)
		if err != nil {
			return fault.New(fault.NotFound, "There is no such day.")
		}
		*end.day = day + end.add
	}
	l.From, l.To = l.from.Begins(zone), l.to.Begins(zone)
	return nil
}

// mostSummedDays bounds the lists that are summed row by row; the figures of
// longer ones are in the reports.
const mostSummedDays = 7

// summed says whether the list is short enough to be summed row by row.
func (l listing) summed() bool { return l.to-l.from <= mostSummedDays }

// pageSize is how many sales a page lists.
const pageSize = 200

// olderURL leads to the sales before the last of a full page.
func olderURL(c *gin.Context, rows []sales.Sale) string {
	if len(rows) < pageSize {
		return ""
	}
	values := url.Values{}
	for name, value := range c.Request.URL.Query() {
		values[name] = value
	}
	values.Set("before", rows[len(rows)-1].ID)
	return "/sales?" + values.Encode()
}
