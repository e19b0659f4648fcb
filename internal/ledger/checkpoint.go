package ledger

import (
	"context"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// CheckpointEvery is the least time between two checkpoint runs. No transaction lives that long, so no posting
// can appear any more with an id up to the highest seen by the run before: what a checkpoint covers is final.
// No clocks are compared.
const CheckpointEvery = 10 * time.Minute

// Checkpoint folds postings into the checkpoints, up to the horizon of the run before, and leaves a new
// horizon. It does nothing if called again too soon.
func (l *Ledger) Checkpoint(ctx context.Context, now time.Time) error {
	return fault.Doing("checkpoint", l.db.Tx(ctx, func(tx *store.Tx) error {
		var horizon []struct {
			LastID int64
			SeenAt time.Time
		}
		if err := tx.Raw(
			"SELECT last_id, seen_at FROM ledger_horizon" + tx.ForUpdate(),
		).Scan(&horizon).Error; err != nil {
			return err
		}
		if len(horizon) == 1 {
			if now.Sub(horizon[0].SeenAt) < CheckpointEvery {
				return nil
			}
			if err := tx.Exec(foldSQL, map[string]any{"horizon": horizon[0].LastID}).Error; err != nil {
				return err
			}
		}
		return tx.Exec(horizonSQL, store.Moment(now)).Error
	}))
}

const foldSQL = `
INSERT INTO ledger_checkpoints (account, currency, micros, last_id)
SELECT p.account, p.currency, SUM(p.micros) + COALESCE(MAX(c.micros), 0), MAX(p.id)
  FROM postings p LEFT JOIN ledger_checkpoints c ON c.account = p.account AND c.currency = p.currency
 WHERE p.id <= @horizon AND p.id > COALESCE(c.last_id, 0)
 GROUP BY p.account, p.currency
ON CONFLICT (account, currency) DO UPDATE SET micros = excluded.micros, last_id = excluded.last_id`

const horizonSQL = `
INSERT INTO ledger_horizon (only_row, last_id, seen_at) SELECT TRUE, COALESCE(MAX(id), 0), ? FROM postings WHERE TRUE
ON CONFLICT (only_row) DO UPDATE SET last_id = excluded.last_id, seen_at = excluded.seen_at`
