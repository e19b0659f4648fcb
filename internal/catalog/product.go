package catalog

import (
	"strings"
	"unicode"

	"airtill/internal/money"
)

// Product is something that can be sold, as GetProducts describes it (INTERFACE.md, Product). Values this
// program does not know are stored as they came. A Snapshot's Products are shared: do not change them.
type Product struct {
	SKU                   string `gorm:"primaryKey;column:sku"`
	Provider              string // code of the provider
	LocalizationKey       string // of its texts; may differ from the SKU
	Kind                  Kind
	ProcessingMode        string    // Instant, Batch
	Redemption            string    // Immediate, ReadReceipt, ReadAdditionalInformation
	Benefits              []string  `gorm:"serializer:json;not null"`
	Settings              []Setting `gorm:"serializer:json;not null"`
	PaymentTypes          []string  `gorm:"serializer:json;not null"`
	Region                string    // "" for the provider's whole country
	Validity              string    // ISO 8601 duration, "" if none
	UATNumber             string    `gorm:"column:uat_number"` // transfers to it are tests and cost nothing
	DisplayText           string    // DefaultDisplayText; Snapshot.Text has it by language
	AdditionalInformation string
	LookupBillsRequired   bool
	CommissionRate        string // a fraction in decimal text, "0.07" is 7 %
	Minimum               Price  `gorm:"embedded;embeddedPrefix:min_"`
	Maximum               Price  `gorm:"embedded;embeddedPrefix:max_"`
	Unsellable            string // why it is withheld from sale; "": it is sold
}

// Price is what is sent and what is received. Fees are in the send currency; the customer's is part of what is
// sent, the distributor's comes on top (INTERFACE.md, Price record). It is stored in millionths and read as
// amounts.
type Price struct {
	SendMicros           int64
	SendCurrency         money.Currency
	ReceiveMicros        int64
	ReceiveNetMicros     int64
	ReceiveCurrency      money.Currency
	CustomerFeeMicros    int64
	DistributorFeeMicros int64
	TaxRate              string // decimal text, "" if unknown
	TaxName              string
	TaxCalculation       string // Inclusive, Exclusive; "": the provider handles tax
}

// Send returns what is paid to the upstream, SendValue.
func (p Price) Send() money.Amount { return money.Of(p.SendMicros, p.SendCurrency) }

// Receive returns what the account receives, ReceiveValue.
func (p Price) Receive() money.Amount { return money.Of(p.ReceiveMicros, p.ReceiveCurrency) }

// ReceiveExcludingTax returns what remains after tax, ReceiveValueExcludingTax.
func (p Price) ReceiveExcludingTax() money.Amount {
	return money.Of(p.ReceiveNetMicros, p.ReceiveCurrency)
}

// CustomerFee returns the part of Send that does not reach the provider.
func (p Price) CustomerFee() money.Amount { return money.Of(p.CustomerFeeMicros, p.SendCurrency) }

// DistributorFee returns what the upstream charges on top of Send.
func (p Price) DistributorFee() money.Amount {
	return money.Of(p.DistributorFeeMicros, p.SendCurrency)
}

// Fixed says whether the product has one price; otherwise any amount from Minimum to Maximum can be sent.
func (p *Product) Fixed() bool { return p.Minimum.SendMicros == p.Maximum.SendMicros }

// Instant says whether the outcome comes with the reply; Batch products, and unknown modes, take longer.
func (p *Product) Instant() bool { return p.ProcessingMode == "Instant" }

// OnReceipt says whether the purchase is read from the receipt: a PIN, a token, a code.
func (p *Product) OnReceipt() bool { return p.Redemption == "ReadReceipt" }

// TestNumber is UATNumber as sent upstream, without spaces and "+".
func (p *Product) TestNumber() string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, p.UATNumber)
}

// IsTest says whether a number is the product's test number: the upstream executes nothing for it, whatever
// its last digit, which picks the outcome.
func (p *Product) IsTest(number string) bool {
	number, test := Signs(number), Signs(p.UATNumber)
	return len(test) > 1 && len(number) == len(test) && number[:len(number)-1] == test[:len(test)-1]
}

// Signs are the digits of an account number, and its letters as capitals: nothing else tells numbers apart.
func Signs(number string) string {
	return strings.ToUpper(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, number))
}

// Addressed says whether it is for the holder of an account number. PINs and vouchers are for whoever holds
// the receipt, and sold to apiclient.DefaultPINAccountNumber; a meter's token is for that meter.
func (p *Product) Addressed() bool {
	return !p.OnReceipt() || p.Kind == KindElectricity || p.Kind == KindTV || p.Kind == KindBill
}
