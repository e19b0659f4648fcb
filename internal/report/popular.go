package report

import (
	"context"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

const (
	popularDays = 30
	// popularFor is how long an answer is reused: counters ask at each look-up.
	popularFor = 5 * time.Minute
)

// Popular is how often a shop sold lately, by product (SKU) and by country.
type Popular struct {
	Products, Countries map[string]int64
	AsOf                time.Time
}

// Popular returns what a shop sold in the last 30 days, from rollups read every few minutes.
func (s *Service) Popular(ctx context.Context, shopID string) (Popular, error) {
	s.popularMu.Lock()
	defer s.popularMu.Unlock()
	now := s.d.Now()
	if known, ok := s.popular[shopID]; ok && now.Sub(known.AsOf) < popularFor {
		return known, nil
	}
	today := DayOf(now, time.UTC)
	rows, err := s.Sums(ctx, Query{
		Shops: []string{shopID}, From: today - popularDays, To: today + 2, By: []Dimension{ByCountry, ByProduct},
		Sums: []string{"complete"},
	})
	if err != nil {
		return Popular{}, err
	}
	found := Popular{Products: map[string]int64{}, Countries: map[string]int64{}, AsOf: now}
	for _, row := range rows {
		if row.Complete > 0 {
			found.Products[row.SKU] += row.Complete
			found.Countries[row.Country] += row.Complete
		}
	}
	if s.popular == nil {
		s.popular = map[string]Popular{}
	}
	s.popular[shopID] = found
	return found, nil
}

const (
	failingFor  = 24 * time.Hour
	fewFailures = 3 // fewer may be chance
)

// Failing returns the products (SKU) whose sales fail: in the last day at least three of them, and no fewer than went
// through.
func (s *Service) Failing(ctx context.Context) (map[string]bool, error) {
	const sql = `SELECT sku FROM rollups
		WHERE cube = ? AND level = ? AND shop_id IN (SELECT id FROM shops) AND starts >= ?
		GROUP BY sku HAVING SUM(failed) >= ? AND SUM(failed) >= SUM(complete)`
	since := quarterOf(s.d.Now().Add(-failingFor))
	skus, err := store.All[string](s.d.DB.Read(ctx).Raw(sql, goods, byQuarter, since, fewFailures))
	failing := make(map[string]bool, len(skus))
	for _, sku := range skus {
		failing[sku] = true
	}
	return failing, fault.Doing("find products whose sales fail", err)
}
