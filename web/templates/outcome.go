package templates

import (
	"cmp"
	"time"

	"github.com/a-h/templ"

	"airtill/internal/money"
	"airtill/web/locale"
)

// OutcomePage is a sale after the cash was taken, at any moment of its life.
type OutcomePage struct {
	Frame

	Trail   Trail
	Sale    Outcome
	BackURL string // the list that led here; "": none
}

// withoutOwn is the frame without the page's own sale in the tray.
func (p OutcomePage) withoutOwn() Frame {
	f := p.Frame
	f.Tray = f.Tray.Without(p.Sale.ID)
	return f
}

// Outcome is what the outcome page shows of a sale, and the body of each live update, so it has its own locale
// and token.
type Outcome struct {
	locale.Locale

	CSRF   string
	ID     string
	State  string // the fulfilment state: "recorded", "sending", "complete" …
	Total  money.Amount
	Given  money.Amount // what the customer handed over
	Change sum          // change given; nil: none
	Sold   string       // in a few words, such as "€10"; "": the product's name

	Usually   string // how long an unknown outcome usually takes, "" for every other
	Elapsed   int    // seconds since the cash was taken
	NextCheck int    // seconds until the next look-up of an unknown sale; 0: none is due
	Test      bool   // to a product's test number: nothing was sold
	Late      string // what came after the end and what to do about it, translated; "": nothing
	Reason    string // why it was not sent, in plain words, translated
	Advice    string // what to do now, translated
	Code      string // the upstream's codes, for the small print
	Problem   string // why the last act on this sale was refused
	Printed   string // what became of the print; "": all is well

	GiveBack sum  // cash the cashier owes the customer; nil: none
	Returned bool // the customer has the cash again
	CanRetry bool
	Attempt  int    // which one is shown: a form to try again asks for the one after it
	Same     string // what was sent to the number since, before the sale is tried again beside it; "": nothing
	// CanCancel: before the permit, and while a batch can be called back.
	CanCancel bool
	CanPrint  bool   // a receipt, or a waiting slip while the outcome is open
	PrintKey  string // of one print
	NextURL   string // the next sale; "" for those who do not sell
	AgainURL  string // the same sale again; "" if that makes no sense

	Approvals []Approval // what a manager may allow now
	WhileOpen []Approval // what a manager may allow until the outcome is known
	TakeBacks []Approval // that the cash was not given back, where a manager must allow that
	TakeBack  string     // where nobody must: what it does, translated
	Undone    int        // how often that was said: a form of before is none any more
	Approve   *Approve   // how somebody else may allow them
	Asked     bool       // somebody was just asked to

	AutoPrint bool // the receipt prints by itself now, once

	PIN      *PIN // nil: the product has none, or the role may not see it
	Facts    Facts
	Timeline []TimelineStep // the oldest first
}

// TimelineStep is one thing that happened to a sale.
type TimelineStep struct {
	At   time.Time
	Text string
	By   string // who did it, and where; "": the program
}

// Approval is an act that needs somebody's approval.
type Approval struct {
	Act    string // where the form posts, below the sale: "refund", "retry"
	Why    string // what stops it and who decides, in full
	Button string
	May    bool   // this user may allow it
	Reason string // as typed
}

// PIN is a voucher as the cashier may see it.
type PIN struct {
	Shown     bool   // it was revealed to this user
	Value     string // "" until shown, and if the provider wrote it elsewhere
	Masked    string // the last four characters, such as "•••• 1234"
	RevealURL string // where the form to reveal it posts; "": not allowed
	AskReason bool   // it was revealed before, so a reason is required
	ShowNow   bool   // to the person who sold it a moment ago: the script requests it by itself
	Reason    string // as typed
	Serial    string
	Expiry    string
	Others    []Line // what else the provider wrote, under its own names
}

// Facts is everything known of a sale. Empty fields are not shown.
type Facts struct {
	At             time.Time
	Account        string // as the role may see it; "" for a PIN to no number
	Operator       Operator
	Product        string // the product's DefaultDisplayText
	Send           sum
	Fee            sum
	Receive        sum
	ReceiveNet     sum // ReceiveValueExcludingTax
	Tax            string
	Validity       string
	TransferRef    string
	DistributorRef string
	BillRef        string // of the bill that was paid
	ProviderRef    string
	ReceiptCode    string          // the short code on the customer's receipt
	ReceiptText    string          // the provider's text; may have several lines
	Description    templ.Component // see Prose; nil if there is none
	ReadMore       templ.Component
	CareNumber     string
	Till, Cashier  string
}

// final says whether a state is an end: no update will come.
func final(state string) bool {
	switch state {
	case "complete", "failed", "cancelled", "voided":
		return true
	}
	return false
}

// freeAfter is how many seconds a cashier waits for an outcome before the next sale may begin.
const freeAfter = 10

// free says whether the next sale comes next: nothing is waited for, and no cash is owed.
func (o Outcome) free() bool {
	return o.GiveBack == nil && (!o.live() || o.Elapsed >= freeAfter) && (o.PIN == nil || !o.PIN.ShowNow)
}

// live says whether the page has updates to wait for.
func (o Outcome) live() bool { return !final(o.State) }

// stateLook is how a state is shown: its tone and icon, and the keys of its words.
type stateLook struct {
	tone, icon string
	headline   string // the page's first words, which cashiers learn by heart
	more       string // what follows if the sale has no reason of its own; "": nothing
	word       string // one or two words, for lists
}

var (
	notDone  = stateLook{"bad", "circle-x", "outcome.failed", "", "state.failed"}
	onItsWay = stateLook{"info", "send", "outcome.onItsWay", "outcome.onItsWayMore", "state.onItsWay"}
	onSend   = stateLook{"info", "loader-circle", "outcome.sending", "", "state.sending"}

	// stateLooks are those of all states except recorded and sending. No two tones share an icon.
	stateLooks = map[string]stateLook{
		"complete": {"good", "circle-check", "outcome.complete", "", "state.complete"},
		"failed":   notDone, "voided": notDone,
		"cancelled":  {"calm", "ban", "outcome.cancelled", "", "state.cancelled"},
		"cancelling": {"info", "loader-circle", "outcome.cancelling", "outcome.cancellingMore", "state.cancelling"},
		"submitted":  onItsWay, "processing": onItsWay,
		"unknown": {"wait", "circle-question-mark", "outcome.unknown", "outcome.unknownMore", "state.unknown"},
	}
)

func lookOf(state string) stateLook { return cmp.Or(stateLooks[state], onSend) }

func tone(state string) string { return lookOf(state).tone }

func stateIcon(state string) string { return lookOf(state).icon }

// more is what follows the headline of a sale without a reason of its own.
func (o Outcome) more() string {
	if o.Returned && o.State == "unknown" { // the slip is for who waits
		return o.Text("outcome.unknownReturned")
	}
	return o.Text(lookOf(o.State).more)
}

// StateWord returns a state in one or two words, for lists.
func StateWord(l locale.Locale, state string) string { return l.Text(lookOf(state).word) }

// sold returns what was sold in a few words.
func (o Outcome) sold() string { return cmp.Or(o.Sold, o.Facts.Product) }

// path returns an address below the sale's own.
func (o Outcome) path(rest string) string { return "/sales/" + o.ID + rest }
