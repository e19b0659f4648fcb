package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"airtill/internal/harness/stage"
)

// manyListed is how many sales are stored where lists are compared.
func (r *run) manyListed() int {
	if r.o.Short && r.o.Stored == 0 {
		return 10_000
	}
	return r.manyStored()
}

// inventSales fills a till with sales, so many a day.
func inventSales(ctx context.Context, sales, perDay int) func(*till) error {
	return func(t *till) error {
		days := max(2, sales/perDay)
		_, err := t.run(ctx, "seed", "--bare", "--sales", fmt.Sprint(sales), "--days", fmt.Sprint(days), "--shops", "10")
		return err
	}
}

// lists sets the list of a day's sales and Today, with many sales stored, beside the same
// with a tenth of them.
func (r *run) lists(ctx context.Context, on string, many int) error {
	r.on = on
	var tills [2]*till
	defer func() {
		for _, t := range tills {
			if t != nil {
				t.close()
			}
		}
	}()
	perDay := min(many/300, 5000) // so that Today has weekdays before it to compare with in either till
	var readers [2]*stage.Browser
	for i, sales := range []int{many / 10, many} {
		began := time.Now()
		t, err := r.services.newTillOf(ctx, fmt.Sprint("listed", i, on), on, 1, 200, inventSales(ctx, sales, perDay))
		tills[i] = t
		if err != nil {
			return err
		}
		if on == onPostgres {
			if _, err := t.tool(ctx, "vacuumdb", "--analyze"); err != nil { // as autovacuum would have by and by
				return err
			}
		}
		if readers[i], err = t.reader(ctx); err != nil {
			return err
		}
		r.say("  %d sales are stored on %s after %s", sales, on, time.Since(began).Round(time.Second))
	}
	day := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	for _, page := range []struct{ name, path string }{
		{"the list of a day's sales", "/sales?" + url.Values{"from": {day}, "to": {day}}.Encode()},
		{"Today", "/today"},
	} {
		var took [2][]float64
		for range max(10, r.alone/4) {
			for i, b := range readers {
				began := time.Now()
				answer, err := b.Ask(ctx, http.MethodGet, page.path, nil)
				if err != nil {
					return err
				}
				if answer.Status != http.StatusOK {
					return fmt.Errorf("%s: status %d: %.300s", page.path, answer.Status, answer.Body)
				}
				took[i] = append(took[i], milliseconds(time.Since(began)))
			}
		}
		r.value(fmt.Sprintf("%d sales stored: p50 of %s", many, page.name), median(took[1]), "ms").
			of(median(took[0])).
			atMost(1.3)
	}
	return nil
}

// reader starts a till, and signs in somebody who sees the sales and figures of every shop.
func (t *till) reader(ctx context.Context) (*stage.Browser, error) {
	if _, err := t.run(ctx, "user", "add", "--username", "reader", "--role", "finance"); err != nil {
		return nil, err
	}
	b := stage.NewBrowser(t.url)
	return b, errors.Join(t.start(ctx), b.SignIn(ctx, "reader", password))
}
