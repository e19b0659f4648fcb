package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"airtill/internal/fault"
)

// awayError is a statement that failed because the database went away.
type awayError struct{ error }

// Unwrap returns what the driver said.
func (e awayError) Unwrap() error { return e.error }

// untranslatable is PostgreSQL's code for a text it cannot hold: one with a NUL.
const untranslatable = "22021"

// Explain makes a fault of an error, unless it is one already, if the database went away in the middle, was given a
// text it cannot hold, or is damaged. A read has changed nothing; of a write, an earlier part may stand.
func Explain(err error, onlyRead bool) error {
	var lost awayError
	var refused *pgconn.PgError // one that came with the rows, which no callback sees
	switch {
	case errors.As(err, &refused) && refused.Code == untranslatable && fault.KindOf(err) == fault.Internal:
		return fault.Wrap(err, fault.Invalid, "form.unreadable")
	case damaged(err) && fault.KindOf(err) == fault.Internal:
		return fault.Wrap(err, fault.Unavailable, "database.damaged")
	case fault.KindOf(err) != fault.Internal, !errors.As(err, &lost) && (!errors.As(err, &refused) || !away(refused)):
		return err
	case onlyRead:
		return unavailable(err)
	}
	return unsure(err)
}

// ErrUnreachable is in every error of a transaction that could not begin.
var ErrUnreachable = errors.New("the database could not be reached")

func unavailable(err error) error {
	return fault.Wrap(errors.Join(ErrUnreachable, err), fault.Unavailable, "database.away")
}

// Unsure is for callers that cannot promise that nothing was changed, though their transaction did not begin:
// the same may be under way elsewhere.
func Unsure(err error) error { return unsure(err) }

func unsure(err error) error {
	return fault.Wrap(err, fault.Unsure, "database.lost")
}

// markAway marks the error of every statement of a session that failed because the database went away.
func markAway(db *gorm.DB) error {
	mark := func(tx *gorm.DB) {
		if tx.Error != nil && away(tx.Error) {
			tx.Error = awayError{tx.Error}
		}
	}
	const name = "airtill:away"
	return errors.Join(
		db.Callback().Query().Register(name, mark), db.Callback().Row().Register(name, mark),
		db.Callback().Raw().Register(name, mark),
		db.Callback().Create().Register(name, mark), db.Callback().Update().Register(name, mark),
		db.Callback().Delete().Register(name, mark))
}

// away says whether a driver's error means that the server is gone, going or coming back, lets nobody in, or takes no
// writes: out of space, or read-only; of a file, that it cannot be read or opened, or another program has locked it.
func away(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true // whatever the server says of it, such as that the password has changed
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		// Connection exceptions; shutdown, crash, not yet; disk full and the like; read-only.
		return slices.ContainsFunc([]string{"08", "57P", "53", takesNoWrites}, func(class string) bool {
			return strings.HasPrefix(refused.Code, class)
		})
	}
	if file, ok := errors.AsType[*sqlite.Error](err); ok {
		return slices.Contains([]int{
			sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_BUSY,
		}, file.Code()&0xff)
	}
	var way net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &way), pgconn.SafeToRetry(err):
		return true
	}
	for _, gone := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
