package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

type noteArgs struct{ Text string }

func (noteArgs) Kind() string { return "note" }

const insertPosting = "INSERT INTO postings (journal, line, kind, account, micros, currency, at) VALUES (?, ?, 'J18', '1100', ?, 'EUR', ?)"

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func count(t *testing.T, db *store.DB, table string) (n int64) {
	t.Helper()
	require.NoError(t, db.Read(t.Context()).Table(table).Count(&n).Error)
	return n
}

// TestRealPostgres fails where a PostgreSQL run was promised and did not come.
func TestRealPostgres(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, postgresURL(t))
	var version string
	require.NoError(t, db.Read(t.Context()).Raw("SELECT version()").Scan(&version).Error)
	require.Contains(t, version, "PostgreSQL")
}

// postgresURL is the address of a fresh migrated database of PostgreSQL, of which the test is.
func postgresURL(t *testing.T) string {
	t.Helper()
	if os.Getenv("TEST_DATABASE_URL") == "" {
		t.Skip("TEST_DATABASE_URL is not set: PostgreSQL was not used")
	}
	return storetest.URL(t, store.Postgres)
}

// TestASessionIsAsTheTillNeedsIt, whatever the server gives others: what is sealed holds times as text, and
// what has waited for a row must see what became of it.
func TestASessionIsAsTheTillNeedsIt(t *testing.T) {
	t.Parallel()
	url := postgresURL(t)
	require.NoError(t, storetest.Open(t, url).Tx(t.Context(), func(tx *store.Tx) error {
		storetest.AsOwner(t, tx)
		return tx.Exec(`DO $$
			DECLARE own text := 'ALTER DATABASE ' || current_database();
			BEGIN
				EXECUTE own || ' SET datestyle = SQL, DMY';
				EXECUTE own || ' SET timezone = Japan';
				EXECUTE own || ' SET default_transaction_isolation = serializable';
			END $$`).Error
	}))
	db := storetest.Open(t, url)
	var at, isolation string
	require.NoError(t, db.Read(t.Context()).Raw("SELECT concat_ws('|', TIMESTAMPTZ '2026-03-14 16:30:00Z')").Scan(&at).Error)
	require.Equal(t, "2026-03-14 16:30:00+00", at)
	require.NoError(t, db.Read(t.Context()).Raw("SELECT current_setting('transaction_isolation')").Scan(&isolation).Error)
	require.Equal(t, "read committed", isolation)
}

// TestLimitsOfOthersDoNotEndTheTillsWork: a server has them for questions of people. A migration, a report or the lock
// of a migration lasts longer, and a text is what it was.
func TestLimitsOfOthersDoNotEndTheTillsWork(t *testing.T) {
	t.Parallel()
	url := postgresURL(t)
	require.NoError(t, storetest.Open(t, url).Tx(t.Context(), func(tx *store.Tx) error {
		storetest.AsOwner(t, tx)
		return tx.Exec(`DO $$
			DECLARE own text := 'ALTER DATABASE ' || current_database();
			BEGIN -- by them a connection is set up, too, which a busy machine takes its time for
				EXECUTE own || ' SET statement_timeout = 1000';
				EXECUTE own || ' SET lock_timeout = 1000';
				EXECUTE own || ' SET idle_session_timeout = 1000';
				EXECUTE own || ' SET client_encoding = LATIN1';
				EXECUTE own || ' SET standard_conforming_strings = off';
			END $$`).Error
	}))
	db := storetest.Open(t, url)
	require.NoError(t, db.Exec(t.Context(), "SELECT pg_sleep(1.2)"), "a statement that takes its time")

	unlock, err := db.LockMigrations(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = unlock() }) // a test that failed ends, too: the pool waits for its sessions
	waits := make(chan error, 1)
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		if err := tx.Lock("shelf"); err != nil {
			return err
		}
		go func() { waits <- db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Lock("shelf") }) }()
		return tx.Exec("SELECT pg_sleep(1.2)").Error
	}))
	require.NoError(t, <-waits, "a lock that somebody else has")
	require.NoError(t, unlock(), "a session that has nothing to do")

	var length int
	require.NoError(t, db.Read(t.Context()).Raw("SELECT length(?::text)", "é").Scan(&length).Error)
	require.Equal(t, 1, length)
	var text string
	require.NoError(t, db.Read(t.Context()).Raw(`SELECT '\_'`).Scan(&text).Error)
	require.Equal(t, `\_`, text)
}

// TestNoQuestionIsCompiled: compiling takes longer than what the till asks, and
// PostgreSQL does it for whatever it believes to be costly.
func TestNoQuestionIsCompiled(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, postgresURL(t))
	var plan []string
	require.NoError(t, db.Read(t.Context()).Raw("EXPLAIN SELECT count(*) FROM generate_series(1, 100000000) n WHERE n % 7 = 0").Scan(&plan).Error)
	require.NotEmpty(t, plan)
	require.NotContains(t, strings.Join(plan, "\n"), "JIT")
}

// TestAShortQuestionIsAnsweredByOneProcess: beginning others takes PostgreSQL longer
// than a few thousand rows, and they would be taken from the counter.
func TestAShortQuestionIsAnsweredByOneProcess(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, postgresURL(t))
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		storetest.AsOwner(t, tx)
		for _, statement := range []string{"CREATE TABLE many AS SELECT n FROM generate_series(1, 400000) n", "ANALYZE many"} {
			if err := tx.Exec(statement).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	for cost, several := range map[string]bool{"1000": true, "": false} { // 1000 is what the server has
		var plan []string
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			if cost != "" {
				if err := tx.Exec("SET LOCAL parallel_setup_cost = " + cost).Error; err != nil {
					return err
				}
			}
			return tx.Raw("EXPLAIN SELECT count(*) FROM many").Scan(&plan).Error
		}))
		require.Equal(t, several, strings.Contains(strings.Join(plan, "\n"), "Gather"), plan)
	}
}

func TestRowsAndJobsCommitAndRollBackTogether(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		write := func(journal string, result error) error {
			return db.Tx(t.Context(), func(tx *store.Tx) error {
				require.NoError(t, tx.Exec(insertPosting, journal, 1, 5, noon).Error)
				require.NoError(t, tx.Enqueue(t.Context(), noteArgs{journal}, nil))
				return result
			})
		}
		stop := errors.New("stop")
		require.ErrorIs(t, write("a", stop), stop)
		require.Zero(t, count(t, db, "postings"))
		require.Zero(t, count(t, db, "river_job"))

		require.NoError(t, write("a", nil))
		require.EqualValues(t, 1, count(t, db, "postings"))
		require.EqualValues(t, 1, count(t, db, "river_job"))
	})
}

func TestPanicRollsBackAndFreesTheConnection(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for range 30 { // more than any pool holds
			require.Panics(t, func() {
				_ = db.Tx(t.Context(), func(tx *store.Tx) error {
					require.NoError(t, tx.Exec(insertPosting, "p", 1, 5, noon).Error)
					panic("boom")
				})
			})
		}
		require.Zero(t, count(t, db, "postings"))
	})
}

func TestCancelledContextLeaksNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for range 30 {
			ctx, cancel := context.WithCancel(t.Context())
			err := db.Tx(ctx, func(tx *store.Tx) error {
				cancel()
				return tx.Exec(insertPosting, "c", 1, 5, noon).Error
			})
			require.Error(t, err)
		}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(insertPosting, "c", 1, 5, noon).Error
		}))
	})
}

func TestExecAllCountsRowsAndNamesDuplicates(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			rows, err := tx.ExecAll(t.Context(),
				store.Statement{SQL: insertPosting, Args: []any{"x", 1, 5, noon}},
				store.Statement{SQL: insertPosting, Args: []any{"x", 2, -5, noon}},
				store.Statement{SQL: "DELETE FROM ledger_checkpoints WHERE account = ?", Args: []any{"none"}})
			require.Equal(t, []int64{1, 1, 0}, rows)
			return err
		}))
		err := db.Tx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.ExecAll(t.Context(), store.Statement{SQL: insertPosting, Args: []any{"x", 1, 5, noon}})
			return err
		})
		require.ErrorIs(t, err, gorm.ErrDuplicatedKey)
	})
}

func TestPostingsAreAppendOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(insertPosting, "x", 1, 5, noon).Error
		}))
		for _, sql := range []string{"UPDATE postings SET micros = 6", "DELETE FROM postings"} {
			err := db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx) // the program's own role may not even ask
				return tx.Exec(sql).Error
			})
			require.ErrorContains(t, err, "append-only", sql)
		}
	})
}

func TestTimesComeBackExactlyAndSort(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		elsewhere := time.FixedZone("far", 13*3600)
		moments := []time.Time{noon.Truncate(time.Second), noon.Truncate(time.Second).Add(time.Microsecond), noon, noon.Add(time.Second).In(elsewhere)}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			for i, at := range moments {
				if err := tx.Exec(insertPosting, "t", i, 1, store.Moment(at)).Error; err != nil {
					return err
				}
			}
			return nil
		}))
		var got []time.Time
		require.NoError(t, db.Read(t.Context()).Raw("SELECT at FROM postings WHERE at >= ? ORDER BY at", store.Moment(moments[0])).Scan(&got).Error)
		require.Len(t, got, len(moments))
		for i := range moments {
			require.True(t, moments[i].Equal(got[i]), "%s is not %s", got[i], moments[i])
		}
	})
}

func TestJobsAreWorked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		worked := make(chan string, 1)
		workers := river.NewWorkers()
		river.AddWorker(workers, river.WorkFunc(func(_ context.Context, job *river.Job[noteArgs]) error {
			worked <- job.Args.Text
			return nil
		}))
		client, err := db.NewJobClient(&river.Config{Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}, Workers: workers, TestOnly: true})
		require.NoError(t, err)
		require.NoError(t, client.Start(t.Context()))
		defer func() { require.NoError(t, client.Stop(context.WithoutCancel(t.Context()))) }()

		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Enqueue(t.Context(), noteArgs{"hello"}, nil) }))
		select {
		case text := <-worked:
			require.Equal(t, "hello", text)
		case <-time.After(time.Minute):
			t.Fatal("the job was never worked")
		}
	})
}

func TestAfterCommitRunsOnlyAfterCommit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ran := 0
		stop := errors.New("stop")
		for _, result := range []error{stop, nil} {
			err := db.Tx(t.Context(), func(tx *store.Tx) error {
				tx.AfterCommit(func() { ran++ })
				return result
			})
			require.ErrorIs(t, err, result)
		}
		require.Equal(t, 1, ran)
	})
}

func TestMigratingTogetherIsSafe(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		var group errgroup.Group
		for range 4 {
			group.Go(func() error { return db.Migrate(t.Context()) })
		}
		require.NoError(t, group.Wait())
		pending, err := db.Pending(t.Context())
		require.NoError(t, err)
		require.False(t, pending)
	})
}

// TestADatabaseOfBeforeTheFirstReleaseIsRefused: its files are no more, so nothing
// knows how to bring it on, and nothing may touch it.
func TestADatabaseOfBeforeTheFirstReleaseIsRefused(t *testing.T) {
	t.Parallel()
	for _, version := range []int{3, 115} {
		storetest.Each(t, func(t *testing.T, db *store.DB) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				for _, sql := range []string{"DELETE FROM goose_db_version WHERE version_id > 0", "DROP TABLE epochs"} {
					if err := tx.Exec(sql).Error; err != nil {
						return err
					}
				}
				const made = "INSERT INTO goose_db_version (version_id, is_applied, tstamp) VALUES (?, TRUE, CURRENT_TIMESTAMP)"
				return tx.Exec(made, version).Error
			}))
			for range 2 {
				err := db.Migrate(t.Context())
				require.ErrorContains(t, err, fmt.Sprintf("it stands at version %d,", version))
				require.ErrorContains(t, err, "make a new one")
			}
			require.EqualValues(t, 2, count(t, db, "goose_db_version"))
			require.Error(t, db.Read(t.Context()).Exec("SELECT n FROM epochs").Error)
			pending, err := db.Pending(t.Context())
			require.NoError(t, err)
			require.True(t, pending, "whoever serves is sent to web migrate")
		})
	}
}

func TestSQLiteFileHasOneProcess(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.SQLite)
	storetest.Open(t, url)
	_, err := store.Open(t.Context(), url)
	require.ErrorContains(t, err, "another airtill process")
}

// TestALinkIsNoOtherDatabase: two processes on one file would each sell what the other does not know of.
func TestALinkIsNoOtherDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "till.db")
	require.NoError(t, storetest.Open(t, "sqlite:"+path).Migrate(t.Context()))
	link := filepath.Join(t.TempDir(), "link.db")
	require.NoError(t, os.Symlink(path, link))
	_, err := store.Open(t.Context(), "sqlite:"+link)
	require.ErrorContains(t, err, "another airtill process")
}

// TestADatabaseIsAFile: one in memory would be another for each command, and SQLite reads what begins with "file:" as
// such in some places and as an address in others.
func TestADatabaseIsAFile(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"sqlite:", "sqlite::memory:", "sqlite:file:till.db"} {
		_, err := store.Open(t.Context(), url)
		require.ErrorContains(t, err, "sqlite:PATH", url)
	}
}

func TestReadRefusesWritesOnSQLite(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.URL(t, store.SQLite))
	require.Error(t, db.Read(t.Context()).Exec(insertPosting, "r", 1, 5, noon).Error)
}

func TestTheFileIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "till.db")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	db := storetest.Open(t, "sqlite:"+path)
	require.NoError(t, db.Migrate(t.Context()))
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 3, "the database, its log and its lock: %s", files)
	for _, file := range files {
		about, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), about.Mode().Perm(), file)
	}
}

// What is forbidden to change cannot be replaced either.
func TestAPostingCannotBeReplaced(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.URL(t, store.SQLite))
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(insertPosting, "r", 1, 5, noon).Error }))
	err := db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(strings.Replace(insertPosting, "INSERT", "INSERT OR REPLACE", 1), "r", 1, 7, noon).Error
	})
	require.ErrorContains(t, err, "append-only")
}

func TestOpenExplainsABadURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "mysql://x", "sqlite:", "postgres://u:secret@[bad"} {
		_, err := store.Open(t.Context(), url)
		require.ErrorContains(t, err, "DATABASE_URL", url)
		require.NotContains(t, err.Error(), "secret")
	}
	for parameter, why := range map[string]string{
		"sslmode=verify-full&sslrootcert=/nowhere/ca.crt": "/nowhere/ca.crt: no such file",
		"sslmode=surely":                "sslmode is invalid",
		"target_session_attrs=any-host": "any-host",
		"pool_max_conns=many":           "pool_max_conns",
	} {
		_, err := store.Open(t.Context(), "postgres://u:secret@localhost/till?"+parameter)
		require.ErrorContains(t, err, "DATABASE_URL cannot be read: ", parameter)
		require.ErrorContains(t, err, why, parameter)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := store.Open(t.Context(), "postgres://u:sec/ret@localhost/till")
	require.ErrorContains(t, err, "%40")
	require.NotContains(t, err.Error(), "sec")
}

func TestDatabaseGoneIsUnavailable(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		require.NoError(t, db.Close())
		err = db.Tx(t.Context(), func(*store.Tx) error { return nil })
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
	})
}
