package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// asked is a call of an endpoint by the bench.
type asked func(context.Context, *bench) (any, error)

// endpoints are all seventeen, each asked for something it has an answer to.
func endpoints() map[string]asked {
	ie := []string{"IE"}
	return map[string]asked{
		"GetAccountLookup": func(ctx context.Context, b *bench) (any, error) { return b.GetAccountLookup(ctx, "+"+number) },
		"GetBalance":       func(ctx context.Context, b *bench) (any, error) { return b.GetBalance(ctx) },
		"GetCountries":     func(ctx context.Context, b *bench) (any, error) { return b.GetCountries(ctx) },
		"GetCurrencies":    func(ctx context.Context, b *bench) (any, error) { return b.GetCurrencies(ctx) },
		"GetErrorCodeDescriptions": func(ctx context.Context, b *bench) (any, error) {
			return b.GetErrorCodeDescriptions(ctx)
		},
		"GetProductDescriptions": func(ctx context.Context, b *bench) (any, error) {
			return b.GetProductDescriptions(ctx, apiclient.ProductDescriptionFilter{LanguageCodes: []string{"en", "fr"}, SkuCodes: []string{topup, batchTopup}})
		},
		"GetProducts": func(ctx context.Context, b *bench) (any, error) {
			return b.GetProducts(ctx, apiclient.ProductFilter{})
		},
		"GetPromotionDescriptions": func(ctx context.Context, b *bench) (any, error) {
			return b.GetPromotionDescriptions(ctx, apiclient.PromotionDescriptionFilter{LanguageCodes: []string{"en"}})
		},
		"GetPromotions": func(ctx context.Context, b *bench) (any, error) {
			return b.GetPromotions(ctx, apiclient.PromotionFilter{})
		},
		"GetProviders": func(ctx context.Context, b *bench) (any, error) {
			return b.GetProviders(ctx, apiclient.ProviderFilter{CountryIsos: ie, AccountNumber: number})
		},
		"GetProviderStatus": func(ctx context.Context, b *bench) (any, error) {
			return b.GetProviderStatus(ctx, apiclient.ProviderStatusFilter{})
		},
		"GetRegions": func(ctx context.Context, b *bench) (any, error) {
			return b.GetRegions(ctx, apiclient.RegionFilter{CountryIsos: []string{"IE", "IN"}})
		},
		"SendTransfer": func(_ context.Context, b *bench) (any, error) { return b.send(order("R1", nil)) },
		"ListTransferRecords": func(ctx context.Context, b *bench) (any, error) {
			b.sent(order("R2", nil))
			return b.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{AccountNumber: number, DistributorRef: "R2", Take: 1})
		},
		"CancelTransfers": func(ctx context.Context, b *bench) (any, error) {
			id := b.sent(order("R3", toBatch)).TransferId
			return b.CancelTransfers(ctx, []apiclient.CancellationRequest{{TransferId: *id, BatchItemRef: "c"}})
		},
		"EstimatePrices": func(ctx context.Context, b *bench) (any, error) {
			return b.EstimatePrices(ctx, []apiclient.EstimationRequest{{SkuCode: topup, SendValue: "10.00", SendCurrencyIso: "EUR", BatchItemRef: "e"}})
		},
		"LookupBills": func(ctx context.Context, b *bench) (any, error) { return b.LookupBills(ctx, b.question()) },
	}
}

// Every endpoint, with either credentials: the request is as described, and
// nothing of the answer is lost on its way into the client's types.
func TestEveryEndpoint(t *testing.T) {
	t.Parallel()
	for scheme, credentials := range map[string]func(*apiclient.Deps){"API key": withKey, "OAuth": withToken} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			b, all := newBench(t, credentials), endpoints()
			require.Len(t, all, 17)
			for name, ask := range all {
				got, err := ask(t.Context(), b)
				require.NoError(t, err, name)
				path := "/api/V1/" + name
				require.Equal(t, whatItSays(t, b.wire.last(t, path).reply), whatItSays(t, marshalled(t, got)), name)
				require.Equal(t, scheme == "API key", b.wire.last(t, path).header.Get("api_key") != "", name)
			}
			require.Len(t, all, b.described())
		})
	}
}

// described counts the endpoints of the description.
func (b *bench) described() (n int) {
	b.t.Helper()
	var doc struct{ Paths map[string]any }
	require.NoError(b.t, json.Unmarshal(b.ask(http.MethodGet, "/swagger/docs/v1", ""), &doc))
	for path := range doc.Paths {
		if strings.HasPrefix(path, "/api/V1/") {
			n++
		}
	}
	return n
}

func marshalled(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return data
}

// whatItSays reads JSON and leaves out what says nothing: null, empty text and
// lists, false and 0.
func whatItSays(t *testing.T, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	require.NoError(t, d.Decode(&value))
	said := essence(value)
	require.NotEmpty(t, said)
	return said
}

func essence(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if v[name] = essence(inner); v[name] == nil {
				delete(v, name)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = essence(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	case string, bool, json.Number:
		if v == "" || v == false || v == json.Number("0") {
			return nil
		}
	}
	return value
}

// New fields and a malformed cookie in any answer are no failure.
func TestNoveltiesAreTolerated(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	b.wire.answerNewly()
	b.fault(`{"action":{"kind":"novelty"},"times":-1}`)
	for name, ask := range endpoints() {
		_, err := ask(t.Context(), b)
		require.NoError(t, err, name)
		require.Contains(t, string(b.wire.last(t, "/api/V1/"+name).reply), `"NewField"`, name)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	b, ctx := newBench(t, withKey), t.Context()
	skus := func(f apiclient.ProductFilter) (all []string) {
		got, err := b.GetProducts(ctx, f)
		require.NoError(t, err)
		for _, p := range got.Items {
			all = append(all, p.SkuCode)
		}
		return all
	}
	whole := skus(apiclient.ProductFilter{})
	require.ElementsMatch(t, []string{topup, batchTopup}, skus(apiclient.ProductFilter{SkuCodes: []string{topup, batchTopup, "NONE"}}), "values of one filter are alternatives")
	require.Equal(t, []string{topup}, skus(apiclient.ProductFilter{SkuCodes: []string{topup, batchTopup}, CountryIsos: []string{"IE"}}), "filters have to match together")
	require.Empty(t, skus(apiclient.ProductFilter{SkuCodes: []string{topup}, Benefits: []string{"TV"}}))
	require.Empty(t, skus(apiclient.ProductFilter{SkuCodes: []string{topup}, RegionCodes: []string{"IN-DL"}}))
	require.Equal(t, whole, skus(apiclient.ProductFilter{AccountNumber: "999"}), "a number that matches nothing returns everything")
	matched := skus(apiclient.ProductFilter{AccountNumber: number})
	require.Contains(t, matched, topup)
	require.Less(t, len(matched), len(whole))

	texts, err := b.GetProductDescriptions(ctx, apiclient.ProductDescriptionFilter{LanguageCodes: []string{"en", "ga"}, SkuCodes: []string{topup}})
	require.NoError(t, err)
	require.NotEmpty(t, texts.Items)
	require.Equal(t, "en", texts.Items[0].LanguageCode, "English is there when the other language is not")
	regions, err := b.GetRegions(ctx, apiclient.RegionFilter{CountryIsos: []string{"IN"}})
	require.NoError(t, err)
	require.NotEmpty(t, regions.Items)
	for _, r := range regions.Items {
		require.Equal(t, "IN", r.CountryIso)
	}
	states, err := b.GetProviderStatus(ctx, apiclient.ProviderStatusFilter{ProviderCodes: []string{"LUIE", "COIE"}})
	require.NoError(t, err)
	require.Len(t, states.Items, 2)
	promotions, err := b.GetPromotions(ctx, apiclient.PromotionFilter{ProviderCodes: []string{"LUIE"}, CountryIsos: []string{"IE"}})
	require.NoError(t, err)
	require.Len(t, promotions.Items, 1)
}

func TestAccountLookup(t *testing.T) {
	t.Parallel()
	b, ctx := newBench(t, withKey), t.Context()
	for _, text := range []string{number, "+" + number} {
		got, err := b.GetAccountLookup(ctx, text)
		require.NoError(t, err)
		require.Equal(t, apiclient.ResultSuccess, got.ResultCode)
		require.Equal(t, []apiclient.AccountLookup{{ProviderCode: "LUIE", RegionCode: "IE"}}, got.Items)
		require.Equal(t, "IE "+number, got.CountryIso+" "+got.AccountNumberNormalized)
	}
	got, err := b.GetAccountLookup(ctx, "353811234567")
	require.NoError(t, err)
	require.Equal(t, apiclient.ResultWarning, got.ResultCode)
	require.Equal(t, []apiclient.ErrorCode{{Code: apiclient.CodeNearestMatch}}, got.ErrorCodes)
	require.Equal(t, "IE", got.CountryIso)
	require.Empty(t, got.Items)
	_, err = b.GetAccountLookup(ctx, "12")
	require.True(t, failed(t, err).Has(apiclient.CodeAccountNumberInvalid))
}
