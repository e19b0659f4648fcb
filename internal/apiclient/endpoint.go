package apiclient

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

const (
	defaultDeadline = 30 * time.Second
	defaultLimit    = 64 << 20 // bytes of an answer; the whole catalogue is about 20 MB
)

// endpoint is one call of the service. Those that are GETs say how their input
// becomes a query; for the others the input is the JSON body of a POST.
type endpoint[In, Out any] struct {
	name  string
	query func(In) url.Values
}

// The whole surface of the service (INTERFACE.md, Endpoints).
var (
	getAccountLookup         = endpoint[accountNumber, GetAccountLookupResponse]{"GetAccountLookup", accountNumber.query}
	getBalance               = endpoint[nothing, GetBalanceResponse]{"GetBalance", nothing.query}
	getCountries             = endpoint[nothing, GetCountriesResponse]{"GetCountries", nothing.query}
	getCurrencies            = endpoint[nothing, GetCurrenciesResponse]{"GetCurrencies", nothing.query}
	getErrorCodeDescriptions = endpoint[nothing, GetErrorCodeDescriptionsResponse]{"GetErrorCodeDescriptions", nothing.query}
	getProductDescriptions   = endpoint[ProductDescriptionFilter, GetProductDescriptionsResponse]{"GetProductDescriptions", ProductDescriptionFilter.query}
	getProducts              = endpoint[ProductFilter, GetProductsResponse]{"GetProducts", ProductFilter.query}
	getPromotionDescriptions = endpoint[PromotionDescriptionFilter, GetPromotionDescriptionsResponse]{"GetPromotionDescriptions", PromotionDescriptionFilter.query}
	getPromotions            = endpoint[PromotionFilter, GetPromotionsResponse]{"GetPromotions", PromotionFilter.query}
	getProviders             = endpoint[ProviderFilter, GetProvidersResponse]{"GetProviders", ProviderFilter.query}
	getProviderStatus        = endpoint[ProviderStatusFilter, GetProviderStatusResponse]{"GetProviderStatus", ProviderStatusFilter.query}
	getRegions               = endpoint[RegionFilter, GetRegionsResponse]{"GetRegions", RegionFilter.query}
	cancelTransfers          = endpoint[[]CancellationRequest, CancelTransfersResponse]{name: "CancelTransfers"}
	estimatePrices           = endpoint[[]EstimationRequest, EstimatePricesResponse]{name: "EstimatePrices"}
	listTransferRecords      = endpoint[ListTransferRecordsRequest, ListTransferRecordsResponse]{name: "ListTransferRecords"}
	lookupBills              = endpoint[LookupBillsRequest, LookupBillsResponse]{name: "LookupBills"}
	sendTransfer             = endpoint[SendTransferRequest, SendTransferResponse]{name: "SendTransfer"}
)

// GetAccountLookup asks which providers and regions an account number may
// belong to. The number is in international form; a leading "+" is accepted.
func (c *Client) GetAccountLookup(ctx context.Context, number string) (*GetAccountLookupResponse, error) {
	return call(ctx, c, getAccountLookup, accountNumber(number))
}

// GetBalance asks for the agent's balance.
func (c *Client) GetBalance(ctx context.Context) (*GetBalanceResponse, error) {
	return call(ctx, c, getBalance, nothing{})
}

// GetCountries lists the countries.
func (c *Client) GetCountries(ctx context.Context) (*GetCountriesResponse, error) {
	return call(ctx, c, getCountries, nothing{})
}

// GetCurrencies lists the currencies.
func (c *Client) GetCurrencies(ctx context.Context) (*GetCurrenciesResponse, error) {
	return call(ctx, c, getCurrencies, nothing{})
}

// GetErrorCodeDescriptions lists what the error codes mean; see DescribeError.
func (c *Client) GetErrorCodeDescriptions(ctx context.Context) (*GetErrorCodeDescriptionsResponse, error) {
	return call(ctx, c, getErrorCodeDescriptions, nothing{})
}

// GetProductDescriptions lists the localized texts of products.
func (c *Client) GetProductDescriptions(ctx context.Context, f ProductDescriptionFilter) (*GetProductDescriptionsResponse, error) {
	return call(ctx, c, getProductDescriptions, f)
}

// GetProducts lists products. They are decoded as they arrive.
func (c *Client) GetProducts(ctx context.Context, f ProductFilter) (*GetProductsResponse, error) {
	return call(ctx, c, getProducts, f)
}

// GetPromotionDescriptions lists the localized texts of promotions.
func (c *Client) GetPromotionDescriptions(ctx context.Context, f PromotionDescriptionFilter) (*GetPromotionDescriptionsResponse, error) {
	return call(ctx, c, getPromotionDescriptions, f)
}

// GetPromotions lists promotions that may apply.
func (c *Client) GetPromotions(ctx context.Context, f PromotionFilter) (*GetPromotionsResponse, error) {
	return call(ctx, c, getPromotions, f)
}

// GetProviders lists providers.
func (c *Client) GetProviders(ctx context.Context, f ProviderFilter) (*GetProvidersResponse, error) {
	return call(ctx, c, getProviders, f)
}

// GetProviderStatus says which providers take transfers now.
func (c *Client) GetProviderStatus(ctx context.Context, f ProviderStatusFilter) (*GetProviderStatusResponse, error) {
	return call(ctx, c, getProviderStatus, f)
}

// GetRegions lists regions.
func (c *Client) GetRegions(ctx context.Context, f RegionFilter) (*GetRegionsResponse, error) {
	return call(ctx, c, getRegions, f)
}

// ListTransferRecords reads one page of transfers; TransferRecords reads all.
func (c *Client) ListTransferRecords(ctx context.Context, r ListTransferRecordsRequest) (*ListTransferRecordsResponse, error) {
	return call(ctx, c, listTransferRecords, r)
}

// LookupBills lists what an account owes.
func (c *Client) LookupBills(ctx context.Context, r LookupBillsRequest) (*LookupBillsResponse, error) {
	return call(ctx, c, lookupBills, r)
}

// call makes one call. It is the one path of every endpoint to the network.
func call[In, Out any, P replyTo[Out]](ctx context.Context, c *Client, e endpoint[In, Out], in In) (*Out, error) {
	x, err := e.exchange(in)
	if err != nil {
		return nil, err
	}
	out := new(Out)
	if err := c.exchange(ctx, x, P(out)); err != nil {
		return nil, err
	}
	return out, nil
}

func (e endpoint[In, Out]) exchange(in In) (*exchange, error) {
	x := &exchange{op: e.name, method: http.MethodGet, body: &body{}, deadline: defaultDeadline, limit: defaultLimit}
	if e.query != nil {
		x.query = e.query(in).Encode()
		return x, nil
	}
	data, err := json.Marshal(in)
	if err != nil {
		return nil, &Error{Op: e.name, Err: notSent(err)}
	}
	x.method, x.body.data = http.MethodPost, data
	return x, nil
}
