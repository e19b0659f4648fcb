package web

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/health"
	"airtill/internal/jobs"
	"airtill/internal/sales"
	"airtill/internal/sandbox"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/office"
)

func TestTheChainOfTheAuditIsVerifiedOnThePage(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Auditor)
	verify := func() answer { return w.post("/admin/audit", w.fill("/admin/audit", "/admin/audit", "", nil)) }
	require.Contains(t, verify().page(t).Find(`[role="status"]`).Text(), "All in order")
	disarm := "ALTER TABLE audit_entries DISABLE TRIGGER ALL"
	if b.db.Dialect() == store.SQLite {
		disarm = "DROP TRIGGER audit_entries_no_update"
	}
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		storetest.AsOwner(t, tx)
		if err := tx.Exec(disarm).Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE audit_entries SET reason = 'nicer' WHERE seq = 2").Error
	}))
	broken := verify().page(t)
	require.Contains(t, broken.Find(".problem").Text(), "in 1 places")
	require.Contains(t, broken.Find("main").Text(), "was changed")
}

func TestSendingRulesNameWhatIsSold(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Admin)
	const path = "/admin/sending"
	sku, provider := "", ""
	for p := range b.server.D.Catalog.Current().AllProducts() {
		sku, provider = p.SKU, p.Provider
	}
	post := func(act string, values map[string]string) answer {
		return w.post(path, w.fill(path, path, act, values))
	}
	require.Equal(t, 1, post("mode", map[string]string{"code": "product:none", "mode": "defer"}).page(t).Find(`.field.refused [name="find-code"]`).Length())
	require.Equal(t, 1, post("check", map[string]string{"provider": "none"}).page(t).Find(`.field.refused [name="find-provider"]`).Length())
	require.Equal(t, http.StatusUnprocessableEntity, post("mode", map[string]string{"code": "product:" + sku, "mode": "later"}).StatusCode)
	require.Equal(t, http.StatusSeeOther, post("mode", map[string]string{"code": "product:" + sku, "mode": "defer"}).StatusCode)
	require.Equal(t, http.StatusSeeOther, post("check", map[string]string{"provider": provider}).StatusCode)
	rules, err := b.server.D.Sales.ModeRules(t.Context())
	require.NoError(t, err)
	require.Equal(t, []sales.ModeRule{{Scope: sales.ScopeProduct, Code: sku, Mode: sales.Deferred}}, rules)
	require.NotContains(t, w.get(path).body, "UPSTREAM_AUTH_URL")
	able := b.server.D.Sales
	b.server.D.Sales = sales.New(sales.Deps{DB: b.db, Audit: b.server.D.Audit, Now: b.server.D.Now})
	require.Contains(t, w.get(path).body, "UPSTREAM_AUTH_URL", "the rule rests")
	b.server.D.Sales = able
	require.Equal(t, path+"?done=removed", post("no-check", nil).Header.Get("Location"))
	require.Equal(t, path+"?done=removed", post("mode", map[string]string{"code": "product:" + sku, "mode": ""}).Header.Get("Location"))
	codes, err := b.server.D.Sales.Validating(t.Context())
	require.NoError(t, err)
	require.Empty(t, codes)
	require.Equal(t, http.StatusNotFound, post("", map[string]string{"act": "faster"}).StatusCode)
}

// TestTwoManagersSetHowOneProductIsSent: none undoes unseen what the other has set since their page was made.
func TestTwoManagersSetHowOneProductIsSent(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Admin)
	const path = "/admin/sending"
	code := ""
	for p := range b.server.D.Catalog.Current().AllProducts() {
		code = "product:" + p.SKU
	}
	set := func(mode string) url.Values {
		return w.fill(path, path, "mode", map[string]string{"code": code, "mode": mode})
	}
	wait, deferred := set("wait"), set("defer")
	require.Equal(t, http.StatusSeeOther, w.post(path, wait).StatusCode)
	refused := w.post(path, deferred)
	require.Equal(t, http.StatusConflict, refused.StatusCode)
	require.Equal(t, "wait", refused.page(t).Find(`form [name="shown_`+code+`"]`).First().AttrOr("value", ""))
	remove := set("")
	require.Equal(t, http.StatusSeeOther, w.post(path, set("defer")).StatusCode)
	require.Equal(t, http.StatusConflict, w.post(path, remove).StatusCode)
	require.Equal(t, path+"?done=removed", w.post(path, set("")).Header.Get("Location"))
}

func TestTheTransferServicesPageTellsBudgetsAndCodes(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"RateLimited"}}]`)
	path := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Failed)
	page := b.signIn(staff.Admin).get("/admin/upstream").page(t)
	require.Contains(t, page.Find("main").Text(), "RateLimited")
	require.Contains(t, page.Find("main").Text(), "GetBalance")
}

// TestTheTransferServicesPageTellsHowItAnswers: how old the token is, how long each
// method takes, what was answered, and with which codes sales failed.
func TestTheTransferServicesPageTellsHowItAnswers(t *testing.T) {
	t.Parallel()
	var upstream *httptest.Server
	var client *apiclient.Client
	var at atomic.Int64 // seconds, so that a call takes two or more of them
	now := func() time.Time { return noon.Add(time.Duration(at.Add(1)) * time.Second) }
	b := newBench(t, storetest.New(t), func(d *frame.Deps) {
		simulator, err := sandbox.New(sandbox.Deps{Data: ":memory:", Seed: 1, Products: 600, Now: d.Now})
		require.NoError(t, err)
		upstream = httptest.NewServer(simulator.Handler())
		t.Cleanup(func() {
			upstream.Close()
			require.NoError(t, simulator.Close())
		})
		d.Metrics = prometheus.NewRegistry()
		d.Health = d.Health.With(func(h *health.Deps) { h.Metrics = d.Metrics })
		client, err = apiclient.New(apiclient.Deps{
			BaseURL: upstream.URL, AuthURL: upstream.URL, ClientID: "sandbox-client", ClientSecret: "sandbox-secret",
			Metrics: d.Metrics, Now: now,
		})
		require.NoError(t, err)
		t.Cleanup(client.Close)
	})
	b.upstream = upstream.URL
	w := b.signIn(staff.Admin)
	figure := func(name string) string {
		return strings.TrimSpace(w.get("/admin/upstream").page(t).Find(`.figure:contains("` + name + `") dd bdi`).First().Text())
	}
	require.Equal(t, "None yet", figure("Last answer"))
	require.Empty(t, figure("Age of the access token"))

	for range 2 {
		_, err := client.GetBalance(t.Context())
		require.NoError(t, err)
	}
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"GetBalance"},"action":{"kind":"error","code":"RateLimited"}}]`)
	_, err := client.GetBalance(t.Context())
	require.Error(t, err)
	at.Add(5 * 60)
	require.Equal(t, "5 minutes", figure("Age of the access token"))
	require.Equal(t, noon.Format("15:04"), figure("Last answer"))
	require.Equal(t, "2", figure("Answers: accepted"))
	require.Equal(t, "1", figure("Answers: try again later"))
	cells := w.get("/admin/upstream").page(t).Find("tr:has(th:contains(GetBalance)) td").Map(func(_ int, cell *goquery.Selection) string { return strings.TrimSpace(cell.Text()) })
	require.Equal(t, "3", cells[0], "how often")
	require.Regexp(t, `^\d+\.\d\d s$`, cells[1], "the mean")
	require.Regexp(t, `^\d+\.\d\d s$`, cells[2], "95 of 100")
}

// TestTheCataloguePageTellsTroubleAndPromotions as the service last told them.
func TestTheCataloguePageTellsTroubleAndPromotions(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Admin)
	part := func(title string) *goquery.Selection {
		return w.get("/admin/catalogue").page(t).Find(".office-part").FilterFunction(func(_ int, part *goquery.Selection) bool { return part.Find("h2").Text() == title })
	}
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.Exec("UPDATE provider_statuses SET processing = TRUE, message = ''").Error, tx.Exec("UPDATE catalog_versions SET version = version + 1 WHERE what = 'status'").Error)
	}))
	require.NoError(t, b.server.D.Catalog.Refresh(t.Context()))
	require.Contains(t, part("Providers with problems").Text(), "Every provider is taking transfers.")
	sold := b.server.D.Catalog.Current()
	var troubled *catalog.Provider
	for product := range sold.AllProducts() {
		troubled, _ = sold.Provider(product.Provider)
	}
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.Exec("UPDATE provider_statuses SET processing = FALSE, message = 'Down until noon' WHERE provider = ?", troubled.Code).Error,
			tx.Exec("UPDATE catalog_versions SET version = version + 1 WHERE what = 'status'").Error)
	}))
	require.NoError(t, b.server.D.Catalog.Refresh(t.Context()))
	rows := part("Providers with problems").Find("tbody tr")
	require.Equal(t, 1, rows.Length())
	for _, words := range []string{troubled.Name, "No", "Down until noon"} {
		require.Contains(t, rows.Text(), words)
	}

	running := sold.RunningPromotions(b.clock())
	require.NotEmpty(t, running)
	rows = part("Current promotions").Find("tbody tr")
	require.Equal(t, min(len(running), office.PromotionsListed), rows.Length())
	for i, promotion := range running[:rows.Length()] {
		text, told := sold.PromotionText(promotion, "en")
		require.True(t, told)
		provider, _ := sold.Provider(promotion.Provider)
		for _, words := range []string{provider.Name, text.Headline, strconv.Itoa(promotion.StartsAt.Day())} {
			require.Contains(t, rows.Eq(i).Text(), words)
		}
		last := "–"
		if !promotion.Endless() { // its end is no part of it: the counter says so, too
			last = locale.New(language.English, time.UTC).Date(promotion.EndsAt.Add(-time.Second))
		}
		require.Equal(t, last, strings.TrimSpace(rows.Eq(i).Children().Last().Text()))
	}
}

func TestTheCataloguePageHidesAndAsksForASync(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Admin)
	const path, list = "/admin/catalogue", "/admin/catalogue/products"
	before := b.server.D.Catalog.Current().Size()
	sku := ""
	for p := range b.server.D.Catalog.Current().AllProducts() {
		sku = p.SKU
	}
	require.Equal(t, 1, w.post(path+"/hide", w.fill(list, path+"/hide", "", map[string]string{"sku": sku})).page(t).Find(`.field.refused [name="reason"]`).Length())
	require.Equal(t, http.StatusSeeOther, w.post(path+"/hide", w.fill(list, path+"/hide", "", map[string]string{"sku": sku, "reason": "complaints"})).StatusCode)
	require.Equal(t, before-1, b.server.D.Catalog.Current().Size())
	require.Equal(t, http.StatusSeeOther, w.post(path+"/hide", w.fill(list+"?state=hidden", path+"/hide", "show", nil)).StatusCode)
	require.Equal(t, before, b.server.D.Catalog.Current().Size())
	require.Equal(t, path+"?done=asked", w.post(path+"/sync", w.fill(path, path+"/sync", "", nil)).Header.Get("Location"))
	var jobs int64
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT COUNT(*) FROM river_job WHERE kind LIKE 'catalog%'").Scan(&jobs).Error)
	require.Positive(t, jobs)
}

func TestLongWorkIsOnTheJobsPage(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	running := func() string { return w.get("/admin/jobs").page(t).Find(".office-part").First().Text() }
	require.Contains(t, running(), "No long work is in progress.")
	task := b.server.D.Board.Begin(jobs.Catalogue, "", 8)
	b.pass(2 * time.Second)
	task.At(t.Context(), "products", 2)
	require.Contains(t, running(), "2 of 8 (25")
	require.Contains(t, running(), "products")
	require.Contains(t, w.get("/admin/catalogue").page(t).Find("main").Text(), "2 of 8 (25", "also where it was asked for")
	for _, page := range []string{"/admin/jobs", "/admin/catalogue"} {
		part := w.get(page).page(t).Find("#running")
		renewed := w.get(part.AttrOr("hx-get", "")).page(t)
		require.Equal(t, part.Text(), renewed.Find("#running").Text(), page)
		require.Zero(t, renewed.Find("header").Length(), "the part alone")
	}
	b.pass(10 * time.Minute)
	require.Contains(t, running(), "It may have stopped")
	task.End(t.Context())
	require.Contains(t, running(), "No long work is in progress.")
	require.NotContains(t, w.get("/admin/catalogue").page(t).Find("main").Text(), "Long work in progress")
}

// TestAFileUnderWayIsOnTheJobsPage: the export counts its rows, and leaves the
// page when its reader goes.
func TestAFileUnderWayIsOnTheJobsPage(t *testing.T) {
	t.Parallel()
	b := traded(t, storetest.New(t), 20)
	var looks atomic.Int64 // a second passes in every hundred rows
	*b.server.D.Board = *jobs.NewBoard(jobs.BoardDeps{DB: b.db, Log: slog.New(slog.DiscardHandler), Now: func() time.Time {
		return b.clock().Add(time.Duration(looks.Add(1)) * 10 * time.Millisecond)
	}})
	running := func() []jobs.Work {
		all, err := b.server.D.Board.Running(t.Context())
		require.NoError(t, err)
		return all
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := b.signIn(staff.Finance)
	idle := w.get("/sales").page(t).Find(".files-running")
	require.Equal(t, "/files/running", idle.AttrOr("hx-get", ""))
	require.Contains(t, idle.AttrOr("hx-trigger", ""), "click", "nobody asks before a file was asked for")
	body := w.download(ctx, yearOfSales)
	lines := bufio.NewReader(body)
	waitFor(t, "the file is seen", func() bool {
		for range 100 { // slowly, so that the server must wait for its reader
			if _, err := lines.ReadString('\n'); err != nil {
				break
			}
		}
		return len(running()) == 1
	})
	require.Equal(t, jobs.Export, running()[0].Kind)
	require.Positive(t, running()[0].Done)
	require.EqualValues(t, 20_000, running()[0].Total)
	mine := w.get("/files/running").page(t).Find(".files-running")
	require.Regexp(t, `^sales.*\.csv: [\d,]+ of 20,000 \(\d+(\.\d)?%\)$`, strings.TrimSpace(mine.Text()))
	require.Equal(t, "20000", mine.Find("progress").AttrOr("max", ""))
	require.Equal(t, "every 1s", mine.AttrOr("hx-trigger", ""), "and asks on until it is written")
	require.Empty(t, strings.TrimSpace(b.signIn(staff.Admin).get("/files/running").page(t).Text()), "another's file is another's")
	cancel()
	require.NoError(t, body.Close())
	waitFor(t, "it is gone", func() bool { return len(running()) == 0 })
}

type tryArgs struct{}

// Kind names the job.
func (tryArgs) Kind() string { return "web_test_try" }

// InsertOpts gives it up at once.
func (tryArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

// TestAFailedJobIsSeenAndRunAgain on each database: River keeps its jobs in both.
func TestAFailedJobIsSeenAndRunAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var works atomic.Bool
		try := jobs.OnRequest[tryArgs]{Do: func(context.Context, tryArgs) error {
			if !works.Load() {
				return errors.New("the lights are out")
			}
			return nil
		}}
		runner, err := jobs.New(jobs.Deps{DB: db, Process: "test", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now}, try)
		require.NoError(t, err)
		b := newBench(t, db, func(d *frame.Deps) { d.Jobs = runner })
		require.NoError(t, runner.Start(t.Context()))
		defer func() { require.NoError(t, runner.Stop(context.WithoutCancel(t.Context()))) }()
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Enqueue(t.Context(), tryArgs{}, nil) }))

		w := b.signIn(staff.Admin)
		const path, button = "/admin/jobs", `form[action="/admin/jobs/retry"]`
		waitFor(t, "the failure is on the page", func() bool { return w.get(path).page(t).Find(button).Length() == 1 })
		require.Contains(t, w.get(path).body, "web_test_try")
		require.Contains(t, w.get(path).page(t).Find("tr:has(form)").Text(), "the lights are out", "it says why")
		works.Store(true)
		require.Equal(t, path+"?done=asked", w.post(path+"/retry", w.fill(path, path+"/retry", "", nil)).Header.Get("Location"))
		waitFor(t, "it has run", func() bool {
			page := w.get(path).page(t)
			return page.Find(button).Length() == 0 && strings.Contains(page.Find("main").Text(), "Done")
		})
		form := w.fill("/admin/catalogue", "/admin/catalogue/sync", "", map[string]string{"id": "999999"})
		require.Equal(t, http.StatusNotFound, w.post(path+"/retry", form).StatusCode, "no such job")
	})
}
