package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"airtill/internal/harness/stage"
)

// robot is a cashier who sells at a till of her own and holds its cash. What
// she holds, she counts herself: only what she was told for certain moves it.
type robot struct {
	number   int
	name     string
	password string
	shop     *shop
	till     string // where she stands
	browser  *stage.Browser
	dice     *dice

	careful atomic.Bool // she cancels nothing and hands no cash back by herself just now

	mu      sync.Mutex
	hand    int64              // cash in hand, millionths
	opening bool               // the shift was to be opened, and the answer has not come
	papers  []*paper           // forms whose fate she does not know
	tickets map[string]*ticket // by sale
	open    []*ticket          // those that have not ended
	named   map[string]string  // the sale of each key
	refused map[string]string  // what the till said to keys of forms: nothing was sold
	pins    []string           // that she was shown
}

// shop is what the robots have in common.
type shop struct {
	stock    *stock
	sites    []*site
	trouble  func(robot string, err error)
	sold     func(s *site, began time.Time)
	shared   func() string // a number that several customers come with
	openHour func() bool   // selling, and not only clearing up
}

// paper is a confirm form that was pressed.
type paper struct {
	key     string
	form    url.Values
	price   int64
	presses int
	kind    string
}

// ticket is a sale that the till has named.
type ticket struct {
	id      string
	key     string
	price   int64
	state   string
	kind    string
	paid    int  // how often the cash was handed back
	pressed bool // a refund was pressed, and its answer lost
	tries   int
	printed bool
	soldAt  time.Time
}

const openingFloat = 100_000_000 // 100.00

func newRobot(number int, seed uint64, password string, s *shop) *robot {
	r := &robot{
		number: number, name: fmt.Sprintf("robot%02d", number), password: password, shop: s,
		dice:    newDice(seed, uint64(1000+number)),
		tickets: map[string]*ticket{}, named: map[string]string{}, refused: map[string]string{},
	}
	home := s.sites[number%len(s.sites)]
	r.browser = stage.NewBrowser(home.url)
	return r
}

func (r *robot) home() *site { return r.shop.sites[r.number%len(r.shop.sites)] }

// arrive signs in, stands at the till of the robot's number, and opens a shift.
func (r *robot) arrive(ctx context.Context, tillID string) error {
	if err := r.browser.SignIn(ctx, r.name, r.password); err != nil {
		return err
	}
	tills, err := r.browser.Get(ctx, "/till")
	if err != nil {
		return err
	}
	move, err := r.browser.Post(ctx, "/till", url.Values{"csrf": {tills.Token()}, "till": {tillID}})
	if err != nil {
		return err
	}
	if move.Status != http.StatusSeeOther {
		return fmt.Errorf("move to the till: status %d: %.200s", move.Status, move.Text())
	}
	r.till = tillID
	return r.openShift(ctx)
}

// work serves customers until the context ends, one every so often.
func (r *robot) work(ctx context.Context, every func() time.Duration) {
	for {
		pause := every() * time.Duration(50+r.dice.below(100)) / 100
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if err := r.turn(ctx); err != nil && ctx.Err() == nil {
			r.shop.trouble(r.name, err)
		}
	}
}

// turn does the next thing: what hangs in the air comes before a new customer.
func (r *robot) turn(ctx context.Context) error {
	err := r.next(ctx)
	if errors.Is(err, stage.ErrSignedOut) {
		return r.browser.SignIn(ctx, r.name, r.password)
	}
	return err
}

const mostInTheAir = 3

func (r *robot) next(ctx context.Context) error {
	selling := r.shop.openHour()
	if papers, p := r.inTheAir(); p != nil && (!selling || papers >= mostInTheAir || r.dice.oneIn(2)) {
		return r.press(ctx, p)
	}
	for range looksEachTurn {
		t := r.notEnded()
		if t == nil {
			break
		}
		if err := r.look(ctx, t); err != nil {
			return err
		}
	}
	if selling {
		return r.sell(ctx)
	}
	return nil
}

// looksEachTurn keeps a robot from falling behind its sales.
const looksEachTurn = 2

// inTheAir returns how many forms are, and the oldest; nil if there is none.
func (r *robot) inTheAir() (int, *paper) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.papers) == 0 {
		return 0, nil
	}
	return len(r.papers), r.papers[0]
}

// notEnded returns a sale to be looked at, nil if all have ended. Sales are
// looked at in turn.
func (r *robot) notEnded() *ticket {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.open) == 0 {
		return nil
	}
	t := r.open[0]
	r.open = append(r.open[1:], t)
	return t
}

// sales counts those that the till has named to her.
func (r *robot) sales() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tickets)
}

// idle says whether nothing hangs in the air.
func (r *robot) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.papers) == 0 && len(r.open) == 0
}

// check answers what every page may say.
func check(p *stage.Page) error {
	switch {
	case p.Location == "/login":
		return stage.ErrSignedOut
	case p.Status == http.StatusTooManyRequests:
		return errors.New("too many requests")
	case !p.Settled():
		return fmt.Errorf("status %d: %.120s", p.Status, strings.TrimSpace(p.Text()))
	}
	return nil
}
