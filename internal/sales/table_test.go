package sales

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
)

// theTable says what each thing that can be seen or done makes of a sale, wherever it
// stands: where it stands then, "." where nothing moves, "!" where it is refused. A minus
// says that the cash has been given back, a star that a person is told.
const theTable = `
                    rec   snd   unk   sub   pro   cng   com   fld   can   voi   unk-  com-  fld-
permitted           snd   !     !     !     !     !     !     !     !     !     !     !     !
permitted late      !     !     !     !     !     !     !     !     !     !     !     !     !
nothing left        .     rec   .     .     .     .     .     .     .     .     .     .     .
too late            voi   .     .     .     .     .     .     .     .     .     .     .     .
too early           .     .     .     .     .     .     .     .     .     .     .     .     .
called off          voi   !     !     !     !     !     !     !     !     !     !     !     !
lost                .     unk   .     .     .     .     .     .     .     .     .     .     .
replied unknown     .     unk   .     .     .     .     .     .     .     .     .     .     .
replied submitted   .     sub   sub   .     .     .     .     .     .     .     sub-  .     .
replied processing  .     pro   pro   pro   .     .     .     .     .     .     pro-  .     .
replied complete    .     com   com   com   com   com   .     .     .     .     com-* .     .
replied failed      .     fld   fld   fld   fld   fld   .     .     .     .     fld-  .     .
listed submitted    sub*  sub   sub   .     .     sub   .     .     .     .     sub-  .     .
listed processing   pro*  pro   pro   pro   .     pro   .     .     .     .     pro-  .     .
listed complete     com*  com   com   com   com   com   .     com*  com*  com*  com-* .     com-*
listed failed       fld*  fld   fld   fld   fld   fld   .     .     .     .     fld-  .     .
listed cancelled    can*  can   can   can   can   can   .     .     .     .     can-  .     .
notified processing pro*  pro   pro   pro   .     .     .     .     .     .     pro-  .     .
notified complete   com*  com   com   com   com   com   .     .     .     .     com-* .     .
notified failed     fld*  fld   fld   fld   fld   fld   .     .     .     .     fld-  .     .
not listed          .     .     .     .     .     .     .     .     .     .     .     .     .
cancel asked        !     !     !     cng   cng   !     !     !     !     !     !     !     !
cancel answered     .     can   can   can   can   can   .     .     .     .     can-  .     .
cancel refused      .     .     .     .     .     .     .     .     .     .     .     .     .
tried again         !     !     !     !     !     !     !     rec   !     rec   !     !     !
refunded            !     !     unk-* sub-* pro-* cng-* !     fld-  can-  voi-  !     !     !
shown               !     !     !     !     !     !     !     !     !     !     !     !     !
decided complete    !     !     com   com   com   com   !     !     !     !     com-* !     !
decided failed      !     !     fld   fld   fld   fld   !     !     !     !     fld-  !     !
decided early       !     !     !     !     !     !     !     !     !     !     !     !     !
repaid              .     .     .     .     .     .     .     .     .     .     .     .     .
`

// short are the names in theTable of where a sale stands.
var short = map[string]string{
	"rec": "recorded/taken", "snd": "sending/taken", "unk": "unknown/taken", "sub": "submitted/taken", "pro": "processing/taken",
	"cng": "cancelling/taken", "com": "complete/earned", "fld": "failed/refund_due", "can": "cancelled/refund_due",
	"voi": "voided/refund_due", "unk-": "unknown/refunded", "sub-": "submitted/refunded", "pro-": "processing/refunded",
	"cng-": "cancelling/refunded", "com-": "complete/refunded", "fld-": "failed/refunded", "can-": "cancelled/refunded",
	"voi-": "voided/refunded",
}

// stand plays a sale until it stands there.
func stand(t *testing.T, mode, where string) *run {
	t.Helper()
	r := newRun(t, mode)
	before, back := strings.CutSuffix(where, "-")
	cancel := Observation{Cause: CancelAsked}
	switch before {
	case "rec":
	case "voi":
		r.do(Observation{Cause: CalledOff})
	case "snd":
		r.sent()
	case "unk":
		r.sent().do(Observation{Cause: Lost})
	case "cng":
		r.sent().do(told(Replied, Submitted), cancel)
	case "can":
		r.sent().do(told(Replied, Submitted), cancel, told(CancelAnswered, Cancelled))
	default:
		if where == "com-" { // it was given up, and its cash given back, before it succeeded
			return stand(t, mode, "fld-").do(listed(Complete)(r))
		}
		state, _, _ := strings.Cut(short[before], "/")
		r.sent().do(told(Replied, State(state)))
	}
	if back {
		r.do(Observation{Cause: Refunded, ShiftID: "shift"})
	}
	require.Equal(t, short[where], r.sale.position())
	return r
}

// TestTheTable plays every cell of theTable, for what the upstream does at once and for
// what it does later. Wherever a sale comes to stand, the books say the same.
func TestTheTable(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.Trim(theTable, "\n"), "\n")
	columns := strings.Fields(lines[0])
	require.Len(t, lines, len(observed)+1)
	for i, what := range observed {
		name, cells := lines[i+1][:20], strings.Fields(lines[i+1][20:])
		require.Equal(t, what.name, strings.TrimSpace(name))
		require.Len(t, cells, len(columns), name)
		for j, where := range columns {
			require.Equal(t, cells[j], cellOf(t, "Batch", where, what), "%s, %s", what.name, where)
			if strings.HasPrefix(where, "c") && where != "com" && where != "com-" {
				continue // what is done at once is never cancelled
			}
			want := cells[j]
			if what.name == "cancel asked" {
				want = "!"
			}
			require.Equal(t, want, cellOf(t, "Instant", where, what), "%s, %s, at once", what.name, where)
		}
	}
}

// cellOf is what an observation makes of a sale.
func cellOf(t *testing.T, mode, where string, what sight) (cell string) {
	t.Helper()
	r := stand(t, mode, where)
	r.wait(what.after)
	was, told := r.sale, len(r.kinds)
	err := r.try(what.see(r))
	if fault.KindOf(err) == fault.Conflict || fault.KindOf(err) == fault.NotFound {
		require.Equal(t, was, r.sale)
		return "!"
	}
	require.NoError(t, err)
	require.Empty(t, openAccounts(r), "%s, %s", what.name, where)
	cell = "."
	if r.sale.position() != was.position() {
		for name, position := range short {
			if position == r.sale.position() {
				cell = name
			}
		}
	}
	if len(r.kinds) > told {
		cell += "*"
	}
	return cell
}

// sight is something seen or done a while after a sale came to stand where it does.
type sight struct {
	name  string
	after time.Duration
	see   func(r *run) Observation
}

// observed is what can be seen of a sale, or done with it.
var observed = []sight{
	{"permitted", 0, is(Observation{Cause: Permitted, Permit: Permit{By: "another"}})},
	{"permitted late", VoidAfter, is(Observation{Cause: Permitted, Permit: Permit{By: "another"}})},
	{"nothing left", 0, func(r *run) Observation { return r.back() }},
	{"too late", VoidAfter, is(Observation{Cause: TooLate})},
	{"too early", VoidAfter - time.Microsecond, is(Observation{Cause: TooLate})},
	{"called off", 0, is(Observation{Cause: CalledOff})},
	{"lost", 0, is(Observation{Cause: Lost})},
	{"replied unknown", 0, is(Observation{Cause: Replied, State: Unknown, Claim: true})},
	{"replied submitted", 0, is(told(Replied, Submitted))},
	{"replied processing", 0, is(told(Replied, Processing))},
	{"replied complete", 0, is(told(Replied, Complete))},
	{"replied failed", 0, is(told(Replied, Failed))},
	{"listed submitted", 0, listed(Submitted)},
	{"listed processing", 0, listed(Processing)},
	{"listed complete", 0, listed(Complete)},
	{"listed failed", 0, listed(Failed)},
	{"listed cancelled", 0, listed(Cancelled)},
	{"notified processing", 0, is(told(Notified, Processing))},
	{"notified complete", 0, is(told(Notified, Complete))},
	{"notified failed", 0, is(told(Notified, Failed))},
	{"not listed", time.Hour, is(Observation{Cause: Looked, ControlSeen: true})},
	{"cancel asked", 0, is(Observation{Cause: CancelAsked})},
	{"cancel answered", 0, is(told(CancelAnswered, Cancelled))},
	{"cancel refused", 0, is(told(CancelAnswered, Processing))},
	{"tried again", 0, is(Observation{Cause: TriedAgain, NewRef: "NEW"})},
	{"refunded", 0, is(Observation{Cause: Refunded, ShiftID: "shift"})},
	{"shown", 0, is(Observation{Cause: Revealed})},
	{"decided complete", DecideAfter, is(Observation{Cause: Decided, State: Complete})},
	{"decided failed", DecideAfter, is(Observation{Cause: Decided, State: Failed})},
	{"decided early", DecideAfter - time.Microsecond, is(Observation{Cause: Decided, State: Complete})},
	{"repaid", 0, is(Observation{Cause: Repaid})},
}

func is(o Observation) func(*run) Observation { return func(*run) Observation { return o } }

// listed is a record of a list that was asked for after all that is known of the sale.
func listed(state State) func(*run) Observation {
	return func(r *run) Observation {
		o := told(Listed, state)
		o.AsOf = r.sale.Events
		return o
	}
}
