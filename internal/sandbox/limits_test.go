package sandbox_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox"
)

func TestLimits_PerMethodAndTenMinutes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		most int
	}{
		"GetErrorCodeDescriptions": {"", 20}, "GetCurrencies": {"", 20}, "GetRegions": {"", 20}, "GetCountries": {"", 20},
		"GetProviders?providerCodes=LUIE": {"", 50}, "GetProviderStatus?providerCodes=LUIE": {"", 50},
		"GetProducts?skuCodes=IE_LU_TopUp": {"", 50}, "GetProductDescriptions?skuCodes=IE_LU_TopUp": {"", 50},
		"GetBalance": {"", 50}, "GetPromotions?countryIsos=IE": {"", 50}, "GetPromotionDescriptions?languageCodes=en": {"", 50},
		"GetAccountLookup?accountNumber=353871234567": {"", 50},
		"EstimatePrices": {"[]", 50}, "ListTransferRecords": {`{"Take":1}`, 50}, "CancelTransfers": {"[]", 50},
		"SendTransfer": {order("V", map[string]any{"ValidateOnly": true}), 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			for range c.most {
				l.api(name, c.body).is(t, 200, 1, "")
			}
			r := l.api(name, c.body)
			r.is(t, 429, 3, "RateLimited")
			require.Equal(t, "600", r.header.Get("Retry-After"))
			l.advance(10*time.Minute - time.Second)
			r = l.api(name, c.body)
			r.is(t, 429, 3, "RateLimited")
			require.Equal(t, "1", r.header.Get("Retry-After"))
			l.advance(10 * time.Minute)
			l.api(name, c.body).is(t, 200, 1, "")
		})
	}
}

func TestLimits_ASuccessfulSendTransferResetsThemAll(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for range 50 {
		l.api("GetBalance", "")
	}
	l.api("GetBalance", "").is(t, 429, 3, "RateLimited")
	l.send("A", map[string]any{"ValidateOnly": true}).is(t, 200, 1, "")
	l.send("A", map[string]any{"AccountNumber": "1"}).is(t, 400, 4, "AccountNumberInvalid/AccountNumberFailedRegex")
	l.api("GetBalance", "").is(t, 429, 3, "RateLimited")
	l.send("A", nil).is(t, 200, 1, "")
	l.api("GetBalance", "").is(t, 200, 1, "")
}

func TestLimits_SendTransferHasNoneAndTheyCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for i := range 120 {
		l.send("R"+strconv.Itoa(i), nil).is(t, 200, 1, "")
	}
	l.config(`{"limits":false}`)
	for range 25 {
		l.api("GetCurrencies", "").is(t, 200, 1, "")
	}
	l.config(`{"limits":true,"limitStatus":503}`)
	for range 20 {
		l.api("GetCountries", "").is(t, 200, 1, "")
	}
	l.api("GetCountries", "").is(t, 503, 3, "RateLimited")

	var calls sandbox.Calls
	require.NoError(t, json.Unmarshal(l.must("GET", "/_sandbox/calls", "").body, &calls))
	require.Equal(t, map[string]int{"SendTransfer": 120, "GetCurrencies": 25, "GetCountries": 21}, calls.Counts)
	require.Equal(t, map[string]int{"GetCountries": 1}, calls.Limited)
	require.Equal(t, "GetCountries", calls.Latest[0].Endpoint)
	require.Equal(t, 503, calls.Latest[0].Status)
	require.Equal(t, "R119", calls.Latest[46].Ref)
}
