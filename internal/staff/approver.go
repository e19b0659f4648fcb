package staff

import (
	"context"

	"airtill/internal/fault"
)

// Vouch returns the shop's manager who approves one act at somebody else's till. They give their PIN where Unlock
// would accept it, or their password anywhere. Too many wrong PINs leave only the password. It fails like Unlock.
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
		if err == nil {
			err = s.checkNetwork(ctx, unlocked.User, at.Address) // as Login does
		}
		return unlocked.User, err
	}
	switch {
	case manager.MustChangePassword():
		return User{}, ErrPassword // it opens a session in which they change it
	case manager.HasSecond():
		return User{}, fault.OnField("secret", "approval.second") // a password alone does not prove who they are
	}
	at.Username, at.Password = manager.Username, secret
	if _, err := s.Login(ctx, at); err != nil {
		return User{}, err
	}
	err = s.d.DB.Exec(ctx, "DELETE FROM login_tries WHERE key = ?", pinKey(at.Device, manager.ID))
	return manager, err
}

// Approvers returns the people of a shop who may approve what a cashier may not do alone, by name.
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

// Approving are the roles that may approve it, in their own shop.
func Approving() (roles []string) {
	for _, role := range Roles() {
		if role.Can(Override) {
			roles = append(roles, string(role))
		}
	}
	return roles
}
