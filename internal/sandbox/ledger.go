package sandbox

import (
	"net/http"
	"sort"
	"strconv"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// Ledger is the answer of GET /_sandbox/ledger: the truth about money. With
// ?ref= it has one DistributorRef only. Amounts are decimal text in the agent's
// currency: balance = opening + topups + drift + Σ (refunded + commission −
// deducted).
type Ledger struct {
	Balance  string        `json:"balance"`
	Reserved string        `json:"reserved"` // by transfers still processing
	Currency string        `json:"currency"`
	Opening  string        `json:"opening"`
	Topups   string        `json:"topups"`
	Drift    string        `json:"drift"` // by faults
	Entries  []LedgerEntry `json:"entries"`
}

// LedgerEntry sums up all that was done under one DistributorRef.
type LedgerEntry struct {
	DistributorRef string      `json:"distributorRef"`
	TimesExecuted  int         `json:"timesExecuted"` // carried out by the provider
	Deducted       string      `json:"deducted"`
	Refunded       string      `json:"refunded"`
	Commission     string      `json:"commission"`
	State          string      `json:"state"` // of the newest transfer; "" if every request was refused
	SkuCode        string      `json:"skuCode"`
	AccountNumber  string      `json:"accountNumber"`
	Test           bool        `json:"test"`     // to a UAT number
	Settings       []setting   `json:"settings"` // as sent, the agent's own too
	TransferRefs   []string    `json:"transferRefs"`
	RequestedAt    []time.Time `json:"requestedAt"` // every SendTransfer without ValidateOnly, simulated time
}

func (s *Service) getLedger(w http.ResponseWriter, r *http.Request) {
	s.write(w, answer(s.ledger(r.URL.Query().Get("ref"))))
}

// ledger sums up the book, for one DistributorRef if it is not "".
func (s *Service) ledger(ref string) Ledger {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.book
	ledger := Ledger{
		Balance: b.balance.String(), Reserved: b.reserved.String(), Currency: s.config.Currency,
		Opening: b.opening.String(), Drift: b.drift.String(), Entries: []LedgerEntry{},
	}
	var topups catalogue.Decimal
	for _, t := range b.topups {
		topups += t.Amount
	}
	ledger.Topups = topups.String()
	refs := []string{}
	for own := range b.requests {
		if ref == "" || ref == own {
			refs = append(refs, own)
		}
	}
	sort.Strings(refs)
	for _, ref := range refs {
		ledger.Entries = append(ledger.Entries, b.entry(ref))
	}
	return ledger
}

func (b *book) entry(ref string) LedgerEntry {
	e := LedgerEntry{DistributorRef: ref, TransferRefs: []string{}, Settings: []setting{}, RequestedAt: append([]time.Time{}, b.requests[ref]...)}
	var deducted, refunded, commission catalogue.Decimal
	for _, t := range b.byOwn[ref] {
		e.TimesExecuted += t.Executed
		e.State, e.SkuCode, e.AccountNumber, e.Test = t.State, t.SKU, t.Account, t.Test
		e.Settings = append([]setting{}, t.Settings...)
		e.TransferRefs = append(e.TransferRefs, strconv.FormatInt(t.Ref, 10))
		deducted, refunded, commission = deducted+t.Deducted, refunded+t.Refunded, commission+t.given()
	}
	e.Deducted, e.Refunded, e.Commission = deducted.String(), refunded.String(), commission.String()
	return e
}
