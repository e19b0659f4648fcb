package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"airtill/internal/store"
)

// Change is a move of a product's price or commission.
type Change struct {
	ID        string
	RunID     string
	SKU       string `gorm:"column:sku"`
	Field     string // minimum, maximum, commission
	Was       string // prices as "2.00 EUR: 2246.29 NGN", what is sent and received
	Became    string
	ChangedAt time.Time
}

// TableName names the table for GORM.
func (Change) TableName() string { return "catalog_changes" }

// recordMoves notes what happens to the prices of products that are about to be
// written.
func (r *run) recordMoves(tx *store.Tx, rows []fresh[Product]) error {
	skus := make([]string, len(rows))
	for i := range rows {
		skus[i] = rows[i].row.SKU
	}
	var before []Product
	if err := tx.Table(productTable.name).Where("sku IN ?", skus).Find(&before).Error; err != nil {
		return err
	}
	old := index(before, func(p *Product) string { return p.SKU })
	var changes []Change
	for i := range rows {
		if was, ok := old[rows[i].row.SKU]; ok {
			changes = append(changes, r.moves(was, rows[i].row)...)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return tx.Create(&changes).Error
}

func (r *run) moves(was, became *Product) []Change {
	var moves []Change
	note := func(field, from, to string) {
		if from != to {
			now := store.Moment(r.s.now())
			moves = append(moves, Change{
				ID: ulid.MustNewDefault(now).String(), RunID: r.ID, SKU: was.SKU,
				Field: field, Was: from, Became: to, ChangedAt: now,
			})
		}
	}
	note("minimum", was.Minimum.brief(), became.Minimum.brief())
	note("maximum", was.Maximum.brief(), became.Maximum.brief())
	note("commission", was.CommissionRate, became.CommissionRate)
	return moves
}

// brief is a price in a line.
func (p Price) brief() string {
	text := fmt.Sprintf("%s: %s", p.Send(), p.Receive())
	if p.CustomerFeeMicros != 0 {
		text += fmt.Sprintf(", customer fee %s", p.CustomerFee())
	}
	if p.DistributorFeeMicros != 0 {
		text += fmt.Sprintf(", distributor fee %s", p.DistributorFee())
	}
	return text
}

// unsellable counts a product that is kept out of sale, and names the first
// few.
func (r *run) unsellable(p *Product) {
	const named = 20
	r.Unsellable++
	if r.Unsellable <= named {
		r.s.log.Warn("catalog.unsellable", "sku", p.SKU, "provider", p.Provider, "reason", p.Unsellable)
	}
}

// Changes returns the latest moves of prices and commissions, newest first.
func (s *Service) Changes(ctx context.Context, limit int) (changes []Change, err error) {
	err = s.db.Read(ctx).Order("changed_at DESC, id DESC").Limit(limit).Find(&changes).Error
	if err != nil {
		return nil, fmt.Errorf("read price changes: %w", err)
	}
	return changes, nil
}
