package office

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

const productsFound = 40

// Shelf is GET /admin/counter (query shop, q): what a shop's counter shows first,
// in which order, and what it does not sell.
func (s *Screens) Shelf(c *gin.Context) error { return s.showShelf(c, nil) }

// shelfShop is the shop whose counter is arranged: the user's own, else the one
// named, else the first. The one named must be one that the user sees.
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
		return staff.Shop{}, nil, fault.New(fault.NotFound, "shop.none")
	}
	return shops[i], shops, nil
}

func (s *Screens) showShelf(c *gin.Context, refused error) error {
	snapshot := s.D.Catalog.Current()
	shop, shops, err := s.shelfShop(c, cmp.Or(c.PostForm("shop"), c.Query("shop")))
	if err != nil {
		return err
	}
	r := reads{ctx: c.Request.Context()}
	pinned := loadOf(&r, s.D.Catalog.Favourites, shop.ID)
	hidden := loadOf(&r, s.D.Catalog.HiddenIn, shop.ID)
	names := load(&r, s.officeNames)
	if r.err != nil {
		return r.err
	}
	p := shelfPage{office: s.newOffice(c, "/admin/counter", refused), snapshot: snapshot, names: names}
	v := templates.Shelf{
		Shop: shop, Shops: shopChoices(shops), Query: cmp.Or(c.PostForm("q"), c.Query("q")), Hiding: c.Query("sku"),
		Pinned: pinned, Hidden: hidden,
	}
	v.Favourites = p.favourites(shop, pinned)
	if v.Query != "" {
		v.Products = snapshot.Find(v.Query, p.l.Language(), productsFound)
		v.Found = p.found(v)
	}
	v.HiddenHere = p.hiddenHere(shop, hidden)
	return s.showOffice(c, p.office, templates.OfficeShelf(&p.Office, v))
}

// shelfPage is the page under way.
type shelfPage struct {
	*office

	snapshot *catalog.Snapshot
	names    frame.ReportNames
}

// product writes what a code stands for.
func (p shelfPage) product(sku string) (operator string, name templates.Cell) {
	product, sold := p.snapshot.Product(sku)
	if !sold {
		return "", templates.Cell{
			Text: cmp.Or(p.names.Sold.Products[sku], sku), Hint: p.l.Text("shelf.notSold"), Tone: "wait",
		}
	}
	if provider, known := p.snapshot.Provider(product.Provider); known {
		operator = provider.Name
	}
	return operator, templates.Cell{Text: p.snapshot.Text(product, p.l.Language()).DisplayText, Hint: sku}
}

func (p shelfPage) favourites(shop staff.Shop, pinned []string) *templates.Table {
	t := p.table(p.l.Text("shelf.favourites", shop.Name), "shelf.place", "reports.by.product", "reports.by.provider")
	for i, sku := range pinned {
		operator, name := p.product(sku)
		t.Add(templates.Row{{Text: p.l.Number(int64(i + 1))}, name, {Text: operator}})
	}
	return t
}

// found are products to be shown first or to be hidden.
func (p shelfPage) found(v templates.Shelf) *templates.Table {
	t := p.table(p.l.Text("shelf.products"), "reports.by.product", "reports.by.provider")
	t.Columns = append(t.Columns, p.l.Text("shelf.hidden", v.Shop.Name))
	for _, product := range v.Products {
		operator, name := p.product(product.SKU)
		hide := templates.Cell{Text: p.l.Text("shelf.isHidden")}
		if !v.Hides(product.SKU) {
			ask := url.Values{"shop": {v.Shop.ID}, "q": {v.Query}, "sku": {product.SKU}}
			hide = templates.Cell{Text: p.l.Text("shelf.hide"), URL: "/admin/counter?" + ask.Encode() + "#hide"}
		}
		t.Add(templates.Row{name, {Text: operator}, hide})
	}
	return t
}

func (p shelfPage) hiddenHere(shop staff.Shop, hidden []catalog.Hidden) *templates.Table {
	t := p.table(p.l.Text("shelf.hidden", shop.Name), "reports.by.product", "office.reason", "audit.who", "audit.at")
	for _, h := range hidden {
		_, name := p.product(h.SKU)
		t.Add(templates.Row{
			name, {Text: h.Reason}, {Text: p.names.People[h.HiddenBy]}, {Text: p.l.DateTime(h.HiddenAt)},
		})
	}
	return t
}

// ArrangeShelf is POST /admin/counter (fields shop, sku; act pin, unpin, up, down,
// hide with a reason, show, and pin-all and unpin-all for every shop that the user
// sees; q to come back to).
func (s *Screens) ArrangeShelf(c *gin.Context) error {
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
	refused, failed := refusable(err)
	switch {
	case failed != nil:
		return failed
	case refused != nil:
		return s.showShelf(c, refused)
	}
	return frame.Redirect(
		c, "/admin/counter?"+url.Values{"shop": {shop.ID}, "q": {c.PostForm("q")}, "done": {"saved"}}.Encode(),
	)
}
