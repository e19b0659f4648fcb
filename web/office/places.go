package office

import (
	"context"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// ShopsPage is GET /admin/shops.
func (s *Screens) ShopsPage(c *gin.Context) error {
	ctx := c.Request.Context()
	shops, err := s.D.Staff.Shops(ctx)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/shops")
	tills, err := s.D.Staff.Tills(ctx, frame.ShopIDs(shops)...)
	if err != nil {
		return err
	}
	count := map[string]int64{}
	for _, till := range tills {
		if !till.Retired() {
			count[till.ShopID]++
		}
	}
	t := p.table(
		p.l.Text("office.shops"), "people.name", "reports.by.country", "shops.zone", "reports.col.currency",
		"shops.tills",
	)
	like := staff.Shop{Zone: "Europe/Dublin", Currency: frame.CurrencyOf()}
	if len(shops) > 0 {
		like = shops[len(shops)-1] // the newest
	}
	frame.Alphabetical(p.l, shops, func(shop staff.Shop) string { return shop.Name })
	for _, shop := range shops {
		t.Add(templates.Row{
			{Text: shop.Name, URL: "/admin/shops/" + shop.ID, Hint: shop.Address},
			{Text: p.l.Country(shop.Country, shop.Country)},
			{Text: frame.ZoneName(shop.Zone)},
			{Text: string(shop.Currency)},
			{Text: p.l.Number(count[shop.ID])},
		})
	}
	return s.showOffice(c, p, templates.OfficeShops(&p.Office, p.searched(t), like, templates.ShopChoices{
		Countries: frame.CountryChoices(p.l), Zones: frame.ZoneChoices(p.l, like.Zone), Currencies: anyCurrency(),
	}))
}

// AddShop is POST /admin/shops.
func (s *Screens) AddShop(c *gin.Context) error {
	tills, _ := s.LocaleOf(c.Request).ParseCount(c.PostForm("tills")) // 0 is refused
	_, _, err := s.D.Staff.CreateShop(c.Request.Context(), frame.Present(c).Actor(), staff.NewShop{
		ID: s.FormKey(c.PostForm("key")), Name: c.PostForm("name"), Zone: strings.TrimSpace(c.PostForm("zone")),
		Country: strings.TrimSpace(c.PostForm("country")), Currency: strings.TrimSpace(c.PostForm("currency")),
		Address: c.PostForm("address"), TaxID: c.PostForm("tax_id"), Tills: int(tills),
	})
	return s.conclude(c, err, "/admin/shops", "saved", s.ShopsPage)
}

// ShopPage is GET /admin/shops/:id.
func (s *Screens) ShopPage(c *gin.Context) error {
	r := frame.ReadsOf(c)
	shop := frame.LoadOf(r, s.D.Staff.Shop, c.Param("id"))
	tills := frame.Load(r, func(ctx context.Context) ([]staff.Till, error) { return s.D.Staff.Tills(ctx, shop.ID) })
	devices := frame.LoadOf(r, s.D.Staff.TrustedDevices, shop.ID)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, "/admin/shops")
	p.below(shop.Name, "office.shops", "/admin/shops")
	places := p.table(p.l.Text("shops.tills"), "reports.by.till", "people.state")
	for _, till := range tills {
		state, act, verb := templates.Cell{Text: p.l.Text("shops.inUse")}, "retire", "shops.retire"
		if till.Retired() {
			state = templates.Cell{Text: p.l.Text("shops.retired", p.l.Date(*till.RetiredAt)), Tone: "bad"}
			act, verb = "return", "shops.return"
		}
		places.Add(templates.Row{{Text: till.Name}, state},
			p.act("/admin/shops/"+shop.ID, verb, p.l.Text(verb)+" – "+till.Name, "act", act, "till_id", till.ID))
	}
	t := p.table(p.l.Text("shops.devices"), "reports.by.till", "shops.trustedBy", "shops.trustedAt", "shops.seen")
	for _, d := range devices {
		t.Add(templates.Row{
			{Text: d.Till}, {Text: d.TrustedBy}, {Text: p.l.DateTime(d.TrustedAt)}, {Text: p.l.DateTime(d.SeenAt)},
		}, p.act("/admin/shops/"+shop.ID, "shops.distrust", "", "act", "distrust", "device", d.ID))
	}
	facts := p.l.Text("shops.factsNote",
		frame.ZoneName(shop.Zone), p.l.Country(shop.Country, shop.Country), string(shop.Currency))
	return s.showOffice(c, p, templates.OfficeShop(&p.Office, facts, shop, tills, places, t))
}

// ChangeShop is POST /admin/shops/:id (field act, and the act's own).
func (s *Screens) ChangeShop(c *gin.Context) error {
	ctx, by, id := c.Request.Context(), frame.Present(c).Actor(), c.Param("id")
	var err error
	switch c.PostForm("act") {
	case "facts":
		err = s.D.Staff.ChangeShop(ctx, by, id, staff.ShopFacts{
			Name: c.PostForm("name"), Address: c.PostForm("address"), TaxID: c.PostForm("tax_id"), Shown: shownFacts(c),
		})
	case "till":
		_, err = s.D.Staff.AddTill(ctx, by, staff.Till{
			ID: s.FormKey(c.PostForm("key")), ShopID: id, Name: c.PostForm("till"),
		})
	case "rename":
		till := c.PostForm("till_id")
		err = s.D.Staff.RenameTill(ctx, by, till, c.PostForm("till"), c.PostForm(templates.ShownIn+till))
	case "retire", "return":
		err = s.D.Staff.RetireTill(ctx, by, c.PostForm("till_id"), c.PostForm("act") == "retire")
	case "distrust":
		by.ShopID = id // a device is trusted in one shop
		err = s.D.Staff.Distrust(ctx, by, c.PostForm("device"))
	default:
		return frame.NotFound(c)
	}
	return s.conclude(c, err, "/admin/shops/"+id, "saved", s.ShopPage)
}

// shownFacts is what the form of a shop held at first, nil if it does not say.
func shownFacts(c *gin.Context) *staff.ShopFacts {
	if _, said := c.GetPostForm(templates.ShownIn + "name"); !said {
		return nil
	}
	return &staff.ShopFacts{
		Name: c.PostForm(templates.ShownIn + "name"), Address: c.PostForm(templates.ShownIn + "address"),
		TaxID: c.PostForm(templates.ShownIn + "tax_id"),
	}
}
