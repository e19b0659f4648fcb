package sales

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/money"
	"airtill/internal/store"
)

// Bought returns what a number bought in a shop, the latest first, each product and amount once, up to limit,
// without practice.
func (s *Service) Bought(ctx context.Context, shopID, account string, limit int) ([]Sale, error) {
	var all []Sale
	if err := s.d.DB.Answer(ctx, bought(shopID, account, limit, &all)); err != nil {
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

// AskBought asks ahead of Bought.
func (s *Service) AskBought(shopID, account string, limit int) store.Asked {
	return bought(shopID, account, limit, new([]Sale))
}

// The shop is not looked up in its own index, where all its sales lie, but among the number's.
func bought(shopID, account string, limit int, into *[]Sale) store.Asked {
	return earlier(soldTo{Shop: shopID, Account: account}, into,
		"account_number = ? AND shop_id || '' = ? AND fulfilment = 'complete' AND NOT practice ORDER BY id DESC LIMIT "+
			strconv.Itoa(4*limit), account, shopID)
}

// AskCheck asks ahead of Check for what surrounds a sale to a number.
func (s *Service) AskCheck(account, sku string, currency money.Currency) []store.Asked {
	like := Sale{Terms: Terms{AccountNumber: account, SKUCode: sku, SendCurrency: currency}}
	return new(around).asked(&like, s.d.Now())
}

// How far back a sale that was sent counts as a repetition.
const (
	twinsFor      = 24 * time.Hour
	pinTwinsFor   = time.Minute
	triedAgainFor = 30 * 24 * time.Hour // what is tried again was hardly ever made longer ago
)

// soldTo is the key of what was sold to a number, or of PINs at a till.
type soldTo struct{ Shop, Till, Account, SKU string }

// twins asks for the sales of a number and product that may be meant, the latest first: all that are open, however long
// ago they were made, and what was sent not long ago, at the first attempt or a later one. PINs go to nobody: for them
// it is the last one sold at the same till a moment ago.
func twins(like *Sale, now time.Time, found *[]Sale) store.Asking[[]Sale] {
	if from := now.Add(-twinsFor); like.Addressed() {
		// The product is not looked up in its own index, where all sales of it lie, but among the number's.
		return earlier(soldTo{Account: like.AccountNumber, SKU: like.SKUCode}, found,
			`account_number = ? AND account_number <> '' AND final_at IS NULL AND sku_code || '' = ?
UNION ALL SELECT * FROM (`+selectEarlier+`account_number = ? AND id >= ? AND attempt_at > ? AND fulfilment = 'complete'
AND sku_code || '' = ? ORDER BY id DESC LIMIT 50) AS sent ORDER BY id DESC`,
			like.AccountNumber, like.SKUCode, like.AccountNumber, store.FirstID(from.Add(-triedAgainFor)),
			store.Moment(from), like.SKUCode)
	}
	from := now.Add(-pinTwinsFor)
	return earlier(soldTo{Till: like.TillID, Account: like.AccountNumber, SKU: like.SKUCode}, found,
		`account_number = ? AND id >= ? AND recorded_at > ? AND till_id = ? AND sku_code = ? AND send_micros = ? AND
fulfilment NOT IN ('failed', 'cancelled', 'voided') ORDER BY id DESC LIMIT 1`,
		like.AccountNumber, store.FirstID(from), store.Moment(from), like.TillID, like.SKUCode, like.SendMicros)
}

const (
	earlierColumns = "id, till_id, account_number, provider_code, sku_code, product_text, bill_ref, send_micros, " +
		"send_currency, price_micros, price_currency, fulfilment, recorded_at, attempt_at"
	selectEarlier = "SELECT " + earlierColumns + " FROM sales WHERE "
)

// earlier asks for what is told of sales where one like them is about to be made, and for nothing else of them.
func earlier(key any, found *[]Sale, where string, args ...any) store.Asking[[]Sale] {
	return store.Asking[[]Sale]{
		Key: key, SQL: selectEarlier + where, Args: args, Into: found,
		Row: store.RowsOf(found, strings.Split(earlierColumns, ", ")...),
	}
}

// salesWhere asks for whole sales.
func salesWhere(key any, found *[]Sale, where string, args ...any) store.Asking[[]Sale] {
	return store.AskingRows(key, found, "FROM sales WHERE "+where, args...)
}

// twinsOf picks the latest that is open, and the latest with the same amount and bill that was sent.
func twinsOf(ctx context.Context, db store.Asker, like *Sale, found []Sale) (open, same *Sale, err error) {
	if !like.Addressed() {
		same, err = unprinted(ctx, db, found)
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

// unprinted is a PIN nobody has in hand, so it may be the one wanted now; after a printed one, it is the next
// customer.
func unprinted(ctx context.Context, db store.Asker, found []Sale) (*Sale, error) {
	if len(found) == 0 {
		return nil, nil
	}
	var printed bool
	err := db.Rows(ctx, store.Query{
		SQL: "SELECT EXISTS (SELECT 1 FROM prints WHERE sale_id = ? AND slip = 'receipt' AND copy = 'customer' AND " +
			"failed_at IS NULL)",
		Args: []any{found[0].ID}, Row: func(scan store.Scanner) error { return scan(&printed) },
	})
	if printed {
		return nil, err
	}
	return &found[0], err
}
