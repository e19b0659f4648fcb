package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
)

// TestAListSaysWhatItIsAltogether: how many sales, and what they came to in each currency,
// for a day as for a year; a list behind a figure is not called today's, nor is its file.
func TestAListSaysWhatItIsAltogether(t *testing.T) {
	t.Parallel()
	b := trading(t)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET price_currency = 'NGN' WHERE shop_id = (SELECT MAX(shop_id) FROM sales)").Error
	}))
	require.NoError(t, b.server.D.Report.Rebuild(t.Context()))
	w := b.signIn(staff.Finance)
	l := locale.New(locale.At(language.English, ""), nil)
	for _, query := range []string{
		"?from=2026-02-26&to=2026-03-01", "?from=2026-01-01&to=2026-03-31", "?from=2026-01-01&to=2026-03-31&state=failed",
		"?from=2026-01-01&to=2026-03-31&state=complete&currency=NGN",
	} {
		found := w.behind("/sales" + query)
		sent, taken := 0, map[money.Currency]int64{}
		for _, row := range found.file[1:] {
			if row[found.column("State")] == "Sent" {
				sent++
				taken[money.Currency(row[found.column("Currency")])] += centsOf(t, row[found.column("Paid")])
			}
		}
		said := map[string]string{}
		for _, part := range found.page.Find(".sums-row > div").EachIter() {
			said[strings.TrimSpace(part.Find("dt").Text())] = squeezed(part.Find("dd").Text())
		}
		require.Equal(t, fmt.Sprint(sent), said["Sent"], query)
		if count := len(found.file) - 1; count > sent {
			require.Equal(t, fmt.Sprint(count), said["Sales"], query)
		}
		for currency, cents := range taken {
			require.Contains(t, said["Cash for sent sales"], squeezed(l.Amount(money.Of(cents*10_000, currency))), query)
		}
		require.Equal(t, "Sales behind the figure", strings.TrimSpace(found.page.Find("h1").Text()))
		require.Contains(t, w.get("/sales.pdf"+query).body, utf16Of("/Title (", "Sales", ")"))
	}
	today := w.get("/sales").page(t)
	require.Equal(t, "Today's sales", strings.TrimSpace(today.Find("h1").Text()))
	require.Contains(t, w.get("/sales.pdf").body, utf16Of("/Title (", "Today's sales", ")"))
	require.Equal(t, http.StatusOK, w.get("/sales?from=2026-01-01&to=2026-03-31&slot=34").StatusCode)
}

// TestAListBeyondTheDayIsNotCalledTodays: what is searched, waits or was a shift's may be of any day.
func TestAListBeyondTheDayIsNotCalledTodays(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	l := locale.New(locale.At(language.English, b.shop.Country), b.shop.Location())
	today := l.Date(b.server.D.Now())
	require.Equal(t, today, squeezed(w.get("/sales").page(t).Find(".lead").First().Text()))
	var shift string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT MAX(id) FROM shifts").Scan(&shift).Error)
	for query, title := range map[string]string{
		"?q=99999999": "Sales", "?state=waiting": "Waiting", "?state=owed": "Sales behind the figure",
		"?shift=" + shift: "Sales behind the figure",
	} {
		page := w.get("/sales" + query).page(t)
		require.Equal(t, title, squeezed(page.Find("h1").Text()), query)
		require.Equal(t, "Show all of today", squeezed(page.Find(".lead").First().Text()), query)
		require.Equal(t, 1, page.Find("main a[href='/sales']").Length(), query)
		if !strings.Contains(query, "q=") { // no file is made of a search
			require.Contains(t, w.get("/sales.pdf"+query).body, utf16Of("/Title (", "Sales", ")"), query)
		}
	}
}

// TestAListOfAShopGoesByItsClock, whoever reads it: its today is the day that the list has without being asked.
func TestAListOfAShopGoesByItsClock(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	ahead, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{
		Name: "Ahead", Zone: "Pacific/Kiritimati", Country: "KI", Currency: "AUD", Tills: 1,
	})
	require.NoError(t, err)
	now := b.server.D.Now()
	there := now.In(ahead.Location()).Format(time.DateOnly)
	require.NotEqual(t, now.Format(time.DateOnly), there)
	page := w.get("/sales?shop=" + ahead.ID).page(t)
	require.Equal(t, there, page.Find("input[name=from]").AttrOr("value", ""))
	today := page.Find("main .tabs a").First()
	require.Contains(t, today.AttrOr("href", ""), "from="+there)
	require.NotEmpty(t, today.AttrOr("aria-current", ""))
	for _, query := range []string{"?state=owing", "?amount=none"} { // those of the reader's own
		page = w.get("/sales" + query).page(t)
		require.Contains(t, page.Find("main .tabs a").First().AttrOr("href", ""), "from="+now.Format(time.DateOnly), query)
	}
}

// TestASearchForBlanksIsNone: it found whatever has no reference, as what was never sent.
func TestASearchForBlanksIsNone(t *testing.T) {
	t.Parallel()
	w := trading(t).signIn(staff.Finance)
	require.Equal(t, "Today's sales", squeezed(w.get("/sales?q=%20%20").page(t).Find("h1").Text()))
}

// utf16Of is a text as a PDF has its title.
func utf16Of(before, text, after string) string {
	out := []byte(before + "\xFE\xFF")
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit>>8), byte(unit))
	}
	return string(out) + after
}
