package web

import (
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/staff"
	"airtill/web/templates"
)

// shopsPage is GET /admin/shops.
func (s *Server) shopsPage(c *gin.Context) error { return s.showShops(c, nil) }

func (s *Server) showShops(c *gin.Context, refused error) error {
	ctx := c.Request.Context()
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/shops", refused)
	t := &templates.OfficeTable{Columns: []string{p.l.Text("people.name"), p.l.Text("reports.by.country"), p.l.Text("shops.zone"), p.l.Text("reports.col.currency"), p.l.Text("shops.tills")}}
	tills, err := s.d.Staff.Tills(ctx, shopIDs(shops)...)
	if err != nil {
		return err
	}
	count := map[string]int64{}
	for _, till := range tills {
		count[till.ShopID]++
	}
	for _, shop := range shops {
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: shop.Name, URL: "/admin/shops/" + shop.ID, Hint: shop.Address}, {Text: shop.Country}, {Text: shop.Zone}, {Text: string(shop.Currency)}, {Text: p.l.Number(count[shop.ID])},
		}})
	}
	p.add(templates.OfficePart{Title: p.l.Text("office.shops"), Table: t, Empty: p.l.Text("shops.none")})
	like := staff.Shop{Zone: "Europe/Dublin"}
	if len(shops) > 0 { // most open where others are
		like = shops[len(shops)-1]
	}
	wanted := p.field("tills", "shops.tills", "1")
	wanted.Type = "number"
	p.add(templates.OfficePart{Title: p.l.Text("shops.add"), Form: &templates.OfficeForm{Action: "/admin/shops", Fields: []templates.OfficeField{
		p.field("name", "people.name", ""), p.list("country", "reports.by.country", like.Country, countryChoices(p.l)...), p.field("zone", "shops.zone", like.Zone), p.field("currency", "reports.col.currency", string(like.Currency)),
		p.field("address", "shops.address", ""), p.field("tax_id", "shops.taxID", ""), wanted,
	}, Buttons: []templates.OfficeButton{{Text: p.l.Text("office.add"), Primary: true}}}})
	return s.showOffice(c, p)
}

// addShop is POST /admin/shops.
func (s *Server) addShop(c *gin.Context) error {
	tills, _ := strconv.Atoi(c.PostForm("tills")) // 0 is refused with words
	_, _, err := s.d.Staff.CreateShop(c.Request.Context(), present(c).Actor(), staff.NewShop{
		Name: c.PostForm("name"), Zone: strings.TrimSpace(c.PostForm("zone")), Country: strings.TrimSpace(c.PostForm("country")), Currency: strings.TrimSpace(c.PostForm("currency")),
		Address: c.PostForm("address"), TaxID: c.PostForm("tax_id"), Tills: tills,
	})
	return s.conclude(c, err, "/admin/shops", "saved", s.showShops)
}

// shopPage is GET /admin/shops/:id.
func (s *Server) shopPage(c *gin.Context) error { return s.showShop(c, nil) }

func (s *Server) showShop(c *gin.Context, refused error) error {
	ctx := c.Request.Context()
	shop, err := s.d.Staff.Shop(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	tills, err := s.d.Staff.Tills(ctx, shop.ID)
	if err != nil {
		return err
	}
	devices, err := s.d.Staff.TrustedDevices(ctx, shop.ID)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/shops", refused)
	p.Title, p.Back = shop.Name, &templates.Link{Text: p.l.Text("office.shops"), URL: "/admin/shops"}
	action := "/admin/shops/" + shop.ID
	p.add(templates.OfficePart{Title: p.l.Text("shops.facts"), Note: p.l.Text("shops.factsNote", shop.Zone, shop.Country, string(shop.Currency)), Form: &templates.OfficeForm{
		Action: action, Hidden: acting("facts"), Fields: []templates.OfficeField{p.field("name", "people.name", shop.Name), p.field("address", "shops.address", shop.Address), p.field("tax_id", "shops.taxID", shop.TaxID)},
		Buttons: []templates.OfficeButton{{Text: p.l.Text("reports.save"), Primary: true}},
	}})
	var choices []templates.Choice
	for _, till := range tills {
		choices = append(choices, templates.Choice{Value: till.ID, Text: strconv.Itoa(till.Number) + " · " + till.Name})
	}
	p.add(templates.OfficePart{Title: p.l.Text("shops.rename"), Form: &templates.OfficeForm{
		Action: action, Hidden: acting("rename"), Fields: []templates.OfficeField{p.list("till_id", "reports.by.till", "", choices...), p.field("till", "shops.newName", "")},
		Buttons: []templates.OfficeButton{{Text: p.l.Text("reports.save")}},
	}})
	p.add(templates.OfficePart{Title: p.l.Text("shops.addTill"), Form: &templates.OfficeForm{
		Action: action, Hidden: acting("till"), Fields: []templates.OfficeField{p.field("till", "people.name", "")}, Buttons: []templates.OfficeButton{{Text: p.l.Text("office.add")}},
	}})
	t := &templates.OfficeTable{Columns: []string{p.l.Text("reports.by.till"), p.l.Text("shops.trustedBy"), p.l.Text("shops.trustedAt"), p.l.Text("shops.seen")}}
	for _, d := range devices {
		t.Rows = append(t.Rows, templates.OfficeRow{
			Cells: []templates.OfficeCell{{Text: d.Till}, {Text: d.TrustedBy}, {Text: p.l.DateTime(d.TrustedAt)}, {Text: p.l.DateTime(d.SeenAt)}},
			Acts:  []templates.OfficeAct{{Text: p.l.Text("shops.distrust"), Action: action, Hidden: append(acting("distrust"), templates.HiddenField{Name: "device", Value: d.ID})}},
		})
	}
	p.add(templates.OfficePart{Title: p.l.Text("shops.devices"), Note: p.l.Text("shops.devicesNote"), Table: t, Empty: p.l.Text("shops.noDevices")})
	return s.showOffice(c, p)
}

func acting(act string) []templates.HiddenField {
	return []templates.HiddenField{{Name: "act", Value: act}}
}

// changeShop is POST /admin/shops/:id (field act, and what it needs).
func (s *Server) changeShop(c *gin.Context) error {
	ctx, by, id := c.Request.Context(), present(c).Actor(), c.Param("id")
	var err error
	switch c.PostForm("act") {
	case "facts":
		err = s.d.Staff.ChangeShop(ctx, by, id, staff.ShopFacts{Name: c.PostForm("name"), Address: c.PostForm("address"), TaxID: c.PostForm("tax_id")})
	case "till":
		_, err = s.d.Staff.AddTill(ctx, by, id, c.PostForm("till"))
	case "rename":
		err = s.d.Staff.RenameTill(ctx, by, c.PostForm("till_id"), c.PostForm("till"))
	case "distrust":
		by.ShopID = id // a device is trusted in one shop
		err = s.d.Staff.Distrust(ctx, by, c.PostForm("device"))
	default:
		return notFound(c)
	}
	return s.conclude(c, err, "/admin/shops/"+id, "saved", s.showShop)
}
