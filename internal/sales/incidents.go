package sales

import (
	"context"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

const incidentsListed = 20

// Incidents returns the open incidents, newest first: those of a shop's sales, "" for every shop's, and of no sale.
func (s *Service) Incidents(ctx context.Context, shopID string) ([]Incident, error) {
	open, err := store.All[Incident](s.d.DB.Read(ctx).Where("closed_at IS NULL").Where(
		"? = '' OR sale_id = '' OR sale_id LIKE '%:%' OR "+
			"EXISTS (SELECT 1 FROM sales WHERE id = sale_id AND shop_id = ?)",
		shopID, shopID, // with a colon it is no sale's, but the ref of a transfer
	).Order("COALESCE(id, '') DESC").Limit(incidentsListed)) // or SQLite reads all there ever were, by their ids
	return open, fault.Doing("open incidents", err)
}

// RaiseIncident opens an incident in the caller's transaction, unless the sale already has an open one of its
// kind.
func RaiseIncident(ctx context.Context, tx *store.Tx, i Incident) error {
	_, err := tx.ExecAll(ctx, incidentStatement(i))
	return err
}

// CloseIncidents closes the open incidents of a kind that belong to no sale.
func CloseIncidents(tx *store.Tx, kind IncidentKind, by string, at time.Time) error {
	return tx.Exec(
		"UPDATE incidents SET closed_at = ?, closed_by = ? WHERE kind = ? AND sale_id = '' AND closed_at IS NULL",
		store.Moment(at), by, kind,
	).Error
}
