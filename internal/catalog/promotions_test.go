package catalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// promote has an upstream list promotions that end at a moment, each with its text in English.
func (u *upstream) promote(ends time.Time, keys ...string) {
	u.alter(func(method string, body []byte) []byte {
		item := `{"LocalizationKey":%q,"LanguageCode":"en","Headline":"Double"}`
		switch method {
		case "GetPromotions":
			item = `{"LocalizationKey":%q,"ProviderCode":"ZEIE","StartUtc":"2020-01-01T00:00:00","EndUtc":"` +
				ends.UTC().Format(time.RFC3339) + `","CurrencyIso":"EUR","MinimumSendAmount":1}`
		case "GetPromotionDescriptions":
		default:
			return body
		}
		items := make([]string, len(keys))
		for i, key := range keys {
			items[i] = fmt.Sprintf(item, key)
		}
		return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[` + strings.Join(items, ",") + `]}`)
	})
}

func named(prefix string, n int) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprint(prefix, i))
	}
	return keys
}

// Where most promotions end on one day, as at the end of a month, the next answer lacks them, and what it has instead is
// written. What lacks before its end is held back like everything else.
func TestPromotionsThatHaveEndedAreNotMissed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(1)...)
		b := newBench(t, db, u)
		ends := b.clock.now().Add(time.Hour)
		u.promote(ends, named("MARCH", 20)...)
		b.syncAll(t)
		shown := func() int { return len(b.Current().Promotions("ZEIE", b.clock.now())) }
		outcomes := func() (of []catalog.Outcome) {
			for _, r := range []catalog.Resource{catalog.Promotions, catalog.PromotionTexts} {
				of = append(of, b.lastRun(t, r).Outcome)
			}
			return of
		}
		require.Equal(t, 20, shown())
		u.promote(ends, named("MARCH", 9)...)
		b.syncAll(t)
		require.Equal(t, []catalog.Outcome{catalog.Held, catalog.Held}, outcomes())
		require.Equal(t, 20, shown())

		b.clock.advance(2 * time.Hour)
		u.promote(b.clock.now().Add(30*24*time.Hour), named("APRIL", 12)...)
		b.syncAll(t)
		require.Equal(t, []catalog.Outcome{catalog.Done, catalog.Done}, outcomes())
		require.Equal(t, 12, shown())
		text, ok := b.Current().PromotionText(b.Current().Promotions("ZEIE", b.clock.now())[0], "en")
		require.True(t, ok)
		require.Equal(t, "Double", text.Headline)

		u.promote(b.clock.now().Add(30*24*time.Hour), named("APRIL", 5)...)
		b.syncAll(t)
		require.Equal(t, []catalog.Outcome{catalog.Held, catalog.Held}, outcomes())
		require.Equal(t, 12, shown())
	})
}
