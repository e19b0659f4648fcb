package store

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// JobClient is a running River client, on either database.
type JobClient interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	Insert(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	JobList(ctx context.Context, params *river.JobListParams) (*river.JobListResult, error)
	JobGet(ctx context.Context, id int64) (*rivertype.JobRow, error)
	JobRetry(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

// enqueuer hides the type of River's transaction, in which its two drivers differ.
type enqueuer interface {
	insertTx(ctx context.Context, tx *Tx, args river.JobArgs, opts *river.InsertOpts) error
	newWorker(config *river.Config) (JobClient, error)
	migrate(ctx context.Context) error
}

type riverOn[T any] struct {
	driver riverdriver.Driver[T]
	client *river.Client[T]
	txOf   func(context.Context, *Tx) (T, error)
}

func newRiver[T any](driver riverdriver.Driver[T], txOf func(context.Context, *Tx) (T, error)) (*riverOn[T], error) {
	client, err := river.NewClient(driver, &river.Config{}) // without queues it only inserts
	if err != nil {
		return nil, fmt.Errorf("job client: %w", err)
	}
	return &riverOn[T]{driver: driver, client: client, txOf: txOf}, nil
}

func (r *riverOn[T]) insertTx(ctx context.Context, tx *Tx, args river.JobArgs, opts *river.InsertOpts) error {
	own, err := r.txOf(ctx, tx)
	if err == nil {
		_, err = r.client.InsertTx(ctx, own, args, opts)
	}
	return err
}

func (r *riverOn[T]) newWorker(config *river.Config) (JobClient, error) {
	return river.NewClient(r.driver, config)
}

func (r *riverOn[T]) migrate(ctx context.Context) error {
	migrator, err := rivermigrate.New(r.driver, nil)
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// DiscardJobs ends jobs on their last try that run under other clients than these, and says whether there were any.
func (tx *Tx) DiscardJobs(clients []string) (some bool, err error) {
	worker := "json_extract(attempted_by, '$[#-1]')"
	if tx.db.dialect == Postgres {
		worker = "attempted_by[array_length(attempted_by, 1)]"
	}
	ended := tx.Exec("UPDATE river_job SET state = 'discarded', finalized_at = CURRENT_TIMESTAMP "+
		"WHERE state = 'running' AND max_attempts <= attempt AND "+worker+" NOT IN ?", clients)
	return ended.RowsAffected > 0, ended.Error
}

// PutJobsRight are statements that put right what the database's clock left behind if it was ahead: jobs that are to
// run at once and wait for a time to come, which no other of their kind passes, and a leader who did not resign and
// whose term, of a quarter of a minute, lasts until then. Without a leader there is no periodic work.
func (db *DB) PutJobsRight() []Statement {
	soon := "datetime('now', '+1 minute')"
	if db.dialect == Postgres {
		soon = "CURRENT_TIMESTAMP + INTERVAL '1 minute'"
	}
	return []Statement{
		{SQL: "UPDATE river_job SET scheduled_at = CURRENT_TIMESTAMP " +
			"WHERE state = 'available' AND scheduled_at > CURRENT_TIMESTAMP"},
		{SQL: "DELETE FROM river_leader WHERE expires_at > " + soon},
	}
}
