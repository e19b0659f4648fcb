package web

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/forecast"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/storetest"
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
	f := forecast.New(forecast.Deps{Report: b.server.d.Report, Now: b.clock})
	b.server.d.Forecast = f
	shops, err := b.staff.Shops(t.Context())
	require.NoError(t, err)
	w := b.signIn(staff.Finance)
	l := locale.New(language.English, b.shop.Location())
	for _, told := range []struct {
		float, value string
		words        func(forecast.Runway) string
	}{
		{"60", "about ", func(r forecast.Runway) string {
			return fmt.Sprintf("Between %s and %s. Half of %d forecasts for days past were off by less than %d %%.", shortTime(l, b.clock(), r.Soonest), latest(l, b.clock(), r.Latest), r.Trials, r.Error)
		}},
		{"1000000", "Longer than a week", func(r forecast.Runway) string {
			return fmt.Sprintf("Half of %d forecasts for days past were off by less than %d %%.", r.Trials, r.Error)
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
	require.Equal(t, http.StatusSeeOther, w.post("/language", url.Values{"language": {"es"}}).StatusCode)
	_, note := w.lasts("/today", "El saldo dura hasta")
	require.Contains(t, note, "previsiones de días pasados erraron menos de un")
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
	b.server.d.Forecast = forecast.New(forecast.Deps{Report: b.server.d.Report, Now: b.clock})
	b.balance(money.MustParse("500", "EUR"))
	w := b.signIn(staff.Finance)
	for _, page := range []string{"/today", "/reconcile"} {
		value, note := w.lasts(page, "Float lasts until")
		require.Contains(t, value, "Not known yet", page)
		require.Equal(t, "It takes two weeks of sales to tell.", note, page)
	}
}

// TestAForecastThatWasNeverTriedSaysSo: two weeks tell of today, and of no day that is
// over. That none was off is not what is known of it.
func TestAForecastThatWasNeverTriedSaysSo(t *testing.T) {
	t.Parallel()
	d := forecast.Days{}
	d.Today = len(d.Spent) - 1
	for _, day := range []int{d.Today - 14, d.Today - 7} {
		for hour := range d.Spent[day] {
			d.Spent[day][hour] = money.Scale
		}
	}
	l := locale.New(language.English, time.UTC)
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for float, want := range map[int64]string{3: "about 15:00", 1000: "Longer than a week"} {
		figure := runwayText(l, now, forecast.Predict(now, float*money.Scale, d))
		require.Equal(t, want, figure.Value)
		require.Equal(t, "How far off it may be is not known yet: there is no day past that it could be tried on.", figure.Note)
	}
}
