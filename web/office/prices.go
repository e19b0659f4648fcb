package office

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Prices is GET /admin/prices.
func (s *Screens) Prices(c *gin.Context) error {
	r := frame.ReadsOf(c)
	rules := frame.Load(r, s.D.Pricing.Rules)
	rates := frame.Load(r, s.D.Pricing.Rates)
	old := frame.Load(r, s.D.Pricing.Stale)
	names := frame.LoadHere(r, s.officeNames)
	agent := frame.LoadHere(r, s.AgentCurrency)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, "/admin/prices")
	ruled := p.ruleTable(rules, names, agent, frame.Present(c).User)
	worth := p.rateTable(rates, old, names, s.D.Now())
	return s.showOffice(c, p, templates.OfficePrices(&p.Office, ruled, worth, anyCurrency()))
}

// officeNames are the names of ids and codes in the office, in the language of the page or file.
func (s *Screens) officeNames(c *gin.Context) (frame.ReportNames, error) {
	shops, err := s.D.Staff.Shops(c.Request.Context())
	if err != nil {
		return frame.ReportNames{}, err
	}
	return s.ReportNames(c.Request.Context(), s.FileLocale(c), shops, nil)
}

func (p *office) ruleTable(
	rules []pricing.Rule, names frame.ReportNames, agent money.Currency, u staff.User,
) *templates.Table {
	t := p.table(p.l.Text("prices.rules"),
		"prices.priority", "prices.name", "prices.scope", "prices.price", "prices.dates", "prices.belowCost")
	for _, r := range rules {
		var acts []templates.Act
		if r.AllowableBy(u.ID) {
			named := p.l.Text("prices.allowRule", r.Name)
			acts = append(acts, p.act("/admin/prices/allow", "prices.allow", named, "id", r.ID))
		}
		retire := p.l.Text("prices.retire", r.Name)
		acts = append(acts, p.act("/admin/prices/retire", "office.remove", retire, "id", r.ID))
		t.Add(templates.Row{
			{Text: strconv.Itoa(r.Priority)},
			{Text: r.Name, URL: "/admin/prices/rule?id=" + r.ID, Hint: names.People[r.MadeBy]},
			{Text: scopeOf(p.l, r, names, agent)},
			{Text: wayName(p.l, r.Way) + " " + p.l.Decimal(r.Value), Hint: roundingName(p.l, r.Rounding, "")},
			{Text: datesOf(p.l, r)},
			{Text: templates.YesNo(p.l, r.BelowCost)},
		}, acts...)
	}
	return p.searched(t)
}

// wayName is how a rule prices.
func wayName(l locale.Locale, way pricing.Way) string { return l.Text("prices.way." + string(way)) }

// roundingName says how a rule rounds, or plain.
func roundingName(l locale.Locale, rounding, plain string) string {
	if rounding == pricing.EndsIn99 {
		return l.Text("prices.endsIn99") // in Arabic, the words do not begin with the figure
	}
	return cmp.Or(l.Decimal(rounding), plain)
}

// scopeOf writes what a rule is for. An old rule's amounts are in the agent's currency.
func scopeOf(l locale.Locale, r pricing.Rule, n frame.ReportNames, agent money.Currency) string {
	var parts []string
	for _, part := range []string{
		n.Shops[r.ShopID], cmp.Or(n.Countries[r.Country], r.Country),
		cmp.Or(n.Sold.Providers[r.Provider], r.Provider), cmp.Or(n.Sold.Products[r.SKU], r.SKU),
	} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if r.Kind != "" {
		parts = append(parts, templates.KindName(l, catalog.Kind(r.Kind)))
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

func (p *office) rateTable(rates, old []pricing.Rate, n frame.ReportNames, now time.Time) *templates.Table {
	t := p.table(p.l.Text("rates.title"), "rates.pair", "rates.rate", "rates.from", "rates.by")
	for _, r := range rates {
		from := p.l.DateTime(r.ValidFrom)
		if slices.ContainsFunc(old, func(o pricing.Rate) bool { return o.ID == r.ID }) {
			from += " · " + p.l.Text("rates.oldHere")
		}
		pair := string(r.FromCurrency) + " → " + string(r.ToCurrency)
		rate := p.l.Decimal(r.Rate)
		var acts []templates.Act
		if !r.Begun(now) {
			named := p.l.Text("rates.withdraw", pair, rate, from)
			acts = append(acts, p.act("/admin/rates", "office.remove", named, "act", "withdraw", "id", r.ID))
		}
		t.Add(templates.Row{{Text: pair}, {Text: rate}, {Text: from}, {Text: n.People[r.EnteredBy]}}, acts...)
	}
	return t
}

// AddRate is POST /admin/rates (act withdraw with an id removes one that does not hold yet).
func (s *Screens) AddRate(c *gin.Context) error {
	if c.PostForm("act") == "withdraw" {
		err := s.D.Pricing.WithdrawRate(c.Request.Context(), frame.Present(c).Actor(), c.PostForm("id"))
		return s.conclude(c, err, "/admin/prices", "removed", s.Prices)
	}
	l := s.LocaleOf(c.Request)
	rate, sure := l.ParseDecimal(c.PostForm("rate"))
	again, _ := l.ParseDecimal(c.PostForm("again")) // is compared
	r := pricing.Rate{
		ID:           s.FormKey(c.PostForm("key")),
		FromCurrency: money.Currency(c.PostForm("from_currency")),
		ToCurrency:   money.Currency(c.PostForm("to_currency")),
		Rate:         rate, Again: again,
	}
	var err error
	if !sure {
		err = fault.OnField("rate", "rate.value")
	}
	if text := c.PostForm("valid_from"); text != "" && err == nil {
		if r.ValidFrom, err = time.ParseInLocation("2006-01-02T15:04", text, l.Zone()); err != nil {
			err = fault.OnField("valid_from", "rate.past")
		}
	}
	if err == nil {
		err = s.D.Pricing.AddRate(c.Request.Context(), frame.Present(c).Actor(), r)
	}
	return s.conclude(c, err, "/admin/prices", "saved", s.Prices)
}

// RetireRule is POST /admin/prices/retire (field id).
func (s *Screens) RetireRule(c *gin.Context) error {
	err := s.D.Pricing.RetireRule(c.Request.Context(), frame.Present(c).Actor(), c.PostForm("id"))
	return s.conclude(c, err, "/admin/prices", "removed", s.Prices)
}

// AllowRule is POST /admin/prices/allow (field id).
func (s *Screens) AllowRule(c *gin.Context) error {
	err := s.D.Pricing.AllowBelowCost(c.Request.Context(), frame.Present(c).Actor(), c.PostForm("id"))
	return s.conclude(c, err, "/admin/prices", "saved", s.Prices)
}

// checkScope refuses a rule that matches nothing on sale: it would never decide a price, and nobody would
// notice.
func checkScope(on *catalog.Snapshot, r pricing.Rule) error {
	if on.Empty() {
		return nil
	}
	provider, ours := on.Provider(r.Provider)
	product, sold := on.Product(r.SKU)
	if sold && !ours {
		provider, _ = on.Provider(product.Provider)
	}
	_, there := on.Country(r.Country)
	switch {
	case r.Country != "" && !there:
		return fault.OnField("country", "scope.country")
	case r.Provider != "" && !ours:
		return fault.OnField("provider", "scope.provider")
	case r.SKU != "" && !sold:
		return fault.OnField("sku", "scope.product")
	case sold && (r.Provider != "" && product.Provider != r.Provider || r.Kind != "" && string(product.Kind) != r.Kind):
		return fault.OnField("sku", "scope.other-provider")
	case r.Country != "" && provider != nil && provider.Country != r.Country:
		return fault.OnField("country", "scope.other-country")
	}
	return nil
}

// countryChoices lists the countries with something on sale, and the current value even if it is no longer
// one.
func (p *office) countryChoices(on *catalog.Snapshot, value string) []templates.Choice {
	all := frame.Choices(on.SellingCountries(), func(c *catalog.Country) (string, string) {
		return c.ISO, p.l.Country(c.ISO, c.Name)
	})
	if value != "" && !slices.ContainsFunc(all, func(c templates.Choice) bool { return c.Value == value }) {
		all = append(all, templates.Choice{Value: value, Text: p.l.Country(value, value)})
	}
	frame.ByText(p.l, all)
	return p.orAll(all)
}
