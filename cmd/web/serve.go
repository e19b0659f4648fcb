package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"airtill/internal/app"
	"airtill/internal/audit"
	"airtill/web"
	"airtill/web/frame"
)

const (
	pagesWithin = time.Second     // for pages being written, before streams are ended
	closeWithin = 5 * time.Second // for what is not closed by then
)

// serve is the till in production.
func serve(ctx context.Context, t terminal) error {
	outliveReaders()
	c, err := t.config(config.checkServe)
	if err != nil {
		return err
	}
	b, err := app.OpenBooks(ctx, c.deps(newLog(t.err, c.LogLevel)))
	if err != nil {
		return err
	}
	c.warn(ctx, b.Log)
	return errors.Join(serveOn(ctx, b), b.Close())
}

// outliveReaders has the till go on selling when the program that reads its log ends: by itself, the system ends this
// one at the next line.
func outliveReaders() { signal.Ignore(syscall.SIGPIPE) }

func serveOn(ctx context.Context, b *app.Books) error {
	if err := b.UpToDate(ctx); err != nil {
		return err
	}
	if err := b.Audit.Begin(ctx, audit.Command("web serve")); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", b.Config.ListenAddr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return serveAt(ctx, b, listener, func(string) error { return nil })
}

// serveAt builds the rest and serves until the context is over. It calls ready with the address once pages are
// served.
func serveAt(ctx context.Context, b *app.Books, listener net.Listener, ready func(address string) error) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // what runs ends in order, not all at once
	defer end()
	a, err := app.New(life, b)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	pages, err := web.New(web.On(a))
	if err != nil {
		return errors.Join(err, listener.Close(), a.Close())
	}
	return errors.Join(runTill(ctx, life, a, pages, listener, ready), a.Close())
}

// runTill starts everything, waits for the end, and stops in order.
func runTill(
	ctx, life context.Context, a *app.App, pages *web.Pages, listener net.Listener, ready func(address string) error,
) error {
	if err := a.Start(life); err != nil {
		return errors.Join(err, listener.Close())
	}
	beating, still := context.WithCancel(life)
	beaten := make(chan struct{})
	go func() { defer close(beaten); a.Beat(beating) }()

	requests, leave := context.WithCancel(life)
	defer leave()
	server := frame.NewHTTPServer(a.Config.ListenAddr, pages, a.Log)
	server.BaseContext = func(net.Listener) context.Context { return requests }
	ended, err := serveHTTP(life, a.Config, a.Log, server, listener)
	if err == nil {
		a.Log.InfoContext(ctx, "web.ready", "address", listener.Addr().String(), "process", a.Process)
		err = ready(listener.Addr().String())
	}
	if err == nil {
		select {
		case err = <-ended:
		case <-ctx.Done():
			a.Log.InfoContext(life, "web.stopping", "sends", a.Sales.Sending())
		}
	}
	err = errors.Join(err, stop(life, a, server, leave))
	closing, cancel := context.WithTimeout(life, closeWithin)
	defer cancel()
	pages.Close(closing)
	err = errors.Join(err, a.Stop(life))
	still()
	<-beaten
	return err
}

// stop takes no new sales or connections, lets sends end and their pages show it, and then closes the
// connections.
func stop(life context.Context, a *app.App, server *http.Server, leave func()) error {
	closed := make(chan error, 1)
	a.Refuse()
	go func() { closed <- server.Shutdown(life) }()
	a.Drain(life)
	err := within(pagesWithin, closed, leave)
	if errors.Is(err, errStillOpen) {
		if err = within(closeWithin, closed, func() {}); errors.Is(err, errStillOpen) {
			err = server.Close()
		}
	}
	return err
}

var errStillOpen = errors.New("connections are still open")

// within waits for an end; if it takes too long, it calls otherwise.
func within(patience time.Duration, end <-chan error, otherwise func()) error {
	select {
	case err := <-end:
		return err
	case <-time.After(patience):
		otherwise()
		return errStillOpen
	}
}
