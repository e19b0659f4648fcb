package report

import (
	"slices"

	"airtill/internal/money"
)

// Dimension is what sales can be split or filtered by.
type Dimension string

// The dimensions.
const (
	ByShop     Dimension = "shop"
	ByDay      Dimension = "day"
	ByMonth    Dimension = "month"
	BySlot     Dimension = "slot" // weekday × 24 + hour, Sunday first
	ByCountry  Dimension = "country"
	ByProvider Dimension = "provider"
	ByKind     Dimension = "kind"
	ByProduct  Dimension = "product"
	ByTill     Dimension = "till"
	ByCashier  Dimension = "cashier"
	ByReason   Dimension = "reason"
	ByWeek     Dimension = "week" // of what limits stopped
	ByRule     Dimension = "rule" // the limit that stopped
)

// columns names the column of each dimension in a query's rows.
var columns = map[Dimension]string{
	ByShop: "shop_id", ByDay: "day", ByMonth: "day", BySlot: "slot", ByCountry: "country", ByProvider: "provider",
	ByKind:    "kind",
	ByProduct: "sku", ByTill: "till_id", ByCashier: "cashier_id", ByReason: "reason",
}

// cube is a set of dimensions that sums are stored for. One cube of all dimensions would have nearly as many
// rows as there are sales.
type cube string

const (
	total    cube = "total"
	hours    cube = "hours"
	brands   cube = "brands"
	goods    cube = "goods"
	cashiers cube = "staff"
	people   cube = "people"
	reasons  cube = "reasons"  // failed sales only
	failures cube = "failures" // likewise
)

// always are in every cube.
var always = []Dimension{ByShop, ByDay, ByMonth}

// shared are the cubes stored for all shops together, too. People belong to one shop, so summing theirs gains
// nothing.
var shared = []cube{total, hours, brands, goods, reasons, failures}

// cubes lists what each cube splits by, the smallest cube first.
var cubes = []struct {
	cube  cube
	holds []Dimension
}{
	{total, nil},
	{hours, []Dimension{BySlot}},
	{brands, []Dimension{ByCountry, ByProvider, ByKind}},
	{cashiers, []Dimension{ByTill, ByCashier}},
	{reasons, []Dimension{ByReason}},
	{people, []Dimension{ByTill, ByCashier, ByCountry, ByProvider}},
	{goods, []Dimension{ByCountry, ByProvider, ByKind, ByProduct}},
	{failures, []Dimension{ByCountry, ByProvider, ByReason}},
}

func everyCube() []cube {
	var all []cube
	for _, c := range cubes {
		all = append(all, c.cube)
	}
	return all
}

// cubeFor returns the smallest cube with all the dimensions, and false if there is none.
func cubeFor(dimensions []Dimension) (cube, bool) {
	for _, c := range cubes {
		unknown := func(d Dimension) bool { return !slices.Contains(always, d) && !slices.Contains(c.holds, d) }
		if !slices.ContainsFunc(dimensions, unknown) {
			return c.cube, true
		}
	}
	return "", false
}

// key is what a row of a cube sums, within its shop and time.
type key struct {
	cube                         cube
	slot                         int
	country, provider, kind, sku string
	till, cashier, reason        string
	priceCurrency, sendCurrency  money.Currency
}

// keysOf returns the rows a sale belongs to, one in each cube.
func keysOf(s soldRow, slot int) []key {
	base := key{priceCurrency: s.priceCurrency, sendCurrency: s.sendCurrency}
	in := func(c cube, set func(*key)) key {
		k := base
		k.cube = c
		set(&k)
		return k
	}
	keys := []key{
		in(total, func(*key) {}),
		in(hours, func(k *key) { k.slot = slot }),
		in(brands, func(k *key) { k.country, k.provider, k.kind = s.country, s.provider, s.kind }),
		in(cashiers, func(k *key) { k.till, k.cashier = s.till, s.cashier }),
		in(goods, func(k *key) { k.country, k.provider, k.kind, k.sku = s.country, s.provider, s.kind, s.sku }),
		in(people, func(k *key) {
			k.country, k.provider, k.till, k.cashier = s.country, s.provider, s.till, s.cashier
		}),
	}
	if s.failed() {
		keys = append(keys,
			in(reasons, func(k *key) { k.reason = s.reason() }),
			in(failures, func(k *key) { k.country, k.provider, k.reason = s.country, s.provider, s.reason() }))
	}
	return keys
}
