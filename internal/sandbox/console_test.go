package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/money"
	"airtill/internal/sandbox"
)

func TestLedger_TheWorkedMoneyRuleAddsUp(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.send("A", nil).is(t, 200, 1, "")
	l.sendBatch("B")
	l.must("POST", "/_sandbox/topup", `{"amount":"100.00"}`)
	l.fault(`{"match":{"endpoint":"GetCountries"},"action":{"kind":"balance_drift","amount":"0.000001"}}`)
	l.api("GetCountries", "")
	l.cancel("", "B")
	ledger := l.ledger()
	require.Equal(t, "10090.730001", ledger.Balance)
	require.Equal(t, "10000.00", ledger.Opening)
	require.Equal(t, "100.00", ledger.Topups)
	require.Equal(t, "0.000001", ledger.Drift)
	require.Equal(t, "EUR", ledger.Currency)
	require.Len(t, ledger.Entries, 2)
	a := ledger.Entries[0]
	require.Equal(t, sandbox.LedgerEntry{
		DistributorRef: "A", TimesExecuted: 1, Deducted: "10.10", Refunded: "0.00", Commission: "0.83", State: "Complete",
		SkuCode: topup, AccountNumber: testNumber, Settings: a.Settings, TransferRefs: []string{"172366400001"}, RequestedAt: []time.Time{start},
	}, a)
}

func TestPrices_CustomerFeeIsInsideDistributorFeeOnTop(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.product(func(p *product) bool {
		return p.Minimum.CustomerFee != "0" && p.Minimum.DistributorFee == "0" && p.RedemptionMechanism == "ReadReceipt" && p.Benefits[0] != "Electricity"
	})
	r := l.send("A", map[string]any{"SkuCode": p.SkuCode, "SendValue": p.Minimum.SendValue, "AccountNumber": "0000000000"})
	r.is(t, 200, 1, "")
	require.Equal(t, money.MustParse(p.Minimum.SendValue.String(), "EUR").Decimal(2), l.entry("A").Deducted)

	both := l.products("?skuCodes=IE_LU_TopUp")[0]
	require.Equal(t, json.Number("0.25"), both.Minimum.CustomerFee)
	require.Equal(t, json.Number("0.1"), both.Minimum.DistributorFee)
	require.Equal(t, json.Number("1.71"), both.Minimum.ReceiveValue, "98 % of 2.00 less the fee")
	require.Equal(t, json.Number("78.15"), both.Maximum.ReceiveValue, "98 % of 80.00 less the fee")
	l.send("B", nil).is(t, 200, 1, "")
	require.Equal(t, "10.10", l.entry("B").Deducted, "the customer fee is in the 10.00, the distributor fee is not")
}

func TestConsole_BadRequests(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, c := range [][3]string{
		{"PUT", "/_sandbox/config", `{"unknown":1}`},
		{"PUT", "/_sandbox/config", `{`},
		{"PUT", "/_sandbox/config", `{"signedOrder":"x"}`},
		{"PUT", "/_sandbox/config", `{"limitStatus":200}`},
		{"PUT", "/_sandbox/config", `{"currency":"ZZZ"}`},
		{"PUT", "/_sandbox/config", `{"latency":"5"}`},
		{"PUT", "/_sandbox/config", `{"clockSpeed":0}`},
		{"PUT", "/_sandbox/config", `{"webhookPublicKey":"x"}`},
		{"PUT", "/_sandbox/config", `{"openingBalance":"x"}`},
		{"PUT", "/_sandbox/config", `{} {}`},
		{"PUT", "/_sandbox/config", `{"deferAttempts":0}`},
		{"POST", "/_sandbox/topup", `{"amount":"-1"}`},
		{"POST", "/_sandbox/topup", `{"amount":"x"}`},
		{"POST", "/_sandbox/topup", `{"amount":"9999999999"}`},
		{"POST", "/_sandbox/topup", ``},
		{"POST", "/_sandbox/topup", strings.Repeat("x", 2<<20)},
	} {
		require.Equal(t, 400, l.must(c[0], c[1], c[2]).status, c)
	}
	require.Equal(t, "10000.00", l.ledger().Balance)
	l.send("A", nil).is(t, 200, 1, "")
	require.Equal(t, 400, l.must("PUT", "/_sandbox/config", `{"currency":"USD"}`).status, "the currency cannot change under transfers")
}

func TestConsole_PartialChangesKeepTheRest(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"sendCurrencies":["USD","GBP"],"deferDelay":"7s"}`)
	l.config(`{"sendCurrencies":["CHF"]}`)
	var config sandbox.Config
	require.NoError(t, json.Unmarshal(l.must("GET", "/_sandbox/config", "").body, &config))
	require.Equal(t, []string{"CHF"}, config.SendCurrencies)
	require.Equal(t, sandbox.Duration(7*time.Second), config.DeferDelay)
	require.Equal(t, "EUR", config.Currency)
}

func TestConsole_OtherSitesCannotUseIt(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	require.Equal(t, 403, l.must("POST", "/_sandbox/reset", "", "Origin", "https://evil.example").status)
	require.Equal(t, 403, l.must("POST", "/_sandbox/topup", `{"amount":"1"}`, "Sec-Fetch-Site", "cross-site").status)
	require.Equal(t, "10000.00", l.ledger().Balance)
}

func TestConsole_PageShowsWhatHappened(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	l.send("A", map[string]any{"DistributorRef": "<script>A"}, "X-Correlation-Id", "corr-9").is(t, 200, 1, "")
	l.deferred("B")
	r.wait(t, 1)
	l.tried(1)
	l.fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"drop"},"times":-1}`)
	_, err := l.do(http.MethodGet, "/api/V1/GetBalance", "")
	require.Error(t, err)
	a := l.must("GET", "/_sandbox/?q=lumera", "")
	require.Equal(t, 200, a.status)
	require.Contains(t, a.header.Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, string(a.body), "<script>A")
	require.NotContains(t, string(a.body), "sandbox-secret")
	page, err := goquery.NewDocumentFromReader(strings.NewReader(string(a.body)))
	require.NoError(t, err)
	require.Contains(t, page.Find("#transfers").Text(), "<script>A")
	require.Contains(t, page.Find("#calls").Text(), "corr-9")
	require.Contains(t, page.Find("#calls").Text(), "no answer")
	require.Contains(t, page.Find("#webhooks").Text(), "200")
	require.Contains(t, page.Find("#faults").Text(), "drop on GetBalance")
	require.Contains(t, page.Find("#catalogue").Text(), topup)
	require.Contains(t, page.Find("#settings").Text(), "timestamp-body or body-timestamp", "each setting is explained")
	require.Equal(t, 200, l.must("GET", "/_sandbox/console.css", "").status)
	require.Equal(t, "text/javascript; charset=utf-8", l.must("GET", "/_sandbox/console.js", "").header.Get("Content-Type"))
}

func TestOpenAPI_DescribesEveryEndpoint(t *testing.T) {
	t.Parallel()
	router, err := described() // it is valid: the lab refuses to start otherwise
	require.NoError(t, err)
	for path, method := range map[string]string{
		"GetAccountLookup": "GET", "GetBalance": "GET", "GetCountries": "GET", "GetCurrencies": "GET", "GetErrorCodeDescriptions": "GET",
		"GetProductDescriptions": "GET", "GetProducts": "GET", "GetPromotionDescriptions": "GET", "GetPromotions": "GET", "GetProviders": "GET",
		"GetProviderStatus": "GET", "GetRegions": "GET", "CancelTransfers": "POST", "EstimatePrices": "POST", "ListTransferRecords": "POST",
		"LookupBills": "POST", "SendTransfer": "POST",
	} {
		request, err := http.NewRequestWithContext(t.Context(), method, "/api/V1/"+path, nil)
		require.NoError(t, err)
		_, _, err = router.FindRoute(request)
		require.NoError(t, err, path)
	}
}

func TestClock_SpeedAndOffset(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(d *sandbox.Deps) { d.Now = time.Now })
	l.config(`{"limits":false,"clockSpeed":100000}`)
	l.sendBatch("A")
	l.reaches("A", "Complete")
}

// A page whose name was made to lead here reads and changes nothing.
func TestConsole_OnlyItsOwnNameIsAnswered(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for host, want := range map[string]int{
		"127.0.0.1:8081": http.StatusOK, "[::1]:8081": http.StatusOK, "localhost:8081": http.StatusOK, "sandbox": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "127.0.0.1.evil.example:8081": http.StatusMisdirectedRequest,
		"localhost.": http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"/_sandbox/", "/_sandbox/ledger", "/_sandbox/config", "/_sandbox/faults"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, l.server.URL+path, nil)
			require.NoError(t, err)
			request.Host = host
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, want, response.StatusCode, "%s %s", host, path)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.server.URL+"/_sandbox/topup", strings.NewReader(`{"amount":"1.00"}`))
		require.NoError(t, err)
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode, host)
	}
}
