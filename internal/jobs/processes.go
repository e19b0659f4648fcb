package jobs

import (
	"context"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// AliveFor is for how many seconds after its last beat a process counts as alive.
const AliveFor = 10

// deletedAfter is how long after its last beat the row of a dead process is deleted; no clock is that wrong.
const deletedAfter = 7 * 24 * time.Hour

// putRightEvery is after how many beats to look again for what a clock that was ahead left behind.
const putRightEvery = 30

// deleteEvery is how often that is done, in seconds.
const deleteEvery = 3600

// Processes are all that work on one database, this one among them.
type Processes struct {
	db  *store.DB
	id  string
	now func() time.Time
	// Ahead is by how much this process's clock is ahead of the upstream's, as far as known; nil: nobody knows.
	Ahead func() time.Duration

	beats    atomic.Int64
	deleted  atomic.Int64 // when the dead were last deleted, in Unix seconds
	released atomic.Bool
}

// NewProcesses returns them as seen by the process with that id.
func NewProcesses(db *store.DB, id string, now func() time.Time) *Processes {
	return &Processes{db: db, id: id, now: now}
}

// Beat notes that this process lives. Only the database's clock counts, so a process with a wrong clock of its
// own does no harm.
func (p *Processes) Beat(ctx context.Context) error {
	var ahead time.Duration
	if p.Ahead != nil {
		ahead = p.Ahead()
	}
	statements := []store.Statement{{
		SQL: `INSERT INTO processes (id, seen_at, clock_ahead_ms) VALUES (?, CURRENT_TIMESTAMP, ?)
			ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, clock_ahead_ms = excluded.clock_ahead_ms`,
		Args: []any{p.id, ahead.Milliseconds()},
	}}
	if p.beats.Add(1)%putRightEvery == 1 { // counted, since clocks are what may be wrong
		statements = append(statements, p.db.PutJobsRight()...)
	}
	now := p.now()
	overdue := now.Unix()-p.deleted.Load() > deleteEvery
	if overdue {
		statements = append(statements, store.Statement{
			SQL: "DELETE FROM processes WHERE seen_at < ?", Args: []any{store.Moment(now.Add(-deletedAfter))},
		})
	}
	err := p.db.Tx(ctx, func(tx *store.Tx) error { return tx.ExecLast(ctx, statements...) })
	if err == nil && overdue {
		p.deleted.Store(now.Unix())
	}
	return fault.Doing("heartbeat", err)
}

// Alive selects the ids of living processes: this one and those that beat lately.
func (p *Processes) Alive(session *gorm.DB) *gorm.DB {
	if p.db.Alone() {
		return session.Table("processes").Select("id").Where("id = ?", p.id)
	}
	return beating(session, AliveFor).Or("id = ?", p.id)
}

// ClockAhead is by how much the clock of the living process that is most wrong is ahead of the upstream's; negative if
// it is behind.
func (p *Processes) ClockAhead(ctx context.Context) (time.Duration, error) {
	db := p.db.Read(ctx)
	ms, err := store.One[int64](db.Table("processes").Select("clock_ahead_ms").Where("id IN (?)", p.Alive(db)).
		Order("ABS(clock_ahead_ms) DESC"), nil)
	return time.Duration(ms) * time.Millisecond, fault.Doing("compare clocks", err)
}

// beating are the processes that beat within some seconds, by PostgreSQL's clock.
func beating(session *gorm.DB, seconds int) *gorm.DB {
	return session.Table("processes").Select("id").Where(
		"seen_at > CURRENT_TIMESTAMP - make_interval(secs => ?)", seconds,
	)
}

// Release ends the jobs of dead processes, and says whether there were any. A killed sweep would count as running until
// River rescues it, and stop every other from starting while a cashier waits. River's clients are named like processes.
// Where a process is alone, all others were dead when it began.
func (p *Processes) Release(ctx context.Context) (some bool, err error) {
	if p.db.Alone() && p.released.Load() {
		return false, nil
	}
	err = p.db.Tx(ctx, func(tx *store.Tx) error {
		alive, err := store.All[string](p.Alive(tx.DB))
		if err != nil {
			return err
		}
		some, err = tx.DiscardJobs(append(alive, p.id))
		return err
	})
	p.released.Store(err == nil)
	return some, fault.Doing("release jobs", err)
}

// Running says whether a process works on a database. One that can be opened only once is the caller's.
func Running(ctx context.Context, db *store.DB) (bool, error) {
	if db.Alone() {
		return false, nil
	}
	return store.Some(beating(db.Read(ctx), AliveFor))
}

// lately is how long ago a process beat that may have been killed just now, in seconds.
const lately = 60

// BeatLately says whether a process beat on a database within the last minute.
func BeatLately(ctx context.Context, db *store.DB, id string, now time.Time) (bool, error) {
	if db.Alone() { // by the clock of this machine
		since := store.Moment(now.Add(-lately * time.Second))
		return store.Some(db.Read(ctx).Table("processes").Where("id = ? AND seen_at > ?", id, since))
	}
	return store.Some(beating(db.Read(ctx), lately).Where("id = ?", id))
}
