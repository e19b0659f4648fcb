package receipt_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/receipt"
	"airtill/internal/store"
)

func text(p receipt.Paper) string {
	var b strings.Builder
	for _, line := range p.Lines {
		b.WriteString(string(line.Kind) + " " + line.Name + " " + line.Value + "\n")
	}
	return b.String()
}

func paperOf(kind receipt.SaleKind, slip receipt.Slip, copied receipt.Copy) string {
	field := func(name string) receipt.Field { return receipt.Field{Name: name, Value: "the " + name} }
	sale := receipt.Sale{
		Kind: kind, Slip: slip, Copy: copied, Words: receipt.Words{Title: "Receipt", Status: "SENT", PIN: "PIN"}, Shop: "Corner Shop", TaxID: "IE1", Place: "Till 1", At: "12:00",
		Number: "K7Q2-1111", Code: "K7Q21111", StatusURL: "https://till.example/s/K7Q21111",
		Provider: field("provider"), Product: field("product"), Care: field("care"), TransferRef: field("transferRef"), ProviderRef: field("providerRef"), OwnRef: field("ownRef"),
		Account: field("whole number"), Masked: field("masked number"), BillRef: field("billRef"), Received: field("received"), BeforeTax: field("beforeTax"), Tax: field("tax"),
		Validity: field("validity"), Serial: field("serial"), Expiry: field("expiry"), Redeem: field("redeem"), Token: field("token"), Units: field("units"),
		Price: field("price"), Fee: field("fee"), Total: field("total"), Paid: field("paid"), Change: field("change"), ProviderText: "provider text",
		Others: []receipt.Field{field("other")},
	}
	if kind == receipt.PIN {
		sale.PIN, sale.ProviderText, sale.Token = "1234 5678", "the PIN 1234 5678", receipt.Field{}
	}
	return text(sale.Paper("en", false, receipt.Wide, 48))
}

// The table of what stands on which paper, line by line.
func TestWhatStandsOnWhichPaper(t *testing.T) {
	t.Parallel()
	always := []string{"Corner Shop", "IE1", "Till 1", "12:00", "K7Q2-1111", "https://till.example", "the provider", "the product", "the care", "the price", "the fee", "the total", "SENT"}
	for name, c := range map[string]struct {
		paper    string
		has, not []string
	}{
		"top-up": {
			paperOf(receipt.TopUp, receipt.Receipt, receipt.Customers),
			[]string{"the paid", "the change", "the transferRef", "the providerRef", "the whole number", "the received", "the beforeTax", "the tax", "the validity", "provider text"},
			[]string{"the masked", "1234"},
		},
		"top-up, shop's copy": {
			paperOf(receipt.TopUp, receipt.Receipt, receipt.Shops), []string{"the transferRef", "the masked number"}, []string{"the whole", "provider text", "the token"},
		},
		"PIN": {
			paperOf(receipt.PIN, receipt.Receipt, receipt.Customers),
			[]string{"secret  1234 5678", "the serial", "the other", "the expiry", "the redeem", "the transferRef", "the received", "the validity"},
			[]string{"number\n"},
		},
		"PIN, shop's copy": {paperOf(receipt.PIN, receipt.Receipt, receipt.Shops), []string{"the transferRef"}, []string{"1234", "the serial", "the other", "provider text", "the redeem", "number\n"}},
		"bill": {
			paperOf(receipt.Bill, receipt.Receipt, receipt.Customers), []string{"the whole number", "the billRef", "the token", "the units", "the transferRef"}, []string{"the received", "the tax"},
		},
		"bill, shop's copy": {paperOf(receipt.Bill, receipt.Receipt, receipt.Shops), []string{"the masked number", "the billRef"}, []string{"the whole", "the token", "the units"}},
		"waiting": {
			paperOf(receipt.TopUp, receipt.Waiting, receipt.Customers),
			[]string{"the ownRef", "the masked number", "the paid", "the change"},
			[]string{"the transferRef", "the providerRef", "the whole", "the received", "provider text"},
		},
		"waiting PIN": {paperOf(receipt.PIN, receipt.Waiting, receipt.Customers), []string{"the ownRef"}, []string{"1234", "the serial", "number\n"}},
		"refund":      {paperOf(receipt.PIN, receipt.Refund, receipt.Customers), []string{"the ownRef"}, []string{"1234", "the serial", "the redeem", "provider text", "the paid", "the change"}},
	} {
		for _, part := range append(c.has, always...) {
			require.Contains(t, c.paper, part, name)
		}
		for _, part := range c.not {
			require.NotContains(t, c.paper, part, name)
		}
	}
}

func TestTextFromOutsideCommandsNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a[2Jb\nc d", receipt.Clean("a\x1b[2Jb\nc\u00a0d\x00\x07\u202e\u2068\u200f"))
	require.Len(t, []rune(receipt.Clean(strings.Repeat("ü", 5000))), 2000)
	require.Equal(t, "a?b", receipt.Clean("a\xffb"))
	require.Equal(t, "Café Señor", receipt.Clean("Cafe\u0301 Sen\u0303or"), "a letter and its mark are one cell")
	sale := receipt.Sale{Slip: receipt.Receipt, Copy: receipt.Customers, ProviderText: "\x1bp\x00\x19\xfa\x1dV\x42\x03", StatusURL: "https://x/s/1"}
	printed, err := sale.Paper("en", false, receipt.Wide, 48).ESCPOS()
	require.NoError(t, err)
	require.NotContains(t, string(printed), "\x1bp")
	require.Equal(t, 1, bytes.Count(printed, []byte("\x1dV")), "our own cut alone")
}

func TestMasked(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"353871234567": "*********567", "0000000000": "", "123": "", "": ""} {
		require.Equal(t, want, receipt.Masked(number))
	}
}

// FuzzPaper: whatever a provider writes, no row is wider than the paper, and
// the drawer stays shut.
func FuzzPaper(f *testing.F) {
	for _, seed := range []string{"Dial *123#", strings.Repeat("w", 200), "شكرا لك 123", "\x1b@\x1bp", "日本語", "a\n\n\nb"} {
		f.Add(seed, 32, true)
		f.Add(seed, 48, false)
	}
	f.Fuzz(func(t *testing.T, provider string, columns int, rtl bool) {
		if columns < 16 || columns > 64 {
			return
		}
		sale := receipt.Sale{Slip: receipt.Receipt, Copy: receipt.Customers, ProviderText: provider, Provider: receipt.Field{Name: provider, Value: provider}}
		printed, err := sale.Paper("en", rtl, receipt.Wide, columns).ESCPOS()
		require.NoError(t, err)
		for _, line := range decode(t, printed) {
			require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line.text, "\n")))*line.times, columns, "%q", line.text)
		}
	})
}

func newPrints(db *store.DB) *receipt.Service {
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	return receipt.New(receipt.Deps{DB: db, Now: now, Audit: audit.New(audit.Deps{DB: db, Now: now, Log: slog.New(slog.DiscardHandler)})})
}

func TestEveryPrintIsOnRecordAndOpensOneWindow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, by := newPrints(db), audit.Actor{UserID: "aoife", TillID: "till"}
		first, err := s.Start(t.Context(), by, "form-1", "sale", receipt.Receipt, receipt.Customers)
		require.NoError(t, err)
		require.Equal(t, 1, first.Number)
		again, err := s.Start(t.Context(), by, "form-1", "sale", receipt.Receipt, receipt.Customers)
		require.NoError(t, err)
		require.Equal(t, first.ID, again.ID, "the same form is the same print")
		shops, err := s.Start(t.Context(), by, "form-2", "sale", receipt.Receipt, receipt.Shops)
		require.NoError(t, err)
		require.Equal(t, 1, shops.Number, "another copy is no duplicate")
		second, err := s.Start(t.Context(), by, "form-3", "sale", receipt.Receipt, receipt.Customers)
		require.NoError(t, err)
		require.Equal(t, 2, second.Number)
		records, err := s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.ReceiptReprinted})
		require.NoError(t, err)
		require.Len(t, records, 1)

		var all sync.WaitGroup
		leave := make([]bool, 8)
		for i := range leave {
			all.Go(func() { leave[i], _ = s.Open(t.Context(), second.ID, "sale") })
		}
		all.Wait()
		opened := 0
		for _, yes := range leave {
			if yes {
				opened++
			}
		}
		require.Equal(t, 1, opened)
		_, err = s.Find(t.Context(), second.ID, "another sale")
		require.Equal(t, fault.NotFound, fault.KindOf(err))
		require.NoError(t, s.Fail(t.Context(), second.ID, "sale"))
		prints, err := s.Prints(t.Context(), "sale")
		require.NoError(t, err)
		require.True(t, receipt.LastFailed(prints))
	})
}

func TestABridgeIsOnThisMachine(t *testing.T) {
	t.Parallel()
	s := newPrints(storetest.New(t))
	for address, ok := range map[string]bool{
		"": true, "http://127.0.0.1:9101/print": true, "http://localhost:9101": true, "http://[::1]:80/": true, "https://127.0.0.1:443/x": true,
		"http://127.0.0.1": false, "http://10.0.0.1:9101": false, "http://printer:9101": false, "ftp://127.0.0.1:1": false, "http://a@127.0.0.1:1": false,
		"http://127.0.0.1:1/?x=1": false, "javascript:alert(1)": false, "http://127.0.0.1.evil.example:1": false, "http://127.0.0.1:1; script-src *": false,
	} {
		err := s.SetPrinter(t.Context(), audit.Command("test"), receipt.Printer{TillID: "till", Width: 58, Columns: 32, Bridge: address})
		require.Equal(t, ok, err == nil, address)
	}
	printer, err := s.Printer(t.Context(), "till")
	require.NoError(t, err)
	require.Equal(t, 58, printer.Width)
	printer, err = s.Printer(t.Context(), "another")
	require.NoError(t, err)
	require.Equal(t, receipt.Printer{TillID: "another", Width: 80, Columns: 48}, printer)
	require.Error(t, s.SetPrinter(t.Context(), audit.Command("test"), receipt.Printer{TillID: "till", Width: 70, Columns: 32}))
}
