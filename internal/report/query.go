package report

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Source is what a query sums.
type Source int

// The sources.
const (
	OfSales   Source = iota // Row.Measures, from the rollups
	OfDrawers               // Row.Drawer: the shifts that began in the period; the cashier is the one who opened it
	OfStops                 // Row.Stop: what limits stopped; Row.Rule is the limit: subject/period/measure
)

// Query asks for sums of what some shops recorded in a period.
type Query struct {
	Of       Source
	Shops    []string // ids; at least one
	From, To Day      // of each shop's own calendar, half-open
	By       []Dimension
	Only     map[Dimension]string // filters; without ByDay, ByMonth and ByShop
	Sums     []string             // the columns of sales to sum; nil for all
	// Until ends the last day early, to compare with one still going on: when each shop's clock showed what it shows
	// at this moment, Ago days before. Zero: the whole day. It works for sales of days that still have quarters.
	Until time.Time
	Ago   Day
}

// Row is the sums for one value of each dimension asked for, in one pair of currencies. Other dimensions are
// empty.
type Row struct {
	ShopID        string
	Day           Day // the day, or the first of the month; 0 unless asked for
	Slot          int
	Country       string
	Provider      string
	Kind          string
	SKU           string
	TillID        string
	CashierID     string
	Reason        string // code/context
	PriceCurrency money.Currency
	Rule          string // the limit: subject/period/measure
	SendCurrency  money.Currency
	Measures
	Drawer Drawers `gorm:"-"`
	Stop   Stops   `gorm:"-"`
}

// Join adds another row's sums to this one's.
func (r *Row) Join(other Row) {
	r.Add(other.Measures)
	r.Drawer.Add(other.Drawer)
	r.Stop.Add(other.Stop)
}

// MostDaysByDay is the longest period that is split by day.
const MostDaysByDay = 100

// mostDays is the longest period that can be asked for.
const mostDays = 3660

// Sums returns the rows of a query, in no particular order. A query that cannot be answered fails with a fault of
// kind Invalid.
func (s *Service) Sums(ctx context.Context, q Query) ([]Row, error) {
	all, err := s.AllSums(ctx, q)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// AllSums is Sums of several queries, as of one moment.
func (s *Service) AllSums(ctx context.Context, queries ...Query) ([][]Row, error) {
	rows := make([][]Row, len(queries))
	for _, q := range queries {
		if err := q.check(); err != nil {
			return nil, err
		}
	}
	err := s.d.DB.Snapshot(ctx, func(db *gorm.DB) error {
		shops, err := foldsIn(db)
		for i := 0; i < len(queries) && err == nil; i++ {
			rows[i], err = s.read(db, shops, queries[i])
		}
		return err
	})
	return rows, fault.Doing("read report", err)
}

func (s *Service) read(db *gorm.DB, shops folds, q Query) ([]Row, error) {
	switch q.Of {
	case OfDrawers:
		return q.drawers(db, shops)
	case OfStops:
		return q.stops(db, shops)
	case OfSales:
	}
	c, _ := cubeFor(q.dimensions())
	spans := s.cut(q, c, shops.rolledUp())
	if len(spans) == 0 {
		return nil, nil
	}
	statement, args := q.statement(c, spans)
	return store.All[Row](db.Raw(statement, args...))
}

// Combine says whether one query may split and filter sales by all these dimensions at once.
func Combine(dimensions ...Dimension) bool {
	_, ok := cubeFor(dimensions)
	return ok
}

// dimensions are those the query splits and filters by.
func (q Query) dimensions() []Dimension {
	return slices.AppendSeq(slices.Clone(q.By), maps.Keys(q.Only))
}

func (q Query) check() error {
	known := q.Of.dimensions()
	for _, dimension := range q.dimensions() {
		if !slices.Contains(known, dimension) {
			return fault.OnField("by", "report.grouping", dimension)
		}
	}
	for dimension := range q.Only {
		if slices.Contains(always, dimension) {
			return fmt.Errorf("report: %s chooses by itself", dimension)
		}
	}
	if err := q.checkPeriod(); err != nil || q.Of != OfSales {
		return err
	}
	for _, name := range q.Sums {
		if !slices.Contains(measureNames, name) {
			return fmt.Errorf("report: there is no measure %q", name)
		}
	}
	if !Combine(q.dimensions()...) {
		return fault.OnField("by", "report.combination")
	}
	return nil
}

// dimensions are those that facts of a source have.
func (of Source) dimensions() []Dimension {
	switch of {
	case OfDrawers:
		return []Dimension{ByShop, ByDay, ByMonth, ByTill, ByCashier}
	case OfStops:
		return []Dimension{ByWeek, ByDay, ByMonth, ByRule, ByShop, ByTill, ByCashier}
	case OfSales:
	}
	return slices.Collect(maps.Keys(columns))
}

func (q Query) checkPeriod() error {
	days := q.To - q.From
	switch {
	case days <= 0:
		return fault.OnField("to", "period.ends-first")
	case q.From < FirstDay || q.To > lastDay+1 || days > mostDays:
		return fault.OnField("from", "period.too-long")
	case slices.Contains(q.By, ByDay) && days > MostDaysByDay:
		return fault.OnField("by", "period.by-month", MostDaysByDay)
	}
	return nil
}

// mostNamed is how many products are asked for one by one.
const mostNamed = 1000

// Names are what providers and products were called when last sold, by code.
type Names struct{ Providers, Products map[string]string }

// Names returns those of all providers and of these products, nil for all. A catalogue is large: a page should
// ask for no more than it shows.
func (s *Service) Names(ctx context.Context, products []string) (Names, error) {
	names := Names{Providers: map[string]string{}, Products: map[string]string{}}
	query := s.d.DB.Read(ctx).Table("rollup_names")
	if products != nil && len(products) <= mostNamed {
		query = query.Where("what = ? OR what = ? AND code IN ?", "provider", "product", products)
	}
	var rows []struct{ What, Code, Name string }
	if err := query.Select("what, code, name").Scan(&rows).Error; err != nil {
		return names, fmt.Errorf("read names: %w", err)
	}
	for _, r := range rows {
		if r.What == "provider" {
			names.Providers[r.Code] = r.Name
		} else {
			names.Products[r.Code] = r.Name
		}
	}
	return names, nil
}
