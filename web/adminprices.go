package web

import (
	"cmp"
	"context"
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
	ctx := c.Request.Context()
	rules, err := s.d.Pricing.Rules(ctx)
	if err != nil {
		return err
	}
	rates, err := s.d.Pricing.Rates(ctx)
	if err != nil {
		return err
	}
	old, err := s.d.Pricing.Stale(ctx)
	if err != nil {
		return err
	}
	names, err := s.officeNames(ctx)
	if err != nil {
		return err
	}
	agent, err := s.agentCurrency(c)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/prices", refused)
	p.add(templates.OfficePart{Title: p.l.Text("prices.rules"), Note: p.l.Text("prices.rulesNote"), Table: p.ruleTable(rules, names, present(c).User, agent), Empty: p.l.Text("prices.none"), Form: &templates.OfficeForm{
		Action: "/admin/prices/rule", Get: true, Buttons: []templates.OfficeButton{{Text: p.l.Text("prices.new"), Primary: true}},
	}})
	p.add(p.ratePart(rates, old, names))
	return s.showOffice(c, p)
}

// officeNames are what ids and codes are called in the office.
func (s *Server) officeNames(ctx context.Context) (reportNames, error) {
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return reportNames{}, err
	}
	return s.reportNames(ctx, shops, nil)
}

func (p *officePage) ruleTable(rules []pricing.Rule, names reportNames, u staff.User, agent money.Currency) *templates.OfficeTable {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("prices.priority"), p.l.Text("prices.name"), p.l.Text("prices.scope"), p.l.Text("prices.price"), p.l.Text("prices.dates"), p.l.Text("prices.belowCost")}}
	for _, r := range rules {
		row := templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: strconv.Itoa(r.Priority)},
			{Text: r.Name, URL: "/admin/prices/rule?id=" + r.ID, Hint: names.people[r.MadeBy]},
			{Text: scopeOf(p.l, r, names, agent)},
			{Text: p.l.Text(wayNames[r.Way]) + " " + r.Value, Hint: roundingName(p.l, r.Rounding, "")},
			{Text: datesOf(p.l, r)},
			{Text: yes(p.l, r.BelowCost)},
		}}
		hidden := []templates.HiddenField{{Name: "id", Value: r.ID}}
		if !r.BelowCost && r.MadeBy != u.ID {
			row.Acts = append(row.Acts, templates.OfficeAct{Text: p.l.Text("prices.allow"), Label: p.l.Text("prices.allowRule", r.Name), Action: "/admin/prices/allow", Hidden: hidden})
		}
		row.Acts = append(row.Acts, templates.OfficeAct{Text: p.l.Text("office.remove"), Label: p.l.Text("prices.retire", r.Name), Action: "/admin/prices/retire", Hidden: hidden})
		t.Rows = append(t.Rows, row)
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

func (p *officePage) ratePart(rates, old []pricing.Rate, n reportNames) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("rates.pair"), p.l.Text("rates.rate"), p.l.Text("rates.from"), p.l.Text("rates.by")}}
	for _, r := range rates {
		from := p.l.DateTime(r.ValidFrom)
		if slices.ContainsFunc(old, func(o pricing.Rate) bool { return o.ID == r.ID }) {
			from += " · " + p.l.Text("rates.oldHere")
		}
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: string(r.FromCurrency) + " → " + string(r.ToCurrency)}, {Text: r.Rate}, {Text: from}, {Text: n.people[r.EnteredBy]},
		}})
	}
	when := p.field("valid_from", "rates.from", "")
	when.Type, when.Help = "datetime-local", p.l.Text("rates.fromHelp")
	again := p.field("again", "rates.again", "")
	again.Help = p.l.Text("rates.againHelp")
	return templates.OfficePart{Title: p.l.Text("rates.title"), Note: p.l.Text("rates.note"), Table: t, Empty: p.l.Text("rates.none"), Form: &templates.OfficeForm{
		Action: "/admin/rates", Fields: []templates.OfficeField{p.field("from_currency", "rates.fromCurrency", ""), p.field("to_currency", "rates.toCurrency", ""), p.field("rate", "rates.rate", ""), again, when},
		Buttons: []templates.OfficeButton{{Text: p.l.Text("office.add"), Primary: true}},
	}}
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

func (s *Server) showRule(c *gin.Context, r pricing.Rule, preview *report.Preview, refused error) error {
	shops, err := s.d.Staff.Shops(c.Request.Context())
	if err != nil {
		return err
	}
	names, err := s.officeNames(c.Request.Context())
	if err != nil {
		return err
	}
	agent, err := s.agentCurrency(c)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/prices", refused)
	if c.Request.Method != "GET" {
		p.typed = c.Request.PostForm
	}
	p.Title, p.Back = p.l.Text("prices.rule"), &templates.Link{Text: p.l.Text("office.prices"), URL: "/admin/prices"}
	p.add(templates.OfficePart{Note: p.l.Text("prices.ruleNote"), Form: &templates.OfficeForm{
		Action: "/admin/prices/rule", Hidden: []templates.HiddenField{{Name: "id", Value: r.ID}}, Fields: p.ruleFields(r, shops, agent, s.d.Catalog.Current()),
		Buttons: []templates.OfficeButton{{Text: p.l.Text("prices.preview"), Name: "act", Value: "preview"}, {Text: p.l.Text("reports.save"), Name: "act", Value: "save", Primary: preview != nil}},
	}})
	if preview != nil {
		p.previewParts(*preview, scopeOf(p.l, r, names, agent))
	}
	return s.showOffice(c, p)
}

func (p *officePage) ruleFields(r pricing.Rule, shops []staff.Shop, agent money.Currency, on *catalog.Snapshot) []templates.OfficeField {
	kinds := []templates.Choice{{Text: p.l.Text("office.all")}}
	for _, kind := range catalog.Kinds() {
		kinds = append(kinds, templates.Choice{Value: string(kind), Text: templates.KindName(p.l, kindNames[kind])})
	}
	var ways, roundings []templates.Choice
	for _, way := range pricing.Ways() {
		ways = append(ways, templates.Choice{Value: string(way), Text: p.l.Text(wayNames[way])})
	}
	for _, rounding := range pricing.Roundings() {
		roundings = append(roundings, templates.Choice{Value: rounding, Text: roundingName(p.l, rounding, p.l.Text("prices.coin"))})
	}
	dated := func(name, label, day string) templates.OfficeField {
		f := p.field(name, label, day)
		f.Type, f.Help = "date", p.l.Text("prices.ownDay")
		return f
	}
	band := func(name, label string, micros int64) templates.OfficeField {
		value := ""
		if micros != 0 {
			value = p.l.PlainAmount(money.Of(micros, agent))
		}
		f := p.field(name, label, value)
		f.Help = p.l.Text("prices.bandIn", string(agent))
		return f
	}
	priority := p.field("priority", "prices.priority", strconv.Itoa(r.Priority))
	priority.Help = p.l.Text("prices.priorityHelp")
	product := p.field("sku", "reports.by.product", r.SKU)
	product.Help = p.l.Text("prices.productHelp")
	return []templates.OfficeField{
		p.field("name", "prices.name", r.Name), priority, p.shops(shops, r.ShopID),
		p.list("country", "reports.by.country", r.Country, p.countryChoices(on, r.Country)...), p.list("provider", "reports.by.provider", r.Provider, p.providerChoices(on, r.Provider)...),
		p.list("kind", "reports.by.kind", r.Kind, kinds...), product,
		band("from_amount", "prices.fromAmount", r.FromMicros), band("to_amount", "prices.toAmount", r.ToMicros),
		dated("starts", "prices.starts", r.FirstDay), dated("ends", "prices.ends", r.LastDay),
		p.list("way", "prices.way", string(r.Way), ways...), p.field("value", "prices.value", r.Value), p.list("rounding", "prices.rounding", r.Rounding, roundings...),
	}
}

// previewParts say what a rule would have made of last week's sales in its scope.
func (p *officePage) previewParts(v report.Preview, scope string) {
	part := templates.OfficePart{Title: p.l.Text("prices.lastWeek"), Note: p.l.Text("prices.of", scope), Figures: []templates.Figure{
		{Name: p.l.Text("prices.affected"), Value: p.l.Number(int64(v.Affected)), Note: p.l.Text("prices.ofSales", p.l.Number(int64(v.Sales)))},
		{Name: p.l.Text("prices.raised"), Value: p.l.Number(int64(v.Raised)), Tone: toneIf(v.Raised > 0, "wait"), Note: p.l.Text("prices.raisedNote")},
	}}
	if v.Cut {
		part.Note += " " + p.l.Text("prices.cut", p.l.Number(int64(v.Sales)))
	}
	for _, sum := range v.Sums {
		before, after := money.Of(sum.Paid.Micros()-sum.Cost.Micros(), sum.Paid.Currency()), money.Of(sum.WouldPay.Micros()-sum.Cost.Micros(), sum.Paid.Currency())
		part.Figures = append(part.Figures,
			templates.Figure{Name: p.l.Text("prices.wouldPay"), Value: p.l.Amount(sum.WouldPay), Note: p.l.Text("prices.instead", p.l.Amount(sum.Paid))},
			templates.Figure{Name: p.l.Text("prices.wouldMargin"), Value: p.l.Amount(after), Note: p.l.Text("prices.instead", p.l.Amount(before))})
	}
	part.Table = &templates.OfficeTable{Columns: []string{p.l.Text("sales.at"), p.l.Text("reports.by.provider"), p.l.Text("reports.by.product"), p.l.Text("prices.was"), p.l.Text("prices.would")}}
	for _, e := range v.Examples {
		would := templates.OfficeCell{Text: p.l.Amount(e.WouldPay)}
		if e.Raised {
			would.Hint = p.l.Text("prices.raised")
		}
		part.Table.Rows = append(part.Table.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: p.l.DateTime(e.At)}, {Text: e.Provider}, {Text: e.Name}, {Text: p.l.Amount(e.Paid)}, would}})
	}
	p.add(part)
}
