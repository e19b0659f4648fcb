package reconcile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// State says how far a break has come.
type State string

// The states of a break.
const (
	Open     State = "open"
	Proposed State = "proposed" // one person has said how to resolve it, a second must agree
	Resolved State = "resolved"
)

// unresolvedSQL selects the few that are to be dealt with. Their index has this literal: with a parameter it is not
// taken.
const unresolvedSQL = "state <> 'resolved'"

// Resolution says how a break was dealt with.
type Resolution string

// The resolutions. Faded, Agreed and Matched move no money. The others book a journal against the float and
// take two people.
const (
	Faded    Resolution = "faded"    // the two sides agree now
	Agreed   Resolution = "agreed"   // seen and explained; our books follow already
	Matched  Resolution = "matched"  // it and another are the two sides of one thing
	Journal  Resolution = "journal"  // booked against an account a person chose
	WriteOff Resolution = "writeoff" // booked as a loss, or as less of one
	TopUp    Resolution = "topup"    // it was money paid to the upstream (J13)
	Foreign  Resolution = "foreign"  // it was sold by other software (J22)
)

// Break is a difference somebody must deal with. Micros are millionths of Currency that the other side has
// more than our books; FloatMicros is how much of that the upstream's balance is higher than account 1100.
type Break struct {
	ID           string
	Kind         Kind
	Subject      string
	ShopID       string // "" for all shops together
	SaleID       string // "": none of ours
	CashierID    string // of a drawer
	Micros       int64
	Currency     money.Currency
	FloatMicros  int64
	BookedMicros int64 // of journals booked for it outside a sale, or offset by another break
	OffsetMicros int64 // what the other of a matched pair makes up for
	Evidence     string
	Digest       string
	OursAt       *time.Time
	TheirsAt     *time.Time
	FoundAt      time.Time
	SeenAt       time.Time
	State        State
	Owner        string // user id
	Resolution   Resolution
	Account      ledger.Account
	Reference    string
	ProposedBy   string
	ProposedAt   *time.Time
	ResolvedBy   string
	ResolvedAt   *time.Time
	Reopened     int
	Acts         int
}

// Amount is what the other side has more than our books.
func (b Break) Amount() money.Amount { return money.Of(b.Micros, b.Currency) }

// Float is how much the upstream's balance is higher than account 1100 because of it.
func (b Break) Float() money.Amount { return money.Of(b.FloatMicros, b.Currency) }

// Unresolved says whether somebody still has to deal with it.
func (b Break) Unresolved() bool { return b.State != Resolved }

// Act is one thing that was done to a break.
type Act struct {
	BreakID string
	Seq     int
	At      time.Time
	Actor   string // user id, "": the program
	Act     string // found, changed, reopened, undoing, undone, faded, taken, commented, proposed, declined, resolved
	Note    string
}

// TableName is read by GORM.
func (Act) TableName() string { return "break_acts" }

// Evidence is what each side said when the break was last seen.
type Evidence struct {
	Ours       *OurSide     `json:"ours,omitempty"`
	Theirs     []TheirSide  `json:"theirs,omitempty"`
	Ledger     []LedgerLine `json:"ledger,omitempty"`
	Drawer     *DrawerSide  `json:"drawer,omitempty"`
	Balance    *BalanceSide `json:"balance,omitempty"`
	Candidates []Candidate  `json:"candidates,omitempty"`
}

// OurSide is our sale.
type OurSide struct {
	State      sales.State `json:"state"`
	SKU        string      `json:"sku"`
	Account    string      `json:"account"` // its last four digits
	Cost       string      `json:"cost"`    // as in the books, or as quoted
	Commission string      `json:"commission"`
	Expected   string      `json:"expected,omitempty"` // commission by the quoted rate
	Received   string      `json:"received,omitempty"` // as quoted
}

// TheirSide is the upstream's record.
type TheirSide struct {
	TransferRef string      `json:"transferRef"`
	Ref         string      `json:"ref"`
	State       sales.State `json:"state"`
	SKU         string      `json:"sku"`
	Account     string      `json:"account"` // its last four digits
	Cost        string      `json:"cost"`
	Commission  string      `json:"commission"`
	Received    string      `json:"received,omitempty"`
	At          time.Time   `json:"at"`
}

// LedgerLine is what an account holds of the sale.
type LedgerLine struct {
	Account ledger.Account `json:"account"`
	Amount  string         `json:"amount"`
}

// DrawerSide is a counted drawer.
type DrawerSide struct {
	ShiftID  string    `json:"shift"`
	Number   int       `json:"number"`
	Till     string    `json:"till"`
	Expected string    `json:"expected"`
	Counted  string    `json:"counted"`
	ClosedAt time.Time `json:"closedAt"`
}

// BalanceSide is what GetBalance said, and what it should have said by our books.
type BalanceSide struct {
	Told     string    `json:"told"`
	Expected string    `json:"expected"`
	Open     int       `json:"open"` // sales under way meanwhile
	At       time.Time `json:"at"`
}

// Candidate is a possible explanation of a difference.
type Candidate struct {
	What    string `json:"what"` // "receivable", "topup", "missing" or "doubtful"
	SaleID  string `json:"sale,omitempty"`
	BreakID string `json:"break,omitempty"` // the break it is known by already
	Amount  string `json:"amount"`
}

// Read returns the break's evidence.
func (b Break) Read() (Evidence, error) {
	var e Evidence
	err := json.Unmarshal([]byte(b.Evidence), &e)
	return e, fault.Doing("evidence of a break", err)
}

// tail is what may be shown of an account number.
func tail(account string) string {
	const shown = 4
	if len(account) <= shown || account == sales.Erased {
		return account
	}
	return account[len(account)-shown:]
}

// digestOf sums up the facts that decide a break: if one changes, somebody must look again.
func digestOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:8])
}

// draft makes a break of a finding.
func (f Finding) draft() (Break, error) {
	b := Break{
		Kind: f.Kind, Subject: f.Subject, Micros: f.Amount.Micros(), Currency: f.Amount.Currency(),
		FloatMicros: f.Float,
	}
	var e Evidence
	parts := []string{f.Amount.String()}
	if s := f.Sale; s != nil {
		b.ShopID, b.SaleID = s.ShopID, s.ID
		if !s.PermitAt.IsZero() {
			b.OursAt = &s.PermitAt
		}
		e.Ours = s.side(f.Records)
	}
	for _, r := range f.Records {
		if b.TheirsAt == nil && !r.At.IsZero() {
			b.TheirsAt = &r.At
		}
		e.Theirs = append(e.Theirs, r.side())
		state := r.State
		if state.Open() { // which open state it is in decides nothing
			state = sales.Processing
		}
		parts = append(parts, r.TransferRef, string(state))
	}
	b.Digest = digestOf(parts...)
	err := b.setEvidence(e)
	return b, err
}

func (s *Sold) side(records []Record) *OurSide {
	cost, err := s.Quoted.Total()
	if s.Fulfilment == sales.Complete {
		cost, err = s.Actual.Total()
	}
	side := &OurSide{
		State: s.Fulfilment, SKU: s.SKU, Account: tail(s.Account), Commission: s.Commission.String(),
		Received: s.Receive.String(),
	}
	if err == nil {
		side.Cost = cost.String()
	}
	if len(records) > 0 && records[0].Cost != nil {
		if expected, known := s.expectedCommission(records[0]); known {
			side.Expected = expected.String()
		}
	}
	return side
}

func (r Record) side() TheirSide {
	side := TheirSide{
		TransferRef: r.TransferRef, Ref: r.Ref, State: r.State, SKU: r.SKU, Account: tail(r.Account), At: r.At,
	}
	if r.Cost != nil {
		if total, err := r.Cost.Total(); err == nil {
			side.Cost = total.String()
		}
	}
	if r.Commission != nil {
		side.Commission = r.Commission.String()
	}
	if r.Received != nil {
		side.Received = r.Received.String()
	}
	return side
}
