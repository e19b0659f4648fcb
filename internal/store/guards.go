package store

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"airtill/migrations"
)

// Guard is a trigger, or on PostgreSQL a trigger's function, that differs from the migrations: missing,
// off or changed.
type Guard struct{ Name, Problem string }

// guardMade matches what migrations make: a whole trigger of either dialect, or a function of PostgreSQL with its
// body.
var guardMade = map[Dialect]*regexp.Regexp{
	SQLite: regexp.MustCompile(`(?s)CREATE (TRIGGER) (\w+)\s(.*?\bEND);`),
	Postgres: regexp.MustCompile(`(?s)CREATE (?:OR REPLACE )?(TRIGGER|FUNCTION) (\w+)` +
		`(?:\(\) RETURNS trigger LANGUAGE plpgsql AS )?(\$\$.*?\$\$|[^$]*?);`),
}

var guardDropped = regexp.MustCompile(`DROP TRIGGER (?:IF EXISTS )?(\w+)`)

// guards are the triggers and functions that the migrations make, with their texts as read by guardText.
func (db *DB) guards() (map[string]string, error) {
	files, err := timeline(migrations.FS, db.dialect)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	want := map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		for _, dropped := range guardDropped.FindAllSubmatch(text, -1) {
			delete(want, "trigger "+string(dropped[1]))
		}
		for _, made := range guardMade[db.dialect].FindAllSubmatch(text, -1) {
			name := strings.ToLower(string(made[1])) + " " + string(made[2])
			want[name] = db.guardText(name, strings.Trim(string(made[3]), "$"))
		}
	}
	return want, nil
}

// guardText is what is compared of a trigger or function: a trigger's text after its name, a function's body.
func (db *DB) guardText(name, text string) string {
	text = squeezed(text)
	name, trigger := strings.CutPrefix(name, "trigger ")
	if _, after, whole := strings.Cut(text, name+" "); trigger && whole {
		text = after
	}
	if !trigger || db.dialect == SQLite {
		return text
	}
	// PostgreSQL writes a trigger its own way: in small letters, with more brackets, its events in another order.
	text = strings.NewReplacer("(", "", ")", "").Replace(strings.ToLower(text))
	when, rest, _ := strings.Cut(text, " on ")
	moment, events, _ := strings.Cut(when, " ")
	each := strings.Split(events, " or ")
	slices.Sort(each)
	return moment + " " + strings.Join(each, " or ") + " on " + rest
}

// squeezed is SQL without its line breaks.
func squeezed(sql string) string { return strings.Join(strings.Fields(sql), " ") }

// switchedOff stands for the text of a trigger that does not fire, as one for replicas only.
const switchedOff = "off"

// Guards compares the triggers with the migrations. It returns those missing, switched off or changed, and how
// many there should be.
func (db *DB) Guards(ctx context.Context) (offences []Guard, checked int64, err error) {
	want, err := db.guards()
	if err != nil {
		return nil, 0, fmt.Errorf("check triggers: %w", err)
	}
	sql := `SELECT 'trigger ' || tgname AS name,
		CASE WHEN tgenabled IN ('O', 'A') THEN pg_get_triggerdef(t.oid, TRUE) ELSE '` + switchedOff + `' END AS body
		FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
		WHERE NOT tgisinternal AND c.relnamespace = current_schema()::regnamespace
UNION ALL SELECT 'function ' || proname, prosrc FROM pg_proc
		WHERE pronamespace = current_schema()::regnamespace AND pronargs = 0`
	if db.dialect == SQLite {
		sql = "SELECT 'trigger ' || name AS name, sql AS body FROM sqlite_master WHERE type = 'trigger'"
	}
	var rows []struct{ Name, Body string }
	if err := db.Read(ctx).Raw(sql).Scan(&rows).Error; err != nil {
		return nil, 0, fmt.Errorf("check triggers: %w", err)
	}
	there := map[string][]string{} // PostgreSQL knows a trigger's name once for each table
	for _, row := range rows {
		if row.Body != switchedOff {
			row.Body = db.guardText(row.Name, row.Body)
		}
		there[row.Name] = append(there[row.Name], row.Body)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch found := there[name]; {
		case slices.Contains(found, want[name]):
		case len(found) == 0:
			offences = append(offences, Guard{name, "missing"})
		case slices.Contains(found, switchedOff):
			offences = append(offences, Guard{name, switchedOff})
		default:
			offences = append(offences, Guard{name, "changed"})
		}
	}
	return offences, int64(len(want)), nil
}
