package web

import (
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/web/templates"
)

// modeNames are the keys of how transfers are sent.
var modeNames = map[sales.SendMode]string{sales.Wait: "sending.wait", sales.Deferred: "sending.defer"}

// scopeNames are the keys of what a send mode is set for.
var scopeNames = map[sales.Scope]string{sales.ScopeProvider: "reports.by.provider", sales.ScopeProduct: "reports.by.product"}

const sendingPath = "/admin/sending"

// sending is GET /admin/sending: how transfers are sent, and which providers
// check a number before any cash is taken.
func (s *Server) sending(c *gin.Context) error { return s.showSending(c, nil) }

func (s *Server) showSending(c *gin.Context, refused error) error {
	ctx := c.Request.Context()
	rules, err := s.d.Sales.ModeRules(ctx)
	if err != nil {
		return err
	}
	validating, err := s.d.Sales.Validating(ctx)
	if err != nil {
		return err
	}
	p := s.newOffice(c, sendingPath, refused)
	p.add(p.modesPart(rules, s.d.Catalog.Current()))
	p.add(p.validatingPart(validating, s.d.Catalog.Current()))
	return s.showOffice(c, p)
}

func (p *officePage) modesPart(rules []sales.ModeRule, sold *catalog.Snapshot) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("sending.for"), p.l.Text("sending.code"), p.l.Text("sending.mode")}}
	for _, r := range rules {
		t.Rows = append(t.Rows, templates.OfficeRow{
			Cells: []templates.OfficeCell{{Text: p.l.Text(scopeNames[r.Scope])}, {Text: r.Code, Hint: soldAs(sold, r.Scope, r.Code)}, {Text: p.l.Text(modeNames[r.Mode])}},
			Acts: []templates.OfficeAct{{Text: p.l.Text("office.remove"), Label: p.l.Text("sending.removeOne", r.Code), Action: sendingPath, Hidden: append(acting("mode"),
				templates.HiddenField{Name: "scope", Value: string(r.Scope)}, templates.HiddenField{Name: "code", Value: r.Code}, templates.HiddenField{Name: "mode"})}},
		})
	}
	var scopes, modes []templates.Choice
	for _, scope := range []sales.Scope{sales.ScopeProvider, sales.ScopeProduct} {
		scopes = append(scopes, templates.Choice{Value: string(scope), Text: p.l.Text(scopeNames[scope])})
	}
	for _, mode := range []sales.SendMode{sales.Wait, sales.Deferred} {
		modes = append(modes, templates.Choice{Value: string(mode), Text: p.l.Text(modeNames[mode])})
	}
	return templates.OfficePart{Title: p.l.Text("sending.title"), Note: p.l.Text("sending.note"), Table: t, Empty: p.l.Text("sending.none"), Form: &templates.OfficeForm{
		Action: sendingPath, Hidden: acting("mode"), Fields: []templates.OfficeField{p.list("scope", "sending.for", "", scopes...), p.field("code", "sending.code", ""), p.list("mode", "sending.mode", "", modes...)},
		Buttons: []templates.OfficeButton{{Text: p.l.Text("reports.save"), Primary: true}},
	}}
}

func (p *officePage) validatingPart(providers []string, sold *catalog.Snapshot) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("reports.by.provider")}}
	for _, code := range providers {
		t.Rows = append(t.Rows, templates.OfficeRow{
			Cells: []templates.OfficeCell{{Text: code, Hint: soldAs(sold, sales.ScopeProvider, code)}},
			Acts: []templates.OfficeAct{{
				Text: p.l.Text("office.remove"), Label: p.l.Text("sending.removeOne", code), Action: sendingPath,
				Hidden: append(acting("no-check"), templates.HiddenField{Name: "provider", Value: code}),
			}},
		})
	}
	return templates.OfficePart{Title: p.l.Text("sending.checked"), Note: p.l.Text("sending.checkedNote"), Table: t, Empty: p.l.Text("sending.noneChecked"), Form: &templates.OfficeForm{
		Action: sendingPath, Hidden: acting("check"), Fields: []templates.OfficeField{p.field("provider", "reports.by.provider", "")},
		Buttons: []templates.OfficeButton{{Text: p.l.Text("office.add")}},
	}}
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

// setSending is POST /admin/sending (act: mode with scope, code and mode, none to
// take it away; check and no-check with provider).
func (s *Server) setSending(c *gin.Context) error {
	ctx, by, sold := c.Request.Context(), present(c).Actor(), s.d.Catalog.Current()
	code, provider, done := strings.TrimSpace(c.PostForm("code")), strings.TrimSpace(c.PostForm("provider")), "saved"
	var err error
	switch act := c.PostForm("act"); {
	case act == "mode" && c.PostForm("mode") == "":
		done, err = "removed", s.d.Sales.SetMode(ctx, by, sales.ModeRule{Scope: sales.Scope(c.PostForm("scope")), Code: code})
	case act == "mode":
		rule := sales.ModeRule{Scope: sales.Scope(c.PostForm("scope")), Code: code, Mode: sales.SendMode(c.PostForm("mode"))}
		if err = notSold(sold, rule.Scope, code, "code"); err == nil {
			err = s.d.Sales.SetMode(ctx, by, rule)
		}
	case act == "check":
		if err = notSold(sold, sales.ScopeProvider, provider, "provider"); err == nil {
			err = s.d.Sales.SetValidating(ctx, by, provider, true)
		}
	case act == "no-check":
		done, err = "removed", s.d.Sales.SetValidating(ctx, by, provider, false)
	default:
		return notFound(c)
	}
	return s.conclude(c, err, sendingPath, done, s.showSending)
}

// notSold refuses a code that names nothing on sale: a slip would set a rule
// that no sale ever meets.
func notSold(sold *catalog.Snapshot, scope sales.Scope, code, field string) error {
	switch {
	case scope == sales.ScopeProduct && soldAs(sold, scope, code) == "":
		return fault.OnField(field, "product.none", code)
	case scope != sales.ScopeProduct && soldAs(sold, sales.ScopeProvider, code) == "":
		return fault.OnField(field, "provider.none", code)
	}
	return nil
}
