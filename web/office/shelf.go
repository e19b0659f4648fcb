package office

import (
	"cmp"
	"errors"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

const shelfPath = "/admin/counter"

var errNoShop = fault.New(fault.NotFound, "shop.none")

// shelfShop is the shop whose counter is arranged: the user's own, or the one named if the user sees it, or
// the first.
func (s *Screens) shelfShop(c *gin.Context, named string) (staff.Shop, []staff.Shop, error) {
	shops, err := s.VisibleShops(c)
	if err != nil {
		return staff.Shop{}, nil, err
	}
	if named == "" && len(shops) > 0 {
		return shops[0], shops, nil
	}
	i := slices.IndexFunc(shops, func(shop staff.Shop) bool { return shop.ID == named })
	if i < 0 {
		return staff.Shop{}, nil, errNoShop
	}
	return shops[i], shops, nil
}

// Shelf is GET /admin/counter (query shop): what a shop's counter shows first, in which order, and what it
// does not sell.
func (s *Screens) Shelf(c *gin.Context) error {
	named := cmp.Or(c.PostForm("shop"), c.Query("shop"))
	shop, shops, err := s.shelfShop(c, named)
	if named == "" && errors.Is(err, errNoShop) { // a new till has none, and this page in its menu
		p := s.newOffice(c, shelfPath)
		return s.showOffice(c, p, templates.OfficeNoShop(&p.Office))
	}
	if err != nil {
		return err
	}
	r := frame.ReadsOf(c)
	pinned := frame.LoadOf(r, s.D.Catalog.Favourites, shop.ID)
	hidden := frame.LoadOf(r, s.D.Catalog.HiddenIn, shop.ID)
	names := frame.LoadHere(r, s.officeNames)
	if r.Err != nil {
		return r.Err
	}
	p := s.newOffice(c, shelfPath)
	product := templates.Picker{Name: "sku", Label: "reports.by.product", Of: templates.Products}
	n := goods{l: p.l, on: s.D.Catalog.Current(), names: names}
	return s.showOffice(c, p, templates.OfficeShelf(&p.Office, templates.Shelf{
		Shop: shop, Shops: frame.ShopChoices(p.l, shops),
		Pin: p.picker(s, c, shelfPath, "pin", product), Hide: p.picker(s, c, shelfPath, "hide", product),
		Favourites: p.favourites(n, shop, pinned, len(shops) > 1),
		HiddenHere: p.hiddenTable(n, shop, hidden),
	}))
}

// shelfAct does something to a product in a shop; text is a key.
func (p *office) shelfAct(shop staff.Shop, text, does, sku, name string) templates.Act {
	return p.act(shelfPath, text, p.l.Text(text)+": "+name, "shop", shop.ID, "act", does, "sku", sku)
}

func (p *office) favourites(n goods, shop staff.Shop, pinned []string, several bool) *templates.Table {
	t := p.table(p.l.Text("shelf.favourites", shop.Name), "shelf.place", "reports.by.product")
	for i, sku := range pinned {
		product := n.product(sku)
		var acts []templates.Act
		for _, act := range []struct {
			may        bool
			text, does string
		}{
			{i > 0, "shelf.up", "up"},
			{i < len(pinned)-1, "shelf.down", "down"},
			{true, "office.remove", "unpin"},
			{several, "shelf.pinAll", "pin-all"},
			{several, "shelf.unpinAll", "unpin-all"},
		} {
			if act.may {
				acts = append(acts, p.shelfAct(shop, act.text, act.does, sku, product.Text))
			}
		}
		t.Add(templates.Row{{Text: p.l.Number(int64(i + 1))}, product}, acts...)
	}
	return t
}

// hiddenTable is what is hidden, by whom and why.
func (p *office) hiddenTable(n goods, shop staff.Shop, hidden []catalog.Hidden) *templates.Table {
	t := p.table(p.l.Text("shelf.hidden", shop.Name), "reports.by.product", "office.reason", "audit.who", "audit.at")
	for _, h := range hidden {
		product := n.product(h.SKU)
		t.Add(templates.Row{
			product, {Text: h.Reason}, {Text: n.names.People[h.HiddenBy]}, {Text: p.l.DateTime(h.HiddenAt)},
		}, p.shelfAct(shop, "catalogue.show", "show", h.SKU, product.Text))
	}
	return t
}

// ArrangeShelf is POST /admin/counter (fields shop, sku; act pin, unpin, up, down, hide with a reason, show,
// and pin-all and unpin-all for every shop the user sees).
func (s *Screens) ArrangeShelf(c *gin.Context) error {
	if seeks(c) {
		return seek(c, shelfPath)
	}
	ctx, by, sku := c.Request.Context(), frame.Present(c).Actor(), c.PostForm("sku")
	shop, shops, err := s.shelfShop(c, c.PostForm("shop"))
	if err != nil {
		return err
	}
	switch c.PostForm("act") {
	case "pin":
		err = s.D.Catalog.Pin(ctx, sku, shop.ID)
	case "pin-all":
		err = s.D.Catalog.Pin(ctx, sku, frame.ShopIDs(shops)...)
	case "unpin-all":
		err = s.D.Catalog.Unpin(ctx, sku, frame.ShopIDs(shops)...)
	case "unpin":
		err = s.D.Catalog.Unpin(ctx, sku, shop.ID)
	case "up":
		err = s.D.Catalog.MoveFavourite(ctx, shop.ID, sku, -1)
	case "down":
		err = s.D.Catalog.MoveFavourite(ctx, shop.ID, sku, 1)
	case "hide":
		var reason string
		if reason, err = frame.TypedText(c, "reason"); err == nil {
			err = s.D.Catalog.HideIn(ctx, s.D.Audit, by, shop.ID, sku, reason)
		}
	case "show":
		err = s.D.Catalog.ShowIn(ctx, s.D.Audit, by, shop.ID, sku)
	default:
		return frame.NotFound(c)
	}
	return s.conclude(c, err, shelfPath+"?"+url.Values{"shop": {shop.ID}}.Encode(), "saved", s.Shelf)
}
