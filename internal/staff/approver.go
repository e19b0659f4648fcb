package staff

import (
	"context"

	"airtill/internal/fault"
)

// Vouch returns the manager of a shop who approves one act at another's till: by
// their PIN where Unlock would take it, or anywhere by their password, which is
// what is asked for after too many wrong PINs. It fails like Unlock.
func (s *Service) Vouch(ctx context.Context, shopID, managerID, secret string, at Attempt) (User, error) {
	manager, err := s.User(ctx, managerID)
	if fault.KindOf(err) == fault.NotFound || err == nil && (manager.ShopID != shopID || !manager.Can(Override)) {
		return User{}, fault.OnField("manager", "approval.who")
	}
	if err != nil {
		return User{}, err
	}
	if pinDigits.MatchString(secret) && len(secret) <= longestPIN {
		unlocked, err := s.Unlock(ctx, at.Device, manager.ID, secret)
		return unlocked.User, err
	}
	switch {
	case manager.MustChangePassword():
		return User{}, ErrPassword // theirs opens a session, for them to change it
	case manager.HasSecond():
		return User{}, fault.OnField("secret", "approval.second") // a password alone is half of who they are
	}
	at.Username, at.Password = manager.Username, secret
	if _, err := s.Login(ctx, at); err != nil {
		return User{}, err
	}
	err = s.d.DB.Exec(ctx, "DELETE FROM login_tries WHERE key = ?", pinKey(at.Device, manager.ID))
	return manager, err
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
