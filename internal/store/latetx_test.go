package store

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
)

func openTestPostgres(t *testing.T) *DB {
	t.Helper()
	url := os.Getenv("TEST_DATABASE_URL")
	if url == "" {
		t.Skip("TEST_DATABASE_URL is not set: PostgreSQL was not used")
	}
	db, err := openPostgres(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// TestATransactionBeginsWithItsFirstStatements: BEGIN takes no round trip of its own.
func TestATransactionBeginsWithItsFirstStatements(t *testing.T) {
	t.Parallel()
	db := openTestPostgres(t)
	one := Statement{SQL: "SELECT pg_current_xact_id()"}
	var n int
	ask := Query{SQL: "SELECT ?::int", Args: []any{7}, Row: func(scan Scanner) error { return scan(&n) }}
	stop := errors.New("stop")
	for name, step := range map[string]struct {
		fn    func(tx *Tx) error
		costs Counts
		err   error
	}{
		"nothing": {func(*Tx) error { return nil }, Counts{}, nil},
		"a batch, then another": {func(tx *Tx) error {
			_, err := tx.ExecAll(t.Context(), one, one)
			return errors.Join(err, tx.Rows(t.Context(), ask, ask))
		}, Counts{Commits: 1, Statements: 4, Trips: 3}, nil},
		"a question, then a batch": {func(tx *Tx) error {
			err := tx.Raw("SELECT 1").Scan(new(int)).Error
			_, then := tx.ExecAll(t.Context(), one)
			return errors.Join(err, then)
		}, Counts{Commits: 1, Statements: 2, Trips: 4}, nil},
		"a batch, then the last": {func(tx *Tx) error {
			require.NoError(t, tx.Rows(t.Context(), ask))
			require.NoError(t, tx.ExecLast(t.Context(), one, one))
			require.Error(t, tx.Exec("SELECT 1").Error, "it would stand by itself")
			_, err := tx.ExecAll(t.Context(), one)
			require.Error(t, err)
			return nil
		}, Counts{Commits: 1, Statements: 3, Trips: 2}, nil},
		"what is sent soon goes together, before the next question and before COMMIT": {func(tx *Tx) error {
			touched := func(rows []int64) error {
				require.Equal(t, []int64{1, 1}, rows)
				return nil
			}
			require.NoError(t, tx.ExecSoon(t.Context(), touched, one, one))
			require.NoError(t, tx.ExecSoon(t.Context(), touched, one, one))
			require.NoError(t, tx.Raw("SELECT 1").Scan(new(int)).Error)
			return tx.ExecSoon(t.Context(), touched, one, one)
		}, Counts{Commits: 1, Statements: 7, Trips: 4}, nil},
		"what is sent soon touches other rows than it should": {func(tx *Tx) error {
			return tx.ExecSoon(t.Context(), func([]int64) error { return stop }, one)
		}, Counts{Statements: 1, Trips: 2}, stop},
		"the last alone": {func(tx *Tx) error {
			return tx.ExecLast(t.Context(), one)
		}, Counts{Commits: 1, Statements: 1, Trips: 1}, nil},
		"a batch that is taken back": {func(tx *Tx) error {
			require.NoError(t, tx.Rows(t.Context(), ask))
			return stop
		}, Counts{Statements: 1, Trips: 2}, stop},
	} {
		before := db.Counts()
		require.ErrorIs(t, db.Tx(t.Context(), step.fn), step.err, name)
		require.Equal(t, step.costs, db.Counts().Sub(before), name)
	}
	require.Equal(t, 7, n)
}

// TestWhatCouldNotBeginIsNotGoneOnWith: a statement after the first that failed must not
// begin a transaction that lacks it.
func TestWhatCouldNotBeginIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	db := openTestPostgres(t)
	wrong, right := Statement{SQL: "SELECT no_such_column"}, Statement{SQL: "SELECT 1"}
	batch := func(tx *Tx) error {
		_, err := tx.ExecAll(t.Context(), right)
		return err
	}
	for name, first := range map[string]func(tx *Tx) error{
		"batch": batch,
		"exec":  func(tx *Tx) error { return tx.Exec("SELECT 1").Error },
		"row":   func(tx *Tx) error { return tx.Raw("SELECT 1").Row().Err() },
		"query": func(tx *Tx) error {
			var n int
			return tx.Raw("SELECT 1").Scan(&n).Error
		},
	} {
		err := db.Tx(t.Context(), func(tx *Tx) error {
			require.NoError(t, tx.late.conn.PgConn().Conn().Close())
			require.Error(t, first(tx), name)
			require.ErrorIs(t, batch(tx), ErrUnreachable, name)
			require.ErrorIs(t, tx.Exec("SELECT 1").Error, ErrUnreachable, name)
			return nil
		})
		require.ErrorIs(t, err, ErrUnreachable, name)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), name)
	}
	err := db.Tx(t.Context(), func(tx *Tx) error {
		_, err := tx.ExecAll(t.Context(), wrong)
		require.ErrorContains(t, err, "no_such_column")
		require.Error(t, batch(tx))
		return nil
	})
	require.ErrorContains(t, err, "no_such_column")
	require.Equal(t, fault.Internal, fault.KindOf(err), "a defect stays one")
}

// TestTheLastStatementsMayFail: refused, nothing stands; of a connection that breaks
// nobody knows.
func TestTheLastStatementsMayFail(t *testing.T) {
	t.Parallel()
	db := openTestPostgres(t)
	err := db.Tx(t.Context(), func(tx *Tx) error { return tx.ExecLast(t.Context(), Statement{SQL: "SELECT no_such_column"}) })
	require.ErrorContains(t, err, "no_such_column")
	require.Equal(t, fault.Internal, fault.KindOf(err))
	ended := Statement{SQL: "SELECT pg_terminate_backend(pg_backend_pid())"}
	err = db.Tx(t.Context(), func(tx *Tx) error { return tx.ExecLast(t.Context(), ended) })
	require.Equal(t, fault.Unsure, fault.KindOf(err), err)
	_, err = db.Guarded(t.Context(), Statement{SQL: "UPDATE no_such_table SET x = 1"})
	require.ErrorContains(t, err, "no_such_table")
	require.Equal(t, fault.Internal, fault.KindOf(err))
}
