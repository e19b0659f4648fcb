package sandbox

import (
	"time"

	"airtill/internal/sandbox/catalogue"
)

// firstRef is where TransferRefs begin.
const firstRef = 700_000_001

// book is the ledger: every transfer, and the balance they leave. The balance
// is never set, only moved by a transfer's effect, a top-up or a drift.
type book struct {
	opened   bool
	opening  catalogue.Decimal
	topups   []topup
	drift    catalogue.Decimal
	balance  catalogue.Decimal
	reserved catalogue.Decimal

	all       []*transfer // by rising TransferRef
	byRef     map[int64]*transfer
	byOwn     map[string][]*transfer // by DistributorRef
	byAccount map[string][]*transfer
	requests  map[string][]time.Time // of SendTransfer, by DistributorRef
	paid      map[string]int64       // bills, and the transfer that paid them
	tasks     tasks
}

// topup is money the agent brought.
type topup struct {
	Amount catalogue.Decimal `json:"amount"`
	At     time.Time         `json:"at"`
}

func newBook() *book {
	return &book{
		byRef: map[int64]*transfer{}, byOwn: map[string][]*transfer{}, byAccount: map[string][]*transfer{},
		requests: map[string][]time.Time{}, paid: map[string]int64{},
	}
}

func (b *book) open(opening catalogue.Decimal) {
	b.opened, b.opening, b.balance = true, opening, opening
}

func (b *book) topup(t topup) {
	b.topups = append(b.topups, t)
	b.balance += t.Amount
}

func (b *book) addDrift(d catalogue.Decimal) {
	b.drift += d
	b.balance += d
}

func (b *book) request(ref string, at time.Time) { b.requests[ref] = append(b.requests[ref], at) }

// nextRef is the TransferRef of the next transfer.
func (b *book) nextRef() int64 { return firstRef + int64(len(b.all)) }

// put stores a transfer's new version and moves the balance by what changed.
func (b *book) put(next transfer) *transfer {
	t := b.byRef[next.Ref]
	if t == nil {
		t = &transfer{Ref: next.Ref}
		b.all = append(b.all, t)
		b.byRef[next.Ref] = t
		b.byOwn[next.DistributorRef] = append(b.byOwn[next.DistributorRef], t)
		b.byAccount[next.Account] = append(b.byAccount[next.Account], t)
	} else {
		b.reserved -= t.reserved()
	}
	booked := t.booked
	*t = next
	t.booked = t.effect()
	b.balance += t.booked - booked
	b.reserved += t.reserved()
	if t.BillRef != "" && t.Executed > 0 {
		b.paid[t.BillRef] = t.Ref
	}
	return t
}

// available is what new transfers may cost together.
func (b *book) available() catalogue.Decimal { return b.balance - b.reserved }
