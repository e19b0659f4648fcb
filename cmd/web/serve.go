package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/reconcile"
	"airtill/internal/restore"
	"airtill/internal/sales"
)

const (
	beatEvery   = 2 * time.Second
	wroteWithin = 3 * beatEvery     // the latest beat that was written down
	drainWithin = 100 * time.Second // the longest a send takes
	pagesWithin = time.Second       // for pages that are being written, before streams are ended
	closeWithin = 5 * time.Second   // for what still is not closed then
	soldAtOnce  = 256
	// balanceEvery keeps within a budget of 40 calls in ten minutes.
	balanceEvery = 15 * time.Second
)

// serve is the till in production.
func serve(ctx context.Context, t terminal, args []string) error {
	if err := t.parse(flag.NewFlagSet("serve", flag.ContinueOnError), args); err != nil {
		return err
	}
	c, err := readConfig(t.env)
	if err == nil {
		err = c.checkServe()
	}
	if err != nil {
		return err
	}
	b, err := newBooks(ctx, c, newLog(t.err, c.LogLevel))
	if err != nil {
		return err
	}
	c.warn(ctx, b.log)
	return errors.Join(b.serveOn(ctx, func(string) error { return nil }), b.db.Close())
}

// serveOn builds the rest and serves until the context is over. It calls ready
// with the address once pages can be asked for.
func (b *books) serveOn(ctx context.Context, ready func(address string) error) error {
	if err := b.upToDate(ctx); err != nil {
		return err
	}
	if err := b.audit.Begin(ctx, audit.Command("web serve")); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", b.config.ListenAddr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return b.serveAt(ctx, listener, ready)
}

func (b *books) serveAt(ctx context.Context, listener net.Listener, ready func(address string) error) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // what runs ends in order, not all at once
	defer end()
	s, err := newShop(life, b)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return errors.Join(s.run(ctx, life, listener, ready), s.close())
}

// run starts everything, waits for the end, and stops it in order.
func (s *shop) run(ctx, life context.Context, listener net.Listener, ready func(address string) error) error {
	if err := s.start(life); err != nil {
		return errors.Join(err, listener.Close())
	}
	beating, still := context.WithCancel(life)
	beaten := make(chan struct{})
	go func() { defer close(beaten); s.beat(beating) }()

	pages, leave := context.WithCancel(life)
	defer leave()
	server := s.newServer(pages)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	s.log.InfoContext(ctx, "web.ready", "address", listener.Addr().String(), "process", s.process)
	err := ready(listener.Addr().String())
	if err == nil {
		select {
		case err = <-ended:
		case <-ctx.Done():
			s.log.InfoContext(life, "web.stopping")
		}
	}
	err = errors.Join(err, s.stop(life, server, leave))
	still()
	<-beaten
	return err
}

// start runs what works in the background. The upstream may be away: the till
// then shows the catalogue it has, and says that it cannot sell.
func (s *shop) start(life context.Context) error {
	if err := s.restore.Start(life); err != nil {
		return err
	}
	if err := s.reconcile.Beat(life); err != nil {
		return err
	}
	s.wroteAt.Store(now().UnixNano())
	if err := s.catalog.Start(life); err != nil {
		return err
	}
	if err := s.jobs.Start(life); err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	go s.rememberSold(life)
	go s.openBooks(life)
	return nil
}

// openBooks asks for the balance until it was told once: before that no sale
// passes, and the job that asks for it comes only every few minutes.
func (s *shop) openBooks(ctx context.Context) {
	tick := time.NewTicker(balanceEvery)
	defer tick.Stop()
	for {
		last, err := s.reconcile.LastBalance(ctx)
		if err == nil && last == nil {
			_, err = s.reconcile.ReadBalance(ctx)
		}
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.log.WarnContext(ctx, "web.balance_not_read", "error", err)
		}
	}
}

// stop takes no new sale or connection, lets sends end and their pages see how,
// and then closes the rest.
func (s *shop) stop(life context.Context, server *http.Server, leave func()) error {
	s.stopping.Store(true)
	draining, cancel := context.WithTimeout(life, drainWithin)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- server.Shutdown(life) }()
	if err := s.sales.Drain(draining); err != nil {
		s.log.ErrorContext(life, "web.sends_cut_off", "error", err)
	}
	err := within(pagesWithin, closed, leave)
	if errors.Is(err, errStillOpen) {
		if err = within(closeWithin, closed, func() {}); errors.Is(err, errStillOpen) {
			err = server.Close()
		}
	}
	s.pages.Close(life)
	return errors.Join(err, s.jobs.Stop(life))
}

var errStillOpen = errors.New("connections are still open")

// within waits for an end; if it does not come in time, it does otherwise.
func within(patience time.Duration, end <-chan error, otherwise func()) error {
	select {
	case err := <-end:
		return err
	case <-time.After(patience):
		otherwise()
		return errStillOpen
	}
}

// beat says that this process lives, clears up after those that do not, and asks
// for a sweep: after a crash the jobs' own schedule starts only when a leader has
// been elected, which takes a quarter of a minute, and a cashier may be waiting.
func (s *shop) beat(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		beaten := s.reconcile.Beat(ctx)
		if beaten == nil {
			s.wroteAt.Store(now().UnixNano())
		}
		err := errors.Join(beaten, s.reconcile.ReleaseJobs(ctx), s.keepMark(ctx))
		if err == nil {
			err = s.jobs.Run(ctx, reconcile.SweepJob)
		}
		if err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "web.heartbeat_failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// writes fails if the database takes nothing down: its disk is full, or another
// program holds its lock.
func (s *shop) writes(context.Context) error {
	if last := time.Unix(0, s.wroteAt.Load()); now().Sub(last) > wroteWithin {
		return fmt.Errorf("the database took nothing down since %s", last.UTC().Format(time.RFC3339))
	}
	return nil
}

// keepMark raises the marks outside the database. If one says that the database
// has become older under this process, it sells no more.
func (s *shop) keepMark(ctx context.Context) error {
	err := s.restore.Keep(ctx)
	if errors.Is(err, restore.ErrOlder) {
		s.sales.Halt()
	}
	return err
}

// hearSold takes note of a completed sale. The sale's connection is still held,
// so it must not wait; what does not fit is only a hint lost.
func (s *shop) hearSold(sale sales.Sale) {
	if sale.Practice {
		return
	}
	select {
	case s.sold <- sale:
	default:
	}
}

// rememberSold keeps whose the numbers are that sales went through with.
func (s *shop) rememberSold(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case sale := <-s.sold:
			if err := s.catalog.Remember(ctx, sale.AccountNumber, sale.ProviderCode, catalog.SourceSale); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "web.number_not_remembered", "error", err)
			}
			if err := s.rememberCustomer(ctx, sale); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "web.customer_not_remembered", "error", err)
			}
		}
	}
}

// rememberCustomer puts a number into the shop's customer book; a voucher goes
// to nobody's.
func (s *shop) rememberCustomer(ctx context.Context, sale sales.Sale) error {
	if sale.AccountNumber == apiclient.DefaultPINAccountNumber {
		return nil
	}
	return s.customers.Remember(ctx, sale.ShopID, sale.AccountNumber, sale.ID)
}
