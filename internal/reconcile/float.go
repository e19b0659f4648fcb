package reconcile

import (
	"context"
	"errors"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/limit"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// How old the last balance may be where a newer one is waited for.
const (
	floatGoneEvery = 20 * time.Second // selling has stopped
	owedEvery      = time.Minute      // the upstream owes a refund
	owedFor        = time.Hour        // after that, the usual interval is enough
)

// WatchFloat asks for the balance ahead of its job where selling has stopped for lack of float or a refund by
// the upstream is expected.
func (s *Service) WatchFloat(ctx context.Context) error {
	patience, err := s.patience(ctx)
	if err != nil || patience == 0 {
		return err
	}
	last, err := s.LastBalance(ctx)
	if err != nil || last != nil && s.d.Now().Sub(last.AskedAt) < patience {
		return err
	}
	_, err = s.ReadBalance(ctx)
	if errors.Is(err, apiclient.ErrBudget) {
		return nil
	}
	return err
}

// FloatWaits says whether a newer balance is waited for.
func (s *Service) FloatWaits(ctx context.Context) (bool, error) {
	patience, err := s.patience(ctx)
	return patience > 0, err
}

// patience is how old a balance may be now; 0 leaves it to the job.
func (s *Service) patience(ctx context.Context) (time.Duration, error) {
	var waits struct{ Gone, Owed int }
	err := s.d.DB.Read(ctx).Raw(`SELECT (SELECT COUNT(*) FROM incidents WHERE kind = ? AND closed_at IS NULL) AS gone,
		(SELECT COUNT(*) FROM sales WHERE receivable_micros > 0 AND final_at > ?) AS owed`,
		sales.NoFloat, store.Moment(s.d.Now().Add(-owedFor))).Scan(&waits).Error
	switch {
	case err != nil:
		return 0, fault.Doing("watch float", err)
	case waits.Gone > 0:
		return floatGoneEvery, nil
	case waits.Owed > 0:
		return owedEvery, nil
	}
	return 0, nil
}

// markFloat opens or closes the warning that the float is low, if its currency has a mark.
func (s *Service) markFloat(ctx context.Context, tx *store.Tx, told *UpstreamBalance) error {
	mark, set, err := limit.Mark(tx.DB, told.Currency)
	if err != nil {
		return err
	}
	if !set || told.Micros >= mark.Micros() {
		return sales.CloseIncidents(tx, sales.LowFloat, "balance", told.ToldAt)
	}
	tx.AfterCommit(func() {
		s.d.Log.WarnContext(ctx, "float.low", "micros", told.Micros, "currency", told.Currency, "mark", mark.Micros())
	})
	return sales.RaiseIncident(ctx, tx, sales.Incident{
		Kind: sales.LowFloat, Note: "the float upstream is below its mark", Micros: told.Micros,
		Currency: told.Currency, At: told.ToldAt,
	})
}
