package sale

import (
	"strings"

	"github.com/gin-gonic/gin"
	"golang.org/x/text/language"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/vault"
	"airtill/web/frame"
	"airtill/web/locale"
)

// CustomersLocale is the locale of a sale's customer: with the numbers of the shop's country, in its zone.
func CustomersLocale(sale sales.Sale, shop staff.Shop) locale.Locale {
	tag, err := language.Parse(sale.Language)
	if err != nil {
		tag = language.English
	}
	return locale.New(locale.At(tag, shop.Country), shop.Location())
}

// salePaper is one print of a sale's paper, in the customer's language, and the printer of this user's till.
func (s *Screens) salePaper(c *gin.Context, sale sales.Sale, p receipt.Print) (receipt.Paper, receipt.Printer, error) {
	ctx := c.Request.Context()
	shop, err := s.D.Staff.ShopAt(ctx, sale.ShopID, sale.RecordedAt)
	if err != nil {
		return receipt.Paper{}, receipt.Printer{}, err
	}
	printer, err := s.Printer(c)
	if err != nil {
		return receipt.Paper{}, receipt.Printer{}, err
	}
	l := CustomersLocale(sale, shop)
	facts, err := s.facts(c, l, sale)
	if err != nil {
		return receipt.Paper{}, receipt.Printer{}, err
	}
	told := saleFacts(l, shop, sale, p)
	told.Place = strings.Trim(facts.Till+" · "+facts.Cashier, " ·")
	told.StatusURL = s.statusURL(sale)
	if told.Words.Duplicate, err = s.DuplicateText(c, l, p); err != nil {
		return receipt.Paper{}, receipt.Printer{}, err
	}
	if p.Slip == receipt.Receipt {
		if err := s.addProviders(c, l, &told, sale); err != nil {
			return receipt.Paper{}, receipt.Printer{}, err
		}
	}
	paper := told.Paper(l.Language(), l.Direction() == locale.RightToLeft, printer.Width, printer.Columns)
	paper.Kick = printer.Kick && p.Slip != receipt.Waiting && p.Copy == receipt.Customers && p.Number == 1
	return paper, printer, nil
}

// saleFacts are a sale's facts from its own row.
func saleFacts(l locale.Locale, shop staff.Shop, sale sales.Sale, p receipt.Print) receipt.Sale {
	field := func(key, value string) receipt.Field { return receipt.Field{Name: l.Text(key), Value: value} }
	sum := func(key string, amount money.Amount) receipt.Field { return field(key, l.Amount(amount)) }
	whole, net := sale.Received()
	told := receipt.Sale{
		Kind: paperKind(sale), Slip: p.Slip, Copy: p.Copy, Words: paperWords(l, sale, p), Shop: shop.Name,
		Address: lines(shop.Address), TaxID: shop.TaxID,
		At:     l.Date(sale.RecordedAt) + " " + l.Seconds(sale.RecordedAt) + " " + l.Zone().String(),
		Number: frame.Spelled(sale.Code), Code: sale.Code,
		Provider:    field("facts.operator", sale.ProviderName),
		Product:     field("facts.product", sale.ProductText),
		Care:        field("facts.care", sale.CustomerCare),
		TransferRef: field("facts.transferRef", sale.TransferRef),
		ProviderRef: field("facts.providerRef", sale.ProviderRef),
		OwnRef:      field("facts.distributorRef", sale.Ref),
		Account:     field("facts.account", frame.AccountText(l, sale)),
		Masked:      field("facts.account", masked(l, sale)),
		BillRef:     field("facts.billRef", sale.BillRef),
		Tax:         field("facts.tax", frame.TaxText(l, sale.TaxName, sale.TaxRate)),
		Validity:    field("facts.validity", frame.Validity(l, sale.Validity)),
		Price:       sum("receipt.price", sale.Price()),
		Total:       sum("receipt.total", sale.Price()),
		Paid:        sum("receipt.paid", sale.Given()),
		Change:      sum("receipt.change", sale.Change()),
	}
	if !whole.IsZero() {
		told.Received = sum("facts.receive", whole)
	}
	if net != whole && !net.IsZero() {
		told.BeforeTax = sum("facts.receiveNet", net)
	}
	if fee := sale.Quoted().CustomerFee; !fee.IsZero() {
		told.Fee = sum("receipt.fee", fee)
	}
	return told
}

// masked is the account number on the shop's copy.
func masked(l locale.Locale, sale sales.Sale) string {
	if sale.Erased() {
		return frame.AccountText(l, sale)
	}
	return receipt.Masked(sale.AccountNumber)
}

// paperKind is what was sold as far as papers differ: a bill has a reference, a PIN no account number.
func paperKind(sale sales.Sale) receipt.SaleKind {
	switch {
	case sale.BillRef != "" || sale.Kind == string(catalog.KindBill):
		return receipt.Bill
	case strings.Trim(sale.AccountNumber, "0") == "":
		return receipt.PIN
	}
	return receipt.TopUp
}

func paperWords(l locale.Locale, sale sales.Sale, p receipt.Print) receipt.Words {
	w := receipt.Words{PIN: l.Text("pin.title")}
	switch {
	case p.Slip == receipt.Waiting:
		w.Title, w.Status = l.Text("receipt.waitingTitle"), l.Text("receipt.waiting")
		w.WaitingMore = l.Text("receipt.waitingMore")
	case p.Slip == receipt.Refund:
		w.Title, w.Status = l.Text("receipt.refundTitle"), l.Text("receipt.refund")
	case paperKind(sale) == receipt.Bill:
		w.Title, w.Status = l.Text("receipt.title"), l.Text("receipt.settled")
	default:
		w.Title, w.Status = l.Text("receipt.title"), l.Text("receipt.sent")
	}
	if p.Copy == receipt.Shops {
		w.ShopCopy = l.Text("receipt.shopCopy")
	}
	if sale.Practice {
		w.Practice = l.Text("receipt.practice")
	}
	return w
}

// addProviders adds what the provider wrote for the customer, and how to use the purchase. A PIN is printed
// only for somebody it was revealed to a moment ago, and never without a trace.
func (s *Screens) addProviders(c *gin.Context, l locale.Locale, told *receipt.Sale, sale sales.Sale) error {
	product, _, err := s.D.Catalog.Find(c.Request.Context(), sale.SKUCode, l.Language())
	switch {
	case fault.KindOf(err) == fault.NotFound: // the catalogue has forgotten it and tells nothing
	case err != nil:
		return err
	case product.Redemption == "ReadAdditionalInformation":
		told.Redeem = receipt.Field{Name: l.Text("pin.redeem"), Value: product.AdditionalInformation}
	}
	if sale.SealedReceipt == "" || told.Copy == receipt.Shops {
		return nil
	}
	opened, err := s.D.Sales.Receipt(sale)
	if err != nil {
		return err
	}
	if opened.Secret {
		if err := s.mayPrintPIN(c, sale); err != nil {
			return err
		}
	}
	addOpened(l, told, opened)
	return nil
}

// mayPrintPIN lets a PIN be printed by those it is shown to.
func (s *Screens) mayPrintPIN(c *gin.Context, sale sales.Sale) error {
	shown, _, err := s.D.Sales.Shown(c.Request.Context(), sale.ID, frame.Present(c).User.ID)
	if err == nil && (!shown || !frame.Present(c).User.Can(staff.Sell)) {
		err = fault.New(fault.Conflict, "pin.show-first")
	}
	return err
}

func addOpened(l locale.Locale, told *receipt.Sale, opened vault.Receipt) {
	if opened.PIN() != "" {
		told.Kind, told.PIN = receipt.PIN, l.GroupDigits(opened.PIN())
	}
	told.Serial = receipt.Field{Name: l.Text("pin.serial"), Value: opened.Params["serial"]}
	told.Expiry = receipt.Field{Name: l.Text("pin.expiry"), Value: opened.Params["expiry"]}
	told.Token = receipt.Field{Name: l.Text("receipt.token"), Value: opened.Params["token"]}
	for _, name := range opened.OtherParams() {
		if opened.Secret {
			told.Others = append(told.Others, receipt.Field{Name: name, Value: opened.Params[name]})
		}
	}
	told.Units = receipt.Field{Name: l.Text("receipt.units"), Value: opened.Params["units"]}
	told.ProviderText = opened.Text
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}
