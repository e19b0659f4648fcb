package reports

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/alert"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/health"
	"airtill/internal/jobs"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Home is GET /: the counter for cashiers, today for those who run the shop.
func (s *Screens) Home(c *gin.Context) error {
	u := frame.Present(c).User
	switch {
	case u.Can(staff.ViewReports):
		return s.Today(c)
	case u.Can(staff.Sell):
		return frame.Redirect(c, "/counter")
	}
	return fault.New(fault.Forbidden, "")
}

// Today is GET / for those who run the shops, and GET /today, by which the page refreshes itself: how the day
// goes, in the shops the user sees.
func (s *Screens) Today(c *gin.Context) error {
	r := frame.ReadsOf(c)
	names := frame.LoadHere(r, s.Names)
	trade := frame.Load(r, func(ctx context.Context) (dayTrade, error) {
		return s.dayOf(ctx, s.LocaleOf(c.Request).Zone(), names.Visible)
	})
	sellers := frame.LoadOf(r, s.D.Till.List, till.Filter{ShopID: frame.Present(c).Shop.ID, Open: true, Limit: -1})
	if r.Err != nil {
		return r.Err
	}
	page := templates.TodayPage{Day: s.D.Now()}
	if err := s.addOpen(c, &page, names); err != nil {
		return err
	}
	troubles, err := s.addTechnical(c, &page)
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, func(around templates.Frame) templ.Component {
		page.Frame, page.Hours = around, trade.hoursPicture(around.Locale)
		page.Figures = trade.figures(around.Locale, frame.Present(c).User)
		page.Sellers = trade.sellers(around.Locale, sellers, names)
		page.Questions = trade.questions(around.Locale, frame.Present(c).User)
		addState(&page, troubles)
		return templates.Today(page)
	})
}

// waitingShown is how many waiting or owed sales Today lists; a link leads to all.
const waitingShown = 5

// addTechnical adds the state of what the shops depend on, and what needs attention; it returns that with the
// figures that do, worst first.
func (s *Screens) addTechnical(c *gin.Context, p *templates.TodayPage) ([]templates.Alert, error) {
	troubles, operation, err := s.alerts(c)
	if err != nil {
		return nil, err
	}
	float, err := s.floatFigure(c)
	if err != nil {
		return nil, err
	}
	breaks, err := s.breaksFigure(c)
	l, prices := s.LocaleOf(c.Request), s.pricesFigure(c)
	p.Alerts, p.Technical = slices.Clone(troubles), append(float, breaks, prices, operationFigure(l, operation))
	p.State = templates.Alert{Text: l.Text("today.well", prices.Value), Tone: frame.ToneGood}
	for _, f := range float[min(1, len(float)):] {
		p.State.Text += " " + l.Text("today.fact", f.Name, f.Value)
	}
	for _, f := range []templates.Figure{breaks, prices} {
		if f.Tone != "" {
			trouble := templates.Alert{Text: l.Text("today.fact", f.Name, f.Value), URL: f.URL, Tone: f.Tone}
			if f.Name == breaks.Name {
				trouble.Rule = alert.BreakOpen
			}
			troubles = append(troubles, trouble)
		}
	}
	return troubles, err
}

// addState sums the troubles up in one line. What the panel of alerts says is said there alone: the line counts it.
func addState(p *templates.TodayPage, troubles []templates.Alert) {
	told := func(a templates.Alert) bool {
		return slices.ContainsFunc(p.Frame.Alerts, func(open templates.OpenAlert) bool { return open.Rule == a.Rule })
	}
	p.Alerts, troubles = slices.DeleteFunc(p.Alerts, told), slices.DeleteFunc(troubles, told)
	switch open := len(p.Frame.Alerts); {
	case len(troubles) > 0:
		p.State = troubles[0]
		if more := len(troubles) - 1; more > 0 {
			p.State.Text += " " + p.Text("today.others", p.Number(int64(more)))
		}
	case open > 0:
		p.State = templates.Alert{
			Text: p.Text("shell.alerts", p.Number(int64(open))), URL: frame.HealthURL + "#open-alerts",
			Tone: p.Frame.Alerts[0].Tone,
		}
	}
}

// operationFigure says whether jobs and synchronisation are well.
func operationFigure(l locale.Locale, troubles int) templates.Figure {
	f := templates.Figure{Name: l.Text("today.operation"), Value: l.Text("health.good"), URL: frame.HealthURL}
	if troubles > 0 {
		f.Value, f.Note, f.Tone = l.Text("health.look"), l.Text("today.troubles", l.Number(int64(troubles))), "wait"
	}
	return f
}

// alerts are what needs attention; operation counts those about jobs and synchronisation.
func (s *Screens) alerts(c *gin.Context) (alerts []templates.Alert, operation int, err error) {
	l, r := s.LocaleOf(c.Request), frame.ReadsOf(c)
	incidents := frame.LoadOf(r, s.D.Sales.Incidents, frame.SalesOf(c))
	overdue := frame.LoadOf(r, s.D.FollowUp.CountOverdue, frame.Present(c).Shop.ID)
	givenUp := frame.Load(r, s.D.Jobs.GivenUp)
	runs := frame.LoadOf(r, s.D.Catalog.Runs, syncsShown)
	old := frame.Load(r, s.D.Pricing.Stale)
	if r.Err != nil {
		return nil, 0, r.Err
	}
	if overdue > 0 {
		alerts = append(alerts, templates.Alert{
			Text: l.Text("today.overdue", l.Number(overdue)), URL: "/reconcile/verdicts", Tone: "wait",
		})
	}
	for _, r := range old {
		rate := templates.Alert{
			Text: l.Text("rates.old", string(r.FromCurrency), string(r.ToCurrency), l.Date(r.ValidFrom)), Tone: "wait",
		}
		if frame.Present(c).User.Can(staff.ManagePrices) {
			rate.URL = "/admin/prices"
		}
		alerts = append(alerts, rate)
	}
	alerts = append(alerts, frame.IncidentAlerts(l, frame.Present(c).User, incidents)...)
	troubles := operationAlerts(l, frame.Present(c).User, givenUp, runs)
	return append(alerts, troubles...), len(troubles), nil
}

// breaksFigure is how many differences between the books and the world are open.
func (s *Screens) breaksFigure(c *gin.Context) (templates.Figure, error) {
	n, err := s.D.Reconcile.Unresolved(c.Request.Context(), frame.Present(c).Shop.ID)
	l := s.LocaleOf(c.Request)
	return templates.Figure{
		Name: l.Text("today.breaks"), Value: l.Number(n), URL: "/reconcile", Tone: frame.ToneIf(n > 0, "wait"),
	}, err
}

// pricesFigure is the age of the catalogue.
func (s *Screens) pricesFigure(c *gin.Context) templates.Figure {
	l, asOf := s.LocaleOf(c.Request), s.D.Catalog.Current().PricesAsOf()
	f := templates.Figure{Name: l.Text("catalogue.pricesAsOf"), Value: "–", URL: "/admin/health", Tone: "wait"}
	if !asOf.IsZero() {
		f.Value, f.Note, f.Tone = l.Time(asOf), l.Date(asOf), frame.ToneIf(health.PricesOld(s.D.Now(), asOf), "wait")
	}
	return f
}

// floatFigure is the float upstream, for those who may see it, once known.
func (s *Screens) floatFigure(c *gin.Context) ([]templates.Figure, error) {
	if !frame.Present(c).User.Can(staff.ViewCost) {
		return nil, nil
	}
	balance, err := s.D.Reconcile.LastBalance(c.Request.Context())
	if err != nil || balance == nil {
		return nil, err
	}
	l := s.LocaleOf(c.Request)
	lasts, err := s.RunwayFigure(c, balance.Amount())
	return append(
		[]templates.Figure{
			{
				Name: l.Text("today.float"), Value: l.Amount(balance.Amount()),
				Note: l.Text("today.asOf", l.Time(balance.ToldAt)), URL: "/reconcile",
			},
		},
		lasts...,
	), err
}

// syncsShown bounds how many catalogue runs are searched for failures.
const syncsShown = 50

// operationAlerts are jobs given up on, and resources of the catalogue whose last sync failed or was held
// back.
func operationAlerts(l locale.Locale, u staff.User, givenUp []jobs.GivenUp, runs []catalog.Run) []templates.Alert {
	var alerts []templates.Alert
	jobsURL, syncURL := frame.HealthURL, frame.HealthURL
	if u.Can(staff.Operate) {
		jobsURL = "/admin/jobs"
	}
	if u.Can(staff.ManageCatalogue) {
		syncURL = "/admin/catalogue"
	}
	for _, j := range givenUp {
		alerts = append(alerts, templates.Alert{
			Text: l.Text("today.jobFailed", l.Job(j.Kind), l.Number(int64(j.Count))), At: l.DateTime(j.Last),
			URL: jobsURL, Tone: "wait", Rule: alert.JobFailed,
		})
	}
	for _, run := range catalog.LastOfEach(runs) {
		resource := strings.ToLower(frame.ResourceName(l, run.Resource))
		trouble := templates.Alert{At: l.DateTime(*run.EndedAt), URL: syncURL, Tone: "wait"}
		switch run.Outcome {
		case catalog.Failed:
			trouble.Text = l.Text("today.syncFailed", resource)
			alerts = append(alerts, trouble)
		case catalog.Held:
			trouble.Text, trouble.Tone = l.Text("today.syncHeld", resource), "bad"
			alerts = append(alerts, trouble)
		default:
		}
	}
	return alerts
}
