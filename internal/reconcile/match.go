package reconcile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// Sold is one of our sales, for matching.
type Sold struct {
	ID         string
	ShopID     string
	Practice   bool
	Fulfilment sales.State
	Batch      bool
	SKU        string
	Account    string
	Quoted     ledger.Cost
	Actual     ledger.Cost  // meaningful once complete
	Receive    money.Amount // as quoted
	Rate       string       // of the commission, as quoted: "0.07"
	Commission money.Amount
	Ref        string    // of the attempt that is the sale
	PermitAt   time.Time // of that; zero: never sent
	ChangedAt  time.Time
	Float      int64 // millionths the ledger holds of it in 1100, 1110, 1120 and 1130
}

// Attempt is a ref of ours. The attempts of one sale share its Sold.
type Attempt struct {
	Ref  string
	Sale *Sold
}

// Window is what a list can tell.
type Window struct {
	From, To      time.Time // a transfer begun between these must be listed
	AskedAt       time.Time // what changed here since, the list may not show yet
	Installations []string  // the codes that begin our refs, of this database and those it was restored from
	Declared      []string  // prefixes of other software's refs
	// Instant are products (SKU) of which nothing is taken before a transfer is complete; others may be batches.
	Instant map[string]bool
}

// Finding is a difference between the upstream's records and our sales.
type Finding struct {
	Kind    Kind
	Subject string       // the sale's id, or a TransferRef
	Amount  money.Amount // what the upstream has beyond our books
	Float   int64        // millionths of that by which its balance and our float account differ
	Sale    *Sold        // nil: none of ours
	Records []Record
}

// Matching is the result of matching a list.
type Matching struct {
	Pairs    int            // sales with at least one record
	Records  int            // different records
	Open     int            // sales whose outcome is still looked for, or too new for the list: not judged
	Findings []Finding      // by subject
	Agreed   map[string]any // ids of sales on which everything agrees
	Declared []Record       // of known other software
	Ended    []Record       // of any other software, that moved nothing or were taken back
}

// Match compares a list with our sales by DistributorRef: one record for one sale; several, if it was
// attempted again or executed twice; and a sale of the window without a record is missing. It is pure.
func Match(records []Record, ours []Attempt, w Window) Matching {
	m := matcher{window: w, Matching: Matching{Agreed: map[string]any{}}}
	byRef := make(map[string]*Sold, len(ours))
	for _, attempt := range ours {
		byRef[attempt.Ref] = attempt.Sale
	}
	bySale := m.group(records, byRef)
	for _, sale := range m.order {
		m.Pairs++
		if !sale.PermitAt.IsZero() && sale.PermitAt.Before(w.From) { // the list may end between two of its records
			continue
		}
		m.judge(sale, bySale[sale])
	}
	for _, attempt := range ours {
		// What was invented, to try reports out, was sent by nobody.
		if _, seen := bySale[attempt.Sale]; !seen && sentHere(attempt.Ref, w.Installations) {
			bySale[attempt.Sale] = nil
			m.missing(attempt.Sale)
		}
	}
	slices.SortFunc(m.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Kind, b.Kind))
	})
	return m.Matching
}

// matcher is one run of Match.
type matcher struct {
	Matching
	window Window
	order  []*Sold
}

// group gives each sale its records without repetition: a list that shifts while it is read repeats rows.
func (m *matcher) group(records []Record, byRef map[string]*Sold) map[*Sold][]Record {
	bySale := make(map[*Sold][]Record, len(records))
	seen := make(map[string]bool, len(records))
	for _, r := range records {
		if r.TransferRef != "" && seen[r.TransferRef] {
			continue
		}
		seen[r.TransferRef] = true
		m.Records++
		sale := byRef[r.Ref]
		if sale == nil {
			m.stranger(r)
			continue
		}
		if _, known := bySale[sale]; !known {
			m.order = append(m.order, sale)
		}
		bySale[sale] = append(bySale[sale], r)
	}
	return bySale
}

func (m *matcher) found(f Finding) { m.Findings = append(m.Findings, f) }

// stranger is a record that matches no sale of ours.
func (m *matcher) stranger(r Record) {
	effect := m.window.effect(r)
	f := Finding{
		Kind: ForeignSale, Subject: r.TransferRef, Amount: money.Of(effect, r.currency()), Float: effect,
		Records: []Record{r},
	}
	if r.State == sales.Failed || r.State == sales.Cancelled {
		m.Ended = append(m.Ended, r)
	}
	switch {
	case r.ours(m.window.Installations):
		f.Kind = UnknownHere
		m.found(f)
	case r.seller(m.window.Declared) != "":
		m.Declared = append(m.Declared, r)
	case effect != 0 || r.State.Open(): // a failed one moved nothing
		m.found(f)
	}
}

// effect is what a transfer of others has done to the upstream's balance.
func (w Window) effect(r Record) int64 { return r.effect(!w.Instant[r.SKU]) }

// missing: a transfer we take for executed is not on a list that reaches far enough. What the balance shows of
// it is unknown here.
func (m *matcher) missing(s *Sold) {
	held := s.Fulfilment == sales.Complete || s.Batch &&
		(s.Fulfilment == sales.Submitted || s.Fulfilment == sales.Processing)
	if !held || s.Practice || s.PermitAt.Before(m.window.From) || !s.PermitAt.Before(m.window.To) {
		return
	}
	m.found(s.finding(MissingUpstream, s.worth()))
}

// worth is what the upstream should have charged for a sale, less its commission.
func (s *Sold) worth() int64 {
	if s.Fulfilment == sales.Complete { // not by the ledger, which may hold a journal booked for it by two people
		return s.Actual.Send.Micros() + s.Actual.DistributorFee.Micros() - s.Commission.Micros()
	}
	return s.Quoted.Send.Micros() + s.Quoted.DistributorFee.Micros()
}

func (r Record) currency() money.Currency {
	if r.Cost == nil {
		return ""
	}
	return r.Cost.Send.Currency()
}

const refLength = 32

// ours says whether a ref is of this installation's form.
func (r Record) ours(installations []string) bool { return sentHere(r.Ref, installations) }

func sentHere(ref string, installations []string) bool {
	return len(ref) == refLength && slices.Contains(installations, ref[:4])
}

// seller is the declared prefix of a ref, "" if none.
func (r Record) seller(prefixes []string) string {
	for _, p := range prefixes {
		if strings.HasPrefix(r.Ref, p) {
			return p
		}
	}
	return ""
}
