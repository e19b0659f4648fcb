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
	err := s.DB.Read(ctx).Where("account_number = ? AND shop_id = ? AND fulfilment = ? AND practice = ?", account, shopID, Complete, false).
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

// TopVouchers returns the latest sale of each product that goes to no number
// and is sold most in a shop lately, up to limit.
func (s *Service) TopVouchers(ctx context.Context, shopID, account string, limit int) ([]Sale, error) {
	var found []Sale
	err := s.DB.Read(ctx).Raw(`SELECT * FROM sales WHERE id IN (
SELECT last FROM (SELECT MAX(id) AS last, COUNT(*) AS sold FROM sales
WHERE account_number = ? AND shop_id = ? AND fulfilment = ? AND practice = ? AND recorded_at > ?
GROUP BY sku_code, send_micros ORDER BY COUNT(*) DESC, MAX(id) DESC LIMIT ?) top) ORDER BY id DESC`,
		account, shopID, Complete, false, store.Moment(s.Now().Add(-popularFor)), limit).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("vouchers sold most: %w", err)
	}
	return found, nil
}

// twinsFor is how far back a sale counts as the same once more.
const twinsFor = 24 * time.Hour

// twins finds the latest sale of a number and product that is open, and the
// latest of the same amount and bill that was sent. PINs all go to one number,
// so theirs are twins only at the same till.
func twins(db *gorm.DB, like Sale, now time.Time) (open, same *Sale, err error) {
	var found []Sale
	query := db.Where("account_number = ? AND sku_code = ? AND recorded_at > ?", like.AccountNumber, like.SKUCode, store.Moment(now.Add(-twinsFor)))
	if !like.Addressed() {
		query = query.Where("till_id = ?", like.TillID)
	}
	err = query.Order("id DESC").Limit(50).Find(&found).Error
	for i, twin := range found {
		if open == nil && twin.Fulfilment.Open() {
			open = &found[i]
		}
		if same == nil && twin.Fulfilment == Complete && twin.SendMicros == like.SendMicros && twin.BillRef == like.BillRef {
			same = &found[i]
		}
	}
	return open, same, err
}
