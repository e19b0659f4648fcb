package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/harness/stage"
)

// hang is what sends cost that the upstream does not answer, beside event streams that are
// open. Who watches those presses the buttons; everybody else sells another product meanwhile.
func (r *run) hang(ctx context.Context, t *till, watchers []*cashier, streams int, before int64, alone round) error {
	busy := *t
	busy.sku = t.slow
	busy.cashiers = make(chan *cashier, len(watchers))
	for _, c := range watchers {
		c.till = &busy
		defer func() { c.till = t }()
		busy.cashiers <- c
	}
	forms, err := busy.forms(ctx, 16, r.hanging)
	if err != nil {
		return err
	}
	slow := stage.Fault{
		Match:  map[string]any{"endpoint": "SendTransfer", "sku": t.slow},
		Action: map[string]any{"kind": "delay", "for": r.hangFor.String()},
		Times:  -1,
	}
	if err := t.console.AddFault(ctx, slow); err != nil {
		return err
	}
	if err := press(ctx, 64, forms); err != nil {
		return err
	}
	hanging, err := t.sending(ctx)
	if err != nil {
		return err
	}
	after, err := memory(t.web.Cmd.Process.Pid)
	if err != nil {
		return err
	}
	sleep(ctx, 5*time.Second) // pressing thousands of buttons is not what is measured
	beside, err := t.sell(ctx, 1, r.alone)
	if err != nil {
		return err
	}
	still, err := t.sending(ctx)
	if err != nil {
		return err
	}
	r.value("sends that hang at once, from the first look to the last", float64(min(hanging, still)), "").
		of(float64(r.hanging)).
		atLeast(0.9)
	what := fmt.Sprintf("%d sends hanging %s and %d open event streams", hanging, r.hangFor, streams)
	r.value(what+": memory", float64(after-before)/(1<<20), "MB").atMost(300)
	r.value("beside "+what+": p50 of a whole sale", median(beside.whole()), "ms").of(median(alone.whole())).atMost(1.2)
	for patience := time.Now().Add(2 * r.hangFor); still > 0 && err == nil; still, err = t.sending(ctx) {
		if time.Now().After(patience) {
			return errors.New("sends hang longer than the upstream takes")
		}
		sleep(ctx, 100*time.Millisecond)
	}
	return errors.Join(err, ctx.Err(), t.console.ClearFaults(ctx))
}

// sending counts the sales whose send has not been answered.
func (t *till) sending(ctx context.Context) (n int, err error) {
	db, err := t.open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }() // only read
	return n, db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sales WHERE fulfilment = 'sending'").Scan(&n)
}
