package sales

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/store"
)

// Correction is an act by which somebody set a sale right: cash given back, a sale
// called off or tried again, an outcome decided.
type Correction struct {
	Sale Sale `gorm:"embedded"`

	ActedAt time.Time
	Cause   Cause
	Actor   string // user id
	Why     string // as they gave it
	Turned  string // what the sale became by it
}

// Moment is the act as the sale's timeline tells it.
func (c Correction) Moment() Moment {
	e := Event{Cause: c.Cause, Became: c.Turned}
	return Moment{At: c.ActedAt, Step: e.step(), State: e.became(), By: c.Actor, Reason: c.Why}
}

// CorrectionFilter selects corrections. Zero fields but the times select all.
type CorrectionFilter struct {
	ShopID   string
	UserID   string
	From, To time.Time // half-open
	Limit    int
}

// Corrections returns what people set right, the newest first.
func (s *Service) Corrections(ctx context.Context, f CorrectionFilter) ([]Correction, error) {
	// The causes are spelt out, so that the planner knows the index of them.
	query := s.d.DB.Read(ctx).Table("sale_events e").Joins("JOIN sales ON sales.id = e.sale_id").
		Select("sales.*, e.at AS acted_at, e.cause AS cause, e.actor AS actor, e.note AS why, e.became AS turned").
		Where("e.cause IN ('refunded', 'called_off', 'cancel_asked', 'tried_again', 'decided') AND e.at >= ? AND "+
			"e.at < ? AND sales.practice = ?",
			store.Moment(f.From), store.Moment(f.To), false)
	if f.ShopID != "" {
		query = query.Where("sales.shop_id = ?", f.ShopID)
	}
	if f.UserID != "" {
		query = query.Where("e.actor = ?", f.UserID)
	}
	var found []Correction
	if err := query.Order("e.at DESC, e.sale_id DESC").Limit(f.Limit).Scan(&found).Error; err != nil {
		return nil, fmt.Errorf("list corrections: %w", err)
	}
	return found, nil
}
