package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func eur(text string) money.Amount { return money.MustParse(text, "EUR") }

// testOffer is the worked example: S 10.00, c 0.50, d 0.20, R 10.30.
func testOffer(mode string) counter.Terms {
	return counter.Terms{
		AccountNumber: "353871234567",
		CountryISO:    "IE", ProviderCode: "P1", ProviderName: "Provider", SKUCode: "SKU1", ProductText: "10.00 top-up",
		Kind: "top-up", ProcessingMode: mode, Redemption: "Immediate",
		Cost:    ledger.Cost{Send: eur("10.00"), CustomerFee: eur("0.50"), DistributorFee: eur("0.20")},
		Receive: eur("10"), ReceiveExTax: eur("8"), CommissionRate: "0.08", Price: eur("10.30"),
	}
}

// run plays a sale and its books.
type run struct {
	t     require.TestingT
	sale  Sale
	books map[ledger.Account]int64
	kinds []IncidentKind
	at    time.Time
}

func newRun(t require.TestingT, mode string) *run {
	seller := counter.Seller{ShiftID: "shift", TillID: "till", ShopID: "shop", Currency: "EUR"}
	sale := saleOf(seller, testOffer(mode), counter.Confirmation{Key: "key-key-key-key-1", Shown: eur("10.30")})
	sale.ID = "sale"
	var err error
	sale.Ref, err = makeRef("TEST", store.NewID(noon), 1)
	require.NoError(t, err)
	r := &run{t: t, sale: sale, books: map[ledger.Account]int64{}, at: noon}
	r.do(Observation{Cause: Confirmed})
	return r
}

func (r *run) try(o Observation) error {
	o.At = r.at
	change, err := Apply(r.sale, o)
	if err != nil {
		return err
	}
	was, became := r.sale.Fulfilment, change.Sale.Fulfilment
	require.True(r.t, was == became || Allowed(was, became, o.Cause), "the history would say %s: %s → %s, which the state machine does not have", o.Cause, was, became)
	_, err = ledger.Statements(store.SQLite, entriesOf(change)...)
	require.NoError(r.t, err, "every journal balances")
	for _, j := range change.Journals {
		for _, leg := range j.Legs {
			r.books[leg.Account] += leg.Amount.Micros()
		}
	}
	for _, incident := range change.Incidents {
		r.kinds = append(r.kinds, incident.Kind)
	}
	r.sale = change.Sale
	return nil
}

func entriesOf(c Change) (entries []ledger.Entry) {
	for _, j := range c.Journals {
		entries = append(entries, ledger.Entry{Key: "k", At: noon, Journal: j})
	}
	return entries
}

func (r *run) do(observations ...Observation) *run {
	for _, o := range observations {
		require.NoError(r.t, r.try(o))
	}
	return r
}

func (r *run) wait(d time.Duration) *run { r.at = r.at.Add(d); return r }

func (r *run) sent() *run { return r.do(Observation{Cause: Permitted, Permit: Permit{By: "me"}}) }

func (r *run) is(state State, cash Cash) {
	require.Equal(r.t, string(state)+"/"+string(cash), r.sale.position())
}

// holds checks the accounts named and that every other open account is zero.
func (r *run) holds(want map[ledger.Account]string) {
	for account, text := range want {
		require.Equal(r.t, text, money.Of(r.books[account], "EUR").Decimal(2), "account %s", account)
	}
	for _, account := range []ledger.Account{ledger.Reserved, ledger.BatchClearing, ledger.RefundReceivable, ledger.CustomerPrepayments, ledger.RefundsDue} {
		if _, named := want[account]; !named {
			require.Zero(r.t, r.books[account], "account %s", account)
		}
	}
}

func told(cause Cause, state State) Observation {
	o := Observation{Cause: cause, State: state}
	if state != Failed {
		o.Facts = &Facts{TransferRef: "1", Commission: eur("0.80"), Cost: &ledger.Cost{Send: eur("10.00"), CustomerFee: eur("0.50"), DistributorFee: eur("0.20")}}
	}
	return o
}

func TestSuccess(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Complete))
	r.is(Complete, CashEarned)
	r.holds(map[ledger.Account]string{"1000:shift": "10.30", "1100": "-9.40", "4100": "-0.80", "4020": "-0.30"})
	require.Nil(t, r.sale.NextCheckAt)
}

func TestFailureMakesTheRefundDueAndRefundingEmptiesEverything(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Failed))
	r.is(Failed, CashRefundDue)
	r.holds(map[ledger.Account]string{"2010": "-10.30", "1100": "0.00"})
	r.do(Observation{Cause: Refunded, ShiftID: "shift"})
	r.is(Failed, CashRefunded)
	r.holds(map[ledger.Account]string{"1000:shift": "0.00"})
	require.Equal(t, fault.Conflict, fault.KindOf(r.try(Observation{Cause: Refunded, ShiftID: "shift"})))
}

func TestRefundComesOutOfTheDrawerThatPays(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Failed), Observation{Cause: Refunded, ShiftID: "other"})
	r.holds(map[ledger.Account]string{"1000:shift": "10.30", "1000:other": "-10.30"})
}

func TestLostReplyIsUnknownUntilTheListTells(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(Observation{Cause: Lost})
	r.is(Unknown, CashTaken)
	require.Equal(t, r.at.Add(firstLook), *r.sale.NextCheckAt)
	r.holds(map[ledger.Account]string{"1110": "10.20", "1100": "-10.20", "2000": "-10.30"}) // L5: no revenue, no refund
	r.wait(2 * time.Second).do(told(Listed, Complete))
	r.is(Complete, CashEarned)
}

func TestAbsenceDecidesOnlyByTheRule(t *testing.T) {
	t.Parallel()
	empty := Observation{Cause: Looked, ControlSeen: true}
	r := newRun(t, "Instant").sent().do(Observation{Cause: Lost})
	r.wait(99 * time.Second).do(empty) // before p+100 s: counts for nothing
	require.Zero(t, r.sale.EmptyLooks)
	r.wait(2*time.Second).do(empty, empty) // the second is not two minutes later
	require.Equal(t, 1, r.sale.EmptyLooks)
	r.wait(3 * time.Minute).do(Observation{Cause: Looked}) // the control was not seen
	require.Equal(t, 1, r.sale.EmptyLooks)
	r.do(empty).wait(3 * time.Minute).do(empty)
	require.Equal(t, 3, r.sale.EmptyLooks)
	r.is(Unknown, CashTaken) // three, but not yet p+15 min
	r.wait(10 * time.Minute).do(empty)
	r.is(Failed, CashRefundDue)
	require.True(t, r.sale.ByAbsence)
	require.NotNil(t, r.sale.NextCheckAt, "ghosts are still looked for")
}

func TestAbsenceNeedsThreeLooksHoweverLate(t *testing.T) {
	t.Parallel()
	empty := Observation{Cause: Looked, ControlSeen: true}
	r := newRun(t, "Instant").sent().do(Observation{Cause: Lost})
	r.wait(time.Hour).do(empty).wait(absenceApart).do(empty)
	r.is(Unknown, CashTaken)
	r.wait(absenceApart).do(empty)
	r.is(Failed, CashRefundDue)
}

func TestTheScheduleGivesTheAbsenceRuleWhatItNeedsWithinSixteenMinutes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := newRun(rt, "Instant").sent()
		r.sale.Ref = rapid.StringMatching("[0-9A-Z]{32}").Draw(rt, "ref")
		permit := r.at
		r.wait(rapid.SampledFrom([]time.Duration{time.Second, 100 * time.Second}).Draw(rt, "send")).do(Observation{Cause: Lost})
		for r.sale.Fulfilment == Unknown {
			require.NotNil(rt, r.sale.NextCheckAt)
			r.at = *r.sale.NextCheckAt
			r.do(Observation{Cause: Looked, ControlSeen: true})
		}
		require.LessOrEqual(rt, r.at.Sub(permit), 16*time.Minute)
	})
}

func TestAClaimedFailureNeedsOneLookTenSecondsLater(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(Observation{Cause: Replied, State: Unknown, Claim: true, ReasonCode: "TransientProviderError"})
	r.is(Unknown, CashTaken)
	r.wait(3 * time.Second).do(Observation{Cause: Looked})
	r.is(Unknown, CashTaken)
	require.False(t, r.sale.NextCheckAt.Before(r.sale.ClaimAt.Add(claimSettles)))
	r.wait(8 * time.Second).do(Observation{Cause: Looked})
	r.is(Failed, CashRefundDue)
	require.Equal(t, "TransientProviderError", r.sale.ReasonCode)
	require.NotNil(t, r.sale.NextCheckAt, "the claim may have been wrong: ghosts are looked for")
}

// A provider that timed out may deliver minutes later, and the list not have it
// before then: an empty one is no agreement, a webhook is no list, and nobody looks
// every few seconds until the absence rule decides.
func TestAFailureThatMayStillBeDeliveredIsOneWhenItIsListed(t *testing.T) {
	t.Parallel()
	timedOut := func() *run {
		return newRun(t, "Instant").sent().do(Observation{Cause: Replied, State: Unknown, Claim: true, ReasonCode: "TransientProviderError", ReasonContext: "ProviderTimedOut"})
	}
	empty := Observation{Cause: Looked, ControlSeen: true}

	r := timedOut().wait(2 * time.Second).do(empty)
	require.Equal(t, r.sale.ClaimAt.Add(claimSettles), r.sale.NextCheckAt.UTC())
	r.wait(9 * time.Second).do(empty)
	r.is(Unknown, CashTaken)
	require.GreaterOrEqual(t, r.sale.NextCheckAt.Sub(*r.sale.PermitAt), 90*time.Second, "by the schedule")
	r.wait(20 * time.Second).do(told(Notified, Failed))
	r.is(Unknown, CashTaken)
	require.Equal(t, r.at, r.sale.NextCheckAt.UTC(), "a hint to look")
	r.do(told(Listed, Failed))
	r.is(Failed, CashRefundDue)

	r = timedOut()
	for r.sale.Fulfilment == Unknown {
		r.at = *r.sale.NextCheckAt
		r.do(empty)
	}
	r.is(Failed, CashRefundDue)
	require.True(t, r.sale.ByAbsence)
	require.GreaterOrEqual(t, r.at.Sub(*r.sale.PermitAt), absenceLast)
}

func TestLateSuccess(t *testing.T) {
	t.Parallel()
	failed := func() *run { return newRun(t, "Instant").sent().do(told(Replied, Failed)) }

	r := failed().do(told(Notified, Complete)) // a webhook is a hint, not an outcome
	r.is(Failed, CashRefundDue)
	require.Equal(t, r.at, *r.sale.NextCheckAt)

	r.do(told(Listed, Complete))
	r.is(Complete, CashEarned)
	r.holds(map[ledger.Account]string{"1000:shift": "10.30", "1100": "-9.40"})
	require.Equal(t, []IncidentKind{LateSuccess}, r.kinds)

	r = failed().do(Observation{Cause: Refunded, ShiftID: "shift"}, told(Listed, Complete))
	r.is(Complete, CashRefunded)
	r.holds(map[ledger.Account]string{"1000:shift": "0.00", "1100": "-9.40", "5900": "10.20", "4100": "-0.80"})
}

func TestLateReversalNeedsTwoListsAMinuteApart(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Complete), told(Notified, Failed), told(Listed, Failed))
	r.is(Complete, CashEarned)
	r.wait(59 * time.Second).do(told(Listed, Failed))
	r.is(Complete, CashEarned)
	r.wait(2 * time.Second).do(told(Listed, Failed))
	r.is(Failed, CashRefundDue)
	r.holds(map[ledger.Account]string{"1130": "10.20", "2010": "-10.30", "1100": "-10.20", "4100": "0.00"})
	require.Equal(t, []IncidentKind{LateReversal}, r.kinds)
}

// Cancelled is not delivered either: a cancellation may have been answered behind a webhook that told of success.
func TestASaleThatIsListedAsCancelledAfterAllIsReversed(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Batch")
	r.sent().do(told(Replied, Submitted), told(Notified, Complete))
	r.is(Complete, CashEarned)
	r.do(told(CancelAnswered, Cancelled))
	require.NotNil(t, r.sale.NextCheckAt, "a hint to look")
	r.do(told(Listed, Cancelled)).is(Complete, CashEarned)
	r.wait(reversalSettles).do(told(Listed, Cancelled)).is(Failed, CashRefundDue)
	require.Equal(t, []IncidentKind{LateReversal}, r.kinds)
}

func TestAReversalThatIsTakenBackIsForgotten(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Complete), told(Listed, Failed)).wait(30 * time.Second).do(told(Listed, Complete))
	r.wait(time.Minute).do(told(Listed, Failed))
	r.is(Complete, CashEarned)
}

func TestALateReversalOfALossOwesTheCustomerNothing(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Failed), Observation{Cause: Refunded, ShiftID: "shift"}, told(Listed, Complete), told(Listed, Failed))
	r.wait(time.Minute).do(told(Listed, Failed))
	r.is(Failed, CashRefunded)
	r.holds(map[ledger.Account]string{"1130": "10.20", "5900": "0.00", "1000:shift": "0.00"})
}

func TestBatchIsDeductedWhenAcceptedAndOwedBackWhenItFails(t *testing.T) {
	t.Parallel()
	accepted := func() *run { return newRun(t, "Batch").sent().do(told(Replied, Submitted)) }
	r := accepted()
	r.is(Submitted, CashTaken)
	r.holds(map[ledger.Account]string{"1120": "10.20", "2000": "-10.30", "1100": "-10.20"})
	r.do(told(Listed, Processing), told(Listed, Complete))
	r.holds(map[ledger.Account]string{"1100": "-9.40"})

	r = accepted().do(told(Listed, Failed))
	r.is(Failed, CashRefundDue)
	r.holds(map[ledger.Account]string{"1130": "10.20", "2010": "-10.30"})

	r = accepted().do(Observation{Cause: CancelAsked}, told(CancelAnswered, Complete))
	r.is(Cancelling, CashTaken) // only a returned Cancelled is a cancellation
	r.do(told(CancelAnswered, Cancelled))
	r.is(Cancelled, CashRefundDue)

	r = accepted().do(told(Listed, Failed), told(Listed, Complete))
	r.is(Complete, CashEarned)
	r.holds(map[ledger.Account]string{"1100": "-9.40"})
}

func TestTryAgainNeedsTheCash(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Failed))
	r.do(Observation{Cause: TriedAgain, NewRef: "NEW"})
	r.is(Recorded, CashTaken)
	require.Equal(t, 2, r.sale.Attempt)
	r.holds(map[ledger.Account]string{"1110": "10.20", "2000": "-10.30", "1100": "-10.20"})
	r.sent().do(told(Replied, Complete))
	r.holds(map[ledger.Account]string{"1100": "-9.40"})

	r = newRun(t, "Instant").sent().do(told(Replied, Failed), Observation{Cause: Refunded, ShiftID: "shift"})
	require.Equal(t, fault.Conflict, fault.KindOf(r.try(Observation{Cause: TriedAgain, NewRef: "NEW"})))
}

// TestCashStaysWhileTheSendIsUnderWay: its answer is seconds away.
func TestCashStaysWhileTheSendIsUnderWay(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent()
	require.False(t, r.sale.RefundableOpen())
	require.Equal(t, fault.Conflict, fault.KindOf(r.try(Observation{Cause: Refunded, ShiftID: "shift"})))
	r.do(Observation{Cause: Lost})
	require.True(t, r.sale.RefundableOpen())
	r.do(Observation{Cause: Refunded, ShiftID: "shift"})
	require.False(t, r.sale.RefundableOpen())
}

func TestARefundWhileUnknownIsALossIfItSucceeds(t *testing.T) {
	t.Parallel()
	refunded := func() *run {
		return newRun(t, "Instant").sent().do(Observation{Cause: Lost}, Observation{Cause: Refunded, ShiftID: "shift"})
	}
	r := refunded().do(told(Listed, Complete))
	r.is(Complete, CashRefunded)
	r.holds(map[ledger.Account]string{"1000:shift": "0.00", "1100": "-9.40", "5900": "10.20"})
	r = refunded().do(told(Listed, Failed))
	r.is(Failed, CashRefunded)
	r.holds(map[ledger.Account]string{"1000:shift": "0.00", "1100": "0.00", "5900": "0.00"})
}

func TestPracticeNeverTouchesTheBooks(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant")
	r.sale.Practice, r.books = true, map[ledger.Account]int64{}
	r.sent().do(told(Replied, Complete))
	require.Empty(t, r.books)
}

func TestDetailsMayComeLater(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Complete))
	later := told(Listed, Complete)
	later.Facts.SealedReceipt, later.Facts.PINHint, later.Facts.TransferRef = "sealed", "1234", "2"
	r.do(later)
	require.Equal(t, "sealed", r.sale.SealedReceipt)
	require.Equal(t, "1", r.sale.TransferRef, "what is known is kept")
}

// A number that its owner had erased is nobody's to send to, and the settings and the bill are gone with it: a reversal
// leaves cash to give back, and no more.
func TestASaleWhoseNumberWasErasedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().do(told(Replied, Complete))
	r.sale.AccountNumber = Erased
	r.do(told(Listed, Failed)).wait(reversalSettles).do(told(Listed, Failed), Observation{Cause: Repaid})
	r.is(Failed, CashRefundDue)
	require.Equal(t, fault.Conflict, fault.KindOf(r.try(Observation{Cause: TriedAgain, NewRef: "another"})))
	r.do(Observation{Cause: Refunded, ShiftID: "shift"})
	r.is(Failed, CashRefunded)
}

// What a reply left in doubt is no reason any more of a transfer that the list has.
func TestAReasonIsOverOnceTheListTells(t *testing.T) {
	t.Parallel()
	for _, state := range []State{Submitted, Processing, Complete, Cancelled} {
		lost := Observation{Cause: Lost, ReasonCode: "TransientProviderError", ReasonContext: "ProviderTimedOut"}
		r := newRun(t, "Batch").sent().do(lost)
		require.Equal(t, lost.ReasonCode, r.sale.ReasonCode)
		r.do(told(Listed, state))
		require.Empty(t, r.sale.ReasonCode+r.sale.ReasonContext, state)
		require.Equal(t, state == Submitted || state == Processing, r.sale.OpenSeenAt != nil, "%s is seen under way", state)
	}
}

// A sale that the upstream executed twice is never sent again, also once one of the two was reversed and paid back.
func TestWhatWasExecutedTwiceIsNeverSentAgain(t *testing.T) {
	t.Parallel()
	twice := told(Listed, Complete)
	twice.Alert = ExecutedTwice
	r := newRun(t, "Instant").sent().do(told(Replied, Complete), twice, told(Listed, Failed))
	r.wait(reversalSettles).do(told(Listed, Failed), Observation{Cause: Repaid})
	r.is(Failed, CashRefundDue)
	require.Equal(t, fault.Conflict, fault.KindOf(r.try(Observation{Cause: TriedAgain, NewRef: "another"})))
}

// A list that was asked for before the cancellation says nothing of it.
func TestAnOlderListLeavesACancellationAsItIs(t *testing.T) {
	t.Parallel()
	for asOf, state := range map[int]State{1: Cancelling, 2: Processing} {
		r := newRun(t, "Batch").sent().do(told(Replied, Submitted), Observation{Cause: CancelAsked})
		r.sale.Events = 2
		o := told(Listed, Processing)
		o.AsOf = asOf
		r.do(o).is(state, CashTaken)
	}
}

func TestAnOddPriceIsTakenAndShown(t *testing.T) {
	t.Parallel()
	o := told(Replied, Complete)
	o.Facts.Cost.Send, o.Facts.Odd = eur("9.90"), "the price told is not the quoted one"
	r := newRun(t, "Instant").sent().do(o)
	require.Equal(t, []IncidentKind{OddAmount}, r.kinds)
	r.holds(map[ledger.Account]string{"1100": "-9.30", "4020": "-0.40"})
}
