package sales

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"airtill/internal/store"
)

// noSerial marks a sealed receipt that has been looked through and has none.
const noSerial = "-"

// serialKey derives the key that serials are hashed under from a vault key, so
// that a copy of the database alone cannot try them all out.
func serialKey(vaultKey []byte) []byte {
	mac := hmac.New(sha256.New, vaultKey)
	_, _ = mac.Write([]byte("serial")) // a hash never fails
	return mac.Sum(nil)
}

func hashSerial(key []byte, serial string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(serial)) // a hash never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// plainSerial is a serial as it is compared: people leave out its dashes.
func plainSerial(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// serialHash is what a sale keeps of its PIN's serial, "" without a receipt.
func (v *Vault) serialHash(r Receipt) string {
	serial := plainSerial(r.Params["serial"])
	switch {
	case r.Empty():
		return ""
	case serial == "":
		return noSerial
	}
	return hashSerial(v.serials[v.current], serial)
}

// serialHashes are what a searched serial may be kept as: under the vault's key,
// or under one that it is taking over from.
func (v *Vault) serialHashes(search string) []string {
	serial := plainSerial(search)
	if serial == "" {
		return nil
	}
	hashes := make([]string, 0, len(v.serials))
	for _, key := range v.serials {
		hashes = append(hashes, hashSerial(key, serial))
	}
	return hashes
}

// indexSerials hashes the serials of receipts that were sealed before there were
// hashes, or are under a new key. It may be interrupted and run again.
func (s *Service) indexSerials(ctx context.Context) error {
	sealed := 0 // under a key that the file has no more
	for after := ""; ; {
		var rows []Sale
		err := s.DB.Read(ctx).Select("id, sealed_receipt").Where("id > ? AND serial_hash = '' AND sealed_receipt <> ''", after).
			Order("id").Limit(purgeAtOnce).Find(&rows).Error
		if err != nil {
			return fmt.Errorf("find serials: %w", err)
		}
		if len(rows) == 0 {
			break
		}
		err = s.DB.Tx(ctx, func(tx *store.Tx) error {
			for _, sale := range rows {
				receipt, err := s.Vault.Open(sale.ID, sale.SealedReceipt)
				if err != nil {
					sealed++
					continue
				}
				if err := tx.Exec("UPDATE sales SET serial_hash = ? WHERE id = ? AND sealed_receipt = ?", s.Vault.serialHash(receipt), sale.ID, sale.SealedReceipt).Error; err != nil {
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
		s.Log.WarnContext(ctx, "serials.sealed", "receipts", sealed)
	}
	return nil
}
