package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/followup"
	"airtill/internal/restore"
	"airtill/internal/sales"
)

const (
	beatEvery   = 2 * time.Second
	wroteWithin = 3 * beatEvery     // the latest beat that was written down
	drainWithin = 100 * time.Second // the longest a send takes
	soldAtOnce  = 256
	// balanceEvery keeps within a budget of 40 calls in ten minutes.
	balanceEvery = 15 * time.Second
)

// Start runs what works in the background until life ends. The upstream may be away:
// the till then shows the catalogue it has, and says that it cannot sell.
func (a *App) Start(life context.Context) error {
	if err := a.Restore.Start(life); err != nil {
		return err
	}
	if err := a.Processes.Beat(life); err != nil {
		return err
	}
	a.wroteAt.Store(a.Now().UnixNano())
	if err := a.Catalog.Start(life); err != nil {
		return err
	}
	if err := a.Jobs.Start(life); err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	go a.rememberSold(life)
	go a.openBooks(life)
	return nil
}

// Refuse says that this process is about to end, for a balancer to hear.
func (a *App) Refuse() { a.stopping.Store(true) }

// Drain refuses new sales and waits for the sends under way.
func (a *App) Drain(life context.Context) {
	draining, cancel := context.WithTimeout(life, drainWithin)
	defer cancel()
	if err := a.Sales.Drain(draining); err != nil {
		a.Log.ErrorContext(life, "web.sends_cut_off", "error", err)
	}
}

// Stop is the last step of the end, after Drain and the pages.
func (a *App) Stop(life context.Context) error { return a.Jobs.Stop(life) }

// sells says that this process can sell, and is not about to end.
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

// writes fails if the database takes nothing down: its disk is full, or another
// program holds its lock.
func (a *App) writes(context.Context) error {
	if last := time.Unix(0, a.wroteAt.Load()); a.Now().Sub(last) > wroteWithin {
		return fmt.Errorf("the database took nothing down since %s", last.UTC().Format(time.RFC3339))
	}
	return nil
}

// openBooks asks for the balance until it was told once: before that no sale
// passes, and the job that asks for it comes only every few minutes.
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

// Beat says until the context ends that this process lives, clears up after those that
// do not, and asks for a sweep: after a crash the jobs' own schedule starts only when a
// leader has been elected, which takes a quarter of a minute, and a cashier may be waiting.
func (a *App) Beat(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		beaten := a.Processes.Beat(ctx)
		if beaten == nil {
			a.wroteAt.Store(a.Now().UnixNano())
		}
		err := errors.Join(beaten, a.Processes.Release(ctx), a.raiseMark(ctx))
		if err == nil {
			err = a.Jobs.Run(ctx, followup.SweepJob)
		}
		if err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, "web.heartbeat_failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// raiseMark raises the marks outside the database. If one says that the database
// has become older under this process, it sells no more.
func (a *App) raiseMark(ctx context.Context) error {
	err := a.Restore.Keep(ctx)
	if errors.Is(err, restore.ErrOlder) {
		a.Sales.Halt()
	}
	return err
}

// hearSold takes note of a completed sale. The sale's connection is still held,
// so it must not wait; what does not fit is only a hint lost.
func (a *App) hearSold(sale sales.Sale) {
	if sale.Practice {
		return
	}
	select {
	case a.sold <- sale:
	default:
	}
}

// rememberSold remembers whose the numbers are that sales went through with.
func (a *App) rememberSold(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case sale := <-a.sold:
			err := a.Catalog.Remember(ctx, sale.AccountNumber, sale.ProviderCode, catalog.SourceSale)
			if err != nil && ctx.Err() == nil {
				a.Log.WarnContext(ctx, "web.number_not_remembered", "error", err)
			}
			if err := a.rememberCustomer(ctx, sale); err != nil && ctx.Err() == nil {
				a.Log.WarnContext(ctx, "web.customer_not_remembered", "error", err)
			}
		}
	}
}

// rememberCustomer puts a number into the shop's customer book; a voucher goes
// to nobody's.
func (a *App) rememberCustomer(ctx context.Context, sale sales.Sale) error {
	if sale.AccountNumber == apiclient.DefaultPINAccountNumber {
		return nil
	}
	return a.Customers.Remember(ctx, sale.ShopID, sale.AccountNumber, sale.ID)
}
