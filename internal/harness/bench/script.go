package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// saleShape is what a sale writes, read from a sale that the till has made: the rows,
// by the transaction that wrote them. It is sold again as fast as the database can.
type saleShape struct {
	on           string
	transactions [3][]string // recorded, permitted, settled
	rows         int
}

// shape reads the newest sale. The groups are those that PostgreSQL told of the rows of
// each table, nil there.
func (t *till) shape(ctx context.Context, groups map[string][]int) (*saleShape, map[string][]int, error) {
	db, err := t.open()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = db.Close() }() // only read
	r := &shaper{db: db, on: t.on, ids: map[string]bool{}, groups: map[string][]int{}}
	if err := r.read(ctx); err != nil {
		return nil, nil, err
	}
	if groups == nil {
		r.groupByTransaction()
	} else if err := r.groupLike(groups); err != nil {
		return nil, nil, err
	}
	shape, err := r.shape()
	return shape, r.groups, err
}

// row is one that a sale has written.
type row struct {
	table   string
	columns []string
	values  []string // as SQL
	xmin    int64    // the transaction that wrote it last, on PostgreSQL
	group   int      // 0 to 2
}

// shaper reads the rows of a sale.
type shaper struct {
	db     *sql.DB
	on     string
	sale   string
	shift  string
	number string          // the customer's, who has bought nothing else
	ids    map[string]bool // that belong to this sale alone
	rows   []row
	groups map[string][]int // by table, of its rows in their order
}

// read finds the newest sale and every row that names it, or a row that does.
func (s *shaper) read(ctx context.Context) error {
	newest := s.db.QueryRowContext(ctx, "SELECT id, shift_id, account_number FROM sales ORDER BY recorded_at DESC LIMIT 1")
	if err := newest.Scan(&s.sale, &s.shift, &s.number); err != nil {
		return fmt.Errorf("find a sale: %w", err)
	}
	s.ids[s.sale], s.ids[s.number] = true, true
	tables, err := s.tables(ctx)
	if err != nil {
		return err
	}
	for found := -1; found != len(s.ids); { // until nothing more is found
		found, s.rows = len(s.ids), nil
		for _, table := range tables {
			if err := s.readTable(ctx, table); err != nil {
				return fmt.Errorf("read %s: %w", table, err)
			}
		}
	}
	return nil
}

// tables lists the tables that have rows, the parents of others first: PostgreSQL and
// SQLite give them numbers in the order in which they were made.
func (s *shaper) tables(ctx context.Context) (all []string, err error) {
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rootpage"
	if s.on == onPostgres {
		query = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY oid"
	}
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err has told
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	// The sale itself is what the others point at.
	slices.SortStableFunc(all, func(a, b string) int { return rank(a) - rank(b) })
	return all, rows.Err()
}

func rank(table string) int { return 1 - strings.Count("sales", table)*len(table)/len("sales") }

// readTable reads the rows in which one of the ids stands, and learns their own.
func (s *shaper) readTable(ctx context.Context, table string) error {
	columns, keys, err := s.columns(ctx, table)
	if err != nil || len(columns) == 0 {
		return err
	}
	texts, order := make([]string, len(columns)), "rowid"
	for i, column := range columns {
		texts[i] = "quote(" + column + ")"
		if s.on == onPostgres {
			texts[i] = "quote_nullable(" + column + "::text)"
		}
	}
	xmin := "0"
	if s.on == onPostgres {
		xmin, order = "xmin::text::bigint", "ctid"
	}
	all := strings.Join(texts, " || ',' || ")
	var like []string
	for id := range s.ids {
		like = append(like, "instr("+all+", '"+id+"') > 0")
		if s.on == onPostgres {
			like[len(like)-1] = "strpos(" + all + ", '" + id + "') > 0"
		}
	}
	slices.Sort(like)
	rows, err := s.db.QueryContext(
		ctx,
		"SELECT "+xmin+", "+strings.Join(texts, ", ")+" FROM "+table+ //nolint:gosec // names of the schema
			" WHERE "+strings.Join(like, " OR ")+" ORDER BY "+order,
	)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err has told
	for rows.Next() {
		r := row{table: table, columns: columns, values: make([]string, len(columns))}
		into := []any{&r.xmin}
		for i := range r.values {
			into = append(into, &r.values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if i := slices.Index(columns, "number"); table == "sales" && i >= 0 {
			r.values[i] = small // each sale of a shift has its own
		}
		s.rows = append(s.rows, r)
		for i, column := range columns {
			if value := strings.Trim(r.values[i], "'"); slices.Contains(keys, column) && len(value) >= 8 { // not a small number
				s.ids[value] = true
			}
		}
	}
	return rows.Err()
}

// columns lists the columns of a table, and those that are unique by themselves. What
// the database fills in is none of them.
func (s *shaper) columns(ctx context.Context, table string) (columns, keys []string, err error) {
	query := `SELECT c.name, EXISTS (SELECT 1 FROM pragma_index_list(?1) l
		WHERE l."unique" AND (SELECT COUNT(*) FROM pragma_index_info(l.name)) = 1
		AND EXISTS (SELECT 1 FROM pragma_index_info(l.name) i WHERE i.name = c.name))
		FROM pragma_table_xinfo(?1) c WHERE hidden = 0
		AND NOT (pk > 0 AND UPPER(type) = 'INTEGER' AND (SELECT COUNT(*) FROM pragma_table_xinfo(?1) WHERE pk > 0) = 1)
		ORDER BY cid`
	if s.on == onPostgres {
		query = `SELECT attname, EXISTS (SELECT 1 FROM pg_index
			WHERE indrelid = attrelid AND indisunique AND indnkeyatts = 1 AND indkey[0] = attnum)
			FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped 
			AND attidentity = '' AND attgenerated = '' ORDER BY attnum`
	}
	rows, err := s.db.QueryContext(ctx, query, table)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }() // Err has told
	for rows.Next() {
		var name string
		var key bool
		if err := rows.Scan(&name, &key); err != nil {
			return nil, nil, err
		}
		if columns = append(columns, name); key {
			keys = append(keys, name)
		}
	}
	return columns, keys, rows.Err()
}

// groupByTransaction tells which of the three transactions wrote each row. The sale was
// written by all, and its row names the last.
func (s *shaper) groupByTransaction() {
	var moments []int64
	for _, r := range s.rows {
		if !slices.Contains(moments, r.xmin) {
			moments = append(moments, r.xmin)
		}
	}
	slices.Sort(moments)
	for i := range s.rows {
		r := &s.rows[i]
		if r.table != "sales" {
			r.group = min(2, slices.Index(moments, r.xmin))
		}
		s.groups[r.table] = append(s.groups[r.table], r.group)
	}
}

// groupLike does as another database did with the same rows.
func (s *shaper) groupLike(groups map[string][]int) error {
	seen := map[string]int{}
	for i := range s.rows {
		r := &s.rows[i]
		if seen[r.table] >= len(groups[r.table]) {
			return fmt.Errorf("a sale writes %s on %s more often than on %s", r.table, s.on, onPostgres)
		}
		r.group = groups[r.table][seen[r.table]]
		seen[r.table]++
	}
	return nil
}

// shape writes the statements: in each transaction one INSERT for each table, the shift
// held for the cash, the guarded UPDATE that permits and the one that settles.
func (s *shaper) shape() (*saleShape, error) {
	shape := &saleShape{on: s.on, rows: len(s.rows)}
	ids := make([]string, 0, len(s.ids))
	for id := range s.ids {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for group := range shape.transactions {
		var into *string
		var inserts []string
		last := ""
		for _, r := range s.rows {
			if r.group != group {
				continue
			}
			if r.table != last {
				inserts = append(inserts, "INSERT INTO "+r.table+" ("+strings.Join(r.columns, ", ")+") VALUES ")
			} else {
				*into += ", "
			}
			into, last = &inserts[len(inserts)-1], r.table
			*into += "(" + strings.Join(r.values, ", ") + ")"
		}
		lock := ""
		if s.on == onPostgres {
			lock = " FOR SHARE"
		}
		var extra []string
		switch group {
		case 0:
			extra = []string{"SELECT closed_at FROM shifts WHERE id = '" + s.shift + "'" + lock}
		case 1:
			extra = []string{
				"UPDATE sales SET permits = permits, permit_at = permit_at, permit_by = permit_by, send_mode = send_mode, " +
					"events = events, updated_at = updated_at WHERE id = '" +
					s.sale + "' AND fulfilment = 'complete'",
			}
		case 2:
			if lock != "" {
				lock = " FOR UPDATE"
			}
			settled := slices.IndexFunc(s.rows, func(r row) bool { return r.table == "sales" })
			if settled < 0 {
				return nil, errors.New("the sale has no row")
			}
			var set []string
			for i, column := range s.rows[settled].columns {
				if slices.Contains(settles, column) {
					set = append(set, column+" = "+s.rows[settled].values[i])
				}
			}
			extra = []string{
				"SELECT * FROM sales WHERE id = '" + s.sale + "'" + lock,
				"UPDATE sales SET " + strings.Join(set, ", ") + " WHERE id = '" + s.sale + "'",
			}
		}
		for _, text := range append(extra, inserts...) {
			shape.transactions[group] = append(shape.transactions[group], numbered(text, ids))
		}
	}
	return shape, nil
}

// settles are the columns that a final answer writes.
var settles = []string{
	"fulfilment", "cash", "hold", "hold_micros", "receivable_micros", "transfer_ref", "provider_ref",
	"actual_send_micros", "actual_fee_micros", "actual_dist_micros", "actual_receive_micros", "actual_ex_tax_micros",
	"commission_micros",
	"sealed_receipt", "next_check_at", "events", "final_at", "updated_at",
}

// What stands in a statement for numbers that each sale has its own of.
const (
	long  = "\x00" // of 19 digits
	small = "\x01" // of 8 digits
)

const (
	longDigits  = 19
	smallDigits = 8
)

// numbered puts the number of a sale in the place of the end of each id, which stays as
// long as it was: the schema looks. What it begins with tells the ids apart. An id
// stands inside a quoted value always.
func numbered(text string, ids []string) string {
	for i, id := range ids {
		own := id[:max(0, len(id)-smallDigits)] + "' || " + small + " || '"
		if len(id) > longDigits {
			own = fmt.Sprintf("%0*d", len(id)-longDigits, i) + "' || " + long + " || '"
		}
		text = strings.ReplaceAll(text, id, own)
	}
	return text
}

// pgbench is the shape as a script of pgbench, each transaction one round trip. Its ids
// grow, as real ones do.
func (s *saleShape) pgbench() string {
	var script strings.Builder
	script.WriteString("\\set i :i + 1\n" +
		"\\set n (:run * 1000 + :client_id) * 10000000000000 + :i\n" +
		"\\set m ((:run % 36 + 5) * 32 + :client_id) * 70000 + :i\n")
	for _, transaction := range s.transactions {
		script.WriteString("\\startpipeline\nBEGIN;\n")
		for _, one := range transaction {
			script.WriteString(strings.NewReplacer("\n", " ", long, ":n", small, ":m").Replace(one) + ";\n")
		}
		script.WriteString("COMMIT;\n\\endpipeline\n")
	}
	return script.String()
}

// statements counts those of a sale, without BEGIN and COMMIT.
func (s *saleShape) statements() (n int) {
	for _, transaction := range s.transactions {
		n += len(transaction)
	}
	return n
}
