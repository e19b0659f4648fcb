package sales

import (
	"strings"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/ledger"
	"airtill/internal/money"
)

// Sale is one row of the table sales. Amounts are millionths of the currency
// beside them; times are UTC.
type Sale struct {
	ID             string
	IdempotencyKey string
	ParamsHash     string
	Practice       bool
	ShopID         string
	TillID         string
	ShiftID        string
	Number         int // within the shift, from 1
	Code           string
	CashierID      string
	Language       string
	Terms
	GivenMicros int64 // what the customer handed over; 0: exactly the price

	Fulfilment       State
	Cash             Cash
	Hold             ledger.Account
	HoldMicros       int64
	ReceivableMicros int64
	Send
	Outcome
	LookUps

	Events     int
	RecordedAt time.Time
	FinalAt    *time.Time
	UpdatedAt  time.Time
}

// Terms are what is sold, to which number and at what price: counter.Terms as the cashier confirmed them. They
// never change.
type Terms struct {
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
	AccountNumber  string
	Settings       string
	BillRef        string

	SendMicros           int64
	CustomerFeeMicros    int64
	DistributorFeeMicros int64
	SendCurrency         money.Currency
	ReceiveMicros        int64
	ReceiveExTaxMicros   int64
	ReceiveCurrency      money.Currency
	TaxRate              string
	TaxName              string
	TaxCalculation       string
	CommissionRate       string
	PriceMicros          int64
	PriceCurrency        money.Currency
}

// Send is the current attempt.
type Send struct {
	SendMode  SendMode
	Attempt   int
	Ref       string
	Permits   int
	AttemptAt time.Time
	PermitAt  *time.Time
	PermitBy  string
	RetryAt   *time.Time // the upstream wants no request until then
	Stopped   bool       // an earlier attempt was executed: nothing is sent any more
}

// Outcome is what the upstream told of the transfer.
type Outcome struct {
	ReasonCode          string
	ReasonContext       string
	TransferRef         string
	ProviderRef         string
	ActualSendMicros    int64
	ActualFeeMicros     int64
	ActualDistMicros    int64
	ActualReceiveMicros int64
	ActualExTaxMicros   int64
	CommissionMicros    int64
	SealedReceipt       string
	PINHint             string
	SerialHash          string // of the PIN's serial, under the vault's key; "-" where there is none
}

// LookUps are when the outcome is looked for, and what was found that does not decide it.
type LookUps struct {
	NextCheckAt    *time.Time
	OpenSeenAt     *time.Time // when the upstream's list last showed it under way
	Looks          int
	ClaimAt        *time.Time // when a reply claimed a failure that a look must confirm
	EmptyLooks     int
	FirstEmptyAt   *time.Time
	LastEmptyAt    *time.Time
	ReversalSeenAt *time.Time
	ByAbsence      bool // the verdict is the absence rule's
}

// Price is what the customer pays at the counter.
func (s *Sale) Price() money.Amount { return money.Of(s.PriceMicros, s.PriceCurrency) }

// Given is what the customer handed over.
func (s *Sale) Given() money.Amount {
	if s.GivenMicros == 0 {
		return s.Price()
	}
	return money.Of(s.GivenMicros, s.PriceCurrency)
}

// Change is what the customer got back in change.
func (s *Sale) Change() money.Amount {
	return money.Of(s.Given().Micros()-s.PriceMicros, s.PriceCurrency)
}

// Quoted is what the transfer was quoted to cost the agent.
func (s *Sale) Quoted() ledger.Cost {
	return s.cost(s.SendMicros, s.CustomerFeeMicros, s.DistributorFeeMicros)
}

// Actual is the cost by the upstream's record; meaningful once complete.
func (s *Sale) Actual() ledger.Cost {
	return s.cost(s.ActualSendMicros, s.ActualFeeMicros, s.ActualDistMicros)
}

// Commission is what the upstream credited for it.
func (s *Sale) Commission() money.Amount { return money.Of(s.CommissionMicros, s.SendCurrency) }

// Received is what the customer receives, with and without tax: as quoted, then as told by the upstream.
func (s *Sale) Received() (whole, withoutTax money.Amount) {
	if s.Fulfilment == Complete {
		return money.Of(s.ActualReceiveMicros, s.ReceiveCurrency), money.Of(s.ActualExTaxMicros, s.ReceiveCurrency)
	}
	return money.Of(s.ReceiveMicros, s.ReceiveCurrency), money.Of(s.ReceiveExTaxMicros, s.ReceiveCurrency)
}

func (s *Sale) cost(send, fee, distributor int64) ledger.Cost {
	return ledger.Cost{
		Send: money.Of(send, s.SendCurrency), CustomerFee: money.Of(fee, s.SendCurrency),
		DistributorFee: money.Of(distributor, s.SendCurrency),
	}
}

// permit is the current permit.
func (s *Sale) permit() Permit {
	p := Permit{By: s.PermitBy, Number: s.Permits}
	if s.PermitAt != nil {
		p.At = s.PermitAt.UnixMicro()
	}
	return p
}

// Erased stands in place of an account number that its owner had erased.
const Erased = "erased"

// Erased says whether the account number was erased.
func (s *Sale) Erased() bool { return s.AccountNumber == Erased }

// Addressed says whether the transfer goes to somebody's number; PINs go to a number of zeros.
func (s *Sale) Addressed() bool { return strings.Trim(s.AccountNumber, "0") != "" }

// Batch says whether the upstream works on the product's transfers later.
func (s *Sale) Batch() bool { return s.ProcessingMode == "Batch" }

// Cancellable says whether the upstream can be asked to cancel the transfer: only an unfinished batch
// transfer.
func (s *Sale) Cancellable() bool {
	return s.Batch() && (s.Fulfilment == Submitted || s.Fulfilment == Processing)
}

// onReceipt says whether the purchase is redeemed by reading the receipt; an unknown way to redeem counts as
// that.
func (s *Sale) onReceipt() bool {
	return s.Redemption != "" && s.Redemption != string(apiclient.RedeemImmediate) &&
		s.Redemption != string(apiclient.RedeemReadAdditionalInformation)
}

// Event is one row of a sale's history.
type Event struct {
	SaleID string
	Seq    int
	At     time.Time
	Cause  Cause
	Source string // which process, route or person's act it came through
	Ref    string
	Was    string // fulfilment/cash
	Became string
	Actor  string // user id, "" for the program
	Note   string
}

// TableName names the table for GORM.
func (Event) TableName() string { return "sale_events" }

func (s *Sale) position() string { return string(s.Fulfilment) + "/" + string(s.Cash) }
