package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// fewStored is what the small database holds.
const fewStored = 10_000

// stored sets each page and a whole sale beside the same where few sales are stored.
func (r *run) stored(ctx context.Context) error {
	r.on = onPostgres
	var both [2]*till
	defer func() {
		for _, t := range both {
			if t != nil {
				t.close()
			}
		}
	}()
	for i, sales := range []int{fewStored, r.manyStored()} {
		began := time.Now()
		var err error
		both[i], err = r.services.newTill(ctx, fmt.Sprintf("stored%d", i), onPostgres, storedPeople, func(t *till) error {
			_, err := t.run(
				ctx,
				"seed",
				"--bare",
				"--sales",
				fmt.Sprint(sales),
				"--days",
				fmt.Sprint(min(3000, 30+sales/5000)),
				"--shops",
				"10",
			)
			return err
		})
		if err != nil {
			return err
		}
		if _, err := both[i].tool(ctx, "vacuumdb", "--analyze"); err != nil { // as autovacuum would have by and by
			return err
		}
		r.say("  %d sales are stored after %s", sales, time.Since(began).Round(time.Second))
	}
	for _, t := range both { // only now: who does nothing for a quarter of an hour has to sign in again
		if err := errors.Join(t.start(ctx), t.rested(ctx), t.arrive(ctx)); err != nil {
			return err
		}
		if _, err := t.sell(ctx, 1, storedPeople); err != nil { // warm
			return err
		}
	}
	few, many, err := r.alternate(
		ctx,
		func() (round, error) { return both[0].sell(ctx, 1, r.alone/3) },
		func() (round, error) { return both[1].sell(ctx, 1, r.alone/3) },
	)
	if err != nil {
		return err
	}
	r.compare(fmt.Sprintf("%d sales stored", r.manyStored()), few, many)
	return r.busyTill(ctx, both[0])
}

// rested waits until the till has closed the statements that it closes at its start, of some weeks of each shop: one
// that ran yesterday has a day to close.
func (t *till) rested(ctx context.Context) error {
	for before := []string(nil); ; sleep(ctx, 5*time.Second) {
		now, err := t.column(ctx, "SELECT COUNT(*) FROM statements")
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if slices.Equal(now, before) && now[0] != "0" {
			return nil
		}
		before = now
	}
}

// storedPeople is how many cashiers take turns: a person may sell only so often.
const storedPeople = 8

func (r *run) manyStored() int {
	switch {
	case r.o.Stored > 0:
		return r.o.Stored
	case r.o.Short:
		return 50_000
	}
	return 10_000_000
}

const fewestRounds = 3

// alternate has two do the same in rounds that follow one another.
func (r *run) alternate(_ context.Context, a, b func() (round, error)) (ofA, ofB round, err error) {
	for range max(fewestRounds, r.rounds) {
		for _, one := range []struct {
			do  func() (round, error)
			sum *round
		}{{a, &ofA}, {b, &ofB}} {
			got, err := one.do()
			if err != nil {
				return ofA, ofB, err
			}
			one.sum.sales += got.sales
			one.sum.took += got.took
			one.sum.used = one.sum.plus(got.used)
			one.sum.pages = append(one.sum.pages, got.pages...)
		}
	}
	return ofA, ofB, nil
}

// compare sets a round beside the one that is its limit.
func (r *run) compare(where string, limit, got round) {
	const growth = 1.2
	for i, page := range pages {
		r.value(where+": p50 of "+page, median(got.page(i)), "ms").of(median(limit.page(i))).atMost(growth)
	}
	r.value(where+": processor time of a whole sale", got.each(got.till()), "ms").
		of(limit.each(limit.till())).
		atMost(growth)
}

// busyTill sets the sales of a till that has sold much today beside those of one that has
// not. The sales of before are made by the shape of one.
func (r *run) busyTill(ctx context.Context, t *till) error {
	shape, _, err := t.shape(ctx, nil)
	if err != nil {
		return err
	}
	at, err := t.column(ctx, "SELECT till_id FROM sales ORDER BY recorded_at DESC LIMIT 1")
	if err != nil {
		return err
	}
	if err := t.repeat(ctx, shape, soldToday); err != nil {
		return err
	}
	var busy, quiet *cashier
	for range t.people {
		if c := <-t.cashiers; busy == nil && c.at == at[0] {
			busy = c
		} else if quiet == nil {
			quiet = c
		} else {
			t.cashiers <- c
		}
	}
	defer func() { t.cashiers <- busy; t.cashiers <- quiet }()
	times := soldByOne / max(fewestRounds, r.rounds)
	by := func(c *cashier) func() (round, error) {
		return func() (round, error) {
			return t.measured(ctx, 1, times, func(_ *cashier, ctx context.Context) (sold, error) { return c.sell(ctx) })
		}
	}
	few, many, err := r.alternate(ctx, by(quiet), by(busy))
	if err == nil {
		r.compare("the till's 300th sale of the day", few, many)
	}
	return err
}

// soldByOne is how much one person may sell in so short a time.
const soldByOne = 30

// soldToday is how many sales a busy till has made.
const soldToday = 300
