package office

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

const webhooksListed = 50

// WebhooksPage is GET /admin/webhooks: what was received and what became of it. Refused webhooks are counted,
// over all processes, and never stored.
func (s *Screens) WebhooksPage(c *gin.Context) error {
	r := frame.ReadsOf(c)
	rows := frame.LoadOf(r, s.D.Sales.Received, webhooksListed)
	refused := frame.Load(r, s.D.Sales.RefusedSums)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, "/admin/webhooks")
	t := p.table(p.l.Text("office.webhooks"),
		"webhooks.received", "webhooks.signed", "webhooks.encrypted", "webhooks.ref", "webhooks.verdict")
	for _, r := range rows {
		verdict := templates.Cell{Text: p.l.Text("webhooks.applied")}
		if r.Foreign() {
			verdict = templates.Cell{Text: p.l.Text("webhooks.foreign"), Tone: "bad"}
		}
		ref := templates.Cell{Text: r.Ref}
		if r.SaleID != "" {
			ref.URL = "/sales/" + r.SaleID
		}
		t.Add(templates.Row{
			{Text: p.l.DateTime(r.ReceivedAt)},
			{Text: p.l.DateTime(r.SignedAt)},
			{Text: templates.YesNo(p.l, r.Encrypted)},
			ref,
			verdict,
		})
	}
	note := p.l.Text("webhooks.note", s.Public.String()+frame.HookPath)
	return s.showOffice(c, p, templates.OfficeWebhooks(&p.Office, note, t, p.refusedTable(refused)))
}

func (p *office) refusedTable(refused []sales.RefusedSums) *templates.Table {
	t := p.table(p.l.Text("webhooks.refused"), "office.reason", "webhooks.last", "webhooks.week", "webhooks.month")
	for _, r := range refused {
		t.Add(templates.Row{
			{Text: frame.RefusedName(p.l, r.Reason), Hint: r.Reason},
			{Text: p.l.DateTime(r.LastAt)},
			{Text: p.l.Number(int64(r.Week))},
			{Text: p.l.Number(int64(r.Month))},
		})
	}
	return t
}
