package office

import (
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

// modeNames are the keys of how transfers are sent.
var modeNames = map[sales.SendMode]string{sales.Wait: "sending.wait", sales.Deferred: "sending.defer"}

// scopeNames are the keys of what a send mode is set for.
var scopeNames = map[sales.Scope]string{
	sales.ScopeProvider: "reports.by.provider", sales.ScopeProduct: "reports.by.product",
}

const sendingPath = "/admin/sending"

// Sending is GET /admin/sending: how transfers are sent, and which providers
// check a number before any cash is taken.
func (s *Screens) Sending(c *gin.Context) error { return s.showSending(c, nil) }

func (s *Screens) showSending(c *gin.Context, refused error) error {
	r := reads{ctx: c.Request.Context()}
	rules := load(&r, s.D.Sales.ModeRules)
	validating := load(&r, s.D.Sales.Validating)
	if r.err != nil {
		return r.err
	}
	p := s.newOffice(c, sendingPath, refused)
	sold := s.D.Catalog.Current()
	t := p.table(p.l.Text("sending.title"), "sending.for", "sending.code", "sending.mode")
	for _, r := range rules {
		t.Add(templates.Row{
			{Text: p.l.Text(scopeNames[r.Scope])}, {Text: r.Code, Hint: soldAs(sold, r.Scope, r.Code)}, {
				Text: p.l.Text(modeNames[r.Mode]),
			},
		})
	}
	checked := p.table(p.l.Text("sending.checked"), "reports.by.provider")
	for _, code := range validating {
		checked.Add(templates.Row{{Text: code, Hint: soldAs(sold, sales.ScopeProvider, code)}})
	}
	scopes := choices([]sales.Scope{sales.ScopeProvider, sales.ScopeProduct}, func(scope sales.Scope) (string, string) {
		return string(scope), p.l.Text(scopeNames[scope])
	})
	modes := choices([]sales.SendMode{sales.Wait, sales.Deferred}, func(mode sales.SendMode) (string, string) {
		return string(mode), p.l.Text(modeNames[mode])
	})
	return s.showOffice(c, p, templates.OfficeSending(&p.Office, rules, t, validating, checked, scopes, modes))
}

// soldAs is what a code is called, "" if nothing of that code is sold.
func soldAs(sold *catalog.Snapshot, scope sales.Scope, code string) string {
	if scope == sales.ScopeProduct {
		if product, ok := sold.Product(code); ok {
			return product.DisplayText
		}
		return ""
	}
	provider, ok := sold.Provider(code)
	if !ok {
		return ""
	}
	return provider.Name
}

// SetSending is POST /admin/sending (act: mode with scope, code and mode, none to
// take it away; check and no-check with provider).
func (s *Screens) SetSending(c *gin.Context) error {
	ctx, by, done := c.Request.Context(), frame.Present(c).Actor(), "saved"
	code, provider := strings.TrimSpace(c.PostForm("code")), strings.TrimSpace(c.PostForm("provider"))
	var err error
	switch c.PostForm("act") {
	case "mode":
		rule := sales.ModeRule{
			Scope: sales.Scope(c.PostForm("scope")), Code: code, Mode: sales.SendMode(c.PostForm("mode")),
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
	return s.conclude(c, err, sendingPath, done, s.showSending)
}
