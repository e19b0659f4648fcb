package locale

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// MobileOf says "an Irish mobile" of a country (ISO 3166-1 alpha-2), and what comes
// nearest to it where the language has no such word here.
func (l Locale) MobileOf(country string) string {
	if adjective := englishAdjectives[country]; adjective != "" && l.Speaks("en") {
		article := "a "
		if strings.ContainsRune("AEIO", rune(adjective[0])) {
			article = "an "
		}
		return article + adjective + " mobile"
	}
	region, err := language.ParseRegion(country)
	if err != nil {
		return l.Text("number.mobileOf", country)
	}
	return l.Text("number.mobileOf", display.Regions(l.tag).Name(region))
}

// englishAdjectives are what English calls what is of a country.
var englishAdjectives = map[string]string{
	"AE": "UAE", "AF": "Afghan", "AL": "Albanian", "AM": "Armenian", "AO": "Angolan", "AR": "Argentinian",
	"AT": "Austrian", "AU": "Australian", "AZ": "Azerbaijani", "BA": "Bosnian", "BB": "Barbadian",
	"BD": "Bangladeshi", "BE": "Belgian", "BG": "Bulgarian", "BH": "Bahraini", "BJ": "Beninese", "BO": "Bolivian",
	"BR": "Brazilian", "CA": "Canadian", "CH": "Swiss", "CI": "Ivorian", "CL": "Chilean", "CM": "Cameroonian",
	"CN": "Chinese", "CO": "Colombian", "CR": "Costa Rican", "CU": "Cuban", "CY": "Cypriot", "CZ": "Czech",
	"DE": "German", "DK": "Danish", "DO": "Dominican", "DZ": "Algerian", "EC": "Ecuadorian", "EE": "Estonian",
	"EG": "Egyptian", "ES": "Spanish", "ET": "Ethiopian", "FI": "Finnish", "FJ": "Fijian", "FR": "French",
	"GB": "British", "GE": "Georgian", "GH": "Ghanaian", "GM": "Gambian", "GN": "Guinean", "GR": "Greek",
	"GT": "Guatemalan", "GY": "Guyanese", "HK": "Hong Kong", "HN": "Honduran", "HR": "Croatian", "HT": "Haitian",
	"HU": "Hungarian", "ID": "Indonesian", "IE": "Irish", "IL": "Israeli", "IN": "Indian", "IQ": "Iraqi",
	"IR": "Iranian", "IS": "Icelandic", "IT": "Italian", "JM": "Jamaican", "JO": "Jordanian", "JP": "Japanese",
	"KE": "Kenyan", "KH": "Cambodian", "KR": "Korean", "KW": "Kuwaiti", "KZ": "Kazakh", "LA": "Lao", "LB": "Lebanese",
	"LK": "Sri Lankan", "LR": "Liberian", "LT": "Lithuanian", "LV": "Latvian", "LY": "Libyan", "MA": "Moroccan",
	"MD": "Moldovan", "MG": "Malagasy", "MK": "Macedonian", "ML": "Malian", "MM": "Burmese", "MN": "Mongolian",
	"MR": "Mauritanian", "MT": "Maltese", "MU": "Mauritian", "MW": "Malawian", "MX": "Mexican", "MY": "Malaysian",
	"MZ": "Mozambican", "NA": "Namibian", "NE": "Nigerien", "NG": "Nigerian", "NI": "Nicaraguan", "NL": "Dutch",
	"NO": "Norwegian", "NP": "Nepalese", "NZ": "New Zealand", "OM": "Omani", "PA": "Panamanian", "PE": "Peruvian",
	"PH": "Philippine", "PK": "Pakistani", "PL": "Polish", "PS": "Palestinian", "PT": "Portuguese",
	"PY": "Paraguayan", "QA": "Qatari", "RO": "Romanian", "RS": "Serbian", "RU": "Russian", "RW": "Rwandan",
	"SA": "Saudi", "SD": "Sudanese", "SE": "Swedish", "SG": "Singaporean", "SI": "Slovenian", "SK": "Slovak",
	"SL": "Sierra Leonean", "SN": "Senegalese", "SO": "Somali", "SV": "Salvadoran", "SY": "Syrian", "TD": "Chadian",
	"TG": "Togolese", "TH": "Thai", "TN": "Tunisian", "TR": "Turkish", "TT": "Trinidadian", "TZ": "Tanzanian",
	"UA": "Ukrainian", "UG": "Ugandan", "US": "US", "UY": "Uruguayan", "UZ": "Uzbek", "VE": "Venezuelan",
	"VN": "Vietnamese", "YE": "Yemeni", "ZA": "South African", "ZM": "Zambian", "ZW": "Zimbabwean",
}
