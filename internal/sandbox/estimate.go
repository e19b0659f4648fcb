package sandbox

import (
	"encoding/json"

	"airtill/internal/sandbox/catalogue"
)

// estimationRequest is the EstimationRequest.
type estimationRequest struct {
	SkuCode         *string
	BatchItemRef    *string
	SendValue       json.RawMessage
	SendCurrencyIso *string
	ReceiveValue    json.RawMessage
}

// estimatedPrice is the EstimatedPrice record.
type estimatedPrice struct {
	Price        *catalogue.Price `json:",omitempty"`
	SkuCode      string           `json:",omitempty"`
	BatchItemRef string
	envelope
}

// estimatePrices prices each item of a batch, section EstimatePrices rules.
func (s *Service) estimatePrices(c *call) reply {
	return batch(s, c, func(item estimationRequest) *string { return item.BatchItemRef }, s.estimateItem)
}

// estimateItem prices one item. Its fields are filled in on success only.
func (s *Service) estimateItem(item estimationRequest, ref string) estimatedPrice {
	estimate := estimatedPrice{BatchItemRef: ref, envelope: success()}
	price, problem := s.estimate(item)
	if problem != nil {
		estimate.envelope = failure(*problem)
	}
	if price != nil {
		estimate.Price, estimate.SkuCode = price, *item.SkuCode
	}
	return estimate
}

// estimate returns the price of an item. With a NearestMatch there is both a price and a
// problem.
func (s *Service) estimate(item estimationRequest) (*catalogue.Price, *apiError) {
	if text(item.SkuCode) == "" {
		return nil, &apiError{Code: parameterMissing, Context: "SkuCode"}
	}
	send, ok := optional(item.SendValue)
	if !ok || send%catalogue.Cent != 0 {
		return nil, &apiError{Code: parameterInvalid, Context: "SendValue"}
	}
	receive, ok := optional(item.ReceiveValue)
	if !ok {
		return nil, &apiError{Code: parameterInvalid, Context: "ReceiveValue"}
	}
	p := s.catalogue().Product(*item.SkuCode)
	switch {
	case p == nil:
		return nil, &apiError{Code: parameterInvalid, Context: "SkuCode"}
	case send != 0 && receive != 0:
		return nil, &apiError{Code: combinationInvalid, Context: "SendValue,ReceiveValue"}
	case send == 0 && receive == 0:
		return nil, &apiError{Code: parameterMissing, Context: "SendValue,ReceiveValue"}
	case receive < 0:
		return nil, &apiError{Code: parameterOutOfRange, Context: "ReceiveValue"}
	case receive > 0:
		price, exact := s.catalogue().PriceToReceive(p, receive)
		if !exact {
			return &price, &apiError{Code: nearestMatch, Context: cannotSupply}
		}
		return &price, nil
	}
	return s.estimateSend(p, send, text(item.SendCurrencyIso))
}

// estimateSend prices a send value, in the agent's currency unless another is
// named.
func (s *Service) estimateSend(p *catalogue.Product, send catalogue.Decimal, currency string) (*catalogue.Price, *apiError) {
	c, own := s.catalogue(), send
	if currency != "" && currency != c.Currency {
		var known bool
		if own, known = c.Convert(max(send, 0), currency, c.Currency); !known {
			return nil, &apiError{Code: parameterInvalid, Context: "SendCurrencyIso"}
		}
	}
	if own < p.Minimum.SendValue || own > p.Maximum.SendValue {
		return nil, &apiError{Code: parameterOutOfRange, Context: "SendValue"}
	}
	price := c.PriceOf(p, own)
	if currency != "" {
		price.SendValue, price.SendCurrencyIso = send, currency
	}
	return &price, nil
}

// optional reads a number that may be absent or null: then it is 0.
func optional(raw json.RawMessage) (catalogue.Decimal, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, true
	}
	return number(raw)
}
