package frame

import (
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// SalesOf is the shop whose sales the user may see, "" if those of every shop.
func SalesOf(c *gin.Context) string {
	if p := Present(c); !p.User.Can(staff.ViewAllSales) {
		return p.Shop.ID
	}
	return ""
}

// IsSale tells a sale's id from the ref of a transfer without a known sale.
func IsSale(subject string) bool { return subject != "" && !strings.Contains(subject, ":") }

// IncidentAlerts are the alerts of incidents the user may see.
func IncidentAlerts(l locale.Locale, u staff.User, incidents []sales.Incident) []templates.Alert {
	var alerts []templates.Alert
	for _, i := range incidents {
		alerts = append(alerts, templates.Alert{
			Text: IncidentText(l, i.Kind), At: l.DateTime(i.At), Tone: "bad", URL: IncidentURL(u, i),
		})
	}
	return alerts
}

// IncidentURL is where an incident is dealt with, as far as the user may go: its sale's page, or one that says
// what to do.
func IncidentURL(u staff.User, i sales.Incident) string {
	switch {
	case IsSale(i.SaleID):
		return "/sales/" + i.SaleID
	case i.Kind == sales.NoFloat, i.Kind == sales.LowFloat:
		return floatURL(u)
	case i.Kind == sales.Foreign && u.Can(staff.Operate):
		return "/admin/webhooks"
	}
	return HealthURL
}

// IncidentText says what an incident is.
func IncidentText(l locale.Locale, kind sales.IncidentKind) string {
	return l.Word("incident.", string(kind), l.Text("incident.other"))
}
