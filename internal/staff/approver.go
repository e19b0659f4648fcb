package staff

import (
	"cmp"
	"context"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

var (
	errApprover  = fault.OnField("manager", "approval.who")
	errNotReady  = fault.OnField("secret", "approval.not-ready")
	errPINNeeded = fault.OnField("secret", "approval.second") // a password alone does not prove who they are
)

// Vouch returns the shop's manager who approves one act at somebody else's till. They give their PIN where Unlock
// would accept it, or their password anywhere. Too many wrong PINs leave only the password. It fails like Unlock; who
// must first choose a password or set up a second factor approves nothing.
func (s *Service) Vouch(ctx context.Context, shopID, managerID, secret string, at Attempt) (User, error) {
	manager, err := s.User(ctx, managerID)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return User{}, errApprover
	case err != nil:
		return User{}, err
	case !manager.approvesIn(shopID):
		return User{}, errApprover
	case manager.MustChangePassword():
		return User{}, errNotReady
	}
	var given *time.Time // their second factor, by the identity provider
	if pinDigits.MatchString(secret) && len(secret) <= longestPIN {
		given, err = s.vouchByPIN(ctx, manager, secret, at)
	} else {
		err = s.vouchByPassword(ctx, manager, secret, at)
	}
	if err != nil {
		return User{}, err
	}
	// Memories have them as they were when the request began. Whatever takes the right from them raises the epoch.
	now, err := store.One[User](s.d.DB.Read(ctx).Where("id = ?", manager.ID), errNoUser)
	if err = cmp.Or(err, stillAt(manager.Epoch, now)); err != nil {
		return User{}, err
	}
	rule, err := s.rule(ctx, now.Role)
	if err == nil && s.needsSecond(now, rule, given) {
		err = errNotReady
	}
	return now, err
}

func (s *Service) vouchByPIN(ctx context.Context, u User, pin string, at Attempt) (given *time.Time, err error) {
	unlocked, err := s.Unlock(ctx, at.Device, u.ID, pin)
	if err == nil {
		err = s.checkNetwork(ctx, u, at.Address) // as Login does
	}
	return unlocked.SecondAt, err
}

func (s *Service) vouchByPassword(ctx context.Context, u User, password string, at Attempt) error {
	if u.HasSecond() {
		return errPINNeeded
	}
	at.Username, at.Password = u.Username, password
	if _, err := s.Login(ctx, at); err != nil {
		return err
	}
	return s.d.DB.Exec(ctx, "DELETE FROM login_tries WHERE key = ?", pinKey(at.Device, u.ID))
}

// approvesIn says whether the user may approve in a shop what others there may not do alone.
func (u User) approvesIn(shopID string) bool { return u.ShopID == shopID && u.Can(Override) }

// Approvers returns the people of a shop who may approve what a cashier may not do alone, by name.
func (s *Service) Approvers(ctx context.Context, shopID string) ([]User, error) {
	people, err := s.Users(ctx)
	var may []User
	for _, u := range people {
		if u.approvesIn(shopID) {
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
