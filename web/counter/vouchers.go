package counter

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/counter"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// showVouchers is GET /counter for products without a number.
func (s *Screens) showVouchers(c *gin.Context, w frame.Want) error {
	vouchers, err := s.D.Counter.Vouchers(c.Request.Context(), s.ask(c, w))
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.VouchersPage{Frame: f}
		for _, of := range vouchers {
			page.Vouchers = append(page.Vouchers, s.voucherRows(f.Locale, of))
		}
		return templates.Vouchers(page)
	})
}

func (s *Screens) voucherRows(l locale.Locale, vouchers []counter.Product) (rows []templates.RecentSale) {
	for _, p := range vouchers {
		rows = append(rows, templates.RecentSale{
			RepeatURL: s.URLOf(frame.Want{
				Number: apiclient.DefaultPINAccountNumber, Provider: p.Provider.Code, Sku: p.SKU,
			}),
			Operator: operator(l, s.D.Catalog.Current(), p.Provider), Product: p.Name, Price: p.Price,
		})
	}
	return rows
}
