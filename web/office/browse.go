package office

import (
	"cmp"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/templates"
)

const (
	browsePath     = cataloguePath + "/products"
	productsListed = 60
)

// stateNames are the keys of what there is to know of a product.
var stateNames = map[catalog.State]string{
	"": "catalogue.all", catalog.IsHidden: "catalogue.isHidden", catalog.Missing: "catalogue.missing",
	catalog.Moved: "catalogue.changed", catalog.Troubled: "catalogue.troubled",
}

// Browse is GET /admin/catalogue/products (find, country, provider, state, after): what can be sold, by country and
// operator, with what is hidden, missing, changed and in trouble.
func (s *Screens) Browse(c *gin.Context) error {
	asked := url.Values{}
	for _, name := range []string{"find", "country", "provider", "state"} {
		if value := strings.TrimSpace(c.Query(name)); value != "" {
			asked.Set(name, value)
		}
	}
	state := catalog.State(asked.Get("state"))
	if stateNames[state] == "" {
		return fault.New(fault.NotFound, "")
	}
	r := frame.ReadsOf(c)
	failing := frame.Load(r, s.D.Report.Failing)
	p := s.newOffice(c, cataloguePath)
	n := goods{l: p.l, on: s.D.Catalog.Current()}
	q := catalog.Browse{
		Search: n.search(asked.Get("find"), "", productsListed), State: state, ISO: asked.Get("country"),
		Provider: asked.Get("provider"), Failing: failing, After: c.Query("after"),
	}
	if c.Query("file") != "" { // has them all
		q.Limit, q.After = math.MaxInt, ""
	}
	page := frame.LoadOf(r, s.D.Catalog.Browse, q)
	if r.Err != nil {
		return r.Err
	}
	p.below(p.l.Text("catalogue.browse"), "office.catalogue", cataloguePath)
	v := templates.Browsed{
		Find: asked.Get("find"), Country: asked.Get("country"), Provider: asked.Get("provider"), State: string(state),
		Countries: p.tallied(page.Countries, state, asked.Get("country"), n.countryOf),
		States:    p.states(asked, page.Found),
		Providers: p.tallied(page.Providers, state, asked.Get("provider"), func(code string) string {
			return page.Names[code]
		}),
		Hide: p.picker(s, c, hidePath, "", templates.Picker{
			Name: "sku", Label: "reports.by.product", Of: templates.Products,
		}),
	}
	v.Products = p.table(
		p.l.Text(stateNames[state]), "reports.by.product", "reports.by.kind", "details.receive", "people.state",
	)
	for _, e := range page.Entries {
		p.browsedRow(v.Products, n, e, asked)
	}
	if page.More {
		asked.Set("after", page.Entries[len(page.Entries)-1].Key())
		p.More = &templates.Link{Text: p.l.Text("catalogue.more"), URL: browsePath + "?" + asked.Encode()}
	}
	return s.showOffice(c, p, templates.OfficeBrowse(&p.Office, v))
}

// states lead to each state of what is asked for, with how many products are in it.
func (p *office) states(asked url.Values, found catalog.Tally) templates.TabRow {
	row := templates.TabRow{Label: p.l.Text("people.state")}
	for _, state := range append([]catalog.State{""}, catalog.States()...) {
		values := maps.Clone(asked)
		values.Set("state", string(state))
		row.Links = append(row.Links, templates.Link{
			Text:    p.l.Text(stateNames[state]) + " " + p.l.Number(int64(found[state])),
			URL:     browsePath + "?" + values.Encode(),
			Current: asked.Get("state") == string(state),
		})
	}
	return row
}

// tallied are choices with how many products of a state there are, and the one that is chosen whatever it has.
func (p *office) tallied(
	of map[string]catalog.Tally, state catalog.State, chosen string, name func(string) string,
) []templates.Choice {
	var all []templates.Choice
	for code, tally := range of {
		if tally[state] > 0 || code == chosen {
			text := cmp.Or(name(code), code) + " (" + p.l.Number(int64(tally[state])) + ")"
			all = append(all, templates.Choice{Value: code, Text: text})
		}
	}
	frame.ByText(p.l, all)
	return p.orAll(all)
}

// browsedRow writes a product, and what can be done to it.
func (p *office) browsedRow(t *templates.Table, n goods, e catalog.Entry, asked url.Values) {
	name := n.on.Text(e.Product, p.l.Language()).DisplayText
	place := []string{e.Operator}
	if country := n.countryOf(e.ISO); country != "" && !strings.Contains(e.Operator, country) {
		place = append(place, country)
	}
	var acts []templates.Act
	if e.Hidden != nil {
		acts = append(
			acts, p.act(hidePath, "catalogue.show", p.l.Text("catalogue.showOne", name), "act", "show", "sku", e.SKU),
		)
	}
	if _, sold := n.on.Product(e.SKU); sold {
		hide := url.Values{typedInto: {hidePath}, "sku": {e.SKU}}
		maps.Copy(hide, asked)
		pin := url.Values{typedInto: {shelfPath}, "act": {"pin"}, "sku": {e.SKU}}
		acts = append(acts, p.leads("catalogue.hide", name, browsePath+"?"+hide.Encode()+"#hide"),
			p.leads("catalogue.favourite", name, shelfPath+"?"+pin.Encode()+"#pin"))
	}
	t.Add(templates.Row{
		{Text: name, Hint: strings.Join(place, " · ")},
		{Text: n.kind(e.Kind)},
		{Text: n.received(e.Product)},
		p.stateCell(e),
	}, acts...)
}

// leads is a link to where something is done to a product; text is a key.
func (p *office) leads(text, name, url string) templates.Act {
	return templates.Act{Text: p.l.Text(text), Label: p.l.Text(text) + ": " + name, URL: url}
}

// stateCell says what is to be known of a product.
func (p *office) stateCell(e catalog.Entry) templates.Cell {
	switch {
	case e.Since != nil:
		return templates.Cell{Text: p.l.Text("catalogue.missingSince", p.l.Date(*e.Since)), Tone: frame.ToneLook}
	case e.Hidden != nil:
		return templates.Cell{Text: p.l.Text("catalogue.isHidden"), Hint: e.Hidden.Reason, Tone: frame.ToneLook}
	case e.Stopped:
		return templates.Cell{Text: p.l.Text("catalogue.stopped"), Hint: e.Says, Tone: frame.ToneBad}
	case e.Failing:
		return templates.Cell{Text: p.l.Text("catalogue.failing"), Tone: frame.ToneBad}
	case e.Unsellable != "":
		return templates.Cell{Text: p.l.Text("catalogue.unsellable"), Tone: frame.ToneBad}
	case e.Says != "":
		return templates.Cell{Text: e.Says, Tone: frame.ToneLook}
	case slices.Contains(e.States, catalog.Moved):
		return templates.Cell{Text: p.l.Text("catalogue.changed")}
	}
	return templates.Cell{Text: p.l.Text("catalogue.onSale")}
}
