package office

import (
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

const sendingPath = "/admin/sending"

// Sending is GET /admin/sending: how transfers are sent, and which providers
// check a number before any cash is taken.
func (s *Screens) Sending(c *gin.Context) error {
	r := frame.ReadsOf(c)
	rules := frame.Load(r, s.D.Sales.ModeRules)
	validating := frame.Load(r, s.D.Sales.Validating)
	names := frame.LoadHere(r, s.officeNames)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, sendingPath)
	n := goods{l: p.l, on: s.D.Catalog.Current(), names: names}
	v := templates.Sending{
		For: p.picker(s, c, sendingPath, "mode", templates.Picker{
			Name: "code", Label: "prices.scope", Of: templates.Both,
		}),
		Check: p.picker(s, c, sendingPath, "check", templates.Picker{
			Name: "provider", Label: "reports.by.provider", Of: templates.Providers,
		}),
		Modes: frame.Choices([]sales.SendMode{sales.Wait, sales.Deferred}, func(mode sales.SendMode) (string, string) {
			return string(mode), p.l.Text("sending.mode." + string(mode))
		}),
		Held: map[string]string{},
	}
	v.Ruled = p.table(p.l.Text("sending.title"), "prices.scope", "sending.mode")
	for _, r := range rules {
		name := n.provider
		if r.Scope == sales.ScopeProduct {
			name = n.product
		}
		how := templates.Cell{Text: p.l.Text("sending.mode." + string(r.Mode))}
		if rests := s.D.Sales.Rests(r); rests != nil {
			how.Hint, how.Tone = p.l.Fault(rests), "wait"
		}
		cell := name(r.Code)
		remove := p.l.Text("sending.removeOne", cell.Text)
		code := v.For.ValueOf(string(r.Scope), r.Code)
		v.Held[templates.ShownIn+code] = string(r.Mode)
		v.Ruled.Add(templates.Row{cell, how}, p.act(sendingPath, "office.remove", remove,
			"act", "mode", "code", code, "mode", "", templates.ShownIn+code, string(r.Mode)))
	}
	v.Checked = p.table(p.l.Text("sending.checked"), "reports.by.provider")
	for _, code := range validating {
		cell := n.provider(code)
		remove := p.l.Text("sending.removeOne", cell.Text)
		v.Checked.Add(templates.Row{cell}, p.act(sendingPath, "office.remove", remove,
			"act", "no-check", "provider", code))
	}
	return s.showOffice(c, p, templates.OfficeSending(&p.Office, v))
}

// SetSending is POST /admin/sending (act: mode with code, which says what it is of, and mode, or none to
// remove it, and with what was shown of each code; check and no-check with provider).
func (s *Screens) SetSending(c *gin.Context) error {
	if seeks(c) {
		return seek(c, sendingPath)
	}
	ctx, by, done := c.Request.Context(), frame.Present(c).Actor(), "saved"
	provider := c.PostForm("provider")
	var err error
	switch c.PostForm("act") {
	case "mode":
		scope, code, _ := strings.Cut(c.PostForm("code"), ":")
		shown := sales.SendMode(c.PostForm(templates.ShownIn + c.PostForm("code")))
		rule := sales.ModeRule{
			Scope: sales.Scope(scope), Code: code, Mode: sales.SendMode(c.PostForm("mode")), Shown: &shown,
		}
		if rule.Mode == "" {
			done = "removed"
		}
		err = s.D.Sales.SetMode(ctx, by, rule)
	case "check":
		err = s.D.Sales.SetValidating(ctx, by, provider, true)
	case "no-check":
		done, err = "removed", s.D.Sales.SetValidating(ctx, by, provider, false)
	default:
		return frame.NotFound(c)
	}
	return s.conclude(c, err, sendingPath, done, s.Sending)
}
