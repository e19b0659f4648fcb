package catalog

import (
	"time"

	"airtill/internal/money"
)

// Country is a country products can be delivered to. ISO is ISO 3166-1 alpha-2, or XG for products available
// in all countries (INTERFACE.md, Country).
type Country struct {
	ISO     string    `gorm:"primaryKey;column:iso"`
	Name    string    // English
	Dialing []Dialing `gorm:"serializer:json;not null"`
	Regions []string  `gorm:"serializer:json;not null"`
}

// Dialing is an international dialing prefix; both lengths, in digits, count
// the prefix (FACTS.md, InternationalDialingInfo).
type Dialing struct {
	Prefix        string
	MinimumLength int
	MaximumLength int
}

// Currency is an ISO 4217 currency and its English name.
type Currency struct {
	ISO  money.Currency `gorm:"primaryKey;column:iso"`
	Name string
}

// Region is a part of a country.
type Region struct {
	Code    string `gorm:"primaryKey"`
	Name    string
	Country string
}

// Provider is an operator, a utility or a brand, in one country.
type Provider struct {
	Code               string `gorm:"primaryKey"`
	Country            string
	Name               string   // may include the country
	ShortName          string   // may be the same in several countries; "": none
	ValidationRegex    string   // .NET dialect; see Snapshot.Accepts
	CustomerCareNumber string   // "" if none
	Regions            []string `gorm:"serializer:json;not null"`
	PaymentTypes       []string `gorm:"serializer:json;not null"`
	LogoURL            string   `gorm:"column:logo_url"` // "": none; browsers must never load it directly
}

// Status says whether a provider takes transfers. Message is the upstream's text for the agent, plain and in
// one language.
type Status struct {
	Provider   string `gorm:"primaryKey"`
	Processing bool
	Message    string
}

// Text is a product's text in one language. Description and ReadMore are raw CommonMark from upstream: render
// and sanitise them.
type Text struct {
	LocalizationKey string `gorm:"primaryKey"`
	Language        string `gorm:"primaryKey"`
	DisplayText     string
	Description     string
	ReadMore        string
}

// Promotion is an offer of a provider, from StartsAt until EndsAt (year 9999 if
// it has no end).
type Promotion struct {
	ID                string `gorm:"primaryKey"`
	LocalizationKey   string
	Provider          string
	StartsAt          time.Time
	EndsAt            time.Time
	Validity          string // ISO 8601 duration, "" if none
	MinimumSendMicros int64  // the smallest send value that earns it
	Currency          money.Currency
}

// Endless says whether the promotion has no end: the upstream writes the year 9999.
func (p *Promotion) Endless() bool { return p.EndsAt.Year() == 9999 }

// ActiveAt says whether the promotion runs at a time.
func (p *Promotion) ActiveAt(at time.Time) bool {
	return !at.Before(p.StartsAt) && at.Before(p.EndsAt)
}

// PromotionText is a promotion's text in one language. Terms is raw CommonMark
// from upstream; Dates are separated by semicolons, "" means ongoing.
type PromotionText struct {
	LocalizationKey string `gorm:"primaryKey"`
	Language        string `gorm:"primaryKey"`
	Dates           string
	Headline        string
	Terms           string
	BonusValidity   string
	Type            string
	SendAmounts     []SendAmount `gorm:"serializer:json;not null"`
}

// SendAmount is a range of send amounts, in decimal text, and what it earns.
type SendAmount struct {
	Minimum string
	Maximum string
	Bonuses []Bonus
}

// Bonus is what a promotion adds: Type is +, %, x, MB, GB, SMS or something new;
// Quantity is decimal text.
type Bonus struct {
	Type     string
	Quantity string
	Days     int
}

// ErrorText is the upstream's message for an error code, for the agent and not
// for customers.
type ErrorText struct {
	Code    string `gorm:"primaryKey"`
	Message string
}
