package sale

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// listing is which sales to list, and the list's name.
type listing struct {
	sales.Filter
	from, to report.Day // half-open; both 0: no bounds
	today    report.Day // by the clock of the shop that is listed, or else the reader's
	chosen   bool       // by more than the day, as by a figure of a report
	shops    []staff.Shop
	slot     string // the hour of the week; "": all
}

// listFilter reads what to list: today, unless the address says otherwise. A search, the waiting sales, those whose
// cash is due back and those of a shift go beyond the day.
func (s *Screens) listFilter(c *gin.Context) (l listing, err error) {
	l.today = report.DayOf(s.D.Now(), s.LocaleOf(c.Request).Zone())
	if l.Filter, err = s.readFilter(c); err != nil {
		return l, err
	}
	if l.Owing {
		l.Accounts, err = s.meant(c, l.ShopID, []staff.Shop{frame.Present(c).Shop}, l.Search)
		return l, err
	}
	zone, err := s.readShop(c, &l)
	if err != nil {
		return l, err
	}
	l.today = report.DayOf(s.D.Now(), zone)
	ofShift, err := s.readShift(c, &l)
	if err != nil {
		return l, err
	}
	for _, name := range []string{
		"from", "to", "till", "cashier", "country", "provider", "kind", "product", "reason", "slot", "named", "amount",
	} {
		l.chosen = l.chosen || c.Query(name) != ""
	}
	l.chosen = l.chosen || l.States != nil || l.Owed || ofShift
	l.Sold = l.chosen && !l.Practice // figures count no practice
	hour, byHour := hourTyped(l.Search)
	if byHour {
		l.Search, l.chosen = "", true
	}
	if l.Search != "" || l.Waiting || l.Owed || ofShift {
		l.Accounts, err = s.meant(c, l.ShopID, l.shops, l.Search)
		return l, err
	}
	if l.from, l.to, err = frame.ReadDays(c, l.today); err != nil {
		return l, err
	}
	if l.slot = c.Query("slot"); byHour { // of the last of the days
		l.slot = strconv.Itoa(int((l.to-1).Weekday())*24 + hour)
		l.from = l.to - 1
	}
	return l, l.bound(l.slot, l.shops, zone)
}

// readFilter reads everything but shop, day and hour.
func (s *Screens) readFilter(c *gin.Context) (sales.Filter, error) {
	state := c.Query("state")
	f := sales.Filter{
		ShopID: frame.Present(c).Shop.ID, Search: strings.TrimSpace(s.Numbers.Open(c.Query("q"))),
		Waiting: state == "waiting", Owing: state == "owing", Owed: state == "owed",
		Practice: s.Practising(c), TillID: c.Query("till"), CashierID: c.Query("cashier"),
		CountryISO: c.Query("country"), ProviderCode: c.Query("provider"), Kind: c.Query("kind"),
		SKUCode: c.Query("product"), Reason: c.Query("reason"), Currency: c.Query("currency"),
		States: stateGroups[state], Before: c.Query("before"),
	}
	if text := strings.TrimSpace(c.Query("named")); text != "" {
		var err error
		if f.SKUs, err = s.D.Sales.Named(c.Request.Context(), text); err != nil {
			return f, err
		}
	}
	if text := strings.TrimSpace(c.Query("amount")); text != "" {
		shops, err := s.VisibleShops(c)
		if err != nil {
			return f, err
		}
		amount, err := s.LocaleOf(c.Request).ParseAmount(text, finest(shops))
		if err != nil {
			return f, err
		}
		f.PriceMicros = amount.Micros()
	}
	if f.Owing {
		f.TillID = frame.Present(c).Till.ID
	} else if state != "" && !f.Waiting && !f.Owed && f.States == nil {
		return f, fault.New(fault.NotFound, "state.none")
	}
	return f, nil
}

// finest is the currency of some shops that has the most decimals: an amount to filter by may be of any of them.
func finest(shops []staff.Shop) money.Currency {
	currency := frame.CurrencyOf(shops...)
	for _, shop := range shops {
		if shop.Currency.Decimals() > currency.Decimals() {
			currency = shop.Currency
		}
	}
	return currency
}

// readShop reads which of the visible shops to list, and by whose clock.
func (s *Screens) readShop(c *gin.Context, l *listing) (zone *time.Location, err error) {
	shop := c.Query("shop")
	if shop == "" {
		l.shops, err = s.VisibleShops(c)
		return s.LocaleOf(c.Request).Zone(), err
	}
	chosen, err := s.D.Staff.Shop(c.Request.Context(), shop)
	if err != nil || !frame.Present(c).User.Sees(chosen.ID) {
		return nil, fault.New(fault.NotFound, "shop.none")
	}
	l.ShopID, l.shops, l.chosen = chosen.ID, []staff.Shop{chosen}, true
	return chosen.Location(), nil
}

// clocksApart is by how much two processes may differ in when a shift was open. A wrong clock is told of long before.
const clocksApart = time.Hour

// readShift reads which shift's sales to list. The time only bounds where they are looked for.
func (s *Screens) readShift(c *gin.Context, l *listing) (bool, error) {
	id := c.Query("shift")
	if id == "" {
		return false, nil
	}
	shift, err := s.D.Till.Get(c.Request.Context(), id, l.ShopID)
	if err != nil {
		return false, err
	}
	l.TillID, l.ShiftID, l.From = shift.TillID, shift.ID, shift.OpenedAt.Add(-clocksApart)
	if shift.Closed() {
		l.To = shift.ClosedAt.Add(clocksApart)
	}
	return true, nil
}

// hourTyped reads a search like 14: or 14:05, for the sales of that hour.
func hourTyped(search string) (hour int, typed bool) {
	before, after, found := strings.Cut(strings.TrimSpace(search), ":")
	hour, noHour := strconv.Atoi(before)
	_, noMinutes := strconv.Atoi(cmp.Or(after, "0"))
	return hour, found && noHour == nil && noMinutes == nil && hour >= 0 && hour < 24
}

// stateGroups are the groups of states a list may be filtered by.
var stateGroups = map[string][]sales.State{
	"complete": {sales.Complete},
	"failed":   {sales.Failed, sales.Cancelled, sales.Voided},
	"settled":  {sales.Complete, sales.Failed, sales.Cancelled, sales.Voided},
}

// bound turns days, and an hour of the week if asked for, into moments: by each shop's clock, or without a
// shop by the reader's.
func (l *listing) bound(slot string, shops []staff.Shop, reader *time.Location) error {
	hour := -1
	if slot != "" {
		var err error
		hour, err = strconv.Atoi(slot)
		if err != nil || hour < 0 || hour >= report.Slots || l.to-l.from > frame.MostSlotDays {
			return fault.New(fault.NotFound, "hour.none")
		}
	}
	zones := map[string][]string{}
	for _, shop := range shops {
		zones[shop.Zone] = append(zones[shop.Zone], shop.ID)
		reader = shop.Location()
	}
	l.From, l.To = l.from.Begins(reader), l.to.Begins(reader)
	if hour < 0 && len(zones) < 2 {
		return nil
	}
	for _, shop := range shops {
		clock, all := shop.Location(), zones[shop.Zone]
		if all[0] != shop.ID {
			continue // its zone is done
		}
		for _, stretch := range report.Stretches(l.from, l.to, hour, clock) {
			l.Spans = append(l.Spans, sales.Span{Shops: all, From: stretch[0], To: stretch[1]})
		}
	}
	for _, span := range l.Spans {
		if span.From.Before(l.From) {
			l.From = span.From
		}
		if span.To.After(l.To) {
			l.To = span.To
		}
	}
	return nil
}

// pageSize is how many sales a page lists.
const pageSize = 200

// olderURL leads to the sales before the last one of a page, if there are more.
func olderURL(c *gin.Context, rows []sales.Sale, more bool) string {
	if !more {
		return ""
	}
	values := c.Request.URL.Query()
	values.Set("before", rows[len(rows)-1].ID)
	return "/sales?" + values.Encode()
}
