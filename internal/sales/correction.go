package sales

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"airtill/internal/audit"
	"airtill/internal/store"
)

// Correction is an act that set a sale right: cash given back, a sale called off or tried again, an outcome
// decided.
type Correction struct {
	Sale Sale `gorm:"embedded"`

	ActedAt time.Time
	Cause   Cause
	Actor   string // user id
	Why     string // in their words
	Turned  string // what the sale became
	Allowed string `gorm:"-"` // user id of the approver; "": none needed
}

// Moment is the act as a moment of the timeline.
func (c Correction) Moment() Moment {
	e := Event{Cause: c.Cause, Became: c.Turned}
	return Moment{At: c.ActedAt, Step: e.step(), State: e.became(), By: c.Actor, Reason: c.Why}
}

// CorrectionFilter selects corrections. Zero fields, except the times, select all.
type CorrectionFilter struct {
	ShopID   string
	UserID   string
	From, To time.Time // half-open
	Limit    int       // -1: all
}

// Corrections returns what people set right, the newest first.
func (s *Service) Corrections(ctx context.Context, f CorrectionFilter) ([]Correction, error) {
	// The causes are literals, so that the planner recognises their index. What nobody did is the till's: it asks once
	// more for a cancellation whose answer was lost.
	// CROSS JOIN keeps SQLite to this order: it began with all sales of a shop.
	query := s.d.DB.Read(ctx).Table("sale_events e").Joins("CROSS JOIN sales").
		Select("sales.*, e.at AS acted_at, e.cause AS cause, e.actor AS actor, e.note AS why, e.became AS turned").
		Where("sales.id = e.sale_id AND sales.practice = ?", false).
		Where("e.cause IN ('refunded', 'called_off', 'cancel_asked', 'tried_again', 'decided') AND e.at >= ? AND "+
			"e.at < ? AND e.actor <> ''", store.Moment(f.From), store.Moment(f.To))
	if f.ShopID != "" {
		query = query.Where("sales.shop_id = ?", f.ShopID)
	}
	if f.UserID != "" {
		query = query.Where("e.actor = ?", f.UserID)
	}
	found, err := store.All[Correction](query.Order("e.at DESC, e.sale_id DESC").Limit(f.Limit))
	if err != nil {
		return nil, fmt.Errorf("list corrections: %w", err)
	}
	return found, s.addAllowed(ctx, found)
}

// addAllowed adds who allowed what: an approval is spent in the transaction of its act.
func (s *Service) addAllowed(ctx context.Context, found []Correction) error {
	bySale := map[audit.Subject][]int{}
	for i := range found {
		sale := audit.Of(audit.Sale, found[i].Sale.ID)
		bySale[sale] = append(bySale[sale], i)
	}
	records, err := s.d.Audit.Of(ctx, audit.SaleApproved, slices.Collect(maps.Keys(bySale)))
	if err != nil {
		return err
	}
	for _, r := range records { // the newest first, so the oldest match remains
		facts, err := r.Facts()
		if err != nil {
			return fmt.Errorf("approval of %s: %w", r.Subject, err)
		}
		for _, i := range bySale[r.Subject] {
			if found[i].ActedAt.Sub(r.At).Abs() < time.Second {
				found[i].Allowed = facts.After("approver")
			}
		}
	}
	return nil
}
