package office

import (
	"maps"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/web/frame"
	"airtill/web/templates"
)

// Limits is GET /admin/limits.
func (s *Screens) Limits(c *gin.Context) error {
	r := frame.ReadsOf(c)
	limits := frame.Load(r, s.D.Limits.All)
	shops := frame.Load(r, s.D.Staff.Shops)
	stops := frame.Load(r, s.D.Limits.Stops)
	if r.Err != nil {
		return r.Err
	}
	usual := frame.CurrencyOf(shops...)
	names, currencies := map[string]string{}, map[money.Currency]bool{usual: true}
	for _, shop := range shops {
		names[shop.ID], currencies[shop.Currency] = shop.Name, true
	}
	p := s.newOffice(c, "/admin/limits")
	set, stopped := p.limitsTable(limits, names), p.stopsTable(stops, names)
	held := map[string]string{}
	for _, l := range limits {
		held[heldField(l)] = strconv.FormatInt(l.Most, 10)
	}
	return s.showOffice(c, p, templates.OfficeLimits(&p.Office, templates.Limits{
		All: set, Held: held, Shops: p.shops(shops), Kinds: p.limitKinds(), Currency: string(usual),
		Currencies: currencyChoices(slices.Sorted(maps.Keys(currencies))), Stopped: stopped,
	}))
}

func (p *office) limitsTable(limits []limit.Limit, names map[string]string) *templates.Table {
	t := p.table(p.l.Text("office.limits"), "limits.what", "reports.by.shop", "limits.most")
	for _, set := range limits {
		most := p.l.Number(set.Most)
		if set.Measure == limit.Sum {
			most = p.l.Amount(set.Amount())
		}
		t.Add(templates.Row{
			{Text: frame.LimitName(p.l, set.Kind)}, {Text: every(p.l, names[set.ShopID])}, {Text: most},
		}, p.act("/admin/limits", "office.remove", "",
			"act", "remove", "kind", set.Name(), "shop", set.ShopID, "currency", string(set.Currency),
			templates.ShownIn+"most", strconv.FormatInt(set.Most, 10)))
	}
	return p.searched(t)
}

func (p *office) limitKinds() (kinds []templates.Choice) {
	for _, kind := range limit.Kinds() {
		kinds = append(kinds, templates.Choice{Value: kind.Name(), Text: frame.LimitName(p.l, kind)})
	}
	return kinds
}

// stopsTable is what the limits stopped in a week, and what managers let by.
func (p *office) stopsTable(stops []limit.StopCount, names map[string]string) *templates.Table {
	t := p.table(p.l.Text("limits.week"), "limits.what", "reports.by.shop", "limits.stopped", "limits.allowed")
	for _, stop := range stops {
		t.Add(templates.Row{
			{Text: frame.LimitName(p.l, stop.Kind), Hint: stop.Currency},
			{Text: names[stop.ShopID]},
			{Text: p.l.Number(int64(stop.Stopped))},
			{Text: p.l.Number(int64(stop.Allowed))},
		})
	}
	return p.searched(t)
}

// SetLimit is POST /admin/limits (fields kind, shop, most, currency; act remove, with what was shown).
func (s *Screens) SetLimit(c *gin.Context) error {
	set := limit.Limit{ShopID: c.PostForm("shop"), Kind: limit.Named(c.PostForm("kind"))}
	if set.Measure == limit.Sum {
		set.Currency = money.Currency(c.PostForm("currency"))
	}
	ctx, actor := c.Request.Context(), frame.Present(c).Actor()
	if c.PostForm("act") == "remove" {
		return s.conclude(c, s.removeLimit(c, set), "/admin/limits", "removed", s.Limits)
	}
	err := s.checkShop(c, set.ShopID)
	if err == nil {
		err = s.readMost(c, &set)
	}
	if err == nil {
		err = s.D.Limits.SetShown(ctx, actor, set, heldThen(c, set))
	}
	return s.conclude(c, err, "/admin/limits", "saved", s.Limits)
}

// heldField is the hidden field with what a limit was when the page was made, as Limit.Most.
func heldField(l limit.Limit) string {
	return templates.ShownIn + l.Name() + " " + l.ShopID + " " + string(l.Currency)
}

// heldThen is what a limit was when the page was made.
func heldThen(c *gin.Context, l limit.Limit) int64 {
	if held, err := strconv.ParseInt(c.PostForm(heldField(l)), 10, 64); err == nil {
		return held
	}
	return limit.None
}

// removeLimit removes a limit as its row of the page showed it; whatever its value, if the page does not say.
func (s *Screens) removeLimit(c *gin.Context, set limit.Limit) (err error) {
	ctx, actor := c.Request.Context(), frame.Present(c).Actor()
	shown, said := c.GetPostForm(templates.ShownIn + "most")
	if !said {
		return s.D.Limits.Remove(ctx, actor, set)
	}
	if set.Most, err = strconv.ParseInt(shown, 10, 64); err != nil {
		return fault.New(fault.NotFound, "")
	}
	return s.D.Limits.RemoveShown(ctx, actor, set)
}

func (s *Screens) readMost(c *gin.Context, set *limit.Limit) error {
	l := s.LocaleOf(c.Request)
	if set.Measure == limit.Sum {
		amount, err := l.ParseCash(c.PostForm("most"), set.Currency)
		if err != nil {
			return fault.Worded("most", l.Fault(err))
		}
		set.Most = amount.Micros()
		return nil
	}
	most, ok := l.ParseCount(c.PostForm("most"))
	if !ok {
		return fault.OnField("most", "limit.count")
	}
	set.Most = most
	return nil
}
