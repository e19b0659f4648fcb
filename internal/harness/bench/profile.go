package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"airtill/internal/harness/stage"
)

// Profile tells where a sale's time goes: the statements of a whole sale, and for each
// of its pages where the processor and the allocations are, as profiles in a directory
// and the top of each in print. The till is built with -tags profile.
func Profile(ctx context.Context, o Options, to string, out io.Writer) error {
	o.Bin = filepath.Join(o.Dir, "bin")
	if err := build(ctx, o.Root, o.Bin, "nomsgpack,profile", programs...); err != nil {
		return err
	}
	to, err := filepath.Abs(to) // pprof runs elsewhere
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o750); err != nil {
		return err
	}
	s, err := newServices(ctx, o.Dir, o.Bin)
	defer s.close()
	if err != nil {
		return err
	}
	t, err := s.newTill(ctx, "airtill", onPostgres, 2*o.scale().people, nil) // a person may ask for only so many pages
	defer t.close()
	if err != nil {
		return err
	}
	address, err := stage.FreeAddress()
	if err != nil {
		return err
	}
	t.env = append(t.env, "AIRTILL_PROFILE_ADDR="+address)
	if err := t.start(ctx); err != nil {
		return err
	}
	if err := t.arrive(ctx); err != nil {
		return err
	}
	if _, err := t.sell(ctx, 4, t.people); err != nil { // warm
		return err
	}
	if err := t.statements(ctx, o.scale().counted, out); err != nil {
		return err
	}
	if err := t.trace(ctx, o.scale().counted, out); err != nil {
		return err
	}
	for i, page := range pages {
		if err := t.profile(ctx, "http://"+address+"/debug/pprof/", i, to, page, out); err != nil {
			return fmt.Errorf("profile %s: %w", page, err)
		}
	}
	return nil
}

// programs are what a bench runs.
var programs = []string{"./cmd/web", "./cmd/sandbox", "./internal/harness/bare"}

func build(ctx context.Context, root, bin, tags string, packages ...string) error {
	if err := os.MkdirAll(bin, 0o750); err != nil { // else go takes it for the name of a single program
		return err
	}
	_, err := stage.Run(ctx, "", stage.Order{
		Name: "go", Path: "go", Args: append([]string{"build", "-tags", tags, "-o", bin + "/"}, packages...),
		Env: append(os.Environ(), "CGO_ENABLED=0"), Dir: root,
	})
	return err
}

// statements prints what PostgreSQL was asked by whole sales, by what took longest.
func (t *till) statements(ctx context.Context, sales int, out io.Writer) error {
	db, err := t.open()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // only read
	if _, err := db.ExecContext(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
		return err
	}
	if _, err := t.sell(ctx, 4, sales); err != nil {
		return err
	}
	rows, err := db.QueryContext(
		ctx,
		`SELECT calls / $1::float, total_exec_time / $1::float, SUM(total_exec_time) OVER () / $1::float,
		LEFT(REGEXP_REPLACE(query, '\s+', ' ', 'g'), 140)
		FROM pg_stat_statements JOIN pg_database d ON d.oid = dbid WHERE datname = current_database()
		ORDER BY total_exec_time DESC LIMIT 40`,
		sales,
	)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err has told
	fmt.Fprintln(out, "What a whole sale asks of PostgreSQL: calls, milliseconds, of all, statement")
	for rows.Next() {
		var calls, took, all float64
		var query string
		if err := rows.Scan(&calls, &took, &all, &query); err != nil {
			return err
		}
		fmt.Fprintf(out, "%6.2f %7.3f %7.3f  %s\n", calls, took, all, query)
	}
	return rows.Err()
}

const profileFor = 6 // seconds

// profile has cashiers ask for one page again and again, and looks where its time goes.
func (t *till) profile(ctx context.Context, pprof string, page int, to, name string, out io.Writer) error {
	over, stop := context.WithCancel(ctx)
	defer stop()
	var working atomic.Bool
	working.Store(true)
	worked := make(chan error, 1)
	go func() {
		_, err := t.work(ctx, 4, func(time.Time) bool { return working.Load() }, t.only(page))
		worked <- err
		stop()
	}()
	browser := stage.NewBrowser(func() string { return pprof })
	fmt.Fprintf(out, "\n%s\n", name)
	var err error
	for _, kind := range []string{"profile", "allocs"} {
		var got *stage.Answer
		if got, err = browser.Ask(over, "GET", fmt.Sprintf("%s?seconds=%d", kind, profileFor), nil); err != nil {
			break
		}
		path := filepath.Join(
			to,
			strings.Trim(strings.NewReplacer(" ", "-", "/", "").Replace(strings.ToLower(name)), "-")+"."+kind+".prof",
		)
		if err = os.WriteFile(path, got.Body, 0o600); err != nil {
			break
		}
		var top string
		args := []string{"tool", "pprof", "-top", "-cum", "-nodecount=30", path}
		if kind == "allocs" {
			args = append(args[:3], "-sample_index=alloc_objects", "-nodecount=20", path)
		}
		pprof := stage.Order{Name: "pprof", Path: "go", Args: args, Env: os.Environ(), Dir: t.dir}
		if top, err = stage.Run(ctx, "", pprof); err != nil {
			break
		}
		fmt.Fprintln(out, top)
	}
	working.Store(false)
	if failed := <-worked; failed != nil {
		return failed
	}
	return err
}

// only asks for one page of a sale. What leads up to it is asked for as seldom as can be,
// a form and a sale can be used again only where that changes nothing.
func (t *till) only(page int) func(*cashier, context.Context) (sold, error) {
	return func(c *cashier, ctx context.Context) (s sold, err error) {
		switch page {
		case 0:
			_, err = c.lookUp(ctx)
		case 1:
			if c.offers == nil {
				if c.offers, err = c.lookUp(ctx); err != nil {
					return s, err
				}
			}
			_, err = c.form(ctx, c.offers)
		case 2:
			form, err := c.fill(ctx)
			if err != nil {
				return s, err
			}
			_, err = c.post(ctx, form)
			return s, err
		case 3:
			if c.sale == "" {
				form, err := c.fill(ctx)
				if err != nil {
					return s, err
				}
				if c.sale, err = c.post(ctx, form); err != nil {
					return s, err
				}
			}
			err = c.outcome(ctx, c.sale)
		}
		return s, err
	}
}
