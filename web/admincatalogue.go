package web

import (
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/jobs"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	runsListed    = 30
	changesListed = 50
)

// catalogue is GET /admin/catalogue.
func (s *Server) catalogue(c *gin.Context) error { return s.showCatalogue(c, nil) }

func (s *Server) showCatalogue(c *gin.Context, refused error) error {
	ctx, snapshot := c.Request.Context(), s.d.Catalog.Current()
	runs, err := s.d.Catalog.NotableRuns(ctx, runsListed)
	if err != nil {
		return err
	}
	changes, err := s.d.Catalog.Changes(ctx, changesListed)
	if err != nil {
		return err
	}
	hidden, err := s.d.Catalog.HiddenProducts(ctx)
	if err != nil {
		return err
	}
	names, err := s.officeNames(ctx)
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/catalogue", refused)
	p.add(templates.OfficePart{Figures: p.catalogueFigures(snapshot), Acts: []templates.OfficeAct{{Text: p.l.Text("catalogue.syncNow"), Action: "/admin/catalogue/sync"}}})
	running, err := s.runningPart(ctx, p.l, jobs.Catalogue)
	if err != nil {
		return err
	}
	p.add(running)
	p.add(p.troublePart(snapshot, names))
	p.add(p.hiddenPart(hidden, names))
	p.add(p.promotionPart(snapshot, s.d.Now(), names))
	p.add(p.changesPart(changes, names))
	p.add(p.runsPart(runs))
	return s.showOffice(c, p)
}

func (p *officePage) catalogueFigures(snapshot *catalog.Snapshot) []templates.Figure {
	figures := []templates.Figure{{Name: p.l.Text("catalogue.products"), Value: p.l.Number(int64(snapshot.Size()))}}
	if !snapshot.PricesAsOf().IsZero() {
		figures = append(figures, templates.Figure{Name: p.l.Text("catalogue.pricesAsOf"), Value: p.l.Time(snapshot.PricesAsOf()), Note: p.l.Date(snapshot.PricesAsOf())})
	}
	var languages []string
	for _, language := range locale.Languages() {
		languages = append(languages, language.Tag)
	}
	untold := snapshot.Untold(languages)
	for _, language := range locale.Languages() {
		if n := untold[language.Tag]; n > 0 {
			figures = append(figures, templates.Figure{Name: p.l.Text("catalogue.untold", language.Name), Value: p.l.Number(int64(n)), Tone: "wait", URL: "/admin/catalogue/texts?language=" + language.Tag})
		}
	}
	return figures
}

func (p *officePage) troublePart(snapshot *catalog.Snapshot, n reportNames) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("reports.by.provider"), p.l.Text("catalogue.takes"), p.l.Text("catalogue.says")}}
	for _, status := range snapshot.Troubled() {
		name := n.sold.Providers[status.Provider]
		if provider, known := snapshot.Provider(status.Provider); known {
			name = provider.Name
		}
		state := templates.OfficeCell{Text: yes(p.l, status.Processing)}
		if !status.Processing {
			state.Tone = "bad"
		}
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: name, Hint: status.Provider}, state, {Text: status.Message}}})
	}
	return templates.OfficePart{Title: p.l.Text("catalogue.trouble"), Table: t, Empty: p.l.Text("catalogue.noTrouble")}
}

func (p *officePage) hiddenPart(hidden []catalog.Hidden, n reportNames) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("reports.by.product"), p.l.Text("office.reason"), p.l.Text("audit.who"), p.l.Text("audit.at")}}
	for _, h := range hidden {
		t.Rows = append(t.Rows, templates.OfficeRow{
			Cells: []templates.OfficeCell{{Text: h.SKU, Hint: n.sold.Products[h.SKU]}, {Text: h.Reason}, {Text: n.people[h.HiddenBy]}, {Text: p.l.DateTime(h.HiddenAt)}},
			Acts:  []templates.OfficeAct{{Text: p.l.Text("catalogue.show"), Label: p.l.Text("catalogue.showOne", h.SKU), Action: "/admin/catalogue/hide", Hidden: []templates.HiddenField{{Name: "act", Value: "show"}, {Name: "sku", Value: h.SKU}}}},
		})
	}
	return templates.OfficePart{Title: p.l.Text("catalogue.hidden"), Note: p.l.Text("catalogue.hiddenNote"), Table: t, Form: &templates.OfficeForm{
		Action: "/admin/catalogue/hide", Fields: []templates.OfficeField{p.field("sku", "reports.by.product", ""), p.field("reason", "office.reason", "")}, Buttons: []templates.OfficeButton{{Text: p.l.Text("catalogue.hide")}},
	}}
}

const promotionsListed = 40

func (p *officePage) promotionPart(snapshot *catalog.Snapshot, now time.Time, n reportNames) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("reports.by.provider"), p.l.Text("catalogue.promotion"), p.l.Text("prices.starts"), p.l.Text("prices.ends")}}
	for _, promotion := range snapshot.RunningPromotions(now) {
		if len(t.Rows) == promotionsListed {
			break
		}
		headline := promotion.LocalizationKey
		if text, ok := snapshot.PromotionText(promotion, p.l.Language()); ok {
			headline = text.Headline
		}
		name, ends := n.sold.Providers[promotion.Provider], p.l.Date(promotion.EndsAt)
		if provider, known := snapshot.Provider(promotion.Provider); known {
			name = provider.Name
		}
		if promotion.EndsAt.Year() == 9999 { // the upstream's word for no end
			ends = "–"
		}
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: name, Hint: promotion.Provider}, {Text: headline}, {Text: p.l.Date(promotion.StartsAt)}, {Text: ends}}})
	}
	return templates.OfficePart{Title: p.l.Text("catalogue.promotions"), Table: t, Empty: p.l.Text("catalogue.noPromotions")}
}

// changedFields are the keys of what changes of a product.
var changedFields = map[catalog.Field]string{
	catalog.Added: "catalogue.oneAdded", catalog.Removed: "catalogue.oneRemoved", catalog.Minimum: "catalogue.minimum", catalog.Maximum: "catalogue.maximum", catalog.Commission: "catalogue.commission",
}

func (p *officePage) changesPart(changes []catalog.Change, n reportNames) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("audit.at"), p.l.Text("reports.by.product"), p.l.Text("catalogue.field"), p.l.Text("audit.before"), p.l.Text("audit.after")}}
	for _, change := range changes {
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			{Text: p.l.DateTime(change.ChangedAt)}, {Text: change.SKU, Hint: n.sold.Products[change.SKU]}, {Text: p.l.Text(changedFields[change.Field])}, p.priceCell(change.Was), p.priceCell(change.Became),
		}})
	}
	return templates.OfficePart{Title: p.l.Text("catalogue.moves"), Table: t, Empty: p.l.Text("catalogue.noMoves")}
}

// outcomeNames are the keys of how a sync ends.
var outcomeNames = map[catalog.Outcome]string{catalog.Done: "catalogue.done", catalog.Held: "catalogue.held", catalog.Failed: "catalogue.failed", catalog.Interrupted: "catalogue.interrupted"}

// resourceNames are the keys of what a sync fetches.
var resourceNames = map[catalog.Resource]string{
	catalog.Countries: "catalogue.resource.countries", catalog.Currencies: "catalogue.resource.currencies", catalog.Regions: "catalogue.resource.regions",
	catalog.Providers: "catalogue.resource.providers", catalog.Products: "catalogue.resource.products", catalog.Texts: "catalogue.resource.texts",
	catalog.Statuses: "catalogue.resource.statuses", catalog.Promotions: "catalogue.resource.promotions",
	catalog.PromotionTexts: "catalogue.resource.promotionTexts", catalog.Errors: "catalogue.resource.errors",
}

func (p *officePage) runsPart(runs []catalog.Run) templates.OfficePart {
	t := &templates.OfficeTable{Columns: []string{p.l.Text("audit.at"), p.l.Text("catalogue.resource"), p.l.Text("people.state"), p.l.Text("catalogue.added"), p.l.Text("catalogue.changed"), p.l.Text("catalogue.removed"), p.l.Text("catalogue.unsellable")}}
	for _, run := range runs {
		started := templates.OfficeCell{Text: p.l.DateTime(run.StartedAt)}
		if run.Resource == catalog.Products {
			started.URL = "/admin/catalogue/runs/" + run.ID
		}
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{
			started,
			{Text: p.l.Text(resourceNames[run.Resource])},
			p.runState(run),
			{Text: p.l.Number(int64(run.Added))},
			{Text: p.l.Number(int64(run.Changed))},
			{Text: p.l.Number(int64(run.Removed))},
			{Text: p.l.Number(int64(run.Unsellable))},
		}})
	}
	return templates.OfficePart{Title: p.l.Text("catalogue.runs"), Note: p.l.Text("catalogue.runsNote"), Table: t, Empty: p.l.Text("catalogue.noRuns")}
}

// runState is how a run ended, or that it goes on.
func (p *officePage) runState(run catalog.Run) templates.OfficeCell {
	if run.EndedAt == nil {
		return templates.OfficeCell{Text: p.l.Text("catalogue.running")}
	}
	return templates.OfficeCell{Text: p.l.Text(outcomeNames[run.Outcome]), Hint: run.Note, Tone: toneIf(run.Outcome != catalog.Done, toneBad)}
}

// syncNow is POST /admin/catalogue/sync. The upstream's budgets hold all the
// same: what is over them waits.
func (s *Server) syncNow(c *gin.Context) error {
	return s.conclude(c, s.d.Catalog.SyncNow(c.Request.Context(), false), "/admin/catalogue", "asked", s.showCatalogue)
}

// hideProduct is POST /admin/catalogue/hide (fields sku, reason; act show).
func (s *Server) hideProduct(c *gin.Context) error {
	ctx, by, sku := c.Request.Context(), present(c).Actor(), c.PostForm("sku")
	if c.PostForm("act") == "show" {
		return s.conclude(c, s.d.Catalog.Show(ctx, s.d.Audit, by, sku), "/admin/catalogue", "saved", s.showCatalogue)
	}
	reason, err := typedText(c, "reason")
	if err == nil {
		err = s.d.Catalog.Hide(ctx, s.d.Audit, by, sku, reason)
	}
	return s.conclude(c, err, "/admin/catalogue", "saved", s.showCatalogue)
}
