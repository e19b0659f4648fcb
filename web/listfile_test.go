package web

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// TestTheListsOfTheBooksAreTakenAway: statements, payments, other sellers and what
// they sold, verdicts, and the state of health, in every kind of file, with what
// the page shows.
func TestTheListsOfTheBooksAreTakenAway(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}]`)
	path := b.atTill(staff.Cashier).sellTopUp()
	b.becomes(path, sales.Unknown)
	b.pass(46 * 24 * time.Hour)
	finance := audit.Actor{UserID: b.users[staff.Finance].ID, Name: "finance", Role: "finance"}
	_, err := b.server.D.Statements.CloseDue(t.Context())
	require.NoError(t, err)
	paid := money.Of(1_000_000_000, "EUR")
	_, err = b.server.D.Reconcile.EnterTopUp(t.Context(), finance, "", paid, ledger.Safe, "bank transfer 77")
	require.NoError(t, err)
	require.NoError(t, b.server.D.Reconcile.DeclareSeller(t.Context(), finance, "KIOSK", "The kiosk's own program"))
	require.NoError(t, b.server.D.FollowUp.Propose(t.Context(), finance, b.saleAt(path).ID, sales.Failed, "they wrote so"))
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO foreign_sales (transfer_ref, ref, seller, sku_code, micros, currency, booked_at) VALUES ('T1', 'KIOSK01', 'KIOSK', 'SKU9', -5000000, 'EUR', ?)", b.clock()).Error
	}))
	w := b.signIn(staff.Finance)
	for page, lists := range map[string][]struct {
		name  string
		rows  string // what is a row on the page
		words []string
	}{
		"/statements":         {{"Statements", "table.list tbody tr", []string{"2026-04-01", "Main Street"}}},
		"/reconcile/verdicts": {{"Not finished after 45 days", "article.sheet", []string{b.saleAt(path).Ref, "It did not go through", "they wrote so"}}},
		"/reconcile/outside": {
			{"Payments to the transfer service", ".deal:nth-of-type(1) .entry", []string{"1000.00", "bank transfer 77", "Waits for a second person"}},
			{"Other software on the account", ".deal:nth-of-type(2) .entry", []string{"KIOSK", "The kiosk's own program"}},
			{"Sold by other software", "table.list tbody tr", []string{"KIOSK01", "SKU9", "5.00"}},
		},
		"/admin/health": {{"Health", "", []string{"Catalogue", "Jobs", "Webhooks"}}},
	} {
		doc := w.get(page).page(t)
		require.Equal(t, len(lists), doc.Find(".exports").Length(), page)
		for _, list := range lists {
			files := doc.Find(`.exports[aria-label$="` + list.name + `"] a`)
			require.Equal(t, len(frame.ExportFormats), files.Length(), "%s: %s", page, list.name)
			files.Each(func(i int, link *goquery.Selection) {
				got := w.get(link.AttrOr("href", ""))
				require.Equal(t, http.StatusOK, got.StatusCode, link.AttrOr("href", ""))
				require.True(t, strings.HasPrefix(got.body, []string{"\uFEFF", "PK", "%PDF-"}[i]), link.AttrOr("href", ""))
				if i > 0 {
					return
				}
				rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\uFEFF"))).ReadAll()
				require.NoError(t, err)
				if shown := doc.Find(list.rows).Length(); list.rows != "" {
					require.Positive(t, shown, list.name)
					require.Len(t, rows, 1+shown, list.name)
				}
				for _, words := range list.words {
					require.Contains(t, got.body, words, list.name)
				}
			})
		}
		require.Equal(t, http.StatusNotFound, w.get(page+"?file=exe&list=sold").StatusCode, page)
	}
	require.Equal(t, http.StatusNotFound, w.get("/reconcile/outside?file=csv&list=none").StatusCode)
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Cashier).get("/reconcile/outside?file=csv&list=topups").StatusCode)
}

// TestTheFileOfDifferencesHasThemAll, and not only those that the page lists.
func TestTheFileOfDifferencesHasThemAll(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	const all = 230
	for i := range all {
		b.stand(reconcile.Break{Kind: reconcile.BalanceDown, ShopID: strconv.Itoa(i), Micros: -1_000_000})
	}
	w := b.signIn(staff.Finance)
	require.Less(t, w.get("/reconcile").page(t).Find("table.list tbody tr").Length(), all)
	lines := strings.Split(w.get("/reconcile?file=csv").body, "\n")
	require.Len(t, slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, "-1.00") }), all)
}

// TestTheFileOfTheAuditHasItAll, from whichever of its pages, and however long it is.
func TestTheFileOfTheAuditHasItAll(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	const all = sheet.MostPrinted + 1
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for range all {
			e := audit.Entry{Actor: audit.Command("a test"), Act: audit.TillAdded, Subject: audit.Of(audit.Till, "1")}
			if err := b.audit().Write(t.Context(), tx, e); err != nil {
				return err
			}
		}
		return nil
	}))
	w := b.signIn(staff.Auditor)
	first := w.get("/admin/audit?action=" + string(audit.TillAdded)).page(t)
	second := w.get(first.Find("main p > a.button").Last().AttrOr("href", "")).page(t)
	file := w.get(second.Find(".exports a").First().AttrOr("href", ""))
	require.Equal(t, http.StatusOK, file.StatusCode)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\uFEFF"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+all)
}
