package month

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/app"
	"airtill/internal/sandbox"
)

// firstDay is the month's; summer time begins on its last Sunday.
var firstDay = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// world is the till's rooms and the upstream, on a clock that the script moves.
type world struct {
	options  options
	offset   atomic.Int64
	upstream *upstream
	*app.App
}

func newWorld(ctx context.Context, o options, dir string) (*world, error) {
	w := &world{options: o}
	w.offset.Store(int64(time.Until(firstDay)))
	var err error
	if w.upstream, err = newUpstream(ctx, w.now); err != nil {
		return nil, err
	}
	if err := w.furnish(ctx, filepath.Join(dir, "month.db")); err != nil {
		return nil, errors.Join(err, w.upstream.close())
	}
	return w, w.Processes.Beat(ctx)
}

// furnish builds the rooms on an empty database. No job runs: the script does their work.
func (w *world) furnish(ctx context.Context, path string) error {
	books, err := app.OpenBooks(ctx, app.Deps{
		Config: app.Config{
			DatabaseURL: "sqlite:" + path, UpstreamBaseURL: w.upstream.url, UpstreamAuthURL: w.upstream.url,
			UpstreamClientID: "sandbox-client", UpstreamClientSecret: "sandbox-secret",
		},
		Budget: apiclient.NewMemoryBudget(w.now), Process: "month", Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	if err = books.DB.Migrate(ctx); err == nil {
		w.App, err = app.New(ctx, books)
	}
	if err != nil {
		return errors.Join(err, books.Close())
	}
	return nil
}

func (w *world) close() error {
	return errors.Join(w.Close(), w.Books.Close(), w.upstream.close())
}

// now is the month's time. It runs like any clock, and leaps while nothing is
// being sent.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

// leapTo moves the clock to a time that has not come yet, and lets the upstream
// do what has become due.
func (w *world) leapTo(ctx context.Context, at time.Time) error {
	if ahead := at.Sub(w.now()); ahead > 0 {
		w.offset.Add(int64(ahead))
	}
	err := w.upstream.ask(ctx, http.MethodPut, "/_sandbox/config", map[string]any{}) // it looks at the clock again
	return errors.Join(err, later(w.Catalog.SyncStatuses(ctx)), w.Catalog.Refresh(ctx))
}

func (w *world) leap(ctx context.Context, by time.Duration) error {
	return w.leapTo(ctx, w.now().Add(by))
}

// upstream is the simulator on a loopback port.
type upstream struct {
	service *sandbox.Service
	server  *http.Server
	url     string
}

const (
	openingBalance = "900000.00"
	batchDelay     = "40m"
)

func newUpstream(ctx context.Context, now func() time.Time) (*upstream, error) {
	service, err := sandbox.New(sandbox.Deps{Data: ":memory:", Seed: 1, Now: now})
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, service.Close())
	}
	u := &upstream{service: service, url: "http://" + listener.Addr().String(), server: &http.Server{Handler: service.Handler(), ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = u.server.Serve(listener) }() // ends with close
	return u, errors.Join(
		u.ask(ctx, http.MethodPut, "/_sandbox/config", map[string]any{"openingBalance": openingBalance, "batchDelay": batchDelay}),
		u.ask(ctx, http.MethodPost, "/_sandbox/reset", map[string]any{}),
	)
}

func (u *upstream) close() error { return errors.Join(u.server.Close(), u.service.Close()) }

// fault is something that goes wrong upstream, as the simulator reads it.
type fault struct {
	Match  map[string]any `json:"match"`
	Action map[string]any `json:"action"`
}

// goWrong asks for faults.
func (u *upstream) goWrong(ctx context.Context, faults ...fault) error {
	return u.ask(ctx, http.MethodPost, "/_sandbox/faults", faults)
}

func (u *upstream) topUp(ctx context.Context, amount string) error {
	return u.ask(ctx, http.MethodPost, "/_sandbox/topup", map[string]string{"amount": amount})
}

// ask asks the simulator's console.
func (u *upstream) ask(ctx context.Context, method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, u.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	said, err := io.ReadAll(response.Body)
	if response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("simulator: %s %s: %d %s", method, path, response.StatusCode, said)
	}
	return errors.Join(err, response.Body.Close())
}
