package invariant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airtill/internal/sales"
	"airtill/internal/store"
)

// salesAtOnce is how many sales one batch has.
const salesAtOnce = 2_000

// judgeHistories is I8: each sale's events, in order, are moves of the state machine and end where the sale stands;
// a move out of a final state is a new attempt or has its incident.
func (s *Service) judgeHistories(ctx context.Context, f *Finding, where string, args ...any) (last string, err error) {
	if last, err = s.end(ctx, "sales", where, args, salesAtOnce); err != nil || last == "" {
		return "", err
	}
	var all []left // offenders, unless they have their incident
	judged := map[string]history{}
	told := s.d.DB.Read(ctx).Raw(fmt.Sprintf(historiesSQL, where), append(args, last)...)
	err = store.Scan(told, func(scan func(into ...any) error) error {
		var id, text string
		if err := scan(&id, &text); err != nil {
			return err
		}
		h, known := judged[text]
		if !known {
			h = judge(text)
			judged[text] = h
		}
		f.Checked++
		for _, problem := range h.problems {
			problem.Subject = id
			f.blame(problem)
		}
		for _, l := range h.left {
			l.Subject = id
			all = append(all, l)
		}
		return nil
	})
	return last, errors.Join(err, s.unnamed(ctx, f, all))
}

// unnamed blames the moves out of a final state that have no incident of their own: a reversal is not named by the
// late success before it. Incidents are read after the events they were written with.
func (s *Service) unnamed(ctx context.Context, f *Finding, all []left) error {
	if len(all) == 0 {
		return nil
	}
	named, err := store.Pairs[string, bool](s.d.DB.Read(ctx).Raw(
		"SELECT DISTINCT sale_id || ' ' || CASE kind WHEN ? THEN ? ELSE ? END, TRUE FROM incidents WHERE kind IN ?",
		sales.LateReversal, sales.Failed, sales.Complete,
		[]sales.IncidentKind{sales.LateSuccess, sales.LateReversal, sales.ExecutedTwice},
	))
	for _, l := range all {
		if err == nil && !named[l.Subject+" "+string(l.to)] {
			f.blame(l.Offender)
		}
	}
	return err
}

// historiesSQL reads where each sale stands and all its events as one text, like "complete/earned 3 3;1 /none
// recorded/taken confirmed;2 …": millions of sales share some dozens of histories, and judging a text is
// quicker than reading rows.
const historiesSQL = `
SELECT s.id, concat_ws(' ', s.fulfilment || '/' || s.cash, s.events, (
         SELECT concat_ws(';', COUNT(*), string_agg(concat_ws(' ', e.seq, e.was, e.became, e.cause), ';'))
FROM sale_events e WHERE e.sale_id = s.id))
  FROM sales s WHERE %s AND s.id <= ?`

// history is the verdict on one.
type history struct {
	problems []Offender // without the sale, which others share
	left     []left     // how it left final states
}

// left is a move out of a final state, which needs an incident.
type left struct {
	Offender
	to sales.State
}

type event struct {
	seq         int
	was, became string // fulfilment/cash
	cause       sales.Cause
}

// judge reads a text of historiesSQL.
func judge(text string) (h history) {
	blame := func(o Offender, format string, args ...any) {
		o.Problem = fmt.Sprintf(format, args...)
		h.problems = append(h.problems, o)
	}
	head, rest, more := strings.Cut(text, ";")
	var stands string
	var count, events int
	if _, err := fmt.Sscan(head, &stands, &count, &events); err != nil {
		blame(offender("sale.unreadable", ""), "state %q", head)
		return h
	}
	var all []event
	for line := range strings.SplitSeq(rest, ";") {
		fields := strings.Split(line, " ")
		seq, err := strconv.Atoi(fields[0])
		if more && err == nil && len(fields) == 4 {
			all = append(all, event{seq, fields[1], fields[2], sales.Cause(fields[3])})
		}
	}
	if len(all) != events { // a field contains a separator
		blame(offender("sale.unreadable", ""), "events %q", rest)
		return h
	}
	slices.SortFunc(all, func(a, b event) int { return cmp.Compare(a.seq, b.seq) })
	last := event{}
	for i, e := range all {
		if e.seq != last.seq+1 {
			h.problems = append(h.problems, offender("sale.missing", "", last.seq+1))
		} else if i > 0 && e.was != last.became {
			blame(offender("sale.apart", "", e.seq), "begins at %s, the one before ended at %s", e.was, last.became)
		}
		if e.impossible() {
			blame(offender("sale.impossible", "", e.seq), "%s: %s to %s", e.cause, e.was, e.became)
		} else if e.leaves() {
			l := left{offender("sale.left", "", e.seq), fulfilmentOf(e.became)}
			l.Problem = e.was + " to " + e.became
			h.left = append(h.left, l)
		}
		last = e
	}
	if last.seq != count || last.became != stands {
		blame(offender("sale.ends", ""), "stands at %s after %d events, its history ends at %q after %d",
			stands, count, last.became, last.seq)
	}
	return h
}

// impossible: no move of the state machine.
func (e event) impossible() bool {
	was, became := fulfilmentOf(e.was), fulfilmentOf(e.became)
	return was != became && !sales.Allowed(was, became, e.cause)
}

// leaves: a move out of a final state that is no new attempt.
func (e event) leaves() bool {
	was := fulfilmentOf(e.was)
	return was.Final() && was != fulfilmentOf(e.became) && e.cause != sales.TriedAgain
}

func fulfilmentOf(position string) sales.State {
	state, _, _ := strings.Cut(position, "/")
	return sales.State(state)
}
