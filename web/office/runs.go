package office

import (
	"cmp"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/sheet"
	"airtill/web/frame"
	"airtill/web/templates"
)

// RunChangesListed is how many changes a page lists, and a file reads at a time.
const RunChangesListed = 100 // on a page, and at a time in a file

// changeKinds are the kinds of changes to filter a run by, with their names.
var changeKinds = []struct {
	value, name string
	fields      []catalog.Field
}{
	{"", "office.all", nil},
	{"added", "catalogue.added", []catalog.Field{catalog.Added}},
	{"moved", "catalogue.moved", catalog.Moves()},
	{"removed", "catalogue.removed", []catalog.Field{catalog.Removed}},
}

// SyncRun is GET /admin/catalogue/runs/{id} (kind, after): what one run changed,
// product by product.
func (s *Screens) SyncRun(c *gin.Context) error {
	ctx := c.Request.Context()
	run, err := s.D.Catalog.RunByID(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/catalogue")
	f := catalog.ChangeFilter{RunID: run.ID, Language: p.l.Language(), After: c.Query("after"), Limit: RunChangesListed}
	var kinds []templates.Choice
	known := false
	for _, kind := range changeKinds {
		if kind.value == c.Query("kind") {
			f.Fields, known = kind.fields, true
		}
		kinds = append(kinds, templates.Choice{Value: kind.value, Text: p.l.Text(kind.name)})
	}
	if !known {
		return fault.New(fault.NotFound, "")
	}
	names, err := s.officeNames(c)
	if err != nil {
		return err
	}
	p.Title = p.l.Text("catalogue.run", p.l.DateTime(run.StartedAt))
	if c.Query("file") != "" {
		return s.runFile(c, p, f, names)
	}
	r := frame.ReadsOf(c)
	f.Limit++
	changes, more := frame.Page(frame.LoadOf(r, s.D.Catalog.RunChanges, f), RunChangesListed)
	listed := frame.LoadOf(r, s.D.Catalog.ListedOf, run.ID)
	if r.Err != nil {
		return r.Err
	}
	p.Back = &templates.Link{Text: p.l.Text("office.catalogue"), URL: "/admin/catalogue"}
	t := p.table(p.l.Text("catalogue.changes"),
		"catalogue.changes", "reports.by.product", "reports.by.provider", "audit.before", "audit.after")
	for _, change := range changes {
		t.Add(p.changeRow(change, names))
	}
	if more {
		values := c.Request.URL.Query()
		values.Set("after", changes[len(changes)-1].ID)
		p.More = &templates.Link{Text: p.l.Text("catalogue.further"), URL: c.Request.URL.Path + "?" + values.Encode()}
	}
	note := ""
	if run.Counted(listed) {
		note = p.l.Text("catalogue.unlisted")
	}
	return s.showOffice(
		c, p, templates.OfficeRun(&p.Office, c.Request.URL.Path, c.Query("kind"), kinds, p.runFigures(run), note, t),
	)
}

func (p *office) changeRow(change catalog.ListedChange, names frame.ReportNames) templates.Row {
	return templates.Row{
		{Text: p.l.Text("catalogue.field." + string(change.Field))},
		{Text: cmp.Or(change.Text, change.SKU), Hint: change.SKU},
		{Text: change.Operator, Hint: cmp.Or(names.Countries[change.Country], change.Country)},
		p.priceCell(change.Was),
		p.priceCell(change.Became),
	}
}

// priceCell writes what a product was or became, with fees below what is sent and received.
func (p *office) priceCell(was string) templates.Cell {
	price, fees, _ := strings.Cut(was, ", ")
	return templates.Cell{Text: price, Hint: p.feeWords(fees)}
}

// feeWords translates a price's fees, which are stored in English.
func (p *office) feeWords(text string) string {
	return strings.NewReplacer(
		"customer fee", p.l.Text("catalogue.customerFee"), "distributor fee", p.l.Text("catalogue.distributorFee"),
		", ", " · ",
	).Replace(text)
}

// runFigures are a run in numbers.
func (p *office) runFigures(run catalog.Run) []templates.Figure {
	state := p.runState(run)
	return []templates.Figure{
		{Name: p.l.Text("catalogue.resource"), Value: frame.ResourceName(p.l, run.Resource)},
		{Name: p.l.Text("people.state"), Value: state.Text, Note: state.Hint, Tone: state.Tone},
		{Name: p.l.Text("catalogue.added"), Value: p.l.Number(int64(run.Added))},
		{Name: p.l.Text("catalogue.changed"), Value: p.l.Number(int64(run.Changed))},
		{Name: p.l.Text("catalogue.removed"), Value: p.l.Number(int64(run.Removed))},
		{Name: p.l.Text("catalogue.unsellable"), Value: p.l.Number(int64(run.Unsellable))},
	}
}

// runColumns are the file's, with a column for everything.
func (p *office) runColumns() []string {
	return p.columns("catalogue.changes", "reports.by.product", "reports.by.provider", "reports.by.country",
		"catalogue.text", "audit.before", "audit.after")
}

func (p *office) runRow(change catalog.ListedChange, n frame.ReportNames) []sheet.Cell {
	return []sheet.Cell{
		sheet.Text(p.l.Text("catalogue.field." + string(change.Field))), sheet.Text(change.SKU), sheet.Text(
			change.Operator + " (" + change.Provider + ")",
		),
		sheet.Text(cmp.Or(n.Countries[change.Country], change.Country)), sheet.Text(change.Text),
		sheet.Text(p.feeWords(change.Was)), sheet.Text(p.feeWords(change.Became)),
	}
}

// runFile is the whole list as a file, read page by page: a run may have moved every price there is.
func (s *Screens) runFile(c *gin.Context, p *office, f catalog.ChangeFilter, n frame.ReportNames) error {
	read := func(last *catalog.ListedChange) ([]catalog.ListedChange, error) {
		f.After = ""
		if last != nil {
			f.After = last.ID
		}
		return s.D.Catalog.RunChanges(c.Request.Context(), f)
	}
	table := sheet.Table{
		Title: p.Title, Notes: []string{p.l.Text("reports.made", p.l.DateTime(s.D.Now()))},
		Rows: pageByPage(f.Limit, read, func(change catalog.ListedChange) []sheet.Cell { return p.runRow(change, n) }),
	}
	for _, name := range p.runColumns() {
		table.Columns = append(table.Columns, sheet.Column{Name: name})
	}
	return s.SendSheet(c, table, p.l, "sync-"+strings.ToLower(f.RunID), c.Query("file"))
}
