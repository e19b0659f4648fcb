package templates_test

import (
	"airtill/internal/statement"
	"airtill/web/locale"
	"airtill/web/templates"
)

// bookPages are the differences, and what stands beside them.
func bookPages(l locale.Locale) []shown {
	f := frame(l, "/reconcile")
	f.Till, f.User = "", "Fionn"
	f.May = templates.Permissions{Sales: true, Today: true, Reports: true, Reconcile: true}
	queue := queuePage(l, f)
	empty, tried, refused := queue, queue, queue
	empty.Rows, empty.Narrow = nil, false
	empty.Figures = []templates.Figure{{Name: l.Text("reconcile.unresolved"), Value: "0", Tone: "good", Large: true}}
	tried.Dry = &templates.DryRun{Summary: l.Text("reconcile.dryDone", "412", "408", "1"), Rows: dryRows(l)}
	refused.Problem, refused.Failed = "The transfer service did not answer.", "The last check failed."
	quiet := queue
	quiet.Dry, quiet.MayLook = &templates.DryRun{Summary: "0"}, false
	return []shown{
		{name: "reconcile", component: templates.Reconcile(queue)},
		{name: "reconcile-empty", component: templates.Reconcile(empty)},
		{name: "reconcile-dry", component: templates.Reconcile(tried)},
		{name: "reconcile-dry-nothing", component: templates.Reconcile(quiet)},
		{name: "reconcile-refused", component: templates.Reconcile(refused)},
		{name: "break", component: templates.BreakOf(breakPage(l, f))},
		{name: "break-proposed", component: templates.BreakOf(proposedBreak(l, f))},
		{name: "break-resolved", component: templates.BreakOf(templates.BreakPage{
			Frame: f, ID: "B3", Kind: l.Text("break.kind.late_success"), Why: l.Text("break.why.late_success"), Amount: "−€9.40", State: l.Text("break.is.resolved"),
			Tone: "good", Icon: "circle-check", Owner: "Fionn", SaleURL: "/sales/1", Acts: []templates.BreakAct{{At: l.DateTime(noon), Who: "Fionn", What: l.Text("break.did.resolved"), Note: hostile}},
		})},
		{name: "outside", component: templates.Outside(outsidePage(l, f))},
		{name: "outside-empty", component: templates.Outside(templates.OutsidePage{Frame: f, Currency: "EUR"})},
		{name: "drawers", component: templates.Drawers(templates.DrawersPage{Frame: f, Days: 30, Later: true, Rows: []templates.DrawerRow{
			{Cashier: "Aoife", Shifts: "21", Off: "3", Over: "€1.00", Short: "−€12.50", Later: "€2.50", URL: "/reports/cash"}, {Cashier: hostile, Shifts: "19", Off: "0", Over: "€0.00", Short: "€0.00", Later: "€0.00", URL: "/reports/cash"},
		}})},
		{name: "statements", component: templates.Statements(templates.StatementsPage{Frame: f, Rows: []templates.StatementRow{
			{URL: "/statements/1", Day: l.Date(noon), Number: "412", Shop: "Camden Street", ClosedAt: l.DateTime(noon)}, {URL: "/statements/2", Day: l.Date(noon), Number: "17", Shop: hostile, ClosedAt: l.DateTime(noon)},
		}})},
		{name: "statements-empty", component: templates.Statements(templates.StatementsPage{Frame: frame(l, "/statements")})},
		{name: "statement", component: templates.Statement(statementPage(l, f))},
		{name: "drawers-empty", component: templates.Drawers(templates.DrawersPage{Frame: f, Days: 30})},
	}
}

// dryRows are a difference of a sale, one that is over, and a record of no sale.
func dryRows(l locale.Locale) []templates.BreakRow {
	row := func(url, kind, about, would, tone, icon string) templates.BreakRow {
		return templates.BreakRow{
			URL: url, Kind: l.Text("break.kind." + kind), About: about, When: templates.Line{Name: l.Text("break.theirs"), Value: l.DateTime(noon)}, Who: l.Text("break.less"),
			State: l.Text("reconcile.would." + would), Tone: tone, Icon: icon, Amount: l.Amount(euro("-9.40")),
		}
	}
	return []templates.BreakRow{
		row("/sales/1", "commission", "Camden Street · LUIE14562", "open", "bad", "triangle-alert"),
		row("/reconcile/breaks/1", "state_behind", hostile, "end", "good", "circle-check"),
		row("", "foreign_sale", hostile+" · LUIE14562 · "+l.Text("reconcile.theirRef", "9X41"), "open", "bad", "triangle-alert"),
	}
}

func statementPage(l locale.Locale, f templates.Frame) templates.StatementPage {
	line := func(key, amount string, strong bool) templates.StatementLine {
		return templates.StatementLine{Name: l.Text("statement." + key), Amount: euro(amount), Strong: strong}
	}
	return templates.StatementPage{
		Frame: f, ID: "S1", Shop: "Camden Street", Title: l.Text("statement.of", "412", l.Date(noon)), Closed: l.Text("statement.closedAt", l.DateTime(noon)),
		Hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		Parts: []templates.StatementPart{
			{Title: l.Text("statement.cash") + " · EUR", Lines: []templates.StatementLine{
				line("opening", "150.00", true), line("taken", "1512.40", false), line("givenBack", "-10.30", false), line("banked", "-1502.10", false), line("overShort", "-12.50", false), line("closing", "137.50", true),
			}},
			{Title: l.Text("statement.trade") + " · EUR", Lines: []templates.StatementLine{
				line("faceValue", "1410.00", false), line("markUp", "52.40", false), line("commission", "98.20", false), line("cost", "-1410.00", false), line("margin", "150.60", true),
			}},
			{Title: l.Text("statement.breaks"), Lines: []templates.StatementLine{{Name: l.Text("break.kind.cash_short") + " × 1", Amount: euro("-12.50")}}},
		},
		Corrections: []statement.Correction{{
			SaleID: "1", Code: "K7Q2" + hostile, Sold: noon, Kinds: []string{"J14", "J4"}, Currency: "EUR", Margin: euro("-9.40").Micros(),
		}},
	}
}

func queuePage(l locale.Locale, f templates.Frame) templates.ReconcilePage {
	row := func(kind, about, amount, state, tone, icon string, days int) templates.BreakRow {
		return templates.BreakRow{
			URL: "/reconcile/breaks/" + kind, Kind: l.Text("break.kind." + kind), About: about, Amount: amount, When: templates.Line{Value: l.DateTime(noon.AddDate(0, 0, -days))},
			Who: "Fionn", State: l.Text("break.is." + state), Tone: tone, Icon: icon,
		}
	}
	return templates.ReconcilePage{
		Frame: f, MayLook: true,
		Figures: []templates.Figure{
			{Name: l.Text("reconcile.unresolved"), Value: "4", Tone: "bad", Large: true},
			{Name: l.Text("reconcile.sum"), Value: l.Amount(euro("478.16"))},
			{Name: l.Text("reconcile.balance"), Value: l.Amount(euro("3120.08")), Note: l.Text("reconcile.balanceNote", l.Time(noon))},
			{Name: l.Text("reconcile.quiet"), Value: l.Text("reconcile.agrees"), Note: l.DateTime(noon), Tone: "good"},
			{Name: l.Text("reconcile.records"), Value: "408", Note: l.Text("reconcile.recordsNote", l.Time(noon), "412")},
		},
		Ages: []templates.Line{{Name: l.Text("reconcile.upTo", l.Count("validity.days", 1)), Value: "3"}, {Name: l.Text("reconcile.older"), Value: "1"}},
		Filters: []templates.Pick{
			{Name: "kind", Text: l.Text("reconcile.kind"), Choices: []templates.Choice{{Text: l.Text("reconcile.anyKind")}, {Value: "price", Text: hostile}}},
			{Name: "state", Text: l.Text("reconcile.state"), Chosen: "resolved", Choices: []templates.Choice{{Text: l.Text("reconcile.unresolved")}, {Value: "resolved", Text: l.Text("reconcile.resolved")}}},
		},
		Rows: []templates.BreakRow{
			row("balance_up", l.Text("reconcile.allShops"), "€500.00", "open", "bad", "triangle-alert", 0),
			row("foreign_sale", "POS-"+hostile, "−€9.40", "proposed", "wait", "hourglass", 1),
			row("cash_short", "Camden Street · Till 2 · Aoife", "−€12.50", "open", "bad", "triangle-alert", 4),
			row("late_success", "Camden Street · IE_SH_10", "−€9.40", "resolved", "good", "circle-check", 12),
		},
	}
}

func breakPage(l locale.Locale, f templates.Frame) templates.BreakPage {
	option := func(key string) templates.Choice {
		return templates.Choice{Value: key, Text: l.Text("break.how." + key)}
	}
	return templates.BreakPage{
		Frame: f, ID: "B1", Kind: l.Text("break.kind.missing_upstream"), Why: l.Text("break.why.missing_upstream"), Amount: "€9.40", Float: "€9.40",
		State: l.Text("break.is.open"), Tone: "bad", Icon: "triangle-alert", Owner: l.Text("reconcile.nobody"), SaleURL: "/sales/1", May: true, Open: true, Problem: "Say why, in a few words.",
		Sides: []templates.Side{
			{Title: l.Text("break.ours"), Lines: []templates.Line{
				{Name: l.Text("break.when"), Value: l.DateTime(noon)}, {Name: l.Text("break.product"), Value: "IE_SH_10"}, {Name: l.Text("break.cost"), Value: "10.20 EUR"}, {Name: l.Text("break.commission"), Value: "0.80 EUR"},
			}},
			{Title: l.Text("break.theirs"), Lines: []templates.Line{{Name: l.Text("break.when"), Value: l.DateTime(noon)}, {Name: l.Text("break.ourRef"), Value: hostile}}},
			{Title: l.Text("break.ledger"), Lines: []templates.Line{{Name: "1100", Value: "-9.40 EUR"}, {Name: "4020", Value: "-0.30 EUR"}}},
			{Title: l.Text("break.candidates"), Causes: []templates.Cause{
				{Line: templates.Line{Name: l.Text("break.cause.doubtful"), Value: "−€9.40"}, URL: "/sales/1"}, {Line: templates.Line{Name: l.Text("break.cause.topup"), Value: "€500.00"}},
			}},
		},
		Form: &templates.ResolveForm{
			Resolutions: []templates.Choice{option("topup"), option("journal"), option("writeoff")}, Accounts: []templates.Choice{{Value: "5900", Text: l.Text("break.account.5900")}},
			Resolution: "journal", Reference: hostile,
		},
		Match: &templates.MatchForm{Note: hostile, Others: []templates.MatchChoice{
			{ID: "B9", Kind: l.Text("break.kind.foreign_sale"), About: "POS-" + hostile, URL: "/reconcile/breaks/B9"},
			{ID: "B8", Kind: l.Text("break.kind.ledger"), About: "Camden Street · IE_SH_10 · " + l.DateTime(noon), URL: "/reconcile/breaks/B8", SaleURL: "/sales/8"},
		}},
		Acts: []templates.BreakAct{
			{At: l.DateTime(noon), Who: l.Text("break.byTill"), What: l.Text("break.did.found")},
			{At: l.DateTime(noon), Who: "Fionn", What: l.Text("break.did.commented"), Note: "asked the upstream " + hostile},
		},
	}
}

func proposedBreak(l locale.Locale, f templates.Frame) templates.BreakPage {
	p := breakPage(l, f)
	p.Open, p.Form, p.Match, p.Problem, p.Mine, p.Owner = false, nil, nil, "", true, "Fionn"
	p.State, p.Tone, p.Icon = l.Text("break.is.proposed"), "wait", "hourglass"
	p.Proposal = &templates.BookProposal{How: l.Text("break.how.writeoff"), Books: l.Text("break.books", "€9.40", l.Text("break.account.5900")), By: l.Text("break.proposed", "Fionn", l.DateTime(noon))}
	return p
}

func outsidePage(l locale.Locale, f templates.Frame) templates.OutsidePage {
	by := l.Text("outside.by", "Fionn")
	return templates.OutsidePage{
		Frame: f, Currency: "EUR", MayTopUp: true, MayDeclare: true, TopUpTrouble: "A payment with this reference was entered already.", Reference: hostile,
		TopUps: []templates.TopUpRow{
			{ID: "1", Amount: "€500.00", Reference: "INV 2026-77", Paid: l.Text("break.account.1010"), By: by, State: l.Text("outside.waits"), Tone: "wait", Icon: "hourglass", Waits: true},
			{ID: "2", Amount: "€250.00", Reference: hostile, Paid: l.Text("break.account.2100"), By: by, State: l.Text("outside.arrived", l.Date(noon)), Tone: "good", Icon: "circle-check"},
		},
		Sellers: []templates.SellerRow{{Prefix: "POS2-", Name: "Web shop", By: by, State: l.Text("outside.waits"), Tone: "wait", Icon: "hourglass", Waits: true}},
		Sold:    []templates.SoldRow{{At: l.DateTime(noon), Ref: "POS2-1771", Product: "Shannon · EUR 10.00 (IE_SH_10)", Amount: "−€9.40"}},
	}
}
