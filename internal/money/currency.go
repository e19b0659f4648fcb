package money

import (
	"maps"
	"slices"

	"golang.org/x/text/currency"
)

// Currency is an ISO 4217 code such as "EUR". Codes this program does not know stay as they came.
type Currency string

// currencyDecimals lists the currencies whose minor unit is not a hundredth
// (ISO 4217, list one).
var currencyDecimals = map[Currency]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0,
	"PYG": 0, "RWF": 0, "UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

// Decimals returns the number of decimals of the currency's minor unit: 2 for EUR, 0 for JPY, 3 for KWD, and 2
// for codes not listed.
func (c Currency) Decimals() int {
	if n, ok := currencyDecimals[c]; ok {
		return n
	}
	return 2
}

// Coin is the currency's minor unit in micros: 10,000 for EUR, a whole unit for JPY.
func (c Currency) Coin() int64 {
	coin := int64(Scale)
	for range c.Decimals() {
		coin /= 10
	}
	return coin
}

// Valid says whether the code has the form of ISO 4217: three capital letters.
func (c Currency) Valid() bool {
	if len(c) != 3 {
		return false
	}
	for _, r := range []byte(c) {
		if r < 'A' || r > 'Z' {
			return false
		}
	}
	return true
}

// younger are currencies added to ISO 4217 since x/text made its list.
var younger = map[Currency]bool{
	"MRU": true, "SLE": true, "UYW": true, "VED": true, "VES": true, "XCG": true, "ZWG": true,
}

// Known says whether ISO 4217 has the code. What a person types must be known; the upstream may use a currency
// that this program does not know yet.
func (c Currency) Known() bool {
	_, err := currency.ParseISO(string(c))
	return c.Valid() && (err == nil || younger[c])
}

// Currencies are those in use, to choose from, by code.
func Currencies() []Currency {
	all := maps.Clone(younger)
	for inUse := currency.Query(); inUse.Next(); {
		all[Currency(inUse.Unit().String())] = true
	}
	return slices.Sorted(maps.Keys(all))
}
