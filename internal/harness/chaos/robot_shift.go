package chaos

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"airtill/internal/money"
)

// openShift opens the robot's shift, if none is open, with the float out of the
// safe. Where the answer was lost, the till shows the next time that it is open.
func (r *robot) openShift(ctx context.Context) error {
	shift, err := r.browser.Get(ctx, "/shift")
	if err != nil {
		return err
	}
	form := shift.Form("/shift/open")
	if form == nil {
		r.opened()
		return nil
	}
	form.Set("float", "100")
	r.mu.Lock()
	r.opening = true
	r.mu.Unlock()
	opened, err := r.browser.Post(ctx, "/shift/open", form)
	if err != nil {
		return err
	}
	if opened.Status != http.StatusSeeOther {
		return fmt.Errorf("open the shift: status %d: %.200s", opened.Status, opened.Text())
	}
	r.opened()
	return nil
}

// opened puts the float into the drawer, once for each opening.
func (r *robot) opened() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opening {
		r.opening = false
		r.hand += openingFloat
	}
}

// closeShift counts the drawer, tells the till what is in it and puts it into
// the safe. An answer that was lost is asked for again.
func (r *robot) closeShift(ctx context.Context) (closed bool, err error) {
	count, err := r.browser.Get(ctx, "/shift/close")
	if err != nil {
		return false, err
	}
	if err := check(count); err != nil {
		return false, err
	}
	form := count.Form("/shift/close")
	if form == nil {
		return r.emptied(), nil // it is closed already: the answer was lost
	}
	r.mu.Lock()
	counted, _, _ := strings.Cut(money.Of(r.hand, "EUR").String(), " ")
	r.mu.Unlock()
	form.Set("loose", counted)
	answer, err := r.browser.Post(ctx, "/shift/close", form)
	switch {
	case err != nil:
		return false, err
	case answer.Status == http.StatusSeeOther && answer.Location == "/shift/close":
		return false, violation{"I7", "", r.name + " counted " + counted + ", and the till wants it counted again"}
	case answer.Status == http.StatusSeeOther && strings.HasPrefix(answer.Location, "/shift/"):
		return r.emptied(), nil
	}
	return false, fmt.Errorf("close the shift: status %d: %.200s", answer.Status, answer.Text())
}

// emptied: all cash is the safe's.
func (r *robot) emptied() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hand = 0
	return true
}
