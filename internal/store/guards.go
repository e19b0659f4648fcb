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

// guardMade matches what migrations make: a trigger of either dialect, whole on SQLite, or a function of
// PostgreSQL with its body.
var guardMade = map[Dialect]*regexp.Regexp{
	SQLite: regexp.MustCompile(`(?s)CREATE (TRIGGER) (\w+)\s(.*?\bEND);`),
	Postgres: regexp.MustCompile(`(?s)CREATE (?:OR REPLACE )?(TRIGGER|FUNCTION) (\w+)` +
		`(?:\(\) RETURNS trigger LANGUAGE plpgsql AS \$\$(.*?)\$\$)?`),
}

var guardDropped = regexp.MustCompile(`DROP TRIGGER (?:IF EXISTS )?(\w+)`)

// guards are the triggers and functions that the migrations make, with what the database stores of them:
// SQLite the text of a trigger, PostgreSQL that of a function.
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
			want[strings.ToLower(string(made[1]))+" "+string(made[2])] = squeezed(string(made[3]))
		}
	}
	return want, nil
}

// squeezed is SQL without its line breaks.
func squeezed(sql string) string { return strings.Join(strings.Fields(sql), " ") }

// Guards compares the triggers with the migrations. It returns those missing, switched off or changed, and how
// many there should be.
func (db *DB) Guards(ctx context.Context) (offences []Guard, checked int64, err error) {
	want, err := db.guards()
	if err != nil {
		return nil, 0, fmt.Errorf("check triggers: %w", err)
	}
	sql := `SELECT 'trigger ' || tgname AS name, CASE WHEN tgenabled = 'D' THEN 'off' ELSE '' END AS body
		FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'function ' || proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace`
	if db.dialect == SQLite {
		sql = "SELECT 'trigger ' || name AS name, sql AS body FROM sqlite_master WHERE type = 'trigger'"
	}
	var rows []struct{ Name, Body string }
	if err := db.Read(ctx).Raw(sql).Scan(&rows).Error; err != nil {
		return nil, 0, fmt.Errorf("check triggers: %w", err)
	}
	there := map[string]string{}
	for _, row := range rows {
		_, body, whole := strings.Cut(squeezed(row.Body), strings.TrimPrefix(row.Name, "trigger ")+" ")
		if db.dialect == Postgres || !whole {
			body = squeezed(row.Body)
		}
		there[row.Name] = body
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch body, found := there[name]; {
		case !found:
			offences = append(offences, Guard{name, "missing"})
		case body == "off":
			offences = append(offences, Guard{name, "off"})
		case body != want[name]:
			offences = append(offences, Guard{name, "changed"})
		}
	}
	return offences, int64(len(want)), nil
}
