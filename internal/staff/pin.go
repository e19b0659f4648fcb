package staff

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// A till PIN stands in for the password where a password was given before: on a
// device that a manager trusts, for as long as a session could have lasted. It
// is short, so it is worth nothing anywhere else, and five wrong tries on a
// device are the last.
const (
	shortestPIN = 4
	longestPIN  = 8
	pinTries    = 5
)

// ErrPassword is returned by Unlock and Vouch when no PIN is taken any more:
// the device is not trusted, nobody has given their password on it today, or
// too many tries were wrong.
var ErrPassword = fault.New(fault.Forbidden, "Sign in with your password.")

// SetPIN gives a user the till PIN they chose. They prove who they are with
// their password once more, since an open till proves it of nobody. A refused
// PIN or password is fault.Invalid on the field "pin" or "password".
func (s *Service) SetPIN(ctx context.Context, by audit.Actor, password, pin, address string) error {
	user, err := s.User(ctx, by.UserID)
	if err != nil {
		return err
	}
	if err := checkPIN(pin); err != nil {
		return err
	}
	if _, err := s.Login(ctx, Attempt{Username: user.Username, Password: password, Address: address}); err != nil {
		if fault.KindOf(err) == fault.Invalid {
			return fault.OnField("password", "The password is wrong.")
		}
		return err
	}
	hash, err := s.hasher.hash(ctx, pin)
	if err != nil {
		return fmt.Errorf("set PIN: %w", err)
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Exec(`INSERT INTO till_pins (user_id, pin_hash, set_at) VALUES (?, ?, ?)
ON CONFLICT (user_id) DO UPDATE SET pin_hash = excluded.pin_hash, set_at = excluded.set_at`, user.ID, hash, s.now()).Error; err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{Actor: by, Action: "user.pin-set", Subject: "user:" + user.ID})
	})
	if err != nil {
		return fmt.Errorf("set PIN: %w", err)
	}
	return nil
}

// HasPIN says whether a user has set a till PIN.
func (s *Service) HasPIN(ctx context.Context, userID string) (bool, error) {
	var n int64
	err := s.d.DB.Read(ctx).Table("till_pins").Where("user_id = ?", userID).Count(&n).Error
	return n > 0, err
}

// Unlocks says whether a user's PIN would unlock a device now.
func (s *Service) Unlocks(ctx context.Context, device, userID string) (bool, error) {
	colleagues, err := s.Colleagues(ctx, device)
	return slices.ContainsFunc(colleagues, func(c Colleague) bool { return c.ID == userID }), err
}

var pinDigits = regexp.MustCompile(`^[0-9]+$`)

// checkPIN refuses the PINs that are tried first: one digit or pair over and
// over, runs along the pad or the row, and years.
func checkPIN(pin string) error {
	year := len(pin) == 4 && (strings.HasPrefix(pin, "19") || strings.HasPrefix(pin, "20"))
	common := slices.Contains([]string{"2580", "0852", "1397", "7139", "1004", "6969", "4711", "1470", "0741", "3690", "0963"}, pin)
	switch {
	case !pinDigits.MatchString(pin) || len(pin) < shortestPIN || len(pin) > longestPIN:
		return fault.OnField("pin", "A PIN has %d to %d digits.", shortestPIN, longestPIN)
	case year || common || repeats(pin) || runsAlong(pin):
		return fault.OnField("pin", "This PIN is among the first that others would guess. Choose another.")
	}
	return nil
}

// Colleague is somebody whose PIN a device takes.
type Colleague struct {
	ID         string
	Name       string
	PINHash    string    `gorm:"column:pin_hash"`
	SignedInAt time.Time // with the password, on this device
}

// Colleagues returns who can unlock a device with their PIN now: those of the
// shop it is trusted in who gave their password on it within the life of a
// session, by name. None for a device that is not trusted.
func (s *Service) Colleagues(ctx context.Context, device string) ([]Colleague, error) {
	if device == "" {
		return nil, nil
	}
	var found []Colleague
	err := s.d.DB.Read(ctx).Raw(`SELECT users.id, users.display_name AS name, till_pins.pin_hash, device_users.signed_in_at
FROM devices JOIN tills ON tills.id = devices.till_id
JOIN device_users ON device_users.token_hash = devices.token_hash
JOIN users ON users.id = device_users.user_id AND users.epoch = device_users.epoch AND users.disabled_at IS NULL AND users.shop_id = tills.shop_id
JOIN till_pins ON till_pins.user_id = users.id
WHERE devices.token_hash = ? AND devices.trusted_at IS NOT NULL AND device_users.signed_in_at > ? ORDER BY users.display_name, users.id`,
		hashToken(device), s.now().Add(-SessionAbsolute)).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find colleagues: %w", err)
	}
	return found, nil
}

// Unlocked is who unlocked a device.
type Unlocked struct {
	User  User
	Since time.Time // when they gave their password on this device: their session counts from there
}

// Unlock returns whose PIN this is among the device's Colleagues; userID says
// who, "" if the PIN alone shall tell. A wrong PIN is fault.Invalid, one that
// several have is fault.Conflict, and ErrPassword says that no PIN is taken.
func (s *Service) Unlock(ctx context.Context, device, userID, pin string) (Unlocked, error) {
	colleagues, err := s.Colleagues(ctx, device)
	if err != nil {
		return Unlocked{}, err
	}
	if len(colleagues) == 0 {
		return Unlocked{}, ErrPassword
	}
	key := pinKey(device, "")
	if err := s.admitPIN(ctx, key); err != nil {
		return Unlocked{}, err
	}
	who, err := s.whosePIN(ctx, colleagues, userID, pin)
	if err != nil {
		s.d.Log.WarnContext(ctx, "pin.refused", "device", hashToken(device)[:8])
		return Unlocked{}, err
	}
	user, err := s.User(ctx, who.ID)
	if err != nil {
		return Unlocked{}, err
	}
	s.d.Log.InfoContext(ctx, "pin.accepted", "user", user.ID, "device", hashToken(device)[:8])
	return Unlocked{User: user, Since: who.SignedInAt}, s.forgivePIN(ctx, key)
}

func (s *Service) whosePIN(ctx context.Context, colleagues []Colleague, userID, pin string) (*Colleague, error) {
	var matching []*Colleague
	for i := range colleagues {
		if userID != "" && colleagues[i].ID != userID {
			continue
		}
		match, _, err := s.hasher.verify(ctx, pin, colleagues[i].PINHash)
		if err != nil {
			return nil, err
		}
		if match {
			matching = append(matching, &colleagues[i])
		}
	}
	switch len(matching) {
	case 0:
		return nil, fault.OnField("pin", "This PIN is wrong.")
	case 1:
		return matching[0], nil
	}
	return nil, fault.New(fault.Conflict, "Say who you are, then type the PIN again.")
}

// Vouch returns the id of a manager of a shop who approves one act at another's
// till: by their PIN on a trusted device, or anywhere by their password, which
// is what is asked for after too many wrong PINs. It fails like Unlock.
func (s *Service) Vouch(ctx context.Context, shopID, managerID, secret string, at Attempt) (User, error) {
	manager, err := s.User(ctx, managerID)
	if fault.KindOf(err) == fault.NotFound || err == nil && (manager.ShopID != shopID || !manager.Can(Override)) {
		return User{}, fault.OnField("manager", "Choose who approves it.")
	}
	if err != nil {
		return User{}, err
	}
	if !pinDigits.MatchString(secret) || len(secret) > longestPIN {
		at.Username, at.Password = manager.Username, secret
		if _, err := s.Login(ctx, at); err != nil {
			return User{}, err
		}
		return manager, s.forgivePIN(ctx, pinKey(at.Device, manager.ID))
	}
	return manager, s.vouchByPIN(ctx, manager, secret, at.Device)
}

func (s *Service) vouchByPIN(ctx context.Context, manager User, pin, device string) error {
	var hash string
	err := s.d.DB.Read(ctx).Raw(`SELECT till_pins.pin_hash FROM till_pins, devices JOIN tills ON tills.id = devices.till_id
WHERE till_pins.user_id = ? AND devices.token_hash = ? AND devices.trusted_at IS NOT NULL AND tills.shop_id = ?`,
		manager.ID, hashToken(device), manager.ShopID).Take(&hash).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return ErrPassword
	}
	if err != nil {
		return fmt.Errorf("vouch: %w", err)
	}
	key := pinKey(device, manager.ID)
	if err := s.admitPIN(ctx, key); err != nil {
		return err
	}
	match, _, err := s.hasher.verify(ctx, pin, hash)
	if err != nil {
		return err
	}
	if !match {
		s.d.Log.WarnContext(ctx, "pin.refused", "user", manager.ID, "device", hashToken(device)[:8])
		return fault.OnField("pin", "This PIN is wrong.")
	}
	return s.forgivePIN(ctx, key)
}

// Approvers returns who of a shop may approve what stops a cashier, by name.
func (s *Service) Approvers(ctx context.Context, shopID string) ([]User, error) {
	people, err := s.Users(ctx)
	var may []User
	for _, u := range people {
		if u.ShopID == shopID && u.Can(Override) {
			may = append(may, u)
		}
	}
	return may, err
}

// pinKey counts the tries of one device; those to vouch count per manager.
func pinKey(device, managerID string) string { return tryKey("till-pin", hashToken(device), managerID) }

// admitPIN counts a try before the PIN is looked at, and refuses the one after
// the last. Only a password makes room for more.
func (s *Service) admitPIN(ctx context.Context, key string) error {
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		t, err := takeTries(tx, key, s.now())
		if err != nil {
			return err
		}
		if t.Failures >= pinTries {
			return ErrPassword
		}
		return nil
	})
}

func (s *Service) forgivePIN(ctx context.Context, key string) error {
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return tx.Exec("DELETE FROM login_tries WHERE key = ?", key).Error
	})
}
