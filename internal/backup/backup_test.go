package backup_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"airtill/internal/backup"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func key(t *testing.T) *age.X25519Identity {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	return identity
}

// post writes postings as the program does.
func post(t *testing.T, db *store.DB, journal string, lines int) {
	t.Helper()
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		rows := make([][]any, lines)
		for i := range rows {
			rows[i] = []any{journal, i, "J18", "1100", int64(5), "EUR", noon}
		}
		return tx.InsertRows(t.Context(), "postings", []string{"journal", "line", "kind", "account", "micros", "currency", "at"}, rows)
	}))
}

func count(t *testing.T, url, table string) (n int64) {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	require.NoError(t, db.Read(t.Context()).Table(table).Count(&n).Error)
	require.NoError(t, db.Close())
	return n
}

// A copy is of one moment: what is written while it is made is in none of its tables.
func TestACopyIsOfOneMoment(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		post(t, db, "before", 3)
		source, err := store.OpenSource(t.Context(), url)
		require.NoError(t, err)
		pieces := 0
		tally, err := source.Dump(t.Context(), func(store.Piece) (io.Writer, error) {
			if pieces++; pieces == 1 {
				post(t, db, "meanwhile", 1)
			}
			return io.Discard, nil
		})
		require.NoError(t, err)
		require.EqualValues(t, 3, tally.Rows["postings"])
		require.NotContains(t, tally.Rows, "sessions")
		require.NoError(t, source.Close())
		require.EqualValues(t, 4, postings(t, db))
	})
}

func postings(t *testing.T, db *store.DB) (n int64) {
	t.Helper()
	require.NoError(t, db.Read(t.Context()).Table("postings").Count(&n).Error)
	return n
}

// placesFor runs a test on each database that a backup of this one can be restored into.
func placesFor(t *testing.T, db *store.DB, test func(t *testing.T, elsewhere string)) {
	t.Helper()
	storetest.EachURL(t, func(t *testing.T, elsewhere string) {
		if db.Dialect() == store.SQLite || !strings.HasPrefix(elsewhere, "sqlite:") {
			test(t, elsewhere)
		}
	})
}

// What is restored goes on as what was backed up: its triggers guard, its numbers do
// not come twice, and sessions are over.
func TestARestoredDatabaseGoesOn(t *testing.T) {
	t.Parallel()
	const odd = "Anne \"the\" boss,\t\n\\N\r"
	storetest.EachURL(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		for _, sql := range []string{
			`INSERT INTO users (id, username, display_name, role, locale, password_hash, epoch, created_at)
				VALUES ('u', 'anne', '` + odd + `', 'admin', '', 'x', 1, CURRENT_TIMESTAMP)`,
			"INSERT INTO sessions (token_hash, user_id, epoch, data, created_at, seen_at) VALUES ('h', 'u', 1, '{}', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
		} {
			require.NoError(t, db.Exec(t.Context(), sql))
		}
		post(t, db, "before", 3)
		one, two := key(t), key(t)
		var stream bytes.Buffer
		header, summary, err := backup.Write(t.Context(), url, &stream, "test", noon, one.Recipient(), two.Recipient())
		require.NoError(t, err)
		require.Equal(t, db.Dialect(), header.Database)
		require.EqualValues(t, 3, summary.Rows["postings"])
		require.NotEmpty(t, summary.SHA256)

		placesFor(t, db, func(t *testing.T, elsewhere string) {
			_, restored, err := backup.Restore(t.Context(), elsewhere, bytes.NewReader(stream.Bytes()), noon, two)
			require.NoError(t, err)
			require.Equal(t, summary, restored)
			there := storetest.Open(t, elsewhere)
			var name string
			require.NoError(t, there.Read(t.Context()).Raw("SELECT display_name FROM users").Scan(&name).Error)
			require.Equal(t, odd, name)
			var sessions int64
			require.NoError(t, there.Read(t.Context()).Table("sessions").Count(&sessions).Error)
			require.Zero(t, sessions)
			broken, checked, err := there.Guards(t.Context())
			require.NoError(t, err)
			require.Empty(t, broken)
			require.Positive(t, checked)
			post(t, there, "after", 1)
			var last int64
			require.NoError(t, there.Read(t.Context()).Raw("SELECT id FROM postings WHERE journal = 'after'").Scan(&last).Error)
			require.EqualValues(t, 4, last)
		})
	})
}

// All or nothing: one that is cut off, altered, of another key, product or version is
// refused, and the database stays as empty as it was.
func TestADamagedBackupChangesNothing(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		post(t, db, "before", 5000)
		identity := key(t)
		var stream bytes.Buffer
		_, _, err := backup.Write(t.Context(), url, &stream, "test", noon, identity.Recipient())
		require.NoError(t, err)
		whole := stream.Bytes()
		placesFor(t, db, func(t *testing.T, elsewhere string) {
			refused := func(want, at string, from []byte, identity age.Identity) {
				_, _, err := backup.Restore(t.Context(), at, bytes.NewReader(from), noon, identity)
				require.ErrorContains(t, err, want)
			}
			for _, length := range []int{0, 100, len(whole) / 2, len(whole) - 1} {
				refused("", elsewhere, whole[:length], identity)
			}
			altered := bytes.Clone(whole)
			altered[len(altered)/2] ^= 1
			refused("", elsewhere, altered, identity)
			refused("decrypt", elsewhere, whole, key(t))
			if db.Dialect() == store.Postgres {
				refused("can only be restored into one", "sqlite:"+filepath.Join(t.TempDir(), "other.db"), whole, identity)
			}
			require.Zero(t, count(t, elsewhere, "postings"))
			require.Zero(t, count(t, elsewhere, "restored_backups"))

			_, _, err = backup.Restore(t.Context(), elsewhere, bytes.NewReader(whole), noon, identity)
			require.NoError(t, err, "and then it takes a sound one")
			require.EqualValues(t, 5000, count(t, elsewhere, "postings"))
			refused(store.ErrNotEmpty.Error(), elsewhere, whole, identity)
		})
	})
}

// A summary that does not fit what came is refused, even by who has the key.
func TestARestoreComparesWhatCame(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		dialect := storetest.Open(t, url).Dialect()
		source, err := store.OpenSource(t.Context(), url)
		require.NoError(t, err)
		var pieces []store.Piece
		bodies := map[string]*bytes.Buffer{}
		tally, err := source.Dump(t.Context(), func(p store.Piece) (io.Writer, error) {
			pieces, bodies[p.Name] = append(pieces, p), new(bytes.Buffer)
			return bodies[p.Name], nil
		})
		require.NoError(t, err)
		require.NoError(t, source.Close())
		loading := func(schema int64, left int, check error) store.Loading {
			next := 0
			return store.Loading{
				Schema: schema, MadeAt: noon, Now: noon,
				Next: func() (store.Piece, io.Reader, error) {
					if next++; next > len(pieces)-left {
						return store.Piece{}, nil, io.EOF
					}
					return pieces[next-1], bytes.NewReader(bodies[pieces[next-1].Name].Bytes()), nil
				},
				Check: func(map[string]int64) (store.Tally, error) { return tally, check },
			}
		}
		elsewhere := storetest.URL(t, dialect)
		differs := errors.New("differs")
		require.ErrorIs(t, loading(source.Schema, 0, differs).Load(t.Context(), elsewhere), differs)
		require.ErrorContains(t, loading(source.Schema+1, 0, nil).Load(t.Context(), elsewhere), "made by a newer program")
		require.Error(t, loading(source.Schema, 1, nil).Load(t.Context(), elsewhere), "a piece is lacking")
		require.Zero(t, count(t, elsewhere, "restored_backups"))
		require.NoError(t, loading(source.Schema, 0, nil).Load(t.Context(), elsewhere))
	})
}

// rewritten is a backup with something else in it, by who has the key.
func rewritten(t *testing.T, whole []byte, identity *age.X25519Identity, old, fresh string) []byte {
	t.Helper()
	opened, err := age.Decrypt(bytes.NewReader(whole), identity)
	require.NoError(t, err)
	unpacked, err := zstd.NewReader(opened)
	require.NoError(t, err)
	defer unpacked.Close()
	plain, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(plain, []byte(old)), old)
	var out bytes.Buffer
	sealed, err := age.Encrypt(&out, identity.Recipient())
	require.NoError(t, err)
	packed, err := zstd.NewWriter(sealed)
	require.NoError(t, err)
	_, err = packed.Write(bytes.Replace(plain, []byte(old), []byte(fresh), 1))
	require.NoError(t, errors.Join(err, packed.Close(), sealed.Close()))
	return out.Bytes()
}

func TestASummaryNamesWhatCame(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db, identity := storetest.Open(t, url), key(t)
		post(t, db, "before", 7)
		var stream bytes.Buffer
		_, summary, err := backup.Write(t.Context(), url, &stream, "test", noon, identity.Recipient())
		require.NoError(t, err)
		elsewhere, sum := storetest.URL(t, db.Dialect()), summary.SHA256["postings"]
		if db.Dialect() == store.SQLite { // a file in one piece
			sum = slices.Collect(maps.Values(summary.SHA256))[0]
		}
		for want, from := range map[string][]byte{
			"not those that its summary names": rewritten(t, stream.Bytes(), identity, sum, strings.Repeat("0", len(sum))),
			"the backup's summary says":        rewritten(t, stream.Bytes(), identity, `"postings":7`, `"postings":8`),
		} {
			_, _, err := backup.Restore(t.Context(), elsewhere, bytes.NewReader(from), noon, identity)
			require.ErrorContains(t, err, want)
			require.Zero(t, count(t, elsewhere, "postings"))
		}
	})
}

// However much there is, little of it is held at once.
func TestABackupHoldsLittleAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		for i := range 20 {
			post(t, db, fmt.Sprint("many", i, strings.Repeat("x", 500)), 5000)
		}
		identity := key(t)
		measured := &heaped{to: io.Discard}
		_, summary, err := backup.Write(t.Context(), url, measured, "test", noon, identity.Recipient())
		require.NoError(t, err)
		require.EqualValues(t, 100_000, summary.Rows["postings"])
		require.Positive(t, measured.looks)
		require.Less(t, measured.most, uint64(40<<20), "of 60 MB")
	})
}

// heaped looks how much is held while something is written.
type heaped struct {
	to    io.Writer
	most  uint64
	looks int
}

func (h *heaped) Write(p []byte) (int, error) {
	if h.looks++; h.looks%8 == 1 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapAlloc)
	}
	return h.to.Write(p)
}
