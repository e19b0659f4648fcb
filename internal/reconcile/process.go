package reconcile

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/store"
)

// aliveFor is how many seconds after its last beat a process counts as alive.
const aliveFor = 10

// forgottenAfter is when the row of a process that is gone is removed; no clock
// is that wrong.
const forgottenAfter = 7 * 24 * time.Hour

// Beat says that this process lives. The database's clock is used on both
// sides, so that a process whose own clock is wrong is still seen rightly.
func (s *Service) Beat(ctx context.Context) error {
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Exec("DELETE FROM processes WHERE seen_at < ?", store.Moment(s.Now().Add(-forgottenAfter))).Error; err != nil {
			return err
		}
		return tx.Exec(`INSERT INTO processes (id, seen_at) VALUES (?, CURRENT_TIMESTAMP)
			ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, s.Process).Error
	})
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}

// alive selects the ids of living processes. A SQLite file has one process at
// a time: this one.
func (s *Service) alive(session *gorm.DB) *gorm.DB {
	query := session.Table("processes").Select("id")
	if s.DB.Dialect() == store.SQLite {
		return query.Where("id = ?", s.Process)
	}
	return query.Where("id = ? OR seen_at > CURRENT_TIMESTAMP - make_interval(secs => ?)", s.Process, aliveFor)
}

// ReleaseJobs ends jobs of processes that are gone. A sweep that was killed
// would count as running until River rescues it, and no other sweep would run
// beside it, while a cashier waits. River's clients are named like processes.
func (s *Service) ReleaseJobs(ctx context.Context) error {
	worker := "json_extract(attempted_by, '$[#-1]')"
	if s.DB.Dialect() == store.Postgres {
		worker = "attempted_by[array_length(attempted_by, 1)]"
	}
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		var alive []string
		if err := s.alive(tx.DB).Scan(&alive).Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE river_job SET state = 'discarded', finalized_at = CURRENT_TIMESTAMP WHERE state = 'running' AND max_attempts <= attempt AND "+
			worker+" NOT IN ?", append(alive, s.Process)).Error
	})
	if err != nil {
		return fmt.Errorf("release jobs: %w", err)
	}
	return nil
}
