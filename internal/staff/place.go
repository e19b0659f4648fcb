package staff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// ShopFacts is what may change about a shop. Its zone, country and currency may not: its books and days depend on them.
type ShopFacts struct {
	Name, Address, TaxID string

	// Shown is what the form held at first: a field that still holds it was not meant to change. nil: all are meant.
	Shown *ShopFacts
}

// over returns the facts with those that were not meant to change as they stand now.
func (f ShopFacts) over(now ShopFacts) (meant ShopFacts, err error) {
	if f.Shown == nil {
		return f, nil
	}
	for _, line := range []struct {
		field, typed, shown, now string
		into                     *string
	}{
		{"name", f.Name, f.Shown.Name, now.Name, &meant.Name},
		{"address", f.Address, f.Shown.Address, now.Address, &meant.Address},
		{"tax_id", f.TaxID, f.Shown.TaxID, now.TaxID, &meant.TaxID},
	} {
		if *line.into, err = meantFor(line.field, line.typed, line.shown, line.now); err != nil {
			return ShopFacts{}, err
		}
	}
	return meant, nil
}

// meantFor is what a field becomes that was shown with one value and came back with another, or with the same: then
// nobody meant to undo what somebody else has saved since. Where two people mean two values, the second is told the
// first (fault.Conflict).
func meantFor(field, typed, shown, now string) (string, error) {
	switch {
	case typed == shown:
		return now, nil
	case now != shown && now != typed:
		return "", fault.New(fault.Conflict, "field.meanwhile", cmp.Or(now, "–")).On(field)
	}
	return typed, nil
}

func (f ShopFacts) facts() audit.Facts {
	return audit.Facts{audit.Text("name", f.Name), audit.Text("address", f.Address), audit.Text("taxid", f.TaxID)}
}

// tidy checks what was typed, and returns it as it is stored.
func (f ShopFacts) tidy() (tidied ShopFacts, err error) {
	for _, line := range []struct {
		field, what, typed string
		into               *string
	}{
		{"name", "The name", f.Name, &tidied.Name},
		{"address", "The address", f.Address, &tidied.Address},
		{"tax_id", "The tax number", f.TaxID, &tidied.TaxID},
	} {
		if *line.into, err = tidyText(line.field, line.what, line.typed); err != nil {
			return ShopFacts{}, err
		}
	}
	if tidied.Name == "" {
		return ShopFacts{}, fault.OnField("name", "shop.name")
	}
	return tidied, nil
}

// ChangeShop changes what stands on a shop's receipts.
func (s *Service) ChangeShop(ctx context.Context, by audit.Actor, shopID string, f ShopFacts) error {
	typed, err := f.tidy()
	if err != nil {
		return err
	}
	typed.Shown = f.Shown
	return fault.Doing("change shop", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		before, err := lockShop(tx, shopID)
		if err != nil {
			return err
		}
		was := ShopFacts{Name: before.Name, Address: before.Address, TaxID: before.TaxID}
		after, err := typed.over(was)
		if err != nil || after == was { // a second click, or saved as it was shown: nothing changes
			return err
		}
		set := columns{"name": after.Name, "address": after.Address, "tax_id": after.TaxID}
		err = tx.Model(&Shop{}).Where("id = ?", shopID).Updates(map[string]any(set)).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return fault.Wrap(err, fault.Conflict, "shop.taken", after.Name)
		}
		if err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.ShopChanged, Subject: audit.Of(audit.Shop, shopID),
			Facts: audit.Between(was.facts(), after.facts()),
		})
	}))
}

// ShopAt returns a shop with what its papers said of it at a moment: the name, address and tax number that it had then.
func (s *Service) ShopAt(ctx context.Context, id string, at time.Time) (Shop, error) {
	shop, err := s.Shop(ctx, id)
	if err != nil {
		return Shop{}, err
	}
	changes, err := s.changes.Get(ctx, id, func(ctx context.Context) ([]audit.Record, error) {
		return s.d.Audit.List(ctx, audit.Filter{Subject: audit.Of(audit.Shop, id), Act: audit.ShopChanged, Limit: -1})
	})
	if err != nil {
		return Shop{}, err
	}
	for _, change := range changes {
		if !change.At.After(at) {
			break
		}
		facts, err := change.Facts()
		if err != nil {
			return Shop{}, err
		}
		shop.Name, shop.Address, shop.TaxID = facts.Before("name"), facts.Before("address"), facts.Before("taxid")
	}
	return shop, nil
}

// lockShop is the shop as it is once locked.
func lockShop(tx *store.Tx, id string) (Shop, error) {
	return store.One[Shop](tx.Raw("SELECT * FROM shops WHERE id = ?"+tx.ForUpdate(), id), errNoShop)
}

// AddTill gives a shop one more till; the name "" is its number, or the next that is free. A name that another till of
// the shop has is fault.Conflict. The id is that of the form that asks for it, "" for a new one: see store.Made.
func (s *Service) AddTill(ctx context.Context, by audit.Actor, till Till) (Till, error) {
	name, err := tidyText("till", "The name", till.Name)
	if err != nil {
		return Till{}, err
	}
	till = Till{ID: cmp.Or(till.ID, s.newID()), ShopID: till.ShopID, Name: name}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		made, err := store.Made(tx, till.ID, func(made Till) bool {
			return made.ShopID == till.ShopID && (name == "" || made.Name == name)
		})
		if made != nil {
			till = *made
		}
		if err != nil || made != nil {
			return err
		}
		if _, err := lockShop(tx, till.ShopID); err != nil { // so that two tills get two numbers
			return err
		}
		if err := tx.Raw(
			"SELECT COALESCE(MAX(number), 0) + 1 FROM tills WHERE shop_id = ?", till.ShopID,
		).Scan(&till.Number).Error; err != nil {
			return err
		}
		if till.Number > mostTills {
			return fault.OnField("till", "shop.tills", mostTills)
		}
		if err := nameTill(tx, &till); err != nil {
			return err
		}
		return s.d.Audit.WriteIf(ctx, tx, tx.Create(&till), audit.Entry{
			Actor: by, Act: audit.TillAdded, Subject: audit.Of(audit.Shop, till.ShopID),
			Facts: audit.Facts{audit.Count("number", till.Number), audit.Text("name", till.Name)},
		})
	})
	return till, fault.Doing("add till", err)
}

// nameTill names a till that has no name, and refuses one that another till of its shop has: receipts and reports tell
// tills apart by it. The shop is locked.
func nameTill(tx *store.Tx, till *Till) error {
	names, err := store.All[string](tx.Raw("SELECT name FROM tills WHERE shop_id = ?", till.ShopID))
	if err != nil {
		return err
	}
	if till.Name != "" && slices.Contains(names, till.Name) {
		return fault.New(fault.Conflict, "till.taken", till.Name).On("till")
	}
	for n := till.Number; till.Name == ""; n++ {
		if name := fmt.Sprintf("Till %d", n); !slices.Contains(names, name) {
			till.Name = name
		}
	}
	return nil
}

// RenameTill gives a till another name, which no other till of its shop may have. Shown is the name that the form
// showed, "" if it is not known: where somebody else has renamed the till since, it fails with fault.Conflict.
func (s *Service) RenameTill(ctx context.Context, by audit.Actor, tillID, name, shown string) error {
	name, err := tidyText("till", "The name", name)
	if err == nil && name == "" {
		err = fault.OnField("till", "till.name")
	}
	if err != nil {
		return err
	}
	return fault.Doing("rename till", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		var shops []string // locked before the till, as in AddTill
		if err := tx.Raw("SELECT id FROM shops WHERE id = (SELECT shop_id FROM tills WHERE id = ?)"+tx.ForUpdate(),
			tillID).Scan(&shops).Error; err != nil {
			return err
		}
		before, err := lockTill(tx, tillID)
		if err != nil {
			return err
		}
		if shown != "" {
			if name, err = meantFor("till", name, shown, before.Name); err != nil {
				return err
			}
		}
		if before.Name == name { // likewise
			return nil
		}
		if err := nameTill(tx, &Till{ShopID: before.ShopID, Name: name}); err != nil {
			return err
		}
		renamed := tx.Exec("UPDATE tills SET name = ? WHERE id = ?", name, tillID)
		return s.d.Audit.WriteIf(ctx, tx, renamed, audit.Entry{
			Actor: by, Act: audit.TillRenamed, Subject: audit.Of(audit.Shop, before.ShopID),
			Facts: audit.Between(audit.Facts{audit.Text("name", before.Name)}, audit.Facts{audit.Text("name", name)}),
		})
	}))
}

// RetireTill takes a till out of use, or returns it: no shift begins at it, and nobody is sent to it. What was sold at
// it stays, and a shift that is open goes on until it is closed. A second click changes nothing.
func (s *Service) RetireTill(ctx context.Context, by audit.Actor, tillID string, retired bool) error {
	return fault.Doing("retire till", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		before, err := lockTill(tx, tillID)
		if err != nil || before.Retired() == retired {
			return err
		}
		act, since := audit.TillReturned, (*time.Time)(nil)
		if retired {
			now := s.now()
			act, since = audit.TillRetired, &now
		}
		set := tx.Exec("UPDATE tills SET retired_at = ? WHERE id = ?", since, tillID)
		return s.d.Audit.WriteIf(ctx, tx, set, audit.Entry{
			Actor: by, Act: act, Subject: audit.Of(audit.Shop, before.ShopID),
			Facts: audit.Facts{audit.Text("name", before.Name)},
		})
	}))
}

// lockTill is the till as it is once locked.
func lockTill(tx *store.Tx, id string) (Till, error) {
	return store.One[Till](tx.Raw("SELECT * FROM tills WHERE id = ?"+tx.ForUpdate(), id), errNoTill)
}

// ClearPIN removes a user's till PIN; they set another with their password.
func (s *Service) ClearPIN(ctx context.Context, by audit.Actor, userID, reason string) error {
	return fault.Doing("clear PIN", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		gone := tx.Exec("DELETE FROM till_pins WHERE user_id = ?", userID)
		return s.d.Audit.WriteIf(ctx, tx, gone, audit.Entry{
			Actor: by, Act: audit.UserPINCleared, Subject: audit.Of(audit.User, userID), Reason: reason,
		})
	}))
}

// LiveSessions counts each user's live sessions.
func (s *Service) LiveSessions(ctx context.Context) (map[string]int, error) {
	live, err := store.Pairs[string, int](
		s.alive(ctx).Select("sessions.user_id, COUNT(*)").Group("sessions.user_id"))
	return live, fault.Doing("count sessions", err)
}
