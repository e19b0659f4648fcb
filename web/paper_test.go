package web

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/harness/storetest"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/vault"
	"airtill/web/locale"
	"airtill/web/templates"
)

// sold is a sale as its paper sees it.
func sold(kind receipt.SaleKind) sales.Sale {
	sale := sales.Sale{
		Code: "K7Q2ABCD", RecordedAt: time.Date(2026, 3, 14, 12, 31, 7, 0, time.UTC), ProviderName: "Shannon Mobile", ProductText: "Top-up 10", CustomerCare: "1747",
		AccountNumber: "353871234567", Ref: "AT01J0SALE0000000000000000000001", TransferRef: "863785357", ProviderRef: "LM-552019",
		SendMicros: 10_000_000, SendCurrency: "EUR", CustomerFeeMicros: 500_000, ReceiveCurrency: "EUR", ActualReceiveMicros: 10_000_000, ActualExTaxMicros: 8_130_000,
		ReceiveMicros: 10_000_000, ReceiveExTaxMicros: 8_130_000, TaxName: "VAT", TaxRate: "0.23", Validity: "P30D", PriceMicros: 10_300_000, PriceCurrency: "EUR",
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
		"pin-again":   {receipt.PIN, receipt.Print{Slip: receipt.Receipt, Copy: receipt.Customers, Number: 2, At: noon}},
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

func TestEveryPrintOfAReceiptIsCountedAndOpensItsWindowOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		sku := fixed(t, w.get("/counter?number="+irish))
		sale := w.post("/sales", confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))).Header.Get("Location")
		require.True(t, strings.HasPrefix(w.outcome(sale), "Sent."))

		form := formOf(t, w.get(sale+"/receipt"), sale+"/print")
		first := w.post(sale+"/print", form).Header.Get("Location")
		require.Equal(t, first, w.post(sale+"/print", form).Header.Get("Location"), "two presses are one print")
		page := w.get(first).page(t)
		require.NotContains(t, page.Text(), "DUPLICATE")
		ask := page.Find("body").AttrOr("data-ask", "")
		require.Equal(t, http.StatusNoContent, w.post(ask, nil).StatusCode)
		require.Equal(t, http.StatusConflict, w.post(ask, nil).StatusCode, "a reload opens no second window")

		second := w.post(sale+"/print", formOf(t, w.get(sale+"/receipt"), sale+"/print")).Header.Get("Location")
		require.Contains(t, w.get(second).page(t).Find(".stamp").Text(), "DUPLICATE 1 · cashier · 1 Mar 2026, 12:00")
		shops := w.get(sale + "/receipt?copy=shop").page(t).Find(".slip").Text()
		require.Contains(t, shops, "*********567")
		require.NotContains(t, shops, "353 87")

		file := w.get(page.Find("body").AttrOr("data-file", ""))
		require.Equal(t, "application/octet-stream", file.Header.Get("Content-Type"))
		require.Contains(t, file.body, "TOTAL")
		require.Equal(t, http.StatusNotFound, w.get(sale+"/receipt.escpos").StatusCode, "only what is on record")

		require.Equal(t, http.StatusNoContent, w.post(page.Find("body").AttrOr("data-fail", ""), nil).StatusCode)
		require.NotContains(t, w.get(sale).page(t).Find(".verdict").Text(), "did not print", "a later print went well")
		last := w.get(second).page(t).Find("body").AttrOr("data-fail", "")
		require.Equal(t, http.StatusNoContent, w.post(last, nil).StatusCode)
		require.Contains(t, w.get(sale).page(t).Find(".verdict").Text(), "Sent, but the receipt did not print. Print again.")
	})
}

func TestAPrinterBridgeIsAllowedOnPagesThatPrintAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	boss := b.signIn(staff.Manager)
	form := formOf(t, boss.get("/till/printer"), "/till/printer")
	set := func(bridge string) answer {
		return boss.post("/till/printer", filled(url.Values{}, "csrf", form.Get("csrf"), "width", "58", "columns", "32", "bridge", bridge, "kick", "1"))
	}
	require.Equal(t, http.StatusUnprocessableEntity, set("http://10.0.0.7:9101").StatusCode)
	require.Equal(t, http.StatusSeeOther, set("http://127.0.0.1:9101/print").StatusCode)
	page := boss.get("/till/printer/test")
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "connect-src 'self' http://127.0.0.1:9101;")
	require.Equal(t, "http://127.0.0.1:9101/print", page.page(t).Find("body").AttrOr("data-bridge", ""))
	require.Equal(t, 1, page.page(t).Find(".ruler").Length())
	require.NotContains(t, boss.get("/shift").Header.Get("Content-Security-Policy"), "9101")
	file := boss.get("/till/printer/test.escpos").body
	require.Contains(t, file, strings.Repeat("1234567890", 5)[:48]+"\n", "the printer wraps it, not we")
	require.Contains(t, file, "\x1bp", "the drawer is tried too")
}

func TestReportsPrintOnTheSamePrinter(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Cashier)
	x := w.get("/shift").page(t).Find(".report-acts a[href^='/shift/0']").AttrOr("href", "")
	require.NotContains(t, w.get(x+"/receipt").page(t).Find(".slip").Text(), "Expected", "blind on paper too")
	w.closeWith("pieces-50000000", "2")
	paper := w.get(x + "/receipt").page(t).Find(".slip").Text()
	for _, part := range []string{"Z report 1", "Expected", "€50 × 2", "Difference"} {
		require.Contains(t, paper, part)
	}
	printed := w.post(x+"/print", formOf(t, w.get(x+"/receipt"), x+"/print"))
	file := w.get(printed.Header.Get("Location")).page(t).Find("a[download]").AttrOr("href", "")
	require.Contains(t, w.get(file).body, "Z report 1")
}

func TestTheStatusPageSpeaksTheCustomersLanguage(t *testing.T) {
	t.Parallel()
	sale := sales.Sale{Language: "es"}
	require.Equal(t, "es", customersLocale(sale, staff.Shop{Zone: "Europe/Madrid"}).Language())
	sale.Language = "not a language"
	require.Equal(t, "en", customersLocale(sale, staff.Shop{}).Language())
}
