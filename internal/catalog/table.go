package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// table says how one resource's rows are stored. Key columns are text.
type table[T any] struct {
	name string
	keys []string
	key  func(*T) []string
	// over says in SQL which rows nobody misses at a moment: they have ended, as was known. "": none.
	over string
}

// row is what the upstream said, a hash of it, and since when.
type row[T any] struct {
	Row         T `gorm:"embedded"`
	Hash        string
	AddedAt     time.Time `gorm:"<-:create"`
	ChangedAt   time.Time
	WithdrawnAt *time.Time
}

// by is a table with one key column.
func by[T any, K ~string](name, column string, key func(*T) K) table[T] {
	return table[T]{
		name: name, keys: []string{column}, key: func(row *T) []string { return []string{string(key(row))} },
	}
}

var textKeys = []string{"language", "localization_key"}

// The tables of the catalogue.
var (
	countryTable   = by("countries", "iso", func(c *Country) string { return c.ISO })
	currencyTable  = by("currencies", "iso", func(c *Currency) money.Currency { return c.ISO })
	regionTable    = by("regions", "code", func(r *Region) string { return r.Code })
	providerTable  = by("providers", "code", func(p *Provider) string { return p.Code })
	statusTable    = by("provider_statuses", "provider", func(s *Status) string { return s.Provider })
	productTable   = by("products", "sku", func(p *Product) string { return p.SKU })
	errorTable     = by("error_texts", "code", func(e *ErrorText) string { return e.Code })
	promotionTable = table[Promotion]{
		name: "promotions", keys: []string{"id"}, key: func(p *Promotion) []string { return []string{p.ID} },
		over: "ends_at <= ?",
	}
	textTable = table[Text]{
		name: "product_texts", keys: textKeys,
		key: func(t *Text) []string { return []string{t.Language, t.LocalizationKey} },
	}
	promotionTextTable = table[PromotionText]{
		name: "promotion_texts", keys: textKeys,
		key: func(t *PromotionText) []string { return []string{t.Language, t.LocalizationKey} },
		over: "localization_key NOT IN " +
			"(SELECT localization_key FROM promotions WHERE withdrawn_at IS NULL AND ends_at > ?)",
	}
)

// live returns the rows that are not withdrawn, without what a sync notes of them. There are tens of thousands, which a
// start waits for.
func (t table[T]) live(ctx context.Context, db *store.DB) (rows []T, err error) {
	rows, err = store.Find[T](ctx, db, "FROM "+t.name+" WHERE withdrawn_at IS NULL")
	return rows, fault.Doing("read "+t.name, err)
}

// maxKey, in bytes, is less than what PostgreSQL refuses to index.
const maxKey = 1000

// keySeparator joins the parts of a key; no part that is stored contains it.
const keySeparator = "\x00"

func (t table[T]) keyOf(row *T) string { return strings.Join(t.key(row), keySeparator) }

// diff is what a sync found. It points into its source rows: there are many, and tills run on small machines.
type diff[T any] struct {
	write   []fresh[T] // the added ones first
	added   int
	removed []string // keys
	live    int      // how many rows there were
	due     int      // how many of them an answer should have
	missing int      // how many of those it lacks
	first   bool     // there were none, not even withdrawn ones
	dropped int      // rows that cannot be stored
}

// fresh is a row to be written.
type fresh[T any] struct {
	row  *T
	hash string
}

// absurd says whether so much is missing that the answer is more likely cut off than true.
func (d *diff[T]) absurd() bool {
	const tooFewToJudge = 10
	return d.due >= tooFewToJudge && d.missing*2 > d.due
}

// compare finds the difference between rows and the table, or the part of it whose first key column is scope.
// Of rows with the same key the last counts.
func (t table[T]) compare(ctx context.Context, db *store.DB, scope string, rows []T, at time.Time) (diff[T], error) {
	var d diff[T]
	before, err := t.stored(t.in(ctx, db, scope))
	var over map[string]string
	if err == nil && t.over != "" {
		over, err = t.stored(t.in(ctx, db, scope).Where(t.over, at))
	}
	if err != nil {
		return d, err
	}
	var changed []fresh[T]
	seen := make(map[string]bool, len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		key := t.keyOf(&rows[i])
		if seen[key] {
			continue
		}
		seen[key] = true
		now, ok := t.freshen(&rows[i])
		if !ok || len(key) > maxKey {
			d.dropped++
			continue
		}
		switch hash, live := before[key]; {
		case !live:
			d.write = append(d.write, now)
		case hash != now.hash:
			changed = append(changed, now)
		}
	}
	if d.live = len(before); d.live == 0 {
		if d.first, err = t.empty(ctx, db, scope); err != nil {
			return d, err
		}
	}
	d.added = len(d.write)
	d.write = append(d.write, changed...)
	d.due = d.live - len(over)
	for key := range before {
		if seen[key] {
			continue
		}
		d.removed = append(d.removed, key)
		if _, ended := over[key]; !ended {
			d.missing++
		}
	}
	return d, nil
}

// in is the part of a table whose first key column is scope, "": all of it.
func (t table[T]) in(ctx context.Context, db *store.DB, scope string) *gorm.DB {
	query := db.Read(ctx).Table(t.name)
	if scope != "" {
		query = query.Where(t.keys[0]+" = ?", scope)
	}
	return query
}

// empty says whether nothing was ever stored there.
func (t table[T]) empty(ctx context.Context, db *store.DB, scope string) (bool, error) {
	some, err := store.All[int](t.in(ctx, db, scope).Select("1").Limit(1))
	return len(some) == 0, fault.Doing("read "+t.name, err)
}

// stored returns the hashes of live rows by key, which is all a comparison needs.
func (t table[T]) stored(rows *gorm.DB) (map[string]string, error) {
	query := rows.Where("withdrawn_at IS NULL").Select(append([]string{"hash"}, t.keys...))
	hashes := map[string]string{}
	values := make([]string, 1+len(t.keys))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	err := store.Scan(query, func(scan func(into ...any) error) error {
		err := scan(into...)
		hashes[strings.Join(values[1:], keySeparator)] = values[0]
		return err
	})
	return hashes, fault.Doing("read "+t.name, err)
}

// put writes rows; withdrawn ones are live again. The first ones are only added, which takes a fraction of the time.
func (t table[T]) put(ctx context.Context, tx *store.Tx, rows []fresh[T], first bool, at time.Time) error {
	stored := make([]row[T], len(rows))
	for i, r := range rows {
		stored[i] = row[T]{Row: *r.row, Hash: r.hash, AddedAt: at, ChangedAt: at}
	}
	if first {
		return store.Insert(ctx, tx, t.name, stored)
	}
	return tx.Table(t.name).Clauses(clause.OnConflict{UpdateAll: true}).Create(&stored).Error
}

// withdraw marks the rows of these keys as gone.
func (t table[T]) withdraw(ctx context.Context, tx *store.Tx, keys []string, at time.Time) error {
	sql := "UPDATE " + t.name + " SET withdrawn_at = ? WHERE " + strings.Join(t.keys, " = ? AND ") + " = ?"
	statements := make([]store.Statement, len(keys))
	for i, key := range keys {
		statements[i] = store.Statement{SQL: sql, Args: []any{at}}
		for value := range strings.SplitSeq(key, keySeparator) {
			statements[i].Args = append(statements[i].Args, value)
		}
	}
	_, err := tx.ExecAll(ctx, statements...)
	return err
}

// withoutZeros leaves the zero characters out of what is written as JSON, and backslashes that are in the texts alone.
var withoutZeros = strings.NewReplacer(`\\`, `\\`, `\u0000`, "")

// freshen hashes a row by its content. Zero characters, which PostgreSQL cannot store, are left out: were the row left
// out, it would stay on sale as it was. In a key they would make another of it, and the row is refused.
func (t table[T]) freshen(row *T) (fresh[T], bool) {
	if slices.ContainsFunc(t.key(row), func(part string) bool { return strings.Contains(part, keySeparator) }) {
		return fresh[T]{}, false
	}
	body, err := json.Marshal(row)
	if err == nil && bytes.Contains(body, []byte(`\u0000`)) {
		body, row = []byte(withoutZeros.Replace(string(body))), new(T)
		err = json.Unmarshal(body, row)
	}
	if err != nil {
		return fresh[T]{}, false
	}
	sum := sha256.Sum256(body)
	return fresh[T]{row: row, hash: hex.EncodeToString(sum[:16])}, true
}
