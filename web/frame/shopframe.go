package frame

import (
	"context"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/counter"
	"airtill/internal/health"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Show answers with a page in the frame of the shop: shift, waiting sales, age of prices. The status is that of the
// refusal after which a page is shown again (see Refuse), if there is one.
func (s *Server) Show(c *gin.Context, status int, page func(templates.Frame) templ.Component) error {
	f, err := s.shopFrame(c)
	if err != nil {
		return err
	}
	boosted := c.Request.Header.Get("HX-Boosted") != ""
	if h := c.Writer.Header(); boosted && changes(c.Request) && h.Get("HX-Push-Url") == "" {
		h.Set("HX-Push-Url", "false") // the page of a form can be loaded again, its answer perhaps not
	}
	if refused := Refused(c); refused != nil {
		status = StatusOf(refused)
	}
	return s.Render(c, status, page(f))
}

func (s *Server) shopFrame(c *gin.Context) (templates.Frame, error) {
	f, p := s.frameOf(c.Request), Present(c)
	f.Practice, f.MayPractise, f.Tray.Locale = s.Practising(c), s.D.Practice && f.May.Sell, f.Locale
	snapshot := s.D.Catalog.Current()
	f.Prices = templates.Prices{
		AsOf: snapshot.PricesAsOf(), Old: !snapshot.Empty() && health.PricesOld(s.D.Now(), snapshot.PricesAsOf()),
	}
	f.Stopped, f.FloatURL = StopText(f.Locale, s.D.Counter.Stopped(), s.D.Now()), floatURL(p.User)
	if f.May.Health {
		f.Prices.URL = HealthURL
	}
	var err error
	if err = s.alarms(c, &f); err != nil {
		return f, err
	}
	if p.Till.ID == "" {
		return f, nil
	}
	shift, err := s.D.Till.Current(c.Request.Context(), p.Till.ID)
	if err != nil {
		return f, err
	}
	seat := s.Sessions.GetString(c.Request.Context(), SessionSeat)
	f.Seated = seat != "" && !strings.HasSuffix(seat, noSeat)
	if shift != nil {
		f.Shift = templates.Shift{Open: true, Since: f.Since(shift.OpenedAt, s.D.Now())}
	}
	f.Tray, err = s.tray(c)
	for _, sale := range f.Tray.Sales {
		if sales.State(sale.State).Open() {
			f.Waiting++
		}
	}
	return f, err
}

// floatAlarm says what is wrong with the float to people who can mend it: cashiers read it where a sale is
// refused.
func (s *Server) floatAlarm(c *gin.Context, l locale.Locale) (string, error) {
	if u := Present(c).User; !u.Can(staff.Override) && !u.Can(staff.ViewCost) {
		return "", nil
	}
	alarm, err := s.D.Limits.FloatAlarm(c.Request.Context())
	switch own := Present(c).Shop.ID; {
	case err != nil:
		return "", err
	case alarm.Gone:
		return l.Text("banner.floatGone"), nil
	case alarm.LowFor(own):
		return l.Text("banner.floatLow"), nil
	}
	return "", nil
}

// StopText says why nothing can be sold, "" if selling goes on.
func StopText(l locale.Locale, stop *counter.Stop, now time.Time) string {
	switch {
	case stop == nil:
		return ""
	case stop.Restored:
		return l.Text("banner.restored")
	}
	return l.Text("banner.stopped", l.Since(stop.Since, now))
}

// tray is what nobody at this till must lose sight of: waiting sales and, for approvers, colleagues who ask.
func (s *Server) tray(c *gin.Context) (templates.Tray, error) {
	p, l := Present(c), s.LocaleOf(c.Request)
	t := templates.Tray{Locale: l}
	if p.Till.ID == "" {
		return t, nil
	}
	waiting, err := s.D.Sales.Tray(c.Request.Context(), p.Till.ID, s.Practising(c))
	if err != nil {
		return t, err
	}
	now := s.D.Now()
	if t.Owed, err = sales.OwedBack(waiting); err != nil {
		return t, err
	}
	for _, sale := range waiting {
		t.Sales = append(t.Sales, templates.TraySale{
			ID: sale.ID, URL: "/sales/" + sale.ID, Account: AccountText(l, sale), Product: sale.ProductText,
			Price: sale.Price(), State: string(sale.Fulfilment), Owed: sale.Cash == sales.CashRefundDue,
			Elapsed: int(now.Sub(sale.AttemptAt).Seconds()),
		})
	}
	if !p.User.Can(staff.Override) {
		return t, nil
	}
	pending, err := s.D.Approvals.Pending(c.Request.Context(), p.Shop.ID, p.User.ID)
	t.Asked = len(pending)
	return t, err
}

// TrayEvents is GET /tray/events: the tray, whenever it changes, without the sale that the page is about (own).
func (s *Server) TrayEvents(c *gin.Context) error {
	p := Present(c)
	hints, cancel := s.D.Bus.Subscribe(sales.TillTopic(p.Till.ID), approval.Topic(p.Shop.ID))
	defer cancel()
	return s.Stream(c, quietLookEvery, hints, func(context.Context) (templ.Component, bool, error) {
		t, err := s.tray(c)
		return templates.TrayRegion(t.Without(c.Query("own"))), false, err
	})
}
