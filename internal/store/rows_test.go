package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

type posting struct {
	Journal string
	Micros  *int64
	SaleID  *string
	At      time.Time
}

// TestQuestionsAreAskedTogether: what they find is as if each were asked by itself.
func TestQuestionsAreAskedTogether(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var all, none []posting
		var sum int64
		const from = " FROM postings WHERE line "
		questions := []store.Query{
			{SQL: "SELECT " + store.Columns[posting]() + from + "IN (?, ?) ORDER BY line", Args: []any{1, 2}, Row: store.RowsOf(&all)},
			{SQL: "SELECT SUM(micros) FROM postings", Row: func(scan store.Scanner) error { return scan(&sum) }},
			{SQL: "SELECT " + store.Columns[posting]() + from + "= 9", Row: store.RowsOf(&none)},
			{SQL: "SELECT 1"},
		}
		check := func(err error) {
			t.Helper()
			require.NoError(t, err)
			five, minus := int64(5), int64(-7)
			require.Equal(t, []posting{{"x", &five, nil, noon}, {"x", &minus, nil, noon}}, all)
			require.EqualValues(t, -2, sum)
			require.Empty(t, none)
			all, sum = nil, 0
		}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.ExecAll(t.Context(),
				store.Statement{SQL: insertPosting, Args: []any{"x", 1, 5, noon}},
				store.Statement{SQL: insertPosting, Args: []any{"x", 2, -7, noon}})
			require.NoError(t, err)
			check(tx.Rows(t.Context(), tx.Locked("x", questions...)...))
			return nil
		}))
		check(db.Rows(t.Context(), questions...))
		require.ErrorContains(t, db.Rows(t.Context(), questions[3], store.Query{SQL: "SELECT no_such_column FROM postings"}), "no_such_column")
		require.NoError(t, db.Rows(t.Context()))
	})
}

// TestRowsHoldWhatIsKeptAsJSON: each row its own, and none what the row before it had.
func TestRowsHoldWhatIsKeptAsJSON(t *testing.T) {
	t.Parallel()
	type bundle struct {
		Names []string `gorm:"serializer:json"`
		Count int
	}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var all []bundle
		require.NoError(t, db.Rows(t.Context(), store.Query{
			SQL: `SELECT * FROM (SELECT '["a","b"]' AS names, 2 AS count UNION ALL SELECT '["c"]', 1 UNION ALL SELECT '', 0
				UNION ALL SELECT NULL, -1) AS rows ORDER BY count DESC`,
			Row: store.RowsOf(&all),
		}))
		require.Equal(t, []bundle{{[]string{"a", "b"}, 2}, {[]string{"c"}, 1}, {nil, 0}, {nil, -1}}, all)
		bad := store.Query{SQL: "SELECT '[1' AS names, 1 AS count", Row: store.RowsOf(&all)}
		require.ErrorContains(t, db.Rows(t.Context(), bad), "JSON")
		bad.SQL = "SELECT 1 AS names, 1 AS count"
		require.Error(t, db.Rows(t.Context(), bad))
	})
}

// TestWhatWasAskedAheadAnswersOnce: only who asks the same gets the answer, and whoever
// asks again is told what has become of it.
func TestWhatWasAskedAheadAnswersOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		post := func(journal string) {
			require.NoError(t, db.Exec(t.Context(), insertPosting, journal, 1, 5, noon))
		}
		count := func(journal string, n *int) store.Asked {
			return store.Asking[int]{
				Key: "count " + journal, SQL: "SELECT COUNT(*) FROM postings WHERE journal = ?", Args: []any{journal}, Into: n,
				Row: func(scan store.Scanner) error { return scan(n) },
			}
		}
		var first, a, ahead int
		one := store.Query{SQL: "SELECT 1", Row: func(scan store.Scanner) error { return scan(&first) }}
		post("a")
		answers, err := db.Foresee(t.Context(), one, count("a", &ahead))
		require.NoError(t, err)
		require.Equal(t, 1, first)
		ctx := t.Context()
		if answers != nil {
			ctx = store.WithAhead(ctx, answers)
		}
		before := db.Counts()
		require.NoError(t, db.Answer(ctx, count("a", &a)))
		require.Equal(t, 1, a)
		require.Zero(t, db.Counts().Sub(before))
		var b int
		require.NoError(t, db.Answer(ctx, count("b", &b)))
		require.Zero(t, b)
		require.NoError(t, db.Exec(ctx, insertPosting, "a", 2, 5, noon))
		require.NoError(t, db.Answer(ctx, count("a", &a), count("b", &b)))
		require.Equal(t, 2, a)

		first = 0
		wrong := store.Asking[int]{SQL: "SELECT no_such_column", Into: &a}
		answers, err = db.Foresee(t.Context(), one, wrong)
		require.NoError(t, err, "what comes first is not lost with what may not be wanted")
		require.Nil(t, answers)
		require.Equal(t, 1, first)
	})
}

// TestGuardedWritesAllOrNothing.
func TestGuardedWritesAllOrNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		require.NoError(t, db.Exec(t.Context(), "INSERT INTO epochs (name, n) VALUES ('x', 1)"))
		insert := func(name string) store.Statement {
			return store.Statement{SQL: "INSERT INTO epochs (name, n) SELECT ?, ?", Args: []any{name, 7}}
		}
		moved := func(from int, then ...store.Statement) (bool, error) {
			return db.Guarded(t.Context(), store.Statement{
				SQL: "UPDATE epochs SET n = ? WHERE name = 'x' AND n = ?", Args: []any{from + 1, from},
			}, then...)
		}
		is := func(n, others int64) {
			t.Helper()
			var got []int64
			require.NoError(t, db.Read(t.Context()).Raw(
				"SELECT n FROM epochs WHERE name = 'x' UNION ALL SELECT COUNT(*) FROM epochs WHERE n = 7").Scan(&got).Error)
			require.Equal(t, []int64{n, others}, got)
		}
		wrote, err := moved(1, insert("y"), insert("z"))
		require.NoError(t, err)
		require.True(t, wrote)
		is(2, 2)
		wrote, err = moved(1, insert("w"))
		require.NoError(t, err)
		require.False(t, wrote)
		is(2, 2)
		_, err = moved(2, insert("y"))
		require.ErrorContains(t, err, "duplicated key")
		require.Equal(t, fault.Internal, fault.KindOf(err))
		is(2, 2)
	})
}

// TestAQuestionOutlivesAMigration: a statement prepared before a column changed its type is refused once.
func TestAQuestionOutlivesAMigration(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("it prepares anew by itself")
		}
		asOwner := func(statements ...string) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				for _, sql := range statements {
					require.NoError(t, tx.Exec(sql).Error)
				}
				return nil
			}))
		}
		asOwner("CREATE TABLE growing (n INTEGER)", "INSERT INTO growing VALUES (7)", "GRANT SELECT ON growing TO PUBLIC")
		var n int64
		ask := func() error {
			return db.Rows(t.Context(), store.Query{SQL: "SELECT n FROM growing", Row: func(scan store.Scanner) error { return scan(&n) }})
		}
		require.NoError(t, ask())
		asOwner("ALTER TABLE growing ALTER n TYPE BIGINT USING 5000000000")
		_ = ask() // it may be refused
		require.NoError(t, ask())
		require.EqualValues(t, 5000000000, n)
	})
}
