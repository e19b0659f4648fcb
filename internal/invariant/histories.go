package invariant

import (
	"context"
	"errors"
	"strings"

	"airtill/internal/sales"
)

// histories is I8: each sale's events, in order, are moves of the state machine
// and end where the sale stands, and a move out of a final state is a new
// attempt or has its incident.
func (s *Service) histories(ctx context.Context, f *Finding) (err error) {
	session := s.DB.Read(ctx)
	rows, err := session.Raw(historiesSQL).Rows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	h := history{finding: f}
	for rows.Next() {
		var e event
		if err := session.ScanRows(rows, &e); err != nil {
			return err
		}
		h.step(e)
	}
	h.end()
	return rows.Err()
}

// historiesSQL streams every event beside how its sale stands. A sale without
// events comes with seq 0.
const historiesSQL = `
SELECT s.id, s.fulfilment || '/' || s.cash AS stands, s.events, COALESCE(e.seq, 0) AS seq, COALESCE(e.was, '') AS was,
       COALESCE(e.became, '') AS became, COALESCE(e.cause, '') AS cause,
       EXISTS (SELECT 1 FROM incidents i WHERE i.sale_id = s.id AND i.kind IN ('late_success', 'late_reversal', 'executed_twice')) AS named
  FROM sales s LEFT JOIN sale_events e ON e.sale_id = s.id
 ORDER BY s.id, e.seq`

type event struct {
	ID, Stands, Was, Became string
	Events, Seq             int
	Cause                   sales.Cause
	Named                   bool // it has an incident that a move out of a final state must have
}

// history is the state of one pass over the events.
type history struct {
	finding *Finding
	last    event
}

func (h *history) step(e event) {
	if e.ID != h.last.ID {
		h.end()
		h.finding.Checked++
		h.last = event{ID: e.ID, Became: e.Was}
	}
	f := h.finding
	if e.Seq != h.last.Seq+1 {
		f.Blame(e.ID, "event %d is missing", h.last.Seq+1)
	} else if e.Was != h.last.Became {
		f.Blame(e.ID, "event %d begins at %s, and the one before ended at %s", e.Seq, e.Was, h.last.Became)
	}
	if problem := e.problem(); problem != "" {
		f.Blame(e.ID, "event %d: %s", e.Seq, problem)
	}
	h.last = e
}

// end judges whether the sale stands where its history left it.
func (h *history) end() {
	last := h.last
	if last.ID == "" || last.Seq == last.Events && last.Became == last.Stands {
		return
	}
	h.finding.Blame(last.ID, "stands at %s after %d events, its history ends at %s after %d", last.Stands, last.Events, last.Became, last.Seq)
}

// problem says why an event cannot be, "" if it can.
func (e event) problem() string {
	was, became := fulfilmentOf(e.Was), fulfilmentOf(e.Became)
	switch {
	case was == became:
		return ""
	case !sales.Allowed(was, became, e.Cause):
		return string(e.Cause) + " moved it from " + e.Was + " to " + e.Became
	case !was.Final() || e.Cause == sales.TriedAgain || e.Named:
		return ""
	}
	return "it left the final state " + e.Was + " for " + e.Became + " without an incident"
}

func fulfilmentOf(position string) sales.State {
	state, _, _ := strings.Cut(position, "/")
	return sales.State(state)
}
