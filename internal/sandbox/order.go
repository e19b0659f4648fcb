package sandbox

import (
	"encoding/json"
	"slices"
	"strings"

	"airtill/internal/sandbox/catalogue"
)

// longestRef is how long a DistributorRef may be.
const longestRef = 100

// setting is a name-value pair sent with a transfer.
type setting struct{ Name, Value string }

// sendRequest is the SendTransferRequest as it arrives.
type sendRequest struct {
	SkuCode         *string
	SendValue       json.RawMessage
	SendCurrencyIso *string
	AccountNumber   *string
	DistributorRef  *string
	Settings        []setting
	ValidateOnly    *bool
	BillRef         *string
}

// order is a SendTransfer whose parameters are there and of the right kind.
type order struct {
	request  sendRequest
	product  *catalogue.Product
	provider *catalogue.Provider
	price    catalogue.Price
	cost     catalogue.Decimal // send value in agent currency, and fee
	deferred bool
	test     bool // the account is the product's UAT number
	call     *call
}

func (o *order) ref() string     { return *o.request.DistributorRef }
func (o *order) account() string { return *o.request.AccountNumber }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// readOrder checks that every parameter is there and of the right type, and
// finds the product. The order is nil if it cannot even be named.
func (s *Service) readOrder(c *call) (*order, *apiError) {
	o := &order{call: c, deferred: strings.EqualFold(c.request.Header.Get("X-Options"), "DeferTransfer")}
	if failed := c.decode(&o.request); failed != nil {
		return nil, failed
	}
	r := &o.request
	if missing := r.missing(); missing != "" {
		return nil, &apiError{Code: parameterMissing, Context: missing}
	}
	if r.ValidateOnly == nil {
		return nil, &apiError{Code: parameterInvalid, Context: "ValidateOnly"}
	}
	if len(*r.DistributorRef) > longestRef {
		return nil, &apiError{Code: parameterInvalid, Context: "DistributorRef"}
	}
	return o, nil
}

// missing names the required parameters that are not there.
func (r *sendRequest) missing() string {
	var names []string
	for _, field := range []struct {
		name  string
		empty bool
	}{
		{"SkuCode", text(r.SkuCode) == ""},
		{"SendValue", len(r.SendValue) == 0 || string(r.SendValue) == "null"},
		{"AccountNumber", text(r.AccountNumber) == ""},
		{"DistributorRef", text(r.DistributorRef) == ""},
	} {
		if field.empty {
			names = append(names, field.name)
		}
	}
	return strings.Join(names, ",")
}

// check applies the rules of SendTransfer that need no money: product, value,
// account, settings, bill and provider.
func (s *Service) check(o *order) *apiError {
	for _, rule := range []func(*order) *apiError{
		s.checkProduct, s.checkValue, s.checkAccount, s.checkSettings, s.checkBill, s.checkProvider,
	} {
		if failed := rule(o); failed != nil {
			return failed
		}
	}
	return nil
}

func (s *Service) checkProduct(o *order) *apiError {
	c := s.catalogue()
	if o.product = c.Product(*o.request.SkuCode); o.product == nil {
		return &apiError{Code: parameterInvalid, Context: "SkuCode"}
	}
	o.provider = c.Provider(o.product.ProviderCode)
	o.test = o.product.UAT(o.account())
	return nil
}

// checkValue prices the order: the value has two decimals at most and lies
// within the product's bounds, in another currency only by arrangement.
func (s *Service) checkValue(o *order) *apiError {
	send, ok := number(o.request.SendValue)
	if !ok || send%catalogue.Cent != 0 {
		return &apiError{Code: parameterInvalid, Context: "SendValue"}
	}
	c, own := s.catalogue(), send
	if currency := text(o.request.SendCurrencyIso); currency != "" && currency != c.Currency {
		s.mu.Lock()
		arranged := slices.Contains(s.config.SendCurrencies, currency)
		s.mu.Unlock()
		if own, ok = c.Convert(send, currency, c.Currency); !ok || !arranged {
			return &apiError{Code: parameterInvalid, Context: "SendCurrencyIso"}
		}
	}
	if own < o.product.Minimum.SendValue || own > o.product.Maximum.SendValue {
		return &apiError{Code: parameterOutOfRange, Context: "SendValue"}
	}
	o.price = c.PriceOf(o.product, own)
	o.cost = own + o.price.DistributorFee
	if own != send {
		o.price.SendValue, o.price.SendCurrencyIso = send, text(o.request.SendCurrencyIso)
	}
	return nil
}

// checkAccount applies the provider's expression first, then what the product
// itself takes: only a product with a code to hand over takes the default
// account number.
func (s *Service) checkAccount(o *order) *apiError {
	account := o.account()
	if o.test {
		return nil
	}
	if !o.provider.Accepts(account) {
		return &apiError{Code: accountInvalid, Context: failedRegex}
	}
	if account == catalogue.VoucherAccount && o.product.RedemptionMechanism != catalogue.ReadReceipt {
		return &apiError{Code: accountInvalid, Context: providerRefused}
	}
	return nil
}

// checkSettings wants every mandatory setting under its name, to the letter.
func (s *Service) checkSettings(o *order) *apiError {
	return missingSettings(o.product, o.request.Settings)
}

func missingSettings(p *catalogue.Product, settings []setting) *apiError {
	given := map[string]bool{}
	for _, setting := range settings {
		if setting.Name == "" {
			return &apiError{Code: parameterInvalid, Context: "Settings"}
		}
		given[setting.Name] = strings.TrimSpace(setting.Value) != ""
	}
	var missing []string
	for _, definition := range p.SettingDefinitions {
		if definition.IsMandatory && !given[definition.Name] {
			missing = append(missing, definition.Name)
		}
	}
	if len(missing) > 0 {
		return &apiError{Code: parameterMissing, Context: strings.Join(missing, ",")}
	}
	return nil
}

// checkProvider refuses while the provider is suspended.
func (s *Service) checkProvider(o *order) *apiError {
	if !o.test && s.suspended(o.provider.ProviderCode) {
		return &apiError{Code: transientProvider, Context: providerUnavailable}
	}
	return nil
}

func (s *Service) suspended(code string) bool {
	if s.catalogue().Suspended(code) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.config.SuspendedProviders, code)
}

// number reads a JSON number, not a text.
func number(raw json.RawMessage) (catalogue.Decimal, bool) {
	d, err := catalogue.ParseDecimal(string(raw))
	return d, err == nil
}
