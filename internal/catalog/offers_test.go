package catalog_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// shop sells products of most kinds of one operator.
func shop(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, storetest.New(t), newListed(t,
		"TOP5,Zephyr Ireland,EUR 5.00,Top-up,Ireland,N/A",
		"TOP10,Zephyr Ireland,EUR 10.00,Top-up,Ireland,N/A",
		"TOP20,Zephyr Ireland,EUR 20.00,Top-up,Ireland,N/A",
		"TOPANY,Zephyr Ireland,EUR 5.00 (Min)EUR 50.00 (Max),Top-up,Ireland,N/A",
		"DATA1,Zephyr Ireland,Été 10 GB,Data,Ireland,30 Days",
		"PIN1,Zephyr Ireland,EUR 15.00,PIN,Ireland,90 Days",
		"OTHER,Other Ireland,EUR 5.00,Top-up,Ireland,N/A",
		"GIFT,Giftland Canada,CAD 25.00,Voucher,Canada,N/A",
	))
	b.syncAll(t)
	return b
}

func skus(groups []catalog.Group) map[catalog.Kind]string {
	by := map[catalog.Kind]string{}
	for _, group := range groups {
		for _, offer := range group.Offers {
			by[group.Kind] = strings.TrimSpace(by[group.Kind] + " " + offer.Product.SKU)
		}
	}
	return by
}

func TestOffersAreGroupedFixedAndMostSoldFirst(t *testing.T) {
	t.Parallel()
	c := shop(t).Current()
	require.Equal(t, map[catalog.Kind]string{
		catalog.KindTopUp: "TOP5 TOP10 TOP20 TOPANY", catalog.KindData: "DATA1", catalog.KindPIN: "PIN1",
	}, skus(c.Offers(catalog.OfferQuery{Provider: "ZEIE"})))
	sold := map[string]int{"TOP20": 9, "TOP10": 4, "TOPANY": 20}
	groups := c.Offers(catalog.OfferQuery{Provider: "ZEIE", Sold: func(sku string) int { return sold[sku] }})
	require.Equal(t, "TOP20 TOP10 TOP5 TOPANY", skus(groups)[catalog.KindTopUp])
	require.Equal(t, catalog.KindTopUp, groups[0].Kind)
	require.Equal(t, 9, groups[0].Offers[0].Sold)
	require.Empty(t, c.Offers(catalog.OfferQuery{Provider: "NOBODY"}))
}

func TestOffersAreSearched(t *testing.T) {
	t.Parallel()
	c := shop(t).Current()
	for search, want := range map[string]string{"ete": "DATA1", "ÉTÉ gb": "DATA1", "data1": "DATA1", "nothing like it": ""} {
		require.Equal(t, want, skus(c.Offers(catalog.OfferQuery{Provider: "ZEIE", Search: search}))[catalog.KindData], search)
	}
}

// inCork lets products be for a part of the country only.
func (b *bench) inCork(t *testing.T, local func(sku string) bool) {
	t.Helper()
	inner := b.upstream.tamper.Load()
	b.upstream.alter(func(method string, body []byte) []byte {
		if inner != nil {
			body = (*inner)(method, body)
		}
		if method != "GetProducts" {
			return body
		}
		var answer map[string]any
		require.NoError(t, json.Unmarshal(body, &answer))
		for _, item := range answer["Items"].([]any) {
			if product := item.(map[string]any); local(product["SkuCode"].(string)) {
				product["RegionCode"] = "IE-CORK"
			}
		}
		body, err := json.Marshal(answer)
		require.NoError(t, err)
		return body
	})
	b.syncAll(t)
}

func TestOffersLeaveOutOtherRegions(t *testing.T) {
	t.Parallel()
	b := shop(t)
	b.inCork(t, func(sku string) bool { return sku == "TOP5" })
	c := b.Current()
	sold := func(region string) (skus []string) {
		for _, group := range c.Offers(catalog.OfferQuery{Provider: "ZEIE", Region: region}) {
			for _, offer := range group.Offers {
				skus = append(skus, offer.Product.SKU)
			}
		}
		return skus
	}
	require.Contains(t, sold("IE-CORK"), "TOP5")
	require.Contains(t, sold(""), "TOP5", "where the region is not known nothing is left out")
	require.NotContains(t, sold("IE-DUBLIN"), "TOP5")
	require.Contains(t, sold("IE-DUBLIN"), "TOP10", "what is for the whole country stays")
}

func TestOffersShowTroubleAndPromotions(t *testing.T) {
	t.Parallel()
	b := shop(t)
	answerStatus(b.upstream, "ZEIE", false, "Back at noon")
	inner := *b.upstream.tamper.Load()
	b.upstream.alter(func(method string, body []byte) []byte {
		switch method {
		case "GetPromotions":
			return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[
				{"ProviderCode":"ZEIE","StartUtc":"2020-01-01T00:00:00","EndUtc":"9999-12-31T23:59:59.9999999Z","CurrencyIso":"EUR","MinimumSendAmount":12,"LocalizationKey":"P1","ValidityPeriodIso":null},
				{"ProviderCode":"ZEIE","StartUtc":"2020-01-01T00:00:00","EndUtc":"2020-02-01T00:00:00","CurrencyIso":"EUR","MinimumSendAmount":1,"LocalizationKey":"P2"},
				{"ProviderCode":"ZEIE","StartUtc":"nonsense","EndUtc":"nonsense","CurrencyIso":"EUR","MinimumSendAmount":1e99,"LocalizationKey":"P3"}]}`)
		case "GetPromotionDescriptions":
			return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[{"LocalizationKey":"P1","LanguageCode":"en","Headline":"Double","Dates":"","BonusValidity":"30 days","PromotionType":"Bonus","TermsAndConditionsMarkDown":"**x**","SendAmounts":[{"Minimum":12,"Maximum":50,"Bonuses":[{"BonusType":"x","Quantity":2,"Validity":30},{"BonusType":"GB","Quantity":1.5,"Validity":7}]}]}]}`)
		}
		return inner(method, body)
	})
	b.syncAll(t)
	c := b.Current()
	require.False(t, c.ProviderUp("ZEIE"))
	require.Equal(t, "Back at noon", c.ProviderStatus("ZEIE").Message)
	groups := c.Offers(catalog.OfferQuery{Provider: "ZEIE", At: time.Now()})
	badges := map[string]int{}
	for _, offer := range groups[0].Offers {
		badges[offer.Product.SKU] = len(offer.Promotions)
	}
	require.Equal(t, map[string]int{"TOPANY": 1, "TOP5": 0, "TOP10": 0, "TOP20": 1}, badges)
	promotion := c.Promotions("ZEIE", time.Now())[0]
	require.EqualValues(t, 12_000_000, promotion.MinimumSendMicros)
	text, ok := c.PromotionText(promotion, "fr")
	require.True(t, ok)
	require.Equal(t, "Double", text.Headline)
	require.Equal(t, []catalog.Bonus{{Type: "x", Quantity: "2", Days: 30}, {Type: "GB", Quantity: "1.5", Days: 7}}, text.SendAmounts[0].Bonuses)
	require.Len(t, c.Promotions("ZEIE", time.Date(2020, 1, 15, 0, 0, 0, 0, time.UTC)), 2)
}

func TestTextsFallBackToEnglish(t *testing.T) {
	t.Parallel()
	b := shop(t)
	b.upstream.alter(func(method string, body []byte) []byte {
		if method != "GetProductDescriptions" {
			return body
		}
		return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[
			{"LocalizationKey":"TOP5","LanguageCode":"en","DisplayText":"Five","DescriptionMarkdown":"five","ReadMoreMarkdown":"more"},
			{"LocalizationKey":"TOP5","LanguageCode":"es","DisplayText":"Cinco","DescriptionMarkdown":null}]}`)
	})
	require.NoError(t, b.Sync(t.Context(), true, catalog.Texts))
	p, _ := b.Current().Product("TOP5")
	p = &catalog.Product{SKU: p.SKU, DisplayText: p.DisplayText, LocalizationKey: "TOP5"}
	for language, want := range map[string]catalog.Text{
		"en":    {LocalizationKey: "TOP5", Language: "en", DisplayText: "Five", Description: "five", ReadMore: "more"},
		"es-MX": {LocalizationKey: "TOP5", Language: "es", DisplayText: "Cinco", Description: "five", ReadMore: "more"},
		"ar":    {LocalizationKey: "TOP5", Language: "en", DisplayText: "Five", Description: "five", ReadMore: "more"},
	} {
		require.Equal(t, want, b.Current().Text(p, language), language)
	}
	p.LocalizationKey = "NONE"
	require.Equal(t, "EUR 5.00", b.Current().Text(p, "es").DisplayText)
}

// TestALanguageIsFetchedOnceACustomerWantsIt: not before, in every process from then on,
// and nothing is written for one that is there anyway or that nobody offers.
func TestALanguageIsFetchedOnceACustomerWantsIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newUpstream(t, sandbox.Deps{})
		further := func(d *catalog.Deps) { d.Further = []string{"en", "hi", "zh"} }
		one, two := newBench(t, db, u, further), newBench(t, db, u, further)
		one.syncAll(t)
		in := func(b *bench, language string) (told int) {
			for p := range b.Current().AllProducts() {
				if b.Current().Text(p, language).Language == language {
					told++
				}
			}
			return told
		}
		require.Positive(t, in(one, "es"))
		require.Zero(t, in(one, "hi"))
		waiting := func() (n int64) {
			require.NoError(t, db.Read(t.Context()).
				Raw("SELECT COUNT(*) FROM river_job WHERE kind = 'catalog.texts'").Scan(&n).Error)
			return n
		}
		for _, language := range []string{"en", "es", "tlh", ""} {
			require.NoError(t, one.Want(t.Context(), language))
		}
		require.Zero(t, waiting())
		for _, b := range []*bench{one, one, two} {
			require.NoError(t, b.Want(t.Context(), "hi"))
		}
		require.EqualValues(t, 1, waiting())
		require.NoError(t, two.Sync(t.Context(), false, catalog.Texts, catalog.PromotionTexts))
		require.Positive(t, in(two, "hi"))
		require.Zero(t, in(two, "zh"))
		require.Positive(t, in(two, "es"))
	})
}

// TestALanguageThatIsWantedDuringASyncIsFetchedAfterIt: that sync asked for the languages of before, and held the texts
// while the job for the new one looked.
func TestALanguageThatIsWantedDuringASyncIsFetchedAfterIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newUpstream(t, sandbox.Deps{})
		further := func(d *catalog.Deps) { d.Further = []string{"hi"} }
		one, two := newBench(t, db, u, further), newBench(t, db, u, further)
		one.syncAll(t)
		waiting := func() (n int64) {
			require.NoError(t, db.Read(t.Context()).
				Raw("SELECT COUNT(*) FROM river_job WHERE kind = 'catalog.texts'").Scan(&n).Error)
			return n
		}
		var once sync.Once
		var meanwhile error
		u.alter(func(method string, body []byte) []byte {
			if method == "GetProductDescriptions" {
				once.Do(func() {
					meanwhile = errors.Join(
						two.Want(t.Context(), "hi"), two.Sync(t.Context(), false, catalog.Texts, catalog.PromotionTexts),
						db.Exec(t.Context(), "DELETE FROM river_job WHERE kind = 'catalog.texts'"), // as it is done
					)
				})
			}
			return body
		})
		require.NoError(t, one.Sync(t.Context(), false, catalog.Texts))
		require.NoError(t, meanwhile)
		require.EqualValues(t, 1, waiting(), "it is asked for again")
		calls := u.count("GetProductDescriptions")
		require.NoError(t, two.Sync(t.Context(), false, catalog.Texts, catalog.PromotionTexts))
		require.Equal(t, len(languages)+1, u.count("GetProductDescriptions")-calls)
		require.EqualValues(t, 1, waiting(), "and then no more")
	})
}

// TestTheRegionOfANumberIsRemembered, after a sale too, which does not tell it.
func TestTheRegionOfANumberIsRemembered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := undecided(t, db)
		number := b.number(t, "0871234567")
		region := func(provider string) string { return b.Region(t.Context(), b.Current(), number, provider) }
		b.inCork(t, func(string) bool { return true })
		require.Empty(t, region("OTIE"))

		answerLookup(b.upstream, `{"ResultCode":1,"CountryIso":"IE","Items":[{"ProviderCode":"OTIE","RegionCode":"IE-CORK"},{"ProviderCode":"ZEIE","RegionCode":"IE-MAYO"}]}`)
		b.lookup(t, "0871234567")
		require.Equal(t, []string{"IE-CORK", "IE-MAYO"}, []string{region("OTIE"), region("ZEIE")})

		b.clock.advance(25 * time.Hour)
		answerLookup(b.upstream, `{"ResultCode":1,"CountryIso":"IE","Items":[{"ProviderCode":"OTIE","RegionCode":"IE-CORK"}]}`)
		b.lookup(t, "0871234567")
		b.clock.advance(25 * time.Hour)
		require.Equal(t, []string{"IE-CORK", ""}, []string{region("OTIE"), region("ZEIE")})
		require.NoError(t, b.Remember(t.Context(), number.Digits, "OTIE", catalog.SourceSale))
		b.clock.advance(31 * 24 * time.Hour)
		require.Equal(t, "IE-CORK", region("OTIE"))
	})
}
