package staff

import (
	"context"
	"maps"
	"strings"
	"time"
	"unicode"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/idp"
	"airtill/internal/store"
)

const (
	refusedFor  = 30 * 24 * time.Hour // how long a refused arrival is stored
	refusedKept = 100                 // rows: whoever gives out names at the provider must not fill the database
)

var (
	errArrivalChanged  = fault.New(fault.Conflict, "sso.arrival-changed")
	errLinked          = fault.New(fault.Conflict, "sso.linked")
	errLinkedElsewhere = fault.New(fault.Conflict, "sso.linked-elsewhere")
	errLinkOwn         = fault.New(fault.Invalid, "sso.link-own")
	errLinkShop        = fault.New(fault.Conflict, "sso.link-shop")
	errNotLinked       = fault.New(fault.Conflict, "sso.not-linked")
	errNeedsPassword   = fault.OnField("password", "sso.needs-password")
)

// RefusedArrival is somebody whom the identity provider signed in and who was refused, since their username is that of
// an account. They may be the same person: an admin knows.
type RefusedArrival struct {
	ID                 string
	VouchedBy, Subject string // as of User
	UserID             string // whose username it is
	Name, Email        string // what the provider calls them; it may be anything
	Role               Role   // of their groups when they last came
	ShopID             string // "" if nobody says in which shop they work
	Attempts           int
	LastAt             time.Time
}

// LeavesPassword says whether an account that is linked with the person has its password afterwards: an admin's, since
// it works even while the provider is away. One that somebody else chose must be changed, so it is deleted, too.
func (a RefusedArrival) LeavesPassword(u User) bool {
	return u.Role == Admin && a.Role == Admin && u.HasPassword() && !u.MustChangePassword()
}

// shopAt returns the shop of the account once it is linked.
func (a RefusedArrival) shopAt(u User) (string, error) {
	switch {
	case !a.Role.InShop():
		return "", nil
	case a.ShopID != "":
		return a.ShopID, nil
	case u.ShopID != "":
		return u.ShopID, nil
	}
	return "", errLinkShop
}

// RefusedArrivals returns who may still be linked, the last to come first.
func (s *Service) RefusedArrivals(ctx context.Context) ([]RefusedArrival, error) {
	if !s.SingleSignOn() {
		return nil, nil
	}
	all, err := store.All[RefusedArrival](s.d.DB.Read(ctx).
		Where("vouched_by = ? AND last_at > ?", s.d.Outside.Provider.Issuer(), s.now().Add(-refusedFor)).
		Order("last_at DESC, id DESC"))
	return all, fault.Doing("list refused arrivals", err)
}

// remember stores that somebody was refused as a user, or that they were again.
func (s *Service) remember(tx *store.Tx, p idp.Person, u User, name string, role Role, shopID string) error {
	if err := lockUsers(tx, u.ID); err != nil { // before the row, as whoever links does
		return err
	}
	email, err := tidyText("email", "The email", p.Email)
	if err != nil {
		email = "" // it only helps to tell who it is
	}
	err = tx.Exec(`INSERT INTO refused_arrivals
	(id, vouched_by, subject, user_id, name, email, role, shop_id, attempts, last_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
ON CONFLICT (vouched_by, subject) DO UPDATE SET user_id = excluded.user_id, name = excluded.name,
	email = excluded.email, role = excluded.role, shop_id = excluded.shop_id, last_at = excluded.last_at,
	attempts = CASE WHEN refused_arrivals.user_id = excluded.user_id THEN refused_arrivals.attempts + 1 ELSE 1 END`,
		s.newID(), p.Issuer, p.Subject, u.ID, oneWay(name), oneWay(email), role, orNull(shopID), s.now()).Error
	if err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM refused_arrivals WHERE id NOT IN
(SELECT id FROM refused_arrivals ORDER BY last_at DESC, id DESC LIMIT ?)`, refusedKept).Error
}

// oneWay takes out the marks that turn the direction of writing: a name must not turn the sentence around it.
func oneWay(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}

// Link makes an account that of a person who was refused as it, with the role of their groups, which must be the one
// that whoever links has read. From then on they sign in through the identity provider. It takes two people.
func (s *Service) Link(
	ctx context.Context, by audit.Actor, userID, arrivalID string, role Role, reason string,
) error {
	if by.UserID == userID {
		return errLinkOwn
	}
	e := audit.Entry{Actor: by, Act: audit.UserLinked, Reason: reason}
	return s.changeWith(ctx, userID, e, func(tx *store.Tx, u User) (columns, error) {
		a, err := store.One[RefusedArrival](
			tx.Where("id = ? AND user_id = ? AND last_at > ?", arrivalID, userID, s.now().Add(-refusedFor)),
			errArrivalChanged)
		switch {
		case err != nil:
			return nil, err
		case u.Vouched():
			return nil, errLinked
		case !s.SingleSignOn() || a.VouchedBy != s.d.Outside.Provider.Issuer() || a.Role != role:
			return nil, errArrivalChanged
		}
		shop, err := a.shopAt(u)
		if err != nil {
			return nil, err
		}
		set := columns{"vouched_by": a.VouchedBy, "subject": a.Subject, "role": a.Role, "shop_id": orNull(shop)}
		if !a.LeavesPassword(u) {
			maps.Copy(set, noPassword())
		}
		return s.chosen(by, set), nil
	})
}

// settle deletes the refused arrival whom new values link with a user; it must still be as whoever linked has read it.
func settle(tx *store.Tx, userID string, set columns) error {
	if subject, given := set["subject"]; !given || subject == "" {
		return nil
	}
	return tx.MustExec(errArrivalChanged,
		"DELETE FROM refused_arrivals WHERE vouched_by = ? AND subject = ? AND user_id = ? AND role = ?",
		set["vouched_by"], set["subject"], userID, set["role"])
}

// Dismiss deletes a refused arrival: it is somebody else, or nobody knows. They are noted again when they come again.
func (s *Service) Dismiss(ctx context.Context, by audit.Actor, userID, arrivalID string) error {
	return fault.Doing("dismiss refused arrival", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		a, err := store.One[RefusedArrival](
			tx.Raw("DELETE FROM refused_arrivals WHERE id = ? AND user_id = ? RETURNING *", arrivalID, userID),
			errArrivalChanged)
		if err != nil {
			return err
		}
		return s.note(ctx, tx, by, audit.UserArrivalDismissed, userID,
			audit.Text("vouched", vouched(a.VouchedBy, a.Subject)))
	}))
}

// Unlink makes an account one with a password again. It takes a new one, which opens one session, if the account has
// none; with "" one that it has stays. It takes two people.
func (s *Service) Unlink(ctx context.Context, by audit.Actor, userID, password, reason string) error {
	if by.UserID == userID {
		return errLinkOwn
	}
	user, err := s.User(ctx, userID)
	if err != nil {
		return err
	}
	set := columns{}
	if password != "" {
		if set, err = s.newPassword(ctx, by, user, password); err != nil {
			return err
		}
	}
	e := audit.Entry{Actor: by, Act: audit.UserUnlinked, Reason: reason}
	return s.changeWith(ctx, userID, e, func(_ *store.Tx, u User) (columns, error) {
		switch {
		case !u.Vouched():
			return nil, errNotLinked
		case password == "" && !u.HasPassword():
			return nil, errNeedsPassword
		}
		set["vouched_by"], set["subject"] = "", ""
		return s.chosen(by, set), nil
	})
}

// noPassword takes an account's password away.
func noPassword() columns {
	return columns{
		"password_hash": "", "password_short": false, "password_once": ownPassword, "password_until": nil,
	}
}

// vouched names a person of an identity provider, "" for nobody.
func vouched(by, subject string) string {
	if subject == "" {
		return ""
	}
	return subject + " (" + by + ")"
}
