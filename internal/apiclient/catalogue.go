package apiclient

// DefaultPINAccountNumber is the account number for PIN and voucher products, which are credited to nobody.
const DefaultPINAccountNumber = "0000000000"

// CountryAll is the country code of products available everywhere
// (INTERFACE.md, Reference data).
const CountryAll = "XG"

// ProcessingMode says when a product's transfer ends. Unknown values stay as they came.
type ProcessingMode string

// The processing modes (INTERFACE.md, Product).
const (
	ModeInstant ProcessingMode = "Instant"
	ModeBatch   ProcessingMode = "Batch"
)

// RedemptionMechanism says how the customer gets the purchase. Unknown values stay as they came.
type RedemptionMechanism string

// The redemption mechanisms (INTERFACE.md, Product).
const (
	RedeemImmediate   RedemptionMechanism = "Immediate"
	RedeemReadReceipt RedemptionMechanism = "ReadReceipt" // instructions in ReceiptText
	// instructions in AdditionalInformation
	RedeemReadAdditionalInformation RedemptionMechanism = "ReadAdditionalInformation"
)

// TaxCalculation says how tax relates to a value; "" means the provider
// handles it.
type TaxCalculation string

// The tax calculations (INTERFACE.md, Price record).
const (
	TaxInclusive TaxCalculation = "Inclusive"
	TaxExclusive TaxCalculation = "Exclusive"
)

// Country is a country products can be delivered to. CountryIso is ISO 3166-1 alpha-2, or CountryAll.
type Country struct {
	CountryIso                      string
	CountryName                     string // English
	InternationalDialingInformation []InternationalDialingInfo
	RegionCodes                     []string
}

// InternationalDialingInfo is a dialling prefix; both lengths include it.
type InternationalDialingInfo struct {
	Prefix        string
	MinimumLength int
	MaximumLength int
}

// Currency is an ISO 4217 currency with its English name.
type Currency struct {
	CurrencyIso  string
	CurrencyName string
}

// Region is a part of a country. A country with one region uses its ISO code.
type Region struct {
	RegionCode string
	RegionName string
	CountryIso string
}

// Provider is an operator, in one country. ValidationRegex is in the .NET
// dialect and may not compile in Go.
type Provider struct {
	ProviderCode       string
	CountryIso         string
	Name               string
	ShortName          string `json:",omitempty"`
	ValidationRegex    string
	CustomerCareNumber string `json:",omitempty"`
	RegionCodes        []string
	PaymentTypes       []string
	LogoUrl            string `json:",omitempty"`
}

// ProviderStatus says whether a provider takes transfers now. Message is for
// the agent, not for customers.
type ProviderStatus struct {
	ProviderCode          string
	IsProcessingTransfers bool
	Message               string `json:",omitempty"`
}

// Product is something that can be sold. Its value is fixed if both SendValues are equal, otherwise a range
// including both ends.
type Product struct {
	ProviderCode          string
	SkuCode               string
	LocalizationKey       string // of its LocalizedProductDescription; may differ from SkuCode
	SettingDefinitions    []SettingDefinition
	Maximum               Price
	Minimum               Price
	CommissionRate        Decimal // a fraction: 0.07 is 7 %
	ProcessingMode        ProcessingMode
	RedemptionMechanism   RedemptionMechanism
	Benefits              []string
	ValidityPeriodIso     string `json:",omitempty"` // read with ParseDuration
	UatNumber             string // a test number: nothing is deducted, its last digit picks the outcome
	AdditionalInformation string `json:",omitempty"`
	DefaultDisplayText    string
	RegionCode            string
	PaymentTypes          []string
	LookupBillsRequired   bool `json:",omitempty"`
}

// SettingDefinition is a setting a provider asks for. Name goes verbatim into SendTransferRequest.Settings;
// Description labels its form field.
type SettingDefinition struct {
	Name        string
	Description string
	IsMandatory bool
}

// Price is what is sent and received. The provider receives SendValue −
// CustomerFee; the balance falls by SendValue + DistributorFee. Both fees are
// in the agent's currency (INTERFACE.md, Price record).
type Price struct {
	CustomerFee              Decimal
	DistributorFee           Decimal
	ReceiveValue             Decimal // in ReceiveCurrencyIso
	ReceiveCurrencyIso       string
	ReceiveValueExcludingTax Decimal        // in ReceiveCurrencyIso
	TaxRate                  Decimal        `json:",omitempty"`
	TaxName                  string         `json:",omitempty"`
	TaxCalculation           TaxCalculation `json:",omitempty"`
	SendValue                Decimal        // in SendCurrencyIso
	SendCurrencyIso          string
}

// clean makes its texts such as can be stored. It reads no JSON itself: that would cost a catalogue's decoding a third.
func (p *Price) clean() {
	if p == nil {
		return
	}
	p.ReceiveCurrencyIso, p.SendCurrencyIso = storable(p.ReceiveCurrencyIso), storable(p.SendCurrencyIso)
	p.TaxName, p.TaxCalculation = storable(p.TaxName), storable(p.TaxCalculation)
}

// LocalizedProductDescription is a product's text in one language (CommonMark),
// joined by LocalizationKey.
type LocalizedProductDescription struct {
	DisplayText         string
	DescriptionMarkdown string `json:",omitempty"`
	ReadMoreMarkdown    string `json:",omitempty"`
	LocalizationKey     string
	LanguageCode        string
}

// Promotion is a provider's offer. Without an end, EndUtc is in the year 9999. MinimumSendAmount is in
// CurrencyIso.
type Promotion struct {
	ProviderCode      string
	StartUtc          Time
	EndUtc            Time
	CurrencyIso       string
	ValidityPeriodIso string `json:",omitempty"`
	MinimumSendAmount Decimal
	LocalizationKey   string
}

// LocalizedPromotionDescription is a promotion's text in one language. Dates are separated by semicolons;
// blank means ongoing.
type LocalizedPromotionDescription struct {
	Dates                      string
	Headline                   string
	TermsAndConditionsMarkDown string
	BonusValidity              string
	PromotionType              string
	LocalizationKey            string
	LanguageCode               string
	SendAmounts                []PromotionSendAmount
}

// PromotionSendAmount is a range of send amounts and what they earn.
type PromotionSendAmount struct {
	Minimum Decimal
	Maximum Decimal
	Bonuses []PromotionBonus
}

// PromotionBonus is one bonus. BonusType is "+", "%", "x", "MB", "GB", "SMS"
// or one added later; Validity is in days.
type PromotionBonus struct {
	BonusType string
	Quantity  Decimal
	Validity  int
}

// AccountLookup is a provider and region an account number may belong to.
type AccountLookup struct {
	ProviderCode string
	RegionCode   string
}

// ErrorDescription is a message for the agent, not for customers.
type ErrorDescription struct {
	Message string
	Code    string
}

// GetAccountLookupResponse has ResultCode 1 if providers were found, 2 with
// CodeNearestMatch and no Items if only the country is known; ResultCode 4
// arrives as an *Error (FACTS.md, Behaviour).
type GetAccountLookupResponse struct {
	List[AccountLookup]
	CountryIso              string `json:",omitempty"`
	AccountNumberNormalized string `json:",omitempty"` // E.164 without "+"
}

// GetBalanceResponse is the agent's balance, in CurrencyIso, including
// commission and excluding transfers still in work.
type GetBalanceResponse struct {
	Envelope
	Balance     Decimal
	CurrencyIso string
}
