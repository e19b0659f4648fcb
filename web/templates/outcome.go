package templates

import (
	"time"

	"github.com/a-h/templ"

	"airtill/internal/money"
	"airtill/web/locale"
)

// OutcomePage is a sale after the cash was taken, at any moment of its life.
type OutcomePage struct {
	Frame

	Trail Trail
	Sale  Outcome
}

// withoutOwn is the frame with the page's own sale taken out of the tray.
func (p OutcomePage) withoutOwn() Frame {
	f := p.Frame
	f.Tray = f.Tray.without(p.Sale.ID)
	return f
}

// Outcome is what the outcome page shows of a sale; it is also the body of each
// live update, so it carries the locale and the token itself.
type Outcome struct {
	locale.Locale

	CSRF   string
	ID     string
	State  string // the fulfilment state: "recorded", "sending", "complete" …
	Total  money.Amount
	Given  money.Amount // what the customer handed over
	Change sum          // what they get back of it, nil if nothing
	Sold   string       // what was sold in a few words, such as "€10"; "" for the product's name

	Elapsed   int    // seconds since the cash was taken
	NextCheck int    // seconds until the next look-up of an unknown sale, 0 if none is due
	Test      bool   // to a product's test number: nothing was sold
	Late      string // what came after the end and what to do about it, translated; "" if nothing
	Reason    string // why it was not sent, in plain words, translated
	Advice    string // what to do now, translated
	Code      string // the upstream's codes, for the small print
	Problem   string // why the last act on this sale was refused
	Printed   string // what became of the print, "" if nothing is wrong with it

	GiveBack sum // the cash the cashier owes the customer; nil if none
	CanRetry bool
	// CanCancel is true before the permit and while a batch can be called back.
	CanCancel bool
	CanPrint  bool   // a receipt, or a waiting slip while the outcome is open
	PrintKey  string // of one print
	NextURL   string // the next sale; "" for who does not sell
	AgainURL  string // the same sale once more, "" where that makes no sense

	Approvals []Approval // what a manager may allow now
	WhileOpen []Approval // what a manager may allow until the outcome is known
	Approve   *Approve   // how somebody else may allow them
	Asked     bool       // somebody was just asked to

	AutoPrint bool // the receipt prints by itself now, once

	PIN      *PIN // nil where the product has none or the role may not see it
	Facts    Facts
	Timeline []TimelineStep // the oldest first
}

// TimelineStep is one thing that happened to a sale.
type TimelineStep struct {
	At   time.Time
	Text string
	By   string // who did it, and where; "" for the program
}

// Approval is an act that waits for somebody who may allow it.
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
	Value     string // "" until it is shown, and where the provider wrote it elsewhere
	Masked    string // the last four characters, such as "•••• 1234"
	RevealURL string // where the form to reveal it posts, "" if it may not be
	AskReason bool   // a reason must be given: it was revealed before
	ShowNow   bool   // to whoever sold it a moment ago: the script asks for it by itself
	Reason    string // as typed
	Serial    string
	Expiry    string
	Others    []Line // what else the provider wrote, under its own names
	Redeem    string // how the customer uses it
}

// Facts is everything that is known of a sale. Empty fields are not shown.
type Facts struct {
	At             time.Time
	Account        string // as the role may see it; "" where a PIN goes to no number
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

// freeAfter is how many seconds a cashier waits for an outcome before the screen
// is theirs again.
const freeAfter = 10

// free says whether the next sale comes next: nothing is waited for any more,
// and no cash is owed.
func (o Outcome) free() bool {
	return o.GiveBack == nil && (!o.live() || o.Elapsed >= freeAfter) && (o.PIN == nil || !o.PIN.ShowNow)
}

// live says whether the page has updates to wait for.
func (o Outcome) live() bool { return !final(o.State) }

// tone returns the colour family of a state.
func tone(state string) string {
	switch state {
	case "complete":
		return "good"
	case "failed", "voided":
		return "bad"
	case "cancelled":
		return "calm"
	case "unknown":
		return "wait"
	}
	return "info"
}

// stateIcon returns the icon of a state; no two tones share one.
func stateIcon(state string) string {
	switch state {
	case "complete":
		return "circle-check"
	case "failed", "voided":
		return "circle-x"
	case "cancelled":
		return "ban"
	case "unknown":
		return "circle-question-mark"
	case "submitted", "processing":
		return "send"
	}
	return "loader-circle"
}

// headline returns the first words of a state (the table of outcomes that a
// cashier learns by heart).
func headline(l locale.Locale, state string) string {
	switch state {
	case "complete":
		return l.Text("outcome.complete")
	case "failed", "voided":
		return l.Text("outcome.failed")
	case "cancelled":
		return l.Text("outcome.cancelled")
	case "cancelling":
		return l.Text("outcome.cancelling")
	case "submitted", "processing":
		return l.Text("outcome.onItsWay")
	case "unknown":
		return l.Text("outcome.unknown")
	}
	return l.Text("outcome.sending")
}

// subline returns what follows the headline when the sale has no own reason.
func subline(l locale.Locale, state string) string {
	switch state {
	case "submitted", "processing":
		return l.Text("outcome.onItsWayMore")
	case "cancelling":
		return l.Text("outcome.cancellingMore")
	case "unknown":
		return l.Text("outcome.unknownMore")
	}
	return ""
}

// StateWord returns a state in one or two words, for lists.
func StateWord(l locale.Locale, state string) string {
	switch state {
	case "complete":
		return l.Text("state.complete")
	case "failed", "voided":
		return l.Text("state.failed")
	case "cancelled":
		return l.Text("state.cancelled")
	case "cancelling":
		return l.Text("state.cancelling")
	case "submitted", "processing":
		return l.Text("state.onItsWay")
	case "unknown":
		return l.Text("state.unknown")
	}
	return l.Text("state.sending")
}

// sold returns what was sold in a few words.
func (o Outcome) sold() string {
	if o.Sold != "" {
		return o.Sold
	}
	return o.Facts.Product
}

// path returns an address below the sale's own.
func (o Outcome) path(rest string) string { return "/sales/" + o.ID + rest }
