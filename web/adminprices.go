package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// wayNames are the keys of how rules make prices.
var wayNames = map[pricing.Way]string{pricing.Percent: "prices.percent", pricing.Fixed: "prices.fixed", pricing.Target: "prices.target"}

// prices is GET /admin/prices.
func (s *Server) prices(c *gin.Context) error { return s.showPrices(c, nil) }

func (s *Server) showPrices(c *gin.Context, refused error) error {
	r := reads{ctx: c.Request.Context()}
	rules := load(&r, s.d.Pricing.Rules)
	rates := load(&r, s.d.Pricing.Rates)
	old := load(&r, s.d.Pricing.Stale)
	names := load(&r, s.officeNames)
	agent := load(&r, func(context.Context) (money.Currency, error) { return s.agentCurrency(c) })
	if r.err != nil {
		return r.err
	}
	p := s.newOffice(c, "/admin/prices", refused)
	ruled := p.ruleTable(rules, names, agent)
	return s.showOffice(c, p, templates.OfficePrices(&p.Office, rules, ruled, p.rateTable(rates, old, names), present(c).User))
}

// officeNames are what ids and codes are called in the office.
func (s *Server) officeNames(ctx context.Context) (reportNames, error) {
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return reportNames{}, err
	}
	return s.reportNames(ctx, shops, nil)
}

func (p *office) ruleTable(rules []pricing.Rule, names reportNames, agent money.Currency) *templates.Table {
	t := p.table(p.l.Text("prices.rules"),
		"prices.priority", "prices.name", "prices.scope", "prices.price", "prices.dates", "prices.belowCost")
	for _, r := range rules {
		t.Add(templates.Row{
			{Text: strconv.Itoa(r.Priority)},
			{Text: r.Name, URL: "/admin/prices/rule?id=" + r.ID, Hint: names.people[r.MadeBy]},
			{Text: scopeOf(p.l, r, names, agent)},
			{Text: p.l.Text(wayNames[r.Way]) + " " + r.Value, Hint: roundingName(p.l, r.Rounding, "")},
			{Text: datesOf(p.l, r)},
			{Text: yes(p.l, r.BelowCost)},
		})
	}
	return t
}

// roundingName says how a rule rounds; plain where it does not.
func roundingName(l locale.Locale, rounding, plain string) string {
	if rounding == pricing.EndsIn99 {
		return l.Text("prices.endsIn99") // which in Arabic begins elsewhere than a figure
	}
	return cmp.Or(rounding, plain)
}

// scopeOf writes what a rule is for. The amounts of an old rule are in the agent's
// currency.
func scopeOf(l locale.Locale, r pricing.Rule, n reportNames, agent money.Currency) string {
	var parts []string
	for _, part := range []string{n.shops[r.ShopID], cmp.Or(n.countries[r.Country], r.Country), cmp.Or(n.sold.Providers[r.Provider], r.Provider), cmp.Or(n.sold.Products[r.SKU], r.SKU)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if r.Kind != "" {
		parts = append(parts, templates.KindName(l, kindNames[catalog.Kind(r.Kind)]))
	}
	if r.Banded() {
		currency, to := cmp.Or(r.BandCurrency, agent), "…" // no end
		if r.ToMicros > 0 {
			to = l.Amount(money.Of(r.ToMicros, currency))
		}
		parts = append(parts, l.Text("prices.band", l.Amount(money.Of(r.FromMicros, currency)), to))
	}
	return every(l, strings.Join(parts, " · "))
}

func datesOf(l locale.Locale, r pricing.Rule) string {
	if r.FirstDay == "" && r.LastDay == "" {
		return l.Text("prices.always")
	}
	day := func(text string) string {
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return l.In(time.UTC).Date(day)
		}
		return "…"
	}
	return day(r.FirstDay) + " – " + day(r.LastDay)
}

func (p *office) rateTable(rates, old []pricing.Rate, n reportNames) *templates.Table {
	t := p.table(p.l.Text("rates.title"), "rates.pair", "rates.rate", "rates.from", "rates.by")
	for _, r := range rates {
		from := p.l.DateTime(r.ValidFrom)
		if slices.ContainsFunc(old, func(o pricing.Rate) bool { return o.ID == r.ID }) {
			from += " · " + p.l.Text("rates.oldHere")
		}
		pair := string(r.FromCurrency) + " → " + string(r.ToCurrency)
		t.Add(templates.Row{{Text: pair}, {Text: r.Rate}, {Text: from}, {Text: n.people[r.EnteredBy]}})
	}
	return t
}

// addRate is POST /admin/rates.
func (s *Server) addRate(c *gin.Context) error {
	r := pricing.Rate{
		FromCurrency: money.Currency(strings.ToUpper(strings.TrimSpace(c.PostForm("from_currency")))), ToCurrency: money.Currency(strings.ToUpper(strings.TrimSpace(c.PostForm("to_currency")))),
		Rate: decimalOf(c.PostForm("rate")), Again: decimalOf(c.PostForm("again")),
	}
	var err error
	if text := c.PostForm("valid_from"); text != "" {
		if r.ValidFrom, err = time.ParseInLocation("2006-01-02T15:04", text, s.localeOf(c.Request).Zone()); err != nil {
			err = fault.OnField("valid_from", "rate.past")
		}
	}
	if err == nil {
		err = s.d.Pricing.AddRate(c.Request.Context(), present(c).Actor(), r)
	}
	return s.conclude(c, err, "/admin/prices", "saved", s.showPrices)
}

// decimalOf reads a number that may have a comma before its decimals.
func decimalOf(text string) string {
	return strings.Replace(strings.TrimSpace(text), ",", ".", 1)
}

// retireRule is POST /admin/prices/retire (field id).
func (s *Server) retireRule(c *gin.Context) error {
	err := s.d.Pricing.RetireRule(c.Request.Context(), present(c).Actor(), c.PostForm("id"))
	return s.conclude(c, err, "/admin/prices", "removed", s.showPrices)
}

// allowRule is POST /admin/prices/allow (field id).
func (s *Server) allowRule(c *gin.Context) error {
	err := s.d.Pricing.AllowBelowCost(c.Request.Context(), present(c).Actor(), c.PostForm("id"))
	return s.conclude(c, err, "/admin/prices", "saved", s.showPrices)
}

// priceRule is GET /admin/prices/rule: a new rule, or with id a change of one.
func (s *Server) priceRule(c *gin.Context) error {
	rule := pricing.Rule{Priority: 10, Way: pricing.Percent}
	if id := c.Query("id"); id != "" {
		rules, err := s.d.Pricing.Rules(c.Request.Context())
		if err != nil {
			return err
		}
		rule = pricing.Rule{}
		for _, r := range rules {
			if r.ID == id {
				rule = r
			}
		}
		if rule.ID == "" {
			return fault.New(fault.NotFound, "rule.none")
		}
	}
	return s.showRule(c, rule, nil, nil)
}

// savePriceRule is POST /admin/prices/rule (field act: preview or save).
func (s *Server) savePriceRule(c *gin.Context) error {
	ctx := c.Request.Context()
	rule, err := s.readRule(c)
	if err == nil && c.PostForm("act") == "save" {
		_, err = s.d.Pricing.SaveRule(ctx, present(c).Actor(), rule)
		return s.conclude(c, err, "/admin/prices", "saved", func(c *gin.Context, refused error) error { return s.showRule(c, rule, nil, refused) })
	}
	var preview report.Preview
	if err == nil {
		preview, err = s.d.Report.PreviewRule(ctx, rule)
	}
	refused, failed := refusable(err)
	if failed != nil {
		return failed
	}
	if refused != nil {
		return s.showRule(c, rule, nil, refused)
	}
	return s.showRule(c, rule, &preview, nil)
}

func (s *Server) readRule(c *gin.Context) (pricing.Rule, error) {
	form := func(name string) string { return strings.TrimSpace(c.PostForm(name)) }
	priority, _ := strconv.Atoi(form("priority")) // 0 is refused with words
	r := pricing.Rule{
		ID: form("id"), Name: form("name"), Priority: priority, ShopID: form("shop"), Country: strings.ToUpper(form("country")), Provider: form("provider"), Kind: form("kind"), SKU: form("sku"),
		Way: pricing.Way(form("way")), Value: decimalOf(form("value")), Rounding: form("rounding"),
		FirstDay: form("starts"), LastDay: form("ends"),
	}
	l := s.localeOf(c.Request)
	agent, err := s.agentCurrency(c)
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
			return r, fault.OnField(band.name, "amount.digits")
		}
		*band.into, r.BandCurrency = amount.Micros(), agent
	}
	return r, checkScope(s.d.Catalog.Current(), r)
}

func (s *Server) showRule(c *gin.Context, rule pricing.Rule, preview *report.Preview, refused error) error {
	r := reads{ctx: c.Request.Context()}
	shops := load(&r, s.d.Staff.Shops)
	names := load(&r, s.officeNames)
	agent := load(&r, func(context.Context) (money.Currency, error) { return s.agentCurrency(c) })
	if r.err != nil {
		return r.err
	}
	p := s.newOffice(c, "/admin/prices", refused)
	if c.Request.Method != http.MethodGet {
		p.Typed.Values = c.Request.PostForm
	}
	p.below(p.l.Text("prices.rule"), "office.prices", "/admin/prices")
	var tried *templates.RulePreview
	if preview != nil {
		tried = p.preview(*preview, scopeOf(p.l, rule, names, agent))
	}
	return s.showOffice(c, p, templates.OfficeRule(&p.Office, rule, p.ruleChoices(rule, shops, agent, s.d.Catalog.Current()), tried))
}

func (p *office) ruleChoices(
	r pricing.Rule, shops []staff.Shop, agent money.Currency, on *catalog.Snapshot,
) templates.RuleChoices {
	of := templates.RuleChoices{
		Shops: p.orAll(shopChoices(shops)), Countries: p.countryChoices(on, r.Country), Providers: p.providerChoices(on, r.Provider),
		Kinds: p.orAll(choices(catalog.Kinds(), func(k catalog.Kind) (string, string) {
			return string(k), templates.KindName(p.l, kindNames[k])
		})),
		Ways: choices(pricing.Ways(), func(w pricing.Way) (string, string) { return string(w), p.l.Text(wayNames[w]) }),
		Roundings: choices(pricing.Roundings(), func(r string) (string, string) {
			return r, roundingName(p.l, r, p.l.Text("prices.coin"))
		}),
		Currency: string(agent),
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
		{Name: p.l.Text("prices.affected"), Value: p.l.Number(int64(v.Affected)), Note: p.l.Text("prices.ofSales", all)},
		{
			Name: p.l.Text("prices.raised"), Value: p.l.Number(int64(v.Raised)), Tone: toneIf(v.Raised > 0, "wait"),
			Note: p.l.Text("prices.raisedNote"),
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

// instead is an amount beside the one that it would take the place of.
func (p *office) instead(name string, would, is money.Amount) templates.Figure {
	return templates.Figure{Name: p.l.Text(name), Value: p.l.Amount(would), Note: p.l.Text("prices.instead", p.l.Amount(is))}
}
