package sales

import (
	"context"
	"fmt"

	"airtill/internal/audit"
	"airtill/internal/harness/failpoint"
	"airtill/internal/store"
)

// rotateAtOnce is how many seals one transaction looks at.
const rotateAtOnce = 100

// Rotate seals everything that an older key of the key file seals under the vault's first key, and returns how
// much that was. Meanwhile each key opens what it seals; afterwards the older one can be removed from the
// file. It reports progress after each batch; after being killed it goes on when called again.
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

// putReceipt writes a receipt under the new key, with the serial hashed by that key, so that it can be found
// all the while.
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

// rotateTable rotates one column; bound is the column its seals are bound to.
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
			failpoint.Hit("K17")
			told(rotated)
		}
		after = rows[len(rows)-1].ID
	}
}

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
