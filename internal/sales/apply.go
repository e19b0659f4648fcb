package sales

import (
	"time"

	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/ledger"
	"airtill/internal/money"
)

// The limits of the state machine.
const (
	VoidAfter       = 60 * time.Second    // a recorded sale without a permit is then void (L6)
	MaxPermits      = 3                   // permits of one attempt, each but the last proven unused (L1)
	claimSettles    = 10 * time.Second    // a claimed failure needs a look-up this much later
	reversalSettles = 60 * time.Second    // a reversal needs two looks this far apart
	DecideAfter     = 45 * 24 * time.Hour // then people decide, before the list forgets
)

// Apply is the reducer: it says what an observation makes of a sale, and which journals that books. It is
// pure, and the only code that changes a sale's state. For observations of the upstream it fails only if
// amounts overflow; for a person's acts it fails with fault.Conflict if the sale has moved on.
//
// Order and repetition of upstream observations do not matter: states have a rank, and an observation never
// lowers it.
func Apply(s Sale, o Observation) (Change, error) {
	if s.Erased() { // it would come back with the list, which may have been read before
		o.Facts = o.Facts.withoutReceipt()
	}
	m := &mover{Change: Change{Sale: s}, o: o}
	if err := m.raise(); err != nil {
		return Change{}, err
	}
	var err error
	switch {
	case o.Old:
		err = m.oldAttempt()
	default:
		err = m.take()
	}
	if err != nil {
		return Change{}, err
	}
	if m.Changed {
		m.Sale.UpdatedAt = o.At
		m.Sale.NextCheckAt = nextCheck(&m.Sale, o.At)
		if m.lookNow {
			m.Sale.NextCheckAt = &o.At
		}
	}
	return m.Change, nil
}

// take applies what was observed of the current attempt.
func (m *mover) take() (err error) {
	switch m.o.Cause {
	case Listed:
		m.Sale.Looks++
		m.Changed = true // so that the next look waits
		if m.o.State == Submitted || m.o.State == Processing {
			m.Sale.OpenSeenAt = &m.o.At
		}
		err = m.observe()
	case Replied, Notified, CancelAnswered:
		err = m.observe()
	case Looked:
		err = m.lookedAndFoundNothing()
	case Lost:
		if m.Sale.Fulfilment == Sending {
			err = m.lost()
		}
	case Confirmed, Permitted, NothingLeft, TooLate, CalledOff, CancelAsked, TriedAgain, Refunded, Revealed, Decided,
		Repaid:
		err = m.act()
	}
	return err
}

// raise tells people what was strange in an answer. A sale the upstream executed twice is never sent again,
// whoever asks.
func (m *mover) raise() error {
	if m.o.Alert == "" {
		return nil
	}
	total, err := m.Sale.Quoted().Total()
	if err != nil {
		return err
	}
	if m.o.Alert == ExecutedTwice {
		m.Sale.Stopped = true
	}
	m.incident(m.o.Alert, m.o.ReasonContext, total)
	return nil
}

// mover is one run of the reducer.
type mover struct {
	Change
	o       Observation
	lookNow bool
}

// lost: nobody can know what became of the send.
func (m *mover) lost() error {
	if m.o.Source == "sweep" && failpoint.Broken("recovery") {
		m.o.Cause, m.o.Permit = NothingLeft, m.Sale.permit()
		return m.nothingLeft()
	}
	m.Sale.ReasonCode, m.Sale.ReasonContext = m.o.ReasonCode, m.o.ReasonContext
	return m.moveTo(Unknown)
}

// observe takes what the upstream says of the transfer.
func (m *mover) observe() error {
	was := m.Sale.Fulfilment
	switch {
	case m.o.Cause == CancelAnswered && m.o.State != Cancelled:
		// only a returned Cancelled is a cancellation; the list tells the rest
		m.Changed, m.lookNow = was == Cancelling, was == Cancelling
		return nil
	case m.o.State == None, m.o.State == Voided:
		return nil
	case was == Complete:
		return m.observedAfterComplete()
	case was.Final() && m.o.State == Complete:
		return m.lateSuccess()
	case was.Final():
		return nil
	case was == Recorded && (m.o.Cause == Replied || m.o.Cause == CancelAnswered):
		return nil // the permit was given back: nothing left, so nothing can answer
	case was == Recorded && ranks[m.o.State] > ranks[Sending]:
		m.incident(
			NeverSentYetPresent, "the upstream has a transfer that was never sent from here", m.Sale.Quoted().Send,
		)
	case was == Cancelling && m.o.Cause == Listed && (m.o.State == Submitted || m.o.State == Processing):
		if m.o.AsOf != m.Sale.Events {
			return nil // the list is older than the cancellation
		}
		return m.moveTo(m.o.State)
	case m.claimStands():
		m.Changed, m.lookNow = true, m.o.Cause != Listed // anything but a list is a hint to look
		return nil
	}
	if m.o.Cause == Replied {
		m.Sale.RetryAt = m.o.RetryAt
	}
	if m.o.State == Unknown {
		return m.failureClaimed()
	}
	if m.o.State == was {
		m.details()
	}
	if ranks[m.o.State] <= ranks[was] {
		return nil
	}
	return m.moveTo(m.o.State)
}

// claimStands: a provider that timed out may still deliver, so its failure is believed only if listed some
// time later.
func (m *mover) claimStands() bool {
	s := &m.Sale
	return s.Fulfilment == Unknown && m.o.State == Failed && s.mayBeDelivered() &&
		(m.o.Cause != Listed || m.o.At.Sub(*s.ClaimAt) < claimSettles)
}

// failureClaimed: a reply claimed a failure that one look-up must confirm, or was unreadable.
func (m *mover) failureClaimed() error {
	if m.Sale.Fulfilment != Sending || m.o.Cause != Replied {
		return nil
	}
	if m.o.Claim {
		m.Sale.ClaimAt = &m.o.At
	}
	m.Sale.ReasonCode, m.Sale.ReasonContext = m.o.ReasonCode, m.o.ReasonContext
	m.details()
	return m.moveTo(Unknown)
}

// observedAfterComplete: details may still come, and a reversal listed twice, a minute apart, undoes the sale. What is
// listed as cancelled was not delivered either.
func (m *mover) observedAfterComplete() error {
	switch {
	case m.o.State == Complete:
		m.Sale.ReversalSeenAt = nil
		m.details()
		if failpoint.Broken("repeat") {
			m.Changed, m.Moved = true, true
			m.book(ledger.CommissionEarned(m.Sale.Commission()))
		}
		return nil
	case m.o.State != Failed && m.o.State != Cancelled:
		return nil
	case m.o.Cause != Listed:
		m.Changed, m.lookNow = true, true // a hint; the list decides
		return nil
	case m.Sale.ReversalSeenAt == nil:
		m.Sale.ReversalSeenAt = &m.o.At
		m.Changed = true
		return nil
	case m.o.At.Sub(*m.Sale.ReversalSeenAt) < reversalSettles:
		return nil
	}
	return m.reverse()
}

// awaitedFor is how long after a send somebody may still be at the counter.
const awaitedFor = 10 * time.Minute

// The absence rule of the design.
const (
	absenceLooks = 3
	absenceFirst = 100 * time.Second
	absenceLast  = 15 * time.Minute
	absenceApart = 2 * time.Minute
)

// UsuallyKnown is when most outcomes that were unknown have become known: the first looks at the upstream's list
// are over. KnownAbsent is when the absence rule may say that a transfer never was.
const (
	UsuallyKnown = 2 * time.Minute
	KnownAbsent  = absenceLast
)

// Our own reason codes of a failure.
const (
	ReasonNotExecuted = "NotExecuted" // the upstream never had the transfer
	ReasonDecided     = "Decided"     // two people decided
	ReasonCalledOff   = "CalledOff"   // a person wanted it not to be sent
	ReasonNotReached  = "NotReached"  // each permit ended before anything left for the upstream
)

// enter moves fulfilment, if the table of states has the move.
func (m *mover) enter(to State) error {
	if !Allowed(m.Sale.Fulfilment, to, m.o.Cause) {
		return fault.New(fault.Conflict, "sale.moved")
	}
	m.Sale.Fulfilment = to
	m.Changed, m.Moved = true, true
	if to.Final() {
		m.Sale.FinalAt = &m.o.At
	}
	return nil
}

// moveTo enters a state and books what follows from it.
func (m *mover) moveTo(to State) error {
	if err := m.enter(to); err != nil {
		return err
	}
	switch {
	case m.o.ReasonCode != "":
		m.Sale.ReasonCode, m.Sale.ReasonContext = m.o.ReasonCode, m.o.ReasonContext
	case to == Submitted, to == Processing, to == Complete, to == Cancelled: // what was in doubt before is over
		m.Sale.ReasonCode, m.Sale.ReasonContext = "", ""
	}
	switch to {
	case Submitted, Processing:
		return m.accepted()
	case Complete:
		return m.succeeded()
	case Failed, Cancelled, Voided:
		return m.endedWithout()
	default:
		return nil
	}
}

// book adds a journal. Practice sales, including those to a product's test number, never touch the books.
func (m *mover) book(j ledger.Journal) {
	if !m.Sale.Practice {
		m.Journals = append(m.Journals, j)
	}
}

func (m *mover) bookOr(j ledger.Journal, err error) error {
	if err == nil {
		m.book(j)
	}
	return err
}

// incident asks for a person, except about practice.
func (m *mover) incident(kind IncidentKind, note string, amount money.Amount) {
	if m.Sale.Practice {
		return
	}
	m.Incidents = append(m.Incidents, Incident{
		Kind: kind, SaleID: m.Sale.ID, Note: note, Micros: amount.Micros(), Currency: amount.Currency(), At: m.o.At,
	})
	m.Changed, m.Moved = true, true
}
