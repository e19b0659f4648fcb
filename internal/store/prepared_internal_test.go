package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// preparedOn returns one connection to a new database with a table of three rows.
func preparedOn(t testing.TB) *sql.Conn {
	t.Helper()
	db, err := openPrepared(sqliteDSN(filepath.Join(t.TempDir(), "db"), ""), new(damage))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	for _, text := range []string{"CREATE TABLE t (id INTEGER PRIMARY KEY)", "INSERT INTO t VALUES (1), (2), (3)"} {
		_, err = conn.ExecContext(t.Context(), text)
		require.NoError(t, err)
	}
	return conn
}

// compiled returns a connection's statement for a text, nil if it remembers none.
func compiled(t *testing.T, conn *sql.Conn, text string) (p *preparedStmt) {
	t.Helper()
	require.NoError(t, conn.Raw(func(c any) error {
		if known := c.(*preparedConn).known[text]; known != nil {
			p = known.Value.(*preparedStmt)
		}
		return nil
	}))
	return p
}

// asked returns what goes wrong with a question.
func asked(ctx context.Context, conn *sql.Conn, text string, args ...any) error {
	rows, err := conn.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return rows.Err()
}

func numbers(t *testing.T, rows *sql.Rows, err error) (all []int) {
	t.Helper()
	require.NoError(t, err)
	for rows.Next() {
		var n int
		require.NoError(t, rows.Scan(&n))
		all = append(all, n)
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	return all
}

func TestAStatementIsCompiledOnce(t *testing.T) {
	t.Parallel()
	conn := preparedOn(t)
	const after = "-- name: After :many\nSELECT id FROM t WHERE id > ? ORDER BY id"
	ask := func(id int) []int {
		rows, err := conn.QueryContext(t.Context(), after, id)
		return numbers(t, rows, err)
	}
	require.Equal(t, []int{2, 3}, ask(1))
	first := compiled(t, conn, after)
	require.NotNil(t, first)
	require.Equal(t, []int{3}, ask(2))
	require.Empty(t, ask(3))
	require.Equal(t, []int{1, 2, 3}, ask(0))
	require.Same(t, first, compiled(t, conn, after))
	require.Nil(t, compiled(t, conn, "CREATE TABLE t (id INTEGER PRIMARY KEY)"))

	const add = "INSERT INTO t VALUES (?)"
	for id := 4; id < 6; id++ {
		result, err := conn.ExecContext(t.Context(), add, id)
		require.NoError(t, err)
		touched, err := result.RowsAffected()
		require.NoError(t, err)
		require.EqualValues(t, 1, touched)
	}
	_, err := conn.ExecContext(t.Context(), add, 5)
	require.ErrorContains(t, err, "UNIQUE")
	require.Nil(t, compiled(t, conn, add), "what failed is compiled anew")
	_, err = conn.ExecContext(t.Context(), add, 6)
	require.NoError(t, err)
	require.Equal(t, []int{4, 5, 6}, ask(3))
}

func TestAQuestionIsAskedWhileItsAnswerIsRead(t *testing.T) {
	t.Parallel()
	conn := preparedOn(t)
	const all = "SELECT id FROM t ORDER BY id"
	outer, err := conn.QueryContext(t.Context(), all)
	require.NoError(t, err)
	require.True(t, outer.Next())
	rows, err := conn.QueryContext(t.Context(), all)
	require.Equal(t, []int{1, 2, 3}, numbers(t, rows, err))
	for i := range 2 * preparedMost { // the one being read is no longer among those asked last
		rows, err := conn.QueryContext(t.Context(), fmt.Sprintf("SELECT id + %d FROM t", i))
		numbers(t, rows, err)
	}
	require.Nil(t, compiled(t, conn, all))
	require.NoError(t, conn.Raw(func(c any) error {
		require.Len(t, c.(*preparedConn).known, preparedMost)
		require.Equal(t, preparedMost, c.(*preparedConn).recent.Len())
		return nil
	}))
	require.Equal(t, []int{2, 3}, numbers(t, outer, nil))
	rows, err = conn.QueryContext(t.Context(), all)
	require.Equal(t, []int{1, 2, 3}, numbers(t, rows, err))
}

func TestACompiledStatementFollowsTheSchema(t *testing.T) {
	t.Parallel()
	conn := preparedOn(t)
	columns := func() []string {
		rows, err := conn.QueryContext(t.Context(), "SELECT * FROM t")
		require.NoError(t, err)
		defer rows.Close()
		names, err := rows.Columns()
		require.NoError(t, err)
		require.NoError(t, rows.Err())
		return names
	}
	change := func(text string) {
		_, err := conn.ExecContext(t.Context(), text)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"id"}, columns())
	change("ALTER TABLE t ADD name TEXT")
	require.Equal(t, []string{"id", "name"}, columns())
	change("DROP TABLE t")
	require.ErrorContains(t, asked(t.Context(), conn, "SELECT * FROM t"), "no such table")
	change("CREATE TABLE t (other TEXT)")
	require.Equal(t, []string{"other"}, columns())
}

func TestAQuestionNobodyWaitsForEnds(t *testing.T) {
	t.Parallel()
	conn := preparedOn(t)
	const long = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n"
	patience, cancel := context.WithCancel(t.Context())
	go cancel()
	require.ErrorIs(t, asked(patience, conn, long, 1<<40), context.Canceled)
	rows, err := conn.QueryContext(t.Context(), long, 10)
	require.Equal(t, []int{10}, numbers(t, rows, err))
}

// BenchmarkAskingByKey compares with the driver as it comes, which compiles each time.
func BenchmarkAskingByKey(b *testing.B) {
	conn := preparedOn(b)
	for name, how := range map[string]func(*testing.B, string){
		"compiled once": func(b *testing.B, text string) {
			b.Helper()
			for b.Loop() {
				var id int
				require.NoError(b, conn.QueryRowContext(b.Context(), text, 2).Scan(&id))
			}
		},
		"compiled each time": func(b *testing.B, text string) {
			b.Helper()
			for b.Loop() {
				func() {
					var id int
					statement, err := conn.PrepareContext(b.Context(), text)
					require.NoError(b, err)
					defer statement.Close()
					require.NoError(b, statement.QueryRowContext(b.Context(), 2).Scan(&id))
				}()
			}
		},
	} {
		b.Run(name, func(b *testing.B) { how(b, "SELECT id FROM t WHERE id = ?") })
	}
}
