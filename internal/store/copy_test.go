package store_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

var copiedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// copyOf is a database as one piece for each table, or the one of a file.
type copyOf struct {
	schema int64
	names  []store.Piece
	texts  []*bytes.Buffer
	tally  store.Tally
}

func copied(t *testing.T, url string) copyOf {
	t.Helper()
	source, err := store.OpenSource(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, source.Close()) }()
	c := copyOf{schema: source.Schema}
	c.tally, err = source.Dump(t.Context(), func(p store.Piece) (io.Writer, error) {
		c.names, c.texts = append(c.names, p), append(c.texts, new(bytes.Buffer))
		return c.texts[len(c.texts)-1], nil
	})
	require.NoError(t, err)
	return c
}

// loading restores the copy; change spoils it.
func (c copyOf) load(t *testing.T, url string, change func(*store.Loading)) error {
	t.Helper()
	next := 0
	l := store.Loading{
		Schema: c.schema, MadeAt: copiedAt, Now: copiedAt.Add(time.Hour),
		Next: func() (store.Piece, io.Reader, error) {
			if next == len(c.names) {
				return store.Piece{}, nil, io.EOF
			}
			next++
			return c.names[next-1], bytes.NewReader(c.texts[next-1].Bytes()), nil
		},
		Check: func(map[string]int64) (store.Tally, error) { return c.tally, nil },
	}
	change(&l)
	return l.Load(t.Context(), url)
}

func as(*store.Loading) {}

// A copy has every row but those that mean nothing elsewhere; restored, it says so, and no till starts on it by mistake.
func TestACopyIsTheDatabase(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.Exec("INSERT INTO processes (id, seen_at) VALUES ('p', ?)", copiedAt).Error; err != nil {
				return err
			}
			return tx.InsertRows(t.Context(), "postings", []string{"journal", "line", "kind", "account", "micros", "currency", "at"},
				[][]any{{"j", 0, "J18", "1100", int64(5), "EUR", copiedAt}, {"j", 1, "J18", "3000", int64(-5), "EUR", copiedAt}})
		}))
		dialect := db.Dialect()
		require.NoError(t, db.Close())
		c := copied(t, url)
		require.EqualValues(t, 2, c.tally.Rows["postings"])
		require.NotContains(t, c.tally.Rows, "processes")

		there := blank(t, dialect)
		require.NoError(t, c.load(t, there, as))
		restored := storetest.Open(t, there)
		count := func(table string) (n int64) {
			require.NoError(t, restored.Read(t.Context()).Table(table).Count(&n).Error)
			return n
		}
		require.EqualValues(t, 2, count("postings"))
		require.Zero(t, count("processes"))
		require.EqualValues(t, 1, count("restored_backups"))
		require.NoError(t, restored.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("INSERT INTO postings (journal, line, kind, account, micros, currency, at) VALUES ('k', 0, 'J1', '1', 1, 'EUR', ?)", copiedAt).Error
		}))
		var last int64
		require.NoError(t, restored.Read(t.Context()).Raw("SELECT MAX(id) FROM postings WHERE journal = 'k'").Scan(&last).Error)
		require.Greater(t, last, int64(2), "it goes on numbering")
	})
}

// What cannot be restored whole is not restored at all: nothing stands, and the right copy can be restored there next.
func TestACopyIsRestoredWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		c, mine := copied(t, url), errors.New("the checksum differs")
		dialect := store.Postgres
		if len(c.names) == 1 {
			dialect = store.SQLite
		}
		there := blank(t, dialect)
		for name, change := range map[string]func(*store.Loading){
			"of a newer program": func(l *store.Loading) { l.Schema = 9999 },
			"that differs from its sums": func(l *store.Loading) {
				l.Check = func(map[string]int64) (store.Tally, error) { return store.Tally{}, mine }
			},
			"that ends in the middle": func(l *store.Loading) {
				l.Next = func() (store.Piece, io.Reader, error) { return store.Piece{}, nil, io.ErrUnexpectedEOF }
			},
			"of a foreign table, or of none": func(l *store.Loading) {
				l.Next = func() (store.Piece, io.Reader, error) {
					return store.Piece{Name: "strangers", Columns: []string{"x"}}, bytes.NewReader([]byte("not ours")), nil
				}
			},
		} {
			if name == "of a newer program" && dialect == store.SQLite {
				continue // its file says so itself
			}
			require.Error(t, c.load(t, there, change), name)
			if path, is := bytes.CutPrefix([]byte(there), []byte("sqlite:")); is {
				left, err := filepath.Glob(string(path) + ".restoring*")
				require.NoError(t, err)
				require.Empty(t, left, name)
			}
		}
		require.NoError(t, c.load(t, there, as), "nothing of them stood in its way")
		db := storetest.Open(t, there)
		require.NoError(t, db.Exec(t.Context(), `INSERT INTO shops (id, name, address, tax_id, country, zone, currency, created_at)
			VALUES ('1', 'Main Street', '', '', 'IE', 'UTC', 'EUR', ?)`, copiedAt))
	})
}

// A database that holds something is never overwritten.
func TestACopyIsNotRestoredOverAnything(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		c := copied(t, url)
		db, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		require.NoError(t, db.Exec(t.Context(), `INSERT INTO shops (id, name, address, tax_id, country, zone, currency, created_at)
			VALUES ('1', 'Main Street', '', '', 'IE', 'UTC', 'EUR', ?)`, copiedAt))
		if db.Alone() {
			require.ErrorContains(t, c.load(t, url, as), "another airtill process")
		}
		require.NoError(t, db.Close())
		require.ErrorIs(t, c.load(t, url, as), store.ErrNotEmpty)
	})
}

// A file may lie where its name needs care, and one that is not there is not made by looking at it.
func TestAFileOfAnyName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a shop's till?x=1#2 %41", "airtill.db")
	db, err := store.Open(t.Context(), "sqlite:"+path)
	require.NoError(t, err)
	require.NoError(t, db.Migrate(t.Context()))
	require.NoError(t, db.Close())
	about, err := os.Stat(path)
	require.NoError(t, err)
	require.Positive(t, about.Size())
	_, err = store.OpenSource(t.Context(), "sqlite:"+path+".gone")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = os.Stat(path + ".gone")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Many rows are written as one: all with their values, or none.
func TestManyRowsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		columns := []string{"id", "kind", "sale_id", "note", "micros", "currency", "at", "closed_at", "closed_by"}
		row := func(id string, closed any) []any {
			return []any{id, "odd_amount", id, "a 'note'\twith\\ signs\n", int64(-1 << 60), "EUR", copiedAt, closed, ""}
		}
		put := func(rows ...[]any) error {
			return db.Tx(t.Context(), func(tx *store.Tx) error { return tx.InsertRows(t.Context(), "incidents", columns, rows) })
		}
		require.NoError(t, put())
		require.NoError(t, put(row("1", nil), row("2", copiedAt)))
		require.ErrorIs(t, put(row("3", nil), row("1", nil)), gorm.ErrDuplicatedKey)
		type incident struct {
			ID, Note string
			Micros   int64
			ClosedAt *time.Time
		}
		found, err := store.All[incident](db.Read(t.Context()).Table("incidents").Order("id"))
		require.NoError(t, err)
		require.Len(t, found, 2)
		require.Equal(t, "a 'note'\twith\\ signs\n", found[0].Note)
		require.EqualValues(t, -1<<60, found[0].Micros)
		require.Nil(t, found[0].ClosedAt)
		require.True(t, found[1].ClosedAt.Equal(copiedAt))
	})
}

// What is sent later is checked all the same: if it did not touch what it should, nothing stands, and what follows sees
// what went before.
func TestWhatIsSentLaterIsChecked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		add := func(code string) store.Statement {
			return store.Statement{SQL: "INSERT INTO validating_providers (provider_code) VALUES (?)", Args: []any{code}}
		}
		missed := errors.New("nothing was touched")
		touched := func(rows []int64) error {
			for _, n := range rows {
				if n != 1 {
					return missed
				}
			}
			return nil
		}
		codes := func() (found []string) {
			require.NoError(t, db.Read(t.Context()).Raw("SELECT provider_code FROM validating_providers ORDER BY 1").Scan(&found).Error)
			return found
		}
		err := db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.ExecSoon(t.Context(), touched, add("A")); err != nil {
				return err
			}
			return tx.ExecSoon(t.Context(), touched, store.Statement{SQL: "DELETE FROM validating_providers WHERE provider_code = 'Z'"})
		})
		require.ErrorIs(t, err, missed)
		require.Empty(t, codes())
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.ExecSoon(t.Context(), touched, add("A"), add("B")); err != nil {
				return err
			}
			var n int
			if err := tx.Rows(t.Context(), store.Query{
				SQL: "SELECT COUNT(*) FROM validating_providers", Row: func(scan store.Scanner) error { return scan(&n) },
			}); err != nil {
				return err
			}
			require.Equal(t, 2, n)
			return tx.ExecLast(t.Context(), add("C"))
		}))
		require.Equal(t, []string{"A", "B", "C"}, codes())
		err = db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.ExecSoon(t.Context(), touched, add("D")); err != nil {
				return err
			}
			return tx.ExecLast(t.Context(), add("A"))
		})
		require.ErrorIs(t, err, gorm.ErrDuplicatedKey)
		require.Equal(t, []string{"A", "B", "C"}, codes())
	})
}
