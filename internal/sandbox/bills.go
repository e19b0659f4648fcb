package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"

	"airtill/internal/sandbox/catalogue"
)

// billsRequest is the LookupBillsRequest.
type billsRequest struct {
	SkuCode       *string
	AccountNumber *string
	Settings      []setting
}

// bill is the Bill record.
type bill struct {
	Price          catalogue.Price
	BillRef        string
	AdditionalInfo map[string]string `json:",omitempty"`
}

// lookupBills returns what an account owes: nothing, one bill or several.
func (s *Service) lookupBills(c *call) reply {
	var r billsRequest
	if refused := c.decode(&r); refused != nil {
		return refuseItems(*refused)
	}
	var missing string
	switch {
	case text(r.SkuCode) == "" && text(r.AccountNumber) == "":
		missing = "SkuCode,AccountNumber"
	case text(r.SkuCode) == "":
		missing = "SkuCode"
	case text(r.AccountNumber) == "":
		missing = "AccountNumber"
	}
	if missing != "" {
		return refuseItems(apiError{Code: parameterMissing, Context: missing})
	}
	p := s.catalogue().Product(*r.SkuCode)
	if p == nil || !p.LookupBillsRequired {
		return refuseItems(apiError{Code: parameterInvalid, Context: "SkuCode"})
	}
	if !p.UAT(*r.AccountNumber) && !s.catalogue().Provider(p.ProviderCode).Accepts(*r.AccountNumber) {
		return refuseItems(apiError{Code: accountInvalid, Context: failedRegex})
	}
	if refused := missingSettings(p, r.Settings); refused != nil {
		return refuseItems(*refused)
	}
	if s.suspended(p.ProviderCode) {
		return refuseItems(apiError{Code: transientProvider, Context: providerUnavailable})
	}
	return answer(listResponse[bill]{envelope: success(), Items: s.owed(p, *r.AccountNumber, r.Settings)})
}

// owed returns the unpaid bills of an account. They follow from the account
// and the settings alone, so the same question has the same answer until a
// bill is paid.
func (s *Service) owed(p *catalogue.Product, account string, settings []setting) []bill {
	c := s.catalogue()
	s.mu.Lock()
	defer s.mu.Unlock()
	owed := []bill{}
	sum := billSum(s.deps.Seed, p, account, settings)
	for i := range int(sum[0]%4 + 1) {
		ref := "BL" + hex.EncodeToString(sum[1+i:9+i])
		if s.book.paid[ref] != 0 || sum[0] > 250 {
			continue
		}
		euros := catalogue.Decimal(500+int(sum[10+i])*20+int(sum[20+i])) * catalogue.Cent //nolint:gosec // a sum has 32 bytes, and there are four bills at most
		send := p.Minimum.SendValue + c.Worth(euros)
		owed = append(owed, bill{
			Price: c.PriceOf(p, min(send, p.Maximum.SendValue)), BillRef: ref,
			AdditionalInfo: map[string]string{
				"Customer": fmt.Sprintf("Account ending in %s", account[max(0, len(account)-3):]),
				"Period":   s.clock.now().AddDate(0, -i, 0).Format("2006-01"),
				"DueDate":  s.clock.now().AddDate(0, 0, 14-20*i).Format("2006-01-02"),
			},
		})
	}
	return owed
}

// billSum is what the bills of an account are made of. Only the product's own
// settings count, in whatever order they were sent.
func billSum(seed int64, p *catalogue.Product, account string, settings []setting) [sha256.Size]byte {
	own := map[string]bool{}
	for _, definition := range p.SettingDefinitions {
		own[definition.Name] = true
	}
	var pairs []string
	for _, setting := range settings {
		if own[setting.Name] {
			pairs = append(pairs, setting.Name+"="+setting.Value)
		}
	}
	sort.Strings(pairs)
	return sha256.Sum256(fmt.Appendf(nil, "%d %s %s %q", seed, p.SkuCode, account, pairs))
}

// checkBill wants a bill where the product needs one, at its price, looked up
// with the same account and settings.
func (s *Service) checkBill(o *order) *apiError {
	ref := text(o.request.BillRef)
	switch {
	case !o.product.LookupBillsRequired && ref != "":
		return &apiError{Code: parameterInvalid, Context: "BillRef"}
	case !o.product.LookupBillsRequired:
		return nil
	case ref == "":
		return &apiError{Code: parameterMissing, Context: "BillRef"}
	}
	for _, b := range s.owed(o.product, o.account(), o.request.Settings) {
		if b.BillRef != ref {
			continue
		}
		if b.Price.SendValue != o.cost-o.price.DistributorFee {
			return &apiError{Code: parameterOutOfRange, Context: "SendValue"}
		}
		return nil
	}
	return &apiError{Code: parameterInvalid, Context: "BillRef"}
}
