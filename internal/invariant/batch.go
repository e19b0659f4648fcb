package invariant

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"airtill/internal/store"
)

// batch checks the next things after an id ("" for the first), and returns the last it checked, "" if there
// are no more.
type batch func(ctx context.Context, f *Finding, after string) (last string, err error)

// judging is a batch of the next things, as s, that a condition selects.
type judging func(ctx context.Context, f *Finding, where string, args ...any) (last string, err error)

// afterID selects the things after an id.
const afterID = "s.id > ?"

func (j judging) batch(ctx context.Context, f *Finding, after string) (last string, err error) {
	return j(ctx, f, afterID, after)
}

// resumedWithin is how old a cut run may be and still be continued: a nightly check cut in the morning is
// still last night's.
const resumedWithin = 20 * time.Hour

// end is the last id of the next batch of a table's rows, "" if there are none. A batch is selected up to this
// id; LIMIT would sort it again.
func (s *Service) end(ctx context.Context, table, where string, args []any, atOnce int) (last string, err error) {
	return store.Value[string](s.d.DB.Read(ctx).Raw(fmt.Sprintf(
		"SELECT COALESCE(MAX(id), '') FROM (SELECT s.id FROM %s s WHERE %s ORDER BY s.id LIMIT ?) batch", table, where,
	),
		append(slices.Clone(args), cmp.Or(s.d.AtOnce, atOnce))...))
}

// progress is a run under way. What it has checked stays checked when it is cut and continued: postings and
// events never change, and sales and shifts that moved since it began are checked again. Checks without
// batches run whole.
type progress struct {
	AskedBy   string `gorm:"primaryKey"`
	Owner     string
	Run       string
	StartedAt time.Time
	Done      map[string]*part `gorm:"serializer:json"` // by the name of the check

	resumed bool
}

// part is how far one check has come.
type part struct {
	After   string
	Finding Finding
	Whole   bool
}

// TableName names the table for GORM.
func (progress) TableName() string { return "verify_progress" }

// begin continues a cut run of the same asker, or begins one.
func (s *Service) begin(ctx context.Context, askedBy string) (p progress, err error) {
	now := store.Moment(s.d.Now())
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		cut, err := store.First[progress](tx.Where("asked_by = ? AND started_at > ?", askedBy, now.Add(-resumedWithin)))
		if err != nil {
			return err
		}
		p = progress{AskedBy: askedBy, Run: store.NewID(now), StartedAt: now, Done: map[string]*part{}}
		if cut != nil {
			p = *cut
			p.resumed = true
		}
		p.Owner = store.NewID(now)
		return tx.Save(&p).Error
	})
	if err != nil {
		return p, fmt.Errorf("begin verification: %w", err)
	}
	if p.resumed {
		s.d.Log.InfoContext(ctx, "verify.resumed", "run", p.Run, "since", p.StartedAt)
	}
	return p, nil
}

// run makes a check in batches, and now and then stores how far it is.
func (s *Service) run(ctx context.Context, p *progress, check Check) (Finding, error) {
	done := p.Done[check.Name]
	if done == nil {
		done = &part{}
		p.Done[check.Name] = done
	}
	done.Finding.Name, done.Finding.Rule = check.Name, check.Rule
	next := check.batch
	if next == nil {
		next = check.judge.batch
	}
	stored := s.d.Now()
	for !done.Whole {
		began := s.d.Now()
		last, err := next(ctx, &done.Finding, done.After)
		if err != nil {
			return done.Finding, err
		}
		done.After, done.Whole = last, last == ""
		if now := s.d.Now(); done.Whole || now.Sub(stored) >= storeEvery {
			stored = now
			if err := s.save(ctx, *p); err != nil {
				return done.Finding, err
			}
		}
		if err := giveWay(ctx, s.d.Now().Sub(began)/restsFor); err != nil {
			return done.Finding, err
		}
	}
	if !p.resumed || check.judge == nil {
		return done.Finding, nil
	}
	err := done.Finding.lookAgain(ctx, p.StartedAt, check)
	return done.Finding, err
}

// lookAgain judges, batch by batch, what moved since.
func (f *Finding) lookAgain(ctx context.Context, since time.Time, check Check) error {
	again, last := Finding{}, ""
	for {
		next, err := check.judge(ctx, &again, check.moved+" AND "+afterID, since, last)
		if err != nil {
			return err
		}
		if last = next; last == "" {
			f.add(again)
			return nil
		}
	}
}

// add takes over offenders of a second look that are not named yet; the things it looked at are counted
// already.
func (f *Finding) add(again Finding) {
	for _, o := range again.Offenders {
		if !f.names(o.Subject) {
			f.blame(o)
		}
	}
	f.More += again.More
}

const (
	// storeEvery is how much work a cut run loses at most. Each store holds up a sale written at that moment.
	storeEvery = time.Second
	// restsFor: after each batch a check rests for 1/restsFor of the time it took.
	restsFor = 8
)

// giveWay lets sales go first.
func giveWay(ctx context.Context, rest time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rest):
		return nil
	}
}

// ErrTaken means that somebody else continues the same run.
var ErrTaken = errors.New("another check of the books goes on with this one")

func (s *Service) save(ctx context.Context, p progress) error {
	state, err := json.Marshal(p.Done)
	if err != nil {
		return err
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return tx.MustExec(ErrTaken, "UPDATE verify_progress SET done = ? WHERE asked_by = ? AND owner = ?",
			string(state), p.AskedBy, p.Owner)
	})
	if err == nil && s.d.Stored != nil {
		s.d.Stored()
	}
	return err
}
