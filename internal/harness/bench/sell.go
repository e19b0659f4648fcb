package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// pages are the four requests of a whole sale.
var pages = [4]string{"look-up", "confirm", "POST /sales", "outcome"}

// sold is how long each page of a sale took.
type sold [4]time.Duration

// sell serves one customer as a browser does: the products of the number, the confirm
// page of one, its form, and the sale's page until it shows how the sale ended.
func (c *cashier) sell(ctx context.Context) (s sold, err error) {
	began := time.Now()
	offers, err := c.lookUp(ctx)
	if err != nil {
		return s, err
	}
	s[0] = time.Since(began)
	began = time.Now()
	form, err := c.form(ctx, offers)
	if err != nil {
		return s, err
	}
	s[1] = time.Since(began)
	began = time.Now()
	sale, err := c.post(ctx, form)
	if err != nil {
		return s, err
	}
	s[2] = time.Since(began)
	began = time.Now()
	err = c.outcome(ctx, sale)
	s[3] = time.Since(began)
	return s, err
}

// offers are what the products page of a number goes on with: the number, sealed, and its operator.
type offers url.Values

// lookUp types the number of a customer who has not been here.
func (c *cashier) lookUp(ctx context.Context) (offers, error) {
	c.ask.Set("number", c.till.number())
	page, err := c.browser.Swap(ctx, "/counter", c.ask)
	if err == nil && !bytes.Contains(page.Body, []byte(`value="`+c.till.sku)) {
		err = fmt.Errorf("the look-up page: status %d, and no %s", page.Status, c.till.sku)
	}
	if err != nil {
		return nil, err
	}
	_, form, _ := bytes.Cut(page.Body, []byte(`<form id="offers"`))
	form, _, _ = bytes.Cut(form, []byte("<fieldset"))
	fields := url.Values{}
	for _, field := range hiddenField.FindAllSubmatch(form, -1) {
		fields.Set(string(field[1]), html.UnescapeString(string(field[2])))
	}
	return offers(fields), nil
}

// hiddenField is looked for instead of read as HTML, which would take longer than the till did.
var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// products is the address of the page.
func (o offers) products() string { return "/counter?" + url.Values(o).Encode() }

// confirm is the address of the confirm page of a product on the page.
func (o offers) confirm(sku string) string {
	fields := maps.Clone(url.Values(o))
	fields.Set("sku", sku)
	return offers(fields).products()
}

// form is the confirm page's.
func (c *cashier) form(ctx context.Context, offers offers) (url.Values, error) {
	confirm, err := c.browser.Get(ctx, offers.confirm(c.till.sku))
	if err != nil {
		return nil, err
	}
	form := confirm.Form("/sales")
	if form == nil {
		return nil, fmt.Errorf("the confirm page: status %d: %.200s", confirm.Status, confirm.Text())
	}
	return form, nil
}

// fill fills in the confirm page's form for a new customer.
func (c *cashier) fill(ctx context.Context) (url.Values, error) {
	offers, err := c.lookUp(ctx)
	if err != nil {
		return nil, err
	}
	return c.form(ctx, offers)
}

// post presses the button and returns the path of the sale.
func (c *cashier) post(ctx context.Context, form url.Values) (string, error) {
	answer, err := c.browser.Ask(ctx, http.MethodPost, "/sales", form)
	if err == nil && answer.Status != http.StatusSeeOther {
		err = fmt.Errorf("POST /sales: status %d: %.2000s", answer.Status, answer.Body)
	}
	if err != nil {
		return "", err
	}
	return answer.Location, nil
}

var complete = []byte(`data-state="complete"`)

// outcome reads the sale's page and, where it is not final, its stream, which ends
// when it is.
func (c *cashier) outcome(ctx context.Context, sale string) error {
	page, err := c.browser.Ask(ctx, http.MethodGet, sale, nil)
	if err != nil || bytes.Contains(page.Body, complete) {
		return err
	}
	stream, err := c.browser.Ask(ctx, http.MethodGet, sale+"/events", nil)
	if err == nil && !bytes.Contains(stream.Body, complete) {
		err = fmt.Errorf("%s is not complete: status %d: %.500s", sale, stream.Status, stream.Body)
	}
	return err
}

// round is what some cashiers did in some time.
type round struct {
	sales int
	took  time.Duration
	used
	pages []sold
}

// perSecond is the rate of sales.
func (r round) perSecond() float64 { return float64(r.sales) / r.took.Seconds() }

// each is the part of a sale in a time, in milliseconds.
func (r round) each(d time.Duration) float64 { return milliseconds(d) / float64(r.sales) }

// page is how long a page took each time, in milliseconds.
func (r round) page(i int) (all []float64) {
	for _, s := range r.pages {
		all = append(all, milliseconds(s[i]))
	}
	return all
}

// whole is how long each sale took, in milliseconds.
func (r round) whole() (all []float64) {
	for _, s := range r.pages {
		all = append(all, milliseconds(s[0]+s[1]+s[2]+s[3]))
	}
	return all
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// sellFor has some cashiers sell at once for some time. They take turns with the
// others, since a person may ask for only so many pages a minute.
func (t *till) sellFor(ctx context.Context, cashiers int, d time.Duration) (r round, err error) {
	return t.work(ctx, cashiers, func(began time.Time) bool { return time.Since(began) < d }, (*cashier).sell)
}

// sell has some cashiers make so many sales.
func (t *till) sell(ctx context.Context, cashiers, sales int) (round, error) {
	return t.measured(ctx, cashiers, sales, (*cashier).sell)
}

// measured has some cashiers do something so many times.
func (t *till) measured(
	ctx context.Context,
	cashiers, times int,
	do func(*cashier, context.Context) (sold, error),
) (round, error) {
	var done atomic.Int64
	return t.work(ctx, cashiers, func(time.Time) bool { return done.Add(1) <= int64(times) }, do)
}

// work has some cashiers do something while more says so, and measures it.
func (t *till) work(
	ctx context.Context, cashiers int, more func(began time.Time) bool, do func(*cashier, context.Context) (sold, error),
) (r round, err error) {
	before, err := t.measure()
	if err != nil {
		return r, err
	}
	began := time.Now()
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for range cashiers {
		group.Go(func() error {
			for ctx.Err() == nil && more(began) {
				c := <-t.cashiers
				s, err := do(c, ctx)
				t.cashiers <- c
				if err != nil {
					return err
				}
				mu.Lock()
				r.pages = append(r.pages, s)
				mu.Unlock()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return r, err
	}
	after, err := t.measure()
	r.sales, r.took, r.used = len(r.pages), time.Since(began), after.minus(before)
	return r, err
}

// post has some cashiers press forms that were filled in before, and waits until every
// outcome is committed: what POST /sales costs without its pages.
func (t *till) post(ctx context.Context, cashiers, sales int) (r round, err error) {
	forms, err := t.forms(ctx, cashiers, sales)
	if err != nil {
		return r, err
	}
	before, err := t.committed(ctx)
	if err != nil {
		return r, err
	}
	start, err := t.measure()
	if err != nil {
		return r, err
	}
	began := time.Now()
	if err := press(ctx, cashiers, forms); err != nil {
		return r, err
	}
	for done := 0; done < sales; done -= before {
		sleep(ctx, 5*time.Millisecond)
		if done, err = t.committed(ctx); err != nil || ctx.Err() != nil {
			return r, errors.Join(err, ctx.Err())
		}
	}
	end, err := t.measure()
	return round{sales: sales, took: time.Since(began), used: end.minus(start)}, err
}

// forms has some cashiers fill forms in.
func (t *till) forms(ctx context.Context, cashiers, sales int) (<-chan prepared, error) {
	forms := make(chan prepared, sales)
	_, err := t.measured(ctx, cashiers, sales, func(c *cashier, ctx context.Context) (s sold, err error) {
		form, err := c.fill(ctx)
		forms <- prepared{c, form}
		return s, err
	})
	close(forms)
	return forms, err
}

// press has some cashiers at once press what was filled in.
func press(ctx context.Context, cashiers int, forms <-chan prepared) error {
	group, each := errgroup.WithContext(ctx)
	for range cashiers {
		group.Go(func() error {
			for p := range forms {
				if _, err := p.by.post(each, p.form); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// prepared is a form that somebody may press.
type prepared struct {
	by   *cashier
	form url.Values
}

// committed counts the sales that have ended.
func (t *till) committed(ctx context.Context) (n int, err error) {
	db, err := t.open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }() // only read
	return n, db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sales WHERE fulfilment = 'complete'").Scan(&n)
}
