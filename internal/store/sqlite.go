package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/riverqueue/river/riverdriver/riversqlite"
	gormsqlite "gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"airtill/internal/harness/failpoint"
)

const (
	sqliteReaders = 4
	readerIdle    = time.Minute
)

func openSQLite(_ context.Context, path string) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	path = linkedTo(path)
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if err := ownOnly(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), unlock())
	}
	db := &DB{dialect: SQLite, count: new(counter), url: "sqlite:" + path, closers: []func() error{unlock}}
	if err := db.connectSQLite(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), db.Close())
	}
	return db, nil
}

// linkedTo is the file that a link stands for: under whatever name it is opened, one process has it.
func linkedTo(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		return file
	}
	return path // there is none yet
}

// ownOnly makes the file, or takes it from everybody but its owner. SQLite gives the files it makes beside it
// the same mode.
func ownOnly(path string) error {
	file, err := openOrMake(path)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// MakeFile makes an empty file beside the database, unless there is one.
func MakeFile(path string) error {
	file, err := openOrMake(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// openOrMake opens a file for writing. Only one that is new is given to the folder's owner: what is there may be a link
// to anything.
func openOrMake(path string) (*os.File, error) {
	made, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // a link that leads nowhere makes the file there
	}
	if err != nil {
		return nil, err
	}
	if err := OwnedAsFolder(made); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return made, nil
}

// Another program may hold the file's lock. Writers try briefly and take turns, up to this long in all; a
// cashier does not wait longer.
const (
	lockTry  = 100 * time.Millisecond
	lockWait = 2 * time.Second
)

// locked says whether that lock kept a transaction from beginning.
func locked(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

func (db *DB) connectSQLite(path string) error {
	// One writer: SQLite has one write lock, and waiting for a pool is fair and quick where waiting for the
	// lock is a busy loop. IMMEDIATE takes the lock at BEGIN, so that a transaction never fails half-way. What a
	// statement keeps to be undone is in memory: each sale would make a file for it.
	writer, err := openPrepared(sqliteDSN(path, fmt.Sprintf(
		"_txlock=immediate&_pragma=busy_timeout(%d)&_pragma=recursive_triggers(1)&_pragma=temp_store(memory)&",
		lockTry.Milliseconds(),
	)+cacheOf(64)+failpoint.SQLitePragma()), &db.damage)
	if err != nil {
		return err
	}
	writer.SetMaxOpenConns(1)
	db.closers = append(db.closers, writer.Close)
	reads := sqliteDSN(path, "_pragma=busy_timeout(5000)&_pragma=query_only(1)&"+cacheOf(16))
	reader, err := openPrepared(reads, &db.damage)
	if err != nil {
		return err
	}
	reader.SetMaxOpenConns(sqliteReaders)
	reader.SetMaxIdleConns(sqliteReaders)
	reader.SetConnMaxIdleTime(readerIdle) // and the pages it holds
	db.closers = append(db.closers, reader.Close)

	if db.write, err = gorm.Open(dialector(writer), gormConfig()); err != nil {
		return err
	}
	if db.read, err = gorm.Open(dialector(reader), gormConfig()); err != nil {
		return err
	}
	if err := errors.Join(markAway(db.write), markAway(db.read)); err != nil {
		return err
	}
	db.sql = writer
	db.insert, err = newRiver(riversqlite.New(writer), func(_ context.Context, tx *Tx) (*sql.Tx, error) {
		return tx.own.(*sql.Tx), nil
	})
	return err
}

// cacheOf sets a connection's page cache. With the 2 MB SQLite takes by default, a report reads most of its
// pages over and over.
func cacheOf(megabytes int) string { return fmt.Sprintf("_pragma=cache_size(-%d)", megabytes<<10) }

// sqliteDSN sets what each connection needs. The time format sorts as text.
func sqliteDSN(path string, extra string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)" +
		"&_time_format=sqlite&_timezone=UTC&" + temporaryFiles(filepath.Dir(path)) + extra
}

// temporaryFiles has SQLite make its temporary files beside the database if the folder for them takes none, as in a
// service that may write nowhere else: a long list is sorted in one.
func temporaryFiles(beside string) string {
	try, err := os.CreateTemp("", "airtill-*")
	if err == nil {
		err = errors.Join(try.Close(), os.Remove(try.Name()))
	}
	if err == nil {
		return ""
	}
	quoted := "'" + strings.ReplaceAll(beside, "'", "''") + "'"
	return "_pragma=" + url.QueryEscape("temp_store_directory("+quoted+")") + "&"
}

// sqliteDialector teaches GORM's dialector how the pure Go driver says "already there".
type sqliteDialector struct{ *gormsqlite.Dialector }

func dialector(conn *sql.DB) gorm.Dialector {
	return sqliteDialector{&gormsqlite.Dialector{Conn: conn}}
}

// Translate turns the driver's errors into GORM's.
func (sqliteDialector) Translate(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return gorm.ErrDuplicatedKey
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return gorm.ErrForeignKeyViolated
	case sqlite3.SQLITE_CONSTRAINT_CHECK:
		return gorm.ErrCheckConstraintViolated
	}
	return err
}
