package web

import (
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/sales"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	pricesOldAfter = 24 * time.Hour
	// stoppedAfter is how long the upstream may say nothing of its providers,
	// which it is asked every minute, before selling stops.
	stoppedAfter = 10 * time.Minute
)

// show answers with a page in the frame of the shop: shift, waiting sales, age
// of the prices.
func (s *Server) show(c *gin.Context, status int, page func(templates.Frame) templ.Component) error {
	f, err := s.shopFrame(c)
	if err != nil {
		return err
	}
	return s.render(c, status, page(f))
}

func (s *Server) shopFrame(c *gin.Context) (templates.Frame, error) {
	f, p := s.frame(c), present(c)
	snapshot := s.d.Catalog.Current()
	f.Prices = templates.Prices{AsOf: snapshot.PricesAsOf(), Old: !snapshot.Empty() && s.d.Now().Sub(snapshot.PricesAsOf()) > pricesOldAfter}
	f.Stopped = s.stopped(f.Locale)
	if p.Till.ID == "" {
		return f, nil
	}
	shift, err := s.d.Till.Current(c.Request.Context(), p.Till.ID)
	if err != nil {
		return f, err
	}
	if shift != nil {
		f.Shift = templates.Shift{Open: true, Since: shift.OpenedAt}
	}
	f.Waiting, err = s.d.Sales.Count(c.Request.Context(), sales.Filter{TillID: p.Till.ID, Waiting: true})
	return f, err
}

// stopped says why nothing can be sold now, "" if selling goes on.
func (s *Server) stopped(l locale.Locale) string {
	snapshot := s.d.Catalog.Current()
	if snapshot.Empty() || s.d.Now().Sub(snapshot.StatusAsOf()) <= stoppedAfter {
		return "" // without a catalogue the counter says so itself
	}
	return l.Text("banner.stopped", l.Time(snapshot.StatusAsOf()))
}
