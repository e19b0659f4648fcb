package sales

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/store"
)

// Bought returns what a number bought in a shop, the latest first, each product
// with its amount once, up to limit. Practice sales are none.
func (s *Service) Bought(ctx context.Context, shopID, account string, limit int) ([]Sale, error) {
	var all []Sale
	err := s.d.DB.Read(ctx).Where(
		"account_number = ? AND shop_id = ? AND fulfilment = ? AND practice = ?", account, shopID, Complete, false,
	).
		Order("id DESC").Limit(4 * limit).Find(&all).Error
	if err != nil {
		return nil, fmt.Errorf("what a number bought: %w", err)
	}
	var distinct []Sale
	for _, sale := range all {
		same := func(d Sale) bool { return d.SKUCode == sale.SKUCode && d.SendMicros == sale.SendMicros }
		if len(distinct) < limit && !slices.ContainsFunc(distinct, same) {
			distinct = append(distinct, sale)
		}
	}
	return distinct, nil
}

// How far back a sale counts as the same once more.
const (
	twinsFor    = 24 * time.Hour
	pinTwinsFor = time.Minute
)

// twins asks for the sales of a number and product that may be meant, the latest first. PINs
// go to nobody: of them it is the one that was sold last at the same till a moment ago.
func twins(like *Sale, now time.Time, found *[]Sale) store.Question {
	if like.Addressed() {
		return func(session *gorm.DB) *gorm.DB {
			return session.Where("account_number = ? AND sku_code = ? AND recorded_at > ?",
				like.AccountNumber, like.SKUCode, store.Moment(now.Add(-twinsFor))).
				Order("id DESC").Limit(50).Find(found)
		}
	}
	from := now.Add(-pinTwinsFor)
	return func(session *gorm.DB) *gorm.DB {
		return session.Where("account_number = ? AND id >= ? AND recorded_at > ? AND till_id = ? AND sku_code = ? AND "+
			"send_micros = ? AND fulfilment IN ?", like.AccountNumber, store.FirstID(from), store.Moment(from),
			like.TillID, like.SKUCode, like.SendMicros, append(OpenStates(), Complete)).
			Order("id DESC").Limit(1).Find(found)
	}
}

// twinsOf picks the latest that is open, and the latest of the same amount and bill that
// was sent.
func twinsOf(db *gorm.DB, like *Sale, found []Sale) (open, same *Sale, err error) {
	if !like.Addressed() {
		same, err = unprinted(db, found)
		return nil, same, err
	}
	for i, twin := range found {
		if open == nil && twin.Fulfilment.Open() {
			open = &found[i]
		}
		if same == nil && twin.Fulfilment == Complete && twin.SendMicros == like.SendMicros && twin.BillRef ==
			like.BillRef {
			same = &found[i]
		}
	}
	return open, same, nil
}

// unprinted is a PIN that nobody has in hand, so it may be the one that is wanted now: after
// a printed one stands the next customer.
func unprinted(db *gorm.DB, found []Sale) (*Sale, error) {
	if len(found) == 0 {
		return nil, nil
	}
	var printed int64
	err := db.Raw(
		"SELECT COUNT(*) FROM prints WHERE sale_id = ? AND slip = 'receipt' AND copy = 'customer' AND "+
			"failed_at IS NULL",
		found[0].ID,
	).Scan(&printed).Error
	if printed > 0 {
		return nil, err
	}
	return &found[0], err
}
