package books

import (
	"cmp"
	"context"
	"net/http"
	"path"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/audit"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// BreakPage is GET /reconcile/breaks/{id}. What was typed comes back into the form that was refused.
func (s *Screens) BreakPage(c *gin.Context) error {
	b, acts, err := s.D.Reconcile.Break(c.Request.Context(), c.Param("id"), frame.Present(c).Shop.ID)
	if err != nil {
		return err
	}
	evidence, later, err := s.evidenceOf(c.Request.Context(), b)
	if err != nil {
		return err
	}
	u, seesAll := frame.Present(c).User, frame.Present(c).Shop.ID == ""
	others, err := s.D.Reconcile.Counterparts(c.Request.Context(), b, frame.Present(c).Shop.ID)
	if err != nil {
		return err
	}
	who, err := s.namesFor(c, append(others, b)...)
	if err != nil {
		return err
	}
	booked, err := s.D.Reconcile.BookedFor(c.Request.Context(), b)
	if err != nil {
		return err
	}
	same := counterparts(s.LocaleOf(c.Request), others, who)
	posted := path.Base(c.Request.URL.Path)
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.BreakPage{
			Frame: f, ID: b.ID, Kind: f.Text("break.kind." + string(b.Kind)),
			Why: f.Text("break.why." + string(b.Kind)), Amount: f.Amount(b.Amount()), Against: against(f.Locale, b),
			State: f.Text("break.is." + string(b.State)), Mine: b.Owner == u.ID,
			Owner: cmp.Or(who.People[b.Owner], f.Text("reconcile.nobody")),
			Sides: sides(f.Locale, evidence, b, who, seesAll, later),
			May:   u.Can(staff.Reconcile), Open: b.State == reconcile.Open, Done: !b.Unresolved(),
			MayReopen: b.Resolution == reconcile.Agreed || b.Resolution == reconcile.Matched, MayUndo: b.Booked(),
			MayAgree: b.FloatMicros == 0 && b.Kind != reconcile.RefundOverdue, Problem: f.Fault(frame.Refused(c)),
		}
		page.Tone, page.Icon = breakTone(b.State)
		if len(same) > 0 {
			page.Match = &templates.MatchForm{Others: same}
			if posted == "match" {
				page.Match.Other, page.Match.Note = c.PostForm("other"), c.PostForm("note")
			}
		}
		if b.FloatMicros != 0 {
			page.Float = f.Amount(b.Float())
		}
		page.SaleURL, page.OtherURL = breakLinks(b, seesAll)
		if page.Open && !page.MayAgree {
			page.Form = resolveForm(c, f.Locale, b, posted == "propose")
		}
		if posted != "match" && posted != "propose" {
			page.Note = c.PostForm("note")
		}
		if b.State == reconcile.Proposed {
			page.Proposal = proposalOf(f.Locale, b, booked, who, u.ID)
		}
		for _, a := range acts {
			page.Acts = append(page.Acts, actLine(f.Locale, a, who))
		}
		return templates.BreakOf(page)
	})
}

// breakLinks lead to a break's sale and, for those who see all shops, to the break it was matched with; "" for none.
func breakLinks(b reconcile.Break, seesAll bool) (sale, other string) {
	if b.SaleID != "" {
		sale = "/sales/" + b.SaleID
	}
	if b.Resolution == reconcile.Matched && seesAll {
		other = breakURL(b.Reference)
	}
	return sale, other
}

// against says which side has more, "" if both have the same.
func against(l locale.Locale, b reconcile.Break) string {
	switch b.Amount().Sign() {
	case 1:
		return l.Text("break.more")
	case -1:
		return l.Text("break.less")
	}
	return ""
}

// counterparts are the differences that offset one, to choose from.
func counterparts(l locale.Locale, found []reconcile.Break, who frame.Names) (all []templates.MatchChoice) {
	for _, other := range found {
		row := breakRow(l, other, who)
		choice := templates.MatchChoice{
			ID: other.ID, URL: row.URL, Kind: row.Kind, About: row.About + " · " + row.When.Value,
		}
		if other.SaleID != "" {
			choice.SaleURL = "/sales/" + other.SaleID
		}
		all = append(all, choice)
	}
	return all
}

// resolveForm offers what may be booked, with what was typed.
func resolveForm(c *gin.Context, l locale.Locale, b reconcile.Break, posted bool) *templates.ResolveForm {
	f := &templates.ResolveForm{}
	if posted {
		f.Resolution, f.Account, f.Reference, f.Note = c.PostForm("resolution"), c.PostForm("account"),
			c.PostForm("reference"), c.PostForm("note")
	}
	ways := []reconcile.Resolution{reconcile.Journal, reconcile.WriteOff, reconcile.Foreign}
	switch {
	case b.Kind == reconcile.PartialRefund || b.Kind == reconcile.RefundOverdue:
		ways = []reconcile.Resolution{reconcile.WriteOff, reconcile.Journal}
	case b.Kind == reconcile.ForeignSale: // its commission came later
		ways = []reconcile.Resolution{reconcile.Foreign, reconcile.Journal, reconcile.WriteOff}
	case b.FloatMicros > 0:
		ways = []reconcile.Resolution{reconcile.TopUp, reconcile.Journal, reconcile.WriteOff}
	}
	f.Resolutions = frame.Choices(ways, func(way reconcile.Resolution) (string, string) {
		return string(way), l.Text("break.how." + string(way))
	})
	f.Accounts = frame.Choices(reconcile.JournalAccounts(), func(account ledger.Account) (string, string) {
		return string(account), l.Text("break.account." + string(account))
	})
	return f
}

// proposalOf is what waits for a second person: a booking, or that what was booked is taken back.
func proposalOf(
	l locale.Locale, b reconcile.Break, booked money.Amount, who frame.Names, reader string,
) *templates.BookProposal {
	account := l.Text("break.account." + string(b.Account))
	p := &templates.BookProposal{
		How: l.Text("break.how." + string(b.Resolution)), Own: b.ProposedBy == reader, Is: b.Proposes(),
		Books: l.Text("break.books", l.Amount(b.Booking()), account),
	}
	if b.Undoing() {
		p.How, p.Books = l.Text("break.undo"), l.Text("break.undoes", l.Amount(booked), account)
	}
	if b.ProposedAt != nil {
		p.By = l.Text("break.proposed", who.People[b.ProposedBy], l.DateTime(*b.ProposedAt))
	}
	return p
}

func actLine(l locale.Locale, a reconcile.Act, who frame.Names) templates.BreakAct {
	line := templates.BreakAct{
		At: l.DateTime(a.At), Who: who.People[a.Actor], What: l.Text("break.did." + a.Act), Note: a.Note,
	}
	if a.Actor == "" {
		line.Who = l.Text("break.byTill")
	}
	switch a.Act {
	case "taken":
		line.Note = "" // it names the person who took it
	case "resolved":
		if _, known := howWords[reconcile.Resolution(a.Note)]; known {
			line.Note = l.Text("break.how." + a.Note)
		}
	}
	return line
}

// howWords are the resolutions a note may name.
var howWords = map[reconcile.Resolution]bool{
	reconcile.Journal: true, reconcile.WriteOff: true, reconcile.TopUp: true, reconcile.Foreign: true,
}

// actOnBreak does one thing to a break and shows the result.
func (s *Screens) actOnBreak(c *gin.Context, err error) error {
	return frame.Done(c, err, breakURL(c.Param("id")), s.BreakPage)
}

// noteOnBreak does an act that takes a note.
func (s *Screens) noteOnBreak(
	c *gin.Context, do func(ctx context.Context, id string, by audit.Actor, note string) error,
) error {
	note, err := frame.TypedText(c, "note")
	if err == nil {
		err = do(c.Request.Context(), c.Param("id"), frame.Present(c).Actor(), note)
	}
	return s.actOnBreak(c, err)
}

// TakeBreak is POST /reconcile/breaks/:id/take: the user takes it on.
func (s *Screens) TakeBreak(c *gin.Context) error {
	p := frame.Present(c)
	return s.actOnBreak(c, s.D.Reconcile.Take(c.Request.Context(), c.Param("id"), p.Actor(), p.User.ID))
}

// CommentBreak is POST /reconcile/breaks/:id/comment (field comment).
func (s *Screens) CommentBreak(c *gin.Context) error {
	return s.noteOnBreak(c, s.D.Reconcile.Comment)
}

// AgreeBreak is POST /reconcile/breaks/:id/agree: both sides are right after all.
func (s *Screens) AgreeBreak(c *gin.Context) error {
	return s.noteOnBreak(c, s.D.Reconcile.Agree)
}

// UndoBreak is POST /reconcile/breaks/:id/undo: it was booked wrongly.
func (s *Screens) UndoBreak(c *gin.Context) error {
	return s.noteOnBreak(c, s.D.Reconcile.ProposeUndo)
}

// ReopenBreak is POST /reconcile/breaks/:id/reopen: it was explained or matched wrongly.
func (s *Screens) ReopenBreak(c *gin.Context) error {
	return s.noteOnBreak(c, s.D.Reconcile.Reopen)
}

// MatchBreak is POST /reconcile/breaks/:id/match (field with): the break and another one are the same.
func (s *Screens) MatchBreak(c *gin.Context) error {
	return s.noteOnBreak(c, func(ctx context.Context, id string, by audit.Actor, note string) error {
		return s.D.Reconcile.Match(ctx, id, c.PostForm("other"), by, note)
	})
}

// ProposeBreak is POST /reconcile/breaks/:id/propose: how to resolve the break.
func (s *Screens) ProposeBreak(c *gin.Context) error {
	reference, err := frame.TypedText(c, "reference")
	if err != nil {
		return s.actOnBreak(c, err)
	}
	return s.noteOnBreak(c, func(ctx context.Context, id string, by audit.Actor, note string) error {
		return s.D.Reconcile.ProposeResolution(ctx, id, by, reconcile.Proposal{
			Resolution: reconcile.Resolution(c.PostForm("resolution")), Account: ledger.Account(c.PostForm("account")),
			Reference: reference, Note: note,
		})
	})
}

// ConfirmBreak is POST /reconcile/breaks/:id/confirm (field proposal): a second person agrees to what they read.
func (s *Screens) ConfirmBreak(c *gin.Context) error {
	p := frame.Present(c)
	actor := p.Actor()
	return s.actOnBreak(c, s.D.Reconcile.Confirm(
		c.Request.Context(), c.Param("id"), c.PostForm("proposal"), actor, actor.SignedInAt,
	))
}

// DeclineBreak is POST /reconcile/breaks/:id/decline (field proposal): what was read is dropped.
func (s *Screens) DeclineBreak(c *gin.Context) error {
	return s.noteOnBreak(c, func(ctx context.Context, id string, by audit.Actor, note string) error {
		return s.D.Reconcile.Decline(ctx, id, c.PostForm("proposal"), by, note)
	})
}
