package staff

import (
	"context"
	"slices"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/idp"
	"airtill/internal/store"
)

// GroupRole is what a group of the identity provider is here.
type GroupRole struct {
	Group string
	Role  Role
}

// Outside is the identity provider whose people may sign in.
type Outside struct {
	Provider *idp.Provider
	Roles    []GroupRole // the first whose group somebody is in counts
}

var (
	errNoGroup    = fault.New(fault.Forbidden, "sso.no-group")
	errNoShopYet  = fault.New(fault.Forbidden, "sso.no-shop")
	errNotEnabled = fault.New(fault.Forbidden, "sso.not-enabled")
	errNoPassword = fault.New(fault.Conflict, "sso.no-password")
	errRoleOfSSO  = fault.New(fault.Conflict, "sso.role")
)

// Onward is what a browser goes on with once it is signed in.
type Onward struct {
	Next     string // where it was going
	Language string // chosen on the page of the sign-in; "": none
}

// asked is what the provider's answer is checked against, and what the browser goes on with.
type asked struct {
	idp.Asked
	Onward
}

// Vouched says whether the user signs in through the identity provider. They have no password here, but for admins who
// had one before they were linked.
func (u User) Vouched() bool { return u.Subject != "" }

// SingleSignOn says whether there is an identity provider to sign in through.
func (s *Service) SingleSignOn() bool { return s.d.Outside != nil }

// BeginOutside returns the address at which a browser signs in at the identity provider, and a token for the browser.
// FinishOutside takes the token with the provider's answer, and returns the rest.
func (s *Service) BeginOutside(ctx context.Context, onward Onward) (address, token string, err error) {
	if !s.SingleSignOn() {
		return "", "", fault.New(fault.NotFound, "")
	}
	address, a, err := s.d.Outside.Provider.Begin(ctx)
	if err != nil {
		return "", "", fault.Doing("begin single sign-on", err)
	}
	token, err = s.challenge(ctx, asked{a, onward})
	return address, token, err
}

// Arrival is who came from the identity provider.
type Arrival struct {
	User   User
	Second bool // the provider had their second factor, too
	Onward
}

// FinishOutside returns who came back from the identity provider, or with an error how whoever was refused goes on.
// Somebody new gets an account with the role of their group; a known person's role follows their group.
func (s *Service) FinishOutside(ctx context.Context, token, state, code string, a Attempt) (Arrival, error) {
	if !s.SingleSignOn() {
		return Arrival{}, fault.New(fault.NotFound, "")
	}
	var of asked
	if err := s.takeChallenge(ctx, token, &of, idp.ErrRefused); err != nil {
		return Arrival{}, err
	}
	var u User
	person, err := s.d.Outside.Provider.Finish(ctx, of.Asked, state, code)
	if err == nil {
		u, err = s.arrive(ctx, person)
	}
	if err == nil {
		err = s.checkNetwork(ctx, u, a.Address)
	}
	if err != nil {
		s.d.Log.WarnContext(ctx, "login.refused",
			"user", u.ID, "address", a.Address, "kind", fault.KindOf(err), "error", err)
		return Arrival{Onward: of.Onward}, fault.Doing("finish single sign-on", err)
	}
	s.d.Log.InfoContext(ctx, "login.accepted", "user", u.ID, "address", a.Address)
	return Arrival{User: u, Second: person.Second, Onward: of.Onward}, nil
}

// arrive finds or makes the user that a person is. Who is refused for their username is remembered (RefusedArrival).
func (s *Service) arrive(ctx context.Context, p idp.Person) (u User, err error) {
	at := slices.IndexFunc(s.d.Outside.Roles, func(r GroupRole) bool { return slices.Contains(p.Groups, r.Group) })
	if at < 0 {
		return User{}, errNoGroup
	}
	role := s.d.Outside.Roles[at].Role
	var taken error // not returned within the transaction, which remembers it
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("person " + p.Issuer + " " + p.Subject); err != nil { // two arrivals at once make one account
			return err
		}
		known, err := store.First[User](tx.Where("vouched_by = ? AND subject = ?", p.Issuer, p.Subject))
		if err != nil {
			return err
		}
		if known == nil {
			u, taken, err = s.firstArrival(ctx, tx, p, role)
			return err
		}
		u, err = s.follow(ctx, tx, *known, p, role)
		return err
	})
	switch {
	case err != nil:
		return u, err
	case taken != nil:
		return u, taken
	case u.Disabled():
		return u, errNotEnabled
	}
	return u, nil
}

// firstArrival makes an account. If its shop is not known, it stays disabled until an admin chooses one. If the
// username is taken, it says so: it must never sign in to that account, which may be somebody else's.
func (s *Service) firstArrival(
	ctx context.Context, tx *store.Tx, p idp.Person, role Role,
) (u User, taken, err error) {
	shop, sure, err := shopOf(tx, role, p.Shop)
	if err != nil {
		return User{}, nil, err
	}
	name, err := tidyText("display_name", "The name", p.Name)
	if err != nil {
		name = "" // the username will do
	}
	u, err = NewUser{Username: p.Username, DisplayName: name, Role: role, ShopID: shop}.check()
	if err != nil {
		return User{}, nil, err
	}
	taken = fault.New(fault.Forbidden, "sso.name-taken", u.Username)
	holder, err := store.First[User](tx.Where("username = ?", u.Username))
	if err != nil {
		return User{}, nil, err
	}
	if holder != nil {
		if !sure {
			shop = ""
		}
		return User{}, taken, s.remember(tx, p, *holder, u.DisplayName, role, shop)
	}
	u.ID, u.CreatedAt, u.Epoch, u.VouchedBy, u.Subject = s.newID(), s.now(), 1, p.Issuer, p.Subject
	if !sure {
		u.DisabledAt = &u.CreatedAt
	}
	if err := insertUser(tx, u, "", ""); fault.KindOf(err) == fault.Conflict {
		return User{}, nil, taken // at this moment; the next time it is remembered
	} else if err != nil {
		return User{}, nil, err
	}
	if err := tx.Exec("DELETE FROM refused_arrivals WHERE vouched_by = ? AND subject = ?",
		p.Issuer, p.Subject).Error; err != nil {
		return User{}, nil, err
	}
	return u, nil, s.note(ctx, tx, actorOf(u), audit.UserCreated, u.ID, u.facts()...)
}

// follow gives a user their group's present role, and the shop that the provider claims for them. If nobody says in
// which shop they work now, they are disabled until an admin chooses one.
func (s *Service) follow(ctx context.Context, tx *store.Tx, u User, p idp.Person, role Role) (User, error) {
	shop, sure, err := shopOf(tx, role, p.Shop)
	switch {
	case err != nil || u.Disabled():
		return u, err
	case role.InShop() && p.Shop == "" && u.ShopID != "":
		shop, sure = u.ShopID, true // an admin chose it
	}
	if u.Role == role && u.ShopID == shop {
		return u, nil
	}
	set := columns{"role": role, "shop_id": orNull(shop)}
	if !sure { // as at a first arrival, an admin chooses the shop
		set["disabled_at"] = s.now()
	}
	locked, err := lockUser(tx, u.ID)
	if err != nil {
		return u, err
	}
	if locked.Epoch != u.Epoch { // an admin changed them at this moment
		return s.follow(ctx, tx, locked, p, role)
	}
	e := audit.Entry{Actor: actorOf(u), Act: audit.UserRoleChanged}
	if err := s.apply(ctx, tx, u, e, set, ""); err != nil {
		return u, err
	}
	return store.One[User](tx.Where("id = ?", u.ID), errNoUser)
}

// shopOf returns the shop of somebody with a role: the one claimed by id or name, else the only one. If there is
// neither, it returns any shop and sure is false.
func shopOf(tx *store.Tx, role Role, claimed string) (id string, sure bool, err error) {
	if !role.InShop() {
		return "", true, nil
	}
	if claimed != "" {
		shop, err := store.One[Shop](tx.Where("id = ? OR name = ?", claimed, claimed).Order("id"),
			fault.New(fault.Forbidden, "sso.shop"))
		return shop.ID, true, err
	}
	all, err := store.All[string](tx.Table("shops").Select("id").Order("id").Limit(2))
	if err == nil && len(all) == 0 {
		err = errNoShopYet
	}
	if err != nil {
		return "", false, err
	}
	return all[0], len(all) == 1, nil
}

// breakGlass notes that an admin signed in without the identity provider, where there is one.
func (s *Service) breakGlass(ctx context.Context, tx *store.Tx, u User) error {
	if !s.SingleSignOn() || u.Role != Admin {
		return nil
	}
	return s.note(ctx, tx, actorOf(u), audit.UserBreakGlass, u.ID)
}

// BrokeGlass returns the last admin who signed in without the identity provider since a time, and when; "": nobody.
func (s *Service) BrokeGlass(ctx context.Context, since time.Time) (name string, at time.Time, err error) {
	last, err := s.d.Audit.List(ctx, audit.Filter{Act: audit.UserBreakGlass, Limit: 1})
	if err != nil || len(last) == 0 || last[0].At.Before(since) {
		return "", time.Time{}, fault.Doing("look for admins without single sign-on", err)
	}
	return last[0].Actor, last[0].At, nil
}
