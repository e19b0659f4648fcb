package counter

import (
	"context"
	"errors"
	"time"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
)

// Seller is who sells, where, and from which drawer. The server knows it from the session; nothing comes from
// the form.
type Seller struct {
	CashierID string
	Username  string // with Role, for the audit
	Role      string
	ShopID    string
	Country   string         // of the shop; numbers are read as its own first
	Zone      *time.Location // of the shop, for the days of price rules; nil: UTC
	Currency  money.Currency // of the till
	TillID    string
	ShiftID   string
	Language  string    // of the customer
	Day       time.Time // when the shop's business day began; zero counts the last 24 hours
}

// Actor is the seller as the audit names one.
func (s Seller) Actor() audit.Actor {
	return audit.Actor{UserID: s.CashierID, Name: s.Username, Role: s.Role, ShopID: s.ShopID, TillID: s.TillID}
}

// Setting is a value the provider asks for, by the name it gave verbatim.
type Setting struct {
	Name  string
	Value string
}

// Terms are what is sold, to whom, at what price: by the catalogue and the price rules, never by a form.
type Terms struct {
	AccountNumber  string // as sent upstream
	Settings       []Setting
	BillRef        string // of the bill to pay; "": none
	Practice       bool   // to the product's test number: nothing is sent and no money moves
	CountryISO     string
	ProviderCode   string
	ProviderName   string
	CustomerCare   string
	SKUCode        string
	ProductText    string
	Kind           string
	ProcessingMode string
	Redemption     string
	Validity       string
	Cost           ledger.Cost
	Receive        money.Amount
	ReceiveExTax   money.Amount
	TaxRate        string
	TaxName        string
	TaxCalculation string
	CommissionRate string
	Price          money.Amount // at the counter
}

// Confirmation is what the cashier said to a Quote.
type Confirmation struct {
	Key      string            // the form's idempotency key, made with the page
	Shown    money.Amount      // the price on the page; the offer's must be the same
	Receive  money.Amount      // so must what is received; zero: the page did not say, or not exactly
	Practice bool              // the page said so; the seller must still practise, or still not
	Given    money.Amount      // what the customer handed over; zero: exactly the price
	Again    bool              // a second identical sale is meant
	Approver approval.Approver // allows this sale, whatever stops it
}

// Offer is what a cashier confirmed of a Quote. Only Quote.Offer makes one.
type Offer struct {
	counter   *Service
	seller    Seller
	terms     Terms
	confirmed Confirmation
}

// Seller is who sells.
func (o Offer) Seller() Seller { return o.seller }

// Terms are what is sold.
func (o Offer) Terms() Terms { return o.terms }

// Confirmed is what the cashier said to it.
func (o Offer) Confirmed() Confirmation { return o.confirmed }

// errNoOffer is a bug: only a Quote makes offers.
var errNoOffer = errors.New("sell: not an offer that was quoted")

// Stands fails with a fault if the quoted product is no longer sold: hidden or withdrawn, its provider takes
// no transfers, or selling has stopped.
func (o Offer) Stands(ctx context.Context) error {
	if o.counter == nil {
		return errNoOffer
	}
	sold, taken, err := o.counter.Sells(ctx, o.seller.ShopID, o.terms.ProviderCode, o.terms.SKUCode)
	switch {
	case err != nil:
		return err
	case !sold:
		return errWithdrawn
	case !taken:
		return fault.New(fault.Unavailable, "provider.not-taking", o.terms.ProviderName)
	}
	return nil
}

// Sells says whether a shop sells a provider's product, neither hidden nor withdrawn, and whether it would be
// taken now: the provider takes transfers, and selling goes on.
func (s *Service) Sells(ctx context.Context, shopID, provider, sku string) (sold, taken bool, err error) {
	on := s.d.Catalog.Current()
	_, _, err = s.sold(ctx, on, shopID, provider, sku)
	if fault.KindOf(err) == fault.NotFound {
		return false, false, nil
	}
	return err == nil, err == nil && on.ProviderUp(provider) && s.Stopped() == nil, err
}

// practiceNumber is where a practice sale of a product goes: its own test number, with the last digit that
// picks the outcome. A typed number that ends in 11 to 19 practises the refusal of that digit, any other
// practises success.
func practiceNumber(p *catalog.Product, n catalog.Number) (string, error) {
	test := p.TestNumber()
	if len(test) < 2 {
		return "", fault.New(fault.Conflict, "practice.not-possible")
	}
	outcome := "0"
	if typed := n.Digits; len(typed) > 1 && typed[len(typed)-2] == '1' {
		outcome = typed[len(typed)-1:]
	}
	return test[:len(test)-1] + outcome, nil
}

func (s Seller) zone() *time.Location {
	if s.Zone == nil {
		return time.UTC
	}
	return s.Zone
}
