package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

// Outcome says how a run ended.
type Outcome string

// The outcomes; a run under way has none.
const (
	Done        Outcome = "done"
	Held        Outcome = "held"   // nothing was applied, because so much is missing
	Failed      Outcome = "failed" // the upstream or the database did not answer
	Interrupted Outcome = "interrupted"
)

// Run is one attempt to bring one resource up to date.
type Run struct {
	ID         string
	Resource   Resource
	StartedAt  time.Time
	LeaseUntil time.Time
	EndedAt    *time.Time
	Outcome    Outcome
	Added      int
	Changed    int
	Removed    int
	Unsellable int  // products withheld from sale
	Written    int  // rows committed so far
	Published  bool // what it wrote is part of a version
	Note       string
}

// TableName names the table for GORM.
func (Run) TableName() string { return "catalog_runs" }

// Counted says whether more changes were counted than are listed: a first run, or one from before changes were
// stored, lists nothing.
func (r *Run) Counted(listed map[Field]int) bool {
	return r.Outcome == Done && listed[Added]+listed[Removed] < r.Added+r.Removed
}

// run is a Run in progress: its process holds the resource.
type run struct {
	Run
	s     *Service
	force bool
	held  []string
}

const (
	// lease is far longer than the longest silence of a healthy run, one upstream call; each chunk written
	// renews it.
	lease = 2 * time.Minute
	// chunk is how many rows one transaction writes. SQLite has one writer, and a sale must not wait behind a
	// whole catalogue.
	chunk = 500

	// restMost bounds how long a sync rests between chunks.
	restMost = time.Second
)

var (
	errLeaseLost = errors.New("another process took over the sync")
	errNotDue    = errors.New("another process has just synchronised it") // gives the resource back
)

// begin takes a resource; nil if a run of it is under way.
func (s *Service) begin(ctx context.Context, resource Resource, o order) (*run, error) {
	now := store.Moment(s.d.Now())
	r := &run{s: s, force: o.force, Run: Run{
		ID: store.NewID(now), Resource: resource, StartedAt: now, LeaseUntil: now.Add(lease),
	}}
	taken := false
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		const expire = "UPDATE catalog_runs SET ended_at = ?, outcome = ? WHERE resource = ? AND ended_at IS NULL " +
			"AND (lease_until < ? OR started_at > ?)"
		if err := tx.Exec(expire, now, Interrupted, resource, now, soon(now)).Error; err != nil {
			return err
		}
		created := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&r.Run)
		taken = created.RowsAffected == 1
		if created.Error != nil || !taken || !o.onlyDue {
			return created.Error
		}
		// Asked only now that the resource is taken: before, another process could begin and end a run in
		// between.
		due, err := dueIn(tx.DB, now, r.ID)
		if err == nil && !slices.Contains(due, resource) {
			err = errNotDue
		}
		return err
	})
	switch {
	case errors.Is(err, errNotDue):
		return nil, nil
	case err != nil || !taken:
		return nil, err
	}
	return r, nil
}

// notes note what will happen to rows, in the transaction that writes or withdraws them; nil: not wanted.
type notes[T any] struct {
	written   func(*store.Tx, []fresh[T]) error
	withdrawn func(tx *store.Tx, keys []string) error
}

// apply writes the difference between rows and a table, chunk by chunk, or holds it back if it is absurd. Rows
// without a key are left out.
func apply[T any](ctx context.Context, r *run, t table[T], scope string, rows []T, also notes[T]) error {
	rows = slices.DeleteFunc(rows, func(row T) bool {
		key := t.key(&row)
		return slices.Contains(key, "") || scope != "" && key[0] != scope // more was answered than asked
	})
	at := store.Moment(r.s.d.Now())
	d, err := t.compare(ctx, r.s.d.DB, scope, rows, at)
	if err != nil {
		return err
	}
	r.Added, r.Changed, r.Removed = r.Added+d.added, r.Changed+len(d.write)-d.added, r.Removed+len(d.removed)
	if d.dropped > 0 {
		r.s.d.Log.Warn("catalog.dropped", "table", t.name, "rows", d.dropped)
	}
	// Who is no longer named among the statuses takes transfers: trouble that ends takes many away at once.
	if d.absurd() && !r.force && r.Resource != Statuses {
		r.held = append(
			r.held, fmt.Sprintf("%s %s: %d of %d would be withdrawn", t.name, scope, d.missing, d.due),
		)
		return nil
	}
	if d.live == 0 {
		also = notes[T]{} // everything is new: 17,000 lines would say no more than their number
	}
	for rows := range slices.Chunk(d.write, chunk) {
		err := r.write(ctx, len(rows), func(tx *store.Tx) error {
			if also.written != nil {
				if err := also.written(tx, rows); err != nil {
					return err
				}
			}
			return t.put(ctx, tx, rows, d.first, at)
		})
		if err != nil {
			return fmt.Errorf("write %s: %w", t.name, err)
		}
	}
	for keys := range slices.Chunk(d.removed, chunk) {
		err := r.write(ctx, len(keys), func(tx *store.Tx) error {
			if also.withdrawn != nil {
				if err := also.withdrawn(tx, keys); err != nil {
					return err
				}
			}
			return t.withdraw(ctx, tx, keys, at)
		})
		if err != nil {
			return fmt.Errorf("withdraw %s: %w", t.name, err)
		}
	}
	return nil
}

// write commits a chunk if the run still holds its resource, then rests for as long: where something is for
// sale already, cashiers need processor and database too.
func (r *run) write(ctx context.Context, rows int, fn func(*store.Tx) error) error {
	began := r.s.d.Now()
	err := r.commit(ctx, rows, fn)
	if err == nil && !r.s.Current().Empty() {
		rest := time.NewTimer(min(r.s.d.Now().Sub(began), restMost))
		defer rest.Stop()
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
	}
	return err
}

func (r *run) commit(ctx context.Context, rows int, fn func(*store.Tx) error) error {
	return r.s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		err := tx.MustExec(errLeaseLost,
			"UPDATE catalog_runs SET written = written + ?, lease_until = ? WHERE id = ? AND ended_at IS NULL",
			rows, store.Moment(r.s.d.Now().Add(lease)), r.ID)
		if err != nil {
			return err
		}
		r.Written += rows
		return fn(tx)
	})
}

// end closes the run and, if it succeeded, moves the time as of which the catalogue is known. One that was cut off, as
// its process stops, is due again at once.
func (r *run) end(ctx context.Context, cause error) error {
	now := store.Moment(r.s.d.Now())
	r.EndedAt, r.LeaseUntil = &now, now
	switch {
	case cause != nil && errors.Is(ctx.Err(), context.Canceled): // whatever the call made of it
		r.Outcome = Interrupted
	case cause != nil:
		r.Outcome, r.Note = Failed, cause.Error() // no secrets: apiclient's errors hold none, all others are ours
	case len(r.held) > 0:
		r.Outcome, r.Note = Held, fmt.Sprint(r.held)
	default:
		r.Outcome = Done
	}
	// The run is closed even if the job was cancelled meanwhile.
	ctx = context.WithoutCancel(ctx)
	return r.s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		const sql = "UPDATE catalog_runs SET ended_at = ?, lease_until = ?, outcome = ?, added = ?, changed = ?, " +
			"removed = ?, unsellable = ?, note = ? WHERE id = ? AND ended_at IS NULL"
		closed := tx.Exec(sql, now, now, r.Outcome, r.Added, r.Changed, r.Removed, r.Unsellable, r.Note, r.ID)
		if closed.Error != nil || closed.RowsAffected == 0 || r.Outcome != Done {
			return closed.Error
		}
		return errors.Join(r.s.confirmed(tx, r.Resource, r.StartedAt), r.wantedMeanwhile(ctx, tx))
	})
}

// Interrupt ends the runs that no job is working on, since its process was killed, and asks for what is due then. Their
// leases would hold back everybody else: after the first sync of all, for two minutes without anything to sell.
func (s *Service) Interrupt(ctx context.Context) error {
	now := store.Moment(s.d.Now())
	return fault.Doing("interrupt syncs", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		ended := tx.Exec(`UPDATE catalog_runs SET ended_at = ?, lease_until = ?, outcome = ? WHERE ended_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM river_job WHERE state = 'running' AND kind IN ?)`,
			now, now, Interrupted, kinds())
		if ended.Error != nil || ended.RowsAffected == 0 {
			return ended.Error
		}
		return errors.Join(
			tx.Enqueue(ctx, jobs.Now(statusJob), nil), tx.Enqueue(ctx, jobs.Now(syncJob), nil),
		)
	}))
}

// Runs returns the latest runs, newest first.
func (s *Service) Runs(ctx context.Context, limit int) ([]Run, error) {
	return latest(s.d.DB.Read(ctx), limit)
}

// NotableRuns returns the latest runs, newest first, without status checks, one a minute, that found nothing
// new.
func (s *Service) NotableRuns(ctx context.Context, limit int) ([]Run, error) {
	return latest(s.d.DB.Read(ctx).Where("NOT (resource = ? AND outcome = ? AND written = 0)", Statuses, Done), limit)
}

func latest(query *gorm.DB, limit int) ([]Run, error) {
	runs, err := store.All[Run](query.Order("started_at DESC, id DESC").Limit(limit))
	return runs, fault.Doing("read sync runs", err)
}

// LastOfEach returns the last run of each resource that has ended; runs are the newest first.
func LastOfEach(runs []Run) (last []Run) {
	seen := map[Resource]bool{}
	for _, run := range runs {
		if run.EndedAt != nil && !seen[run.Resource] {
			seen[run.Resource] = true
			last = append(last, run)
		}
	}
	return last
}

// RunByID returns one run; fault.NotFound if there is none, or none any more.
func (s *Service) RunByID(ctx context.Context, id string) (Run, error) {
	r, err := store.One[Run](s.d.DB.Read(ctx).Where("id = ?", id), fault.New(fault.NotFound, "sync.none"))
	return r, fault.Doing("read sync run", err)
}
