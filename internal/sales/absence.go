package sales

import (
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/harness/failpoint"
)

// mayBeDelivered says whether a reply claimed a failure that counts only once it is listed: the provider timed
// out, or a transfer was made.
func (s *Sale) mayBeDelivered() bool {
	return s.ClaimAt != nil && (s.ReasonContext == apiclient.ContextProviderTimedOut || s.TransferRef != "")
}

// lookedAndFoundNothing counts an empty look-up. Absence is weak evidence: it decides only by the absence
// rule, or where a reply already claimed the failure.
func (m *mover) lookedAndFoundNothing() error {
	s, at := &m.Sale, m.o.At
	if s.Fulfilment == Recorded { // there was nothing to find
		return nil
	}
	m.Changed = true // so that the next look waits
	s.Looks++
	if s.Fulfilment != Unknown {
		return nil
	}
	if s.ClaimAt != nil && !s.mayBeDelivered() && at.Sub(*s.ClaimAt) >= claimSettles {
		return m.moveTo(Failed)
	}
	if failpoint.Broken("absence") {
		return m.moveTo(Failed)
	}
	if !m.o.ControlSeen || !s.AbsenceCounts(at) {
		return nil
	}
	if s.LastEmptyAt != nil && at.Sub(*s.LastEmptyAt) < absenceApart {
		return nil
	}
	if s.FirstEmptyAt == nil {
		s.FirstEmptyAt = &at
	}
	s.LastEmptyAt = &at
	s.EmptyLooks++
	if s.EmptyLooks >= absenceLooks && !at.Before(s.PermitAt.Add(absenceLast)) {
		s.ByAbsence = true
		s.ReasonCode, s.ReasonContext = ReasonNotExecuted, ""
		return m.moveTo(Failed)
	}
	return nil
}

// Awaited says whether the next look is worth waiting for: a transfer of the last minutes was seen, a reply
// claimed a failure that the look is to confirm, or it is the last one the absence rule asks for.
func (s *Sale) Awaited(now time.Time) bool {
	switch {
	case s.Fulfilment != Unknown:
		return now.Sub(s.AttemptAt) < awaitedFor
	case s.ClaimAt != nil && now.Sub(*s.ClaimAt) < 2*claimSettles:
		return true
	}
	return s.AbsenceCounts(now) && s.EmptyLooks >= absenceLooks-1 && !now.Before(s.PermitAt.Add(absenceLast))
}

// Early says whether a look for a transfer already looked for in vain cannot decide anything yet: the absence
// rule waits for its last one.
func (s *Sale) Early(now time.Time) bool {
	return s.EmptyLooks >= absenceLooks-1 && s.PermitAt != nil && now.Before(s.PermitAt.Add(absenceLast))
}

// AbsenceCounts says whether the absence rule counts an empty list at this time, if a control is seen.
func (s *Sale) AbsenceCounts(at time.Time) bool {
	return s.Fulfilment == Unknown && s.PermitAt != nil && !at.Before(s.PermitAt.Add(absenceFirst))
}
