package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Field is what changed of a product.
type Field string

// The fields. For a product added or removed, Became or Was is its lowest price and the other is empty.
const (
	Added      Field = "added"
	Removed    Field = "removed"
	Minimum    Field = "minimum"
	Maximum    Field = "maximum"
	Commission Field = "commission"
)

// Moves are the fields of products that stay.
func Moves() []Field { return []Field{Minimum, Maximum, Commission} }

// Change is one line of what a run changed: a product that came or went, or a changed price or commission.
type Change struct {
	ID        string
	RunID     string
	SKU       string `gorm:"column:sku"`
	Field     Field
	Was       string // prices as "2.00 EUR: 2246.29 NGN", what is sent and received
	Became    string
	ChangedAt time.Time
}

// TableName names the table for GORM.
func (Change) TableName() string { return "catalog_changes" }

// noteWritten notes which products about to be written are new, and the price changes of the others.
func (r *run) noteWritten(tx *store.Tx, rows []fresh[Product]) error {
	skus := make([]string, len(rows))
	for i := range rows {
		skus[i] = rows[i].row.SKU
	}
	before, err := onSale(tx, skus)
	if err != nil {
		return err
	}
	old := index(before, func(p *Product) string { return p.SKU })
	var changes []Change
	for i := range rows {
		if was, ok := old[rows[i].row.SKU]; ok {
			changes = append(changes, r.moves(was, rows[i].row)...)
		} else {
			changes = append(changes, r.change(rows[i].row, Added, "", rows[i].row.Minimum.brief()))
		}
	}
	return r.storeChanges(tx, changes)
}

// noteWithdrawn notes the products that are about to be withdrawn.
func (r *run) noteWithdrawn(tx *store.Tx, skus []string) error {
	gone, err := onSale(tx, skus)
	var changes []Change
	for i := range gone {
		changes = append(changes, r.change(&gone[i], Removed, gone[i].Minimum.brief(), ""))
	}
	return errors.Join(err, r.storeChanges(tx, changes))
}

func onSale(tx *store.Tx, skus []string) ([]Product, error) {
	return store.All[Product](tx.Table(productTable.name).Where("sku IN ? AND withdrawn_at IS NULL", skus).Order("sku"))
}

func (r *run) storeChanges(tx *store.Tx, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	return tx.Create(&changes).Error
}

func (r *run) moves(was, became *Product) []Change {
	var moves []Change
	note := func(field Field, from, to string) {
		if from != to {
			moves = append(moves, r.change(was, field, from, to))
		}
	}
	note(Minimum, was.Minimum.brief(), became.Minimum.brief())
	note(Maximum, was.Maximum.brief(), became.Maximum.brief())
	note(Commission, was.CommissionRate, became.CommissionRate)
	return moves
}

func (r *run) change(p *Product, field Field, was, became string) Change {
	now := store.Moment(r.s.d.Now())
	return Change{ID: store.NewID(now), RunID: r.ID, SKU: p.SKU, Field: field, Was: was, Became: became, ChangedAt: now}
}

// brief is a price on one line.
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

// unsellable counts a product withheld from sale, and names the first few.
func (r *run) unsellable(p *Product) {
	const named = 20
	r.Unsellable++
	if r.Unsellable <= named {
		r.s.d.Log.Warn("catalog.unsellable", "sku", p.SKU, "provider", p.Provider, "reason", p.Unsellable)
	}
}

// Changes returns the latest changes of prices and commissions, newest first.
func (s *Service) Changes(ctx context.Context, limit int) ([]Change, error) {
	changes, err := store.All[Change](
		s.d.DB.Read(ctx).Where("field IN ?", Moves()).Order("changed_at DESC, id DESC").Limit(limit),
	)
	return changes, fault.Doing("read price changes", err)
}

// ChangeFilter says which changes of a run to list.
type ChangeFilter struct {
	RunID    string
	Fields   []Field // none: all
	Language string  // for the products' texts, where available
	After    string  // the id of the last one seen
	Limit    int
}

// ListedChange is a change with what is known of its product.
type ListedChange struct {
	Change
	Provider string // its code
	Operator string // its name
	Country  string // ISO 3166-1 alpha-2
	Text     string
}

// RunChanges lists what a run changed, in the order written: added, moved, removed. A run that found an empty
// catalogue lists nothing.
func (s *Service) RunChanges(ctx context.Context, f ChangeFilter) ([]ListedChange, error) {
	if len(f.Fields) == 0 {
		f.Fields = append(Moves(), Added, Removed)
	}
	const sql = `SELECT c.*, COALESCE(p.provider, '') AS provider, COALESCE(v.name, '') AS operator,
		COALESCE(v.country, '') AS country,
			COALESCE(NULLIF(t.display_text, ''), p.display_text, '') AS text
		FROM catalog_changes c
		LEFT JOIN products p ON p.sku = c.sku
		LEFT JOIN providers v ON v.code = p.provider
		LEFT JOIN product_texts t ON t.localization_key = p.localization_key AND t.language = ?
		WHERE c.run_id = ? AND c.id > ? AND c.field IN ? ORDER BY c.id LIMIT ?`
	changes, err := store.All[ListedChange](s.d.DB.Read(ctx).Raw(sql, f.Language, f.RunID, f.After, f.Fields, f.Limit))
	return changes, fault.Doing("read changes of a run", err)
}

// ListedOf counts the listed changes of a run by field.
func (s *Service) ListedOf(ctx context.Context, runID string) (map[Field]int, error) {
	const sql = "SELECT field, COUNT(*) FROM catalog_changes WHERE run_id = ? GROUP BY field"
	listed, err := store.Pairs[Field, int](s.d.DB.Read(ctx).Raw(sql, runID))
	return listed, fault.Doing("count changes of a run", err)
}

// forgetChanges bounds the table where an upstream moves all its prices every few hours, or lets its products
// come and go; neither crowds out the other.
func (s *Service) forgetChanges(ctx context.Context) error {
	const sql = `DELETE FROM catalog_changes WHERE field IN ? AND id <= (
		SELECT id FROM catalog_changes WHERE field IN ? ORDER BY id DESC LIMIT 1 OFFSET ?)`
	for _, fields := range [][]Field{{Added, Removed}, Moves()} {
		if err := s.d.DB.Exec(ctx, sql, fields, fields, mostChanges); err != nil {
			return fmt.Errorf("forget changes: %w", err)
		}
	}
	return nil
}
