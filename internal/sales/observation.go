package sales

import (
	"time"

	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/money"
)

// Observation is anything that may move a sale: seen of the upstream, or an act of this program or a person.
type Observation struct {
	Cause  Cause
	Ref    string // the DistributorRef it is about; "": the current attempt
	At     time.Time
	Source string
	Actor  string // user id, "" for the program

	State         State // where the upstream says the transfer is; None: it does not say
	ReasonCode    string
	ReasonContext string
	Facts         *Facts // what else the record tells; nil: nothing

	Alert       IncidentKind // what a person must look at; "": nothing
	Claim       bool         // Replied with Unknown: the reply claims failure, one look-up must agree
	ControlSeen bool         // Looked: a control look-up of a ref known to be complete returned it
	NewRef      string       // TriedAgain
	Mode        SendMode     // TriedAgain: how the new attempt is sent
	RetryAt     *time.Time   // Replied: the upstream wants no request until then
	AsOf        int          // Listed: how many events the sale had when the list was requested
	Old         bool         // Listed: it is about a replaced attempt
	Permit      Permit       // Permitted: the one taken; NothingLeft: the one given back
	ShiftID     string       // Refunded: the drawer the cash comes from
	NotGiven    bool         // Refunded: it was booked by mistake, and the cash is still here
}

// Permit identifies one permit to send. The write that gives one back may be repeated when its commit was in
// doubt, and must never touch another.
type Permit struct {
	By     string // the process
	Number int    // of the attempt, from 1
	At     int64  // when it was taken, microseconds of Unix time
}

// Facts are what a transfer record tells, with texts sealed.
type Facts struct {
	TransferRef   string
	ProviderRef   string
	Cost          *ledger.Cost  // nil: not told, or not in the quote's currency
	Receive       *money.Amount // likewise
	ReceiveExTax  *money.Amount
	Commission    money.Amount // zero of no currency: not told
	SealedReceipt string
	PINHint       string
	SerialHash    string
	Odd           string // why an amount could not be taken as it was; "": all could
}

func (f *Facts) withoutReceipt() *Facts {
	if f == nil {
		return nil
	}
	rest := *f
	rest.ProviderRef, rest.SealedReceipt, rest.PINHint, rest.SerialHash = "", "", "", ""
	return &rest
}

// IncidentKind names something a person must look at.
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
	Sale      Sale // afterwards
	Changed   bool // the row must be written
	Moved     bool // fulfilment or cash moved, or details came: an event is written
	Journals  []ledger.Journal
	Incidents []Incident
	Settled   []IncidentKind // incidents of the sale that are over
	Late      bool           // of an Old observation: that attempt is accounted for
}
