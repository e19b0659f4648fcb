package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/web/locale"
	"airtill/web/templates"
)

const untoldListed = 100 // on a page

// untold is GET /admin/catalogue/texts (language, after): the products that have no
// text in a language, and what is shown instead.
func (s *Server) untold(c *gin.Context) error {
	snapshot, l := s.d.Catalog.Current(), s.fileLocale(c)
	i := slices.IndexFunc(locale.Languages(), func(x locale.Named) bool { return x.Tag == c.Query("language") })
	if i < 0 {
		return fault.New(fault.NotFound, "")
	}
	language := locale.Languages()[i]
	all := snapshot.WithoutText(language.Tag)
	names, err := s.officeNames(c.Request.Context())
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/catalogue", nil)
	p.Title, p.Back = l.Text("catalogue.untold", language.Name), &templates.Link{Text: l.Text("office.catalogue"), URL: "/admin/catalogue"}
	shown := all
	if c.Query("file") == "" {
		shown = slices.DeleteFunc(slices.Clone(all), func(x *catalog.Product) bool { return strings.Compare(x.SKU, c.Query("after")) <= 0 })
		shown = shown[:min(len(shown), untoldListed)]
	}
	p.add(templates.OfficePart{Figures: []templates.Figure{{Name: l.Text("catalogue.products"), Value: l.Number(int64(len(all)))}}, Note: l.Text("catalogue.untoldNote"), Table: p.untoldTable(snapshot, shown, names), Empty: l.Text("health.nothing")})
	if len(shown) > 0 && len(all) > 0 && shown[len(shown)-1] != all[len(all)-1] {
		values := url.Values{"language": {language.Tag}, "after": {shown[len(shown)-1].SKU}}
		p.More = &templates.Link{Text: l.Text("catalogue.further"), URL: "/admin/catalogue/texts?" + values.Encode()}
	}
	return s.showOffice(c, p)
}

func (p *officePage) untoldTable(snapshot *catalog.Snapshot, products []*catalog.Product, n reportNames) *templates.OfficeTable {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("reports.by.product"), p.l.Text("reports.by.provider"), p.l.Text("reports.by.country"), p.l.Text("reports.by.kind"), p.l.Text("catalogue.instead")}}
	for _, product := range products {
		operator := templates.OfficeCell{Text: product.Provider}
		var country string
		if provider, known := snapshot.Provider(product.Provider); known {
			operator, country = templates.OfficeCell{Text: provider.Name, Hint: provider.Code}, provider.Country
		}
		if name := n.countries[country]; name != "" {
			country = name
		}
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: product.SKU}, operator, {Text: country}, {Text: templates.KindName(p.l, kindNames[product.Kind])}, {Text: snapshot.Text(product, p.l.Language()).DisplayText},
		}})
	}
	return t
}
