package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// loadFile writes the file beside its place, checks it, and only then moves it.
func (l Loading) loadFile(ctx context.Context, path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	path = linkedTo(path)
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return fmt.Errorf("open database %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := emptyFile(ctx, path); err != nil {
		return err
	}
	beside := path + ".restoring"
	defer func() {
		if gone := os.Remove(beside); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}()
	if err := l.receive(beside); err != nil {
		return err
	}
	if err := l.accept(ctx, beside); err != nil {
		return err
	}
	for _, old := range []string{path + "-wal", path + "-shm"} { // of the empty database it replaces
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(beside, path)
}

// emptyFile refuses a place whose database is in use.
func emptyFile(ctx context.Context, path string) (err error) {
	about, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && about.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	db, err := openFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	used, err := db.Used(ctx)
	if used || err != nil {
		return errors.Join(ErrNotEmpty, err)
	}
	return nil
}

// Used says whether somebody has begun to use the database in a SQLite file.
func (db *DB) Used(ctx context.Context) (used bool, err error) {
	tables, err := db.fileTables(ctx)
	if err == nil && len(tables) > 0 {
		err = db.sql.QueryRowContext(ctx, anything).Scan(&used)
	}
	return used, err
}

// receive writes the only piece.
func (l Loading) receive(path string) error {
	_, from, err := l.Next()
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a killed run
		return err
	}
	file, err := openOrMake(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if _, _, err := l.Next(); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("the backup of a SQLite file has more than one piece"), err)
	}
	return nil
}

// accept inspects a received file and marks it as restored.
func (l Loading) accept(ctx context.Context, path string) (err error) {
	db, err := openFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := l.inspect(ctx, db); err != nil {
		return err
	}
	if _, err := db.sql.ExecContext(ctx, markRestored, Moment(l.MadeAt), Moment(l.Now)); err != nil {
		return err
	}
	_, err = db.sql.ExecContext(ctx, "PRAGMA journal_mode = DELETE") // it is moved alone
	return err
}

// inspect counts a received file's rows and has SQLite check it.
func (l Loading) inspect(ctx context.Context, db *DB) (rows map[string]int64, err error) {
	if err := l.known(db); err != nil {
		return nil, err
	}
	if rows, err = db.countRows(ctx); err != nil {
		return nil, err
	}
	if _, err := l.Check(rows); err != nil {
		return nil, err
	}
	var sound string
	if err := db.sql.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&sound); err != nil {
		return nil, err
	}
	if sound != "ok" {
		return nil, fmt.Errorf("the file in the backup is damaged: %s", sound)
	}
	return rows, nil
}
