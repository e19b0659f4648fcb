// Package invariant checks on a live system that what must always hold does (SALE.md, Invariants I2 to I8, and
// the audit chain), and names what breaks it. The only rows it writes are its own.
package invariant

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/ledger"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Deps is what a Service needs.
type Deps struct {
	DB     *store.DB
	Ledger *ledger.Ledger
	Audit  *audit.Log
	Staff  *staff.Service
	// Balance asks the upstream for the balance and stores it; nil: only stored ones are judged.
	Balance func(context.Context) (reconcile.UpstreamBalance, error)
	More    []Check               // of other rooms, after those of this one
	Metrics prometheus.Registerer // nil: none
	Board   *jobs.Board           // nil: a run is not shown
	AtOnce  int                   // things in a batch; 0: as many as are quick
	Stored  func()                // called whenever progress was stored; nil: nobody
	Log     *slog.Logger
	Now     func() time.Time
}

// Service checks.
type Service struct {
	d       Deps
	metrics metrics
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d, metrics: newMetrics(d.Metrics)} }

// Check is one invariant.
type Check struct {
	Name  string // "I3"
	Rule  string // what holds, in words
	Check func(ctx context.Context, f *Finding) error

	batch batch   // instead of Check
	judge judging // instead of both; with batch, only for what moved
	moved string  // selects what judge looks at again after a cut run: what moved since
}

// Finding is the result of one check.
type Finding struct {
	Name      string
	Rule      string
	Checked   int64      // things
	Offenders []Offender // at most maxNamed
	More      int        // offenders that are not named
	Notes     []Note
	Note      string // in English, of runs stored before there were Notes
}

// maxNamed is how many offenders of an invariant are named: nobody would read more, and a result must not grow
// with the damage.
const maxNamed = 50

// Blame names an offender; its facts fill its sentence.
func (f *Finding) Blame(kind Kind, subject string, facts ...any) {
	f.blame(offender(kind, subject, facts...))
}

func (f *Finding) blame(o Offender) {
	if len(f.Offenders) >= maxNamed {
		f.More++
		return
	}
	f.Offenders = append(f.Offenders, o)
}

// Broken is how many offenders there are.
func (f Finding) Broken() int { return len(f.Offenders) + f.More }

// Run is one check of everything.
type Run struct {
	ID        string
	AskedBy   string
	StartedAt time.Time
	EndedAt   time.Time
	Holds     bool
	Findings  []Finding `gorm:"serializer:json"`
}

// TableName names the table for GORM.
func (Run) TableName() string { return "verify_runs" }

func (s *Service) checks() []Check {
	return append([]Check{
		{Name: "I3", Rule: "postings sum to zero per journal and currency", batch: s.journals},
		{Name: "I4", Rule: "stored balances are the sum of their postings", Check: s.checkpoints},
		{Name: "I5", Rule: "the float account is the upstream's balance at rest", Check: s.float},
		{
			Name: "I6", Rule: "reserves, clearing, prepayments and refunds due are zero when nothing is open",
			Check: s.rest,
		},
		{
			Name: "I2", Rule: "each cash taken waits, is due back, went back or is earned, and is booked so",
			judge: s.judgeCash, moved: "s.updated_at >= ?",
		},
		{
			Name: "I7", Rule: "each drawer's account is what was counted or moved", batch: s.drawers,
			judge: s.judgeDrawers, moved: "(s.closed_at IS NULL OR s.closed_at >= ?)",
		},
		{
			Name: "I8", Rule: "a final sale never moves except by a named incident", judge: s.judgeHistories,
			moved: "s.updated_at >= ?",
		},
		{Name: "audit", Rule: "the audit chain is whole", Check: s.chain},
		{Name: "sealed", Rule: "postings and sale events are as the audit sealed them at night", batch: s.seals},
	}, s.d.More...)
}

// stands takes over what the last run found if this one could judge nothing: it is not right again for that.
func (f *Finding) stands(last *Run) {
	told := !slices.ContainsFunc(f.Notes, func(n Note) bool { return n.Kind == FloatBusy || n.Kind == SalesOpen })
	if told || last == nil {
		return
	}
	for _, was := range last.Findings {
		if was.Name == f.Name && was.Broken() > 0 {
			f.Offenders, f.More = was.Offenders, was.More
			f.Notes = append(f.Notes, Note{Kind: FoundBefore})
		}
	}
}

// Verify checks everything, stores the result, and opens an incident if something does not hold, or closes it
// if all holds again. A cut run is continued by the next of the same asker, within a night.
func (s *Service) Verify(ctx context.Context, askedBy string) (Run, error) {
	last, err := s.Last(ctx)
	if err != nil {
		return Run{}, err
	}
	p, err := s.begin(ctx, askedBy)
	if err != nil {
		return Run{}, err
	}
	run := Run{ID: p.Run, AskedBy: askedBy, StartedAt: p.StartedAt, Holds: true}
	checks := s.checks()
	task := s.d.Board.Begin(jobs.Verify, "", int64(len(checks)))
	defer task.End(ctx)
	for i, check := range checks {
		task.At(ctx, check.Name, int64(i))
		f, err := s.check(ctx, &p, check)
		if err != nil {
			return run, fmt.Errorf("verify %s: %w", check.Name, err)
		}
		f.stands(last)
		run.Holds = run.Holds && f.Broken() == 0
		run.Findings = append(run.Findings, f)
	}
	run.EndedAt = store.Moment(s.d.Now())
	return run, s.storeRun(ctx, p, run)
}

func (s *Service) check(ctx context.Context, p *progress, check Check) (Finding, error) {
	if check.Check == nil {
		return s.run(ctx, p, check)
	}
	f := Finding{Name: check.Name, Rule: check.Rule}
	return f, check.Check(ctx, &f)
}

func (s *Service) storeRun(ctx context.Context, p progress, run Run) error {
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		err := tx.MustExec(ErrTaken, "DELETE FROM verify_progress WHERE asked_by = ? AND owner = ?", p.AskedBy, p.Owner)
		if err != nil {
			return err
		}
		findings, err := json.Marshal(run.Findings)
		if err != nil {
			return err
		}
		err = tx.Exec("INSERT INTO verify_runs (id, asked_by, started_at, ended_at, holds, findings) VALUES "+
			"(?,?,?,?,?,?)",
			run.ID, run.AskedBy, run.StartedAt, run.EndedAt, run.Holds, string(findings)).Error
		if err != nil {
			return err
		}
		if run.Holds {
			return sales.CloseIncidents(tx, sales.InvariantBroken, "verify", run.EndedAt)
		}
		return sales.RaiseIncident(ctx, tx, sales.Incident{
			Kind: sales.InvariantBroken, Note: "a check of the books found what must never be", At: run.EndedAt,
		})
	})
	if err != nil {
		return fmt.Errorf("store verification: %w", err)
	}
	s.metrics.ran(run)
	s.report(ctx, run)
	return nil
}

func (s *Service) report(ctx context.Context, run Run) {
	if run.Holds {
		seconds := int(run.EndedAt.Sub(run.StartedAt).Seconds())
		s.d.Log.InfoContext(ctx, "verify.holds", "run", run.ID, "seconds", seconds)
		return
	}
	for _, f := range run.Findings {
		if f.Broken() > 0 {
			s.d.Log.ErrorContext(
				ctx, "verify.broken", "run", run.ID, "invariant", f.Name, "offenders", f.Broken(), "first",
				f.Offenders[0].Subject,
			)
		}
	}
}

// Last returns the latest run, nil if there is none.
func (s *Service) Last(ctx context.Context) (*Run, error) {
	found, err := store.First[Run](s.d.DB.Read(ctx).Order("id DESC"))
	return found, fault.Doing("last verification", err)
}
