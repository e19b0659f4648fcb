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
)

// Query asks for sums of the sales some shops recorded in a period.
type Query struct {
	Shops    []string // ids; at least one
	From, To Day      // of each shop's own calendar, half-open
	By       []Dimension
	Only     map[Dimension]string // filters sales; without ByDay, ByMonth and ByShop
	Sums     []string             // the columns to sum; nil for all
	// Until ends the last day early, to compare with one still going on: when each shop's clock showed what it shows
	// at this moment, Ago days before. Zero: the whole day. It works for days that still have quarters.
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
	Drawer Drawers `gorm:"-"` // of DrawerSums
	Stop   Stops   `gorm:"-"` // of StopSums
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

// Sums returns the rows of a query, in no particular order. A query that no rollup can answer fails with a
// fault of kind Invalid.
func (s *Service) Sums(ctx context.Context, q Query) ([]Row, error) {
	all, err := s.AllSums(ctx, q)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// AllSums is Sums of several queries, as of one moment.
func (s *Service) AllSums(ctx context.Context, queries ...Query) ([][]Row, error) {
	cubes, rows := make([]cube, len(queries)), make([][]Row, len(queries))
	for i, q := range queries {
		var err error
		if cubes[i], err = q.check(); err != nil {
			return nil, err
		}
	}
	err := s.d.DB.Snapshot(ctx, func(db *gorm.DB) error {
		all, err := foldsIn(db)
		if err != nil {
			return err
		}
		maps.DeleteFunc(all, func(_ string, f fold) bool { return f.DaysTo == 0 }) // no rollups yet
		for i, q := range queries {
			spans := s.cut(q, cubes[i], all)
			if len(spans) == 0 {
				continue
			}
			statement, args := q.statement(cubes[i], spans)
			if err := db.Raw(statement, args...).Scan(&rows[i]).Error; err != nil {
				return err
			}
		}
		return nil
	})
	return rows, fault.Doing("read report", err)
}

// Combine says whether one query may split and filter sales by all these dimensions at once.
func Combine(dimensions ...Dimension) bool {
	_, ok := cubeFor(dimensions)
	return ok
}

func (q Query) check() (cube, error) {
	wanted := slices.Clone(q.By)
	for dimension := range q.Only {
		if slices.Contains(always, dimension) {
			return "", fmt.Errorf("report: %s chooses by itself", dimension)
		}
		wanted = append(wanted, dimension)
	}
	for _, dimension := range wanted {
		if columns[dimension] == "" {
			return "", fault.OnField("by", "report.grouping", dimension)
		}
	}
	for _, name := range q.Sums {
		if !slices.Contains(measureNames, name) {
			return "", fmt.Errorf("report: there is no measure %q", name)
		}
	}
	if err := q.checkPeriod(); err != nil {
		return "", err
	}
	c, ok := cubeFor(wanted)
	if !ok {
		return "", fault.OnField("by", "report.combination")
	}
	return c, nil
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

// checkOf checks a query of facts that have only these dimensions.
func (q Query) checkOf(dimensions []Dimension) error {
	wanted := slices.AppendSeq(slices.Clone(q.By), maps.Keys(q.Only))
	for _, dimension := range wanted {
		if !slices.Contains(dimensions, dimension) {
			return fault.OnField("by", "report.grouping", dimension)
		}
	}
	return q.checkPeriod()
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
