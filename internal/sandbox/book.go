package sandbox

import (
	"time"

	"airtill/internal/sandbox/catalogue"
)

// firstRef is where the TransferRefs of a book opened at a moment begin. They
// rise with time, so a service started anew does not give out the same ones
// again.
func firstRef(opened time.Time) int64 {
	const epoch = 1_600_000_000
	return (opened.Unix()-epoch)*1000 + 1
}

// book is the ledger: every transfer, and the balance they leave. The balance
// is never set, only moved by a transfer's effect, a top-up or a drift.
type book struct {
	opened   bool
	nextRef  int64 // TransferRef
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
	paid      map[string]int64       // bills, and the transfer that pays them
	underWay  map[int64]*transfer
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
		requests: map[string][]time.Time{}, paid: map[string]int64{}, underWay: map[int64]*transfer{},
	}
}

func (b *book) open(o opening) {
	b.opened, b.nextRef, b.opening, b.balance = true, o.First, o.Balance, o.Balance
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

// put stores a transfer's new version and moves the balance by what changed.
func (b *book) put(next transfer) *transfer {
	t := b.byRef[next.Ref]
	if t == nil {
		t = &transfer{Ref: next.Ref}
		b.all = append(b.all, t)
		b.byRef[next.Ref] = t
		b.nextRef = max(b.nextRef, next.Ref+1)
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
	b.follow(t)
	return t
}

// follow keeps what is under way, and which bills nobody else may pay: those of
// a transfer that is under way or complete.
func (b *book) follow(t *transfer) {
	if t.final() {
		delete(b.underWay, t.Ref)
	} else {
		b.underWay[t.Ref] = t
	}
	switch lost := t.State == failed || t.State == cancelled; {
	case t.BillRef == "" || t.Test:
	case !lost:
		b.paid[t.BillRef] = t.Ref
	case b.paid[t.BillRef] == t.Ref:
		delete(b.paid, t.BillRef)
	}
}

// available is what new transfers may cost together.
func (b *book) available() catalogue.Decimal { return b.balance - b.reserved }
