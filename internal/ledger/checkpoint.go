package ledger

import (
	"context"
	"time"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// CheckpointEvery is the least time between two checkpoint runs. No transaction lives that long, so no posting
// can appear any more with an id up to the highest seen by the run before: what a checkpoint covers is final.
// No clocks are compared.
const CheckpointEvery = 10 * time.Minute

// Checkpoint folds the postings of all accounts into their checkpoints, from where the last run ended up to the
// horizon that it left, and leaves a new one. It does nothing if called again too soon.
func (l *Ledger) Checkpoint(ctx context.Context, now time.Time) error {
	return fault.Doing("checkpoint", l.db.Tx(ctx, func(tx *store.Tx) error {
		var horizon []struct {
			LastID   int64
			FoldedID int64
			SeenAt   time.Time
		}
		if err := tx.Raw(
			"SELECT last_id, folded_id, seen_at FROM ledger_horizon" + tx.ForUpdate(),
		).Scan(&horizon).Error; err != nil {
			return err
		}
		if len(horizon) == 1 {
			if now.Sub(horizon[0].SeenAt) < CheckpointEvery {
				return nil
			}
			err := tx.Exec(foldSQL, map[string]any{"folded": horizon[0].FoldedID, "horizon": horizon[0].LastID}).Error
			if err != nil {
				return err
			}
		}
		return tx.Exec(horizonSQL, store.Moment(now)).Error
	}))
}

// Fold brings one account's checkpoint up to the last posting that is final, so that its next balance reads few. It
// fails if somebody who was writing postings does not end within the context.
func (l *Ledger) Fold(ctx context.Context, account Account, currency money.Currency) error {
	final, err := l.db.FinalID(ctx, "postings")
	if err == nil {
		err = l.db.Exec(ctx, foldOneSQL, map[string]any{"account": account, "currency": currency, "final": final})
	}
	return fault.Doing("fold postings", err)
}

// Whoever folds sums from the checkpoint that it saw, so two at once do no harm: the one that reaches further stays.
const further = `
ON CONFLICT (account, currency) DO UPDATE SET micros = excluded.micros, last_id = excluded.last_id
WHERE excluded.last_id > ledger_checkpoints.last_id`

const foldOneSQL = `
INSERT INTO ledger_checkpoints (account, currency, micros, last_id)
SELECT account, currency, SUM(micros)
     + COALESCE((SELECT micros FROM ledger_checkpoints WHERE account = @account AND currency = @currency), 0), MAX(id)
  FROM postings
 WHERE account = @account AND currency = @currency AND id <= @final
   AND id > COALESCE((SELECT last_id FROM ledger_checkpoints WHERE account = @account AND currency = @currency), 0)
 GROUP BY account, currency` + further

const foldSQL = `
INSERT INTO ledger_checkpoints (account, currency, micros, last_id)
SELECT p.account, p.currency, SUM(p.micros) + COALESCE(MAX(c.micros), 0), MAX(p.id)
  FROM postings p LEFT JOIN ledger_checkpoints c ON c.account = p.account AND c.currency = p.currency
 WHERE p.id > @folded AND p.id <= @horizon AND p.id > COALESCE(c.last_id, 0)
 GROUP BY p.account, p.currency` + further

const horizonSQL = `
INSERT INTO ledger_horizon (only_row, last_id, seen_at) SELECT TRUE, COALESCE(MAX(id), 0), ? FROM postings WHERE TRUE
ON CONFLICT (only_row) DO UPDATE SET folded_id = ledger_horizon.last_id, last_id = excluded.last_id,
	seen_at = excluded.seen_at`
