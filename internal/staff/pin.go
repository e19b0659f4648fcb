package staff

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// A till PIN replaces the password where the password was given before: on a device that a manager trusts, for as long
// as a session may last. It is short, so it is valid nowhere else, and after five wrong tries of one person's PIN on a
// device, whether to unlock or to vouch, it is refused there.
const (
	shortestPIN = 4
	longestPIN  = 8
	pinTries    = 5
)

// ErrPassword is returned by Unlock and Vouch if no PIN is accepted: the device is not trusted, the password was not
// given on it today, or there were too many wrong tries.
var ErrPassword = fault.New(fault.Forbidden, "login.password")

// SetPIN gives a user the till PIN they chose. They type their password again, since anybody could stand at an open
// till. A refused PIN or password is fault.Invalid on the field "pin" or "password". Setting it too often means a wait:
// a PIN that somebody else has too is noticed when it is used, so each new PIN is a guess at theirs. ErrPassword: their
// sessions ended meanwhile.
func (s *Service) SetPIN(ctx context.Context, by audit.Actor, password, pin, address string) error {
	if err := checkPIN(pin); err != nil {
		return err
	}
	epoch, err := s.provePassword(ctx, by, password, address)
	if err != nil {
		return err
	}
	hash, err := s.hasher.hash(ctx, pin)
	if err != nil {
		return fmt.Errorf("set PIN: %w", err)
	}
	return fault.Doing("set PIN", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		user, err := lockUser(tx, by.UserID)
		if err = cmp.Or(err, stillAt(epoch, user)); err != nil {
			return err
		}
		set, err := takeTries(tx, tryKey("pin-set", user.ID), s.now())
		if err != nil {
			return err
		}
		if set.Failures >= pinTries {
			return &TooManyTries{Wait: set.LastAt.Add(triesForgotten).Sub(s.now())}
		}
		if err := tx.Exec(`INSERT INTO till_pins (user_id, pin_hash, set_at) VALUES (?, ?, ?)
ON CONFLICT (user_id) DO UPDATE
SET pin_hash = excluded.pin_hash, set_at = excluded.set_at`, user.ID, hash, s.now()).Error; err != nil {
			return err
		}
		return s.note(ctx, tx, by, audit.UserPINSet, user.ID)
	}))
}

// HasPIN says whether a user has set a till PIN.
func (s *Service) HasPIN(ctx context.Context, userID string) (bool, error) {
	return store.Some(s.d.DB.Read(ctx).Table("till_pins").Where("user_id = ?", userID))
}

// Unlocks says whether a user's PIN would unlock a device now.
func (s *Service) Unlocks(ctx context.Context, device, userID string) (bool, error) {
	colleagues, err := s.Colleagues(ctx, device)
	return slices.ContainsFunc(colleagues, func(c Colleague) bool { return c.ID == userID }), err
}

var pinDigits = regexp.MustCompile(`^[0-9]+$`)

// checkPIN refuses the PINs that are tried first: one digit or pair repeated, runs along the pad or the row, and years.
func checkPIN(pin string) error {
	year := len(pin) == 4 && (strings.HasPrefix(pin, "19") || strings.HasPrefix(pin, "20"))
	common := slices.Contains(
		[]string{"2580", "0852", "1397", "7139", "1004", "6969", "4711", "1470", "0741", "3690", "0963"}, pin,
	)
	switch {
	case !pinDigits.MatchString(pin) || len(pin) < shortestPIN || len(pin) > longestPIN:
		return fault.OnField("pin", "pin.length", shortestPIN, longestPIN)
	case year || common || repeats(pin) || runsAlong(pin):
		return fault.OnField("pin", "pin.common")
	}
	return nil
}

// Colleague is somebody whose PIN a device accepts.
type Colleague struct {
	ID         string
	Name       string
	PINHash    string     `gorm:"column:pin_hash"`
	SignedInAt time.Time  // with the password, on this device
	Epoch      int64      // as of User, then and still
	SecondAt   *time.Time // of GaveSecond
}

// Colleagues returns the people whose PIN a device accepts now, by name: those of its shop who gave their password on
// it within the life of a session and have tries left. A device that is not trusted has none.
func (s *Service) Colleagues(ctx context.Context, device string) ([]Colleague, error) {
	if device == "" {
		return nil, nil
	}
	found, err := store.All[Colleague](s.d.DB.Read(ctx).Raw(`
SELECT users.id, users.display_name AS name, till_pins.pin_hash, device_users.signed_in_at, users.epoch,
device_users.second_at
FROM devices JOIN tills ON tills.id = devices.till_id
JOIN device_users ON device_users.token_hash = devices.token_hash
JOIN users ON users.id = device_users.user_id AND users.epoch = device_users.epoch
AND users.disabled_at IS NULL AND users.shop_id = tills.shop_id
JOIN till_pins ON till_pins.user_id = users.id
WHERE devices.token_hash = ? AND devices.trusted_at IS NOT NULL AND device_users.signed_in_at > ?
ORDER BY users.id`,
		hashToken(device), s.now().Add(-SessionAbsolute)))
	if err != nil {
		return nil, fmt.Errorf("find colleagues: %w", err)
	}
	byName(found, func(c Colleague) string { return c.Name })
	return s.withTriesLeft(ctx, device, found)
}

func (s *Service) withTriesLeft(ctx context.Context, device string, all []Colleague) ([]Colleague, error) {
	keys := make([]string, len(all))
	for i, c := range all {
		keys[i] = pinKey(device, c.ID)
	}
	spent, err := store.All[string](s.d.DB.Read(ctx).Table("login_tries").Select("key").
		Where("key IN ? AND failures >= ?", keys, pinTries)) // GavePassword, of today, has deleted older ones
	if err != nil {
		return nil, fmt.Errorf("count tries: %w", err)
	}
	return slices.DeleteFunc(all, func(c Colleague) bool { return slices.Contains(spent, pinKey(device, c.ID)) }), nil
}

// Unlocked is who unlocked a device.
type Unlocked struct {
	User  User
	Since time.Time // when they gave their password on this device: their session counts from there
	// SecondAt is when the identity provider asked them for a second factor, if they have none here.
	SecondAt *time.Time
}

// Unlock returns which of the device's Colleagues has this PIN. userID says who it must be; "": the PIN alone decides,
// which counts as a try for each of them. A wrong PIN is fault.Invalid, one that several have is fault.Conflict;
// ErrPassword: no PIN is accepted.
func (s *Service) Unlock(ctx context.Context, device, userID, pin string) (Unlocked, error) {
	tried, err := s.Colleagues(ctx, device)
	if err != nil {
		return Unlocked{}, err
	}
	tried = slices.DeleteFunc(tried, func(c Colleague) bool { return userID != "" && c.ID != userID })
	if tried, err = s.admitPIN(ctx, device, tried); err != nil {
		return Unlocked{}, err
	}
	matching, err := s.whosePIN(ctx, tried, pin)
	if err != nil {
		return Unlocked{}, err
	}
	if err := s.settlePIN(ctx, device, tried, matching); err != nil {
		return Unlocked{}, err
	}
	switch len(matching) {
	case 0:
		s.d.Log.WarnContext(ctx, "pin.refused", "device", hashToken(device)[:8], "user", userID)
		return Unlocked{}, fault.OnField("pin", "pin.wrong")
	case 1:
	default:
		return Unlocked{}, fault.New(fault.Conflict, "pin.who")
	}
	user, err := s.User(ctx, matching[0].ID)
	if err != nil {
		return Unlocked{}, err
	}
	if user.Disabled() || user.Epoch != matching[0].Epoch { // while the PIN was looked at
		return Unlocked{}, ErrPassword
	}
	s.d.Log.InfoContext(ctx, "pin.accepted", "user", user.ID, "device", hashToken(device)[:8])
	unlocked := Unlocked{User: user, Since: matching[0].SignedInAt}
	if !user.HasSecond() { // one of their own is given again
		unlocked.SecondAt = matching[0].SecondAt
	}
	return unlocked, nil
}

func (s *Service) whosePIN(ctx context.Context, tried []Colleague, pin string) (matching []Colleague, err error) {
	for _, c := range tried {
		match, _, err := s.hasher.verify(ctx, pin, c.PINHash)
		if err != nil {
			return nil, err
		}
		if match {
			matching = append(matching, c)
		}
	}
	return matching, nil
}

// pinKey counts the tries of one person's PIN on one device.
func pinKey(device, userID string) string { return tryKey("till-pin", hashToken(device), userID) }

// admitPIN counts a try of each person's PIN before looking at it, so that many at the same moment cannot all pass, and
// returns those who had a try left. Only their own password, or a day, gives them more.
func (s *Service) admitPIN(ctx context.Context, device string, tried []Colleague) (admitted []Colleague, err error) {
	// two tries never wait for each other
	slices.SortFunc(tried, func(a, b Colleague) int { return cmp.Compare(a.ID, b.ID) })
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		admitted = nil
		for _, c := range tried {
			t, err := takeTries(tx, pinKey(device, c.ID), s.now())
			if err != nil {
				return err
			}
			if t.Failures < pinTries {
				admitted = append(admitted, c)
			}
		}
		return nil
	})
	if err == nil && len(admitted) == 0 {
		err = ErrPassword
	}
	return admitted, err
}

// settlePIN clears the count of the person a PIN identified, and uncounts the try for the others. If several have the
// PIN, the try stays counted for them, since it tells each the other's. If nobody has it, it stays counted for all.
func (s *Service) settlePIN(ctx context.Context, device string, tried, matching []Colleague) error {
	if len(matching) == 0 {
		return nil
	}
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		for _, c := range tried {
			statement := "UPDATE login_tries SET failures = failures - 1 WHERE key = ? AND failures > 0"
			if slices.ContainsFunc(matching, func(m Colleague) bool { return m.ID == c.ID }) {
				if len(matching) > 1 {
					continue
				}
				statement = "DELETE FROM login_tries WHERE key = ?"
			}
			if err := tx.Exec(statement, pinKey(device, c.ID)).Error; err != nil {
				return err
			}
		}
		return nil
	})
}
