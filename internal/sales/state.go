package sales

// State is where a sale's transfer stands: the column fulfilment.
type State string

// The states. None is before a sale is recorded.
const (
	None       State = ""
	Recorded   State = "recorded"
	Sending    State = "sending"
	Unknown    State = "unknown"
	Submitted  State = "submitted"
	Processing State = "processing"
	Cancelling State = "cancelling"
	Complete   State = "complete"
	Failed     State = "failed"
	Cancelled  State = "cancelled"
	Voided     State = "voided"
)

// ranks order the states: an observation never moves a sale to a lower rank, so the order of observations does
// not matter.
var ranks = map[State]int{
	Recorded: 0, Sending: 1, Unknown: 1, Submitted: 2, Processing: 3, Cancelling: 4,
	Complete: 5, Failed: 5, Cancelled: 5, Voided: 5,
}

// Final says whether the transfer has ended. Only the named incidents (late success, late reversal) and a new
// attempt move a sale out of a final state.
func (s State) Final() bool { return ranks[s] == 5 }

// Open says whether the transfer's outcome is still to come.
func (s State) Open() bool { return s != None && !s.Final() }

// Cash is where the customer's money is: the column cash. A refund is a fact about cash, not about the
// upstream.
type Cash string

// The states of cash.
const (
	CashNone      Cash = "none"
	CashTaken     Cash = "taken"
	CashRefundDue Cash = "refund_due"
	CashRefunded  Cash = "refunded"
	CashEarned    Cash = "earned"
)

// Cause says what moved a sale.
type Cause string

// The causes. Replied to Looked are observations of the upstream; the others are acts of this program or a
// person.
const (
	Confirmed      Cause = "confirmed"       // the cashier confirmed, cash in hand
	Permitted      Cause = "permitted"       // the one permit to send was taken
	NothingLeft    Cause = "nothing_left"    // proof that no byte of the request left
	Replied        Cause = "replied"         // the answer to SendTransfer
	Lost           Cause = "lost"            // no answer, or an unreadable one
	Listed         Cause = "listed"          // a record of ListTransferRecords
	Notified       Cause = "notified"        // a webhook
	Looked         Cause = "looked"          // a look-up that found nothing
	CancelAsked    Cause = "cancel_asked"    // the cashier asked for a cancellation
	CancelAnswered Cause = "cancel_answered" // an item of CancelTransfers
	TooLate        Cause = "too_late"        // no permit within a minute
	CalledOff      Cause = "called_off"      // the cashier changed her mind before the permit
	TriedAgain     Cause = "tried_again"     // a new attempt with a new ref
	Refunded       Cause = "refunded"        // the cashier handed the cash back, or had not after all
	Revealed       Cause = "revealed"        // somebody was shown the PIN
	Decided        Cause = "decided"         // two people decided a sale that had stayed open
	Repaid         Cause = "repaid"          // the upstream's balance shows what it owed back
)

// Transition is one line of the state machine.
type Transition struct {
	From, To State
	Cause    Cause
	Guard    string // what must hold, in words; "": nothing
}

// Transitions is the whole state machine of fulfilment. Only Apply moves a sale, and it refuses any other
// move. The chart in ARCHITECTURE.md is drawn from it.
var Transitions = []Transition{
	{None, Recorded, Confirmed, "all guards of a sale hold"},
	{Recorded, Sending, Permitted, "within 60 s"},
	{Recorded, Voided, TooLate, "60 s passed"},
	{Recorded, Voided, CalledOff, ""},
	{Recorded, Voided, Listed, "an earlier attempt was executed"},
	{Sending, Recorded, NothingLeft, "at most 3 times"},
	{Sending, Voided, NothingLeft, "the third time, or 60 s passed"},
	{Sending, Unknown, Lost, ""},
	{Sending, Unknown, Replied, "a failure to be confirmed"},
	{Sending, Submitted, Replied, ""},
	{Sending, Processing, Replied, ""},
	{Sending, Complete, Replied, ""},
	{Sending, Failed, Replied, ""},
	{Unknown, Failed, Looked, "absence rule, or a claimed failure"},
	{Unknown, Failed, Decided, "45 days, two people"},
	{Unknown, Complete, Decided, "45 days, two people"},
	{Submitted, Failed, Decided, "45 days, two people"},
	{Submitted, Complete, Decided, "45 days, two people"},
	{Processing, Failed, Decided, "45 days, two people"},
	{Processing, Complete, Decided, "45 days, two people"},
	{Cancelling, Failed, Decided, "45 days, two people"},
	{Cancelling, Complete, Decided, "45 days, two people"},
	{Submitted, Cancelling, CancelAsked, "batch"},
	{Processing, Cancelling, CancelAsked, "batch"},
	{Cancelling, Cancelled, CancelAnswered, ""},
	{Cancelling, Submitted, Listed, ""},
	{Cancelling, Processing, Listed, ""},
	{Failed, Recorded, TriedAgain, "cash still held"},
	{Voided, Recorded, TriedAgain, "cash still held"},
	{Failed, Complete, Listed, "late success"},
	{Voided, Complete, Listed, "late success"},
	{Cancelled, Complete, Listed, "late success"},
	{Complete, Failed, Listed, "late reversal, seen twice"},
}

// byRank are the moves that observations of the upstream may make; they follow from the ranks alone, so they
// are not listed one by one. A sale without a permit can have no reply.
func byRank(from, to State, cause Cause) bool {
	seen := cause == Listed || cause == Notified ||
		from != Recorded && (cause == Replied || cause == CancelAnswered && to == Cancelled)
	return seen && from.Open() && to != Voided && ranks[to] > ranks[from]
}

// Allowed says whether the state machine has a move. Only Apply makes moves.
func Allowed(from, to State, cause Cause) bool {
	for _, t := range Transitions {
		if t.From == from && t.To == to && t.Cause == cause {
			return true
		}
	}
	return byRank(from, to, cause)
}
