package sales

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
)

// Seller is who sells, where, and out of which drawer. The server knows all of
// it from the session; nothing comes from the form.
type Seller struct {
	CashierID string
	ShopID    string
	TillID    string
	ShiftID   string
	Language  string
	Currency  money.Currency // of the till
	Username  string         // with Role, for the audit
	Role      string
	Day       time.Time // when the shop's business day began; zero counts the last 24 hours
}

func (s Seller) actor() audit.Actor {
	return audit.Actor{UserID: s.CashierID, Name: s.Username, Role: s.Role, ShopID: s.ShopID, TillID: s.TillID}
}

// Setting is a value the provider asks for, by the name it gave verbatim.
type Setting struct {
	Name  string
	Value string
}

// Order is what the cashier confirmed.
type Order struct {
	Key           string // the form's idempotency key, minted when the page was rendered
	AccountNumber string // bare digits, for some providers with letters and hyphens
	Settings      []Setting
	BillRef       string
	Shown         money.Amount      // the price on the page; the offer's must be the same
	Given         money.Amount      // what the customer handed over; the zero amount: exactly the price
	Again         bool              // the cashier said that a second identical sale is meant
	Approver      approval.Approver // who allows this sale whatever stops it
}

// Offer is a product at its price now: what the catalogue and the price rules
// say, never what the form says.
type Offer struct {
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
	Mandatory      []string     // names of the settings that must be given
	NeedsBill      bool
	BillRef        string // of the bill that Cost pays; "" without one
	BillExpired    bool   // it was looked up too long ago
	TestNumber     string // the product's UAT number
	ProviderUp     bool
}

// paramsHash names what a key stands for: the same key with another hash is a
// conflict. The price is left out, so that a changed price can be confirmed
// with the key of the page that showed the old one.
func (o Order) paramsHash(seller Seller, offer Offer) (string, error) {
	raw, err := json.Marshal([]any{seller.ShopID, seller.CashierID, offer.SKUCode, offer.Cost.Send.String(), o.AccountNumber, o.Settings, o.BillRef})
	if err != nil {
		return "", fmt.Errorf("hash order: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

var accountNumber = regexp.MustCompile(`^[0-9A-Za-z]+(-[0-9A-Za-z]+)*$`)

// check refuses what no cashier can sell, before money is taken.
func (o Order) check(offer Offer, seller Seller) error {
	switch {
	case len(o.Key) < 16 || len(o.Key) > 64:
		return fault.New(fault.Invalid, "page.too-old-to-sell")
	case seller.ShiftID == "":
		return fault.New(fault.Conflict, "shift.none-open")
	case !accountNumber.MatchString(o.AccountNumber):
		return fault.OnField("number", "number.no-digits")
	case !offer.ProviderUp:
		return fault.New(fault.Unavailable, "provider.not-taking", offer.ProviderName)
	case offer.Cost.Send.Sign() <= 0 || offer.Price.Sign() <= 0:
		return fault.OnField("amount", "amount.zero")
	case offer.Price.Currency() != seller.Currency:
		return fault.New(fault.Conflict, "price.other-currency", seller.Currency, offer.Price.Currency())
	case offer.NeedsBill && o.BillRef == "":
		return fault.New(fault.Invalid, "bill.missing")
	case offer.BillExpired:
		return &BillExpiredError{}
	}
	if err := o.checkGiven(offer.Price); err != nil {
		return err
	}
	return o.checkSettings(offer)
}

func (o Order) checkSettings(offer Offer) error {
	given := map[string]string{}
	for _, s := range o.Settings {
		given[s.Name] = s.Value
	}
	for _, name := range offer.Mandatory {
		if given[name] == "" {
			return fault.OnField("setting:"+name, "setting.needed", name)
		}
	}
	return nil
}

// ChangedError says that the price is not the one the page showed: the cashier
// must see the new one and confirm again. Nothing was sold.
type ChangedError struct{ Offer Offer }

func (e *ChangedError) Error() string { return "the price has changed to " + e.Offer.Price.String() }

// BillExpiredError says that the bill was looked up too long ago to be paid: it
// may have been paid elsewhere. Nothing was sold.
type BillExpiredError struct{}

func (*BillExpiredError) Error() string { return "the bill was looked up too long ago" }

// DuplicateError says that the same sale was made today, or the same PIN a
// moment ago: the cashier must say that another is meant. Nothing was sold.
type DuplicateError struct{ Earlier Sale }

func (e *DuplicateError) Error() string { return "the same sale was made today: " + e.Earlier.ID }

// UnknownError says that the same sale is still open: selling it again would
// risk sending it twice. Nothing was sold.
type UnknownError struct{ Earlier Sale }

func (e *UnknownError) Error() string { return "the same sale is still open: " + e.Earlier.ID }
