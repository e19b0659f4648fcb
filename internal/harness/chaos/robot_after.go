package chaos

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"airtill/internal/harness/stage"
)

// look looks at a sale, and does what a cashier does with what she sees.
func (r *robot) look(ctx context.Context, t *ticket) error {
	outcome, err := r.browser.Get(ctx, "/sales/"+t.id)
	if err != nil {
		return err
	}
	if err := check(outcome); err != nil {
		return err
	}
	t.state = outcome.State()
	switch t.state {
	case "complete":
		return r.handOver(ctx, t, outcome)
	case "failed", "voided", "cancelled":
		return r.giveBack(ctx, t, outcome)
	case "recorded", "submitted", "processing":
		if form := outcome.Form("/cancel"); form != nil && !r.careful.Load() && r.dice.oneIn(2) {
			_, err := r.browser.Post(ctx, "/sales/"+t.id+"/cancel", form)
			return err
		}
	}
	return nil
}

// handOver prints the receipt and shows the PIN.
func (r *robot) handOver(ctx context.Context, t *ticket, outcome *stage.Page) error {
	if !t.printed && r.dice.oneIn(4) {
		t.printed = true
		if _, err := r.browser.Get(ctx, "/sales/"+t.id+"/receipt"); err != nil {
			return err
		}
	}
	if form := outcome.Form("/reveal"); form != nil {
		form.Set("reason", "the customer asks")
		if _, err := r.browser.Post(ctx, "/sales/"+t.id+"/reveal", form); err != nil {
			return err
		}
		shown, err := r.browser.Get(ctx, "/sales/"+t.id)
		if err != nil {
			return err
		}
		r.rememberPIN(shown)
	}
	r.end(t)
	return nil
}

func (r *robot) rememberPIN(shown *stage.Page) {
	pin := strings.Join(strings.Fields(shown.Doc.Find(".pin-value:not(.pin-masked)").Text()), "")
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(pin) >= 12 {
		r.pins = append(r.pins, pin)
	}
}

// giveBack tries again or hands the cash back, where the page offers it.
func (r *robot) giveBack(ctx context.Context, t *ticket, outcome *stage.Page) error {
	retry := outcome.Form("/retry")
	if retry != nil && t.tries < 1 && r.shop.openHour() && r.dice.oneIn(6) {
		t.tries++
		_, err := r.browser.Post(ctx, "/sales/"+t.id+"/retry", retry)
		return err
	}
	refund := outcome.Form("/refund")
	if r.careful.Load() {
		return nil
	}
	if refund == nil {
		r.mu.Lock()
		if t.pressed && t.paid == 0 {
			r.pay(t) // the answer was lost, and the till has booked it
		}
		r.mu.Unlock()
		r.end(t)
		return nil
	}
	presses := 1
	if r.dice.oneIn(8) {
		presses = 2 // a double click
	}
	return r.refund(ctx, t, refund, presses)
}

// saleOf is the sale that a form has become, nil if that is not known.
func (r *robot) saleOf(p *paper) *ticket {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tickets[r.named[p.key]]
}

// refund presses the button, many times at once if asked to, and pays what the till says is to be paid.
func (r *robot) refund(ctx context.Context, t *ticket, form url.Values, presses int) error {
	answers := make(chan *stage.Page, presses)
	for range presses {
		go func() {
			answer, _ := r.browser.Post(ctx, "/sales/"+t.id+"/refund", form) // nil: lost
			answers <- answer
		}()
	}
	for range presses {
		answer := <-answers
		r.mu.Lock()
		switch {
		case answer == nil || !answer.Settled():
			t.pressed = true
		case answer.Status == http.StatusSeeOther && answer.Location == "/sales/"+t.id:
			r.pay(t)
		}
		r.mu.Unlock()
	}
	return nil // the next look says whether it is over
}

// pay hands the cash back. r.mu is held.
func (r *robot) pay(t *ticket) {
	t.paid++
	r.hand -= t.price
}

func (r *robot) end(t *ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = slices.DeleteFunc(r.open, func(other *ticket) bool { return other == t })
}

// reopen has a sale looked at again that had ended.
func (r *robot) reopen(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.tickets[id]; t != nil && !slices.Contains(r.open, t) {
		r.open = append(r.open, t)
	}
}
