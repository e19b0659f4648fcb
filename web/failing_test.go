package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestFailuresAreWhatFailed sells, with and without success, and holds the products that fail and the report of reasons
// to what plain SQL finds among the sales.
func TestFailuresAreWhatFailed(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		cashier, admin := b.signIn(staff.Cashier), b.signIn(staff.Admin)
		type failure struct{ endpoint, code, context string }
		limited := failure{"SendTransfer", "RateLimited", ""}
		refused := failure{"SendTransfer", "AccountNumberInvalid", `,"context":"AccountNumberFailedRegex"`}
		sold := 0
		sell := func(failures, successes int, of failure) {
			if failures > 0 {
				b.simulate(http.MethodPost, "faults", fmt.Sprintf(`[{"match":{"endpoint":%q},"action":{"kind":"error","code":%q%s},"times":%d}]`, of.endpoint, of.code, of.context, failures))
			}
			for i := range failures + successes {
				state := sales.Failed
				if i >= failures {
					state = sales.Complete
				}
				sold++
				b.becomes(cashier.sellTo(fmt.Sprintf("08712340%02d", sold)), state)
			}
			require.NoError(t, b.server.D.Report.Refresh(t.Context()))
		}
		agrees := func(failing int) {
			since := b.clock().Add(-24 * time.Hour)
			skus, err := store.All[string](db.Read(t.Context()).Raw(`SELECT sku_code FROM sales WHERE NOT practice AND recorded_at >= ?
				GROUP BY sku_code HAVING COUNT(CASE WHEN fulfilment = 'failed' THEN 1 END) >= 3
				AND COUNT(CASE WHEN fulfilment = 'failed' THEN 1 END) >= COUNT(CASE WHEN fulfilment = 'complete' THEN 1 END)`, store.Moment(since)))
			require.NoError(t, err)
			require.Len(t, skus, failing)
			got, err := b.server.D.Report.Failing(t.Context())
			require.NoError(t, err)
			require.Len(t, got, failing)
			for _, sku := range skus {
				require.True(t, got[sku], sku)
			}
			troubled := admin.get("/admin/catalogue/products?state=trouble").page(t)
			require.Equal(t, failing, strings.Count(troubled.Find("main table").Text(), "Most sales fail"), "as the catalogue shows them")
		}
		sell(2, 0, limited)
		agrees(0)
		sell(1, 0, refused)
		agrees(1)
		sell(0, 4, failure{})
		agrees(0)
		sell(1, 0, refused)
		agrees(1)

		byReason, err := store.Pairs[string, int64](db.Read(t.Context()).Raw("SELECT reason_code, COUNT(*) FROM sales WHERE fulfilment = 'failed' GROUP BY reason_code"))
		require.NoError(t, err)
		require.Equal(t, map[string]int64{"RateLimited": 2, "AccountNumberInvalid": 2}, byReason)
		shown := map[string]string{}
		admin.get("/reports/failures").page(t).Find("main table tbody tr").Each(func(_ int, row *goquery.Selection) {
			shown[strings.TrimSpace(row.Find("th").Text())] = strings.TrimSpace(row.Find("td").First().Text())
		})
		require.Equal(t, map[string]string{"Too many transfers to this number in a short time.": "2", "This is not a number of the provider.": "2"}, shown)

		b.pass(25 * time.Hour)
		agrees(0)
	})
}
