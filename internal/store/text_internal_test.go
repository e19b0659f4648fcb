package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/fault"
)

func refusedWith(code string) error { return fmt.Errorf("exec: %w", &pgconn.PgError{Code: code}) }

// What a driver says is that the database is away, or that it refused: only of the first may the same be tried again
// later.
func TestWhatMeansThatTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		away bool
	}{
		"a connection that broke":      {refusedWith("08006"), true},
		"a shutdown":                   {refusedWith("57P01"), true},
		"not up yet":                   {refusedWith("57P03"), true},
		"a full disk":                  {refusedWith("53100"), true},
		"too many connections":         {refusedWith("53300"), true},
		"a standby":                    {refusedWith("25006"), true},
		"a query that was cancelled":   {refusedWith("57014"), false},
		"already there":                {refusedWith("23505"), false},
		"a deadlock":                   {refusedWith("40P01"), false},
		"a mistake in SQL":             {refusedWith("42601"), false},
		"a transaction that has ended": {refusedWith("25P02"), false},
		"nobody listens":               {&net.OpError{Op: "dial", Err: errors.New("refused")}, true},
		"the end of a stream":          {fmt.Errorf("read: %w", io.EOF), true},
		"a bad connection":             {driver.ErrBadConn, true},
		"a closed one":                 {net.ErrClosed, true},
		"who asked went away":          {fmt.Errorf("read: %w", context.Canceled), false},
		"who asked waited too long":    {context.DeadlineExceeded, false},
		"no row":                       {sql.ErrNoRows, false},
		"anything else":                {errors.New("out of range"), false},
	} {
		require.Equal(t, c.away, away(c.err), name)
	}
}

// Of a read that failed so nothing was changed; of a write nobody knows; what is explained already stays so, and what is
// a defect is no fault.
func TestWhatIsExplainedOfAnError(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("list: %w", awayError{io.ErrUnexpectedEOF})
	for name, c := range map[string]struct {
		err         error
		read, write fault.Kind
	}{
		"nothing":                      {nil, "", ""},
		"the database went away":       {lost, fault.Unavailable, fault.Unsure},
		"it said so with the rows":     {refusedWith("57P01"), fault.Unavailable, fault.Unsure},
		"a text it cannot hold":        {refusedWith(untranslatable), fault.Invalid, fault.Invalid},
		"a fault already":              {fault.Wrap(lost, fault.Conflict, "shift.closed"), fault.Conflict, fault.Conflict},
		"a defect":                     {errors.New("out of range"), fault.Internal, fault.Internal},
		"refused for what was asked":   {refusedWith("42601"), fault.Internal, fault.Internal},
		"a driver's, and nobody's":     {io.ErrUnexpectedEOF, fault.Internal, fault.Internal},
		"who asked did not stay":       {context.Canceled, fault.Internal, fault.Internal},
		"already there, as a database": {refusedWith("23505"), fault.Internal, fault.Internal},
	} {
		require.Equal(t, c.read, fault.KindOf(Explain(c.err, true)), name)
		require.Equal(t, c.write, fault.KindOf(Explain(c.err, false)), name)
		if c.err != nil {
			require.ErrorIs(t, Explain(c.err, false), c.err, "%s: the cause is for the log", name)
		}
	}
	require.ErrorIs(t, Explain(lost, true), ErrUnreachable)
}

// ended is a transaction that ends with an error.
type ended struct {
	ownTx
	err error
}

func (e ended) Commit() error { return e.err }

// A commit that was refused has not happened; of one whose answer was lost nobody knows.
func TestWhatACommitThatFailedMeans(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want fault.Kind
	}{
		"it stands":                   {t.Context(), nil, ""},
		"refused for a constraint":    {t.Context(), refusedWith("23503"), fault.Internal},
		"refused, rolled back":        {t.Context(), pgx.ErrTxCommitRollback, fault.Internal},
		"ended before":                {t.Context(), sql.ErrTxDone, fault.Internal},
		"its context ended before":    {over, over.Err(), fault.Internal},
		"its context ended meanwhile": {over, fmt.Errorf("timeout: %w", over.Err()), fault.Unsure},
		"the server went down":        {t.Context(), refusedWith("57P01"), fault.Unsure},
		"the connection broke":        {t.Context(), io.ErrUnexpectedEOF, fault.Unsure},
		"a context, but not its own":  {t.Context(), context.Canceled, fault.Unsure},
	} {
		require.Equal(t, c.want, fault.KindOf(commit(c.ctx, ended{err: c.err})), name)
	}
}

// Migrations of one number are one step, the common part first; those of the other database are left out.
func TestMigrationsOfOneNumberAreOneStep(t *testing.T) {
	t.Parallel()
	file := func(body string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(body)} }
	files := fstest.MapFS{
		"0002_b.sql": file("-- +goose Up\nBOTH;"), "0002_b.postgres.sql": file("-- +goose Up\nPG;\n-- +goose Up\n"),
		"0002_b.sqlite.sql": file("-- +goose Up\nLITE;"), "0001_a.sql": file("-- +goose Up\nFIRST;"),
		"0003_c.postgres.sql": file("ONLY;"), "README.md": file("no migration"),
	}
	read := func(dialect Dialect) map[string]string {
		joined, err := timeline(files, dialect)
		require.NoError(t, err)
		names, err := fs.Glob(joined, "*")
		require.NoError(t, err)
		texts := map[string]string{}
		for _, name := range names {
			body, err := fs.ReadFile(joined, name)
			require.NoError(t, err)
			texts[name] = string(body)
		}
		return texts
	}
	require.Equal(t, map[string]string{
		"0001_a.sql": "-- +goose Up\nFIRST;\n", "0002_b.sql": "-- +goose Up\nBOTH;\nPG;\n-- +goose Up\n", "0003_c.sql": "ONLY;",
	}, read(Postgres))
	require.Equal(t, map[string]string{
		"0001_a.sql": "-- +goose Up\nFIRST;\n", "0002_b.sql": "-- +goose Up\nBOTH;\nLITE;",
	}, read(SQLite))
}

func TestPlacesAreNumbered(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT 1": "SELECT 1", "?": "$1", "SELECT ?, ? WHERE x IN (?,?)": "SELECT $1, $2 WHERE x IN ($3,$4)", "": "",
	} {
		for range 2 { // made, then remembered
			require.Equal(t, want, numbered(text))
		}
	}
}

// One statement guards others: each of those takes its rows from what the first touched, whether or not it reads
// elsewhere, and arguments keep their order.
func TestAGuardedStatementIsOne(t *testing.T) {
	t.Parallel()
	one := guardedSQL(Statement{"UPDATE a SET x = ? WHERE id = ?", []any{1, 2}}, []Statement{
		{"INSERT INTO b SELECT ?,?", []any{3, 4}}, {"INSERT INTO c SELECT v FROM json(?) AS v", []any{5}},
	})
	require.Equal(t, "WITH touched AS (UPDATE a SET x = ? WHERE id = ? RETURNING 1), then0 AS (INSERT INTO b SELECT ?,? FROM touched), "+
		"then1 AS (INSERT INTO c SELECT v FROM json(?) AS v, touched) SELECT 1 FROM touched", one.SQL)
	require.Equal(t, []any{1, 2, 3, 4, 5}, one.Args)
}

// What a person types is found letter by letter.
func TestAPatternOfWhatIsTyped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "%%", "kong": "%kong%", "50%": `%50\%%`, "a_b": `%a\_b%`, `\`: `%\\%`, `\%_`: `%\\\%\_%`} {
		require.Equal(t, want, Containing(text), text)
	}
}

// The texts of moments sort as the moments do, whatever their fractions.
func TestTextsOfMomentsSort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a := time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(rt, "a"))
		b := a.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 10, 500, 1000, 120_000, 1_000_000}).Draw(rt, "later")) * time.Microsecond)
		require.Equal(rt, a.Before(b), MomentText(a) < MomentText(b), "%s, %s", MomentText(a), MomentText(b))
		require.Equal(rt, MomentText(a), MomentText(a.In(time.FixedZone("", 3600)).Add(999)), "of one microsecond")
	})
}

// A column of JSON may come as either driver gives it; nothing leaves the field as it was.
func TestAColumnOfJSONIsRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from any
		want []int
		bad  bool
	}{
		"a text": {from: "[1,2]", want: []int{1, 2}}, "bytes": {from: []byte("[3]"), want: []int{3}}, "NULL": {want: []int{9}},
		"an empty text": {from: "", want: []int{9}}, "no JSON": {from: "x", bad: true, want: []int{9}}, "a number": {from: int64(1), bad: true, want: []int{9}},
	} {
		into := []int{9}
		err := jsonField{&into}.Scan(c.from)
		require.Equal(t, c.bad, err != nil, name)
		require.Equal(t, c.want, into, name)
	}
}

// A role that the address names is taken later, and not by those who migrate.
func TestTheRoleIsTakenOutOfTheAddress(t *testing.T) {
	t.Parallel()
	params := map[string]string{"role": "till", "timezone": "UTC"}
	require.Equal(t, "till", roleOf(params))
	require.Equal(t, map[string]string{"timezone": "UTC"}, params)
	require.Equal(t, appRole, roleOf(params))
	require.Equal(t, appRole, roleOf(map[string]string{"role": ""}))
}
