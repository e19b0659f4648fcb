package followup

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Verdict is one person's proposal about a sale that stayed open for 45 days, which a second one confirms or
// declines, before the upstream's list forgets it. It is about the attempt that it was proposed for, and no later one.
type Verdict struct {
	ID         string
	SaleID     string
	Verdict    sales.State // Complete, or Failed: not executed
	Reason     string
	ProposedAt time.Time
	ProposedBy string // user id
	DecidedAt  *time.Time
	DecidedBy  string
	Agreed     bool
}

// Overdue is a sale people must decide, and the proposal.
type Overdue struct {
	Sale     sales.Sale
	Proposal *Verdict // nil: none yet
}

// decidable are the states whose outcome only the upstream knows: what is not sent yet ends by itself.
var decidable = []sales.State{sales.Unknown, sales.Submitted, sales.Processing, sales.Cancelling}

// OverdueListed is how many overdue sales a page lists at most.
const OverdueListed = 200

// CountOverdue counts the sales of a shop that have been open for 45 days; shopID "" those of every shop.
func (s *Service) CountOverdue(ctx context.Context, shopID string) (n int64, err error) {
	err = s.overdue(ctx, shopID).Model(&sales.Sale{}).Count(&n).Error
	return n, fault.Doing("count overdue sales", err)
}

func (s *Service) overdue(ctx context.Context, shopID string) *gorm.DB {
	// by the index of what is open (final_at), not by that of all a shop sold
	query := s.d.DB.Read(ctx).Where(
		"final_at IS NULL AND next_check_at IS NOT NULL AND fulfilment IN ? AND attempt_at <= ?",
		decidable, store.Moment(s.d.Now().Add(-sales.DecideAfter)))
	if shopID != "" {
		query = query.Where("COALESCE(shop_id, '') = ?", shopID)
	}
	return query
}

// Overdue lists what CountOverdue counts, the oldest first, so many at most (-1: all).
func (s *Service) Overdue(ctx context.Context, shopID string, most int) ([]Overdue, error) {
	open, err := store.All[sales.Sale](s.overdue(ctx, shopID).Order("id").Limit(most))
	if err != nil {
		return nil, fault.Doing("find overdue sales", err)
	}
	proposed, err := store.All[Verdict](s.d.DB.Read(ctx).Where("decided_at IS NULL"))
	if err != nil {
		return nil, fault.Doing("find verdicts", err)
	}
	bySale := map[string]*Verdict{}
	for i := range proposed {
		bySale[proposed[i].SaleID] = &proposed[i]
	}
	overdue := make([]Overdue, len(open))
	for i, sale := range open {
		overdue[i] = Overdue{Sale: sale}
		if p := bySale[sale.ID]; p != nil && !p.ProposedAt.Before(sale.AttemptAt) {
			overdue[i].Proposal = p
		}
	}
	return overdue, nil
}

// Propose records what somebody believes happened to an overdue sale. Nothing moves until another person
// confirms it. The caller has checked that the person may see the sale.
func (s *Service) Propose(
	ctx context.Context, actor audit.Actor, saleID string, verdict sales.State, reason string,
) error {
	switch {
	case verdict != sales.Complete && verdict != sales.Failed:
		return fault.OnField("verdict", "verdict.missing")
	case reason == "":
		return fault.OnField("reason", "verdict.reason")
	}
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		now := store.Moment(s.d.Now())
		overdue, err := store.Some(tx.Table("sales").Where("id = ? AND fulfilment IN ? AND attempt_at <= ?",
			saleID, decidable, now.Add(-sales.DecideAfter)))
		if err != nil {
			return err
		}
		if !overdue {
			return fault.New(fault.Conflict, "verdict.not-ours")
		}
		err = tx.Exec("UPDATE verdicts SET decided_at = ? WHERE sale_id = ? AND "+ofEarlier, now, saleID).Error
		if err != nil {
			return err
		}
		v := Verdict{
			ID: store.NewID(now), SaleID: saleID, Verdict: verdict, Reason: reason, ProposedAt: now,
			ProposedBy: actor.UserID,
		}
		created := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&v)
		if created.Error != nil {
			return created.Error
		}
		if created.RowsAffected == 0 {
			return v.there(tx)
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: actor, Act: audit.VerdictProposed, Subject: audit.Of(audit.Sale, saleID), Reason: reason,
			Facts: audit.Facts{audit.Word("verdict", verdict)},
		})
	})
	return fault.Doing("propose verdict", err)
}

// there fails with fault.Conflict unless the same person has proposed just the same: a form may come twice.
func (v Verdict) there(tx *store.Tx) error {
	same, err := store.Some(tx.Table("verdicts").Where("sale_id = ? AND decided_at IS NULL AND proposed_by = ? AND "+
		"verdict = ? AND reason = ?", v.SaleID, v.ProposedBy, v.Verdict, v.Reason))
	if err == nil && !same {
		err = fault.New(fault.Conflict, "verdict.other-proposed")
	}
	return err
}

// ofEarlier selects proposals that the upstream overtook: they are about an attempt before the present one.
const ofEarlier = "decided_at IS NULL AND " +
	"proposed_at < (SELECT attempt_at FROM sales WHERE sales.id = verdicts.sale_id)"

// Signer is the second person, and what the rule of four eyes requires of them.
type Signer struct {
	Actor audit.Actor
	Fresh bool // the password was typed a moment ago
}

// Decide confirms or declines a sale's proposal, the one that the signer read: another may stand in its place by now,
// and then it fails with fault.Conflict. It fails with fault.Forbidden for its maker, and if the login is not fresh.
func (s *Service) Decide(ctx context.Context, by Signer, saleID, proposalID string, agree bool) error {
	v, err := s.proposal(ctx, saleID, proposalID)
	switch {
	case err != nil:
		return err
	case v.ProposedBy == by.Actor.UserID && agree:
		return fault.New(fault.Forbidden, "verdict.own")
	case !by.Fresh:
		return fault.New(fault.Forbidden, "staff.sign-in-again")
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error { return s.settle(ctx, tx, by, v, agree) })
	return fault.Doing("decide verdict", err)
}

// settle closes the proposal and, if agreed to, moves the sale.
func (s *Service) settle(ctx context.Context, tx *store.Tx, by Signer, v Verdict, agree bool) error {
	now := store.Moment(s.d.Now())
	if agree {
		if err := staff.Independent(tx, v.ProposedBy, by.Actor.UserID, now); err != nil {
			return err
		}
	}
	err := tx.MustExec(errNoProposal,
		"UPDATE verdicts SET decided_at = ?, decided_by = ?, agreed = ? WHERE id = ? AND decided_at IS NULL",
		now, by.Actor.UserID, agree, v.ID)
	if err != nil {
		return err
	}
	act := audit.VerdictDeclined
	if agree {
		act = audit.VerdictConfirmed
		o := sales.Observation{
			Cause: sales.Decided, State: v.Verdict, At: now, Source: "verdict", Actor: by.Actor.UserID,
			ReasonContext: v.Reason,
		}
		if _, err := s.d.Sales.ObserveIn(ctx, tx, v.SaleID, o); err != nil {
			return err
		}
	}
	return s.d.Audit.Write(ctx, tx, audit.Entry{
		Actor: by.Actor, Act: act, Subject: audit.Of(audit.Sale, v.SaleID), Reason: v.Reason,
		Facts: audit.Facts{audit.Word("verdict", v.Verdict), audit.Person("proposedby", v.ProposedBy)},
	})
}

var errNoProposal = fault.New(fault.Conflict, "verdict.none")

func (s *Service) proposal(ctx context.Context, saleID, id string) (Verdict, error) {
	const open = "id = ? AND sale_id = ? AND decided_at IS NULL AND NOT (" + ofEarlier + ")"
	v, err := store.One[Verdict](s.d.DB.Read(ctx).Where(open, id, saleID), errNoProposal)
	return v, fault.Doing("find verdict", err)
}
