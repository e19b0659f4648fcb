package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/limit"
	"airtill/internal/store"
)

// What stops an act until somebody approves it.
const (
	StopOpenTwin      = "open-twin"      // the same sale is still open
	StopLimit         = "limit"          // a limit is reached
	StopRefundUnknown = "refund-unknown" // the outcome is not known yet
	StopRetryEarly    = "retry-early"    // too soon after a verdict by absence
	StopNotGivenBack  = "not-given-back" // a refund is taken back that somebody else booked, or of a counted drawer
)

// ApprovalError says that an act needs somebody's approval: pass them as Approver. Nothing was done.
type ApprovalError struct {
	Stop  string
	Until time.Time // StopRetryEarly: from then on, no approval is needed
}

// Error is for the log.
func (e *ApprovalError) Error() string { return "needs approval: " + e.Stop }

// Approvable returns what stopped an act a manager may allow, "" for any other error.
func Approvable(err error) string {
	var approval *ApprovalError
	var twin *UnknownError
	var reached *limit.Error
	switch {
	case errors.As(err, &approval):
		return approval.Stop
	case errors.As(err, &twin):
		return StopOpenTwin
	case errors.As(err, &reached):
		return StopLimit
	}
	return ""
}

// allowing collects what a manager allowed in one act.
type allowing struct {
	approver approval.Approver
	stops    []error
}

// pass lets a stop by if there is somebody to allow it.
func (a *allowing) pass(err error) error {
	if err == nil || a.approver.ID == "" || Approvable(err) == "" {
		return err
	}
	a.stops = append(a.stops, err)
	return nil
}

// facts say what was allowed: a limit, or a sale.
func (a *allowing) facts(stop error) audit.Facts {
	facts := audit.Facts{audit.Word("allowed", Approvable(stop)), audit.Person("approver", a.approver.ID)}
	var reached *limit.Error
	var twin *UnknownError
	switch {
	case errors.As(stop, &reached):
		facts = append(facts, reached.Limit.Facts()...)
	case errors.As(stop, &twin):
		facts = append(facts, audit.Text("saleid", twin.Earlier.ID))
	}
	return facts
}

// recordAllowed notes what limits let pass, spends the approval, and audits who allowed what to whom.
func (s *Service) recordAllowed(
	ctx context.Context, tx *store.Tx, a *allowing, act limit.Act, actor audit.Actor, reason string,
) error {
	if err := s.d.Limits.Allowed(ctx, tx, act, a.approver.ID, a.stops); err != nil {
		return err
	}
	if err := a.approver.Spend(ctx, tx); err != nil {
		return err
	}
	for _, stop := range a.stops {
		entry := audit.Entry{
			Actor: actor, Act: audit.SaleApproved, Subject: audit.Of(audit.Sale, act.SaleID), Reason: reason,
			Facts: a.facts(stop),
		}
		if err := s.d.Audit.Write(ctx, tx, entry); err != nil {
			return fmt.Errorf("record approval: %w", err)
		}
	}
	return nil
}
