package jobs

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// WorkKind is what long work does.
type WorkKind string

// The kinds of long work.
const (
	Rollups   WorkKind = "rollups"   // the sums of the reports, in rollups
	Catalogue WorkKind = "catalogue" // a sync, in resources
	Verify    WorkKind = "verify"    // a check of the books, in invariants
	Export    WorkKind = "export"    // a file, in rows; their number is not known before
)

const (
	tellEvery = time.Second    // between two signs; quicker work gives none at all
	forgotten = 24 * time.Hour // after its last sign, what a dead process left is removed
)

// Work is something under way.
type Work struct {
	ID        string
	Kind      WorkKind
	Detail    string // what of it
	AskedBy   string // whose page shows it; "" for nobody's
	Done      int64
	Total     int64 // 0: not known
	StartedAt time.Time
	SeenAt    time.Time // the last sign of it
}

// silentAfter is when work that gives no sign is no longer believed to run.
const silentAfter = 5 * time.Minute

// Silent says whether the work has given no sign for so long that it may have stopped.
func (w Work) Silent(now time.Time) bool { return now.Sub(w.SeenAt) > silentAfter }

// TableName names the table for GORM.
func (Work) TableName() string { return "running_work" }

// BoardDeps is what a Board needs.
type BoardDeps struct {
	DB  *store.DB
	Now func() time.Time
	Log *slog.Logger
}

// Board shows how far long work is, while it runs: on a page from a row that every
// process can read, in a command by a line now and then. A nil Board shows nothing.
type Board struct {
	d    BoardDeps
	tell func(Work)
}

// NewBoard returns a board.
func NewBoard(d BoardDeps) *Board { return &Board{d: d, tell: func(Work) {}} }

// OnSign has a function called with each sign, too. Nothing may be under way yet.
func (b *Board) OnSign(tell func(Work)) { b.tell = tell }

// Task is work of one's own on a board. It is used by one goroutine.
type Task struct {
	board *Board
	work  Work
	told  time.Time
}

// Begin begins work; total 0 means that nobody knows how much it is.
func (b *Board) Begin(kind WorkKind, detail string, total int64) *Task {
	if b == nil {
		return nil
	}
	now := store.Moment(b.d.Now())
	return &Task{
		board: b, told: now, work: Work{ID: rand.Text(), Kind: kind, Detail: detail, Total: total, StartedAt: now},
	}
}

// For says who asked for the work, and returns it.
func (t *Task) For(userID string) *Task {
	if t != nil {
		t.work.AskedBy = userID
	}
	return t
}

// At says how much is done, and of what something is being done now. Signs are
// given at most once a second. It must not be called inside a transaction: the
// sign is one of its own. That it could not be given is logged and no more, since
// work must not fail by being watched.
func (t *Task) At(ctx context.Context, detail string, done int64) {
	if t == nil {
		return
	}
	now := store.Moment(t.board.d.Now())
	t.work.Detail, t.work.Done, t.work.SeenAt = detail, done, now
	if now.Sub(t.told) < tellEvery {
		return
	}
	t.told = now
	t.board.tell(t.work)
	t.board.log(ctx, t.board.write(ctx, t.work))
}

// End takes the work from the board, however it ended.
func (t *Task) End(ctx context.Context) {
	if t == nil || t.told.Equal(t.work.StartedAt) {
		return // no sign was given
	}
	ctx = context.WithoutCancel(ctx)
	t.board.log(
		ctx,
		t.board.d.DB.Exec(
			ctx, "DELETE FROM running_work WHERE id = ? OR seen_at < ?", t.work.ID, t.told.Add(-forgotten),
		),
	)
}

func (b *Board) write(ctx context.Context, w Work) error {
	return b.d.DB.Exec(ctx, `INSERT INTO running_work (id, kind, detail, asked_by, done, total, started_at, seen_at)
		VALUES (?,?,?,?,?,?,?,?)
			ON CONFLICT (id) DO UPDATE SET detail = excluded.detail, done = excluded.done, seen_at = excluded.seen_at`,
		w.ID, string(w.Kind), w.Detail, w.AskedBy, w.Done, w.Total, w.StartedAt, w.SeenAt)
}

func (b *Board) log(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		b.d.Log.WarnContext(ctx, "progress.not_told", "error", err)
	}
}

// Running returns what is under way, the longest first.
func (b *Board) Running(ctx context.Context) ([]Work, error) {
	if b == nil {
		return nil, nil
	}
	all, err := store.All[Work](b.d.DB.Read(ctx).Order("started_at, id"))
	return all, fault.Doing("read running work", err)
}
