package invariant

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

const (
	// nightly is when the shops sleep, by the clock of the first of them.
	nightly = 3*time.Hour + 30*time.Minute
	// lookEvery is how soon after that it begins; what is due stays due.
	lookEvery = 10 * time.Minute
	// verifyWithin bounds one run; it must end before the day begins.
	verifyWithin = 3 * time.Hour
)

// Nightly is who asks for the run of the night.
const Nightly = "nightly"

// VerifyArgs asks for a run if the night's is due.
type VerifyArgs struct{}

// Kind names the job.
func (VerifyArgs) Kind() string { return "verify.nightly" }

// InsertOpts lets one wait or run at a time; the next look tries again.
func (VerifyArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}}}
}

type worker struct {
	river.WorkerDefaults[VerifyArgs]
	service *Service
}

// Timeout is long: every posting and event is read.
func (*worker) Timeout(*river.Job[VerifyArgs]) time.Duration { return verifyWithin }

func (w *worker) Work(ctx context.Context, _ *river.Job[VerifyArgs]) error {
	return w.service.VerifyIfDue(ctx)
}

// AddWorkers registers the job of this room.
func (s *Service) AddWorkers(workers *river.Workers) { river.AddWorker(workers, &worker{service: s}) }

// PeriodicJobs is when it looks whether a run is due.
func (s *Service) PeriodicJobs() []*river.PeriodicJob {
	return []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(lookEvery),
		func() (river.JobArgs, *river.InsertOpts) { return VerifyArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})}
}

// VerifyIfDue verifies if no run has begun since the last night. Before any
// shop is there, nothing is due.
func (s *Service) VerifyIfDue(ctx context.Context) error {
	shops, err := s.Staff.Shops(ctx)
	if err != nil {
		return fmt.Errorf("is a verification due: %w", err)
	}
	last, err := s.Last(ctx)
	if err != nil || len(shops) == 0 {
		return err
	}
	if last != nil && !last.StartedAt.Before(lastNight(s.Now(), shops[0].Location())) {
		return nil
	}
	_, err = s.Verify(ctx, Nightly)
	return err
}

// lastNight is the latest time of the nightly run in a zone.
func lastNight(now time.Time, zone *time.Location) time.Time {
	local := now.In(zone)
	at := func(day int) time.Time {
		return time.Date(local.Year(), local.Month(), day, 0, 0, 0, 0, zone).Add(nightly)
	}
	if tonight := at(local.Day()); !tonight.After(now) {
		return tonight
	}
	return at(local.Day() - 1)
}
