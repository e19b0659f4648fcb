package catalogue

import (
	_ "embed" // the tables are files beside this one
	"fmt"
	"strconv"
	"strings"
)

//go:embed countries.txt
var countriesTable string

//go:embed currencies.txt
var currenciesTable string

//go:embed regions.txt
var regionsTable string

//go:embed markets.txt
var marketsTable string

// nation is a row of countries.txt.
type nation struct {
	iso, name, currency string
	others              []string
	prefixes            []string
	least, most         int // digits after the prefix
}

// rate is a row of currencies.txt: units for one euro.
type rate struct {
	name  string
	units Decimal
	whole bool
}

// worth returns about so many euros in the currency, in amounts people pay.
func (r rate) worth(euros Decimal) Decimal {
	step := Cent
	if r.whole {
		step = Unit
	}
	return mulDiv(euros, r.units, Unit, step, nearest)
}

// brand is a row of markets.txt.
type brand struct{ country, kind, name, detail string }

// world is everything the tables hold.
type world struct {
	nations []*nation
	byISO   map[string]*nation
	rates   map[string]rate
	regions map[string][]Region
	brands  []brand
}

// rows splits a table into its fields, without comments.
func rows(table string, fields int) ([][]string, error) {
	var all [][]string
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "|")
		if len(row) != fields {
			return nil, fmt.Errorf("table row %q has not %d fields", line, fields)
		}
		all = append(all, row)
	}
	return all, nil
}

func readWorld() (*world, error) {
	w := &world{byISO: map[string]*nation{}, rates: map[string]rate{}, regions: map[string][]Region{}}
	for _, read := range []func() error{w.readRates, w.readNations, w.readRegions, w.readBrands} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *world) readRates() error {
	table, err := rows(currenciesTable, 4)
	if err != nil {
		return err
	}
	for _, row := range table {
		units, err := ParseDecimal(row[2])
		if err != nil {
			return fmt.Errorf("rate of %s: %w", row[0], err)
		}
		w.rates[row[0]] = rate{name: row[1], units: units, whole: row[3] == "whole"}
	}
	return nil
}

func (w *world) readNations() error {
	table, err := rows(countriesTable, 6)
	if err != nil {
		return err
	}
	for _, row := range table {
		n := &nation{iso: row[0], name: row[1], currency: row[3]}
		if row[2] != "" {
			n.others = strings.Split(row[2], ";")
		}
		if row[4] != "" {
			n.prefixes = strings.Split(row[4], ",")
		}
		least, most, _ := strings.Cut(row[5], "-")
		if n.least, err = strconv.Atoi(least); err != nil {
			return fmt.Errorf("length of %s: %w", n.iso, err)
		}
		if n.most, err = strconv.Atoi(most); err != nil {
			return fmt.Errorf("length of %s: %w", n.iso, err)
		}
		w.nations, w.byISO[n.iso] = append(w.nations, n), n
	}
	return nil
}

func (w *world) readRegions() error {
	table, err := rows(regionsTable, 3)
	if err != nil {
		return err
	}
	for _, row := range table {
		w.regions[row[0]] = append(w.regions[row[0]], Region{CountryIso: row[0], RegionCode: row[1], RegionName: row[2]})
	}
	for _, n := range w.nations {
		if len(w.regions[n.iso]) == 0 {
			w.regions[n.iso] = []Region{{CountryIso: n.iso, RegionCode: n.iso, RegionName: n.name}}
		}
	}
	return nil
}

func (w *world) readBrands() error {
	table, err := rows(marketsTable, 4)
	if err != nil {
		return err
	}
	for _, row := range table {
		w.brands = append(w.brands, brand{country: row[0], kind: row[1], name: row[2], detail: row[3]})
	}
	return nil
}

// country returns the Country record of a nation.
func (w *world) country(n *nation) Country {
	c := Country{CountryIso: n.iso, CountryName: n.name, InternationalDialingInformation: []DialingInfo{}, RegionCodes: []string{}}
	for _, prefix := range n.prefixes {
		c.InternationalDialingInformation = append(c.InternationalDialingInformation,
			DialingInfo{Prefix: prefix, MinimumLength: len(prefix) + n.least, MaximumLength: len(prefix) + n.most})
	}
	for _, region := range w.regions[n.iso] {
		c.RegionCodes = append(c.RegionCodes, region.RegionCode)
	}
	return c
}
