package report

import (
	"context"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

const (
	failingFor  = 24 * time.Hour
	fewFailures = 3 // fewer may be chance
)

// Failing returns the products (SKU) whose sales fail: in the last day at least three of them, and no fewer than went
// through.
func (s *Service) Failing(ctx context.Context) (map[string]bool, error) {
	const sql = `SELECT sku FROM rollups WHERE cube = ? AND level = ? AND shop_id <> ? AND starts >= ?
		GROUP BY sku HAVING SUM(failed) >= ? AND SUM(failed) >= SUM(complete)`
	since := quarterOf(s.d.Now().Add(-failingFor))
	skus, err := store.All[string](s.d.DB.Read(ctx).Raw(sql, goods, byQuarter, allShops, since, fewFailures))
	failing := make(map[string]bool, len(skus))
	for _, sku := range skus {
		failing[sku] = true
	}
	return failing, fault.Doing("find products whose sales fail", err)
}
