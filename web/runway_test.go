package web

import (
	"fmt"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/forecast"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/locale"
)

// lasts is what a page says of how long the float lasts.
func (w *browser) lasts(path, name string) (value, note string) {
	w.b.t.Helper()
	w.get(path).page(w.b.t).Find("main .figure").Each(func(_ int, f *goquery.Selection) {
		if f.Find("dt").Text() == name {
			value, note = f.Find("dd a, dd strong, dd").First().Text(), f.Find(".hint").Text()
		}
	})
	return value, note
}

// TestTheForecastSaysHowFarOffItMayBe: by the trials on days that are over, in words, on
// both pages that have it; for a float that outlasts them as well.
func TestTheForecastSaysHowFarOffItMayBe(t *testing.T) {
	t.Parallel()
	b := trading(t)
	f := forecast.New(forecast.Deps{Report: b.server.D.Report, Now: b.clock})
	b.server.D.Forecast = f
	shops, err := b.staff.Shops(t.Context())
	require.NoError(t, err)
	w := b.signIn(staff.Finance)
	l := locale.New(language.English, b.shop.Location())
	for _, told := range []struct {
		float, value string
		words        func(forecast.Runway) string
	}{
		{"60", "about ", func(r forecast.Runway) string {
			return fmt.Sprintf("Between %s and %s. In %d tests on past days it was wrong by at most %d%% half of the time.", frame.ShortTime(l, b.clock(), r.Soonest), frame.ShortTime(l, b.clock(), r.Latest), r.Trials, r.Error)
		}},
		{"1000000", "Longer than a week", func(r forecast.Runway) string {
			return fmt.Sprintf("In %d tests on past days it was wrong by at most %d%% half of the time.", r.Trials, r.Error)
		}},
	} {
		float := money.MustParse(told.float, "EUR")
		b.balance(float)
		r, err := f.Runway(t.Context(), shops, b.shop.Location(), float)
		require.NoError(t, err)
		require.Positive(t, r.Trials)
		require.Positive(t, r.Error)
		for _, page := range []string{"/today", "/reconcile"} {
			value, note := w.lasts(page, "Float lasts until")
			require.Contains(t, value, told.value, page)
			require.Equal(t, told.words(r), note, page)
		}
	}
	b.balance(money.Amount{})
	for _, page := range []string{"/today", "/reconcile"} {
		value, _ := w.lasts(page, "Float lasts until")
		require.Contains(t, value, "Used up", page)
	}
}

// balance is what the upstream told last.
func (b *bench) balance(float money.Amount) {
	b.t.Helper()
	b.pass(time.Second)
	require.NoError(b.t, b.db.Tx(b.t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO upstream_balances (id, asked_at, told_at, micros, currency, open_sales) VALUES (?, ?, ?, ?, 'EUR', 0)", b.clock().Format(time.RFC3339), b.clock(), b.clock(), float.Micros()).Error
	}))
}

func TestTheForecastSaysThatItKnowsTooLittle(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	b.server.D.Forecast = forecast.New(forecast.Deps{Report: b.server.D.Report, Now: b.clock})
	b.balance(money.MustParse("500", "EUR"))
	w := b.signIn(staff.Finance)
	for _, page := range []string{"/today", "/reconcile"} {
		value, note := w.lasts(page, "Float lasts until")
		require.Contains(t, value, "Not known yet", page)
		require.Equal(t, "It takes two weeks of sales to tell.", note, page)
	}
}
