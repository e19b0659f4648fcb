package sales

import (
	"context"
	"fmt"

	"airtill/internal/store"
)

// indexSerials hashes the serials of receipts sealed before there were hashes, or under another key. It may be
// interrupted and run again.
func (s *Service) indexSerials(ctx context.Context) error {
	sealed := 0 // under a key that is no longer in the file
	for after := ""; ; {
		rows, err := store.All[Sale](s.d.DB.Read(ctx).Select("id, sealed_receipt").
			Where("id > ? AND serial_hash = '' AND sealed_receipt <> ''", after).Order("id").Limit(purgeAtOnce))
		if err != nil {
			return fmt.Errorf("find serials: %w", err)
		}
		if len(rows) == 0 {
			break
		}
		err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
			for _, sale := range rows {
				receipt, err := s.d.Vault.Open(sale.ID, sale.SealedReceipt)
				if err != nil {
					sealed++
					continue
				}
				if err := tx.Exec(
					"UPDATE sales SET serial_hash = ? WHERE id = ? AND sealed_receipt = ?",
					s.d.Vault.SerialHash(receipt),
					sale.ID, sale.SealedReceipt,
				).Error; err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("hash serials: %w", err)
		}
		after = rows[len(rows)-1].ID
	}
	if sealed > 0 {
		s.d.Log.WarnContext(ctx, "serials.sealed", "receipts", sealed)
	}
	return nil
}
