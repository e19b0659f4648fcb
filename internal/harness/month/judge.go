package month

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"airtill/internal/audit"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/staff"
)

func first() audit.Actor {
	return audit.Actor{UserID: "finance-1", Name: "finance-1", Role: string(staff.Finance)}
}

func second() audit.Actor {
	return audit.Actor{UserID: "finance-2", Name: "finance-2", Role: string(staff.Finance)}
}

// resolve lets two people deal with everything in the queue.
func (m *month) resolve(ctx context.Context) error {
	queue, err := m.Reconcile.Queue(ctx, reconcile.QueueFilter{})
	if err != nil {
		return err
	}
	for _, b := range queue.Breaks {
		if err := m.resolveOne(ctx, b); err != nil {
			return fmt.Errorf("resolve a break of kind %s: %w", b.Kind, err)
		}
	}
	return errors.Join(m.leap(ctx, 10*time.Minute), m.chores(ctx))
}

func (m *month) resolveOne(ctx context.Context, b reconcile.Break) error {
	const note = "seen, and asked the upstream"
	if b.Booking().IsZero() {
		return m.Reconcile.Agree(ctx, b.ID, second(), note)
	}
	p := reconcile.Proposal{Resolution: reconcile.WriteOff, Note: note}
	if b.Kind == reconcile.ForeignSale {
		p.Resolution = reconcile.Foreign
	}
	if b.Kind == reconcile.BalanceUp {
		m.payments++
		p.Resolution, p.Account, p.Reference = reconcile.TopUp, ledger.Safe, fmt.Sprintf("bank %d", m.payments)
	}
	if err := m.Reconcile.ProposeResolution(ctx, b.ID, first(), p); err != nil {
		return err
	}
	b, _, err := m.Reconcile.Break(ctx, b.ID, "")
	if err != nil {
		return err
	}
	return m.Reconcile.Confirm(ctx, b.ID, b.Proposes(), second(), m.now())
}

// row is what was done of one kind, and what of it was found.
type row struct {
	drift           string
	injected, found int
	done, reported  int64 // millionths
}

// result is what came of the month.
type result struct {
	rows     []row
	missed   []expectation
	extra    []reconcile.Break
	problems []string
	sales    int64
	took     time.Duration
}

func (r result) passed() bool { return len(r.missed)+len(r.extra)+len(r.problems) == 0 }

// judge compares what was done with what was found, resolves what is left, and
// sees whether nothing remains.
func (m *month) judge(ctx context.Context) (r result, err error) {
	var found []reconcile.Break
	if err := m.DB.Read(ctx).Order("id").Find(&found).Error; err != nil {
		return r, err
	}
	r.compare(m.expected, found)
	if err := m.DB.Read(ctx).Raw("SELECT COUNT(*) FROM sales").Scan(&r.sales).Error; err != nil {
		return r, err
	}
	if err := m.resolve(ctx); err != nil {
		return r, err
	}
	for _, left := range []func(context.Context) (string, error){m.queueLeft, m.balanceLeft, m.booksLeft, m.statementsLeft} {
		problem, err := left(ctx)
		if err != nil {
			return r, err
		}
		if problem != "" {
			r.problems = append(r.problems, problem)
		}
	}
	return r, nil
}

// compare gives each expectation the break that is its own.
func (r *result) compare(expected []expectation, found []reconcile.Break) {
	free := map[string][]reconcile.Break{}
	for _, b := range found {
		free[string(b.Kind)] = append(free[string(b.Kind)], b)
	}
	index := map[string]int{}
	for _, e := range expected {
		i, known := index[e.drift]
		if !known {
			i, index[e.drift] = len(r.rows), len(r.rows)
			r.rows = append(r.rows, row{drift: e.drift})
		}
		r.rows[i].injected++
		if e.kind == "" {
			continue
		}
		r.rows[i].done += e.micros
		at := e.among(free[string(e.kind)])
		if at < 0 {
			r.missed = append(r.missed, e)
			continue
		}
		r.rows[i].found++
		r.rows[i].reported += free[string(e.kind)][at].Micros
		free[string(e.kind)] = append(free[string(e.kind)][:at:at], free[string(e.kind)][at+1:]...)
	}
	for _, kind := range reconcile.Kinds() {
		r.extra = append(r.extra, free[string(kind)]...)
	}
}

// among is the index of the break that was expected, -1 if there is none.
func (e expectation) among(found []reconcile.Break) int {
	for i, b := range found {
		if b.Micros == e.micros && (e.subject == "" || b.Subject == e.subject) {
			return i
		}
	}
	return -1
}

func (m *month) queueLeft(ctx context.Context) (string, error) {
	queue, err := m.Reconcile.Queue(ctx, reconcile.QueueFilter{})
	if err != nil || len(queue.Breaks) == 0 {
		return "", err
	}
	return fmt.Sprintf("%d differences are left after all were resolved, the first a %s of %s", len(queue.Breaks), queue.Breaks[0].Kind, queue.Breaks[0].Amount()), nil
}

func (m *month) balanceLeft(ctx context.Context) (string, error) {
	told, err := m.Reconcile.ReadBalance(ctx)
	if err != nil {
		return "", err
	}
	float, err := m.Ledger.Balance(ctx, ledger.Float, currency)
	if err != nil || float == told.Amount() {
		return "", err
	}
	return fmt.Sprintf("the books say %s and the upstream %s", float, told.Amount()), nil
}

func (m *month) booksLeft(ctx context.Context) (string, error) {
	run, err := m.Invariants.Verify(ctx, "month")
	if err != nil || run.Holds {
		return "", err
	}
	for _, f := range run.Findings {
		if f.Broken() > 0 {
			return fmt.Sprintf("%s does not hold: %+v", f.Name, f.Offenders[0]), nil
		}
	}
	return "the books do not hold", nil
}

func (m *month) statementsLeft(ctx context.Context) (string, error) {
	offences, checked, err := m.Statements.Verify(ctx)
	want := int64(m.options.shops * m.options.days)
	switch {
	case err != nil:
		return "", err
	case len(offences) > 0:
		return fmt.Sprintf("statement %s: %s", offences[0].ID, offences[0].Problem), nil
	case checked != want:
		return fmt.Sprintf("%d statements of %d are closed", checked, want), nil
	}
	return "", nil
}

// write prints the table of injected against found.
func (r result) write(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	amount := func(micros int64) string { return money.Of(micros, currency).Decimal(currency.Decimals()) }
	fmt.Fprintln(table, "drift\tinjected\tfound\tamount injected\tamount found\t")
	for _, row := range r.rows {
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t\n", row.drift, row.injected, row.found, amount(row.done), amount(row.reported))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, e := range r.missed {
		fmt.Fprintln(out, "NOT FOUND  ", e)
	}
	for _, b := range r.extra {
		fmt.Fprintf(out, "NOT DONE    %s of %s on %s, %s, found %s\n", b.Kind, b.Amount(), b.Subject, b.State, b.FoundAt.Format(time.DateTime))
	}
	for _, problem := range r.problems {
		fmt.Fprintln(out, "WRONG      ", problem)
	}
	verdict := "everything was found, nothing else was, and nothing is left"
	if !r.passed() {
		verdict = "the books did not find what was done to them"
	}
	_, err := fmt.Fprintf(out, "%d sales in %s: %s\n", r.sales, r.took.Round(time.Second), verdict)
	return err
}
