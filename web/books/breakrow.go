package books

import (
	"cmp"

	"github.com/gin-gonic/gin"

	"airtill/internal/reconcile"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

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
	who, err := s.Names(c)
	if err != nil {
		return who, err
	}
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
	who.Products, err = s.ProductNames(c.Request.Context(), s.FileLocale(c), skus)
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
