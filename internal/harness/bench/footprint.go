package bench

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// footprint is what a till costs that nobody sells at: from its start until it can sell,
// with a catalogue that it knows already, and at rest.
func (r *run) footprint(ctx context.Context, t *till) error {
	var starts []float64
	for range 3 {
		if err := t.stop(); err != nil {
			return err
		}
		began := time.Now()
		if err := t.start(ctx); err != nil {
			return err
		}
		starts = append(starts, time.Since(began).Seconds())
	}
	r.value("start to ready, 17,573 products", median(starts), "s").atMost(0.5)
	sleep(ctx, r.idle) // what begins with the start is over
	before, err := t.measure()
	if err != nil {
		return err
	}
	sleep(ctx, r.idle)
	after, err := t.measure()
	if err != nil {
		return err
	}
	r.value("idle: processor of web", 100*after.minus(before).web.Seconds()/r.idle.Seconds(), "% of a core").atMost(0.5)
	occupied, err := memory(t.web.Cmd.Process.Pid)
	if err != nil {
		return err
	}
	r.value("idle: memory of web", float64(occupied)/(1<<20), "MB").atMost(100)
	return nil
}

// added is how much longer than the upstream a sale takes, from the button to the page
// that shows how it ended, at half of what the till can do.
func (r *run) added(ctx context.Context, t *till) error {
	full, err := t.sellFor(ctx, 16, r.round)
	if err != nil {
		return err
	}
	const latency = 200 * time.Millisecond
	if err := t.console.Configure(ctx, map[string]any{"latency": latency.String()}); err != nil {
		return err
	}
	sleep(ctx, 5*time.Second) // what the full round left to do would be added to the first sales here
	waited, err := t.sellAt(ctx, full.perSecond()/2, 2*r.round)
	if err != nil {
		return err
	}
	var ours []float64
	for _, s := range waited.pages {
		ours = append(ours, milliseconds(s[2]+s[3]-latency))
	}
	r.value("our time added to the upstream's at half load: p50", median(ours), "ms")
	r.value("our time added to the upstream's at half load: p99", quantile(ours, 0.99), "ms").atMost(40)
	return t.console.Configure(ctx, map[string]any{"latency": "0s"})
}

// sellAt begins sales at a rate, however long each takes.
func (t *till) sellAt(ctx context.Context, perSecond float64, d time.Duration) (round, error) {
	every := time.NewTicker(time.Duration(float64(time.Second) / perSecond))
	defer every.Stop()
	return t.work(ctx, t.people/2, func(began time.Time) bool {
		select {
		case <-ctx.Done():
			return false
		case <-every.C:
			return time.Since(began) < d
		}
	}, (*cashier).sell)
}

// streams is what open pages cost: each keeps an event stream. Meanwhile somebody sells
// beside them, at tills that have none.
func (r *run) streams(ctx context.Context, t *till) error {
	var watchers []*cashier
	for range t.people - storedPeople {
		watchers = append(watchers, <-t.cashiers)
	}
	defer func() {
		for _, c := range watchers {
			t.cashiers <- c
		}
	}()
	alone, err := t.sell(ctx, 1, r.alone)
	if err != nil {
		return err
	}
	before, err := memory(t.web.Cmd.Process.Pid)
	if err != nil {
		return err
	}
	open, closeAll := context.WithCancel(ctx)
	defer closeAll()
	opened, err := openStreams(open, watchers)
	if err != nil {
		return err
	}
	after, err := memory(t.web.Cmd.Process.Pid)
	if err != nil {
		return err
	}
	start, err := t.measure()
	if err != nil {
		return err
	}
	sleep(ctx, r.idle)
	end, err := t.measure()
	if err != nil {
		return err
	}
	idle := end.minus(start).till()
	beside, err := t.sell(ctx, 1, r.alone)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%d open event streams, nobody sells: processor of web, PostgreSQL and Redis", opened)
	r.value(what, 100*idle.Seconds()/r.idle.Seconds(), "% of a core")
	r.value(fmt.Sprintf("%d open event streams: memory", opened), float64(after-before)/(1<<20), "MB").atMost(300)
	r.value("beside open event streams: p50 of a whole sale", median(beside.whole()), "ms").
		of(median(alone.whole())).
		atMost(1.2)
	return r.hang(ctx, t, watchers, opened, before, alone)
}

// streamsEach is how many event streams a session may have open.
const streamsEach = 4

// openStreams opens all event streams that some cashiers may have.
func openStreams(ctx context.Context, cashiers []*cashier) (opened int, err error) {
	for _, c := range cashiers {
		for range streamsEach {
			response, err := c.browser.Open(ctx, "/tray/events")
			if err != nil {
				return opened, err
			}
			context.AfterFunc(ctx, func() { _ = response.Body.Close() }) // nobody reads it
			if response.StatusCode != http.StatusOK {
				return opened, fmt.Errorf("open an event stream: status %d", response.StatusCode)
			}
			opened++
		}
	}
	return opened, nil
}
