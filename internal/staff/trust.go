package staff

import (
	"context"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// TrustedDevice is a browser at a till that accepts PINs.
type TrustedDevice struct {
	ID        string // the hash of its token: names it and opens nothing
	Till      string
	TrustedBy string
	TrustedAt time.Time
	SeenAt    time.Time
}

// Trust has the browser that the actor uses, at its till, accept PINs.
func (s *Service) Trust(ctx context.Context, by audit.Actor, device string) error {
	return fault.Doing("trust device", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		changed := tx.Exec(`UPDATE devices SET trusted_at = ?, trusted_by = ?
WHERE token_hash = ? AND trusted_at IS NULL AND till_id IN (SELECT id FROM tills
WHERE shop_id = ?)`, s.now(), by.UserID, hashToken(device), by.ShopID)
		// It changes nothing for one that is trusted already, or at no till of the shop.
		return s.d.Audit.WriteIf(ctx, tx, changed, audit.Entry{
			Actor: by, Act: audit.DeviceTrusted, Subject: audit.Of(audit.Device, hashToken(device)[:16]),
		})
	}))
}

var errNotTrusted = fault.New(fault.NotFound, "device.not-trusted")

// Distrust ends the trust in a device of the actor's shop: from then on it asks for passwords.
func (s *Service) Distrust(ctx context.Context, by audit.Actor, id string) error {
	return fault.Doing("distrust device", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.MustExec(errNotTrusted, `UPDATE devices SET trusted_at = NULL, trusted_by = NULL
WHERE token_hash = ? AND trusted_at IS NOT NULL AND till_id IN (SELECT id FROM tills WHERE shop_id = ?)`,
			id, by.ShopID); err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.DeviceDistrusted, Subject: audit.Of(audit.Device, id[:16]),
		})
	}))
}

// TrustedDevices returns the devices of a shop that accept PINs, by till.
func (s *Service) TrustedDevices(ctx context.Context, shopID string) ([]TrustedDevice, error) {
	found, err := store.All[TrustedDevice](s.d.DB.Read(ctx).Raw(`
SELECT devices.token_hash AS id, tills.name AS till, users.display_name AS trusted_by,
	devices.trusted_at, devices.seen_at
FROM devices JOIN tills ON tills.id = devices.till_id JOIN users ON users.id = devices.trusted_by
WHERE tills.shop_id = ?
ORDER BY tills.number, devices.trusted_at`, shopID))
	return found, fault.Doing("list trusted devices", err)
}

// DeviceID is the TrustedDevice.ID of a browser's token.
func DeviceID(device string) string { return hashToken(device) }

// GavePassword notes that a user has just given their password on a device. From then on their PIN is valid there, and
// its wrong tries no longer count. See also GaveSecond.
func (s *Service) GavePassword(ctx context.Context, device string, u User) error {
	return fault.Doing("note password", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		_, err := tx.ExecAll(ctx,
			store.Statement{
				SQL: "UPDATE device_users SET signed_in_at = ?, epoch = ?, second_at = NULL " +
					"WHERE token_hash = ? AND user_id = ?",
				Args: []any{s.now(), u.Epoch, hashToken(device), u.ID},
			},
			store.Statement{SQL: "DELETE FROM login_tries WHERE key = ?", Args: []any{pinKey(device, u.ID)}})
		return err
	}))
}

// GaveSecond notes after GavePassword that the identity provider asked the user for a second factor, too. A PIN opens
// that sign-in again, so it counts there as well.
func (s *Service) GaveSecond(ctx context.Context, device string, u User) error {
	return fault.Doing("note second factor", s.d.DB.Exec(ctx,
		"UPDATE device_users SET second_at = ? WHERE token_hash = ? AND user_id = ?", s.now(), hashToken(device), u.ID))
}
