package web

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/harness/storetest"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/locale"
)

// TestEachEntryOfTheTimelineHasItsSentence makes every kind of entry by what makes it in
// the till, and reads what the sale's page says of it: in English word for word, and in
// each of the other languages something of its own.
func TestEachEntryOfTheTimelineHasItsSentence(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	m := &timelineMaker{bench: b, like: b.saleAt(b.atTill(staff.Cashier).sellTopUp())}
	price := "€" + m.like.Price().Decimal(2)
	taken := "Cash taken: " + price + " cashier"
	back := "Cash given back: " + price + " cashier, out of the drawer of Till 1, shift 1 · he insists"
	const sent, lost = "Sent to the transfer service", "No answer came, or none that could be read"
	lateLoss := "It went through after all, but " + price + " had been given back. Do not give anything back again. " +
		"Tell your manager: the shop bears the loss unless the customer pays."
	said := map[sales.Step]bool{}
	for name, c := range map[string]struct {
		acts []func()
		want []string
	}{
		"sent": {
			[]func(){m.record, m.send, m.saw(sales.Replied, sales.Complete), m.saw(sales.Listed, sales.Complete)},
			[]string{
				taken, sent, "The transfer service was asked about it 1 time", "The transfer service says: Sent",
				"The transfer service sent more details",
			},
		},
		"nothing left": {
			[]func(){m.record, m.send, m.nothingLeft, m.tooLate},
			[]string{taken, sent, "It could not be sent: nothing left the till", "Not sent: more than a minute had passed"},
		},
		"called off": {
			[]func(){m.record, m.callOff},
			[]string{taken, "Cancelled before it was sent cashier · he left"},
		},
		"cancelled": {
			[]func(){
				m.record, m.send, m.saw(sales.Replied, sales.Submitted), m.askCancel, m.saw(sales.Listed, sales.Processing),
				m.askCancel, m.saw(sales.CancelAnswered, sales.Cancelled),
			},
			[]string{
				taken, sent, "The transfer service says: On its way", "Cancellation asked for cashier",
				"The transfer service says: On its way", "Cancellation asked for cashier", "The transfer service says: Cancelled",
			},
		},
		"absent": {
			[]func(){m.record, m.send, m.lose, m.lookInVain, m.lookInVain, m.lookInVain, m.tryAgain},
			[]string{
				taken, sent, lost, "The transfer service was asked about it 3 times", "The transfer service has no record of it",
				"Allowed: Another attempt, too early manager · he waits", "Tried again, with a new reference cashier · he waits",
			},
		},
		"an earlier attempt, too": {
			[]func(){
				m.record, m.send, m.lose, m.lookInVain, m.lookInVain, m.lookInVain, m.tryAgain, m.send,
				m.saw(sales.Replied, sales.Complete), m.sawEarlier,
			},
			[]string{
				taken, sent, lost, "The transfer service has no record of it",
				"Allowed: Another attempt, too early manager · he waits", "Tried again, with a new reference cashier · he waits",
				sent, "The transfer service says: Sent", "An earlier attempt went through after all. Tell your manager.",
			},
		},
		"given back in doubt": {
			[]func(){
				m.record, m.send, m.lose, m.lookInVain, m.refund, m.saw(sales.Listed, sales.Complete), m.saw(sales.Listed, sales.Failed),
				m.saw(sales.Listed, sales.Failed),
			},
			[]string{
				taken, sent, lost, "Allowed: Cash back for a sale that may still go through manager · he insists", back, lateLoss,
				"The transfer service was asked about it 4 times",
				"It went through late, then was taken back. The " + price + " were given back already: nothing is owed.",
			},
		},
		"late": {
			[]func(){
				m.record, m.send, m.saw(sales.Replied, sales.Failed), m.saw(sales.Listed, sales.Complete), m.saw(sales.Listed, sales.Failed),
				m.saw(sales.Listed, sales.Failed), m.repay,
			},
			[]string{
				taken, sent, "The transfer service says: Not sent",
				"It went through after all. Keep the " + price + " in the drawer: " +
					"do not give them back. Tell the customer that it has arrived.",
				"The transfer service was asked about it 3 times",
				"It was sent, then taken back. The customer has nothing: give back " + price + ".",
				"The transfer service paid its debt back",
			},
		},
		"late, and a loss": {
			[]func(){m.record, m.send, m.saw(sales.Replied, sales.Failed), m.refund, m.saw(sales.Listed, sales.Complete)},
			[]string{taken, sent, "The transfer service says: Not sent", back, "The transfer service was asked about it 1 time", lateLoss},
		},
		"not given back": {
			[]func(){m.record, m.send, m.saw(sales.Replied, sales.Failed), m.refund, m.notGivenBack},
			[]string{
				taken, sent, "The transfer service says: Not sent", back,
				"Not given back after all: " + price + " cashier · he is still here",
			},
		},
		"decided": {
			[]func(){m.record, m.send, m.lose, m.decide},
			[]string{taken, sent, lost, "Two people decided: Not sent cashier"},
		},
		"PIN": {
			[]func(){m.sellPIN, m.show(""), m.show("he lost it")},
			[]string{
				taken, sent, "The transfer service says: Sent", "PIN shown cashier", "PIN shown cashier · he lost it",
			},
		},
		"printed": {
			[]func(){
				m.record, m.print(receipt.Waiting, receipt.Customers), m.print(receipt.Receipt, receipt.Customers),
				m.print(receipt.Receipt, receipt.Customers), m.print(receipt.Receipt, receipt.Shops),
				m.print(receipt.Refund, receipt.Customers), m.failPrint,
			},
			[]string{
				taken, "Waiting slip printed: the customer's cashier", "Receipt printed: the customer's cashier",
				"Receipt printed: the customer's · DUPLICATE 1 cashier", "Receipt printed: the shop's cashier",
				"Refund slip printed: the customer's · did not print cashier",
			},
		},
	} {
		for _, act := range c.acts {
			b.pass(20 * time.Second)
			act()
		}
		w := b.signIn(staff.Cashier)
		english := w.timeline("/sales/" + m.id)
		sale := m.sale()
		for i := range english { // a PIN has another price
			english[i] = strings.ReplaceAll(english[i], "€"+sale.Price().Decimal(2), price)
		}
		require.Equal(t, c.want, english, name)
		moments, err := m.service().Timeline(t.Context(), sale)
		require.NoError(t, err)
		for _, m := range moments {
			said[m.Step] = true
		}
		for _, named := range locale.Languages()[1:] {
			language := named.Tag
			w.header.Set("Accept-Language", language)
			own := w.timeline("/sales/" + m.id)
			require.Len(t, own, len(english), "%s in %s", name, language)
			for i := range own {
				require.NotEqual(t, english[i], own[i], "%s in %s", name, language)
				require.NotContains(t, own[i], "timeline.", "%s in %s", name, language)
			}
		}
	}
	for step := range frame.StepKeys {
		require.True(t, said[step], "no act above makes %q", step)
	}
	require.True(t, said[sales.StepAsked])
}

// TestASaleThatWasCalledOffSaysSo: it was not sent because somebody asked for that, and not for want of time.
func TestASaleThatWasCalledOffSaysSo(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	m := &timelineMaker{bench: b, like: b.saleAt(b.atTill(staff.Cashier).sellTopUp())}
	m.record()
	m.callOff()
	w := b.signIn(staff.Cashier)
	why := w.get("/sales/" + m.id).page(t).Find(".verdict-words").Text()
	require.Contains(t, why, "It was cancelled before it was sent.")
	require.Contains(t, why, "Try again, or give the cash back.")
	require.NotContains(t, why, "he left", "a person's words are for the timeline")
	require.NoError(t, b.server.D.Report.Refresh(t.Context()))
	reasons := b.signIn(staff.Manager).get("/reports/failures?by=reason&from=2026-03-01&to=2026-03-01").page(t)
	require.Contains(t, reasons.Text(), "It was cancelled before it was sent.")

	m.record()
	m.pass(2 * time.Minute)
	m.tooLate()
	require.Contains(t, w.get("/sales/"+m.id).page(t).Find(".verdict-words").Text(), "It could not be sent within a minute.")

	m.record()
	for range sales.MaxPermits { // which takes no minute
		m.send()
		m.nothingLeft()
	}
	why = w.get("/sales/" + m.id).page(t).Find(".verdict-words").Text()
	require.Contains(t, why, "There was no connection to the transfer service.")
	require.Contains(t, why, "Try again, or give the cash back.")
}

// TestTheAdviceToWaitAnHourEndsWithIt: from then on anybody may try again.
func TestTheAdviceToWaitAnHourEndsWithIt(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	m := &timelineMaker{bench: b, like: b.saleAt(b.atTill(staff.Cashier).sellTopUp())}
	for _, act := range []func(){m.record, m.send, m.lose, m.lookInVain, m.lookInVain, m.lookInVain} {
		act()
	}
	require.Equal(t, sales.Failed, m.sale().Fulfilment)
	said := func() string {
		return b.signIn(staff.Cashier).get("/sales/" + m.id).page(t).Find(".verdict-words").Text()
	}
	require.Contains(t, said(), "Give the cash back, or sell it again after an hour.")
	b.pass(time.Hour)
	after := said()
	require.NotContains(t, after, "an hour")
	require.Contains(t, after, "Try again, or give the cash back.")
}

// TestWhatWasDoubtfulOnceIsNoReasonLater: no answer came at first, but the transfer was accepted, then cancelled or sent.
func TestWhatWasDoubtfulOnceIsNoReasonLater(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	m := &timelineMaker{bench: b, like: b.saleAt(b.atTill(staff.Cashier).sellTopUp())}
	doubt := func(code, context string) func() {
		return func() { m.observe(sales.Observation{Cause: sales.Lost, ReasonCode: code, ReasonContext: context}) }
	}
	for name, acts := range map[string][]func(){
		"Cancelled. Nothing was charged.": {doubt("NoReply", ""), m.saw(sales.Listed, sales.Submitted), m.askCancel, m.saw(sales.CancelAnswered, sales.Cancelled)},
		"Sent.":                           {doubt("TransientProviderError", "ProviderTimedOut"), m.saw(sales.Listed, sales.Complete)},
	} {
		m.record()
		m.send()
		for _, act := range acts {
			act()
		}
		said := b.signIn(staff.Cashier).get("/sales/" + m.id).page(t).Find(".verdict-words").Text()
		require.True(t, strings.HasPrefix(said, name), said)
		require.NotContains(t, said, "refused", name)
		require.NotContains(t, said, "ProviderTimedOut", name)
	}
}

// timeline reads what a sale's page says of what happened, the oldest first.
func (w *browser) timeline(path string) []string {
	w.b.t.Helper()
	return w.get(path).page(w.b.t).Find(".timeline li > span").Map(func(_ int, line *goquery.Selection) string {
		texts := line.Find("bdi").Map(func(_ int, part *goquery.Selection) string { return part.Text() })
		return strings.Join(texts, " ")
	})
}

// timelineMaker does to a sale what the till, the upstream and people may do to it.
type timelineMaker struct {
	*bench
	like    sales.Sale // what is sold each time, to another number
	id      string
	numbers int
}

func (m *timelineMaker) service() *sales.Service { return m.server.D.Sales }

func (m *timelineMaker) did(_ sales.Sale, err error) {
	m.t.Helper()
	require.NoError(m.t, err)
}

// record takes the cash for a sale that is not sent yet.
func (m *timelineMaker) record() {
	m.t.Helper()
	like := m.like
	m.numbers++
	quote, err := m.server.D.Counter.Quote(m.t.Context(), counter.Ask{
		Seller: counter.Seller{
			CashierID: like.CashierID, ShopID: like.ShopID, Country: "IE", TillID: like.TillID, ShiftID: like.ShiftID, Language: "en", Currency: like.PriceCurrency,
		},
		Number: fmt.Sprintf("3538755500%02d", m.numbers), Provider: like.ProviderCode, SKU: like.SKUCode, Confirmed: true,
	})
	require.NoError(m.t, err)
	offer, err := quote.Offer(counter.Confirmation{Key: store.NewID(m.clock()), Shown: quote.Terms.Price})
	require.NoError(m.t, err)
	sale, _, err := m.service().Sell(m.t.Context(), offer)
	require.NoError(m.t, m.db.Tx(m.t.Context(), func(tx *store.Tx) error { // so that it can be cancelled
		return tx.Exec("UPDATE sales SET processing_mode = 'Batch' WHERE id = ?", sale.ID).Error
	}))
	m.did(sale, err)
	m.id = sale.ID
}

func (m *timelineMaker) sale() sales.Sale { return m.saleAt("/sales/" + m.id) }

func (m *timelineMaker) observe(o sales.Observation) {
	m.t.Helper()
	o.At = m.clock()
	m.did(m.service().Observe(m.t.Context(), m.id, o))
}

func (m *timelineMaker) send() {
	m.observe(sales.Observation{Cause: sales.Permitted, Permit: sales.Permit{By: "test"}})
}

func (m *timelineMaker) nothingLeft() {
	sale := m.sale()
	m.observe(sales.Observation{Cause: sales.NothingLeft, Permit: sales.Permit{
		By: sale.PermitBy, Number: sale.Permits, At: sale.PermitAt.UnixMicro(),
	}})
}

// saw is what the upstream says of the transfer.
func (m *timelineMaker) saw(cause sales.Cause, state sales.State) func() {
	return func() {
		m.t.Helper()
		m.pass(time.Minute) // a reversal is one when it was seen for a minute
		sale := m.sale()
		o := sales.Observation{Cause: cause, Ref: sale.Ref, Source: "test", State: state, AsOf: sale.Events}
		if cause == sales.Listed && state == sales.Complete {
			o.Facts = &sales.Facts{TransferRef: strconv.Itoa(sale.Events)}
		}
		m.observe(o)
	}
}

// sawEarlier is the first attempt, listed as carried out.
func (m *timelineMaker) sawEarlier() {
	m.t.Helper()
	var refs []string
	require.NoError(m.t, m.db.Read(m.t.Context()).Raw(
		"SELECT ref FROM attempts WHERE sale_id = ? ORDER BY number", m.id).Scan(&refs).Error)
	m.observe(sales.Observation{
		Cause: sales.Listed, Ref: refs[0], Source: "test", State: sales.Complete, Facts: &sales.Facts{TransferRef: "4"},
	})
}

func (m *timelineMaker) lose() { m.observe(sales.Observation{Cause: sales.Lost}) }

// lookInVain looks for the transfer after a while, and it is not there.
func (m *timelineMaker) lookInVain() {
	m.pass(6 * time.Minute)
	m.observe(sales.Observation{Cause: sales.Looked, ControlSeen: true})
}

func (m *timelineMaker) act(reason string) sales.Act {
	return sales.Act{
		Actor: audit.Actor{UserID: m.like.CashierID, ShopID: m.like.ShopID, TillID: m.like.TillID}, ShiftID: m.like.ShiftID, Reason: reason,
		Approver: approval.Approver{ID: m.users[staff.Manager].ID},
	}
}

func (m *timelineMaker) refund() { m.did(m.service().Refund(m.t.Context(), m.id, m.act("he insists"))) }

func (m *timelineMaker) notGivenBack() {
	m.did(m.service().NotGivenBack(m.t.Context(), m.id, m.act("he is still here")))
}

func (m *timelineMaker) callOff() { m.did(m.service().CallOff(m.t.Context(), m.id, m.act("he left"))) }

func (m *timelineMaker) tryAgain() {
	m.did(sales.Sale{}, m.server.D.Catalog.Sync(m.t.Context(), false, catalog.Statuses)) // who takes transfers must be known
	m.did(m.service().TryAgain(m.t.Context(), m.id, m.act("he waits")))
}

func (m *timelineMaker) askCancel() {
	m.observe(sales.Observation{Cause: sales.CancelAsked, Actor: m.like.CashierID})
}

func (m *timelineMaker) tooLate() { m.observe(sales.Observation{Cause: sales.TooLate}) }

func (m *timelineMaker) repay() { m.observe(sales.Observation{Cause: sales.Repaid}) }

func (m *timelineMaker) decide() {
	m.pass(46 * 24 * time.Hour)
	m.observe(sales.Observation{Cause: sales.Decided, State: sales.Failed, Actor: m.like.CashierID})
}

func (m *timelineMaker) sellPIN() {
	path := m.atTill(staff.Cashier).sellPIN()
	m.becomes(path, sales.Complete)
	m.id = strings.TrimPrefix(path, "/sales/")
}

func (m *timelineMaker) show(reason string) func() {
	return func() { require.NoError(m.t, m.service().Reveal(m.t.Context(), m.id, m.act(reason))) }
}

func (m *timelineMaker) print(slip receipt.Slip, copied receipt.Copy) func() {
	return func() {
		m.t.Helper()
		_, err := m.server.D.Receipts.Start(m.t.Context(), m.act("").Actor, store.NewID(m.clock()), m.id, slip, copied)
		require.NoError(m.t, err)
	}
}

func (m *timelineMaker) failPrint() {
	m.t.Helper()
	prints, err := m.server.D.Receipts.Prints(m.t.Context(), m.id)
	require.NoError(m.t, err)
	require.NoError(m.t, m.server.D.Receipts.Fail(m.t.Context(), prints[len(prints)-1].ID, m.id))
}
