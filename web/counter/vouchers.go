package counter

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/pricing"
	"airtill/web/frame"
	"airtill/web/templates"
)

// vouchersOf lists the products of a country that go to no number, by operator.
func vouchersOf(snapshot *catalog.Snapshot, country string) []*catalog.Product {
	var found []*catalog.Product
	for _, provider := range snapshot.ProvidersIn(country) {
		for _, p := range snapshot.ProductsOf(provider.Code) {
			if !p.Addressed() {
				found = append(found, p)
			}
		}
	}
	return found
}

// quickVouchers are the products on the counter that go to no number.
func (s *Screens) quickVouchers(c *gin.Context) ([]templates.RecentSale, error) {
	ctx, shop, snapshot := c.Request.Context(), frame.Present(c).Shop, s.D.Catalog.Current()
	pinned, err := s.D.Catalog.Favourites(ctx, shop.ID)
	if err != nil {
		return nil, err
	}
	tariff, err := s.tariff(c)
	if err != nil {
		return nil, err
	}
	hidden, err := s.hiddenHere(c)
	if err != nil {
		return nil, err
	}
	var wanted []frame.Want
	for _, sku := range pinned {
		if p, ok := snapshot.Product(sku); ok && !p.Addressed() {
			wanted = append(wanted, voucher(p))
		}
	}
	popular, err := s.D.Report.Popular(ctx, shop.ID)
	if err != nil {
		return nil, err
	}
	sold := slices.DeleteFunc(vouchersOf(snapshot, shop.Country), func(p *catalog.Product) bool {
		return popular.Products[p.SKU] == 0 || slices.Contains(pinned, p.SKU)
	})
	slices.SortStableFunc(sold, func(a, b *catalog.Product) int {
		return cmp.Compare(popular.Products[b.SKU], popular.Products[a.SKU])
	})
	for _, p := range sold {
		wanted = append(wanted, voucher(p))
	}
	var rows []templates.RecentSale
	for _, w := range wanted {
		if row, ok := voucherRow(
			s.LocaleOf(c.Request).Language(), snapshot, w, tariff,
		); ok && !hidden[w.Sku] && len(rows) < frame.VouchersShown {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// voucher wants a product that goes to no number.
func voucher(p *catalog.Product) frame.Want {
	return frame.Want{Number: apiclient.DefaultPINAccountNumber, Provider: p.Provider, Sku: p.SKU}
}

func voucherRow(
	language string, snapshot *catalog.Snapshot, w frame.Want, tariff *pricing.Tariff,
) (templates.RecentSale, bool) {
	p, sold := snapshot.Product(w.Sku)
	provider, known := snapshot.Provider(w.Provider)
	if !sold || !known {
		return templates.RecentSale{}, false
	}
	price, err := tariff.Retail(p, provider.Country, p.Minimum)
	return templates.RecentSale{
		RepeatURL: w.URL(), Operator: operator(snapshot, provider), Product: snapshot.Text(p, language).DisplayText,
		Price: price,
	}, err == nil
}

// showVouchers is GET /counter for what is sold to no number: the operators of
// the shop's country that have any, or the products of the only one.
func (s *Screens) showVouchers(c *gin.Context, snapshot *catalog.Snapshot) error {
	tariff, err := s.tariff(c)
	if err != nil {
		return err
	}
	hidden, err := s.hiddenHere(c)
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.VouchersPage{Frame: f}
		for _, p := range vouchersOf(snapshot, frame.Present(c).Shop.Country) {
			if row, ok := voucherRow(f.Language(), snapshot, voucher(p), tariff); ok && !hidden[p.SKU] {
				page.Vouchers = append(page.Vouchers, row)
			}
		}
		return templates.Vouchers(page)
	})
}
