package sales

import (
	"context"
	"fmt"

	"airtill/internal/audit"
	"airtill/internal/store"
)

// rotateAtOnce is how many seals are looked at in one transaction.
const rotateAtOnce = 100

// Rotate seals everything under the vault's first key that an older one of the key file
// still seals, and returns how much that was. Meanwhile either key opens what it seals;
// afterwards the older one can be removed from the file. After each batch it tells how
// much is done; what was killed in the middle goes on when it is called again.
func (s *Service) Rotate(ctx context.Context, actor audit.Actor, told func(done int)) (int, error) {
	receipts, err := s.rotateTable(ctx, "sales", "id", "sealed_receipt", told, s.putReceipt)
	if err != nil {
		return receipts, err
	}
	bodies, err := s.rotateTable(ctx, "webhooks", "digest", "sealed_body", func(done int) {
		told(receipts + done)
	}, func(tx *store.Tx, id, _, was, fresh string) error {
		return tx.Exec("UPDATE webhooks SET sealed_body = ? WHERE id = ? AND sealed_body = ?", fresh, id, was).Error
	})
	if err != nil {
		return receipts + bodies, err
	}
	if err := s.indexSerials(ctx); err != nil {
		return receipts + bodies, err
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: actor, Act: audit.VaultRewrapped, Subject: audit.Of(audit.VaultKey, s.d.Vault.Current()),
			Facts: audit.Facts{audit.Count("receipts", receipts), audit.Count("webhooks", bodies)},
		})
	})
	return receipts + bodies, err
}

// putReceipt writes a receipt under the new key with the serial as that key hashes it,
// so that it is found all the while.
func (s *Service) putReceipt(tx *store.Tx, id, bound, was, fresh string) error {
	receipt, err := s.d.Vault.Open(bound, fresh)
	if err != nil {
		return err
	}
	return tx.Exec(
		"UPDATE sales SET sealed_receipt = ?, serial_hash = ? WHERE id = ? AND sealed_receipt = ?", fresh,
		s.d.Vault.SerialHash(receipt), id, was,
	).Error
}

// rotateTable rotates one column; bound is the column that a seal is bound to.
func (s *Service) rotateTable(
	ctx context.Context, table, bound, column string, told func(done int),
	put func(tx *store.Tx, id, bound, was, fresh string) error,
) (rotated int, err error) {
	for after := ""; ; {
		var rows []struct{ ID, Bound, Sealed string }
		if err := s.d.DB.Read(ctx).Table(table).Select("id, "+bound+" AS bound, "+column+" AS sealed").
			Where("id > ? AND "+column+" <> ''", after).Order("id").Limit(rotateAtOnce).Scan(&rows).Error; err != nil {
			return rotated, fmt.Errorf("rotate %s: %w", table, err)
		}
		if len(rows) == 0 {
			return rotated, nil
		}
		batch := 0
		if err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
			for _, row := range rows {
				fresh, changed, err := s.d.Vault.Rewrap(row.Bound, row.Sealed)
				if err == nil && changed {
					batch++
					err = put(tx, row.ID, row.Bound, row.Sealed, fresh)
				}
				if err != nil {
					return fmt.Errorf("rotate %s %s: %w", table, row.ID, err)
				}
			}
			return nil
		}); err != nil {
			return rotated, err
		}
		if rotated += batch; batch > 0 {
			told(rotated)
		}
		after = rows[len(rows)-1].ID
	}
}
