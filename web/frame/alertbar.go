package frame

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/alert"
	"airtill/internal/fault"
	"airtill/internal/health"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// alarms adds to a page what is wrong with the float and, in the office, the other open alerts.
func (s *Server) alarms(c *gin.Context, f *templates.Frame) error {
	x := ExchangeOf(c.Request.Context())
	if !x.office || !x.Presence.User.Can(staff.ViewReports) {
		var err error
		f.Float, err = s.floatAlarm(c, f.Locale)
		return err
	}
	open, err := s.AlertsIn(c.Request.Context(), Present(c).Shop)
	if err != nil {
		return err
	}
	floatTold := false
	var unseen []alert.Alert
	for _, a := range open {
		floatTold = floatTold || a.Rule == alert.FloatLow || a.Rule == alert.FloatReserve
		if a.AcknowledgedBy == "" {
			unseen = append(unseen, a)
		}
	}
	f.Alerts = s.OpenAlerts(c, f.Locale, unseen, nil)
	if !floatTold { // until the alert is raised, which takes a minute
		f.Float, err = s.floatAlarm(c, f.Locale)
	}
	return err
}

// AlertsIn are the open alerts, as a shop sees them; zero: all shops.
func (s *Server) AlertsIn(ctx context.Context, shop staff.Shop) ([]alert.Alert, error) {
	open, err := s.D.Alerts.Open(ctx)
	if err != nil {
		return nil, err
	}
	return s.D.Health.InShop(ctx, shop, open)
}

// AlertSeen is POST /alerts/{id}/seen (fields shown: what the page told of it; next: the page to come back to).
func (s *Server) AlertSeen(c *gin.Context) error {
	here, err := s.AlertsIn(c.Request.Context(), Present(c).Shop)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(here, func(a alert.Alert) bool { return a.ID == c.Param("id") })
	if i < 0 {
		return fault.New(fault.Conflict, "alert.over") // or another shop's, which nobody here was shown
	}
	if shown, said := c.GetPostForm("shown"); said && shown != s.D.Alerts.Shown(here[i]) {
		return fault.New(fault.Conflict, "alert.changed")
	}
	if err := s.D.Alerts.Acknowledge(c.Request.Context(), c.Param("id"), Present(c).Actor()); err != nil {
		return err
	}
	return Redirect(c, LocalPath(c.PostForm("next")))
}

// Seers are the names of people who have seen alerts.
func (s *Server) Seers(c *gin.Context, open []alert.Alert) (map[string]string, error) {
	if len(open) == 0 {
		return nil, nil
	}
	who, err := s.Names(c)
	return who.People, err
}

// OpenAlerts returns alerts as the office shows them.
func (s *Server) OpenAlerts(
	c *gin.Context, l locale.Locale, open []alert.Alert, people map[string]string,
) []templates.OpenAlert {
	u, now := Present(c).User, s.D.Now()
	var rows []templates.OpenAlert
	for _, a := range open {
		row := templates.OpenAlert{
			ID: a.ID, Rule: a.Rule, Level: l.Text("alert.warning"), Tone: ToneLook, Text: AlertText(l, a.Rule, a.Facts),
			Age: alertAge(l, now, a.RaisedAt), At: a.RaisedAt, URL: alertURL(u, a.Rule),
			MaySee: u.Can(staff.HeedAlerts), Shown: s.D.Alerts.Shown(a),
		}
		if a.Tier == alert.Critical {
			row.Level, row.Tone = l.Text("alert.critical"), ToneBad
		}
		if a.AcknowledgedAt != nil {
			row.SeenBy = l.Text("alert.seenBy", people[a.AcknowledgedBy], l.DateTime(*a.AcknowledgedAt))
		}
		rows = append(rows, row)
	}
	return rows
}

// alertAge is how long something has gone on, in the largest whole unit.
func alertAge(l locale.Locale, now, since time.Time) string {
	switch age := now.Sub(since); {
	case age < time.Minute:
		return l.Text("alert.now")
	case age < time.Hour:
		return l.Text("alert.since", l.Count("upstream.minutes", int(age.Minutes())))
	case age < 24*time.Hour:
		return l.Text("alert.since", l.Count("validity.hours", int(age.Hours())))
	default:
		return l.Text("alert.since", l.Count("validity.days", int(age.Hours()/24)))
	}
}

// floatURL is where top-ups are entered and awaited, "" for those who may not go there.
func floatURL(u staff.User) string {
	if u.Can(staff.ViewReconcile) {
		return "/reconcile/outside"
	}
	return ""
}

// alertURL is where a rule's alert is dealt with, as far as the user may go.
func alertURL(u staff.User, rule string) string {
	switch {
	case strings.HasPrefix(rule, "float_"):
		return floatURL(u)
	case rule == alert.BreakOpen:
		return "/reconcile"
	case rule == alert.JobFailed && u.Can(staff.Operate):
		return "/admin/jobs"
	case rule == alert.WebhookStorm && u.Can(staff.Operate):
		return "/admin/webhooks"
	}
	return "/admin/health"
}

// AlertText says what a rule's alert is about. Facts are stored as programs read them.
func AlertText(l locale.Locale, rule string, facts []string) string {
	var names [2]string // a shop may be named like a sum, and somebody 1001
	copy(names[:], facts)
	args := []any{alertFact(l, names[0]), alertFact(l, names[1])}
	switch rule {
	case alert.FloatLow:
		return l.Text("alert.floatLow", args[0])
	case alert.FloatReserve:
		return l.Text("alert.floatReserve", args[0], names[1])
	case alert.FloatRunway:
		return l.Text("alert.floatRunway", args[0])
	case alert.BreakOpen:
		return l.Text("alert.breakOpen", args...)
	case alert.VerifyFailed:
		return l.Text("alert.verifyFailed", l.Word("health.rule.", names[0], l.Text("health.checks")))
	case alert.JobFailed:
		return l.Text("alert.jobFailed", args[0], l.Job(names[1]))
	case alert.BreakGlass:
		return l.Text("alert.breakGlass", names[0], args[1])
	case alert.WrongClock:
		return l.Text("alert.wrongClock", args[0])
	case alert.DamagedFile:
		return l.Text("alert.damagedFile")
	case alert.WebhookStorm:
		return l.Text("alert.webhookStorm", args[0], stormWhy(l, names[1]))
	}
	return strings.Join(append([]string{rule}, facts...), " ")
}

// stormWhy writes "late 30, malformed 6" in words.
func stormWhy(l locale.Locale, fact string) string {
	var all []string
	for reason := range strings.SplitSeq(fact, ", ") {
		name, number, _ := strings.Cut(reason, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		why := RefusedName(l, name)
		if why == name || err != nil {
			return fact
		}
		all = append(all, l.Number(n)+" × "+why)
	}
	return strings.Join(all, " · ")
}

// alertFact writes a sum, a time or a count by the locale; anything else stays.
func alertFact(l locale.Locale, fact string) string {
	if sum, err := money.Read(fact); err == nil && len(sum.Currency()) == 3 {
		return l.Amount(sum)
	}
	if at, err := time.Parse(alert.FactTime, fact); err == nil {
		return l.DateTime(at)
	}
	var n int64
	if json.Unmarshal([]byte(fact), &n) == nil {
		return l.Number(n)
	}
	return fact
}

// UnsentAlerts returns alert messages that did not go out, and how long they have waited: those of what whoever asks
// sees in their shop. What is counted over all shops says in a shop how it stands there now, so not that it is over.
func (s *Server) UnsentAlerts(
	c *gin.Context, l locale.Locale, unsent []alert.Message,
) (rows []templates.UnsentAlert, err error) {
	var told []alert.Alert
	shop := Present(c).Shop
	for _, m := range unsent {
		a, err := m.Told()
		if err != nil {
			return nil, err
		}
		if shop.ID == "" || m.Change != alert.Cleared || !health.CountsShops(a.Rule) {
			told = append(told, a)
		}
	}
	if told, err = s.D.Health.InShop(c.Request.Context(), shop, told); err != nil {
		return nil, err
	}
	ways := map[alert.Way]string{alert.ByMail: l.Text("alert.byMail"), alert.ByWebhook: l.Text("alert.byWebhook")}
	for _, a := range told {
		m := unsent[slices.IndexFunc(unsent, func(m alert.Message) bool { return m.ID == a.ID })]
		text := AlertText(l, a.Rule, a.Facts)
		if m.Change == alert.Cleared {
			text = l.Text("alert.ended", text)
		}
		rows = append(rows, templates.UnsentAlert{
			Way: ways[m.Way], Text: text, Age: alertAge(l, s.D.Now(), m.MadeAt),
			Tries:   l.Text("alert.tries", l.Number(int64(m.Tries))),
			Problem: l.Noted(m.Problem),
		})
	}
	return rows, nil
}
