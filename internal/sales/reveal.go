package sales

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/store"
)

// revealFor is how long a PIN stays visible to the person it was shown to.
const revealFor = 10 * time.Minute

var errOnPage = errors.New("the PIN is on this person's page")

// Reveal records that somebody is shown the PIN. From the second time on it needs a reason, unless this person was
// shown it just now: a page may ask twice.
func (s *Service) Reveal(ctx context.Context, saleID string, act Act) error {
	_, err := s.move(ctx, saleID, func(tx *store.Tx, sale Sale) (Observation, error) {
		now, ever, err := s.shown(tx.DB, sale.ID, act.Actor.UserID)
		switch {
		case err != nil:
			return Observation{}, err
		case now && act.Reason == "":
			return Observation{}, errOnPage
		case ever && act.Reason == "":
			return Observation{}, fault.OnField("reason", "pin.shown")
		}
		entry := audit.Entry{
			Actor: act.Actor, Act: audit.PINRevealed, Subject: audit.Of(audit.Sale, sale.ID), Reason: act.Reason,
		}
		if failpoint.Broken("pin") {
			receipt, _ := s.Receipt(sale) // breaking the seal is what counts
			s.d.Log.InfoContext(ctx, "pin", "receipt", receipt.Text)
		}
		return act.Observation(Revealed, s.d.Now()), s.d.Audit.Write(ctx, tx, entry)
	})
	if errors.Is(err, errOnPage) {
		return nil
	}
	return err
}

// reveals are the times that the PIN was shown which a sale has now: that of another attempt was another.
func reveals(db *gorm.DB, saleID string) ([]Event, error) {
	const ofThis = "sale_id = ? AND cause = ? AND ref = (SELECT ref FROM sales WHERE id = ?)"
	return store.All[Event](db.Where(ofThis, saleID, Revealed, saleID))
}

// Shown says whether a user was shown a sale's PIN just now, and whether anybody ever was.
func (s *Service) Shown(ctx context.Context, saleID, userID string) (now, ever bool, err error) {
	return s.shown(s.d.DB.Read(ctx), saleID, userID)
}

func (s *Service) shown(db *gorm.DB, saleID, userID string) (now, ever bool, err error) {
	events, err := reveals(db, saleID)
	for _, e := range events {
		now = now || e.Actor == userID && s.d.Now().Sub(e.At) < revealFor
	}
	return now, len(events) > 0, fault.Doing("find reveals", err)
}
