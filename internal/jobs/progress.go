package jobs

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// WorkKind is a kind of long work.
type WorkKind string

// The kinds, and what their progress is counted in.
const (
	Rollups   WorkKind = "rollups"   // sums of reports, in rollups
	Catalogue WorkKind = "catalogue" // a sync, in resources
	Verify    WorkKind = "verify"    // a check of the books, in invariants
	Export    WorkKind = "export"    // a file, in rows; how many is not known in advance
)

const (
	tellEvery  = time.Second    // between two signs of life; quicker work gives none
	staleAfter = 24 * time.Hour // the row of a dead process is deleted so long after its last sign
)

// Work is something under way.
type Work struct {
	ID        string
	Kind      WorkKind
	Detail    string // the part being worked on
	AskedBy   string // whose page shows it; "": nobody's
	Done      int64
	Total     int64 // 0: unknown
	StartedAt time.Time
	SeenAt    time.Time // the last sign of it
}

// silentAfter is when work that gives no sign is taken for dead.
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

// Board shows the progress of long work: on pages, from a row that every process can read; in a command, by a
// line now and then. A nil Board shows nothing.
type Board struct {
	d    BoardDeps
	tell func(Work)
}

// NewBoard returns a board.
func NewBoard(d BoardDeps) *Board { return &Board{d: d, tell: func(Work) {}} }

// OnSign sets a function to call with each sign too. Nothing may be under way yet.
func (b *Board) OnSign(tell func(Work)) { b.tell = tell }

// Task is one piece of work on a board, for one goroutine.
type Task struct {
	board    *Board
	work     Work
	lastSign time.Time
}

// Begin begins work; total 0: unknown.
func (b *Board) Begin(kind WorkKind, detail string, total int64) *Task {
	if b == nil {
		return nil
	}
	now := store.Moment(b.d.Now())
	return &Task{
		board: b, lastSign: now, work: Work{ID: rand.Text(), Kind: kind, Detail: detail, Total: total, StartedAt: now},
	}
}

// For says who asked for the work, and returns it.
func (t *Task) For(userID string) *Task {
	if t != nil {
		t.work.AskedBy = userID
	}
	return t
}

// At notes how much is done and what is being done now, at most once a second. It must not be called inside a
// transaction, since it writes in one of its own. A failure is only logged: work must not fail by being
// watched.
func (t *Task) At(ctx context.Context, detail string, done int64) {
	if t == nil {
		return
	}
	now := store.Moment(t.board.d.Now())
	t.work.Detail, t.work.Done, t.work.SeenAt = detail, done, now
	if now.Sub(t.lastSign) < tellEvery {
		return
	}
	t.lastSign = now
	t.board.tell(t.work)
	t.board.log(ctx, t.board.write(ctx, t.work))
}

// End takes the work off the board, however it ended.
func (t *Task) End(ctx context.Context) {
	if t == nil || t.lastSign.Equal(t.work.StartedAt) {
		return // no sign was given
	}
	ctx = context.WithoutCancel(ctx)
	t.board.log(
		ctx,
		t.board.d.DB.Exec(
			ctx, "DELETE FROM running_work WHERE id = ? OR seen_at < ?", t.work.ID, t.lastSign.Add(-staleAfter),
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
