package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"airtill/internal/harness/stage"
	"airtill/internal/money"
)

// violation is something that must never be.
type violation struct {
	Law      string `json:"law"`
	Sale     string `json:"sale,omitempty"`
	Evidence string `json:"evidence"`
}

func (v violation) Error() string { return v.Law + " " + v.Sale + ": " + v.Evidence }

// truth is what all sides say when everything is over.
type truth struct {
	sales     []soldRow
	refs      map[string][]string // by sale
	history   map[string][]moved
	incidents map[string][]string
	balances  map[string]int64
	drawer    map[string]int64 // by till
	upstream  stage.Ledger
	executed  map[string]stage.Entry // by ref
	calls     stage.Calls

	deliveries []stage.Delivery
}

// judge checks what must always hold, after the till has ended.
func (c *crew) judge(ctx context.Context, r *Report) error {
	b, err := c.openBooks()
	if err != nil {
		return err
	}
	defer b.close()
	t, err := c.gather(ctx, b)
	if err != nil {
		return err
	}
	if len(t.sales) == 0 {
		return errors.New("the robots have sold nothing, so nothing is proven")
	}
	j := &judgement{truth: t, crew: c}
	for _, look := range []func(){j.executedOnce, j.nothingLost, j.givenUpRightly, j.forgeriesRefused, j.atRest, j.agreesWithUpstream, j.drawers, j.finalStays, j.withinBudget} {
		look()
	}
	if err := j.sums(ctx, b); err != nil {
		return err
	}
	if output, err := c.web(ctx, "", "verify"); err != nil {
		j.add("verify", "", "%s", findings(output))
	}
	if err := c.secrets(ctx, b, j); err != nil {
		return err
	}
	c.mu.Lock()
	r.Violations = append(c.violations, j.found...)
	r.Troubles = c.troubles
	c.mu.Unlock()
	c.figures(r, t)
	r.Absent = timesOf(verdicts(t, c.absent))
	return nil
}

// findings are the lines that a command said to a person, without its log.
func findings(output string) string {
	lines := slices.DeleteFunc(strings.Split(output, "\n"), func(line string) bool { return strings.HasPrefix(line, "{") })
	return strings.Join(lines, "\n")
}

func (c *crew) gather(ctx context.Context, b *books) (*truth, error) {
	t := &truth{executed: map[string]stage.Entry{}}
	var err error
	for _, read := range []func() error{
		func() error { t.sales, err = b.sales(ctx); return err },
		func() error { t.refs, err = b.attempts(ctx); return err },
		func() error { t.history, err = b.history(ctx); return err },
		func() error { t.incidents, err = b.incidents(ctx); return err },
		func() error { t.balances, err = b.balances(ctx); return err },
		func() error { t.drawer, err = b.drawers(ctx); return err },
		func() error { t.upstream, err = c.console.Ledger(ctx); return err },
		func() error { t.calls, err = c.console.Calls(ctx); return err },
		func() error { t.deliveries, err = c.console.Deliveries(ctx); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	for _, e := range t.upstream.Entries {
		t.executed[e.DistributorRef] = e
	}
	return t, nil
}

// judgement collects what was found.
type judgement struct {
	*truth
	crew  *crew
	found []violation
}

func (j *judgement) add(law, sale, format string, args ...any) {
	evidence := fmt.Sprintf(format, args...)
	for _, m := range j.history[sale] {
		evidence += fmt.Sprintf("; %s %s %s→%s", m.At.UTC().Format("15:04:05.000"), m.Cause, m.Was, m.Became)
	}
	j.found = append(j.found, violation{law, sale, evidence})
}

func (j *judgement) incident(sale string, kinds ...string) bool {
	return slices.ContainsFunc(j.incidents[sale], func(kind string) bool { return slices.Contains(kinds, kind) })
}

// executedOnce is I1: the upstream carried each sale out at most once, and was
// asked once for each ref. A transfer that it has taken back since was not.
func (j *judgement) executedOnce() {
	for _, s := range j.sales {
		times := 0
		for _, ref := range j.refs[s.ID] {
			e := j.executed[ref]
			if e.State == "Complete" {
				times += e.TimesExecuted
			}
			if e.TimesExecuted > 1 {
				j.add("I1", s.ID, "%s was carried out %d times", ref, e.TimesExecuted)
			}
			if len(e.RequestedAt) > 1 {
				j.add("L1", s.ID, "%s was sent %d times", ref, len(e.RequestedAt))
			}
		}
		if times > 1 && (!j.incident(s.ID, "executed_twice") || !j.misled(s.ID)) {
			j.add("I1", s.ID, "carried out %d times under %v", times, j.refs[s.ID])
		}
	}
	known := map[string]bool{}
	for _, refs := range j.refs {
		for _, ref := range refs {
			known[ref] = true
		}
	}
	for ref := range j.executed {
		if !known[ref] {
			j.add("I1", "", "the upstream has %s, which no sale has", ref)
		}
	}
}

// misled says whether the upstream called a transfer of this sale failed and
// carried it out: then nobody can know, and an incident is all there can be.
func (j *judgement) misled(sale string) bool {
	return slices.ContainsFunc(j.refs[sale], func(ref string) bool { return slices.Contains(j.crew.late, ref) })
}

// nothingLost is I2: all cash that was taken is earned, with a transfer that was
// carried out, or handed back.
func (j *judgement) nothingLost() {
	keys := map[string]soldRow{}
	for _, s := range j.sales {
		keys[s.Key] = s
		j.cashEnded(s)
	}
	for _, r := range j.crew.robots {
		for _, t := range r.tickets {
			if _, there := keys[t.key]; !there {
				j.add("I2", t.id, "%s was told of a sale that the books do not have", r.name)
			}
			if t.paid > 1 {
				j.add("I2", t.id, "%s handed the cash back %d times", r.name, t.paid)
			}
		}
		for key, words := range r.refused {
			if s, there := keys[key]; there {
				j.add("I2", s.ID, "%s was told that nothing was sold: %s", r.name, words)
			}
		}
		for _, p := range r.papers {
			j.add("I11", keys[p.key].ID, "%s never learnt what became of a form pressed %d times", r.name, p.presses)
		}
	}
}

func (j *judgement) cashEnded(s soldRow) {
	delivered := false
	for _, ref := range j.refs[s.ID] {
		delivered = delivered || j.executed[ref].State == "Complete"
	}
	switch {
	case s.Cash == "taken" || s.Cash == "refund_due" || s.Cash == "none":
		j.add("I2", s.ID, "the cash is %s, the transfer %s", s.Cash, s.Fulfilment)
	case s.Cash == "earned" && !delivered:
		j.add("I2", s.ID, "earned, and the upstream has delivered nothing")
	case s.Cash == "refunded" && delivered && !j.incident(s.ID, "late_success", "executed_twice"):
		j.add("I2", s.ID, "refunded, and the upstream has delivered; nobody was told")
	case s.Cash == "refunded" && delivered && !j.misled(s.ID):
		j.add("I2", s.ID, "refunded, and the upstream has delivered, which had never said that it failed")
	case s.Cash == "earned" && s.Fulfilment != "complete":
		j.add("I2", s.ID, "earned, and %s", s.Fulfilment)
	}
}

// givenUpRightly: no transfer that the upstream had carried out was taken for one
// that never came to be, even if that came right again before anybody lost by it.
func (j *judgement) givenUpRightly() {
	for _, s := range j.sales {
		for _, m := range j.history[s.ID] {
			if m.Cause == "looked" && strings.HasPrefix(m.Became, "failed/") && !j.misled(s.ID) && j.executedBefore(s.ID, m.At) {
				j.add("I2", s.ID, "given up as never carried out, and the upstream had carried it out")
			}
		}
	}
}

func (j *judgement) executedBefore(sale string, at time.Time) bool {
	return slices.ContainsFunc(j.refs[sale], func(ref string) bool {
		e := j.executed[ref]
		return e.State == "Complete" && len(e.RequestedAt) > 0 && e.RequestedAt[0].Before(at)
	})
}

// forgeriesRefused: no webhook was taken that only its sender vouches for. What is
// not signed, and so decides nothing, may be anything.
func (j *judgement) forgeriesRefused() {
	for _, d := range j.deliveries {
		for _, t := range d.Tries {
			if t.Note == "forged" && !slices.Contains([]string{"aim", "order"}, t.Mode) && t.Status > 0 && t.Status < http.StatusBadRequest {
				j.add("webhook", "", "a forged one (%s) of %s was answered %d", t.Mode, d.Ref, t.Status)
			}
		}
	}
}

// atRest is I6: while nothing is open, nothing is reserved, prepaid or owed.
func (j *judgement) atRest() {
	for _, account := range []string{"1110", "1120", "1130", "2000", "2010"} {
		if micros := j.balances[account]; micros != 0 {
			j.add("I6", "", "account %s holds %s although nothing is open", account, amount(micros))
		}
	}
}

// agreesWithUpstream is I5: the float is the upstream's balance to the last
// digit. What was topped up outside the till, and not booked, is left out; what
// was refunded late is not.
func (j *judgement) agreesWithUpstream() {
	balance := micros(j.upstream.Balance) - micros(j.upstream.Topups) - micros(j.upstream.Drift) + j.crew.repaid
	if float := j.balances["1100"]; float != balance {
		j.add("I5", "", "the float is %s, the upstream's balance %s", amount(float), amount(balance))
	}
}

// drawers is I7: each drawer holds what its cashier counts.
func (j *judgement) drawers() {
	if micros := j.balances["5910"]; micros != 0 {
		j.add("I7", "", "counts were found %s short, and every robot counted right", amount(micros))
	}
	for _, r := range j.crew.robots {
		if booked := j.drawer[r.till]; booked != r.hand {
			j.add("I7", "", "%s holds %s, the books say %s", r.name, amount(r.hand), amount(booked))
		}
	}
}

// finalStays is I8: a sale that has ended does not move, but as an incident.
func (j *judgement) finalStays() {
	for sale, history := range j.history {
		for _, m := range history {
			was, _, _ := strings.Cut(m.Was, "/")
			became, _, _ := strings.Cut(m.Became, "/")
			final := slices.Contains([]string{"complete", "failed", "cancelled", "voided"}, was)
			late := m.Cause == "listed" && j.incident(sale, "late_success", "late_reversal")
			if final && was != became && m.Cause != "tried_again" && !late {
				j.add("I8", sale, "%s became %s by %s", was, became, m.Cause)
			}
		}
	}
}

// withinBudget is I10: the upstream never had to refuse a call for its number.
func (j *judgement) withinBudget() {
	for method, times := range j.calls.Limited {
		if times > 0 {
			j.add("I10", "", "%s went %d times beyond its limit", method, times)
		}
	}
}

// sums is I3, journals sum to zero, and I4, checkpoints are the sum of what they
// cover.
func (j *judgement) sums(ctx context.Context, b *books) error {
	journals, err := b.texts(ctx, "SELECT journal FROM postings GROUP BY journal, currency HAVING SUM(micros) <> 0")
	if err != nil {
		return err
	}
	for _, journal := range journals {
		sale, _, _ := strings.Cut(journal, "/")
		j.add("I3", sale, "journal %s does not sum to zero", journal)
	}
	accounts, err := b.texts(ctx, `SELECT c.account FROM ledger_checkpoints c
		WHERE c.micros <> (SELECT COALESCE(SUM(p.micros), 0) FROM postings p WHERE p.account = c.account AND p.currency = c.currency AND p.id <= c.last_id)`)
	for _, account := range accounts {
		j.add("I4", "", "the checkpoint of %s is not the sum of its postings", account)
	}
	return err
}

// micros reads an amount of the upstream, which has said it in decimal digits.
// withheld is what the upstream has not paid back of transfers that failed,
// millionths.
func withheld(l stage.Ledger) (sum int64) {
	for _, e := range l.Entries {
		if e.State == "Failed" {
			sum += micros(e.Deducted) - micros(e.Refunded)
		}
	}
	return sum
}

func micros(text string) int64 {
	a, err := money.Parse(text, "EUR")
	if err != nil {
		return 0
	}
	return a.Micros()
}

func amount(micros int64) string { return money.Of(micros, "EUR").String() }
