package catalogue

import (
	"regexp"
	"time"
)

// The product fields whose values have rules: Product.ProcessingMode and
// Product.RedemptionMechanism.
const (
	Instant     = "Instant"
	Batch       = "Batch"
	Immediate   = "Immediate"
	ReadReceipt = "ReadReceipt"
	ReadMore    = "ReadAdditionalInformation"
)

// VoucherAccount is the account number that products without a recipient take
// by default.
const VoucherAccount = "0000000000"

// Price is the Price record. Fees are in agent currency; CustomerFee is inside
// SendValue, DistributorFee comes on top of it.
type Price struct {
	CustomerFee              Decimal
	DistributorFee           Decimal
	ReceiveValue             Decimal
	ReceiveCurrencyIso       string
	ReceiveValueExcludingTax Decimal
	TaxRate                  *Decimal `json:",omitempty"`
	TaxName                  *string  `json:",omitempty"`
	TaxCalculation           *string  `json:",omitempty"`
	SendValue                Decimal
	SendCurrencyIso          string
}

// DialingInfo is the InternationalDialingInfo record; both lengths count the
// prefix.
type DialingInfo struct {
	Prefix        string
	MinimumLength int
	MaximumLength int
}

// Country is the Country record.
type Country struct {
	CountryIso                      string
	CountryName                     string
	InternationalDialingInformation []DialingInfo
	RegionCodes                     []string
}

// Currency is the Currency record.
type Currency struct {
	CurrencyIso  string
	CurrencyName string
}

// Region is the Region record.
type Region struct {
	RegionCode string
	RegionName string
	CountryIso string
}

// AccountLookup is one possible provider of an account number.
type AccountLookup struct {
	ProviderCode string
	RegionCode   string
}

// Provider is the Provider record. ValidationRegex is what the agent sees;
// Accepts is what the simulator applies.
type Provider struct {
	ProviderCode       string
	CountryIso         string
	Name               string
	ShortName          string `json:",omitempty"`
	ValidationRegex    string
	CustomerCareNumber string `json:",omitempty"`
	RegionCodes        []string
	PaymentTypes       []string
	LogoURL            string `json:"LogoUrl,omitempty"`

	kind   string
	accept func() *regexp.Regexp
	uat    string
}

// Accepts says whether an account number passes the provider's expression.
func (p *Provider) Accepts(number string) bool { return p.accept().MatchString(number) }

// TakesPhones says whether the provider's accounts are phone numbers.
func (p *Provider) TakesPhones() bool { return p.kind == kindMobile || p.kind == kindBatch }

// ProviderStatus is the ProviderStatus record.
type ProviderStatus struct {
	ProviderCode          string
	IsProcessingTransfers bool
	Message               string `json:",omitempty"`
}

// SettingDefinition is a setting a provider asks for with a transfer.
type SettingDefinition struct {
	Name        string
	Description string
	IsMandatory bool
}

// Product is the Product record. A product has a fixed value when the
// SendValues of Minimum and Maximum are equal.
type Product struct {
	ProviderCode          string
	SkuCode               string
	LocalizationKey       string
	SettingDefinitions    []SettingDefinition
	Maximum               Price
	Minimum               Price
	CommissionRate        Decimal
	ProcessingMode        string
	RedemptionMechanism   string
	Benefits              []string
	ValidityPeriodIso     string `json:",omitempty"`
	UatNumber             string
	AdditionalInformation string `json:",omitempty"`
	DefaultDisplayText    string
	RegionCode            string
	PaymentTypes          []string
	LookupBillsRequired   bool
}

// Fixed says whether the product has one price.
func (p *Product) Fixed() bool { return p.Minimum.SendValue == p.Maximum.SendValue }

// UAT says whether the number is one of the product's test accounts: its
// UatNumber with any last digit, which picks the outcome.
func (p *Product) UAT(number string) bool {
	last := len(p.UatNumber) - 1
	return len(number) == last+1 && number[:last] == p.UatNumber[:last] && number[last] >= '0' && number[last] <= '9'
}

// Promotion is the Promotion record. One without an end ends in year 9999.
type Promotion struct {
	ProviderCode      string
	StartUtc          time.Time
	EndUtc            time.Time
	CurrencyIso       string
	ValidityPeriodIso string `json:",omitempty"`
	MinimumSendAmount Decimal
	LocalizationKey   string
}

// ProductText is the LocalizedProductDescription record.
type ProductText struct {
	DisplayText         string
	DescriptionMarkdown string `json:",omitempty"`
	ReadMoreMarkdown    string `json:",omitempty"`
	LocalizationKey     string
	LanguageCode        string
}

// Bonus is the PromotionBonus record; Validity counts days.
type Bonus struct {
	BonusType string
	Quantity  Decimal
	Validity  int
}

// SendAmount is the PromotionSendAmount record: what a range of send values
// earns.
type SendAmount struct {
	Minimum Decimal
	Maximum Decimal
	Bonuses []Bonus
}

// PromotionText is the LocalizedPromotionDescription record.
type PromotionText struct {
	Dates                      string
	Headline                   string
	TermsAndConditionsMarkDown string
	BonusValidity              string
	PromotionType              string
	LocalizationKey            string
	LanguageCode               string
	SendAmounts                []SendAmount
}
