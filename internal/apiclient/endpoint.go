package apiclient

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

const defaultDeadline = 30 * time.Second

// The most bytes of an answer: many times what has been seen. All products are about 20 MB.
const (
	smallAnswer = 1 << 20
	pageAnswer  = 8 << 20
	largeAnswer = 64 << 20
)

// endpoint is one call of the service. A GET turns its input into a query; for a POST the input is the JSON body.
type endpoint[In, Out any] struct {
	method, name string
	limit        int64 // bytes of an answer
}

func get[In, Out any](name string, limit int64) endpoint[In, Out] {
	return endpoint[In, Out]{http.MethodGet, name, limit}
}

func post[In, Out any](name string, limit int64) endpoint[In, Out] {
	return endpoint[In, Out]{http.MethodPost, name, limit}
}

// The whole surface of the service (INTERFACE.md, Endpoints).
var (
	getAccountLookup         = get[accountFilter, GetAccountLookupResponse]("GetAccountLookup", smallAnswer)
	getBalance               = get[nothing, GetBalanceResponse]("GetBalance", smallAnswer)
	getCountries             = get[nothing, List[Country]]("GetCountries", pageAnswer)
	getCurrencies            = get[nothing, List[Currency]]("GetCurrencies", smallAnswer)
	getErrorCodeDescriptions = get[nothing, List[ErrorDescription]]("GetErrorCodeDescriptions", pageAnswer)
	getProductDescriptions   = get[ProductDescriptionFilter, List[LocalizedProductDescription]](
		"GetProductDescriptions", largeAnswer,
	)
	getProducts              = get[ProductFilter, List[Product]]("GetProducts", largeAnswer)
	getPromotionDescriptions = get[PromotionDescriptionFilter, List[LocalizedPromotionDescription]](
		"GetPromotionDescriptions", largeAnswer,
	)
	getPromotions       = get[PromotionFilter, List[Promotion]]("GetPromotions", largeAnswer)
	getProviders        = get[ProviderFilter, List[Provider]]("GetProviders", pageAnswer)
	getProviderStatus   = get[ProviderStatusFilter, List[ProviderStatus]]("GetProviderStatus", pageAnswer)
	getRegions          = get[RegionFilter, List[Region]]("GetRegions", pageAnswer)
	cancelTransfers     = post[[]CancellationRequest, CancelTransfersResponse]("CancelTransfers", pageAnswer)
	estimatePrices      = post[[]EstimationRequest, EstimatePricesResponse]("EstimatePrices", pageAnswer)
	listTransferRecords = post[ListTransferRecordsRequest, ListTransferRecordsResponse](
		"ListTransferRecords", pageAnswer,
	)
	lookupBills  = post[LookupBillsRequest, LookupBillsResponse]("LookupBills", pageAnswer)
	sendTransfer = post[SendTransferRequest, SendTransferResponse]("SendTransfer", sendLimit)
)

// GetAccountLookup asks which providers and regions an account number may
// belong to. The number is in international form; a leading "+" is accepted.
func (c *Client) GetAccountLookup(ctx context.Context, number string) (*GetAccountLookupResponse, error) {
	return call(ctx, c, getAccountLookup, accountFilter{number})
}

// GetBalance asks for the agent's balance.
func (c *Client) GetBalance(ctx context.Context) (*GetBalanceResponse, error) {
	return call(ctx, c, getBalance, nothing{})
}

// GetCountries lists the countries.
func (c *Client) GetCountries(ctx context.Context) (*List[Country], error) {
	return call(ctx, c, getCountries, nothing{})
}

// GetCurrencies lists the currencies.
func (c *Client) GetCurrencies(ctx context.Context) (*List[Currency], error) {
	return call(ctx, c, getCurrencies, nothing{})
}

// GetErrorCodeDescriptions lists what the error codes mean.
func (c *Client) GetErrorCodeDescriptions(ctx context.Context) (*List[ErrorDescription], error) {
	return call(ctx, c, getErrorCodeDescriptions, nothing{})
}

// GetProductDescriptions lists the localized texts of products.
func (c *Client) GetProductDescriptions(
	ctx context.Context, f ProductDescriptionFilter,
) (*List[LocalizedProductDescription], error) {
	return call(ctx, c, getProductDescriptions, f)
}

// GetProducts lists products. They are decoded as they arrive.
func (c *Client) GetProducts(ctx context.Context, f ProductFilter) (*List[Product], error) {
	return call(ctx, c, getProducts, f)
}

// GetPromotionDescriptions lists the localized texts of promotions.
func (c *Client) GetPromotionDescriptions(
	ctx context.Context, f PromotionDescriptionFilter,
) (*List[LocalizedPromotionDescription], error) {
	return call(ctx, c, getPromotionDescriptions, f)
}

// GetPromotions lists promotions that may apply.
func (c *Client) GetPromotions(ctx context.Context, f PromotionFilter) (*List[Promotion], error) {
	return call(ctx, c, getPromotions, f)
}

// GetProviders lists providers.
func (c *Client) GetProviders(ctx context.Context, f ProviderFilter) (*List[Provider], error) {
	return call(ctx, c, getProviders, f)
}

// GetProviderStatus says which providers take transfers now.
func (c *Client) GetProviderStatus(ctx context.Context, f ProviderStatusFilter) (*List[ProviderStatus], error) {
	return call(ctx, c, getProviderStatus, f)
}

// GetRegions lists regions.
func (c *Client) GetRegions(ctx context.Context, f RegionFilter) (*List[Region], error) {
	return call(ctx, c, getRegions, f)
}

// ListTransferRecords reads one page of transfers.
func (c *Client) ListTransferRecords(
	ctx context.Context, r ListTransferRecordsRequest,
) (*ListTransferRecordsResponse, error) {
	return call(ctx, c, listTransferRecords, r)
}

// LookupBills lists what an account owes.
func (c *Client) LookupBills(ctx context.Context, r LookupBillsRequest) (*LookupBillsResponse, error) {
	return call(ctx, c, lookupBills, r)
}

// call makes one call, as the only path of all endpoints to the network.
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
	x := &exchange{op: e.name, method: e.method, body: &body{}, deadline: defaultDeadline, limit: e.limit}
	if e.method == http.MethodGet {
		x.query = queryOf(in).Encode()
		return x, nil
	}
	data, err := json.Marshal(in)
	if err != nil {
		return nil, &Error{Op: e.name, Err: notSent(err)}
	}
	x.body.data = data
	return x, nil
}
