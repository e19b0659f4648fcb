package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"airtill/internal/store"
)

// table says how the rows of one resource are kept. The key columns are text.
type table[T any] struct {
	name string
	keys []string
	key  func(*T) []string
}

// kept is a row as its table holds it: what the upstream said, a hash of it,
// and since when.
type kept[T any] struct {
	Row         T `gorm:"embedded"`
	Hash        string
	AddedAt     time.Time `gorm:"<-:create"`
	ChangedAt   time.Time
	WithdrawnAt *time.Time
}

// The tables of the catalogue.
var (
	countryTable       = table[Country]{"countries", []string{"iso"}, func(c *Country) []string { return []string{c.ISO} }}
	currencyTable      = table[Currency]{"currencies", []string{"iso"}, func(c *Currency) []string { return []string{string(c.ISO)} }}
	regionTable        = table[Region]{"regions", []string{"code"}, func(r *Region) []string { return []string{r.Code} }}
	providerTable      = table[Provider]{"providers", []string{"code"}, func(p *Provider) []string { return []string{p.Code} }}
	statusTable        = table[Status]{"provider_statuses", []string{"provider"}, func(s *Status) []string { return []string{s.Provider} }}
	productTable       = table[Product]{"products", []string{"sku"}, func(p *Product) []string { return []string{p.SKU} }}
	textTable          = table[Text]{"product_texts", []string{"language", "localization_key"}, func(t *Text) []string { return []string{t.Language, t.LocalizationKey} }}
	promotionTable     = table[Promotion]{"promotions", []string{"id"}, func(p *Promotion) []string { return []string{p.ID} }}
	promotionTextTable = table[PromotionText]{"promotion_texts", []string{"language", "localization_key"}, func(t *PromotionText) []string { return []string{t.Language, t.LocalizationKey} }}
	errorTable         = table[ErrorText]{"error_texts", []string{"code"}, func(e *ErrorText) []string { return []string{e.Code} }}
)

// live returns the rows that are not withdrawn.
func (t table[T]) live(ctx context.Context, db *store.DB) (rows []T, err error) {
	err = db.Read(ctx).Table(t.name).Where("withdrawn_at IS NULL").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.name, err)
	}
	return rows, nil
}

func (t table[T]) mapKey(row *T) string { return strings.Join(t.key(row), "\x00") }

// diff is what a sync found: rows to write, rows that are gone, and how many
// were there.
type diff[T any] struct {
	write   []kept[T] // the added ones first
	added   int
	removed []T // only the key is filled in
	live    int
}

// absurd says whether so much is missing that the answer is more likely cut
// than true.
func (d *diff[T]) absurd() bool {
	const tooFewToJudge = 10
	return d.live >= tooFewToJudge && len(d.removed)*2 > d.live
}

// compare finds the difference between rows and the table, within the part of
// the table whose first key column is scope (all of it if ""). Of rows with
// one key the last counts.
func (t table[T]) compare(ctx context.Context, db *store.DB, scope string, rows []T) (diff[T], error) {
	var d diff[T]
	before, err := t.stored(ctx, db, scope)
	if err != nil {
		return d, err
	}
	var changed []kept[T]
	seen := make(map[string]bool, len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		key := t.mapKey(&rows[i])
		if seen[key] {
			continue
		}
		seen[key] = true
		old, known := before[key]
		now := kept[T]{Row: rows[i], Hash: hashOf(&rows[i])}
		switch {
		case !known || old.WithdrawnAt != nil:
			d.write = append(d.write, now)
		case old.Hash != now.Hash:
			changed = append(changed, now)
		}
	}
	d.added = len(d.write)
	d.write = append(d.write, changed...)
	for key, old := range before {
		if old.WithdrawnAt == nil {
			d.live++
			if !seen[key] {
				d.removed = append(d.removed, old.Row)
			}
		}
	}
	return d, nil
}

// stored reads keys and hashes, which is all that a comparison needs.
func (t table[T]) stored(ctx context.Context, db *store.DB, scope string) (map[string]kept[T], error) {
	var rows []kept[T]
	query := db.Read(ctx).Table(t.name).Select(append([]string{"hash", "withdrawn_at"}, t.keys...))
	if scope != "" {
		query = query.Where(t.keys[0]+" = ?", scope)
	}
	if err := query.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read %s: %w", t.name, err)
	}
	byKey := make(map[string]kept[T], len(rows))
	for _, row := range rows {
		byKey[t.mapKey(&row.Row)] = row
	}
	return byKey, nil
}

// upsert writes rows; one that was withdrawn is back.
func (t table[T]) upsert(tx *gorm.DB, rows []kept[T], at time.Time) error {
	for i := range rows {
		rows[i].AddedAt, rows[i].ChangedAt, rows[i].WithdrawnAt = at, at, nil
	}
	columns := make([]clause.Column, len(t.keys))
	for i, key := range t.keys {
		columns[i].Name = key
	}
	return tx.Table(t.name).Clauses(clause.OnConflict{Columns: columns, UpdateAll: true}).Create(&rows).Error
}

// withdraw marks rows as gone.
func (t table[T]) withdraw(ctx context.Context, tx *store.Tx, rows []T, at time.Time) error {
	sql := "UPDATE " + t.name + " SET withdrawn_at = ? WHERE " + strings.Join(t.keys, " = ? AND ") + " = ?"
	statements := make([]store.Statement, len(rows))
	for i := range rows {
		statements[i] = store.Statement{SQL: sql, Args: []any{at}}
		for _, value := range t.key(&rows[i]) {
			statements[i].Args = append(statements[i].Args, value)
		}
	}
	_, err := tx.ExecAll(ctx, statements...)
	return err
}

// hashOf identifies the content of a row.
func hashOf[T any](row *T) string {
	body, err := json.Marshal(row)
	if err != nil {
		panic(fmt.Sprintf("catalogue rows are plain data: %v", err))
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}
