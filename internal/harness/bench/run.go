package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options says how much is measured.
type Options struct {
	Dir    string // empty; of everything that the run leaves
	Root   string // of the module
	Bin    string // of programs that are built already
	Short  bool
	Stored int    // sales in the large database
	Only   string // the part whose name has this, "" for all
}

// scale is how long and how often is measured.
type scale struct {
	people, alone, counted, forms int
	listed                        int // products of the synchronisation that is measured
	hanging                       int // sends at once
	rounds                        int
	round, idle, hangFor          time.Duration
}

func (o Options) scale() scale {
	if o.Short {
		return scale{
			people: 48, alone: 30, counted: 200, forms: 100, listed: 5000, hanging: 200,
			rounds: 1, round: 3 * time.Second, idle: 5 * time.Second, hangFor: 10 * time.Second,
		}
	}
	return scale{
		people: 500, alone: 200, counted: 400, forms: 400, listed: 20_000, hanging: 5000,
		rounds: 5, round: 8 * time.Second, idle: time.Minute, hangFor: 90 * time.Second,
	}
}

// run is one run.
type run struct {
	*sheet
	scale

	o        Options
	services *services
	shape    *saleShape
	groups   map[string][]int
	limit    func(clients int) (limitRound, error)
	endLimit func() error
	on       string // the database that figures are of
}

// Run measures, prints as it goes, and returns the table.
func Run(ctx context.Context, o Options, out io.Writer) ([]Figure, error) {
	r := &run{sheet: &sheet{out: out}, o: o, scale: o.scale()}
	err := r.serve(ctx, func() error {
		return r.parts(
			ctx,
			onPostgres,
			[]part{
				{opening, r.open},
				{"sales beside pgbench", r.sales},
				{"one cashier alone", r.aloneAt},
				{"beside a slow upstream", r.added},
				{"products page", r.products},
				{"open streams and hanging sends", r.streams},
				{"webhooks", r.webhooks},
				{"footprint", r.footprint},
				{"what a sale asks", r.asked},
				{"allocations", r.allocations},
			},
		)
	}, func() error {
		return r.parts(
			ctx,
			onSQLite,
			[]part{
				{opening, r.open},
				{"sales beside a bare program", r.sales},
				{"one cashier alone", r.aloneAt},
				{"footprint", r.footprint},
			},
		)
	}, r.asks("synchronisation", func() error { return r.sync(ctx) }),
		r.asks("stored sales", func() error { return r.stored(ctx) }),
		r.asks("lists on postgres", func() error { return r.lists(ctx, onPostgres, r.manyListed()) }),
		r.asks("lists on sqlite", func() error { return r.lists(ctx, onSQLite, r.manyListed()) }))
	return r.figures, err
}

// asks is a step with tills of its own, where it is asked for.
func (r *run) asks(name string, do func() error) func() error {
	return func() error {
		if !strings.Contains(name, r.o.Only) {
			return nil
		}
		began := time.Now()
		if err := do(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.say("%s: %s", name, time.Since(began).Round(time.Second))
		return nil
	}
}

// serve does all steps on services of their own.
func (r *run) serve(ctx context.Context, steps ...func() error) (err error) {
	if r.o.Bin == "" {
		r.o.Bin = filepath.Join(r.o.Dir, "bin")
		if err := build(ctx, r.o.Root, r.o.Bin, "nomsgpack", programs...); err != nil {
			return err
		}
	}
	r.services, err = newServices(ctx, r.o.Dir, r.o.Bin)
	defer r.services.close()
	for i := 0; i < len(steps) && err == nil; i++ {
		err = steps[i]()
	}
	return err
}

// value adds a figure of the database that is measured.
func (r *run) value(name string, value float64, unit string) *Figure {
	if r.on == onSQLite {
		name = "SQLite: " + name
	}
	return r.sheet.value(name, value, unit)
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

// opening is the part that every other stands on.
const opening = "open"

// part measures something on a till, and says which part failed.
type part struct {
	name string
	do   func(context.Context, *till) error
}

func (r *run) parts(ctx context.Context, on string, all []part) (err error) {
	r.on = on
	all = slices.DeleteFunc(
		all,
		func(p part) bool { return p.name != opening && !strings.Contains(p.name+" on "+on, r.o.Only) },
	)
	if len(all) == 1 {
		return nil // nothing is asked for
	}
	t, err := r.services.newTill(ctx, "airtill"+on, on, r.people, nil)
	defer t.close()
	if err != nil {
		return fmt.Errorf("make a till on %s: %w", on, err)
	}
	r.endLimit = func() error { return nil }
	defer func() { err = errors.Join(err, r.endLimit()) }()
	for _, p := range all {
		began := time.Now()
		if err := p.do(ctx, t); err != nil {
			return fmt.Errorf("%s on %s: %w", p.name, on, err)
		}
		r.say("%s on %s: %s", p.name, on, time.Since(began).Round(time.Second))
	}
	return nil
}

// start has everybody arrive and sell a little.
func (r *run) start(ctx context.Context, t *till) error {
	if err := t.start(ctx); err != nil {
		return err
	}
	if err := t.arrive(ctx); err != nil {
		return err
	}
	_, err := t.sell(ctx, 4, 20)
	return err
}

// open starts the till, reads the shape of a sale, and makes the limit that sells it again.
func (r *run) open(ctx context.Context, t *till) error {
	if err := r.start(ctx, t); err != nil {
		return err
	}
	var err error
	if r.shape, r.groups, err = t.shape(ctx, r.groups); err != nil {
		return err
	}
	if err := t.stop(); err != nil {
		return err
	}
	if r.limit, err = r.newLimit(ctx, t); err != nil {
		return err
	}
	return t.start(ctx)
}

// newLimit sells the shape of a sale on a copy of the till's database: by pgbench on
// PostgreSQL, by this program on SQLite, whose one writer no number of clients makes faster.
func (r *run) newLimit(ctx context.Context, t *till) (func(clients int) (limitRound, error), error) {
	if t.on == onSQLite {
		db, err := t.open()
		if err != nil {
			return nil, err
		}
		path := filepath.Join(t.dir, "limits.db")
		_, err = db.ExecContext(ctx, "VACUUM INTO ?", path)
		if err := errors.Join(err, db.Close()); err != nil {
			return nil, err
		}
		l, err := newSQLiteLimit(ctx, path, r.shape)
		if err != nil {
			return nil, err
		}
		r.endLimit = l.close
		return func(int) (limitRound, error) { return l.sellFor(ctx, r.round) }, err
	}
	if _, err := t.postgres.Tool(ctx, "createdb", "-T", t.name, "limits"); err != nil {
		return nil, err
	}
	script, runs := r.shape.pgbench(), 100
	return func(clients int) (limitRound, error) {
		runs++
		return r.services.pgbench(ctx, "limits", script, clients, r.round, runs)
	}, nil
}

// sales sets whole sales, and POST /sales alone, beside sales of pgbench, in rounds that
// alternate.
func (r *run) sales(ctx context.Context, t *till) error {
	if _, err := t.sell(ctx, 4, r.alone); err != nil { // warm
		return err
	}
	var whole, posted costs
	rates := map[int]*costs{}
	for range r.rounds {
		for _, cashiers := range []int{4, 16, 32} {
			sold, err := t.sellFor(ctx, cashiers, r.round)
			if err != nil {
				return err
			}
			limit, err := r.limit(cashiers)
			if err != nil {
				return err
			}
			whole.add(sold, limit)
			if rates[cashiers] == nil {
				rates[cashiers] = &costs{}
			}
			rates[cashiers].add(sold, limit)
			r.say(
				"  %2d cashiers: %.1f sales/s, %.2f ms each; the limit %.0f/s, %.2f ms; the driver had %.0f %% of the processor",
				cashiers,
				sold.perSecond(),
				sold.each(sold.till()),
				limit.perSecond,
				limit.each(),
				100*sold.driver.Seconds()/sold.all().Seconds(),
			)
		}
		post, err := t.post(ctx, 16, r.forms)
		if err != nil {
			return err
		}
		limit, err := r.limit(16)
		if err != nil {
			return err
		}
		posted.add(post, limit)
	}
	r.value("whole sale: processor time of web, PostgreSQL and Redis", median(whole.cost), "ms").
		share(median(whole.limitCost)).
		atLeast(0.25)
	for _, cashiers := range []int{4, 16, 32} {
		c := rates[cashiers]
		r.value(fmt.Sprintf("whole sales of %d cashiers", cashiers), median(c.rate), "/s").
			of(median(c.limitRate)).
			atLeast(0.25)
	}
	r.value("POST /sales to the committed outcome: processor time", median(posted.cost), "ms").
		share(median(posted.limitCost)).
		atLeast(0.5)
	r.value("POST /sales to the committed outcome: rate", median(posted.rate), "/s").
		of(median(posted.limitRate)).
		atLeast(0.5)
	r.value("whole sale: processor time of web", median(whole.web), "ms").atMost(5)
	r.value("the driver's share of all processor time", 100*median(whole.driver), "%")
	if t.on == onSQLite {
		return nil
	}
	r.value("whole sale: processor time of PostgreSQL", median(whole.database), "ms").
		share(median(whole.limitCost)).
		holds(3.5)
	best := 0.0
	for _, c := range rates {
		best = max(best, median(c.rate)/median(c.limitRate))
	}
	r.value("whole sales beside the better of its peers (Formance 0.10, Blnk 0.25 of pgbench)", best, "of pgbench").
		of(0.25).
		atLeast(1)
	return nil
}

// costs are what the rounds told, to take their medians.
type costs struct {
	cost, limitCost, rate, limitRate, web, database, driver []float64
}

func (c *costs) add(sold round, limit limitRound) {
	c.cost = append(c.cost, sold.each(sold.till()))
	c.limitCost = append(c.limitCost, limit.each())
	c.rate = append(c.rate, sold.perSecond())
	c.limitRate = append(c.limitRate, limit.perSecond)
	c.web = append(c.web, sold.each(sold.web))
	c.database = append(c.database, sold.each(sold.database))
	c.driver = append(c.driver, sold.driver.Seconds()/sold.all().Seconds())
}

// asked counts what a sale asks of PostgreSQL and of the upstream.
func (r *run) asked(ctx context.Context, t *till) error {
	each, err := t.throughWire(ctx, r.counted)
	if err != nil {
		return err
	}
	r.value("transactions of a whole sale", each.transactions, "").of(3).holds(8)
	r.value("statements of a whole sale", each.statements, "").of(float64(r.shape.statements())).holds(25)
	r.value("round trips to PostgreSQL of a whole sale", each.trips, "").of(3).holds(12)
	r.value("upstream calls of a sale", each.calls, "").atMost(1.02)
	return nil
}

// aloneAt tells how long each page takes one cashier, with nobody else there.
func (r *run) aloneAt(ctx context.Context, t *till) error {
	sold, err := t.sell(ctx, 1, r.alone)
	if err != nil {
		return err
	}
	for i, page := range pages {
		r.value("one cashier alone: p50 of "+page, median(sold.page(i)), "ms").atMost(3)
	}
	return nil
}
