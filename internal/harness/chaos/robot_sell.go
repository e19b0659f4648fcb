package chaos

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"airtill/internal/harness/stage"
	"airtill/internal/money"
)

// sell serves one customer: from the number to the pressed button.
func (r *robot) sell(ctx context.Context) error {
	item, number := r.shop.stock.pick(r.dice)
	if r.dice.oneIn(50) {
		number = r.shop.shared()
		item = r.shop.stock.fixed
	}
	return r.sellThis(ctx, item, number)
}

func (r *robot) sellThis(ctx context.Context, item item, number string) error {
	p, err := r.prepare(ctx, item, number)
	if err != nil || p == nil {
		return err
	}
	if r.dice.oneIn(40) {
		return r.doubleClick(ctx, p, 2+r.dice.below(3))
	}
	return r.press(ctx, p)
}

// prepare leads up to the confirm form; nil if the till does not offer it.
func (r *robot) prepare(ctx context.Context, item item, number string) (*paper, error) {
	confirm, err := r.browser.Get(ctx, "/counter?"+url.Values{"number": {number}, "provider": {item.provider}, "sku": {item.sku}}.Encode())
	if err != nil {
		return nil, err
	}
	if err := check(confirm); err != nil {
		return nil, err
	}
	p, err := newPaper(confirm, item.kind)
	if err != nil || p == nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.papers = append(r.papers, p)
	return p, nil
}

// newPaper takes the form of a confirm page; nil if it cannot be pressed.
func newPaper(confirm *stage.Page, kind string) (*paper, error) {
	form := confirm.Form("/sales")
	if form == nil || confirm.Doc.Find(`form[action="/sales"] button`).Length() == 0 {
		return nil, nil
	}
	price, err := shownPrice(form)
	if err != nil {
		return nil, err
	}
	return &paper{key: form.Get("key"), form: form, price: price, kind: kind}, nil
}

// shownPrice is what the customer hands over.
func shownPrice(form url.Values) (int64, error) {
	amount, err := money.Read(form.Get("shown"))
	if err != nil {
		return 0, fmt.Errorf("read the price %q: %w", form.Get("shown"), err)
	}
	return amount.Micros(), nil
}

// press presses the button of a form, for the first time or again, and does
// what the answer says.
func (r *robot) press(ctx context.Context, p *paper) error {
	site, began := r.home(), time.Now()
	p.presses++
	answer, err := r.browser.Post(ctx, "/sales", p.form)
	if err != nil {
		return err // it stays in the air
	}
	if id, named := strings.CutPrefix(answer.Location, "/sales/"); named && answer.Status == http.StatusSeeOther {
		r.shop.sold(site, began)
		return r.keep(p, id)
	}
	if answer.Location == "/login" || answer.Status == http.StatusForbidden {
		return r.freshToken(ctx, p)
	}
	if err := check(answer); err != nil {
		return err
	}
	return r.refusedOr(answer, p)
}

// freshToken signs in and gives the form the token of the new session; its key
// stays.
func (r *robot) freshToken(ctx context.Context, p *paper) error {
	if err := r.browser.SignIn(ctx, r.name, r.password); err != nil {
		return err
	}
	tills, err := r.browser.Get(ctx, "/till")
	if err != nil {
		return err
	}
	if token := tills.Token(); token != "" {
		p.form.Set("csrf", token)
	}
	return nil
}

// refusedOr reads an answer that names no sale: a question, which is answered
// the next time the form is pressed, or a refusal.
func (r *robot) refusedOr(answer *stage.Page, p *paper) error {
	form := answer.Form("/sales")
	if answer.Status == http.StatusConflict && form != nil && form.Get("key") == p.key {
		if answer.Doc.Find(`button[name="another"]`).Length() > 0 && p.form.Get("another") == "" {
			p.form.Set("another", "1")
			return nil
		}
		if price, err := shownPrice(form); err == nil && price != p.price && answer.Doc.Find(`form[action="/sales"] button`).Length() > 0 {
			p.price = price
			p.form.Set("shown", form.Get("shown"))
			p.form.Set("receives", form.Get("receives"))
			return nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(p)
	r.refused[p.key] = fmt.Sprintf("%d %s, pressed %d times", answer.Status, answer.Text(), p.presses) // the customer keeps the cash
	return nil
}

// keep takes the cash: the till has named the sale.
func (r *robot) keep(p *paper, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(p)
	if before := r.named[p.key]; before != "" {
		if before != id {
			return violation{"L8", id, "one form is two sales, the other is " + before}
		}
		return nil
	}
	if other := r.tickets[id]; other != nil {
		return violation{"L8", id, "two forms are one sale, the other is " + other.key}
	}
	r.named[p.key] = id
	t := &ticket{id: id, key: p.key, price: p.price, kind: p.kind, soldAt: time.Now()}
	r.tickets[id] = t
	r.open = append(r.open, t)
	r.hand += p.price
	return nil
}

// drop takes a form out of the air. r.mu is held.
func (r *robot) drop(p *paper) {
	r.papers = slices.DeleteFunc(r.papers, func(other *paper) bool { return other == p })
}

// doubleClick presses a form many times at once. However many answers name a
// sale, they must name the same.
func (r *robot) doubleClick(ctx context.Context, p *paper, times int) error {
	var all sync.WaitGroup
	answers := make([]*stage.Page, times)
	for i := range times {
		all.Go(func() { answers[i], _ = r.browser.Post(ctx, "/sales", p.form) }) // a lost one is pressed again
	}
	all.Wait()
	p.presses += times
	for _, answer := range answers {
		if answer == nil {
			continue
		}
		if id, named := strings.CutPrefix(answer.Location, "/sales/"); named {
			if err := r.keep(p, id); err != nil {
				return err
			}
		}
	}
	return nil // if none named a sale, the form is still in the air
}
