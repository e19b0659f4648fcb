package catalog

import (
	"errors"
	"strings"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/money"
	"airtill/internal/phone"
	"airtill/internal/store"
)

func countryFrom(w *apiclient.Country) Country {
	c := Country{ISO: strings.ToUpper(w.CountryIso), Name: w.CountryName, Regions: w.RegionCodes}
	for _, d := range w.InternationalDialingInformation {
		c.Dialing = append(c.Dialing, Dialing{
			Prefix: phone.Digits(d.Prefix), MinimumLength: d.MinimumLength, MaximumLength: d.MaximumLength,
		})
	}
	return c
}

func currencyFrom(w *apiclient.Currency) Currency {
	return Currency{ISO: money.Currency(w.CurrencyIso), Name: w.CurrencyName}
}

func regionFrom(w *apiclient.Region) Region {
	return Region{Code: w.RegionCode, Name: w.RegionName, Country: w.CountryIso}
}

func providerFrom(w *apiclient.Provider) Provider {
	return Provider{
		Code: w.ProviderCode, Country: strings.ToUpper(w.CountryIso), Name: w.Name, ShortName: w.ShortName,
		ValidationRegex: w.ValidationRegex, CustomerCareNumber: w.CustomerCareNumber,
		Regions: w.RegionCodes, PaymentTypes: w.PaymentTypes, LogoURL: w.LogoUrl,
	}
}

func statusFrom(w *apiclient.ProviderStatus) Status {
	return Status{Provider: w.ProviderCode, Processing: w.IsProcessingTransfers, Message: w.Message}
}

func textFrom(w *apiclient.LocalizedProductDescription) Text {
	return Text{
		LocalizationKey: w.LocalizationKey, Language: w.LanguageCode,
		DisplayText: w.DisplayText, Description: w.DescriptionMarkdown, ReadMore: w.ReadMoreMarkdown,
	}
}

func errorFrom(w *apiclient.ErrorDescription) ErrorText {
	return ErrorText{Code: w.Code, Message: w.Message}
}

// promotionFrom reads a promotion. With an unreadable start it has begun, with an unreadable end it has ended:
// a promise that may be over is not shown.
func promotionFrom(w *apiclient.Promotion) Promotion {
	p := Promotion{
		LocalizationKey: w.LocalizationKey, Provider: w.ProviderCode, Validity: w.ValidityPeriodIso,
		Currency: money.Currency(w.CurrencyIso), StartsAt: moment(w.StartUtc), EndsAt: moment(w.EndUtc),
	}
	if minimum, err := w.MinimumSendAmount.Amount(p.Currency); err == nil {
		p.MinimumSendMicros = minimum.Micros()
	}
	p.ID = strings.Join([]string{w.LocalizationKey, w.ProviderCode, p.StartsAt.Format(time.RFC3339)}, "/")
	return p
}

func moment(w apiclient.Time) time.Time {
	at, err := w.Time()
	if err != nil {
		return time.Time{}
	}
	return store.Moment(at)
}

func promotionTextFrom(w *apiclient.LocalizedPromotionDescription) PromotionText {
	t := PromotionText{
		LocalizationKey: w.LocalizationKey, Language: w.LanguageCode, Dates: w.Dates, Headline: w.Headline,
		Terms: w.TermsAndConditionsMarkDown, BonusValidity: w.BonusValidity, Type: w.PromotionType,
	}
	for _, a := range w.SendAmounts {
		amount := SendAmount{Minimum: string(a.Minimum), Maximum: string(a.Maximum)}
		for _, b := range a.Bonuses {
			amount.Bonuses = append(amount.Bonuses, Bonus{
				Type: b.BonusType, Quantity: string(b.Quantity), Days: b.Validity,
			})
		}
		t.SendAmounts = append(t.SendAmounts, amount)
	}
	return t
}

// productFrom reads a product. One that cannot be sold is stored with the reason, so that one bad row never
// fails a sync.
func productFrom(w *apiclient.Product) Product {
	p := Product{
		SKU: w.SkuCode, Provider: w.ProviderCode, LocalizationKey: w.LocalizationKey,
		ProcessingMode: string(w.ProcessingMode), Redemption: string(w.RedemptionMechanism),
		Benefits: w.Benefits, PaymentTypes: w.PaymentTypes, Region: w.RegionCode, Validity: w.ValidityPeriodIso,
		UATNumber: strings.TrimSpace(w.UatNumber), DisplayText: w.DefaultDisplayText,
		AdditionalInformation: w.AdditionalInformation,
		LookupBillsRequired:   w.LookupBillsRequired, CommissionRate: string(w.CommissionRate),
	}
	for _, setting := range w.SettingDefinitions {
		p.Settings = append(p.Settings, Setting{
			Name: setting.Name, Description: setting.Description, Mandatory: setting.IsMandatory,
		})
	}
	p.Kind = kindOf(&p)
	var minErr, maxErr error
	p.Minimum, minErr = priceFrom(&w.Minimum)
	p.Maximum, maxErr = priceFrom(&w.Maximum)
	p.Unsellable = unsellable(&p, errors.Join(minErr, maxErr))
	return p
}

// priceFrom reads every amount it can and names those it could not.
func priceFrom(w *apiclient.Price) (Price, error) {
	p := Price{
		SendCurrency: money.Currency(w.SendCurrencyIso), ReceiveCurrency: money.Currency(w.ReceiveCurrencyIso),
		TaxRate: string(w.TaxRate), TaxName: w.TaxName, TaxCalculation: string(w.TaxCalculation),
	}
	var errs []error
	read := func(to *int64, from apiclient.Decimal, currency money.Currency) {
		amount, err := from.Amount(currency)
		*to = amount.Micros()
		errs = append(errs, err)
	}
	optional := func(to *int64, from apiclient.Decimal, currency money.Currency) {
		if from != "" {
			read(to, from, currency)
		}
	}
	read(&p.SendMicros, w.SendValue, p.SendCurrency)
	read(&p.ReceiveMicros, w.ReceiveValue, p.ReceiveCurrency)
	optional(&p.ReceiveNetMicros, w.ReceiveValueExcludingTax, p.ReceiveCurrency)
	optional(&p.CustomerFeeMicros, w.CustomerFee, p.SendCurrency)
	optional(&p.DistributorFeeMicros, w.DistributorFee, p.SendCurrency)
	if w.ReceiveValueExcludingTax == "" {
		p.ReceiveNetMicros = p.ReceiveMicros
	}
	return p, errors.Join(errs...)
}

// unsellable says why a product is withheld from sale; "": it is not.
func unsellable(p *Product, amounts error) string {
	_, rate := money.Rate(p.CommissionRate)
	low, high := p.Minimum, p.Maximum
	switch {
	case p.SKU == "" || p.Provider == "":
		return "no SKU or provider"
	case errors.Is(amounts, money.ErrTooFine):
		return "an amount is finer than a millionth"
	case amounts != nil:
		return "an amount cannot be read"
	case low.SendMicros <= 0 || high.SendMicros < low.SendMicros:
		return "the send values are no range above zero"
	case low.ReceiveMicros < 0 || high.ReceiveMicros < low.ReceiveMicros:
		return "the receive values are no range"
	case low.absurdFee() || high.absurdFee():
		return "a fee is negative or exceeds the price"
	case !low.SendCurrency.Valid() || low.SendCurrency != high.SendCurrency || low.ReceiveCurrency !=
		high.ReceiveCurrency:
		return "the currencies are unknown or differ"
	case p.CommissionRate != "" && rate != nil:
		return "the commission cannot be read"
	}
	return ""
}

func (p Price) absurdFee() bool {
	return p.CustomerFeeMicros < 0 || p.DistributorFeeMicros < 0 || p.CustomerFeeMicros > p.SendMicros
}
