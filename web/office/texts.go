package office

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// UntoldListed is how many products without a text a page lists.
const UntoldListed = 100

// Untold is GET /admin/catalogue/texts (language, after): the products without a text in a language, and what
// is shown instead.
func (s *Screens) Untold(c *gin.Context) error {
	snapshot, l := s.D.Catalog.Current(), s.FileLocale(c)
	i := slices.IndexFunc(locale.Languages(), func(x locale.Named) bool { return x.Tag == c.Query("language") })
	if i < 0 {
		return fault.New(fault.NotFound, "")
	}
	language := locale.Languages()[i]
	all := snapshot.WithoutText(language.Tag)
	names, err := s.officeNames(c)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/catalogue")
	p.below(l.Text("catalogue.untold", language.Name), "office.catalogue", "/admin/catalogue")
	shown, more := all, false
	if c.Query("file") == "" {
		listed := func(x *catalog.Product) bool { return x.SKU <= c.Query("after") }
		shown, more = frame.Page(slices.DeleteFunc(slices.Clone(all), listed), UntoldListed)
	}
	t := p.untoldTable(snapshot, shown, names)
	if more {
		values := url.Values{"language": {language.Tag}, "after": {shown[len(shown)-1].SKU}}
		p.More = &templates.Link{Text: l.Text("catalogue.further"), URL: "/admin/catalogue/texts?" + values.Encode()}
	}
	return s.showOffice(c, p, templates.OfficeTexts(&p.Office, l.Number(int64(len(all))), t))
}

func (p *office) untoldTable(
	snapshot *catalog.Snapshot, products []*catalog.Product, n frame.ReportNames,
) *templates.Table {
	t := p.table("", "catalogue.instead", "reports.by.provider", "reports.by.country", "reports.by.kind")
	for _, product := range products {
		operator, country := product.Provider, ""
		if provider, known := snapshot.Provider(product.Provider); known {
			operator, country = provider.Name, provider.Country
		}
		t.Add(templates.Row{
			{Text: snapshot.Text(product, p.l.Language()).DisplayText, Hint: product.SKU}, // the code, for the service
			{Text: operator},
			{Text: cmp.Or(n.Countries[country], country)},
			{Text: templates.KindName(p.l, product.Kind)},
		})
	}
	return t
}
