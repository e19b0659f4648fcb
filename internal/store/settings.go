package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// settings are values of PostgreSQL's, by name.
type settings map[string]string

// settingsBeside are what every connection has unless DATABASE_URL says otherwise, whatever the server, the database or
// the role gives others.
func settingsBeside(named map[string]string) settings {
	all := settings{
		"application_name":                    "airtill",
		"timezone":                            "UTC",
		"datestyle":                           "ISO",            // sealed rows have their times as text
		"default_transaction_isolation":       "read committed", // what waited for a row sees what became of it
		"idle_in_transaction_session_timeout": "60s",            // a frozen process must not lock a sale for longer
		// because of estimates over millions of sales, it compiled questions of milliseconds for half a second
		"jit": "off",
		// starting a worker takes longer than a report reads; a look at all sales still gets several
		"parallel_setup_cost": "20000",
		// texts come and go as UTF-8, and a backslash is one
		"client_encoding":             "UTF8",
		"standard_conforming_strings": "on",
		// limits are for questions of people: a migration or a report takes longer, its lock is held by a connection
		// that does nothing else, and what must not last has an end of its own
		"statement_timeout":    "0",
		"transaction_timeout":  "0",
		"lock_timeout":         "0",
		"idle_session_timeout": "0",
	}
	for name := range named {
		delete(all, strings.ToLower(name))
	}
	return all
}

// set sets those that this PostgreSQL knows. They do not go with the request for a connection: a pooler refuses one
// that has others than it knows, or drops them without a word.
func (s settings) set(ctx context.Context, conn *pgx.Conn) error {
	var names, values []string
	for name, value := range s {
		names, values = append(names, name), append(values, value)
	}
	_, err := conn.Exec(ctx, `SELECT set_config(name, value, false)
FROM unnest($1::text[], $2::text[]) AS setting (name, value)
WHERE current_setting(name, true) IS NOT NULL`, pgx.QueryExecModeExec, names, values)
	if err != nil {
		return fmt.Errorf("set up a connection: %w", err)
	}
	return nil
}
