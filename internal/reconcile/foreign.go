package reconcile

import (
	"context"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// ForeignTransfer is one of their sales. Micros is what it did to the balance.
type ForeignTransfer struct {
	TransferRef string
	Ref         string
	Seller      string // the prefix; "" where a break was resolved as theirs
	SKUCode     string
	Micros      int64
	Currency    money.Currency
	BeganAt     *time.Time
	BookedAt    time.Time
}

// TableName is read by GORM.
func (ForeignTransfer) TableName() string { return "foreign_sales" }

// Amount is what the sale did to the balance.
func (f ForeignTransfer) Amount() money.Amount { return money.Of(f.Micros, f.Currency) }

// storeForeign lists sales of declared software and books each once, a batch transfer as soon as it is accepted, and
// back again if the upstream takes it back. One that two people had attributed to other software becomes the seller's,
// whole.
func (s *Service) storeForeign(ctx context.Context, tx *store.Tx, records []Record, w Window) error {
	known, err := lockForeign(tx, records)
	if err != nil {
		return err
	}
	for _, r := range records {
		before, sold := known[r.TransferRef], ForeignTransfer{
			TransferRef: r.TransferRef, Ref: r.Ref, Seller: r.seller(w.Declared), SKUCode: r.SKU, Micros: w.effect(r),
			Currency: r.currency(), BookedAt: store.Moment(s.d.Now()),
		}
		if !r.At.IsZero() {
			sold.BeganAt = &r.At
		}
		theirs := before.Seller != ""
		switch {
		case theirs && sold.Micros == 0 && (r.State == sales.Failed || r.State == sales.Cancelled):
			sold.Currency = before.Currency // a failed record tells none
		case sold.Micros == 0, theirs && r.State.Open(): // nothing yet, or nothing new: a list may be stale
			continue
		}
		if theirs && sold.Micros == before.Micros {
			continue
		}
		if stored, err := sold.store(tx, theirs); err != nil {
			return err
		} else if !stored {
			continue
		}
		if err := s.bookForeign(ctx, tx, sold, before); err != nil {
			return err
		}
	}
	return nil
}

// lockForeign returns what is listed of some transfers, by their TransferRef.
func lockForeign(tx *store.Tx, records []Record) (map[string]ForeignTransfer, error) {
	refs := make([]string, len(records))
	for i, r := range records {
		refs[i] = r.TransferRef
	}
	known := make(map[string]ForeignTransfer, len(records))
	for part := range chunks(refs) {
		rows, err := store.All[ForeignTransfer](tx.Raw(
			"SELECT * FROM foreign_sales WHERE transfer_ref IN ? ORDER BY transfer_ref"+tx.ForUpdate(), part,
		))
		if err != nil {
			return nil, fault.Doing("find foreign sales", err)
		}
		for _, row := range rows {
			known[row.TransferRef] = row
		}
	}
	return known, nil
}

// store lists a sale of a seller, or changes what it did to the balance if it is theirs already. It returns false if
// another look has just listed it.
func (f ForeignTransfer) store(tx *store.Tx, theirs bool) (bool, error) {
	if theirs {
		changed := tx.Exec(
			"UPDATE foreign_sales SET micros = ?, booked_at = ? WHERE transfer_ref = ?", f.Micros, f.BookedAt,
			f.TransferRef,
		)
		return changed.RowsAffected > 0, changed.Error
	}
	made := tx.Exec(`INSERT INTO foreign_sales
		(transfer_ref, ref, seller, sku_code, micros, currency, began_at, booked_at) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (transfer_ref) DO UPDATE SET seller = excluded.seller, micros = excluded.micros, booked_at = CASE
		WHEN foreign_sales.micros = excluded.micros THEN foreign_sales.booked_at ELSE excluded.booked_at END
		WHERE foreign_sales.seller = ''`,
		f.TransferRef, f.Ref, f.Seller, f.SKUCode, f.Micros, f.Currency, f.BeganAt, f.BookedAt)
	return made.RowsAffected > 0, made.Error
}

// bookForeign books a declared sale (J22), but for what was booked of it before: by an earlier look, or with its break
// before the declaration, which was all of it, or all but the commission of a transfer that was under way.
func (s *Service) bookForeign(ctx context.Context, tx *store.Tx, sold, before ForeignTransfer) error {
	b, err := lockBreak(tx, "kind = ? AND subject = ?", ForeignSale, sold.TransferRef)
	known := !errors.Is(err, errNoBreak)
	if err != nil && known {
		return err
	}
	key, booked := "foreign/"+sold.TransferRef, b.BookedMicros
	if before.Seller != "" {
		key += "/" + store.NewID(sold.BookedAt)
	}
	if before.Seller != "" && !known {
		booked = before.Micros
	}
	rest := money.Of(sold.Micros-booked, sold.Currency)
	if !rest.IsZero() {
		entry := ledger.Entry{Key: key, At: sold.BookedAt, Journal: ledger.SoldByOthers(rest.Neg())}
		if err := ledger.Post(ctx, tx, entry); err != nil {
			return err
		}
	}
	if !known {
		return nil
	}
	b.BookedMicros = sold.Micros
	if !b.Unresolved() {
		return tx.Save(&b).Error
	}
	if err := s.end(ctx, tx, &b, "", Foreign); err != nil {
		return err
	}
	return s.act(tx, &b, "", "resolved", sold.Seller)
}

// breaksOf are the breaks of sales of others that a condition holds for.
func breaksOf(session *gorm.DB, records []Record, where string, args ...any) (all []Break, err error) {
	refs := make([]string, len(records))
	for i, r := range records {
		refs[i] = r.TransferRef
	}
	for part := range chunks(refs) {
		some, err := store.All[Break](
			session.Where("kind = ? AND subject IN ?", ForeignSale, part).Where(where, args...).Order("id"),
		)
		if err != nil {
			return nil, fault.Doing("find breaks of foreign sales", err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// takenBack drafts breaks anew for which something was booked, though the upstream took their sales back: two people
// book that back. A declared seller's is booked without them.
func (s *Service) takenBack(ctx context.Context, ended []Record) (drafts []Break, err error) {
	const noSeller = "NOT EXISTS (SELECT 1 FROM foreign_sales WHERE transfer_ref = breaks.subject AND seller <> '')"
	booked, err := breaksOf(s.d.DB.Read(ctx), ended, "booked_micros <> 0 AND "+noSeller)
	for _, b := range booked {
		at := slices.IndexFunc(ended, func(r Record) bool { return r.TransferRef == b.Subject })
		f := Finding{
			Kind: ForeignSale, Subject: b.Subject, Amount: money.Of(0, b.Currency), Records: []Record{ended[at]},
		}
		draft, err := f.draft()
		if err != nil {
			return nil, err
		}
		drafts = append(drafts, draft)
	}
	return drafts, err
}

// noteForeign lists the record of a break that two people attributed to other software. The break's journal
// books it. If the break was reopened, as for the commission of a transfer that had been under way, the change
// is added. A declared seller's is listed whole already.
func noteForeign(tx *store.Tx, b *Break, now time.Time) error {
	e, err := b.Read()
	if err != nil || len(e.Theirs) == 0 {
		return err
	}
	r := e.Theirs[0]
	again := clause.OnConflict{
		Columns: []clause.Column{{Name: "transfer_ref"}}, DoUpdates: clause.Assignments(map[string]any{
			"micros": gorm.Expr("foreign_sales.micros + excluded.micros"),
		}),
		Where: clause.Where{Exprs: []clause.Expression{gorm.Expr("foreign_sales.seller = ''")}},
	}
	return tx.Clauses(again).Create(&ForeignTransfer{
		TransferRef: r.TransferRef, Ref: r.Ref, SKUCode: r.SKU, Micros: b.FloatMicros, Currency: b.Currency,
		BeganAt: b.TheirsAt, BookedAt: now,
	}).Error
}

// ForeignSales returns sales of other software, newest first.
func (s *Service) ForeignSales(ctx context.Context, limit int) ([]ForeignTransfer, error) {
	all, err := store.All[ForeignTransfer](s.d.DB.Read(ctx).Order("booked_at DESC, transfer_ref DESC").Limit(limit))
	return all, fault.Doing("list foreign sales", err)
}
