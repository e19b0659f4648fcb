// Package catalogue makes what the simulator sells: countries, providers,
// products, prices, texts and promotions.
//
// The data is either the simulator's own market of invented brands, the same
// from the same seed, or derived from a list of products. Country names,
// dialing prefixes, number lengths and currencies are real; exchange rates are
// plausible constants. The exported types are the records of the interface
// document, section "Resources and their fields", and encode to its JSON.
package catalogue
