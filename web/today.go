package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/reconcile"
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

// today shows how the day goes, in the shops the user sees.
func (s *Server) today(c *gin.Context) error {
	ctx, currency := c.Request.Context(), tillCurrency(c)
	from, to := businessDay(s.d.Now(), s.localeOf(c.Request).Zone())
	f := sales.Filter{ShopID: present(c).Shop.ID, From: from, To: to}
	totals, err := s.d.Sales.Totals(ctx, f)
	if err != nil {
		return err
	}
	waiting, err := s.d.Sales.List(ctx, sales.Filter{ShopID: f.ShopID, Waiting: true})
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	balance, err := s.d.Reconcile.LastBalance(ctx)
	if err != nil {
		return err
	}
	health, err := s.d.Reconcile.Health(ctx)
	if err != nil {
		return err
	}
	runs, err := s.d.Catalog.Runs(ctx, syncsShown)
	if err != nil {
		return err
	}
	var day templates.SalesPage
	sum(&day, totals, currency)
	var failed int64
	for _, t := range totals {
		if t.Fulfilment.Final() && t.Fulfilment != sales.Complete {
			failed += t.Count
		}
	}
	return s.show(c, http.StatusOK, func(frame templates.Frame) templ.Component {
		page := templates.TodayPage{Frame: frame, Day: s.d.Now()}
		page.Figures = []templates.Figure{
			{Name: frame.Text("sales.taken"), Value: frame.Amount(day.Total), Large: true, URL: "/sales"},
			{Name: frame.Text("sales.sent"), Value: frame.Number(int64(day.Sent)), URL: "/sales", Tone: "good"},
			{Name: frame.Text("today.failed"), Value: frame.Number(failed), URL: "/sales"},
			{Name: frame.Text("sales.waiting"), Value: frame.Number(int64(len(waiting))), URL: "/sales?state=waiting"},
		}
		if balance != nil && present(c).User.Can(staff.ViewCost) {
			page.Figures = append(page.Figures, templates.Figure{
				Name: frame.Text("today.float"), Value: frame.Amount(balance.Amount()), Note: frame.Text("today.asOf", frame.Time(balance.ToldAt)),
			})
		}
		page.Alerts = append(incidentAlerts(frame.Locale, health.Incidents), operationAlerts(frame.Locale, health.FailedJobs, runs)...)
		for i := len(waiting) - 1; i >= 0; i-- { // oldest first
			page.Waiting = append(page.Waiting, s.saleRow(frame.Locale, waiting[i], names))
		}
		return templates.Today(page)
	})
}

// syncsShown bounds how many catalogue runs are looked at for what failed last.
const syncsShown = 50

func incidentAlerts(l locale.Locale, incidents []sales.Incident) []templates.Alert {
	var alerts []templates.Alert
	for _, i := range incidents {
		alerts = append(alerts, templates.Alert{Text: incidentText(l, i.Kind), At: l.DateTime(i.At), URL: "/sales/" + i.SaleID, Tone: "bad"})
	}
	return alerts
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
	case sales.UnknownState, sales.NeverSentYetPresent:
	}
	return l.Text("incident.other")
}

// operationAlerts are jobs given up on, and resources of the catalogue whose
// last sync failed or was held back.
func operationAlerts(l locale.Locale, jobs []reconcile.FailedJob, runs []catalog.Run) []templates.Alert {
	var alerts []templates.Alert
	for _, j := range jobs {
		alerts = append(alerts, templates.Alert{Text: l.Text("today.jobFailed", j.Kind, l.Number(int64(j.Count))), At: l.DateTime(j.Last), Tone: "wait"})
	}
	seen := map[catalog.Resource]bool{}
	for _, run := range runs { // newest first
		if seen[run.Resource] || run.EndedAt == nil {
			continue
		}
		seen[run.Resource] = true
		switch run.Outcome {
		case catalog.Failed:
			alerts = append(alerts, templates.Alert{Text: l.Text("today.syncFailed", run.Resource), At: l.DateTime(*run.EndedAt), Tone: "wait"})
		case catalog.Held:
			alerts = append(alerts, templates.Alert{Text: l.Text("today.syncHeld", run.Resource), At: l.DateTime(*run.EndedAt), Tone: "bad"})
		default:
		}
	}
	return alerts
}
