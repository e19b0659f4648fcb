package sales

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/store"
)

// Step is what happened to a sale, in terms of its timeline.
type Step string

// The steps. Other events are named by their cause.
const (
	StepTold     Step = "told"      // the transfer service said where it stands
	StepDetails  Step = "details"   // or more than before
	StepEarlier  Step = "earlier"   // an attempt that a later one replaced went through
	StepAsked    Step = "asked"     // it was asked where the sale stands
	StepAbsent   Step = "absent"    // and did not know of it
	StepLate     Step = "late"      // it went through after being given up, and the cash is here
	StepLateLoss Step = "late_loss" // it went through after the cash had gone back
	StepReversed Step = "reversed"  // what was sent was taken back, and the customer is owed the price
	StepRecover  Step = "recovered" // it was taken back after the cash had gone back: nothing is owed
	StepAllowed  Step = "allowed"   // somebody with authority allowed it
	StepNotGiven Step = "not_given" // the cash had not been given back after all
)

// Moment is one thing that happened to a sale.
type Moment struct {
	At      time.Time
	Step    Step
	State   State  // of the transfer afterwards
	By      string // user id, "": the program
	Reason  string // in a person's words
	Stop    string // StepAllowed: what had stopped the act
	ShiftID string // Refunded: whose drawer the cash came from; "" in practice, and of what was taken back
	Times   int    // StepAsked: how often
}

// fewReveals bounds a timeline, in which a PIN may be shown any number of times: of that, only what is among so many
// of the latest events is told.
const fewReveals = 200

// Timeline returns what happened to a sale, the oldest first.
func (s *Service) Timeline(ctx context.Context, sale Sale) ([]Moment, error) {
	var events []Event
	var allowed []audit.Record
	if err := s.d.DB.Answer(ctx, history(sale.ID, &events), s.allowances(sale.ID, &allowed)); err != nil {
		return nil, fmt.Errorf("timeline of sale: %w", err)
	}
	var drawers []string
	if slices.ContainsFunc(events, func(e Event) bool { return e.Cause == Refunded }) {
		var err error
		if drawers, err = s.drawersOf(ctx, sale.ID); err != nil {
			return nil, err
		}
	}
	moments, err := allowedIn(allowed)
	if err != nil {
		return nil, err
	}
	if sale.Looks > 0 {
		at := sale.UpdatedAt
		for _, known := range []*time.Time{sale.LastEmptyAt, sale.FinalAt} {
			if known != nil {
				at = *known
			}
		}
		moments = append(moments, Moment{At: at, Step: StepAsked, Times: sale.Looks})
	}
	ref := "" // of the attempt that is the sale
	for _, e := range events {
		m := Moment{At: e.At, Step: e.step(), State: e.became(), By: e.Actor}
		if m.Step == StepDetails && e.Ref != ref {
			m.Step = StepEarlier
		} else {
			ref = e.Ref
		}
		if e.Actor != "" {
			m.Reason = e.Note
		}
		if m.Step == Step(Refunded) && len(drawers) > 0 {
			m.ShiftID, drawers = drawers[0], drawers[1:]
		}
		moments = append(moments, m)
	}
	slices.SortStableFunc(moments, func(a, b Moment) int { return a.At.Compare(b.At) })
	return moments, nil
}

// LastTurn is what came after a sale had ended and was not overtaken since, "" if nothing did.
func LastTurn(moments []Moment) Step {
	turn := Step("")
	for _, m := range moments {
		switch m.Step {
		case StepLate, StepLateLoss, StepReversed, StepRecover:
			turn = m.Step
		case Step(TriedAgain), Step(Refunded), StepNotGiven:
			turn = ""
		default: // leaves the outcome as it was
		}
	}
	return turn
}

func (e Event) became() State {
	state, _, _ := strings.Cut(e.Became, "/")
	return State(state)
}

// step is an event as a step of the timeline. What comes after the end is told by what it means for the cash.
func (e Event) step() Step {
	cashBack := strings.HasSuffix(e.Became, "/"+string(CashRefunded))
	switch e.Cause {
	case Replied, Notified, Listed, CancelAnswered, Looked:
	case Refunded:
		if !cashBack {
			return StepNotGiven
		}
		return Step(Refunded)
	default:
		return Step(e.Cause)
	}
	state, _, _ := strings.Cut(e.Was, "/")
	was, became := State(state), e.became()
	switch {
	case was == became:
		return StepDetails
	case became == Complete && cashBack:
		return StepLateLoss
	case was.Final() && became == Complete:
		return StepLate
	case was == Complete && cashBack:
		return StepRecover
	case was == Complete:
		return StepReversed
	case e.Cause == Looked:
		return StepAbsent
	}
	return StepTold
}

// drawersOf are the shifts whose drawers paid back a sale's cash, in order.
func (s *Service) drawersOf(ctx context.Context, saleID string) ([]string, error) {
	accounts, err := store.All[string](s.d.DB.Read(ctx).Raw(
		"SELECT account FROM postings WHERE sale_id = ? AND kind = 'J12' AND micros < 0 AND account LIKE '1000:%' "+
			"ORDER BY id", saleID,
	))
	for i, account := range accounts {
		accounts[i] = strings.TrimPrefix(account, string(ledger.TillOf("")))
	}
	return accounts, fault.Doing("drawers of sale", err)
}

// allowedIn is what was allowed in a sale, from the audit.
func allowedIn(records []audit.Record) ([]Moment, error) {
	var moments []Moment
	for _, r := range records {
		facts, err := r.Facts()
		if err != nil {
			return nil, err
		}
		moments = append(moments, Moment{
			At: r.At, Step: StepAllowed, By: facts.After("approver"), Stop: facts.After("allowed"), Reason: r.Reason,
		})
	}
	return moments, nil
}

type historyOf string

func history(saleID string, into *[]Event) store.Asked {
	return store.AskingRows(historyOf(saleID), into, "FROM sale_events WHERE sale_id = ? AND (cause <> ? OR seq > "+
		"(SELECT MAX(seq) FROM sale_events WHERE sale_id = ?) - ?) ORDER BY seq",
		saleID, Revealed, saleID, fewReveals)
}

// allowances asks for what was allowed in a sale.
func (s *Service) allowances(saleID string, into *[]audit.Record) store.Asked {
	return s.d.Audit.Asks(audit.Of(audit.Sale, saleID), audit.SaleApproved, into)
}
