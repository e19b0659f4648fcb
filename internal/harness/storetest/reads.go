package storetest

import (
	"context"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/store"
)

// planned are the statements of the program that some test's database has planned, each text once.
var planned = struct {
	sync.Mutex
	texts map[string]bool
}{texts: map[string]bool{}}

// reads are what the program asks a database of SQLite's for the first time. PostgreSQL knows how many rows a table
// has, and its plans of small tables say nothing.
type reads struct {
	fresh []read // under planned's lock
}

type read struct {
	store.Query
	by string // the function that asks
}

// heard fills up with what the program asks from now on. What tests ask themselves is left out.
func heard(t testing.TB, db *store.DB) *reads {
	t.Helper()
	r := &reads{}
	if db.Dialect() != store.SQLite {
		return r
	}
	register := func(db *gorm.DB) {
		on := db.Callback()
		require.NoError(t, on.Query().After("gorm:query").Register("test:reads", r.hear))
		require.NoError(t, on.Row().After("gorm:row").Register("test:reads", r.hear))
		require.NoError(t, on.Raw().After("gorm:raw").Register("test:reads", r.hear))
		require.NoError(t, on.Update().After("gorm:update").Register("test:reads", r.hear))
		require.NoError(t, on.Delete().After("gorm:delete").Register("test:reads", r.hear))
	}
	register(db.Read(t.Context()))
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		register(tx.DB)
		return nil
	}))
	return r
}

func (r *reads) hear(tx *gorm.DB) {
	text := tx.Statement.SQL.String()
	if tx.DryRun || !plannable.MatchString(text) {
		return // a part of another, or nothing that reads
	}
	planned.Lock()
	defer planned.Unlock()
	if planned.texts[text] {
		return
	}
	if by := asker(); by != "" && !whole.MatchString(by) {
		planned.texts[text] = true
		r.fresh = append(r.fresh, read{store.Query{SQL: text, Args: slices.Clone(tx.Statement.Vars)}, by})
	}
}

// asker is the nearest caller that is no plumbing; "" if that is a test or a test's help.
func asker() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "airtill/") && !plumbing.MatchString(frame.File) {
			if helping.MatchString(frame.File) {
				return ""
			}
			return frame.Function
		}
		if !more {
			return ""
		}
	}
}

// analyzed says whether a test told SQLite how many rows there are.
func analyzed(t testing.TB, db *store.DB) (told bool) {
	t.Helper()
	at := db.Read(context.WithoutCancel(t.Context())) // the test ends
	require.NoError(t,
		at.Raw("SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1')").Scan(&told).Error)
	return told
}

// leave has other tests plan what was asked.
func leave(asked []read) {
	planned.Lock()
	defer planned.Unlock()
	for _, one := range asked {
		delete(planned.texts, one.SQL)
	}
}

// requireFew fails if something reads more, the more was sold.
func (r *reads) requireFew(t testing.TB, db *store.DB) {
	t.Helper()
	planned.Lock()
	fresh := r.fresh
	planned.Unlock()
	if len(fresh) > 0 && analyzed(t, db) {
		leave(fresh)
		return
	}
	for _, asked := range fresh {
		if slices.ContainsFunc(allowed, func(part string) bool { return strings.Contains(asked.SQL, part) }) {
			continue
		}
		plan := Plan(t, db, asked.SQL, asked.Args...)
		for step := range strings.Lines(plan) {
			if readsMuch(asked.SQL, plan, strings.TrimSpace(step)) {
				t.Errorf("%s reads more, the more was sold:\n%s\n%s", asked.by, asked.SQL, plan)
				break
			}
		}
	}
}

var (
	plannable = regexp.MustCompile(`(?is)^\s*(SELECT|WITH|UPDATE|DELETE\b.*\bWHERE)\b`)
	plumbing  = regexp.MustCompile(`/internal/(store|harness/storetest)/`)
	// whole is who reads all there is on purpose: books are checked, a copy is brought back, a chain is first signed.
	whole    = regexp.MustCompile(`^airtill/internal/(invariant|restore)\.|^airtill/internal/audit\.\(\*Log\)\.Begin\.`)
	helping  = regexp.MustCompile(`_test\.go$|/internal/harness/`)
	planStep = regexp.MustCompile(`^(SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?INDEX (\w+)(?: \((.*)\))?)?`)
	named    = regexp.MustCompile("(?i)(?:FROM|JOIN|UPDATE|,)\\s+[`\"]?(\\w+)[`\"]?(?:\\s+(?:AS\\s+)?(\\w+))?")

	sorted = regexp.MustCompile(`TEMP B-TREE FOR (LAST .*|RIGHT .*)?ORDER BY`)

	// growing tables have more rows, the more was sold or the longer the till is in use.
	growing = regexp.MustCompile(`^(sales|sale_events|attempts|postings|prints|audit_entries|webhooks|` +
		`upstream_balances|rollups|breaks|break_acts|shifts|incidents|cancellations|verdicts|cash_moves|` +
		`drawer_counts|z_reports)$`)
	// few are the indexes of what is still to be dealt with.
	few = regexp.MustCompile(`_(not_final|not_final_newest|unsettled|owed|due|open_at_till|open_to_number|unjudged|` +
		`unresolved|one_open_per_till|of_counts|one_open)$`)
	// broad is a search that finds a part of all there ever was.
	broad = regexp.MustCompile(`^(shop_id|till_id|cashier_id|account|kind|state|sku_code|action|user_id|cube|` +
		`cube=\? AND level|account=\? AND currency)=\?$|^sale_id>\?$`)
	// ofOne are searches for the shifts and differences of one till, shop or person: a few a day.
	ofOne = regexp.MustCompile(`^(shifts|breaks) (shop_id|till_id|cashier_id)=\?$`)

	// allowed read to the first row, or all of what they are about.
	allowed = []string{
		"EXISTS (SELECT 1 FROM upstream_balances)", "EXISTS (SELECT 1 FROM webhooks)", // first steps
		"EXISTS (SELECT 1 FROM printers)", "EXISTS (SELECT 1 FROM sales WHERE fulfilment = 'complete')",
		"SELECT COALESCE(MIN(id), '') FROM sales WHERE shop_id = ?",
		"SELECT * FROM `audit_entries` ORDER BY seq", "LEFT JOIN z_reports z ON z.shift_id = s.id", // checks
		"SELECT kind, SUM(micros) AS micros FROM postings WHERE account = ?", // of a shift
		"SELECT COALESCE(MIN(p.id) - 1, ?) FROM shifts h",                    // a shop's first statement
		"`audit_entries`.`action` = ? ORDER BY seq DESC ",                    // a screen has a limit
		"SELECT * FROM `sales` WHERE cashier_id = ? ORDER",                   // a screen has days
		"SELECT * FROM `sales` WHERE till_id = ? ORDER",
		"SELECT count(*) FROM `sales`", "GROUP BY fulfilment, cash, price_currency", // a list's file
	}
)

func readsMuch(question, plan, step string) bool {
	found := planStep.FindStringSubmatch(step)
	if found == nil {
		return false
	}
	table := found[2]
	for _, name := range named.FindAllStringSubmatch(question, -1) {
		if name[2] == table {
			table = name[1]
		}
	}
	if !growing.MatchString(table) || few.MatchString(found[3]) {
		return false
	}
	if found[1] == "SEARCH" && (!broad.MatchString(found[4]) || ofOne.MatchString(table+" "+found[4])) {
		return false
	}
	inOrder := strings.Contains(question, "LIMIT") && !sorted.MatchString(plan)
	return found[3] == "" || !inOrder
}
