package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"airtill/internal/fault"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// appRole is the PostgreSQL role the program works as. It owns nothing, so it can neither change what is
// append-only nor drop the triggers. DATABASE_URL may name another as its parameter "role".
const appRole = "airtill_app"

// readRole is for people who write reports of their own: it reads, and sees nothing secret.
const readRole = "airtill_read"

func roleOf(params map[string]string) string {
	role := cmp.Or(params["role"], appRole)
	delete(params, "role") // migrations must run as the owner
	return role
}

// takeRole makes a connection work as a role, if it exists: before the first Migrate it does not.
func takeRole(ctx context.Context, conn *pgx.Conn, role string) error {
	_, err := conn.Exec(ctx, `SELECT set_config('role', rolname, false) FROM pg_roles
WHERE rolname = $1 AND pg_has_role(session_user, oid, 'MEMBER')
AND has_table_privilege(oid, to_regclass('postings'), 'INSERT')`, pgx.QueryExecModeExec, role)
	return err
}

// makeRole makes a role unless it exists; had says whether it does now. An owner who may not make roles is no
// error.
func (db *DB) makeRole(ctx context.Context, name string) (had bool, err error) {
	err = db.pool.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)", name).Scan(&had)
	if err != nil || had {
		return had, err
	}
	if _, err = db.pool.Exec(ctx, "CREATE ROLE "+pgx.Identifier{name}.Sanitize()+" NOLOGIN"); err != nil {
		return false, unlessForbidden(err)
	}
	return true, nil
}

// grant makes the role and grants it what the program does. New tables are granted as they are made, since old
// processes go on during Migrate. An owner who may not make roles is no error; Owner tells.
func (db *DB) grant(ctx context.Context, role string) error {
	if had, err := db.makeRole(ctx, role); err != nil || !had {
		return err
	}
	var member bool
	if err := db.pool.QueryRow(
		ctx, "SELECT pg_has_role(session_user, $1, 'MEMBER')", role,
	).Scan(&member); err != nil {
		return err
	}
	if !member {
		if _, err := db.pool.Exec(ctx, "GRANT "+pgx.Identifier{role}.Sanitize()+" TO SESSION_USER"); err != nil {
			return unlessForbidden(err)
		}
	}
	err := db.execMade(ctx, "SELECT format(made, current_schema(), $1::text) FROM unnest($2::text[]) AS made", role,
		[]string{
			"GRANT USAGE ON SCHEMA %I TO %I",
			"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I",
			"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO %I",
			"ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I",
			"ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT USAGE, SELECT ON SEQUENCES TO %I",
		})
	if err != nil {
		return err
	}
	return db.revoke(ctx, role)
}

// revoke takes from the role what triggers forbid as well, on tables known by the triggers' names.
func (db *DB) revoke(ctx context.Context, role string) error {
	return db.execMade(ctx, `SELECT format('REVOKE UPDATE, DELETE, TRUNCATE ON %s FROM %I', tgrelid::regclass, $1::text)
	FROM pg_trigger WHERE tgname LIKE '%\_append\_only'
UNION ALL SELECT format('REVOKE DELETE, TRUNCATE ON audit_head FROM %I', $1::text)`, role)
}

// execMade runs the statements that a question makes.
func (db *DB) execMade(ctx context.Context, question string, args ...any) error {
	rows, err := db.pool.Query(ctx, question, args...)
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, sql := range statements {
		if _, err := db.pool.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// grantReading lets readRole read what is neither secret nor a way to sign in, column by column, so that a
// later version's new column is hidden unless that version grants it.
func (db *DB) grantReading(ctx context.Context) error {
	if had, err := db.makeRole(ctx, readRole); err != nil || !had {
		return err
	}
	return db.execMade(ctx, `SELECT format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM `+readRole+`',
	current_schema())
UNION ALL SELECT format('GRANT USAGE ON SCHEMA %I TO `+readRole+`', current_schema())
UNION ALL (SELECT format('GRANT SELECT (%s) ON %I TO `+readRole+`', string_agg(quote_ident(a.attname), ', '), c.relname)
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
	WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attname !~ $1 AND NOT c.relname = ANY($2) AND `+ourTables+`
	GROUP BY c.relname)`, secretColumns, waysIn())
}

// secretColumns are known by their names.
const secretColumns = `password|secret|sealed|token|credential|recovery|_hash$|_pin$|_key$`

// waysIn are tables of how people sign in, or are about to.
func waysIn() []string {
	return []string{
		"sessions", "devices", "device_users", "login_tries", "till_pins", "account_changes",
		"authenticators", "recovery_codes", "sign_ins", "passkeys", "challenges",
		"refused_arrivals",
	}
}

// unlessForbidden passes on every error except a missing privilege.
func unlessForbidden(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" {
		return nil
	}
	return fmt.Errorf("make the role of the program: %w", err)
}

// Owner says whether the program works as the owner of its tables, who could drop the triggers that protect
// them. SQLite has no roles.
func (db *DB) Owner(ctx context.Context) (owner bool, err error) {
	if db.dialect == SQLite {
		return false, nil
	}
	const sql = `SELECT r.rolsuper OR pg_has_role(current_user, c.relowner, 'USAGE') FROM pg_class c, pg_roles r
WHERE c.oid = to_regclass('postings') AND r.rolname = current_user`
	err = db.Read(ctx).Raw(sql).Scan(&owner).Error
	return owner, fault.Doing("look up the program's role", err)
}
