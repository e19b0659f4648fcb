package sale

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/vault"
	"airtill/web/locale"
	"airtill/web/templates"
)

// sold is a sale as its paper sees it.
func sold(kind receipt.SaleKind) sales.Sale {
	sale := sales.Sale{
		Code: "K7Q2ABCD", RecordedAt: time.Date(2026, 3, 14, 12, 31, 7, 0, time.UTC),
		Terms: sales.Terms{
			ProviderName: "Shannon Mobile", ProductText: "Top-up 10", CustomerCare: "1747", AccountNumber: "353871234567",
			SendMicros: 10_000_000, SendCurrency: "EUR", CustomerFeeMicros: 500_000, ReceiveCurrency: "EUR",
			ReceiveMicros: 10_000_000, ReceiveExTaxMicros: 8_130_000, TaxName: "VAT", TaxRate: "0.23", Validity: "P30D",
			PriceMicros: 10_300_000, PriceCurrency: "EUR",
		},
		Send: sales.Send{Ref: "AT01J0SALE0000000000000000000001"},
		Outcome: sales.Outcome{
			TransferRef: "863785357", ProviderRef: "LM-552019", ActualReceiveMicros: 10_000_000, ActualExTaxMicros: 8_130_000,
		},
		Fulfilment: sales.Complete, Cash: sales.CashEarned,
	}
	switch kind {
	case receipt.PIN:
		sale.GivenMicros = 20_000_000
		sale.AccountNumber, sale.ProductText = "0000000000", "Calling card PIN"
	case receipt.Bill:
		sale.BillRef, sale.ProductText = "INV-2026-771", "Electricity bill"
	case receipt.TopUp:
	}
	return sale
}

// goldenPaper writes one print as it is written for a real sale.
func goldenPaper(l locale.Locale, kind receipt.SaleKind, p receipt.Print, width, columns int) receipt.Paper {
	sale := sold(kind)
	if p.Slip == receipt.Waiting {
		sale.Fulfilment = sales.Unknown
	}
	shop := staff.Shop{Name: "Camden Street", Address: "14 Camden Street Lower\nDublin 2", TaxID: "IE 1234567A"}
	told := saleFacts(l, shop, sale, p)
	told.Place, told.StatusURL = "Till 2 · Aoife", "https://till.example/s/K7Q2ABCD"
	if p.Slip == receipt.Receipt {
		opened := vault.Receipt{Text: "Dial *100# for your balance."}
		switch kind {
		case receipt.PIN:
			opened.Params = map[string]string{"pin": "482915503377", "serial": "SN-0099120034", "expiry": "2026-12-31"}
		case receipt.Bill:
			opened.Params = map[string]string{"token": "5521 0041 7782 1190", "units": "41.7 kWh"}
		case receipt.TopUp:
		}
		addOpened(l, &told, opened)
	}
	if p.Number > 1 {
		told.Words.Duplicate = l.Text("receipt.duplicate", l.Number(int64(p.Number-1))) + " · Aoife · " + l.DateTime(p.At)
	}
	return told.Paper(l.Language(), l.Direction() == locale.RightToLeft, width, columns)
}

// TestGoldenReceipts holds each kind of paper, for each width and in two
// languages, as text of its page and as what a roll printer is sent, against
// testdata/receipts. UPDATE=1 writes the files; read the difference.
func TestGoldenReceipts(t *testing.T) {
	t.Parallel()
	prints := map[string]struct {
		kind  receipt.SaleKind
		print receipt.Print
	}{
		"top-up":      {receipt.TopUp, receipt.Print{Slip: receipt.Receipt, Copy: receipt.Customers, Number: 1}},
		"top-up-shop": {receipt.TopUp, receipt.Print{Slip: receipt.Receipt, Copy: receipt.Shops, Number: 1}},
		"pin":         {receipt.PIN, receipt.Print{Slip: receipt.Receipt, Copy: receipt.Customers, Number: 1}},
		"pin-again":   {receipt.PIN, receipt.Print{Slip: receipt.Receipt, Copy: receipt.Customers, Number: 2, At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}},
		"pin-shop":    {receipt.PIN, receipt.Print{Slip: receipt.Receipt, Copy: receipt.Shops, Number: 1}},
		"bill":        {receipt.Bill, receipt.Print{Slip: receipt.Receipt, Copy: receipt.Customers, Number: 1}},
		"waiting":     {receipt.TopUp, receipt.Print{Slip: receipt.Waiting, Copy: receipt.Customers, Number: 1}},
		"refund":      {receipt.TopUp, receipt.Print{Slip: receipt.Refund, Copy: receipt.Customers, Number: 1}},
	}
	for name, c := range prints {
		for _, tag := range []string{"en", "ar"} {
			for width, columns := range map[int]int{receipt.Narrow: 32, receipt.Wide: 48} {
				paper := goldenPaper(locale.New(language.MustParse(tag), nil), c.kind, c.print, width, columns)
				printed, err := paper.ESCPOS()
				require.NoError(t, err)
				file := fmt.Sprintf("%s-%s-%d", name, tag, width)
				requireGolden(t, file+".txt", pageText(t, paper))
				requireGolden(t, file+".escpos", readable(printed))
			}
		}
	}
}

func requireGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "receipts", name)
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, name)
}

// pageText is what the page of a paper says, a line for a line.
func pageText(t *testing.T, paper receipt.Paper) string {
	t.Helper()
	var html strings.Builder
	require.NoError(t, templates.PaperOf(templates.PaperPage{Locale: locale.New(language.English, nil), Paper: paper, QRURL: "/qr.png"}).Render(t.Context(), &html))
	page, err := goquery.NewDocumentFromReader(strings.NewReader(html.String()))
	require.NoError(t, err)
	var out strings.Builder
	for _, line := range page.Find(".slip").Children().EachIter() {
		text := strings.Join(strings.Fields(line.Text()), " ")
		if goquery.NodeName(line) == "hr" {
			text = "----"
		}
		if class := line.AttrOr("class", ""); class != "" {
			text = class + ": " + text
		}
		out.WriteString(text + "\n")
	}
	return out.String()
}

// readable writes ESC/POS with its commands in brackets, in hexadecimal; a
// picture is its size and a sum of its dots.
func readable(stream []byte) string {
	var out strings.Builder
	for len(stream) > 0 {
		n := 1
		switch {
		case strings.HasPrefix(string(stream), "\x1dv0"):
			across, high := int(stream[4])+int(stream[5])<<8, int(stream[6])+int(stream[7])<<8
			n = 8 + across*high
			sum := uint32(0)
			for _, b := range stream[8:n] {
				sum = sum*31 + uint32(b)
			}
			fmt.Fprintf(&out, "[picture %d×%d %08x]\n", across*8, high, sum)
		case stream[0] == '\n', stream[0] >= ' ' && stream[0] < 0x7f:
			out.WriteByte(stream[0])
		default:
			fmt.Fprintf(&out, "[%02x]", stream[0])
		}
		stream = stream[n:]
	}
	return out.String()
}

func TestTheStatusPageSpeaksTheCustomersLanguage(t *testing.T) {
	t.Parallel()
	sale := sales.Sale{Language: "es"}
	require.Equal(t, "es", CustomersLocale(sale, staff.Shop{Zone: "Europe/Madrid"}).Language())
	sale.Language = "not a language"
	require.Equal(t, "en", CustomersLocale(sale, staff.Shop{}).Language())
}

// TestACustomerReadsTheNumbersOfTheCountry, as the cashier does: Arabic has other digits in Morocco than in Egypt, and
// Spanish another decimal mark in Mexico than in Spain.
func TestACustomerReadsTheNumbersOfTheCountry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, country, want string }{
		{"ar", "MA", "10,5"}, {"ar", "EG", "١٠٫٥"}, {"es", "MX", "10.5"}, {"es", "ES", "10,5"}, {"en", "IE", "10.5"}, {"hi", "", "10.5"},
	} {
		l := CustomersLocale(sales.Sale{Language: c.language}, staff.Shop{Country: c.country})
		require.Equal(t, c.want, strings.TrimSpace(l.Decimal("10.5")), c)
	}
}
