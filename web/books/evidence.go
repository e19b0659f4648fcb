package books

import (
	"cmp"
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// evidenceOf reads what a break shows, with what was booked of a drawer's difference since its close.
func (s *Screens) evidenceOf(
	ctx context.Context, b reconcile.Break,
) (evidence reconcile.Evidence, later []till.Correction, err error) {
	if evidence, err = b.Read(); err == nil && evidence.Drawer != nil {
		later, err = s.D.Till.Corrections(ctx, b.Subject)
	}
	return evidence, later, err
}

// sides are what each witness of a difference says, without empty lines. A possible explanation may be another
// shop's: links to it are only for users who see every shop.
func sides(
	l locale.Locale, e reconcile.Evidence, b reconcile.Break, who frame.Names, seesAll bool,
	later []till.Correction,
) []templates.Side {
	var all []templates.Side
	if e.Ours != nil {
		all = append(all, ourSide(l, *e.Ours, b.OursAt, who))
	}
	for _, theirs := range e.Theirs {
		all = append(all, theirSide(l, theirs, who))
	}
	if len(e.Ledger) > 0 {
		all = append(all, ledgerSide(l, e.Ledger))
	}
	if e.Drawer != nil {
		all = append(all, drawerSide(l, *e.Drawer, later))
	}
	if e.Balance != nil {
		all = append(all, balanceSide(l, *e.Balance))
	}
	if len(e.Candidates) > 0 {
		all = append(all, candidateSide(l, e.Candidates, seesAll))
	}
	return all
}

func sideOf(title string, lines ...templates.Line) templates.Side {
	side := templates.Side{Title: title}
	for _, line := range lines {
		if line.Value != "" {
			side.Lines = append(side.Lines, line)
		}
	}
	return side
}

// written formats an amount of the evidence, which is plain text, for the reader.
func written(l locale.Locale, text string) string {
	amount, err := money.Read(text)
	if err != nil {
		return text
	}
	return l.Amount(amount)
}

func when(l locale.Locale, at *time.Time) templates.Line {
	if at == nil || at.IsZero() {
		return templates.Line{}
	}
	return templates.Line{Name: l.Text("break.when"), Value: l.DateTime(*at)}
}

func ourSide(l locale.Locale, o reconcile.OurSide, at *time.Time, who frame.Names) templates.Side {
	return sideOf(l.Text("break.ours"), when(l, at),
		templates.Line{Name: l.Text("break.stateIs"), Value: templates.StateWord(l, string(o.State))},
		templates.Line{Name: l.Text("break.product"), Value: who.Product(o.SKU)},
		templates.Line{Name: l.Text("break.number"), Value: o.Account},
		templates.Line{Name: l.Text("break.cost"), Value: written(l, o.Cost)},
		templates.Line{Name: l.Text("break.commission"), Value: written(l, o.Commission)},
		templates.Line{Name: l.Text("break.expected"), Value: written(l, o.Expected)},
		templates.Line{Name: l.Text("break.received"), Value: written(l, o.Received)},
	)
}

func theirSide(l locale.Locale, t reconcile.TheirSide, who frame.Names) templates.Side {
	return sideOf(l.Text("break.theirs"), when(l, &t.At),
		templates.Line{Name: l.Text("break.stateIs"), Value: templates.StateWord(l, string(t.State))},
		templates.Line{Name: l.Text("break.product"), Value: who.Product(t.SKU)},
		templates.Line{Name: l.Text("break.number"), Value: t.Account},
		templates.Line{Name: l.Text("break.cost"), Value: written(l, t.Cost)},
		templates.Line{Name: l.Text("break.commission"), Value: written(l, t.Commission)},
		templates.Line{Name: l.Text("break.received"), Value: written(l, t.Received)},
		templates.Line{Name: l.Text("break.transferRef"), Value: t.TransferRef},
		templates.Line{Name: l.Text("break.ourRef"), Value: t.Ref},
	)
}

func ledgerSide(l locale.Locale, entries []reconcile.LedgerLine) templates.Side {
	side := templates.Side{Title: l.Text("break.ledger")}
	for _, entry := range entries {
		side.Lines = append(side.Lines, templates.Line{Name: string(entry.Account), Value: written(l, entry.Amount)})
	}
	return side
}

func drawerSide(l locale.Locale, d reconcile.DrawerSide, later []till.Correction) templates.Side {
	side := sideOf(l.Text("break.drawer"), when(l, &d.ClosedAt),
		templates.Line{Name: l.Text("break.till"), Value: d.Till + " · " + l.Number(int64(d.Number))},
		templates.Line{Name: l.Text("break.bookExpected"), Value: written(l, d.Expected)},
		templates.Line{Name: l.Text("break.counted"), Value: written(l, d.Counted)},
	)
	side.Causes = frame.CorrectedLater(l, later)
	return side
}

func balanceSide(l locale.Locale, b reconcile.BalanceSide) templates.Side {
	return sideOf(l.Text("break.balance"), when(l, &b.At),
		templates.Line{Name: l.Text("break.told"), Value: written(l, b.Told)},
		templates.Line{Name: l.Text("break.bookExpected"), Value: written(l, b.Expected)},
		templates.Line{Name: l.Text("break.underWay"), Value: l.Number(int64(b.Open))},
	)
}

func candidateSide(l locale.Locale, candidates []reconcile.Candidate, led bool) templates.Side {
	side := templates.Side{Title: l.Text("break.candidates")}
	for _, c := range candidates {
		cause := templates.Cause{
			Line: templates.Line{Name: l.Text("break.cause." + c.What), Value: written(l, c.Amount)},
		}
		if led {
			cause.URL = candidateURL(c)
		}
		side.Causes = append(side.Causes, cause)
	}
	return side
}

// candidateURL is the page of a candidate: its difference, or its sale, or the list of payments.
func candidateURL(c reconcile.Candidate) string {
	switch {
	case c.BreakID != "":
		return breakURL(c.BreakID)
	case c.SaleID != "":
		return "/sales/" + c.SaleID
	}
	return "/reconcile/outside"
}

// aboutRecord names a record without a sale or a known shop.
func aboutRecord(l locale.Locale, b reconcile.Break, who frame.Names, otherwise string) string {
	e, err := b.Read()
	if err != nil || len(e.Theirs) == 0 {
		return otherwise
	}
	theirs := e.Theirs[0]
	return theirs.Ref + " · " + who.Product(theirs.SKU) + " · " + l.Text("reconcile.theirRef", theirs.TransferRef)
}

func wouldTone(would reconcile.Would) (tone, icon string) {
	switch would {
	case reconcile.WouldEnd:
		return breakTone(reconcile.Resolved)
	case reconcile.WouldRenew:
		return breakTone(reconcile.Proposed)
	default:
		return breakTone(reconcile.Open)
	}
}

// namesFor are the names of what rows of these differences show.
func (s *Screens) namesFor(c *gin.Context, breaks ...reconcile.Break) (frame.Names, error) {
	var skus []string
	for _, b := range breaks {
		e, err := b.Read()
		if err != nil {
			continue // its row says no more than its shop
		}
		if e.Ours != nil {
			skus = append(skus, e.Ours.SKU)
		}
		for _, theirs := range e.Theirs {
			skus = append(skus, theirs.SKU)
		}
	}
	return s.namesWith(c, skus)
}

// namesWith are the names that pages show, with these products'.
func (s *Screens) namesWith(c *gin.Context, skus []string) (who frame.Names, err error) {
	if who, err = s.Names(c); err == nil {
		who.Products, err = s.ProductNames(c.Request.Context(), s.FileLocale(c), skus)
	}
	return who, err
}

func breakURL(id string) string { return "/reconcile/breaks/" + id }

// breakRow is a break in a list.
func breakRow(l locale.Locale, b reconcile.Break, who frame.Names) templates.BreakRow {
	row := templates.BreakRow{
		Kind: l.Text("break.kind." + string(b.Kind)), About: aboutBreak(l, b, who), Amount: l.Amount(b.Amount()),
		When: templates.Line{Value: l.DateTime(b.FoundAt)}, Who: who.People[b.Owner],
		State: l.Text("break.is." + string(reconcile.Open)),
	}
	if b.ID != "" {
		row.URL, row.State = breakURL(b.ID), l.Text("break.is."+string(b.State))
	}
	if row.Who == "" && b.Unresolved() {
		row.Who = l.Text("reconcile.nobody")
	}
	row.Tone, row.Icon = breakTone(b.State)
	return row
}

func breakTone(state reconcile.State) (tone, icon string) {
	switch state {
	case reconcile.Resolved:
		return "good", "circle-check"
	case reconcile.Proposed:
		return "wait", "hourglass"
	default:
		return "bad", "triangle-alert"
	}
}

// aboutBreak says in a few words what a break is about.
func aboutBreak(l locale.Locale, b reconcile.Break, who frame.Names) string {
	shop := cmp.Or(who.Shops[b.ShopID], l.Text("reconcile.allShops"))
	e, err := b.Read()
	switch {
	case err != nil:
		return shop
	case e.Drawer != nil:
		return shop + " · " + e.Drawer.Till + " · " + who.People[b.CashierID]
	case e.Ours != nil:
		return shop + " · " + who.Product(e.Ours.SKU)
	case len(e.Theirs) > 0:
		return shop + " · " + e.Theirs[0].Ref
	}
	return shop
}
