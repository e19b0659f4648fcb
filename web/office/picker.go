package office

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const matchesShown = 12

// picker is a field of a form in which a person picks what is sold, by what it is
// called. What was typed into the form before is looked for again.
func (p *office) picker(s *Screens, c *gin.Context, action, act string, field templates.Picker) templates.Picker {
	if p.Typed.Into(action, act) {
		field.Find = strings.TrimSpace(p.Typed.Get(templates.FindIn + field.Name))
		field.Value = p.Typed.Get(field.Name)
	}
	s.match(c, p.l, &field)
	return field
}

// match finds what a picker offers.
func (s *Screens) match(c *gin.Context, l locale.Locale, field *templates.Picker) {
	n := goods{l: l, on: s.D.Catalog.Current()}
	if field.Value != "" {
		field.Chosen = n.match(*field, field.Value)
	}
	if field.Find == "" {
		return
	}
	q := n.search(field.Find, frame.Present(c).Shop.Country, matchesShown)
	if field.Of != templates.Products {
		found, all := n.on.FindProviders(q)
		field.All += all
		for _, provider := range found {
			field.Matches = append(field.Matches, *n.match(*field, field.ValueOf(templates.Providers, provider.Code)))
		}
	}
	if field.Of != templates.Providers {
		found, all := n.on.FindProducts(q)
		field.All += all
		for _, product := range found[:min(len(found), matchesShown-len(field.Matches))] {
			field.Matches = append(field.Matches, *n.match(*field, field.ValueOf(templates.Products, product.SKU)))
		}
	}
}

// Pick is GET /admin/pick (of, field, optional, what was picked and what is looked for):
// what a picker offers while somebody types.
func (s *Screens) Pick(c *gin.Context) error {
	if frame.FirstOffice(frame.Present(c).User) == "" {
		return fault.New(fault.Forbidden, "")
	}
	l, name := s.LocaleOf(c.Request), c.Query("field")
	field := templates.Picker{
		Name: name, Of: c.Query("of"), Optional: c.Query("optional") != "", Value: c.Query(name),
		Find: strings.TrimSpace(c.Query(templates.FindIn + name)),
	}
	s.match(c, l, &field)
	return s.Render(c, http.StatusOK, templates.Matches(l, field))
}

// seeks says whether a form was sent to look for what it picks, and not to do what it is
// for: its search was pressed, or holds what nobody has looked for yet.
func seeks(c *gin.Context) bool {
	for name, typed := range c.Request.PostForm {
		field, found := strings.CutPrefix(name, templates.FindIn)
		if found && strings.TrimSpace(typed[0]) != c.PostForm(templates.FoundIn+field) {
			return true
		}
	}
	return c.PostForm(templates.SearchButton) != ""
}

// seek leads back to the page of a form, with everything that was typed into it.
func seek(c *gin.Context, page string) error {
	typed := url.Values{typedInto: {c.Request.URL.Path}}
	for name, values := range c.Request.PostForm {
		if name != "csrf" && name != templates.SearchButton && !strings.HasPrefix(name, templates.FoundIn) {
			typed[name] = values
		}
	}
	return frame.Redirect(c, page+"?"+typed.Encode())
}

// typedInto names the form that an address brings back what was typed into.
const typedInto = "form"

// goods are what is sold, as somebody calls it.
type goods struct {
	l     locale.Locale
	on    *catalog.Snapshot
	names frame.ReportNames // of what is no longer sold
}

func (n goods) search(text, home string, limit int) catalog.Search {
	return catalog.Search{
		Text: text, Language: n.l.Language(), Home: home, Limit: limit,
		Country: func(country *catalog.Country) string { return n.l.Country(country.ISO, country.Name) },
		Kind:    n.kind,
	}
}

func (n goods) kind(k catalog.Kind) string { return templates.KindName(n.l, k) }

// match is what the value of a field stands for, nil for nothing that is sold.
func (n goods) match(field templates.Picker, value string) *templates.Match {
	what, code := field.Stands(value)
	if what == templates.Providers {
		provider, sold := n.on.Provider(code)
		if !sold {
			return nil
		}
		hint := n.country(provider)
		if field.Of == templates.Both {
			hint = n.l.Text("reports.by.provider")
		}
		return &templates.Match{Value: value, Name: provider.Name, Hint: hint}
	}
	product, sold := n.on.Product(code)
	if !sold {
		return nil
	}
	hint := []string{n.place(product), n.kind(product.Kind), n.received(product)}
	return &templates.Match{
		Value: value, Name: n.on.Text(product, n.l.Language()).DisplayText, Hint: strings.Join(hint, " · "),
	}
}

// received is what a customer gets of a product, from and to where it has no one price.
func (n goods) received(p *catalog.Product) string {
	least := n.l.Amount(p.Minimum.Receive())
	if p.Fixed() {
		return least
	}
	return least + " – " + n.l.Amount(p.Maximum.Receive())
}

// product writes what a product is called, with where it is sold, or that it no longer is.
func (n goods) product(sku string) templates.Cell {
	if product, sold := n.on.Product(sku); sold {
		return templates.Cell{Text: n.on.Text(product, n.l.Language()).DisplayText, Hint: n.place(product)}
	}
	return templates.Cell{
		Text: cmp.Or(n.names.Sold.Products[sku], sku), Hint: n.l.Text("shelf.notSold"), Tone: frame.ToneLook,
	}
}

// provider writes what a provider is called, with its country, or that it sells nothing
// any more.
func (n goods) provider(code string) templates.Cell {
	if provider, known := n.on.Provider(code); known {
		return templates.Cell{Text: provider.Name, Hint: n.country(provider)}
	}
	return templates.Cell{
		Text: cmp.Or(n.names.Sold.Providers[code], code), Hint: n.l.Text("shelf.notSold"), Tone: frame.ToneLook,
	}
}

// place is a product's operator and country.
func (n goods) place(p *catalog.Product) string {
	provider, known := n.on.Provider(p.Provider)
	if !known {
		return p.Provider
	}
	if country := n.country(provider); country != "" {
		return provider.Name + " · " + country
	}
	return provider.Name
}

// country is a provider's, "" where its name says it.
func (n goods) country(p *catalog.Provider) string {
	if name := n.countryOf(p.Country); !strings.Contains(p.Name, name) {
		return name
	}
	return ""
}

// countryOf is what a country of the catalogue is called, "" if it has none of this code.
func (n goods) countryOf(iso string) string {
	country, known := n.on.Country(iso)
	if !known {
		return ""
	}
	return n.l.Country(country.ISO, country.Name)
}
