package office

import (
	"context"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/jobs"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	cataloguePath = "/admin/catalogue"
	hidePath      = cataloguePath + "/hide"
	runsListed    = 30
	changesListed = 50
)

// Catalogue is GET /admin/catalogue.
func (s *Screens) Catalogue(c *gin.Context) error {
	snapshot, r := s.D.Catalog.Current(), frame.ReadsOf(c)
	runs := frame.LoadOf(r, s.D.Catalog.NotableRuns, runsListed)
	changes := frame.LoadOf(r, s.D.Catalog.Changes, changesListed)
	names := frame.LoadHere(r, s.officeNames)
	p := s.newOffice(c, "/admin/catalogue")
	running := frame.Load(r, func(ctx context.Context) (templates.Running, error) {
		return s.runningWork(ctx, p, jobs.Catalogue)
	})
	if r.Err != nil {
		return r.Err
	}
	n := goods{l: p.l, on: snapshot, names: names}
	v := templates.Catalogue{Figures: p.catalogueFigures(snapshot), Running: running}
	v.Trouble = p.troubleTable(n)
	v.Promotions = p.promotionTable(n, s.D.Now())
	v.Changes = p.changesTable(n, changes)
	v.Runs = p.runsTable(runs)
	for _, resource := range heldBack(runs) {
		name := strings.ToLower(frame.ResourceName(p.l, resource))
		v.Held = append(v.Held, templates.Choice{Value: string(resource), Text: p.l.Text("today.syncHeld", name)})
	}
	return s.showOffice(c, p, templates.OfficeCatalogue(&p.Office, v))
}

func (p *office) catalogueFigures(snapshot *catalog.Snapshot) []templates.Figure {
	figures := []templates.Figure{{
		Name: p.l.Text("catalogue.products"), Value: p.l.Number(int64(snapshot.Size())), URL: browsePath,
	}}
	if !snapshot.PricesAsOf().IsZero() {
		figures = append(figures, templates.Figure{
			Name: p.l.Text("catalogue.pricesAsOf"), Value: p.l.Time(snapshot.PricesAsOf()),
			Note: p.l.Date(snapshot.PricesAsOf()),
		})
	}
	var languages []string
	for _, language := range locale.Languages() {
		languages = append(languages, language.Tag)
	}
	untold := snapshot.Untold(languages)
	for _, language := range locale.Languages() {
		if n := untold[language.Tag]; n > 0 {
			figures = append(figures, templates.Figure{
				Name: p.l.Text("catalogue.untold", language.Name), Value: p.l.Number(int64(n)), Tone: "wait",
				URL: "/admin/catalogue/texts?language=" + language.Tag,
			})
		}
	}
	return figures
}

func (p *office) troubleTable(n goods) *templates.Table {
	t := p.table(p.l.Text("catalogue.trouble"), "reports.by.provider", "catalogue.takes", "catalogue.says")
	for _, status := range n.on.Troubled() {
		t.Add(templates.Row{
			n.provider(status.Provider),
			{Text: templates.YesNo(p.l, status.Processing), Tone: frame.ToneIf(!status.Processing, frame.ToneBad)},
			{Text: status.Message},
		})
	}
	return t
}

// PromotionsListed is how many promotions the page lists.
const PromotionsListed = 40

func (p *office) promotionTable(n goods, now time.Time) *templates.Table {
	t := p.table(
		p.l.Text("catalogue.promotions"), "reports.by.provider", "catalogue.promotion", "prices.starts", "prices.ends",
	)
	running := n.on.RunningPromotions(now)
	for _, promotion := range running[:min(len(running), PromotionsListed)] {
		headline := promotion.LocalizationKey
		if text, ok := n.on.PromotionText(promotion, p.l.Language()); ok {
			headline = text.Headline
		}
		lastDay := "–"
		if !promotion.Endless() {
			lastDay = p.l.Date(promotion.EndsAt.Add(-time.Second)) // its end is no part of it
		}
		t.Add(templates.Row{
			n.provider(promotion.Provider),
			{Text: headline},
			{Text: p.l.Date(promotion.StartsAt)},
			{Text: lastDay},
		})
	}
	return t
}

func (p *office) changesTable(n goods, changes []catalog.Change) *templates.Table {
	t := p.table(p.l.Text("catalogue.moves"),
		"audit.at", "reports.by.product", "catalogue.field", "audit.before", "audit.after")
	for _, change := range changes {
		t.Add(templates.Row{
			{Text: p.l.DateTime(change.ChangedAt)},
			n.product(change.SKU),
			{Text: p.l.Text("catalogue.field." + string(change.Field))},
			p.priceCell(change.Was), p.priceCell(change.Became),
		})
	}
	return t
}

// outcomeNames are the keys of how a sync ends.
var outcomeNames = map[catalog.Outcome]string{
	catalog.Done: "catalogue.done", catalog.Held: "catalogue.held", catalog.Failed: "catalogue.failed",
	catalog.Interrupted: "catalogue.interrupted",
}

func (p *office) runsTable(runs []catalog.Run) *templates.Table {
	t := p.table(p.l.Text("catalogue.runs"), "audit.at", "catalogue.resource", "people.state",
		"catalogue.added", "catalogue.changed", "catalogue.removed", "catalogue.unsellable")
	for _, run := range runs {
		started := templates.Cell{Text: p.l.DateTime(run.StartedAt)}
		if run.Resource == catalog.Products {
			started.URL = "/admin/catalogue/runs/" + run.ID
		}
		t.Add(templates.Row{
			started,
			{Text: frame.ResourceName(p.l, run.Resource)},
			p.runState(run),
			{Text: p.l.Number(int64(run.Added))},
			{Text: p.l.Number(int64(run.Changed))},
			{Text: p.l.Number(int64(run.Removed))},
			{Text: p.l.Number(int64(run.Unsellable))},
		})
	}
	return t
}

// heldBack are the resources whose update was held back at its last try.
func heldBack(runs []catalog.Run) (held []catalog.Resource) {
	for _, run := range catalog.LastOfEach(runs) {
		if run.Outcome == catalog.Held {
			held = append(held, run.Resource)
		}
	}
	return held
}

// runState is how a run ended, or that it goes on.
func (p *office) runState(run catalog.Run) templates.Cell {
	if run.EndedAt == nil {
		return templates.Cell{Text: p.l.Text("catalogue.running")}
	}
	tone := frame.ToneIf(run.Outcome != catalog.Done, frame.ToneBad)
	return templates.Cell{Text: p.l.Text(outcomeNames[run.Outcome]), Hint: run.Note, Tone: tone}
}

// SyncNow is POST /admin/catalogue/sync (act force with held: what was held back, as the page showed it). The
// upstream's budgets hold all the same: what is over them waits.
func (s *Screens) SyncNow(c *gin.Context) error {
	ctx := c.Request.Context()
	if c.PostForm("act") == "force" {
		var held []catalog.Resource
		for _, name := range strings.Fields(c.PostForm("held")) {
			held = append(held, catalog.Resource(name))
		}
		err := s.D.Catalog.ForceSync(ctx, s.D.Audit, frame.Present(c).Actor(), held)
		return s.conclude(c, err, cataloguePath, "asked", s.Catalogue)
	}
	return s.conclude(c, s.D.Catalog.SyncNow(ctx), cataloguePath, "asked", s.Catalogue)
}

// HideProduct is POST /admin/catalogue/hide (fields sku, reason; act show).
func (s *Screens) HideProduct(c *gin.Context) error {
	if seeks(c) {
		return seek(c, browsePath)
	}
	ctx, by, sku := c.Request.Context(), frame.Present(c).Actor(), c.PostForm("sku")
	hidden := browsePath + "?state=" + string(catalog.IsHidden)
	if c.PostForm("act") == "show" {
		return s.conclude(c, s.D.Catalog.Show(ctx, s.D.Audit, by, sku), hidden, "saved", s.Browse)
	}
	reason, err := frame.TypedText(c, "reason")
	if err == nil {
		err = s.D.Catalog.Hide(ctx, s.D.Audit, by, sku, reason)
	}
	return s.conclude(c, err, hidden, "saved", s.Browse)
}
