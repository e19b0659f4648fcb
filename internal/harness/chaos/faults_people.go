package chaos

import (
	"context"
	"errors"
	"net/url"
	"sync"

	"airtill/internal/harness/stage"
)

// peopleFaults: cashiers are in a hurry.
func peopleFaults() []fault {
	all := []fault{
		{name: "double-clicks-100", more: 1, do: hundredClicks},
		{name: "two-cashiers-one-number", more: 2, do: twoCashiers},
		{name: "back-and-again", more: 2, do: backAndAgain},
		{name: "refund-double-clicked", more: 1, do: refundTwice},
		{name: "key-for-another-sale", do: sameKeyOtherSale},
	}
	for i := range all {
		all[i].lane = "people"
	}
	return all
}

// hundredClicks presses one form a hundred times at once.
func hundredClicks(ctx context.Context, s *storm) (bool, error) {
	r := s.extra[0]
	p, err := r.prepare(ctx, s.item(), s.number())
	if err != nil || p == nil {
		return false, err
	}
	return true, r.doubleClick(ctx, p, 100)
}

// twoCashiers sell the same to the same number at the same moment: the till
// takes one of them, and asks or refuses the other.
func twoCashiers(ctx context.Context, s *storm) (bool, error) {
	number := s.number()
	var both sync.WaitGroup
	errs := make([]error, 2)
	for i, r := range s.extra[:2] {
		both.Go(func() { errs[i] = r.sellThis(ctx, s.item(), number) })
	}
	both.Wait()
	return errs[0] == nil || errs[1] == nil, errors.Join(errs...)
}

// backAndAgain presses a form again whose sale is known: it is the same sale.
func backAndAgain(ctx context.Context, s *storm) (bool, error) {
	r := s.extra[2]
	p, err := r.prepare(ctx, s.item(), s.number())
	if err != nil || p == nil {
		return false, err
	}
	if err := r.press(ctx, p); err != nil {
		return false, err
	}
	return true, r.press(ctx, p)
}

// sameKeyOtherSale gives the key of a sale to a form for another number: nothing
// may be sold by it.
func sameKeyOtherSale(ctx context.Context, s *storm) (bool, error) {
	r := s.extra[2]
	p, err := r.prepare(ctx, s.item(), s.number())
	if err != nil || p == nil {
		return false, err
	}
	if err := r.press(ctx, p); err != nil {
		return false, err
	}
	other := url.Values{}
	for name, values := range p.form {
		other[name] = values
	}
	other.Set("number", s.number())
	answer, err := r.browser.Post(ctx, "/sales", other)
	if err != nil {
		return false, err
	}
	if r.named[p.key] != "" && answer.Location != "" && answer.Location != "/login" {
		return true, violation{"L8", r.named[p.key], "its key, with another number, led to " + answer.Location}
	}
	return true, nil
}

// item and number are what a customer of the storm wants.
func (s *storm) item() item { return s.stock.fixed }

func (s *storm) number() string { return s.item().number(s.dice) }

// refundTwice presses the refund of a sale that failed ten times at once: the
// cash goes back once.
func refundTwice(ctx context.Context, s *storm) (bool, error) {
	r, number := s.extra[1], s.number()
	err := s.console.AddFault(ctx, stage.Fault{
		Match: map[string]any{"endpoint": sendTransfer, "number": "353" + number[1:]}, Times: 1,
		Action: does{"kind": "error", "code": "RateLimited"},
	})
	if err != nil {
		return false, err
	}
	r.careful.Store(true) // the refund is the storm's to press
	defer r.careful.Store(false)
	p, err := r.prepare(ctx, s.item(), number)
	if err != nil || p == nil {
		return false, err
	}
	if err := r.press(ctx, p); err != nil || r.saleOf(p) == nil {
		return false, err
	}
	t, times := r.saleOf(p), 0
	_, err = seen(ctx, firesWithin, func() (bool, error) {
		outcome, err := r.browser.Get(ctx, "/sales/"+t.id)
		if err != nil {
			return false, nil //nolint:nilerr // the till may just be gone; it is looked at again
		}
		form := outcome.Form("/refund")
		if form == nil {
			return false, nil
		}
		times = 10
		return true, r.refund(ctx, t, form, times)
	})
	return times > 0, err
}
