package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilters_NoneReturnsEverything(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, name := range []string{
		"GetCountries", "GetCurrencies", "GetErrorCodeDescriptions", "GetProductDescriptions", "GetProducts",
		"GetPromotionDescriptions", "GetPromotions", "GetProviders", "GetProviderStatus", "GetRegions",
	} {
		r := l.api(name, "")
		r.is(t, 200, 1, "")
		require.NotEmpty(t, r.Items, name)
	}
}

func TestFilters_OrWithinAndAcross(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	require.Len(t, l.products("?skuCodes=IE_LU_TopUp&skuCodes=IE_CO_TopUp&skuCodes=NONE"), 2)
	require.Len(t, l.products("?skuCodes=IE_LU_TopUp&skuCodes=IE_CO_TopUp&providerCodes=COIE"), 1)
	require.Empty(t, l.products("?skuCodes=IE_LU_TopUp&countryIsos=NG"))
	for _, p := range l.products("?countryIsos=IE&countryIsos=NG&benefits=Data&benefits=TV") {
		require.True(t, slices.Contains(p.Benefits, "Data") || slices.Contains(p.Benefits, "TV"), p.SkuCode)
		require.True(t, strings.HasSuffix(p.ProviderCode, "IE") || strings.HasSuffix(p.ProviderCode, "NG"), p.SkuCode)
	}
	delhi := l.products("?regionCodes=IN-DL")
	require.NotEmpty(t, delhi)
	for _, p := range delhi {
		require.Equal(t, "IN-DL", p.RegionCode)
	}
	covering := items[struct{ RegionCodes []string }](t, l.api("GetProviders?regionCodes=IN-TN", ""))
	require.NotEmpty(t, covering)
	for _, p := range covering {
		require.Contains(t, p.RegionCodes, "IN-TN")
	}
	require.Less(t, len(covering), len(l.api("GetProviders?countryIsos=IN", "").Items), "some cover some regions only")
	type row struct{ ProviderCode, CountryIso, RegionCode, LanguageCode, LocalizationKey string }
	regions := items[row](t, l.api("GetRegions?countryIsos=IE&countryIsos=IN", ""))
	require.Len(t, regions, 5)
	for _, row := range regions {
		require.Contains(t, []string{"IE", "IN"}, row.CountryIso)
	}
	require.Len(t, items[row](t, l.api("GetProviderStatus?providerCodes=LUIE&providerCodes=COIE", "")), 2)
	require.Len(t, items[row](t, l.api("GetProviders?countryIsos=IE&providerCodes=LUIE", "")), 1)
	require.Len(t, items[row](t, l.api("GetPromotions?providerCodes=LUIE&countryIsos=IE", "")), 1)
	for _, row := range items[row](t, l.api("GetPromotionDescriptions?languageCodes=fr", "")) {
		require.Equal(t, "fr", row.LanguageCode)
	}
	key := l.products("?skuCodes=IE_LU_TopUp")[0].LocalizationKey
	require.NotEqual(t, "IE_LU_TopUp", key, "the key of the text may differ from the SKU")
	texts := items[row](t, l.api("GetProductDescriptions?skuCodes=IE_LU_TopUp&languageCodes=en&languageCodes=ar", ""))
	require.NotEmpty(t, texts)
	for _, row := range texts {
		require.Equal(t, key, row.LocalizationKey)
		require.Contains(t, []string{"en", "ar"}, row.LanguageCode)
	}
}

func TestFilters_AccountNumber_UnmatchedReturnsTheWholeList(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, name := range []string{"GetProducts", "GetProviders", "GetPromotions"} {
		whole := l.api(name, "").Items
		require.Len(t, l.api(name+"?accountNumber=999", "").Items, len(whole), name)
		matched := l.api(name+"?accountNumber="+testNumber, "").Items
		require.NotEmpty(t, matched, name)
		require.Less(t, len(matched), len(whole), name)
		require.Equal(t, matched, l.api(name+"?providerCodes=LUIE", "").Items, name)
	}
}

func TestGetAccountLookup_ThreeOutcomes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, number := range []string{testNumber, "+" + testNumber, "00" + testNumber, "0871234567"} {
		r := l.api("GetAccountLookup?accountNumber="+url.QueryEscape(number), "")
		r.is(t, 200, 1, "")
		require.Equal(t, "IE", r.CountryIso)
		require.Equal(t, testNumber, r.AccountNumberNormalized)
		require.JSONEq(t, `{"ProviderCode":"LUIE","RegionCode":"IE"}`, string(r.Items[0]))
		require.Len(t, r.Items, 1)
	}
	r := l.api("GetAccountLookup?accountNumber=353811234567", "")
	r.is(t, 200, 2, "NearestMatch")
	require.Equal(t, "IE", r.CountryIso)
	require.Empty(t, r.Items)

	r = l.api("GetAccountLookup?accountNumber=12", "")
	r.is(t, 400, 4, "AccountNumberInvalid")
	require.Empty(t, r.Items)
	l.api("GetAccountLookup?accountNumber=abc", "").is(t, 400, 4, "AccountNumberInvalid")
	l.api("GetAccountLookup", "").is(t, 400, 4, "ParameterMissing/accountNumber")
}

func TestQueries_BlankValuesAndTooMany(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for query, want := range map[string]string{
		"GetProducts?accountNumber=":                                  "ParameterInvalid/accountNumber",
		"GetProducts?countryIsos=IE&countryIsos=":                     "ParameterInvalid/countryIsos",
		"GetProducts?countryIsos=%20":                                 "ParameterInvalid/countryIsos",
		"GetAccountLookup?accountNumber=":                             "ParameterInvalid/accountNumber",
		"GetProviders?providerCodes=%ff":                              "ParameterInvalid/providerCodes",
		"GetProducts?accountNumber=1&accountNumber=2":                 "TooManyParameters/accountNumber",
		"GetProducts?skuCodes=A" + strings.Repeat("&skuCodes=A", 500): "TooManyParameters/skuCodes",
		"GetProducts?%zz":                                             "RequestInvalid",
	} {
		l.api(query, "").is(t, 400, 4, want)
	}
	require.Len(t, l.products("?SKUCODES=IE_LU_TopUp&unknown=1"), 1, "names are not case sensitive, unknown ones left alone")
}

func TestGetErrorCodeDescriptions_HasEveryCodeAndContext(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for _, d := range items[struct{ Code, Message string }](t, newLab(t).api("GetErrorCodeDescriptions", "")) {
		require.NotEmpty(t, d.Message)
		codes[d.Code] = true
	}
	for _, code := range strings.Fields(`NearestMatch RateLimited TransientProviderError AccountNumberInvalid AuthenticationFailed
		BatchItemRefMustBeUnique ParameterCombinationInvalid ParameterInvalid ParameterMissing ParameterOutOfRange RequestInvalid
		TooManyParameters DuplicateTransactionPrevented InsufficientBalance OtherError ProviderError
		ProviderCannotSupplyRequestReceiveValue TransactionStillInProgress ProviderTimedOut ProviderRefusedRequest
		ProviderTemporarilyUnavailable ProductUnavailable AccountTemporarilyUnavailable AccountNumberFailedRegex TokenExpired
		MultipleRecordsMatched InstantTransfersCannotBeCancelled NoRecordsFound ProviderUnknownError RechargeNotAllowed`) {
		require.True(t, codes[code], code)
	}
}

func TestGetProviderStatus_OneIsDownAndRefusesTransfers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	type status struct {
		ProviderCode, Message string
		IsProcessingTransfers bool
	}
	all := items[status](t, l.api("GetProviderStatus", ""))
	at := slices.IndexFunc(all, func(s status) bool { return !s.IsProcessingTransfers })
	require.NotEqual(t, -1, at)
	require.NotEmpty(t, all[at].Message)

	l.send("A", nil).is(t, 200, 1, "")
	l.config(`{"suspendedProviders":["LUIE"]}`)
	require.False(t, items[status](t, l.api("GetProviderStatus?providerCodes=LUIE", ""))[0].IsProcessingTransfers)
	l.send("B", nil).is(t, 503, 3, "TransientProviderError/ProviderTemporarilyUnavailable")
}

func TestProviders_LogosAreServed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	provider := items[struct {
		LogoURL string `json:"LogoUrl"`
	}](t, l.api("GetProviders?providerCodes=LUIE", ""))[0]
	require.True(t, strings.HasPrefix(provider.LogoURL, l.server.URL+"/"), provider.LogoURL)
	a := l.must(http.MethodGet, strings.TrimPrefix(provider.LogoURL, l.server.URL)+"?height=32&width=64", "")
	require.Equal(t, "image/png", a.header.Get("Content-Type"))
	logo, err := png.DecodeConfig(bytes.NewReader(a.body))
	require.NoError(t, err)
	require.Equal(t, "64 × 32", fmt.Sprintf("%d × %d", logo.Width, logo.Height))
}

func TestGetBalance_IsABareNumberWithItsCurrency(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.api("GetBalance", "")
	r.is(t, 200, 1, "")
	require.Equal(t, json.Number("10000"), r.Balance)
	require.Equal(t, "EUR", r.CurrencyIso)
	l.config(`{"currency":"USD"}`)
	require.Equal(t, "USD", l.api("GetBalance", "").CurrencyIso)
	require.Equal(t, "USD", l.products("?skuCodes=IE_LU_TopUp")[0].Minimum.SendCurrencyIso)
}
