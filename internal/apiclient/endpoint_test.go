package apiclient_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

const (
	shared = "../../../shared/upstream"
	empty  = `{"ResultCode":1,"ErrorCodes":[],"Items":[]}`
)

// endpointCall is a call, what it puts on the wire and what it makes of an
// answer.
type endpointCall struct {
	line, body, answer string
	call               func(context.Context, *apiclient.Client) (any, error)
	want               any
}

// Every endpoint: its method, path, query or body, and that its answer is read.
func TestEveryEndpoint(t *testing.T) {
	t.Parallel()
	for _, test := range slices.Concat(readingCalls(), filteringCalls(), askingCalls()) {
		t.Run(test.line, func(t *testing.T) {
			t.Parallel()
			s := newService(t, says(200, test.answer))
			got, err := test.call(t.Context(), newClient(t, s.URL+"/"))
			require.NoError(t, err)
			if test.want != nil {
				require.Equal(t, test.want, got)
			}
			r := s.last(t)
			require.Equal(t, test.line, r.Method+" "+r.RequestURI)
			require.NotEmpty(t, r.Header.Get("X-Correlation-Id"))
			if test.body == "" {
				require.Empty(t, r.body)
				require.Empty(t, r.TransferEncoding)
				return
			}
			require.Equal(t, test.body, r.body)
			require.Equal(t, "application/json", r.Header.Get("Content-Type"))
		})
	}
}

// Every object and field of fields.json has its Go type and field.
func TestEveryFieldOfTheWireHasItsPlace(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(shared, "fields.json"))
	if err != nil {
		t.Skip("the description of the wire is not here")
	}
	var objects map[string]map[string]string
	require.NoError(t, json.Unmarshal(data, &objects))
	types := map[string]reflect.Type{"Error": reflect.TypeFor[apiclient.ErrorCode](), "IApiResponse": reflect.TypeFor[apiclient.Envelope]()}
	for name, value := range map[string]any{
		"AccountLookup": apiclient.AccountLookup{}, "Bill": apiclient.Bill{}, "CancelTransfersResponse": apiclient.CancelTransfersResponse{},
		"CancellationRequest": apiclient.CancellationRequest{}, "Country": apiclient.Country{}, "Currency": apiclient.Currency{},
		"ErrorDescription": apiclient.ErrorDescription{}, "EstimatePricesResponse": apiclient.EstimatePricesResponse{},
		"EstimatedPrice": apiclient.EstimatedPrice{}, "EstimationRequest": apiclient.EstimationRequest{},
		"GetAccountLookupResponse": apiclient.GetAccountLookupResponse{}, "GetBalanceResponse": apiclient.GetBalanceResponse{},
		"GetCountriesResponse": apiclient.List[apiclient.Country]{}, "GetCurrenciesResponse": apiclient.List[apiclient.Currency]{},
		"GetErrorCodeDescriptionsResponse": apiclient.List[apiclient.ErrorDescription]{}, "GetProductDescriptionsResponse": apiclient.List[apiclient.LocalizedProductDescription]{},
		"GetProductsResponse": apiclient.List[apiclient.Product]{}, "GetPromotionDescriptionsResponse": apiclient.List[apiclient.LocalizedPromotionDescription]{},
		"GetPromotionsResponse": apiclient.List[apiclient.Promotion]{}, "GetProviderStatusResponse": apiclient.List[apiclient.ProviderStatus]{},
		"GetProvidersResponse": apiclient.List[apiclient.Provider]{}, "GetRegionsResponse": apiclient.List[apiclient.Region]{},
		"InternationalDialingInfo": apiclient.InternationalDialingInfo{}, "ListTransferRecordsRequest": apiclient.ListTransferRecordsRequest{},
		"ListTransferRecordsResponse": apiclient.ListTransferRecordsResponse{}, "LocalizedProductDescription": apiclient.LocalizedProductDescription{},
		"LocalizedPromotionDescription": apiclient.LocalizedPromotionDescription{}, "LookupBillsRequest": apiclient.LookupBillsRequest{},
		"LookupBillsResponse": apiclient.LookupBillsResponse{}, "Price": apiclient.Price{}, "Product": apiclient.Product{},
		"Promotion": apiclient.Promotion{}, "PromotionBonus": apiclient.PromotionBonus{}, "PromotionSendAmount": apiclient.PromotionSendAmount{},
		"Provider": apiclient.Provider{}, "ProviderStatus": apiclient.ProviderStatus{}, "Region": apiclient.Region{},
		"SendTransferRequest": apiclient.SendTransferRequest{}, "SendTransferResponse": apiclient.SendTransferResponse{},
		"Setting": apiclient.Setting{}, "SettingDefinition": apiclient.SettingDefinition{}, "TransferId": apiclient.TransferId{},
		"TransferRecord": apiclient.TransferRecord{}, "TransferRecordWithErrorCodes": apiclient.TransferRecordWithErrorCodes{},
		"TransferWithState": apiclient.TransferWithState{},
	} {
		types[name] = reflect.TypeOf(value)
	}
	require.Len(t, types, len(objects))
	for object, fields := range objects {
		require.Contains(t, types, object)
		for field, kind := range fields {
			got, found := types[object].FieldByName(field)
			require.True(t, found, "%s.%s", object, field)
			require.Equal(t, goKind(strings.TrimSuffix(kind, "?")), goKind(got.Type.String()), "%s.%s", object, field)
		}
	}
}

// goKind reduces the wire's and Go's names of a type to one word.
func goKind(name string) string {
	name = strings.NewReplacer("*", "", "apiclient.", "", "ErrorCode", "Error", "map<string,string>", "Params", "ProcessingMode", "string",
		"RedemptionMechanism", "string", "TaxCalculation", "string", "ProcessingState", "string",
		"date-time", "Time", "decimal", "Decimal", "int32", "int", "boolean", "bool").Replace(name)
	if element, isArray := strings.CutSuffix(name, "[]"); isArray {
		name = "[]" + element
	}
	return name
}

func readingCalls() []endpointCall {
	return []endpointCall{
		{
			"GET /api/V1/GetAccountLookup?accountNumber=%2B353", "", `{"CountryIso":"IE","AccountNumberNormalized":"353","ResultCode":1,"Items":[{"ProviderCode":"P","RegionCode":"IE"}]}`,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetAccountLookup(ctx, "+353") },
			&apiclient.GetAccountLookupResponse{
				List:       apiclient.List[apiclient.AccountLookup]{Envelope: apiclient.Envelope{ResultCode: 1}, Items: []apiclient.AccountLookup{{ProviderCode: "P", RegionCode: "IE"}}},
				CountryIso: "IE", AccountNumberNormalized: "353",
			},
		},
		{
			"GET /api/V1/GetAccountLookup", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetAccountLookup(ctx, "") }, nil,
		},
		{
			"GET /api/V1/GetBalance", "", `{"Balance":12.34,"CurrencyIso":"USD","ResultCode":1}`,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetBalance(ctx) },
			&apiclient.GetBalanceResponse{Envelope: apiclient.Envelope{ResultCode: 1}, Balance: "12.34", CurrencyIso: "USD"},
		},
		{
			"GET /api/V1/GetCountries", "", `{"Items":[null,{"CountryIso":"IE","New":[1]}],"ResultCode":1}`,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetCountries(ctx) },
			&apiclient.List[apiclient.Country]{Envelope: apiclient.Envelope{ResultCode: 1}, Items: []apiclient.Country{{CountryIso: "IE"}}},
		},
		{
			"GET /api/V1/GetCurrencies", "", `{"ResultCode":2,"ErrorCodes":[{"Code":"X","Context":null}],"Items":null}`,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetCurrencies(ctx) },
			&apiclient.List[apiclient.Currency]{Envelope: apiclient.Envelope{ResultCode: 2, ErrorCodes: []apiclient.ErrorCode{{Code: "X"}}}},
		},
		{
			"GET /api/V1/GetErrorCodeDescriptions", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetErrorCodeDescriptions(ctx) }, nil,
		},
	}
}

func filteringCalls() []endpointCall {
	all := apiclient.ProductFilter{
		CountryIsos: []string{"IE", "NG"}, ProviderCodes: []string{"P&Q"}, SkuCodes: []string{"S"},
		Benefits: []string{"Digital Product"}, RegionCodes: []string{"R", ""}, AccountNumber: "+353 1",
	}
	return []endpointCall{
		{
			"GET /api/V1/GetProductDescriptions?languageCodes=en&languageCodes=fr&skuCodes=S", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.GetProductDescriptions(ctx, apiclient.ProductDescriptionFilter{LanguageCodes: []string{"en", "fr"}, SkuCodes: []string{"S"}})
			}, nil,
		},
		{
			"GET /api/V1/GetProducts?accountNumber=%2B353+1&benefits=Digital+Product&countryIsos=IE&countryIsos=NG&providerCodes=P%26Q&regionCodes=R&skuCodes=S", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetProducts(ctx, all) }, nil,
		},
		{
			"GET /api/V1/GetProducts", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.GetProducts(ctx, apiclient.ProductFilter{})
			}, nil,
		},
		{
			"GET /api/V1/GetPromotionDescriptions?languageCodes=ar", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.GetPromotionDescriptions(ctx, apiclient.PromotionDescriptionFilter{LanguageCodes: []string{"ar"}})
			}, nil,
		},
		{
			"GET /api/V1/GetPromotions?accountNumber=1&countryIsos=IE&providerCodes=P", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.GetPromotions(ctx, apiclient.PromotionFilter{CountryIsos: []string{"IE"}, ProviderCodes: []string{"P"}, AccountNumber: "1"})
			}, nil,
		},
		{
			"GET /api/V1/GetProviders?accountNumber=1&countryIsos=IE&providerCodes=P&regionCodes=R", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.GetProviders(ctx, apiclient.ProviderFilter{ProviderCodes: []string{"P"}, CountryIsos: []string{"IE"}, RegionCodes: []string{"R"}, AccountNumber: "1"})
			}, nil,
		},
		{
			"GET /api/V1/GetProviderStatus?providerCodes=P", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.GetProviderStatus(ctx, apiclient.ProviderStatusFilter{ProviderCodes: []string{"P"}})
			}, nil,
		},
		{
			"GET /api/V1/GetRegions?countryIsos=IE", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.GetRegions(ctx, apiclient.RegionFilter{CountryIsos: []string{"IE"}})
			}, nil,
		},
	}
}

func askingCalls() []endpointCall {
	return []endpointCall{
		{
			"POST /api/V1/CancelTransfers", `[{"TransferId":{"TransferRef":"7","DistributorRef":"R"},"BatchItemRef":"1"}]`,
			`{"ResultCode":1,"Items":[{"TransferId":{"TransferRef":"7","DistributorRef":"R"},"ProcessingState":"Cancelled","BatchItemRef":"1","ResultCode":1}]}`,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.CancelTransfers(ctx, []apiclient.CancellationRequest{{TransferId: apiclient.TransferId{TransferRef: "7", DistributorRef: "R"}, BatchItemRef: "1"}})
			},
			&apiclient.CancelTransfersResponse{Envelope: apiclient.Envelope{ResultCode: 1}, Items: []apiclient.TransferWithState{{
				TransferId: apiclient.TransferId{TransferRef: "7", DistributorRef: "R"}, ProcessingState: apiclient.StateCancelled, BatchItemRef: "1", ResultCode: 1,
			}}},
		},
		{
			"POST /api/V1/EstimatePrices", `[{"SendValue":10.30,"SkuCode":"S","BatchItemRef":"1"},{"SendCurrencyIso":"EUR","ReceiveValue":1E+2,"SkuCode":"S","BatchItemRef":"2"}]`, empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.EstimatePrices(ctx, []apiclient.EstimationRequest{{SendValue: "10.30", SkuCode: "S", BatchItemRef: "1"}, {SendCurrencyIso: "EUR", ReceiveValue: "1E+2", SkuCode: "S", BatchItemRef: "2"}})
			}, nil,
		},
		{
			"POST /api/V1/ListTransferRecords", `{"DistributorRef":"R","Skip":100,"Take":100}`, `{"ResultCode":1,"ThereAreMoreItems":true,"Items":[{"TransferRecord":{"ProcessingState":"Completed"},"ResultCode":1}]}`,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{DistributorRef: "R", Skip: 100, Take: 100})
			},
			&apiclient.ListTransferRecordsResponse{List: apiclient.List[apiclient.TransferRecordWithErrorCodes]{Envelope: apiclient.Envelope{ResultCode: 1}, Items: []apiclient.TransferRecordWithErrorCodes{
				{TransferRecord: apiclient.TransferRecord{ProcessingState: "Completed"}, ResultCode: 1},
			}}, ThereAreMoreItems: true},
		},
		{
			"POST /api/V1/ListTransferRecords", `{"Take":0}`, empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{})
			}, nil,
		},
		{
			"POST /api/V1/LookupBills", `{"SkuCode":"S","AccountNumber":"1","Settings":[{"Name":"Meter Id","Value":"7"}]}`,
			`{"ResultCode":1,"Items":[{"Price":{"SendValue":5},"BillRef":"B","AdditionalInfo":{"Due":"soon","Days":3,"No":null}}]}`,
			func(ctx context.Context, c *apiclient.Client) (any, error) {
				return c.LookupBills(ctx, apiclient.LookupBillsRequest{SkuCode: "S", AccountNumber: "1", Settings: []apiclient.Setting{{Name: "Meter Id", Value: "7"}}})
			},
			&apiclient.LookupBillsResponse{Envelope: apiclient.Envelope{ResultCode: 1}, Items: []apiclient.Bill{{
				Price: apiclient.Price{SendValue: "5"}, BillRef: "B", AdditionalInfo: apiclient.Params{"Due": "soon", "Days": "3"},
			}}},
		},
	}
}
