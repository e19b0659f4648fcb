package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/office"
)

// ran makes a finished run of the products, with changes of products on sale.
func (b *bench) ran(added, removed int) (id string) {
	b.t.Helper()
	id = fmt.Sprintf("run-%d-%d", added, removed)
	at := store.Moment(b.clock())
	var skus []string
	for p := range b.server.D.Catalog.Current().AllProducts() {
		skus = append(skus, p.SKU)
	}
	require.NoError(b.t, b.db.Tx(b.t.Context(), func(tx *store.Tx) error {
		run := catalog.Run{ID: id, Resource: catalog.Products, StartedAt: at, EndedAt: &at, LeaseUntil: at, Outcome: catalog.Done, Added: added, Removed: removed, Written: added + removed}
		if err := tx.Create(&run).Error; err != nil {
			return err
		}
		var changes []catalog.Change
		for i := range added + removed {
			c := catalog.Change{ID: fmt.Sprintf("%s-%06d", id, i), RunID: id, SKU: skus[i%len(skus)], Field: catalog.Added, Became: "5.00 EUR: 5.00 EUR", ChangedAt: at}
			if i >= added {
				c.Field, c.Was, c.Became = catalog.Removed, c.Became, ""
			}
			changes = append(changes, c)
		}
		return tx.CreateInBatches(&changes, 500).Error
	}))
	return id
}

// TestAnUpdateThatWasHeldBackCanBeApplied by a person who knows that so much is really gone: until then no price moves.
func TestAnUpdateThatWasHeldBackCanBeApplied(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Admin)
	const path = "/admin/catalogue"
	forms := func() int { return w.get(path).page(t).Find(`form[action="` + path + `/sync"]`).Length() }
	require.Equal(t, 1, forms(), "nothing was held back")
	b.pass(time.Second)
	at := store.Moment(b.clock())
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Create(&catalog.Run{
			ID: "held", Resource: catalog.Products, StartedAt: at, EndedAt: &at, LeaseUntil: at, Outcome: catalog.Held, Removed: 11,
		}).Error
	}))
	require.Equal(t, 2, forms())
	require.Contains(t, w.get(path).page(t).Find("main").Text(), "far fewer products than before")
	form := w.fill(path, path+"/sync", "force", nil)
	require.Equal(t, path+"?done=asked", w.post(path+"/sync", form).Header.Get("Location"))
	column := "args"
	if b.db.Dialect() == store.SQLite {
		column = "json(args)" // a blob
	}
	var args []string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT "+column+" FROM river_job WHERE kind = 'catalog.sync_all'").
		Scan(&args).Error)
	require.Len(t, args, 1)
	require.JSONEq(t, `{"force":true,"only":["products"]}`, args[0], "nobody has looked at what else may be missing")
	entries, err := b.audit().List(t.Context(), audit.Filter{Act: audit.UpdateForced})
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, b.users[staff.Admin].ID, entries[0].UserID)
	for _, held := range []string{"", "products everything"} {
		form.Set("held", held)
		require.Equal(t, http.StatusNotFound, w.post(path+"/sync", form).StatusCode, held)
	}

	b.ran(0, 11)
	require.Equal(t, 1, forms(), "a later update went through")
}

func TestARunOpensWhatItChanged(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	id := b.ran(120, 3)
	w := b.signIn(staff.Admin)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error { // later, half an hour of checks that found nothing
		for i := range 40 {
			at := store.Moment(b.clock())
			if err := tx.Create(&catalog.Run{ID: fmt.Sprintf("status-%d", i), Resource: catalog.Statuses, StartedAt: at, EndedAt: &at, LeaseUntil: at, Outcome: catalog.Done}).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	path := "/admin/catalogue/runs/" + id
	require.Equal(t, 1, w.get("/admin/catalogue").page(t).Find(`main a[href="`+path+`"]`).Length(), "the run is not pushed off the page")

	page := w.get(path).page(t)
	require.Equal(t, "/admin/catalogue", page.Find(".tabs [aria-current], [aria-current=page]").Last().AttrOr("href", ""))
	rows := page.Find("table tbody tr")
	require.Equal(t, office.RunChangesListed, rows.Length())
	first := rows.First()
	product, _ := b.server.D.Catalog.Current().Product(strings.TrimSpace(first.Find("td .hint").First().Text()))
	require.NotNil(t, product)
	provider, _ := b.server.D.Catalog.Current().Provider(product.Provider)
	country, _ := b.server.D.Catalog.Current().Country(provider.Country)
	for _, words := range []string{"Added", provider.Name, country.Name, b.server.D.Catalog.Current().Text(product, "en").DisplayText, "5.00 EUR: 5.00 EUR"} {
		require.Contains(t, first.Text(), words)
	}
	require.NotContains(t, page.Find("main").Text(), "Not every added")
	further := page.Find("main a.button").FilterFunction(func(_ int, a *goquery.Selection) bool { return strings.Contains(a.Text(), "More") }).AttrOr("href", "")
	second := w.get(further).page(t)
	require.Equal(t, 23, second.Find("table tbody tr").Length())
	require.NotContains(t, second.Find("main").Text(), "More")
	require.Equal(t, 3, w.get(path+"?kind=removed").page(t).Find("table tbody tr").Length())
	require.Zero(t, w.get(path+"?kind=moved").page(t).Find("table tbody tr").Length())

	files := second.Find(".exports a")
	require.Equal(t, len(frame.ExportFormats), files.Length())
	files.Each(func(i int, link *goquery.Selection) {
		got := w.get(link.AttrOr("href", ""))
		require.Equal(t, http.StatusOK, got.StatusCode)
		require.True(t, strings.HasPrefix(got.body, []string{"\uFEFF", "PK", "%PDF-"}[i]), link.Text())
		if i == 0 {
			lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\uFEFF"))).ReadAll()
			require.NoError(t, err)
			require.Len(t, lines, 1+123, "all of them, whatever page one is on")
		}
	})
	for _, none := range []string{"?kind=sold", "?file=exe"} {
		require.Equal(t, http.StatusNotFound, w.get(path+none).StatusCode, none)
	}
	require.Equal(t, http.StatusNotFound, w.get("/admin/catalogue/runs/none").StatusCode)
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Finance).get(path).StatusCode)

	runs, err := b.server.D.Catalog.Runs(t.Context(), 1000)
	require.NoError(t, err)
	for _, run := range runs {
		if run.Resource == catalog.Products && run.ID != id {
			page := w.get("/admin/catalogue/runs/" + run.ID).page(t)
			require.Contains(t, page.Find("main").Text(), "Not every added or removed product is listed", "those of the first update")
			require.Zero(t, page.Find("table").Length())
		}
	}
}

// TestARunThatFillsItsPageEndsThere: there is no empty page behind it.
func TestARunThatFillsItsPageEndsThere(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	id := b.ran(office.RunChangesListed-3, 3)
	page := b.signIn(staff.Admin).get("/admin/catalogue/runs/" + id).page(t)
	require.Equal(t, office.RunChangesListed, page.Find("table tbody tr").Length())
	require.Zero(t, page.Find("main a.button[href*=after]").Length())
}

// TestProductsWithoutATextAreNamed: the figure of the catalogue opens them, page by
// page, and as a file all of them.
func TestProductsWithoutATextAreNamed(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		if err := tx.Exec("DELETE FROM product_texts WHERE language = 'fr'").Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE catalog_versions SET version = version + 1 WHERE what = 'catalogue'").Error
	}))
	require.NoError(t, b.server.D.Catalog.Refresh(t.Context()))
	w := b.signIn(staff.Admin)
	const path = "/admin/catalogue/texts?language=fr"
	require.Equal(t, 1, w.get("/admin/catalogue").page(t).Find(`.figure a[href="`+path+`"]`).Length())
	seen := map[string]bool{}
	for next := path; next != ""; {
		page := w.get(next).page(t)
		rows := page.Find("table tbody tr")
		require.LessOrEqual(t, rows.Length(), office.UntoldListed)
		rows.Each(func(_ int, row *goquery.Selection) {
			sku := strings.TrimSpace(row.Find("th .hint").Text())
			product, sold := b.server.D.Catalog.Current().Product(sku)
			require.True(t, sold, sku)
			require.False(t, seen[sku], "twice: %s", sku)
			require.Contains(t, row.Text(), b.server.D.Catalog.Current().Text(product, "fr").DisplayText, "what is shown instead")
			seen[sku] = true
		})
		next = page.Find("main a.button").FilterFunction(func(_ int, a *goquery.Selection) bool { return strings.Contains(a.Text(), "More") }).AttrOr("href", "")
	}
	require.Len(t, seen, b.server.D.Catalog.Current().Size())
	got := w.get(w.get(path).page(t).Find(".exports a").First().AttrOr("href", ""))
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 1+len(seen))
	require.Equal(t, http.StatusNotFound, w.get("/admin/catalogue/texts?language=xx").StatusCode)
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Manager).get(path).StatusCode)
}
