package sale

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

const qrPixels = 240

// StatusQR is GET /s/{code}/qr.png: the code that leads to the status page.
func (s *Screens) StatusQR(c *gin.Context) error {
	sale, err := s.D.Sales.ByCode(c.Request.Context(), c.Param("code"))
	if err != nil {
		return err
	}
	return frame.SendQR(c, s.statusURL(sale), qrPixels)
}

// Status is GET /s/{code}: what a customer may know of a sale, in their language, without whom it was for.
func (s *Screens) Status(c *gin.Context) error {
	sale, err := s.D.Sales.ByCode(c.Request.Context(), c.Param("code"))
	if err != nil {
		return err
	}
	shop, err := s.D.Staff.Shop(c.Request.Context(), sale.ShopID)
	if err != nil {
		return err
	}
	l := CustomersLocale(sale, shop)
	return s.Render(c, http.StatusOK, templates.Status(templates.StatusPage{
		Locale: l, Shop: shop.Name, Code: frame.Spelled(sale.Code), State: string(sale.Fulfilment),
		Returned: sale.Cash == sales.CashRefunded,
		At:       l.DateTime(sale.RecordedAt), Last: l.DateTime(sale.UpdatedAt),
	}))
}
