package web

import (
	"bufio"
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
)

func (b *bench) moveSale(path, set string) {
	b.t.Helper()
	require.NoError(b.t, b.db.Tx(b.t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET "+set+" WHERE id = ?", strings.TrimPrefix(path, "/sales/")).Error
	}))
}

func TestTheTrayHoldsWhatMustNotBeLostSightOf(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	tray := func(path string) string {
		return strings.Join(strings.Fields(w.get(path).page(t).Find("#tray").Text()), " ")
	}
	require.Empty(t, tray("/counter"))
	require.Equal(t, 1, w.get("/counter").page(t).Find("main ~ .tray-place #tray").Length(), "after all that the page is about")
	path, _ := w.sold(irish)
	require.Empty(t, tray("/counter"))

	b.moveSale(path, "fulfilment = 'unknown', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
	require.Contains(t, tray("/counter"), "Not known yet")
	require.Contains(t, tray("/sales"), "+353 87 123 4567", "as the counter writes it everywhere")
	require.Zero(t, w.get("/counter").page(t).Find(".recent a[href*='353871234567']").Length(), "no sale stands in both lists")
	require.Empty(t, tray(path), "its own page says it all")

	b.pass(time.Minute)
	b.moveSale(path, "fulfilment = 'complete', next_check_at = NULL, final_at = '"+b.clock().Format("2006-01-02 15:04:05")+"'")
	page := w.get("/counter").page(t)
	require.Contains(t, page.Find("#tray [aria-live]").Text(), "Sent: ", "announced")
	b.moveSale(path, "fulfilment = 'failed', cash = 'refund_due'")
	require.Contains(t, tray("/counter"), "Give back €")
	first := b.saleAt(path)
	price := first.Price()

	b.pass(2 * time.Minute)
	for i := range 4 {
		other, _ := w.sold("087123450" + strconv.Itoa(i))
		b.moveSale(other, "fulfilment = 'failed', cash = 'refund_due'")
	}
	full := w.get("/counter").page(t).Find("#tray")
	require.Equal(t, 3, full.Find("a[href^='/sales/']").Length())
	owed := price
	for range 4 {
		var err error
		owed, err = owed.Add(price)
		require.NoError(t, err)
	}
	require.Contains(t, full.Find(".tray-owed").Text(), "To give back: "+locale.New(language.MustParse("en-IE"), nil).Amount(owed))
	more := full.Find("#tray-more a")
	require.Equal(t, "+2", more.Text())
	require.Equal(t, 5, w.get(more.AttrOr("href", "")).page(t).Find("table.list tbody tr").Length())
}

// events reads the stream of an address line by line.
func (w *browser) events(ctx context.Context, path string) *bufio.Scanner {
	w.b.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.b.http.URL+path, nil)
	require.NoError(w.b.t, err)
	r.Header.Set("Accept", "text/event-stream")
	for _, cookie := range w.cookies {
		r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
	}
	response, err := w.b.http.Client().Transport.RoundTrip(r)
	require.NoError(w.b.t, err)
	w.b.t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(w.b.t, http.StatusOK, response.StatusCode)
	require.Equal(w.b.t, "no", response.Header.Get("X-Accel-Buffering")) // nobody between holds an event back
	return bufio.NewScanner(response.Body)
}

// says reads a stream until a line has a text.
func says(t *testing.T, lines *bufio.Scanner, text string) {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return
		}
	}
	t.Fatalf("the stream ended without %q", text)
}

func TestTheTrayReportsByItself(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	path, _ := w.sold(irish)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	lines := w.events(ctx, "/tray/events")
	says(t, lines, `id="tray"`)
	b.moveSale(path, "fulfilment = 'unknown', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
	b.server.D.Bus.Publish(ctx, sales.TillTopic(b.tills[0].ID))
	says(t, lines, "Not known yet")

	// What comes to a sale's own page is about the others.
	b.moveSale(path, "fulfilment = 'failed', cash = 'refund_due', final_at = recorded_at, next_check_at = NULL")
	other, _ := w.sold("0871234501")
	b.moveSale(other, "fulfilment = 'unknown', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
	address := w.get(path).page(t).Find(".tray-place").AttrOr("hx-sse:connect", "")
	own, event := w.events(ctx, address), ""
	for own.Scan() && (own.Text() != "" || !strings.Contains(event, "Not known yet")) {
		event += own.Text()
	}
	require.Contains(t, event, "tray-"+b.saleAt(other).ID)
	require.NotContains(t, event, "tray-"+b.saleAt(path).ID)
}

func TestAnUnknownOutcomeSaysHowLongItUsuallyTakes(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	path := w.sellTopUp()
	require.NotContains(t, w.get(path).page(t).Find(".verdict").Text(), "Usually known")
	b.moveSale(path, "fulfilment = 'unknown', final_at = NULL, next_check_at = recorded_at")
	require.Contains(t, w.get(path).page(t).Find(".verdict").Text(), "Usually known within 2 minutes. If it was never sent, that is known after about 15 minutes.")
}
