// Package books is what must agree: differences, verdicts, entries from outside, statements.
package books

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/reconcile"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Screens are the pages of this room.
type Screens struct{ *frame.Server }

// Reconcile is GET /reconcile: the differences of the shops the user sees.
func (s *Screens) Reconcile(c *gin.Context) error {
	return s.showReconcile(c, http.StatusOK, nil, "")
}

// Look is POST /reconcile/look: it compares the upstream's records and balance now. With "dry" it changes
// nothing and shows what it would do.
func (s *Screens) Look(c *gin.Context) error {
	ctx, by := c.Request.Context(), frame.Present(c).User.ID
	if c.PostForm("dry") != "" {
		found, err := s.D.Reconcile.LookAtRecords(ctx, by, true)
		if err != nil {
			return s.lookFailed(c, err)
		}
		return s.showReconcile(c, http.StatusOK, &found, "")
	}
	_, records := s.D.Reconcile.LookAtRecords(ctx, by, false)
	_, drawers := s.D.Reconcile.LookAtDrawers(ctx, by)
	balance := s.D.Reconcile.CheckBalance(ctx, by)
	if err := errors.Join(records, drawers, balance); err != nil {
		return s.lookFailed(c, err)
	}
	return frame.Redirect(c, "/reconcile")
}

// lookFailed shows the queue with the reason.
func (s *Screens) lookFailed(c *gin.Context, err error) error {
	problem := s.LocaleOf(c.Request).Fault(err)
	if problem == "" {
		return err // ours, not the upstream's
	}
	s.LogFailure(
		c.Request, frame.LevelOf(http.StatusServiceUnavailable), "reconcile.look_failed", http.StatusServiceUnavailable,
		err,
	)
	return s.showReconcile(c, http.StatusServiceUnavailable, nil, problem)
}

// queueFilter reads what to show. A shop's own people see that shop.
func (s *Screens) queueFilter(c *gin.Context) (reconcile.QueueFilter, error) {
	p := frame.Present(c)
	f := reconcile.QueueFilter{
		Kind: reconcile.Kind(c.Query("kind")), ShopID: c.Query("shop"),
		Resolved: c.Query("state") == string(reconcile.Resolved),
	}
	if p.Shop.ID != "" {
		f.ShopID = p.Shop.ID
	}
	if c.Query("owner") == "me" {
		f.Owner = p.User.ID
	}
	if f.Kind != "" && !slices.Contains(reconcile.Kinds(), f.Kind) {
		return f, fault.New(fault.NotFound, "break.kind")
	}
	if state := c.Query("state"); state != "" && !f.Resolved {
		return f, fault.New(fault.NotFound, "state.none")
	}
	return f, nil
}

func (s *Screens) showReconcile(c *gin.Context, status int, dry *reconcile.Look, problem string) error {
	ctx := c.Request.Context()
	f, err := s.queueFilter(c)
	if err != nil {
		return err
	}
	f.Limit = frame.RowsOf(c, reconcile.QueueListed)
	queue, err := s.D.Reconcile.Queue(ctx, f)
	if err != nil {
		return err
	}
	shown := queue.Breaks
	if dry != nil {
		for _, change := range dry.Changes {
			shown = append(shown, change.Break)
		}
	}
	who, err := s.namesFor(c, shown...)
	if err != nil {
		return err
	}
	figures, failed, err := s.bookFigures(c, queue)
	if err != nil {
		return err
	}
	at, late, err := s.D.Reconcile.LastWhole(ctx)
	if err != nil {
		return err
	}
	if c.Query("file") != "" && status == http.StatusOK && dry == nil {
		return s.queueFile(c, queue.Breaks, who)
	}
	return s.Show(c, status, func(around templates.Frame) templ.Component {
		page := templates.ReconcilePage{
			Frame: around, None: noneText(around.Locale, at, late), Figures: figures, Failed: failed,
			Ages: ages(around.Locale, queue), MayLook: frame.Present(c).User.Can(staff.Reconcile), Problem: problem,
			Files:   frame.FileLinks(&url.URL{Path: "/reconcile"}, c.Request.URL.Query()),
			Narrow:  f.Kind != "" || f.Resolved || f.Owner != "" || c.Query("shop") != "",
			Filters: queueFilters(around.Locale, c, f, who.Visible),
		}
		queue.Breaks, page.Most = listed(queue.Breaks, reconcile.QueueListed)
		for _, b := range queue.Breaks {
			page.Rows = append(page.Rows, breakRow(around.Locale, b, who))
		}
		if dry != nil {
			page.Dry = dryRun(around.Locale, *dry, who)
		}
		return templates.Reconcile(page)
	})
}

// noneText says that no difference is open, and as of when.
func noneText(l locale.Locale, at time.Time, late bool) string {
	switch {
	case at.IsZero():
		return l.Text("reconcile.noneNever")
	case late:
		return l.Text("reconcile.noneOld", l.DateTime(at))
	}
	return l.Text("reconcile.none", l.DateTime(at))
}

// queueFile is the same queue as a file.
func (s *Screens) queueFile(c *gin.Context, breaks []reconcile.Break, who frame.Names) error {
	l := s.FileLocale(c)
	columns := []sheet.Column{
		{Name: l.Text("reconcile.kind"), Wide: 3},
		{Name: l.Text("reconcile.shop"), Wide: 4},
		{Name: l.Text("reconcile.found"), Wide: 2},
		{Name: l.Text("reconcile.owner"), Wide: 2},
		{Name: l.Text("reconcile.state"), Wide: 2},
		{Name: l.Text("reconcile.amount"), End: true, Wide: 2},
		{Name: l.Text("reports.col.currency")},
	}
	var rows [][]sheet.Cell
	for _, b := range breaks {
		row := breakRow(l, b, who)
		rows = append(rows, []sheet.Cell{
			sheet.Text(row.Kind), sheet.Text(row.About), sheet.Moment(b.FoundAt, l.Zone()), sheet.Text(row.Who),
			sheet.Text(row.State), sheet.Amount(b.Amount()), sheet.Text(string(b.Amount().Currency())),
		})
	}
	return s.SendList(c, l.Text("reconcile.title"), "differences", columns, rows)
}

// queueFilters are the lists that the queue is filtered by.
func queueFilters(l locale.Locale, c *gin.Context, f reconcile.QueueFilter, shops []staff.Shop) []templates.Pick {
	first := func(key string, more ...templates.Choice) []templates.Choice {
		return append([]templates.Choice{{Text: l.Text(key)}}, more...)
	}
	filters := []templates.Pick{
		{Name: "kind", Text: l.Text("reconcile.kind"), Chosen: string(f.Kind), Choices: first(
			"reconcile.anyKind", frame.Choices(reconcile.Kinds(), func(k reconcile.Kind) (string, string) {
				return string(k), l.Text("break.kind." + string(k))
			})...,
		)},
		{Name: "state", Text: l.Text("reconcile.state"), Chosen: c.Query("state"), Choices: first(
			"reconcile.unresolved",
			templates.Choice{Value: string(reconcile.Resolved), Text: l.Text("reconcile.resolved")},
		)},
		{Name: "owner", Text: l.Text("reconcile.owner"), Chosen: c.Query("owner"), Choices: first(
			"reconcile.anyOwner", templates.Choice{Value: "me", Text: l.Text("reconcile.mine")},
		)},
		{Name: "shop", Text: l.Text("reconcile.shop"), Chosen: f.ShopID, Choices: first(
			"reconcile.anyShop",
			frame.ShopChoices(l, shops)...,
		)},
	}
	if frame.Present(c).Shop.ID != "" {
		return filters[:3] // their own
	}
	return filters
}

func dryRun(l locale.Locale, look reconcile.Look, who frame.Names) *templates.DryRun {
	d := &templates.DryRun{
		Summary: l.Text(
			"reconcile.dryDone", l.Number(int64(look.Matching.Records)), l.Number(int64(look.Pairs)),
			l.Number(int64(look.Fresh)),
		),
	}
	for _, change := range look.Changes {
		d.Rows = append(d.Rows, dryRow(l, change, who))
	}
	return d
}

// dryRow is what a look would do to a difference, and what is known of one not stored.
func dryRow(l locale.Locale, change reconcile.Change, who frame.Names) templates.BreakRow {
	row := templates.BreakRow{
		Kind: l.Text("break.kind." + string(change.Kind)), About: aboutBreak(l, change.Break, who),
		When: dryWhen(l, change.Break), Who: cmp.Or(against(l, change.Break), l.Text("reconcile.same")),
		State: l.Text("reconcile.would." + string(change.Would)), Amount: l.Amount(change.Amount()),
	}
	row.Tone, row.Icon = wouldTone(change.Would)
	switch {
	case change.ID != "":
		row.URL = breakURL(change.ID)
	case change.SaleID != "":
		row.URL = "/sales/" + change.SaleID
	default:
		row.About = aboutRecord(l, change.Break, who, row.About)
	}
	return row
}

// dryWhen is the time of the upstream's record, or of the sale, or of finding the difference.
func dryWhen(l locale.Locale, b reconcile.Break) templates.Line {
	switch {
	case b.TheirsAt != nil:
		return templates.Line{Name: l.Text("break.theirs"), Value: l.DateTime(*b.TheirsAt)}
	case b.OursAt != nil:
		return templates.Line{Name: l.Text("break.ours"), Value: l.DateTime(*b.OursAt)}
	}
	return templates.Line{Name: l.Text("reconcile.found"), Value: l.DateTime(b.FoundAt)}
}

// listed are the rows that a page has of a list that was read with one row more, and how many these are if the list
// goes on; else 0.
func listed[T any](rows []T, most int) (page []T, cut int) {
	page, more := frame.Page(rows, most)
	if more {
		cut = most
	}
	return page, cut
}
