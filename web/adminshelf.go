package web

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/templates"
)

const productsFound = 40

// shelf is GET /admin/counter (query shop, q): what a shop's counter shows first,
// in which order, and what it does not sell.
func (s *Server) shelf(c *gin.Context) error { return s.showShelf(c, nil) }

// shelfShop is the shop whose counter is arranged: the user's own, else the one
// named, else the first. The one named must be one that the user sees.
func (s *Server) shelfShop(c *gin.Context, named string) (staff.Shop, []staff.Shop, error) {
	shops, err := s.visibleShops(c)
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

func (s *Server) showShelf(c *gin.Context, refused error) error {
	ctx, snapshot := c.Request.Context(), s.d.Catalog.Current()
	shop, shops, err := s.shelfShop(c, cmp.Or(c.PostForm("shop"), c.Query("shop")))
	if err != nil {
		return err
	}
	pinned, err := s.d.Catalog.Favourites(ctx, shop.ID)
	if err != nil {
		return err
	}
	hidden, err := s.d.Catalog.HiddenIn(ctx, shop.ID)
	if err != nil {
		return err
	}
	names, err := s.officeNames(ctx)
	if err != nil {
		return err
	}
	p := shelfPage{officePage: s.newOffice(c, "/admin/counter", refused), shop: shop, several: len(shops) > 1, snapshot: snapshot, names: names, query: cmp.Or(c.PostForm("q"), c.Query("q")), hiding: c.Query("sku")}
	if p.several {
		p.add(p.shopPart(shops))
	}
	p.add(p.favouritesPart(pinned))
	p.add(p.findPart(pinned, hidden))
	p.add(p.hiddenHerePart(hidden))
	return s.showOffice(c, p.officePage)
}

// shelfPage is the page under way.
type shelfPage struct {
	*officePage

	shop     staff.Shop
	several  bool // the user arranges the counters of more than one shop
	snapshot *catalog.Snapshot
	names    reportNames
	query    string
	hiding   string // the code of a product that somebody is about to hide
}

func (p shelfPage) shopPart(shops []staff.Shop) templates.OfficePart {
	var choices []templates.Choice
	for _, shop := range shops {
		choices = append(choices, templates.Choice{Value: shop.ID, Text: shop.Name})
	}
	return templates.OfficePart{Form: &templates.OfficeForm{
		Action: "/admin/counter", Get: true, Fields: []templates.OfficeField{p.list("shop", "reports.by.shop", p.shop.ID, choices...)}, Buttons: []templates.OfficeButton{{Text: p.l.Text("reports.show")}},
	}}
}

// product writes what a code stands for.
func (p shelfPage) product(sku string) (operator string, name templates.OfficeCell) {
	product, sold := p.snapshot.Product(sku)
	if !sold {
		return "", templates.OfficeCell{Text: cmp.Or(p.names.sold.Products[sku], sku), Hint: p.l.Text("shelf.notSold"), Tone: "wait"}
	}
	if provider, known := p.snapshot.Provider(product.Provider); known {
		operator = provider.Name
	}
	return operator, templates.OfficeCell{Text: p.snapshot.Text(product, p.l.Language()).DisplayText, Hint: sku}
}

func (p shelfPage) act(text, does, sku string) templates.OfficeAct {
	return templates.OfficeAct{Text: p.l.Text(text), Label: p.l.Text(text) + ": " + sku, Action: "/admin/counter", Hidden: p.hidden(does, sku)}
}

func (p shelfPage) hidden(does, sku string) []templates.HiddenField {
	fields := []templates.HiddenField{{Name: "shop", Value: p.shop.ID}, {Name: "act", Value: does}, {Name: "q", Value: p.query}}
	if sku != "" {
		fields = append(fields, templates.HiddenField{Name: "sku", Value: sku})
	}
	return fields
}

func (p shelfPage) favouritesPart(pinned []string) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("shelf.place"), p.l.Text("reports.by.product"), p.l.Text("reports.by.provider")}}
	for i, sku := range pinned {
		operator, name := p.product(sku)
		row := templates.OfficeRow{Cells: []templates.OfficeCell{{Text: p.l.Number(int64(i + 1))}, name, {Text: operator}}}
		if i > 0 {
			row.Acts = append(row.Acts, p.act("shelf.up", "up", sku))
		}
		if i < len(pinned)-1 {
			row.Acts = append(row.Acts, p.act("shelf.down", "down", sku))
		}
		row.Acts = append(row.Acts, p.act("office.remove", "unpin", sku))
		if p.several {
			row.Acts = append(row.Acts, p.act("shelf.pinAll", "pin-all", sku), p.act("shelf.unpinAll", "unpin-all", sku))
		}
		t.Rows = append(t.Rows, row)
	}
	return templates.OfficePart{Title: p.l.Text("shelf.favourites", p.shop.Name), Note: p.l.Text("shelf.favouritesNote"), Table: t, Empty: p.l.Text("shelf.noFavourites")}
}

// findPart looks for products, to be shown first or to be hidden.
func (p shelfPage) findPart(pinned []string, hidden []catalog.Hidden) templates.OfficePart {
	query := p.field("q", "find.title", p.query)
	query.Label, query.Type, query.Help = p.l.Text("shelf.find"), "search", p.l.Text("shelf.findHelp")
	part := templates.OfficePart{Title: p.l.Text("shelf.products"), Form: &templates.OfficeForm{
		Action: "/admin/counter", Get: true, Fields: []templates.OfficeField{query}, Hidden: []templates.HiddenField{{Name: "shop", Value: p.shop.ID}}, Buttons: []templates.OfficeButton{{Text: p.l.Text("reports.show")}},
	}}
	if p.query == "" {
		return part
	}
	part.Empty = p.l.Text("find.none", p.query)
	part.Table = &templates.OfficeTable{Columns: []string{p.l.Text("reports.by.product"), p.l.Text("reports.by.provider"), p.l.Text("shelf.hidden", p.shop.Name)}}
	for _, product := range p.snapshot.Find(p.query, p.l.Language(), productsFound) {
		operator, name := p.product(product.SKU)
		row := templates.OfficeRow{Cells: []templates.OfficeCell{name, {Text: operator}}}
		if !slices.Contains(pinned, product.SKU) {
			row.Acts = append(row.Acts, p.act("shelf.pin", "pin", product.SKU))
		}
		if p.several {
			row.Acts = append(row.Acts, p.act("shelf.pinAll", "pin-all", product.SKU))
		}
		if !slices.ContainsFunc(hidden, func(h catalog.Hidden) bool { return h.SKU == product.SKU }) {
			row.Cells = append(row.Cells, templates.OfficeCell{Text: p.l.Text("shelf.hide"), URL: "/admin/counter?" + url.Values{"shop": {p.shop.ID}, "q": {p.query}, "sku": {product.SKU}}.Encode() + "#hide"})
		} else {
			row.Cells = append(row.Cells, templates.OfficeCell{Text: p.l.Text("shelf.isHidden")})
		}
		part.Table.Rows = append(part.Table.Rows, row)
	}
	return part
}

func (p shelfPage) hiddenHerePart(hidden []catalog.Hidden) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("reports.by.product"), p.l.Text("office.reason"), p.l.Text("audit.who"), p.l.Text("audit.at")}}
	for _, h := range hidden {
		_, name := p.product(h.SKU)
		t.Rows = append(t.Rows, templates.OfficeRow{
			Cells: []templates.OfficeCell{name, {Text: h.Reason}, {Text: p.names.people[h.HiddenBy]}, {Text: p.l.DateTime(h.HiddenAt)}},
			Acts:  []templates.OfficeAct{p.act("catalogue.show", "show", h.SKU)},
		})
	}
	return templates.OfficePart{ID: "hide", Title: p.l.Text("shelf.hidden", p.shop.Name), Note: p.l.Text("shelf.hiddenNote"), Table: t, Form: &templates.OfficeForm{
		Action: "/admin/counter", Hidden: p.hidden("hide", ""), Fields: []templates.OfficeField{p.field("sku", "shelf.code", p.hiding), p.field("reason", "office.reason", "")}, Buttons: []templates.OfficeButton{{Text: p.l.Text("catalogue.hide")}},
	}}
}

// arrangeShelf is POST /admin/counter (fields shop, sku; act pin, unpin, up, down,
// hide with a reason, show, and pin-all and unpin-all for every shop that the user
// sees; q to come back to).
func (s *Server) arrangeShelf(c *gin.Context) error {
	ctx, by, sku := c.Request.Context(), present(c).Actor(), c.PostForm("sku")
	shop, shops, err := s.shelfShop(c, c.PostForm("shop"))
	if err != nil {
		return err
	}
	switch c.PostForm("act") {
	case "pin":
		err = s.d.Catalog.Pin(ctx, sku, shop.ID)
	case "pin-all":
		err = s.d.Catalog.Pin(ctx, sku, shopIDs(shops)...)
	case "unpin-all":
		err = s.d.Catalog.Unpin(ctx, sku, shopIDs(shops)...)
	case "unpin":
		err = s.d.Catalog.Unpin(ctx, sku, shop.ID)
	case "up":
		err = s.d.Catalog.MoveFavourite(ctx, shop.ID, sku, -1)
	case "down":
		err = s.d.Catalog.MoveFavourite(ctx, shop.ID, sku, 1)
	case "hide":
		var reason string
		if reason, err = typedText(c, "reason"); err == nil {
			err = s.d.Catalog.HideIn(ctx, s.d.Audit, by, shop.ID, sku, reason)
		}
	case "show":
		err = s.d.Catalog.ShowIn(ctx, s.d.Audit, by, shop.ID, sku)
	default:
		return notFound(c)
	}
	refused, failed := refusable(err)
	switch {
	case failed != nil:
		return failed
	case refused != nil:
		return s.showShelf(c, refused)
	}
	return redirect(c, "/admin/counter?"+url.Values{"shop": {shop.ID}, "q": {c.PostForm("q")}, "done": {"saved"}}.Encode())
}

func shopIDs(shops []staff.Shop) []string {
	ids := make([]string, len(shops))
	for i, shop := range shops {
		ids[i] = shop.ID
	}
	return ids
}
