package templates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/receipt"
	"airtill/web/locale"
	"airtill/web/templates"
)

func piles() templates.Piles {
	return templates.Piles{
		Currency: "EUR",
		Notes:    []templates.PileField{{Name: "pieces-50000000", Label: "€50", Micros: 50_000_000}, {Name: "pieces-5000000", Label: "€5", Micros: 5_000_000, Value: "3"}},
		Coins:    []templates.PileField{{Name: "pieces-20000", Label: "€0.02", Micros: 20_000, Value: hostile}},
	}
}

// tillPages are the pages of tills, drawers and reports.
func tillPages(l locale.Locale) []shown {
	f, boss := frame(l, "/shift"), frame(l, "/shift")
	f.Seated = true
	boss.May.Today = true
	return []shown{
		{name: "tills", component: templates.Tills(templates.TillsPage{Frame: f, Tills: []templates.TillPlace{
			{ID: "1", Name: "Till 1", Held: "Brian has worked here since 09:02"}, {ID: "2", Name: "Till 2", Held: "You have worked here since 09:31", Here: true, Free: true}, {ID: "3", Name: hostile, Free: true},
		}})},
		{name: "till-taken", component: templates.Take(templates.TakePage{Frame: f, TillID: "1", TillName: "Till 1", Holder: hostile})},
		{name: "frozen", component: templates.Frozen(templates.FrozenPage{Frame: frame(l, "/counter"), TillID: "1", Why: "Brian closed its shift at 12:30 on another device.", Undone: true})},
		{name: "count", component: templates.CountDrawer(templates.CountPage{Frame: f, Key: "01J0KEY", ShiftID: "1", Piles: piles()})},
		{name: "count-again", component: templates.CountDrawer(templates.CountPage{
			Frame: boss, Key: "01J0KEY", ShiftID: "1", Again: true, Whose: "Till 1", Piles: piles(), Loose: "4.20", Left: hostile, Problem: "Enter the amount in digits.",
		})},
		{name: "report", component: templates.ShiftReport(templates.ReportPage{
			Frame: f, Title: "Z report 12", Lead: "Camden Street · Till 2", Hash: "5f2b1d0c9a8e7f6d5c4b3a29180706f5e4d3c2b1a09f8e7d6c5b4a3928170605", PrintURL: "/shift/1/receipt",
			Verdict: []templates.Figure{{Name: "Expected", Value: "€512.40"}, {Name: "Counted", Value: "€512.00"}, {Name: "Difference", Value: "-€0.40", Note: "Short", Tone: "bad"}},
			Sections: []templates.ReportSection{
				{Title: "Drawer", Lines: []templates.Line{{"Cash at the start", "€150.00"}, {"Taken for sales", "€362.40"}}, Total: &templates.Line{Name: "Expected", Value: "€512.40"}},
				{Title: "Carried over", None: "Nothing is carried over."},
			},
		})},
		{name: "shifts", component: templates.Shifts(templates.ShiftsPage{Frame: boss, Rows: []templates.ShiftRow{
			{URL: "/shift/2", Till: "Till 1", Number: 13, Cashier: "Aoife", OpenedAt: noon.Add(-3 * time.Hour)},
			{URL: "/shift/1", Till: "Till 1", Number: 12, Cashier: "Brian", OpenedAt: noon.Add(-30 * time.Hour), Closed: "13 Mar 2026, 18:02", Counted: "€512.00", Verdict: "Short", Tone: "bad", Amount: "-€0.40", Later: "€0.40"},
			{URL: "/shift/0", Till: "Till 2", Number: 4, Cashier: hostile, OpenedAt: noon.Add(-40 * time.Hour), Closed: "12 Mar 2026, 18:02", Counted: "€350.00", Verdict: "Correct", Tone: "good"},
		}})},
		{name: "printer", component: templates.Printer(templates.PrinterPage{Frame: boss, Printer: receipt.Printer{Width: 58, Columns: 32, Bridge: hostile, Kick: true}, Problem: "The printer bridge is an address on this machine."})},
		{name: "shifts-none", component: templates.Shifts(templates.ShiftsPage{Frame: boss})},
	}
}

// What is counted is not known before: no page of a count says what the books
// expect.
func TestACountIsBlind(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"count", "count-again"} {
		doc := pageNamed(t, page)
		require.NotContains(t, doc.Find("main").Text(), "Expected", page)
		require.Equal(t, "01J0KEY", doc.Find(`form[action="/shift/close"] input[name="key"]`).AttrOr("value", ""), page)
		require.True(t, has(doc.Find("[data-sum]"), "hidden"))
	}
}

func TestATakeOverIsNotTheFirstThingEnterDoes(t *testing.T) {
	t.Parallel()
	doc := pageNamed(t, "till-taken")
	require.True(t, has(button(t, doc, "Choose another till"), "autofocus"))
	require.Equal(t, "1", doc.Find(`form[action="/till"] input[name="take"]`).AttrOr("value", ""))
}

func paperPage(l locale.Locale) templates.PaperPage {
	paper := receipt.Paper{Language: l.Language(), RTL: l.Direction() == locale.RightToLeft, Title: "Receipt", Width: 80, Columns: 48, Lines: []receipt.Line{
		{Kind: receipt.Head, Value: "Camden Street"},
		{Kind: receipt.Centre, Value: "Till 2 · Aoife"},
		{Kind: receipt.Stamp, Value: "SENT"},
		{Kind: receipt.Stamp, Value: "DUPLICATE 1"},
		{Kind: receipt.Rule},
		{Kind: receipt.Pair, Name: "Operator", Value: hostile},
		{Kind: receipt.Secret, Value: "4829 1550 3377"},
		{Kind: receipt.Text, Value: "Dial *100# for your balance.\n" + hostile},
		{Kind: receipt.Total, Name: "TOTAL", Value: "€10.30"},
		{Kind: receipt.Code, Value: "https://airtill.example/s/K7Q2"},
		{Kind: receipt.Head, Value: "K7Q2"},
	}}
	return templates.PaperPage{
		Locale: l, Paper: paper, QRURL: "/s/K7Q2/qr.png", BackURL: "/sales/1", PrintURL: "/sales/1/print", CSRF: "token-of-this-session", Key: "01J0KEY", Copy: "customer",
		OtherURL: "/sales/1/receipt?copy=shop", AskURL: "/sales/1/print/2/open", FailURL: "/sales/1/print/2/fail", FileURL: "/sales/1/receipt.escpos?print=2",
		Bridge: "http://127.0.0.1:9101/print", Failed: true, NotPrinted: "Sent, but the receipt did not print. Print again.",
	}
}

func calibration(l locale.Locale) templates.PaperPage {
	p := paperPage(l)
	p.PrintURL, p.AskURL, p.Ruler, p.Failed, p.Paper.Width = "", "", true, false, 58
	return p
}
