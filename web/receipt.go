package web

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	narrowPaper = 58 // millimetres
	widePaper   = 80
)

// receipt is GET /sales/{id}/receipt: the paper of a sale that was sent, or the
// waiting slip of one that is open.
func (s *Server) receipt(c *gin.Context) error {
	sale, err := s.saleOf(c)
	if err != nil {
		return err
	}
	if !sale.Fulfilment.Open() && sale.Fulfilment != sales.Complete && sale.Cash != sales.CashRefunded {
		return fault.New(fault.Conflict, "This sale was not sent, so there is no receipt.")
	}
	paper, err := s.paper(c, sale)
	if err != nil {
		return err
	}
	if c.Query("width") == "58" {
		paper.Width = narrowPaper
	}
	return s.render(c, http.StatusOK, templates.ReceiptPage(paper))
}

func (s *Server) paper(c *gin.Context, sale sales.Sale) (templates.Receipt, error) {
	l, ctx := s.localeOf(c.Request), c.Request.Context()
	shop, err := s.d.Staff.Shop(ctx, sale.ShopID)
	if err != nil {
		return templates.Receipt{}, err
	}
	facts, err := s.facts(c, l, sale)
	if err != nil {
		return templates.Receipt{}, err
	}
	paper := templates.Receipt{
		Locale: l, Width: widePaper, Shop: shop.Name, Address: lines(shop.Address), TaxID: shop.TaxID, Till: facts.Till, Cashier: facts.Cashier,
		At: sale.RecordedAt, Number: receiptNumber(sale), Code: sale.Code, QRURL: "/s/" + sale.Code + "/qr.png", StatusURL: s.statusURL(sale),
		Waiting: sale.Fulfilment.Open(), Refund: sale.Cash == sales.CashRefunded, Practice: sale.Practice, AutoPrint: c.Query("print") != "",
		Lines: receiptLines(l, sale, facts), Total: sale.Price(), Fee: facts.Fee,
	}
	if paper.Waiting {
		return paper, nil
	}
	return paper, s.addReceiptText(c, &paper, sale)
}

// addReceiptText adds what the provider wrote. A PIN is printed only for whom
// it was revealed a moment ago, and never without a trace.
func (s *Server) addReceiptText(c *gin.Context, paper *templates.Receipt, sale sales.Sale) error {
	if sale.SealedReceipt == "" {
		return nil
	}
	receipt, err := s.d.Sales.Receipt(sale)
	if err != nil {
		return err
	}
	if receipt.PIN() == "" {
		paper.ProviderText = receipt.Text
		return nil
	}
	shown, _, err := s.d.Sales.Shown(c.Request.Context(), sale.ID, present(c).User.ID)
	if err != nil {
		return err
	}
	if !shown || !present(c).User.Can(staff.Sell) {
		return fault.New(fault.Conflict, "Show the PIN on the sale's page first, then print. Every showing is kept on record.")
	}
	paper.PIN, paper.Serial, paper.ProviderText = receipt.PIN(), receipt.Params["serial"], receipt.Text
	return nil
}

// receiptLines are the lines of a receipt in the order of the paper. A waiting
// slip shows only the end of the account number and our own reference.
func receiptLines(l locale.Locale, sale sales.Sale, f templates.Facts) []templates.Line {
	account := f.Account
	if sale.Fulfilment.Open() {
		account = masked(sale.AccountNumber)
	}
	out := []templates.Line{
		{Name: l.Text("facts.operator"), Value: sale.ProviderName},
		{Name: l.Text("facts.product"), Value: sale.ProductText},
		{Name: l.Text("facts.account"), Value: account},
		{Name: l.Text("facts.distributorRef"), Value: sale.Ref},
	}
	if !sale.Fulfilment.Open() {
		if f.Receive != nil {
			out = append(out, templates.Line{Name: l.Text("facts.receive"), Value: l.Amount(*f.Receive)})
		}
		if f.ReceiveNet != nil {
			out = append(out, templates.Line{Name: l.Text("facts.receiveNet"), Value: l.Amount(*f.ReceiveNet)})
		}
		out = append(out,
			templates.Line{Name: l.Text("facts.tax"), Value: f.Tax},
			templates.Line{Name: l.Text("facts.validity"), Value: f.Validity},
			templates.Line{Name: l.Text("facts.transferRef"), Value: sale.TransferRef},
			templates.Line{Name: l.Text("facts.providerRef"), Value: sale.ProviderRef})
	}
	out = append(out, templates.Line{Name: l.Text("facts.care"), Value: sale.CustomerCare})
	known := out[:0]
	for _, line := range out {
		if line.Value != "" {
			known = append(known, line)
		}
	}
	return known
}

const unmasked = 3 // digits at the end that a slip shows

func masked(number string) string {
	if strings.Trim(number, "0") == "" || len(number) <= unmasked {
		return ""
	}
	return strings.Repeat("•", len(number)-unmasked) + number[len(number)-unmasked:]
}

// receiptNumber names a receipt within its shift.
func receiptNumber(sale sales.Sale) string {
	return sale.Code[:4] + "-" + sale.Code[4:]
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

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

// status is GET /s/{code}: what a customer may know of a sale, and nothing of
// whom it was for.
func (s *Server) status(c *gin.Context) error {
	sale, err := s.d.Sales.ByCode(c.Request.Context(), c.Param("code"))
	if err != nil {
		return err
	}
	shop, err := s.d.Staff.Shop(c.Request.Context(), sale.ShopID)
	if err != nil {
		return err
	}
	l := s.localeOf(c.Request).In(shop.Location())
	return s.render(c, http.StatusOK, templates.Status(templates.StatusPage{
		Locale: l, Shop: shop.Name, Code: receiptNumber(sale), State: string(sale.Fulfilment), At: l.DateTime(sale.RecordedAt), Last: l.DateTime(sale.UpdatedAt),
	}))
}
