package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/ledger"
)

// TestWhatIsRefusedSaysWhy: whoever asks for what cannot be reads the reason, and nothing
// has moved.
func TestWhatIsRefusedSaysWhy(t *testing.T) {
	t.Parallel()
	permitted := Observation{Cause: Permitted, Permit: Permit{By: "another"}}
	again := Observation{Cause: TriedAgain, NewRef: "NEW"}
	refunded := Observation{Cause: Refunded, ShiftID: "shift"}
	batch, instant := "Batch", "Instant"
	for name, c := range map[string]struct {
		mode, where string
		change      func(*Sale)
		after       time.Duration
		asked       Observation
		why         string
	}{
		"sent already":             {mode: instant, where: "snd", asked: permitted, why: "sale.not-sendable"},
		"a minute has passed":      {mode: instant, where: "rec", after: VoidAfter, asked: permitted, why: "sale.not-sendable"},
		"its permits are used":     {mode: instant, where: "rec", change: func(s *Sale) { s.Permits = MaxPermits }, asked: permitted, why: "sale.not-sendable"},
		"it was executed already":  {mode: instant, where: "rec", change: func(s *Sale) { s.Stopped = true }, asked: permitted, why: "sale.not-sendable"},
		"a cancelling of a top-up": {mode: instant, where: "sub", asked: Observation{Cause: CancelAsked}, why: "sale.no-batch"},
		"cancelled twice":          {mode: batch, where: "cng", asked: Observation{Cause: CancelAsked}, why: "sale.moved"},
		"called off too late":      {mode: instant, where: "snd", asked: Observation{Cause: CalledOff}, why: "sale.moved"},
		"again, though it went":    {mode: instant, where: "fld", change: func(s *Sale) { s.Stopped = true }, asked: again, why: "sale.carried-out"},
		"again, without cash":      {mode: instant, where: "fld-", asked: again, why: "sale.cash-given-back"},
		"again, while it is owed":  {mode: batch, where: "can", asked: again, why: "sale.money-owed"},
		"a second refund":          {mode: instant, where: "fld-", asked: refunded, why: "sale.refunded"},
		"a refund of a success":    {mode: instant, where: "com", asked: refunded, why: "sale.no-refund"},
		"a refund in mid-send":     {mode: instant, where: "snd", asked: refunded, why: "sale.no-refund"},
		"no PIN to show":           {mode: instant, where: "com", asked: Observation{Cause: Revealed}, why: "sale.no-pin"},
		"decided too early":        {mode: instant, where: "unk", after: DecideAfter - 1, asked: Observation{Cause: Decided, State: Failed}, why: "sale.list-may-tell"},
		"decided, though known":    {mode: instant, where: "com", after: DecideAfter, asked: Observation{Cause: Decided, State: Failed}, why: "sale.moved"},
		"decided to be nothing":    {mode: instant, where: "unk", after: DecideAfter, asked: Observation{Cause: Decided, State: Voided}, why: "sale.moved"},
	} {
		r := stand(t, c.mode, c.where).wait(c.after)
		if c.change != nil {
			c.change(&r.sale)
		}
		before, books := r.sale, len(r.books)
		var refusal *fault.Error
		require.ErrorAs(t, r.try(c.asked), &refusal, name)
		require.Equal(t, c.why, refusal.Code, name)
		require.NotEmpty(t, fault.Message(refusal), name)
		require.Equal(t, before, r.sale, name)
		require.Len(t, r.books, books, name)
	}
}

// TestAnAttemptThatWasGivenUpIsListed: what a later attempt has replaced was carried out
// after all. Where the sale stands says whether it is the sale now, a loss beside it, or
// must wait for the later one.
func TestAnAttemptThatWasGivenUpIsListed(t *testing.T) {
	t.Parallel()
	old := told(Listed, Complete)
	old.Old, old.Ref = true, "OLD"
	for where, c := range map[string]struct {
		becomes string
		kind    IncidentKind
		late    bool // the attempt is accounted for
		loss    string
	}{
		"rec":  {becomes: "com", kind: LateSuccess, late: true}, // it is not sent any more
		"snd":  {becomes: "snd", kind: LateSuccess},
		"unk":  {becomes: "unk", kind: LateSuccess},
		"sub":  {becomes: "sub", kind: LateSuccess},
		"pro":  {becomes: "pro", kind: LateSuccess},
		"cng":  {becomes: "cng", kind: LateSuccess},
		"unk-": {becomes: "unk-", kind: LateSuccess},
		"fld":  {becomes: "com", kind: LateSuccess, late: true},
		"can":  {becomes: "com", kind: LateSuccess, late: true},
		"voi":  {becomes: "com", kind: LateSuccess, late: true},
		"fld-": {becomes: "com-", kind: LateSuccess, late: true, loss: "10.20"},
		"com":  {becomes: "com", kind: ExecutedTwice, late: true, loss: "10.20"},
		"com-": {becomes: "com-", kind: ExecutedTwice, late: true, loss: "20.40"},
	} {
		r := stand(t, "Batch", where)
		r.kinds = nil
		change, err := Apply(r.sale, withTime(old, r.at))
		require.NoError(t, err, where)
		require.Equal(t, c.late, change.Late, where)
		r.do(old)
		require.Equal(t, short[c.becomes], r.sale.position(), where)
		require.True(t, r.sale.Stopped, "%s: nothing is sent any more", where)
		require.Equal(t, []IncidentKind{c.kind}, r.kinds, where)
		require.Empty(t, openAccounts(r), where)
		loss := eur("0.00")
		if c.loss != "" {
			loss = eur(c.loss)
		}
		require.Equal(t, loss.Micros(), r.books[ledger.Losses], where)
		require.Equal(t, c.late && c.kind == LateSuccess, r.sale.Ref == "OLD", "%s: the ref that was carried out is the sale's", where)

		if c.late {
			continue
		}
		r.do(old)
		require.Equal(t, []IncidentKind{c.kind}, r.kinds, "%s: a person is told once", where)
	}
}

// TestOnlyTheListTellsOfAnAttemptThatWasGivenUp, and only that it was carried out.
func TestOnlyTheListTellsOfAnAttemptThatWasGivenUp(t *testing.T) {
	t.Parallel()
	for where := range short {
		if where == "voi-" || where == "can-" || where == "sub-" || where == "pro-" || where == "cng-" {
			continue // as those whose cash is still here
		}
		for _, o := range []Observation{
			told(Notified, Complete), told(Replied, Complete), told(Listed, Failed), told(Listed, Processing),
			told(CancelAnswered, Cancelled),
			{Cause: Looked, ControlSeen: true},
			{Cause: Lost},
		} {
			r := stand(t, "Batch", where)
			before, kinds := r.sale, len(r.kinds)
			o.Old, o.Ref = true, "OLD"
			r.do(o)
			require.Equal(t, before, r.sale, "%s: %s %s", where, o.Cause, o.State)
			require.Len(t, r.kinds, kinds)
		}
	}
}
