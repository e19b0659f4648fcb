package staff

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"airtill/internal/store"
)

const tokenBytes = 32

func newToken() string {
	token := make([]byte, tokenBytes)
	_, _ = rand.Read(token) // never fails: the program would end
	return base64.RawURLEncoding.EncodeToString(token)
}

// hashToken is what the database keeps of a token; a copy of the database
// signs nobody in.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// RememberDevice records that a user has signed in from a browser, and the till
// it stands at ("" leaves the till as it was). It returns the token to keep in
// that browser: the one given, or a new one if that is none of ours.
func (s *Service) RememberDevice(ctx context.Context, device, userID, tillID string) (string, error) {
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		touched := tx.Exec("UPDATE devices SET seen_at = ?, till_id = COALESCE(?, till_id) WHERE token_hash = ?", s.now(), orNull(tillID), hashToken(device))
		if touched.Error != nil {
			return touched.Error
		}
		if touched.RowsAffected == 0 {
			device = newToken()
			if err := tx.Exec("INSERT INTO devices (token_hash, till_id, seen_at) VALUES (?, ?, ?)", hashToken(device), orNull(tillID), s.now()).Error; err != nil {
				return err
			}
		}
		return tx.Exec("INSERT INTO device_users (token_hash, user_id) VALUES (?, ?) ON CONFLICT (token_hash, user_id) DO NOTHING", hashToken(device), userID).Error
	})
	if err != nil {
		return "", fmt.Errorf("remember device: %w", err)
	}
	return device, nil
}

// DeviceTill returns the till of a shop at which a browser stands, and false if
// it is not known to stand at one of them.
func (s *Service) DeviceTill(ctx context.Context, device, shopID string) (Till, bool, error) {
	if device == "" {
		return Till{}, false, nil
	}
	var till Till
	err := s.d.DB.Read(ctx).Joins("JOIN devices ON devices.till_id = tills.id").
		Take(&till, "devices.token_hash = ? AND tills.shop_id = ?", hashToken(device), shopID).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Till{}, false, nil
	}
	return till, err == nil, err
}

// knowsDevice says whether a user has signed in from this browser before.
func (s *Service) knowsDevice(ctx context.Context, device, username string) (bool, error) {
	if device == "" {
		return false, nil
	}
	var n int64
	err := s.d.DB.Read(ctx).Table("device_users").Joins("JOIN users ON users.id = device_users.user_id").
		Where("device_users.token_hash = ? AND users.username = ?", hashToken(device), username).Count(&n).Error
	return n > 0, err
}

// TillFor returns the till of the user's shop at which they most likely stand:
// the one that this browser stands at, else the first that nobody else is
// signed in at, else the first.
func (s *Service) TillFor(ctx context.Context, u User, device string) (Till, error) {
	till, known, err := s.DeviceTill(ctx, device, u.ShopID)
	if err != nil || known {
		return till, err
	}
	now := s.now()
	err = s.d.DB.Read(ctx).Raw(`SELECT tills.* FROM tills LEFT JOIN sessions ON sessions.till_id = tills.id AND sessions.user_id <> ? AND sessions.seen_at > ? AND sessions.created_at > ?
WHERE tills.shop_id = ? ORDER BY CASE WHEN sessions.till_id IS NULL THEN 0 ELSE 1 END, tills.number LIMIT 1`,
		u.ID, now.Add(-SessionIdle), now.Add(-SessionAbsolute), u.ShopID).Take(&till).Error
	return till, found(err, "Your shop has no till.")
}
