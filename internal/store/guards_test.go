package store_test

import (
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// A trigger that was taken away, switched off or emptied is named.
func TestGuardsThatAreGoneAreNamed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		found, checked, err := db.Guards(t.Context())
		require.NoError(t, err)
		require.Empty(t, found)
		require.Greater(t, checked, int64(10))
		harm := map[string]store.Guard{
			"DROP TRIGGER postings_no_delete": {Name: "trigger postings_no_delete", Problem: "missing"},
			"DROP TRIGGER sale_events_no_update; CREATE TRIGGER sale_events_no_update BEFORE UPDATE ON sale_events BEGIN SELECT 1; END": {Name: "trigger sale_events_no_update", Problem: "changed"},
		}
		if db.Dialect() == store.Postgres {
			harm = map[string]store.Guard{
				"DROP TRIGGER postings_append_only ON postings":                                                               {Name: "trigger postings_append_only", Problem: "missing"},
				"ALTER TABLE sale_events DISABLE TRIGGER ALL":                                                                 {Name: "trigger sale_events_append_only", Problem: "off"},
				"CREATE OR REPLACE FUNCTION forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$": {Name: "function forbid_change", Problem: "changed"},
			}
		}
		for sql, want := range harm {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				return tx.Exec(sql).Error
			}))
			found, _, err := db.Guards(t.Context())
			require.NoError(t, err)
			require.Contains(t, found, want)
		}
	})
}

// PostgreSQL has many ways to leave a trigger in its place and take its effect: each is named.
func TestGuardsThatNoLongerGuardAreNamed(t *testing.T) {
	t.Parallel()
	const again = "CREATE TRIGGER postings_append_only BEFORE "
	const forbids = " FOR EACH STATEMENT EXECUTE FUNCTION forbid_change()"
	const drop = "DROP TRIGGER postings_append_only ON postings; "
	trigger, function := "trigger postings_append_only", "function forbid_change"
	for name, c := range map[string]struct {
		sql  string
		want store.Guard
	}{
		"on another table":         {drop + again + "UPDATE OR DELETE OR TRUNCATE ON epochs" + forbids, store.Guard{Name: trigger, Problem: "changed"}},
		"and on another table too": {drop + "CREATE SCHEMA aside; CREATE TABLE aside.postings (id BIGINT); " + again + "UPDATE OR DELETE OR TRUNCATE ON aside.postings" + forbids, store.Guard{Name: trigger, Problem: "missing"}},
		"for less":                 {drop + again + "TRUNCATE ON postings" + forbids, store.Guard{Name: trigger, Problem: "changed"}},
		"for some columns":         {drop + again + "UPDATE OF line OR DELETE OR TRUNCATE ON postings" + forbids, store.Guard{Name: trigger, Problem: "changed"}},
		"never":                    {drop + again + "UPDATE OR DELETE OR TRUNCATE ON postings FOR EACH STATEMENT WHEN (FALSE) EXECUTE FUNCTION forbid_change()", store.Guard{Name: trigger, Problem: "changed"}},
		"by another function":      {drop + again + "UPDATE OR DELETE OR TRUNCATE ON postings FOR EACH STATEMENT EXECUTE FUNCTION suppress_redundant_updates_trigger()", store.Guard{Name: trigger, Problem: "changed"}},
		"on replicas only":         {"ALTER TABLE postings ENABLE REPLICA TRIGGER postings_append_only", store.Guard{Name: trigger, Problem: "off"}},
		"behind a namesake": {
			"CREATE OR REPLACE FUNCTION forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; " +
				"CREATE FUNCTION forbid_change(INTEGER) RETURNS INTEGER LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$",
			store.Guard{Name: function, Problem: "changed"},
		},
		"when something else holds": {
			"DROP TRIGGER closed_shifts_stay ON shifts; CREATE TRIGGER closed_shifts_stay BEFORE UPDATE OR DELETE ON shifts " +
				"FOR EACH ROW WHEN (OLD.closed_at IS NULL) EXECUTE FUNCTION forbid_change()",
			store.Guard{Name: "trigger closed_shifts_stay", Problem: "changed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				if db.Dialect() == store.SQLite {
					return // it stores the whole text of a trigger, and a name has one trigger
				}
				require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
					storetest.AsOwner(t, tx)
					return tx.Exec(c.sql).Error
				}))
				found, _, err := db.Guards(t.Context())
				require.NoError(t, err)
				require.Equal(t, []store.Guard{c.want}, found)
			})
		})
	}
}

// The program works as a role that owns nothing: what it must not change it could
// not change without triggers either.
func TestTheProgramOwnsNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		owner, err := db.Owner(t.Context())
		require.NoError(t, err)
		require.False(t, owner)
		if db.Dialect() == store.SQLite {
			return
		}
		for _, sql := range []string{
			"UPDATE postings SET micros = 1", "DELETE FROM audit_entries", "TRUNCATE sale_events", "DELETE FROM audit_head", "DELETE FROM statements",
			"ALTER TABLE postings DISABLE TRIGGER ALL", "DROP TRIGGER postings_append_only ON postings", "DROP TABLE users", "CREATE TABLE mine (id TEXT)",
			"CREATE OR REPLACE FUNCTION forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
			"SET LOCAL session_replication_role = replica",
		} {
			err := db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(sql).Error })
			require.Error(t, err, sql)
			require.Regexp(t, "permission denied|must be owner", err.Error(), sql)
		}
		require.NoError(t, db.Migrate(t.Context()), "which is the owner's")
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(insertPosting, "r", 1, 5, noon).Error }))
	})
}

// Who makes reports reads with a role that sees no secret and no session, and writes
// nothing.
func TestTheRoleForReportsReadsAndSeesNoSecret(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			return // it knows no roles
		}
		require.NoError(t, db.Migrate(t.Context()))
		as := func(sql string) error {
			return db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				require.NoError(t, tx.Exec("SET LOCAL ROLE airtill_read").Error)
				return tx.Exec(sql).Error
			})
		}
		for _, sql := range []string{
			"SELECT id, price_micros, account_number, fulfilment FROM sales", "SELECT * FROM postings", "SELECT username, role FROM users",
			"SELECT seq, action, hash FROM audit_entries", "SELECT id, till_id, closed_at FROM shifts", "SELECT ref, verdict FROM webhooks",
		} {
			require.NoError(t, as(sql), sql)
		}
		for _, sql := range []string{
			"SELECT sealed_receipt FROM sales", "SELECT serial_hash FROM sales", "SELECT sealed_body FROM webhooks", "SELECT password_hash FROM users",
			"SELECT 1 FROM sessions", "SELECT 1 FROM devices", "SELECT 1 FROM till_pins", "SELECT 1 FROM account_changes", "SELECT 1 FROM authenticators", "SELECT 1 FROM recovery_codes", "SELECT 1 FROM sign_ins", "SELECT 1 FROM passkeys", "SELECT 1 FROM challenges", "SELECT 1 FROM river_job",
			"INSERT INTO epochs VALUES ('x', 1)", "UPDATE users SET role = 'admin'", "DELETE FROM postings", "TRUNCATE sale_events", "CREATE TABLE mine (id TEXT)",
			"DROP TABLE sales", "ALTER TABLE postings DISABLE TRIGGER ALL", "SELECT nextval(pg_get_serial_sequence('postings', 'id'))",
		} {
			err := as(sql)
			require.Error(t, err, sql)
			require.Regexp(t, "permission denied|must be owner", err.Error(), sql)
		}
		var seen []string
		require.NoError(t, db.Read(t.Context()).Raw(`SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
			WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND c.relnamespace = current_schema()::regnamespace
			AND has_column_privilege('airtill_read', c.oid, a.attnum, 'SELECT')`).Scan(&seen).Error)
		require.NotEmpty(t, seen)
		for _, column := range seen {
			require.NotRegexp(t, `password|secret|sealed|token|credential|passkey|totp|recovery|^sessions|pin_hash`, column)
		}
	})
}

// What an owner adds while the program runs is the program's to use at once, and
// a DATABASE_URL of another role leaves the owner out.
func TestALoginOfItsOwn(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, address string) {
		db := storetest.Open(t, address)
		if db.Dialect() == store.SQLite {
			return
		}
		config, err := pgx.ParseConfig(address)
		require.NoError(t, err)
		owner, err := pgx.ConnectConfig(t.Context(), config)
		require.NoError(t, err)
		defer owner.Close(t.Context())
		_, err = owner.Exec(t.Context(), "CREATE TABLE added (id TEXT)")
		require.NoError(t, err)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec("INSERT INTO added VALUES ('x')").Error }))

		login := "airtill_login_" + config.Database
		for _, sql := range []string{"CREATE ROLE " + login + " LOGIN", "GRANT airtill_app TO " + login} {
			_, err = owner.Exec(t.Context(), sql)
			require.NoError(t, err)
		}
		at, err := url.Parse(address)
		require.NoError(t, err)
		at.User = url.User(login)
		apart, err := store.Open(t.Context(), at.String())
		require.NoError(t, err)
		require.NoError(t, apart.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(insertPosting, "r", 1, 5, noon).Error }))
		err = apart.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx) // the role that it signed in as, which owns as little
			return tx.Exec("ALTER TABLE postings DISABLE TRIGGER ALL").Error
		})
		require.ErrorContains(t, err, "must be owner")
		pending, err := apart.Pending(t.Context())
		require.NoError(t, err)
		require.False(t, pending)
		require.NoError(t, apart.Close())
		_, err = owner.Exec(t.Context(), "DROP ROLE "+login)
		require.NoError(t, err)
	})
}
