package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"airtill/internal/catalog"
	"airtill/internal/followup"
	"airtill/internal/jobs"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/restore"
	"airtill/internal/sales"
	"airtill/internal/store"
)

const (
	beatEvery   = 2 * time.Second
	wroteWithin = 3 * beatEvery               // the last written beat
	beatWithin  = jobs.AliveFor * time.Second // without one for so long, others take this process for dead
	heardWithin = 30 * time.Second            // for an answer of the database, after a beat has had none in time
	drainWithin = 100 * time.Second           // the longest a send takes
	soldAtOnce  = 256
	// balanceEvery keeps within a budget of 40 calls in ten minutes.
	balanceEvery = 15 * time.Second
)

// Start runs the background work until life ends. Without the upstream, the till shows the catalogue it has
// and says that it cannot sell.
func (a *App) Start(life context.Context) error {
	if err := a.Restore.Start(life); err != nil {
		return err
	}
	if err := a.Processes.Beat(life); err != nil {
		return err
	}
	a.wroteAt.Store(a.Now().UnixNano())
	if err := a.release(life); err != nil {
		return err
	}
	if err := a.Catalog.Start(life); err != nil {
		return err
	}
	if err := a.Jobs.Start(life); err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	a.remembered = make(chan struct{})
	go func() { defer close(a.remembered); a.rememberSold(life) }()
	go a.openBooks(life)
	return nil
}

// Refuse announces to a load balancer that this process is about to end.
func (a *App) Refuse() { a.stopping.Store(true) }

// Drain refuses new sales and waits for the sends under way.
func (a *App) Drain(life context.Context) {
	draining, cancel := context.WithTimeout(life, drainWithin)
	defer cancel()
	if err := a.Sales.Drain(draining); err != nil {
		a.Log.ErrorContext(life, "web.sends_cut_off", "sends", a.Sales.Sending(), "error", err)
	}
}

// Stop is the last step, after Drain and the pages. What the last sales leave to remember is written down.
func (a *App) Stop(life context.Context) error {
	err := a.Jobs.Stop(life) // they complete sales too
	close(a.soldLast)
	select {
	case <-a.remembered:
	case <-time.After(rememberWithin):
		a.Log.WarnContext(life, "web.sold_not_remembered", "error", "the database was too slow")
	}
	return err
}

// sells says whether this process can sell and is not about to end.
func (a *App) sells(ctx context.Context) error {
	switch {
	case a.stopping.Load():
		return errors.New("this process is stopping")
	case a.Catalog.Current().Empty():
		return errors.New("there is no catalogue yet")
	case a.Catalog.Current().StatusAsOf().IsZero():
		return errors.New("it is not known yet which providers take transfers")
	}
	balance, err := a.Reconcile.LastBalance(ctx)
	if err == nil && balance == nil {
		err = errors.New("the balance is not known yet")
	}
	return err
}

// writes fails if the database accepts no writes: its disk is full, or another program holds its lock.
func (a *App) writes(context.Context) error {
	if last := time.Unix(0, a.wroteAt.Load()); a.Now().Sub(last) > wroteWithin {
		return fmt.Errorf("the database took nothing down since %s", last.UTC().Format(time.RFC3339))
	}
	return nil
}

// openBooks asks for the balance until it gets one: before that no sale passes, and the job that asks for it
// runs only every few minutes.
func (a *App) openBooks(ctx context.Context) {
	tick := time.NewTicker(balanceEvery)
	defer tick.Stop()
	for {
		last, err := a.Reconcile.LastBalance(ctx)
		if err == nil && last == nil {
			_, err = a.Reconcile.ReadBalance(ctx)
		}
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			a.Log.WarnContext(ctx, "web.balance_not_read", "error", err)
		}
	}
}

// Beat marks this process as alive until the context ends, clears up after dead ones, and asks for a sweep if one has
// anything to do: after a crash, the jobs' own schedule starts only once a leader is elected, a quarter of a minute
// later, and a cashier may be waiting.
func (a *App) Beat(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		if err := a.beatInTime(ctx, beatWithin, heardWithin); err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, "web.heartbeat_failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// beatInTime beats, or gives up. If the database does not answer a beat, whoever else waits may wait for ever.
func (a *App) beatInTime(ctx context.Context, within, heard time.Duration) error {
	inTime, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := a.BeatOnce(inTime)
	if errors.Is(inTime.Err(), context.DeadlineExceeded) {
		a.DB.Doubt(heard)
	}
	return err
}

// BeatOnce is what Beat does every two seconds.
func (a *App) BeatOnce(ctx context.Context) error {
	beaten := a.Processes.Beat(ctx)
	if beaten == nil {
		a.wroteAt.Store(a.Now().UnixNano())
	}
	if err := errors.Join(beaten, a.release(ctx), a.raiseMark(ctx)); err != nil {
		return err
	}
	if due, err := a.FollowUp.Due(ctx); err != nil || !due {
		return err
	}
	return a.Jobs.Run(ctx, followup.SweepJob)
}

// release frees what dead processes were working on.
func (a *App) release(ctx context.Context) error {
	some, err := a.Processes.Release(ctx)
	if err != nil || !some {
		return err
	}
	return a.Catalog.Interrupt(ctx)
}

// raiseMark raises the marks outside the database. If one says that the database under this process has become
// older, selling stops.
func (a *App) raiseMark(ctx context.Context) error {
	err := a.Restore.Beat(ctx)
	if errors.Is(err, restore.ErrOlder) {
		a.Sales.Halt()
	}
	return err
}

// hearSold takes note of a completed sale. The sale's connection is still held, so it must not wait; only a
// hint is lost if the queue is full.
func (a *App) hearSold(sale sales.Sale) {
	if sale.Practice {
		return
	}
	select {
	case a.sold <- sale:
	default:
	}
}

const (
	// rememberTogether is how long completed sales are gathered: a transaction for each would cost more than what
	// it writes.
	rememberTogether = 250 * time.Millisecond
	rememberWithin   = 5 * time.Second // for the last, as the till stops
)

// rememberSold remembers whose numbers sales went to, and has the float's checkpoint follow them, until the till stops.
func (a *App) rememberSold(ctx context.Context) {
	unfolded := map[money.Currency]int{}
	for {
		var sold []sales.Sale
		select {
		case <-ctx.Done():
			return
		case first := <-a.sold:
			sold = a.gathered(ctx, first)
		case <-a.soldLast:
			if sold = a.gathered(ctx); len(sold) == 0 {
				return
			}
		}
		if err := a.remember(ctx, sold); err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, "web.sold_not_remembered", "error", err)
		}
		if err := a.foldFloat(ctx, sold, unfolded); err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, "web.float_not_folded", "error", err)
		}
	}
}

const (
	foldAfter  = 100 // sales
	foldWithin = time.Second
)

// foldFloat counts sales, and folds the float after a hundred: each sale sums its postings since the checkpoint, once
// before it is confirmed and once as it is recorded. If it fails, the next hundred try again.
func (a *App) foldFloat(ctx context.Context, sold []sales.Sale, unfolded map[money.Currency]int) error {
	within, cancel := context.WithTimeout(ctx, foldWithin)
	defer cancel()
	for _, sale := range sold {
		unfolded[sale.SendCurrency]++
	}
	var failed error
	for currency, n := range unfolded {
		if n >= foldAfter {
			unfolded[currency] = 0
			failed = errors.Join(failed, a.Ledger.Fold(within, ledger.Float, currency))
		}
	}
	return failed
}

// gathered are sales and those that complete soon after them; as the till stops, those that have.
func (a *App) gathered(ctx context.Context, all ...sales.Sale) []sales.Sale {
	soon, last := time.After(rememberTogether), a.soldLast
	for len(all) < cap(a.sold) {
		select {
		case <-ctx.Done():
			return all
		case <-soon:
			return all
		case sale := <-a.sold:
			all = append(all, sale)
		case <-last:
			if len(a.sold) == 0 {
				return all
			}
			last = nil
		}
	}
	return all
}

// remember stores whose numbers sales went to, adds them to the shops' customer books, and has the texts of
// products fetched in the customers' languages; a voucher goes to nobody's, and one that its owner had erased is not
// written down again. All processes write in the same order, which avoids deadlocks.
func (a *App) remember(ctx context.Context, sold []sales.Sale) error {
	slices.SortStableFunc(sold, func(x, y sales.Sale) int { return strings.Compare(x.AccountNumber, y.AccountNumber) })
	var operators, books []store.Statement
	for _, sale := range sold {
		if err := a.Catalog.Want(ctx, sale.Language); err != nil {
			return err
		}
		if sale.Addressed() && !sale.Erased() {
			operators = append(operators,
				a.Catalog.Remembered(sale.AccountNumber, sale.ProviderCode, catalog.SourceSale))
			books = append(books, a.Customers.Remembered(sale.ShopID, sale.AccountNumber, sale.ID))
		}
	}
	if operators == nil {
		return nil
	}
	return a.DB.Tx(ctx, func(tx *store.Tx) error { return tx.ExecLast(ctx, append(operators, books...)...) })
}
