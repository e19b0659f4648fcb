package staff

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

const tokenBytes = 32

func newToken() string {
	token := make([]byte, tokenBytes)
	_, _ = rand.Read(token) // never fails: the program would end
	return base64.RawURLEncoding.EncodeToString(token)
}

// hashToken is what the database stores of a token, so that nobody can sign in with a copy of the database.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// RememberDevice records that a user has signed in from a browser, and the till it stands at ("": leave the till as it
// was). It returns the token to store in that browser: the given one, or a new one if we never issued it.
func (s *Service) RememberDevice(ctx context.Context, device, userID, tillID string) (string, error) {
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) (err error) {
		device, err = s.rememberDevice(tx, device, userID, tillID)
		return err
	})
	return device, fault.Doing("remember device", err)
}

func (s *Service) rememberDevice(tx *store.Tx, device, userID, tillID string) (string, error) {
	const moved = "CASE WHEN (SELECT shop_id FROM tills WHERE id = ?) <> " +
		"(SELECT shop_id FROM tills WHERE id = devices.till_id) THEN NULL ELSE "
	till := orNull(tillID)
	touched := tx.Exec( // a manager trusts it in their own shop
		"UPDATE devices SET seen_at = ?, till_id = COALESCE(?, till_id), trusted_at = "+moved+"trusted_at END, "+
			"trusted_by = "+moved+"trusted_by END WHERE token_hash = ?", s.now(), till, till, till, hashToken(device),
	)
	if touched.Error != nil {
		return "", touched.Error
	}
	if touched.RowsAffected == 0 {
		device = newToken()
		if err := tx.Exec(
			"INSERT INTO devices (token_hash, till_id, seen_at) VALUES (?, ?, ?)", hashToken(device), orNull(tillID),
			s.now(),
		).Error; err != nil {
			return "", err
		}
	}
	return device, tx.Exec(
		"INSERT INTO device_users (token_hash, user_id) VALUES (?, ?) ON CONFLICT (token_hash, user_id) DO NOTHING",
		hashToken(device), userID,
	).Error
}

// DeviceTill returns the till of the shop at which a browser stands, and false if none is known.
func (s *Service) DeviceTill(ctx context.Context, device, shopID string) (Till, bool, error) {
	if device == "" {
		return Till{}, false, nil
	}
	till, err := store.First[Till](s.d.DB.Read(ctx).Joins("JOIN devices ON devices.till_id = tills.id").
		Where("devices.token_hash = ? AND tills.shop_id = ? AND tills.retired_at IS NULL", hashToken(device), shopID))
	if err != nil || till == nil {
		return Till{}, false, err
	}
	return *till, true, nil
}

// knowsDevice says whether a user has signed in from this browser before.
func (s *Service) knowsDevice(ctx context.Context, device, username string) (bool, error) {
	if device == "" {
		return false, nil
	}
	return store.Some(s.d.DB.Read(ctx).Table("device_users").Joins("JOIN users ON users.id = device_users.user_id").
		Where("device_users.token_hash = ? AND users.username = ?", hashToken(device), username))
}

// Lane names the queue of a browser that somebody has signed in from; "": any other browser. The name gives no access.
func (s *Service) Lane(ctx context.Context, device string) (string, error) {
	if device == "" {
		return "", nil
	}
	id := hashToken(device)
	known, err := store.Some(s.d.DB.Read(ctx).Table("device_users").Where("token_hash = ?", id))
	if err != nil || !known {
		return "", err
	}
	return id, nil
}

// takesTill is how long a till is reserved for somebody who has just signed in at it and has no session yet.
const takesTill = time.Minute

// TakeTill puts a browser at a till of the user's shop that nobody uses, and returns it with the browser's token. Two
// people who sign in at once get different tills. held are the tills at which others work; if none is free, it is
// the first, and "" if the shop has none in use.
func (s *Service) TakeTill(
	ctx context.Context, u User, device string, held []string,
) (tillID, token string, err error) {
	now := s.now()
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("tills of " + u.ShopID); err != nil {
			return err
		}
		till, err := store.First[Till](tx.Raw(`SELECT tills.* FROM tills
WHERE shop_id = ? AND retired_at IS NULL ORDER BY CASE
WHEN tills.id IN ? THEN 2
WHEN EXISTS (SELECT 1 FROM sessions WHERE sessions.till_id = tills.id AND sessions.user_id <> ? AND sessions.seen_at > ?
AND sessions.created_at > ?) THEN 1
WHEN EXISTS (SELECT 1 FROM devices JOIN device_users ON device_users.token_hash = devices.token_hash
	WHERE devices.till_id = tills.id AND device_users.user_id <> ? AND devices.seen_at > ?) THEN 1
ELSE 0 END, tills.number LIMIT 1`,
			u.ShopID, append(held, ""), u.ID, now.Add(-SessionIdle), now.Add(-SessionAbsolute),
			u.ID, now.Add(-takesTill)))
		if err != nil {
			return err
		}
		if till != nil {
			tillID = till.ID
		}
		token, err = s.rememberDevice(tx, device, u.ID, tillID)
		return err
	})
	return tillID, token, err
}
