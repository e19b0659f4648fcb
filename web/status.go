package web

import (
	"bytes"
	"image/png"
	"net/http"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"github.com/gin-gonic/gin"

	"airtill/internal/sales"
	"airtill/web/templates"
)

func (s *Server) statusURL(sale sales.Sale) string { return s.public.JoinPath("s", sale.Code).String() }

const qrPixels = 240

// statusQR is GET /s/{code}/qr.png: the code that leads to the status page.
func (s *Server) statusQR(c *gin.Context) error {
	sale, err := s.d.Sales.ByCode(c.Request.Context(), c.Param("code"))
	if err != nil {
		return err
	}
	code, err := qr.Encode(s.statusURL(sale), qr.M, qr.Auto)
	if err != nil {
		return err
	}
	if code, err = barcode.Scale(code, qrPixels, qrPixels); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, code); err != nil {
		return err
	}
	c.Data(http.StatusOK, "image/png", out.Bytes())
	return nil
}

// status is GET /s/{code}: what a customer may know of a sale, in their
// language, and nothing of whom it was for.
func (s *Server) status(c *gin.Context) error {
	sale, err := s.d.Sales.ByCode(c.Request.Context(), c.Param("code"))
	if err != nil {
		return err
	}
	shop, err := s.d.Staff.Shop(c.Request.Context(), sale.ShopID)
	if err != nil {
		return err
	}
	l := customersLocale(sale, shop)
	return s.render(c, http.StatusOK, templates.Status(templates.StatusPage{
		Locale: l, Shop: shop.Name, Code: receiptNumber(sale), State: string(sale.Fulfilment), At: l.DateTime(sale.RecordedAt), Last: l.DateTime(sale.UpdatedAt),
	}))
}
