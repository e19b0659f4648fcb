package sales

import (
	"time"

	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/money"
)

// Observation is anything that may move a sale: what was seen of the upstream,
// or an act of this program or of a person.
type Observation struct {
	Cause  Cause
	Ref    string // the DistributorRef it is about; "" means the current attempt
	At     time.Time
	Source string
	Actor  string // user id, "" for the program

	State         State // where the upstream says the transfer is; None if it does not say
	ReasonCode    string
	ReasonContext string
	Facts         *Facts // what the record tells besides its state; nil if there is none

	Alert       IncidentKind // "" or what a person must look at
	Claim       bool         // Replied with Unknown: the reply claims failure, one look-up must agree
	ControlSeen bool         // Looked: a control look-up of a known complete ref did return it
	NewRef      string       // TriedAgain
	Mode        SendMode     // TriedAgain: how the new attempt is sent
	RetryAt     *time.Time   // Replied: the upstream wants to be left alone until then
	AsOf        int          // Listed: how many events the sale had when the list was asked
	Old         bool         // Listed: it is about an attempt that a later one has replaced
	Permit      Permit       // Permitted: who takes it; NothingLeft: the very one given back
	ShiftID     string       // Refunded: the drawer the cash comes from
}

// Permit names one permit to send. The write that gives one back may be
// repeated when its commit was in doubt; it must never touch another.
type Permit struct {
	By     string // the process
	Number int    // of the attempt, from 1
	At     int64  // when it was taken, microseconds of Unix time
}

// Facts are what a transfer record tells about a transfer, already read and
// with its texts sealed.
type Facts struct {
	TransferRef   string
	ProviderRef   string
	Cost          *ledger.Cost  // nil: not told, or in a currency that is not the quote's
	Receive       *money.Amount // likewise
	ReceiveExTax  *money.Amount
	Commission    money.Amount // zero of no currency where it is not told
	SealedReceipt string
	PINHint       string
	SerialHash    string
	Odd           string // why an amount could not be taken as it was, "" if all could
}

// IncidentKind names what a person must look at.
type IncidentKind string

// The kinds of incident.
const (
	LateSuccess         IncidentKind = "late_success"
	LateReversal        IncidentKind = "late_reversal"
	ExecutedTwice       IncidentKind = "executed_twice"
	OddAmount           IncidentKind = "odd_amount"
	UnknownState        IncidentKind = "unknown_state"
	Foreign             IncidentKind = "foreign_record"
	NoFloat             IncidentKind = limit.FloatGone
	NeverSentYetPresent IncidentKind = "never_sent_yet_present"
	RefundedUnknown     IncidentKind = "refunded_while_unknown"
	LowFloat            IncidentKind = limit.FloatLow
	InvariantBroken     IncidentKind = "invariant_broken"
	StrayRecord         IncidentKind = "stray_record"
)

// IncidentKinds lists them.
func IncidentKinds() []IncidentKind {
	return []IncidentKind{
		LateSuccess, LateReversal, ExecutedTwice, OddAmount, UnknownState, Foreign, NoFloat, NeverSentYetPresent,
		RefundedUnknown, LowFloat, InvariantBroken, StrayRecord,
	}
}

// Incident is something a person must look at.
type Incident struct {
	ID       string
	Kind     IncidentKind
	SaleID   string
	Note     string
	Micros   int64
	Currency money.Currency
	At       time.Time
	ClosedAt *time.Time
	ClosedBy string
}

// Change is what an observation makes of a sale.
type Change struct {
	Sale      Sale // as it is afterwards
	Changed   bool // the row must be written
	Moved     bool // fulfilment or cash moved, or details came: an event is written
	Journals  []ledger.Journal
	Incidents []Incident
	Settled   []IncidentKind // incidents of the sale that have found their end
	Late      bool           // of an Old observation: that attempt is accounted for
}
