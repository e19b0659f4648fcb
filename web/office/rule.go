package office

import (
	"errors"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

const rulePath = "/admin/prices/rule"

// PriceRule is GET /admin/prices/rule: a new rule, or with id a change of one.
func (s *Screens) PriceRule(c *gin.Context) error {
	rule := pricing.Rule{Priority: 10, Way: pricing.Percent}
	if id := c.Query("id"); id != "" {
		rules, err := s.D.Pricing.Rules(c.Request.Context())
		if err != nil {
			return err
		}
		switch i := slices.IndexFunc(rules, func(r pricing.Rule) bool { return r.ID == id }); {
		case i >= 0:
			rule = rules[i]
		case c.Query(typedInto) == "":
			return fault.New(fault.NotFound, "rule.none")
		default:
			rule = pricing.Rule{ID: id} // was changed while somebody typed, who reads so when they save it
		}
	}
	return s.showRule(c, rule, nil)
}

// SavePriceRule is POST /admin/prices/rule (field act: preview or save).
func (s *Screens) SavePriceRule(c *gin.Context) error {
	if seeks(c) {
		return seek(c, rulePath)
	}
	ctx := c.Request.Context()
	rule, err := s.readRule(c)
	if err == nil && c.PostForm("act") == "save" {
		_, err = s.D.Pricing.SaveRule(ctx, frame.Present(c).Actor(), rule)
		return s.conclude(c, err, "/admin/prices", "saved", func(c *gin.Context) error {
			return s.refuseRule(c, rule, err)
		})
	}
	var preview report.Preview
	if err == nil {
		preview, err = s.D.Report.PreviewRule(ctx, rule)
	}
	switch {
	case frame.Mendable(err):
		return s.refuseRule(c, rule, err)
	case err != nil:
		return err
	}
	return s.showRule(c, rule, &preview)
}

// refuseRule shows a rule again with what was typed. If the one it was to replace is gone, it becomes a rule of its
// own.
func (s *Screens) refuseRule(c *gin.Context, rule pricing.Rule, refused error) error {
	if errors.Is(refused, pricing.ErrRuleGone) {
		rule.ID = ""
	}
	frame.Refuse(c, refused)
	return s.showRule(c, rule, nil)
}

func (s *Screens) readRule(c *gin.Context) (pricing.Rule, error) {
	form := func(name string) string { return strings.TrimSpace(c.PostForm(name)) }
	l := s.LocaleOf(c.Request)
	priority, _ := l.ParseCount(form("priority")) // 0 is refused
	value, sure := l.ParseDecimal(form("value"))
	r := pricing.Rule{
		ID: form("id"), Name: form("name"), Priority: int(priority), ShopID: form("shop"),
		Country: strings.ToUpper(form("country")), Provider: form("provider"), Kind: form("kind"), SKU: form("sku"),
		Way: pricing.Way(form("way")), Value: value, Rounding: form("rounding"),
		FirstDay: form("starts"), LastDay: form("ends"),
	}
	if !sure {
		return r, fault.OnField("value", "rule.value")
	}
	if err := s.checkShop(c, r.ShopID); err != nil {
		return r, err
	}
	agent, err := s.AgentCurrency(c)
	if err != nil {
		return r, err
	}
	for _, band := range []struct {
		name string
		into *int64
	}{{"from_amount", &r.FromMicros}, {"to_amount", &r.ToMicros}} {
		if form(band.name) == "" {
			continue
		}
		amount, err := l.ParseCash(form(band.name), agent)
		if err != nil {
			return r, fault.Worded(band.name, l.Fault(err))
		}
		*band.into, r.BandCurrency = amount.Micros(), agent
	}
	return r, checkScope(s.D.Catalog.Current(), r)
}

func (s *Screens) showRule(c *gin.Context, rule pricing.Rule, preview *report.Preview) error {
	r := frame.ReadsOf(c)
	names := frame.LoadHere(r, s.officeNames)
	agent := frame.LoadHere(r, s.AgentCurrency)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, "/admin/prices")
	if preview != nil {
		p.Typed = templates.Typed{Values: c.Request.PostForm, Action: rulePath}
	}
	p.below(p.l.Text("prices.rule"), "office.prices", "/admin/prices")
	var tried *templates.RulePreview
	if preview != nil {
		tried = p.preview(*preview, scopeOf(p.l, rule, names, agent))
	}
	of := p.ruleChoices(rule, names.Visible, agent, s.D.Catalog.Current())
	of.Provider = p.picker(s, c, rulePath, "", templates.Picker{
		Name: "provider", Label: "reports.by.provider", Of: templates.Providers, Optional: true, Value: rule.Provider,
	})
	of.Product = p.picker(s, c, rulePath, "", templates.Picker{
		Name: "sku", Label: "reports.by.product", Of: templates.Products, Optional: true, Value: rule.SKU,
	})
	return s.showOffice(c, p, templates.OfficeRule(&p.Office, rule, of, tried))
}

func (p *office) ruleChoices(
	r pricing.Rule, shops []staff.Shop, agent money.Currency, on *catalog.Snapshot,
) templates.RuleChoices {
	of := templates.RuleChoices{
		Shops: p.shops(shops), Countries: p.countryChoices(on, r.Country),
		Kinds: p.orAll(frame.Choices(catalog.Kinds(), func(k catalog.Kind) (string, string) {
			return string(k), templates.KindName(p.l, k)
		})),
		Ways: frame.Choices(pricing.Ways(), func(w pricing.Way) (string, string) { return string(w), wayName(p.l, w) }),
		Roundings: frame.Choices(pricing.Roundings(), func(r string) (string, string) {
			return r, roundingName(p.l, r, p.l.Text("prices.coin"))
		}),
		Currency: string(agent), Value: p.l.PlainDecimal(r.Value),
	}
	if r.FromMicros != 0 {
		of.From = p.l.PlainAmount(money.Of(r.FromMicros, agent))
	}
	if r.ToMicros != 0 {
		of.To = p.l.PlainAmount(money.Of(r.ToMicros, agent))
	}
	return of
}

// preview says what a rule would have made of last week's sales in its scope.
func (p *office) preview(v report.Preview, scope string) *templates.RulePreview {
	all := p.l.Number(int64(v.Sales))
	tried := &templates.RulePreview{Note: p.l.Text("prices.of", scope), Figures: []templates.Figure{
		{
			Name: p.l.Text("prices.affected"), Value: p.l.Number(int64(v.Affected)),
			Note: p.l.Text("prices.ofSales", all),
		},
		{
			Name: p.l.Text("prices.raised"), Value: p.l.Number(int64(v.Raised)),
			Note: p.l.Text("prices.raisedNote"), Tone: frame.ToneIf(v.Raised > 0, "wait"),
		},
	}}
	if v.Cut {
		tried.Note += " " + p.l.Text("prices.cut", all)
	}
	for _, sum := range v.Sums {
		is, would := sum.Margins()
		tried.Figures = append(tried.Figures,
			p.instead("prices.wouldPay", sum.WouldPay, sum.Paid), p.instead("prices.wouldMargin", would, is))
	}
	tried.Examples = p.table(p.l.Text("prices.lastWeek"),
		"sales.at", "reports.by.provider", "reports.by.product", "prices.was", "prices.would")
	for _, e := range v.Examples {
		would := templates.Cell{Text: p.l.Amount(e.WouldPay)}
		if e.Raised {
			would.Hint = p.l.Text("prices.raised")
		}
		tried.Examples.Add(templates.Row{
			{Text: p.l.DateTime(e.At)}, {Text: e.Provider}, {Text: e.Name}, {Text: p.l.Amount(e.Paid)}, would,
		})
	}
	return tried
}

// instead is an amount beside the one it would replace.
func (p *office) instead(name string, would, is money.Amount) templates.Figure {
	return templates.Figure{
		Name: p.l.Text(name), Value: p.l.Amount(would), Note: p.l.Text("prices.instead", p.l.Amount(is)),
	}
}
