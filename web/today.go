package web

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// home is GET /: the counter for who sells, today for who runs the shop.
func (s *Server) home(c *gin.Context) error {
	u := present(c).User
	switch {
	case u.Can(staff.ViewReports):
		return s.today(c)
	case u.Can(staff.Sell):
		return redirect(c, "/counter")
	}
	return fault.New(fault.Forbidden, "")
}

// today is GET / for who runs the shops, and GET /today, with which the page
// renews itself: how the day goes, in the shops the user sees.
func (s *Server) today(c *gin.Context) error {
	ctx := c.Request.Context()
	shops, err := s.visibleShops(c)
	if err != nil {
		return err
	}
	trade, err := s.dayOf(ctx, s.localeOf(c.Request).Zone(), shops)
	if err != nil {
		return err
	}
	open := sales.Filter{ShopID: present(c).Shop.ID, Waiting: true}
	waiting, err := s.d.Sales.List(ctx, open)
	if err != nil {
		return err
	}
	waits, err := s.d.Sales.Count(ctx, open)
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	alerts, operation, err := s.alerts(c)
	if err != nil {
		return err
	}
	float, err := s.floatFigure(c)
	if err != nil {
		return err
	}
	breaks, err := s.breaksFigure(c)
	if err != nil {
		return err
	}
	float = append(float, breaks, s.pricesFigure(c), operationFigure(s.localeOf(c.Request), operation))
	return s.show(c, http.StatusOK, func(around templates.Frame) templ.Component {
		page := templates.TodayPage{Frame: around, Day: s.d.Now(), Alerts: alerts, Cards: trade.cards(around.Locale), Hours: trade.hoursPicture(around.Locale)}
		page.Figures = append(trade.figures(around.Locale, present(c).User, waits), float...)
		for i := len(waiting) - 1; i >= 0; i-- { // oldest first
			page.Waiting = append(page.Waiting, s.saleRow(around.Locale, waiting[i], names))
		}
		return templates.Today(page)
	})
}

// operationFigure says whether jobs and synchronisation go well.
func operationFigure(l locale.Locale, troubles int) templates.Figure {
	f := templates.Figure{Name: l.Text("today.operation"), Value: l.Text("health.good"), URL: healthURL}
	if troubles > 0 {
		f.Value, f.Note, f.Tone = l.Text("health.look"), l.Text("today.troubles", l.Number(int64(troubles))), "wait"
	}
	return f
}

// alerts are what somebody in charge must look at; so many of them are troubles of
// jobs and synchronisation.
func (s *Server) alerts(c *gin.Context) (alerts []templates.Alert, operation int, err error) {
	open, err := s.d.Sales.Incidents(c.Request.Context())
	if err != nil {
		return nil, 0, err
	}
	incidents, err := s.visibleIncidents(c, open)
	if err != nil {
		return nil, 0, err
	}
	overdue, err := s.d.FollowUp.Overdue(c.Request.Context(), present(c).Shop.ID)
	if err != nil {
		return nil, 0, err
	}
	givenUp, err := s.d.Jobs.GivenUp(c.Request.Context())
	if err != nil {
		return nil, 0, err
	}
	runs, err := s.d.Catalog.Runs(c.Request.Context(), syncsShown)
	l := s.localeOf(c.Request)
	if len(overdue) > 0 {
		alerts = append(alerts, templates.Alert{Text: l.Text("today.overdue", l.Number(int64(len(overdue)))), URL: "/reconcile/verdicts", Tone: "wait"})
	}
	old, rateErr := s.d.Pricing.Stale(c.Request.Context())
	for _, r := range old {
		alert := templates.Alert{Text: l.Text("rates.old", string(r.FromCurrency), string(r.ToCurrency), l.Date(r.ValidFrom)), Tone: "wait"}
		if present(c).User.Can(staff.ManagePrices) {
			alert.URL = "/admin/prices"
		}
		alerts = append(alerts, alert)
	}
	err = errors.Join(err, rateErr)
	alerts = append(alerts, incidentAlerts(l, present(c).User, incidents)...)
	troubles := operationAlerts(l, present(c).User, givenUp, runs)
	return append(alerts, troubles...), len(troubles), err
}

// breaksFigure is how many differences between the books and the world wait.
func (s *Server) breaksFigure(c *gin.Context) (templates.Figure, error) {
	n, err := s.d.Reconcile.Unresolved(c.Request.Context(), present(c).Shop.ID)
	l := s.localeOf(c.Request)
	return templates.Figure{Name: l.Text("today.breaks"), Value: l.Number(n), URL: "/reconcile", Tone: toneIf(n > 0, "wait")}, err
}

// pricesFigure is the age of the catalogue.
func (s *Server) pricesFigure(c *gin.Context) templates.Figure {
	l, asOf := s.localeOf(c.Request), s.d.Catalog.Current().PricesAsOf()
	f := templates.Figure{Name: l.Text("catalogue.pricesAsOf"), Value: "–", URL: "/admin/health", Tone: "wait"}
	if !asOf.IsZero() {
		f.Value, f.Note, f.Tone = l.Time(asOf), l.Date(asOf), toneIf(s.d.Now().Sub(asOf) > pricesOldAfter, "wait")
	}
	return f
}

// floatFigure is the float upstream, for who may see it and once it is known.
func (s *Server) floatFigure(c *gin.Context) ([]templates.Figure, error) {
	if !present(c).User.Can(staff.ViewCost) {
		return nil, nil
	}
	balance, err := s.d.Reconcile.LastBalance(c.Request.Context())
	if err != nil || balance == nil {
		return nil, err
	}
	l := s.localeOf(c.Request)
	lasts, err := s.runwayFigure(c, balance.Amount())
	return append([]templates.Figure{{Name: l.Text("today.float"), Value: l.Amount(balance.Amount()), Note: l.Text("today.asOf", l.Time(balance.ToldAt)), URL: "/reconcile"}}, lasts...), err
}

// healthURL leads to a page that everybody may see who sees Today.
const healthURL = "/admin/health"

// syncsShown bounds how many catalogue runs are looked at for what failed last.
const syncsShown = 50

func incidentAlerts(l locale.Locale, u staff.User, incidents []sales.Incident) []templates.Alert {
	var alerts []templates.Alert
	for _, i := range incidents {
		alerts = append(alerts, templates.Alert{Text: incidentText(l, i.Kind), At: l.DateTime(i.At), Tone: "bad", URL: incidentURL(u, i)})
	}
	return alerts
}

// incidentURL is where an incident is dealt with, as far as the user may go: on the
// page of its sale, else on one that says what to do.
func incidentURL(u staff.User, i sales.Incident) string {
	switch {
	case isSale(i.SaleID):
		return "/sales/" + i.SaleID
	case i.Kind == sales.NoFloat, i.Kind == sales.LowFloat:
		return floatURL(u)
	case i.Kind == sales.Foreign && u.Can(staff.Operate):
		return "/admin/webhooks"
	}
	return healthURL
}

func incidentText(l locale.Locale, kind sales.IncidentKind) string {
	switch kind {
	case sales.LateSuccess:
		return l.Text("incident.lateSuccess")
	case sales.LateReversal:
		return l.Text("incident.lateReversal")
	case sales.ExecutedTwice:
		return l.Text("incident.executedTwice")
	case sales.OddAmount:
		return l.Text("incident.oddAmount")
	case sales.Foreign:
		return l.Text("incident.foreign")
	case sales.NoFloat:
		return l.Text("incident.noFloat")
	case sales.LowFloat:
		return l.Text("incident.lowFloat")
	case sales.RefundedUnknown:
		return l.Text("incident.refundedUnknown")
	case sales.InvariantBroken:
		return l.Text("incident.invariantBroken")
	case sales.StrayRecord:
		return l.Text("incident.stray")
	case sales.UnknownState, sales.NeverSentYetPresent:
	}
	return l.Text("incident.other")
}

// operationAlerts are jobs given up on, and resources of the catalogue whose
// last sync failed or was held back.
func operationAlerts(l locale.Locale, u staff.User, givenUp []jobs.GivenUp, runs []catalog.Run) []templates.Alert {
	var alerts []templates.Alert
	jobsURL, syncURL := healthURL, healthURL
	if u.Can(staff.Operate) {
		jobsURL = "/admin/jobs"
	}
	if u.Can(staff.ManageCatalogue) {
		syncURL = "/admin/catalogue"
	}
	for _, j := range givenUp {
		alerts = append(alerts, templates.Alert{Text: l.Text("today.jobFailed", l.Job(j.Kind), l.Number(int64(j.Count))), At: l.DateTime(j.Last), URL: jobsURL, Tone: "wait"})
	}
	seen := map[catalog.Resource]bool{}
	for _, run := range runs { // newest first
		if seen[run.Resource] || run.EndedAt == nil {
			continue
		}
		seen[run.Resource] = true
		switch run.Outcome {
		case catalog.Failed:
			alerts = append(alerts, templates.Alert{Text: l.Text("today.syncFailed", run.Resource), At: l.DateTime(*run.EndedAt), URL: syncURL, Tone: "wait"})
		case catalog.Held:
			alerts = append(alerts, templates.Alert{Text: l.Text("today.syncHeld", run.Resource), At: l.DateTime(*run.EndedAt), URL: syncURL, Tone: "bad"})
		default:
		}
	}
	return alerts
}
