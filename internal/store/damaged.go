package store

import (
	"errors"
	"slices"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errDamaged is told by who looks after the file that somebody came upon damage in.
var errDamaged = errors.New("the file is damaged: restore a backup")

// damage is whether any connection came upon damage in a SQLite file. It opens, and most of it can be read, while what
// rests on the other pages is lost. A new start looks anew.
type damage struct{ found atomic.Bool }

// note takes note of what a driver's error tells of the file.
func (d *damage) note(err error) {
	if err != nil && damaged(err) {
		d.found.Store(true)
	}
}

// damaged says whether a driver's error means that a file is no sound database.
func damaged(err error) bool {
	var file *sqlite.Error
	return errors.As(err, &file) &&
		slices.Contains([]int{sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}, file.Code()&0xff)
}
