package invariant

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"airtill/internal/sales"
)

// salesAtOnce is how many sales one batch has.
const salesAtOnce = 2_000

// histories is I8: each sale's events, in order, are moves of the state machine
// and end where the sale stands, and a move out of a final state is a new
// attempt or has its incident.
func (s *Service) histories(ctx context.Context, f *Finding, after string) (last string, err error) {
	return s.judgeHistories(ctx, f, "s.id > ?", after)
}

// movedHistories looks again at the sales that moved since.
func (s *Service) movedHistories(ctx context.Context, f *Finding, since time.Time) error {
	again, last := Finding{}, ""
	for {
		next, err := s.judgeHistories(ctx, &again, "s.updated_at >= ? AND s.id > ?", since, last)
		if err != nil {
			return err
		}
		if last = next; last == "" {
			f.add(again)
			return nil
		}
	}
}

// add takes over the offenders of a second look that are not named yet; what it
// looked at was counted.
func (f *Finding) add(again Finding) {
	for _, o := range again.Offenders {
		if !f.names(o.Subject) {
			f.Blame(o.Subject, "%s", o.Problem)
		}
	}
	f.More += again.More
}

func (s *Service) judgeHistories(ctx context.Context, f *Finding, where string, args ...any) (last string, err error) {
	// The end is looked up first: a batch of so many sales would be sorted once more.
	err = s.DB.Read(ctx).Raw("SELECT COALESCE(MAX(id), '') FROM (SELECT s.id FROM sales s WHERE "+where+" ORDER BY s.id LIMIT ?) batch",
		append(slices.Clone(args), cmp.Or(s.AtOnce, salesAtOnce))...).Scan(&last).Error
	if err != nil || last == "" {
		return "", err
	}
	named, err := s.named(ctx)
	if err != nil {
		return "", err
	}
	rows, err := s.DB.Read(ctx).Raw(fmt.Sprintf(historiesSQL, where), append(args, last)...).Rows()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	h := history{finding: f}
	for rows.Next() {
		var e event
		var seq sql.NullInt64
		var was, became, cause sql.NullString
		// Not by GORM, which takes longer for each row than the database.
		if err := rows.Scan(&e.ID, &e.Fulfilment, &e.Cash, &e.Events, &seq, &was, &became, &cause); err != nil {
			return "", err
		}
		e.Seq, e.Was, e.Became, e.Cause, e.Named = int(seq.Int64), was.String, became.String, sales.Cause(cause.String), named[e.ID]
		h.step(e)
	}
	h.end()
	return last, rows.Err()
}

// named are the sales with an incident that a move out of a final state must have.
func (s *Service) named(ctx context.Context) (map[string]bool, error) {
	var ids []string
	err := s.DB.Read(ctx).Raw("SELECT DISTINCT sale_id FROM incidents WHERE kind IN ?", []sales.IncidentKind{sales.LateSuccess, sales.LateReversal, sales.ExecutedTwice}).Scan(&ids).Error
	named := make(map[string]bool, len(ids))
	for _, id := range ids {
		named[id] = true
	}
	return named, err
}

// historiesSQL reads every event of some sales beside how the sale stands, and
// nothing that the database would have to work out for each of them. A sale without
// events comes with none.
const historiesSQL = `
SELECT s.id, s.fulfilment, s.cash, s.events, e.seq, e.was, e.became, e.cause
  FROM sales s LEFT JOIN sale_events e ON e.sale_id = s.id
 WHERE %s AND s.id <= ?
 ORDER BY s.id, e.seq`

type event struct {
	ID, Fulfilment, Cash, Was, Became string
	Events, Seq                       int
	Cause                             sales.Cause
	Named                             bool // it has an incident that a move out of a final state must have
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
	last, stands := h.last, h.last.Fulfilment+"/"+h.last.Cash
	if last.ID == "" || last.Seq == last.Events && last.Became == stands {
		return
	}
	h.finding.Blame(last.ID, "stands at %s after %d events, its history ends at %s after %d", stands, last.Events, last.Became, last.Seq)
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
