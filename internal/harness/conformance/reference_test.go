package conformance_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/money"
)

// market is all reference data as the client reads it, by code.
type market struct {
	countries  map[string]apiclient.Country
	currencies map[string]apiclient.Currency
	regions    map[string]apiclient.Region
	providers  map[string]apiclient.Provider
	states     map[string]apiclient.ProviderStatus
	english    map[string]apiclient.LocalizedProductDescription
}

func by[T any](t *testing.T, items []T, err error, code func(T) string) map[string]T {
	t.Helper()
	require.NoError(t, err)
	all := map[string]T{}
	for _, item := range items {
		require.NotContains(t, all, code(item), "twice")
		all[code(item)] = item
	}
	require.NotEmpty(t, all)
	return all
}

func (b *bench) market(t *testing.T) (m market) {
	t.Helper()
	countries, err := b.GetCountries(t.Context())
	m.countries = by(t, countries.Items, err, func(c apiclient.Country) string { return c.CountryIso })
	currencies, err := b.GetCurrencies(t.Context())
	m.currencies = by(t, currencies.Items, err, func(c apiclient.Currency) string { return c.CurrencyIso })
	regions, err := b.GetRegions(t.Context(), apiclient.RegionFilter{})
	m.regions = by(t, regions.Items, err, func(r apiclient.Region) string { return r.RegionCode })
	providers, err := b.GetProviders(t.Context(), apiclient.ProviderFilter{})
	m.providers = by(t, providers.Items, err, func(p apiclient.Provider) string { return p.ProviderCode })
	states, err := b.GetProviderStatus(t.Context(), apiclient.ProviderStatusFilter{})
	m.states = by(t, states.Items, err, func(s apiclient.ProviderStatus) string { return s.ProviderCode })
	texts, err := b.GetProductDescriptions(t.Context(), apiclient.ProductDescriptionFilter{LanguageCodes: []string{"en"}})
	m.english = by(t, texts.Items, err, func(d apiclient.LocalizedProductDescription) string { return d.LocalizationKey })
	return m
}

// Whatever one resource names is there in the other, and reads as what it is.
func TestReferenceDataHangsTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	m := b.market(t)
	require.Contains(t, m.countries, apiclient.CountryAll)
	for iso, country := range m.countries {
		require.NotEmpty(t, country.CountryName)
		for _, info := range country.InternationalDialingInformation {
			require.GreaterOrEqual(t, info.MinimumLength, len(info.Prefix), iso)
			require.GreaterOrEqual(t, info.MaximumLength, info.MinimumLength, iso)
		}
		for _, region := range country.RegionCodes {
			require.Equal(t, iso, m.regions[region].CountryIso)
		}
	}
	caring := 0
	for code, p := range m.providers {
		if p.CustomerCareNumber != "" {
			caring++
		}
		require.Contains(t, m.countries, p.CountryIso)
		require.Contains(t, m.states, code)
		require.NotEmpty(t, p.ValidationRegex)
		for _, region := range p.RegionCodes {
			require.Equal(t, p.CountryIso, m.regions[region].CountryIso, "a provider trades in one country")
		}
	}
	require.Positive(t, caring, "some name a customer care number")
	for iso, currency := range m.currencies {
		require.Len(t, iso, 3)
		require.NotEmpty(t, currency.CurrencyName, iso)
	}
	products, err := b.GetProducts(t.Context(), apiclient.ProductFilter{})
	require.NoError(t, err)
	everywhere, err := b.GetProducts(t.Context(), apiclient.ProductFilter{CountryIsos: []string{apiclient.CountryAll}})
	require.NoError(t, err)
	require.NotEmpty(t, everywhere.Items)
	for _, p := range everywhere.Items {
		require.Equal(t, apiclient.CountryAll, m.providers[p.ProviderCode].CountryIso, "%s is for all countries", p.SkuCode)
	}
	somewhere, err := b.GetProducts(t.Context(), apiclient.ProductFilter{CountryIsos: []string{"IE"}})
	require.NoError(t, err)
	for _, p := range somewhere.Items {
		require.Equal(t, "IE", m.providers[p.ProviderCode].CountryIso, "%s is not for all countries", p.SkuCode)
	}
	for _, p := range by(t, products.Items, err, func(p apiclient.Product) string { return p.SkuCode }) {
		m.holds(t, p)
	}
}

// holds checks a product against the rest of the market.
func (m market) holds(t *testing.T, p apiclient.Product) {
	t.Helper()
	provider, known := m.providers[p.ProviderCode]
	require.True(t, known, p.SkuCode)
	require.True(t, p.RegionCode == "" || slices.Contains(provider.RegionCodes, p.RegionCode), p.SkuCode)
	require.NotEmpty(t, m.english[p.LocalizationKey].DisplayText, p.SkuCode)
	require.NotEmpty(t, p.UatNumber, p.SkuCode)
	require.Contains(t, []apiclient.ProcessingMode{apiclient.ModeInstant, apiclient.ModeBatch}, p.ProcessingMode)
	require.Contains(t, []apiclient.RedemptionMechanism{
		apiclient.RedeemImmediate, apiclient.RedeemReadReceipt, apiclient.RedeemReadAdditionalInformation,
	}, p.RedemptionMechanism)
	if p.RedemptionMechanism == apiclient.RedeemReadAdditionalInformation {
		require.NotEmpty(t, p.AdditionalInformation, p.SkuCode)
	}
	if p.ValidityPeriodIso != "" {
		_, err := apiclient.ParseDuration(p.ValidityPeriodIso)
		require.NoError(t, err, p.SkuCode)
	}
	rate, err := p.CommissionRate.Rate()
	require.NoError(t, err, p.SkuCode)
	require.False(t, rate.IsNegative())
	for _, price := range []apiclient.Price{p.Minimum, p.Maximum} {
		for _, currency := range []string{price.SendCurrencyIso, price.ReceiveCurrencyIso} {
			require.Contains(t, m.currencies, currency, p.SkuCode)
		}
		send, err := price.SendValue.Amount(money.Currency(price.SendCurrencyIso))
		require.NoError(t, err)
		fee, err := price.CustomerFee.Amount(send.Currency())
		require.NoError(t, err)
		left, err := send.Sub(fee)
		require.NoError(t, err)
		require.Equal(t, 1, left.Sign(), "the customer fee is in the send value of %s", p.SkuCode)
		require.True(t, price.TaxCalculation == "" || price.TaxCalculation == apiclient.TaxInclusive || price.TaxCalculation == apiclient.TaxExclusive)
	}
}

func TestPromotionsHaveTheirTexts(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	texts, err := b.GetPromotionDescriptions(t.Context(), apiclient.PromotionDescriptionFilter{LanguageCodes: []string{"en"}})
	english := by(t, texts.Items, err, func(d apiclient.LocalizedPromotionDescription) string { return d.LocalizationKey })
	promotions, err := b.GetPromotions(t.Context(), apiclient.PromotionFilter{})
	require.NoError(t, err)
	require.NotEmpty(t, promotions.Items)
	for _, p := range promotions.Items {
		begin, err := p.StartUtc.Time()
		require.NoError(t, err)
		end, err := p.EndUtc.Time()
		require.NoError(t, err)
		require.True(t, begin.Before(end))
		if p.ValidityPeriodIso != "" {
			_, err = apiclient.ParseDuration(p.ValidityPeriodIso)
			require.NoError(t, err)
		}
		text := english[p.LocalizationKey]
		require.NotEmpty(t, text.Headline)
		require.Equal(t, end.Year() == 9999, text.Dates == "", "blank dates mean: still going on")
		for _, amount := range text.SendAmounts {
			for _, bonus := range amount.Bonuses {
				require.Contains(t, []string{"+", "%", "x", "MB", "GB", "SMS"}, bonus.BonusType)
				require.Positive(t, bonus.Validity)
			}
		}
	}
}
