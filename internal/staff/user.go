package staff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// User is a person who may sign in, unless disabled.
type User struct {
	ID          string
	Username    string // normalised
	DisplayName string
	Role        Role
	ShopID      string // "" for a role that sees every shop
	Locale      string // BCP 47, such as en-IE; "" for what the browser prefers
	Epoch       int64  // raised when every session of the user must end
	DisabledAt  *time.Time
	CreatedAt   time.Time

	VouchedBy, Subject string // who they are to the identity provider; "" if it does not vouch for them

	SecondAt      *time.Time // when their second factor came to be; nil: they have none
	PasswordSet   isSet      `gorm:"column:password_hash"`
	PasswordShort bool       // it has fewer characters than one that stands alone
	PasswordOnce  oneTime    // whether somebody else chose the password
	PasswordUntil *time.Time // when it ends, if so
}

// TableName is read by GORM.
func (User) TableName() string { return "users" }

// Disabled says whether the account is closed.
func (u User) Disabled() bool { return u.DisabledAt != nil }

// Can says whether the user may do a thing; a disabled user may do nothing.
func (u User) Can(p Permission) bool { return !u.Disabled() && u.Role.Can(p) }

// CountsBlind says whether the user must not learn what a drawer should hold before they have counted it.
func (u User) CountsBlind() bool { return !u.Can(ManageShifts) && !u.Can(ViewReports) }

// Sees says whether the user may see the sales of a shop.
func (u User) Sees(shopID string) bool {
	return u.Can(ViewAllSales) || u.Can(ViewShopSales) && shopID != "" && u.ShopID == shopID
}

// actorOf is who the audit names for what somebody does before they are signed in.
func actorOf(u User) audit.Actor {
	return audit.Actor{UserID: u.ID, Name: u.Username, Role: string(u.Role), ShopID: u.ShopID}
}

// facts are what the audit stores of a user.
func (u User) facts() audit.Facts {
	return audit.Facts{
		audit.Text("username", u.Username), audit.Text("displayname", u.DisplayName), audit.Word("role", u.Role),
		audit.AtShop(u.ShopID), audit.Word("locale", u.Locale), audit.YesNo("disabled", u.Disabled()),
		audit.YesNo("secondfactor", u.HasSecond()), audit.Text("vouched", vouched(u.VouchedBy, u.Subject)),
	}
}

// NewUser describes a user to be created.
type NewUser struct {
	ID          string // of the form that asks for them, "" for a new one: see store.Made
	Username    string
	DisplayName string // "" means the username
	Role        Role
	ShopID      string // required exactly for the roles of a shop
	Locale      string // "" for what the browser prefers
	Password    string
}

// CreateUser creates a user. Errors of kind fault.Invalid name the field; a username that is taken is fault.Conflict. A
// user with rights that take two people is disabled until a second person agrees (Decide), unless a command made it.
func (s *Service) CreateUser(ctx context.Context, by audit.Actor, n NewUser) (User, error) {
	user, err := n.check()
	if err != nil {
		return User{}, err
	}
	if err := checkPassword(n.Password, user); err != nil {
		return User{}, err
	}
	hash, err := s.hasher.hash(ctx, n.Password)
	if err != nil {
		return User{}, fmt.Errorf("create user: %w", err)
	}
	user.ID, user.CreatedAt, user.Epoch, user.PasswordSet = cmp.Or(n.ID, s.newID()), s.now(), 1, true
	user.PasswordOnce = chosenBy(by)
	user.PasswordUntil = s.until(user.PasswordOnce)
	letIn := s.chosen(by, columns{"disabled_at": nil})
	waits := takesTwo(by, user, letIn)
	if waits {
		user.DisabledAt = &user.CreatedAt
	}
	again := false
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		made, err := store.Made(tx, user.ID, user.asksFor)
		if again = made != nil; again {
			user = *made
		}
		if err != nil || made != nil {
			return err
		}
		if err := insertUser(tx, user, hash, by.UserID); err != nil {
			return err
		}
		err = s.note(ctx, tx, by, audit.UserCreated, user.ID, user.facts()...)
		if err != nil || !waits {
			return err
		}
		return s.propose(ctx, tx, user, audit.Entry{Actor: by, Act: audit.UserEnabled}, letIn)
	})
	if err == nil && again {
		err = s.stillHas(ctx, user, n.Password)
	}
	return user, fault.Doing("create user", err)
}

// stillHas fails with fault.Conflict if a password that was chosen for a user, and that they have not used yet, is
// another.
func (s *Service) stillHas(ctx context.Context, u User, password string) error {
	hash, err := store.Value[string](s.d.DB.Read(ctx).Table("users").Select("password_hash").
		Where("id = ? AND password_once = ?", u.ID, fresh))
	if err != nil || hash == "" {
		return err
	}
	match, _, err := s.hasher.verify(ctx, password, hash)
	if err == nil && !match {
		err = fault.New(fault.Conflict, "page.used")
	}
	return err
}

// asksFor says whether a form that asks for a user asks for one that was made.
func (u User) asksFor(made User) bool {
	return made.Username == u.Username && made.DisplayName == u.DisplayName && made.Role == u.Role &&
		made.ShopID == u.ShopID && made.Locale == u.Locale
}

func insertUser(tx *store.Tx, u User, hash, by string) error {
	err := tx.Table("users").Create(map[string]any{
		"id": u.ID, "username": u.Username, "display_name": u.DisplayName, "role": u.Role, "shop_id": orNull(u.ShopID),
		"locale": u.Locale, "password_hash": hash, "epoch": u.Epoch, "created_at": u.CreatedAt,
		"disabled_at": u.DisabledAt,
		"vouched_by":  u.VouchedBy, "subject": u.Subject,
		"set_by": by, "set_at": u.CreatedAt, "password_once": u.PasswordOnce, "password_until": u.PasswordUntil,
	}).Error
	switch {
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return fault.Wrap(err, fault.Conflict, "user.taken", u.Username)
	case errors.Is(err, gorm.ErrForeignKeyViolated):
		return fault.Wrap(err, fault.Invalid, "shop.none").On("shop")
	}
	return err
}

// Check says what of the user is wrong, but for the password.
func (n NewUser) Check() error {
	_, err := n.check()
	return err
}

func (n NewUser) check() (User, error) {
	username, err := normaliseUsername(n.Username)
	if err != nil {
		return User{}, err
	}
	u := User{Username: username, Role: n.Role, ShopID: n.ShopID}
	if err := checkRole(n.Role, n.ShopID); err != nil {
		return User{}, err
	}
	if u.DisplayName, err = tidyText("display_name", "The name", n.DisplayName); err != nil {
		return User{}, err
	}
	if u.DisplayName == "" {
		u.DisplayName = username
	}
	u.Locale, err = tidyLocale(n.Locale)
	return u, err
}

func checkRole(role Role, shopID string) error {
	switch {
	case !role.Valid():
		return fault.OnField("role", "user.role", role, listed(Roles()))
	case role.InShop() && shopID == "":
		return fault.OnField("shop", "user.needs-shop", role)
	case !role.InShop() && shopID != "":
		return fault.OnField("shop", "user.no-shop", role)
	}
	return nil
}

// Rename gives a user another name to be shown by; "" is their username. Their sessions go on. Shown is the name that
// the form showed: where somebody else has renamed them since, it fails with fault.Conflict.
func (s *Service) Rename(ctx context.Context, by audit.Actor, userID, name, shown, reason string) error {
	typed, err := tidyText("display_name", "The name", name)
	if err != nil {
		return err
	}
	return fault.Doing("rename user", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		before, err := store.One[User](tx.Raw("SELECT * FROM users WHERE id = ?"+tx.ForUpdate(), userID), errNoUser)
		if err != nil {
			return err
		}
		name, err := meantFor("display_name", cmp.Or(typed, before.Username), shown, before.DisplayName)
		if err != nil {
			return err
		}
		if name == before.DisplayName { // a second click, or saved as it was shown
			return nil
		}
		renamed := tx.Exec("UPDATE users SET display_name = ? WHERE id = ?", name, userID)
		return s.d.Audit.WriteIf(ctx, tx, renamed, audit.Entry{
			Actor: by, Act: audit.UserRenamed, Subject: audit.Of(audit.User, userID), Reason: reason,
			Facts: audit.Between(
				audit.Facts{audit.Text("displayname", before.DisplayName)},
				audit.Facts{audit.Text("displayname", name)},
			),
		})
	}))
}

// User returns one user; fault.NotFound if there is none.
func (s *Service) User(ctx context.Context, id string) (User, error) {
	return s.users.Get(ctx, id, func(ctx context.Context) (User, error) {
		return store.One[User](s.d.DB.Read(ctx).Where("id = ?", id), errNoUser)
	})
}

// Users returns every user, by username.
func (s *Service) Users(ctx context.Context) ([]User, error) {
	users, err := store.All[User](s.d.DB.Read(ctx).Order("username"))
	return users, fault.Doing("list users", err)
}

var (
	errNoUser = fault.New(fault.NotFound, "user.none")
	errNoShop = fault.New(fault.NotFound, "shop.none")
	errNoTill = fault.New(fault.NotFound, "till.none")
)
