package apiclient_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

const (
	shared = "../../../shared/upstream"
	empty  = `{"ResultCode":1,"ErrorCodes":[],"Items":[]}`
)

// Every endpoint: its method, path, query or body, and that its answer is read.
func TestEveryEndpoint(t *testing.T) {
	t.Parallel()
	all := apiclient.ProductFilter{
		CountryIsos: []string{"IE", "NG"}, ProviderCodes: []string{"P&Q"}, SkuCodes: []string{"S"},
		Benefits: []string{"Digital Product"}, RegionCodes: []string{"R", ""}, AccountNumber: "+353 1",
	}
	for _, test := range []struct {
		line, body, answer string
		call               func(context.Context, *apiclient.Client) (any, error)
		want               any
	}{
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
			&apiclient.GetCountriesResponse{Envelope: apiclient.Envelope{ResultCode: 1}, Items: []apiclient.Country{{CountryIso: "IE"}}},
		},
		{
			"GET /api/V1/GetCurrencies", "", `{"ResultCode":2,"ErrorCodes":[{"Code":"X","Context":null}],"Items":null}`,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetCurrencies(ctx) },
			&apiclient.GetCurrenciesResponse{Envelope: apiclient.Envelope{ResultCode: 2, ErrorCodes: []apiclient.ErrorCode{{Code: "X"}}}},
		},
		{
			"GET /api/V1/GetErrorCodeDescriptions", "", empty,
			func(ctx context.Context, c *apiclient.Client) (any, error) { return c.GetErrorCodeDescriptions(ctx) }, nil,
		},
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
	} {
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
		"GetCountriesResponse": apiclient.GetCountriesResponse{}, "GetCurrenciesResponse": apiclient.GetCurrenciesResponse{},
		"GetErrorCodeDescriptionsResponse": apiclient.GetErrorCodeDescriptionsResponse{}, "GetProductDescriptionsResponse": apiclient.GetProductDescriptionsResponse{},
		"GetProductsResponse": apiclient.GetProductsResponse{}, "GetPromotionDescriptionsResponse": apiclient.GetPromotionDescriptionsResponse{},
		"GetPromotionsResponse": apiclient.GetPromotionsResponse{}, "GetProviderStatusResponse": apiclient.GetProviderStatusResponse{},
		"GetProvidersResponse": apiclient.GetProvidersResponse{}, "GetRegionsResponse": apiclient.GetRegionsResponse{},
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

func TestWireSamples(t *testing.T) {
	t.Parallel()
	sample := func(t *testing.T, name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(shared, "samples", name))
		if err != nil {
			t.Skip("the samples are not here")
		}
		return string(data)
	}
	send := func(t *testing.T, name string, status int) (*apiclient.SendTransferResponse, *apiclient.Error) {
		t.Helper()
		client := newClient(t, newService(t, says(status, sample(t, name))).URL)
		got, err := client.SendTransfer(t.Context(), realSend(), permitted(newClock()))
		var failure *apiclient.Error
		require.ErrorAs(t, err, &failure)
		return got, failure
	}
	t.Run("account lookup", func(t *testing.T) {
		t.Parallel()
		got, err := newClient(t, newService(t, says(200, sample(t, "account-lookup-nearest-match.json"))).URL).GetAccountLookup(t.Context(), "2348012345678")
		require.NoError(t, err)
		require.Equal(t, []any{"NG", "2348012345678", 2, 0, apiclient.CodeNearestMatch}, []any{got.CountryIso, got.AccountNumberNormalized, got.ResultCode, len(got.Items), got.ErrorCodes[0].Code})
	})
	t.Run("authentication failed", func(t *testing.T) {
		t.Parallel()
		_, err := newClient(t, newService(t, says(401, sample(t, "auth-failed-http401.json"))).URL).GetBalance(t.Context())
		var failure *apiclient.Error
		require.ErrorAs(t, err, &failure)
		require.True(t, failure.Has(apiclient.CodeAuthenticationFailed))
		require.Equal(t, 401, failure.Status)
	})
	t.Run("balance", func(t *testing.T) {
		t.Parallel()
		got, err := newClient(t, newService(t, says(200, sample(t, "get-balance.json"))).URL).GetBalance(t.Context())
		require.NoError(t, err)
		require.Equal(t, apiclient.Decimal("12.34"), got.Balance)
	})
	t.Run("records", func(t *testing.T) {
		t.Parallel()
		got, err := newClient(t, newService(t, says(200, sample(t, "list-transfer-records-live.json"))).URL).ListTransferRecords(t.Context(), apiclient.ListTransferRecordsRequest{Take: 1})
		require.NoError(t, err)
		record := got.Items[0].TransferRecord
		require.Equal(t, []any{"863785357", apiclient.Decimal("11.0"), apiclient.StateComplete}, []any{record.TransferId.TransferRef, record.Price.ReceiveValue, record.ProcessingState})
	})
	t.Run("insufficient balance", func(t *testing.T) {
		t.Parallel()
		got, failure := send(t, "send-transfer-insufficient-balance-http500.json", 500)
		require.Equal(t, apiclient.StateFailed, got.TransferRecord.ProcessingState)
		require.Nil(t, got.TransferRecord.TransferId)
		require.True(t, failure.Has(apiclient.CodeInsufficientBalance))
	})
	t.Run("missing ValidateOnly", func(t *testing.T) {
		t.Parallel()
		_, failure := send(t, "send-transfer-missing-validateonly.json", 400)
		require.True(t, failure.HasContext(apiclient.CodeParameterInvalid, "ValidateOnly"))
	})
	t.Run("plus sign", func(t *testing.T) {
		t.Parallel()
		_, failure := send(t, "send-transfer-plus-sign.json", 400)
		require.True(t, failure.HasContext(apiclient.CodeAccountNumberInvalid, apiclient.ContextAccountNumberFailedRegex))
	})
	t.Run("products", func(t *testing.T) {
		t.Parallel()
		var file struct{ Products json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(sample(t, "regexes-and-prices.json")), &file))
		got, err := newClient(t, newService(t, says(200, `{"ResultCode":1,"Items":`+string(file.Products)+`}`)).URL).GetProducts(t.Context(), apiclient.ProductFilter{})
		require.NoError(t, err)
		require.Equal(t, apiclient.Decimal("0.03"), got.Items[0].CommissionRate)
	})
	t.Run("UAT table", func(t *testing.T) {
		t.Parallel()
		var file struct{ Errors []apiclient.ErrorCode }
		require.NoError(t, json.Unmarshal([]byte(sample(t, "uat-suffix-table.json")), &file))
		require.Equal(t, apiclient.ErrorCode{Code: apiclient.CodeTransientProviderError, Context: apiclient.ContextProviderTimedOut}, file.Errors[1])
	})
}
