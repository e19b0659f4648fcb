package main

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
	"airtill/internal/audit"
	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/sandbox"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/statement"
	"airtill/internal/store"
	"airtill/internal/till"
)

// firstDay is the month's; summer time begins on its last Sunday.
var firstDay = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// world is the till's rooms and the upstream, on a clock that the script moves.
type world struct {
	options    options
	offset     atomic.Int64
	upstream   *upstream
	client     *apiclient.Client
	bus        *signal.Memory
	db         *store.DB
	ledger     *ledger.Ledger
	audit      *audit.Log
	staff      *staff.Service
	till       *till.Service
	sales      *sales.Service
	books      *reconcile.Service
	statements *statement.Service
	invariants *invariant.Service
}

func newWorld(ctx context.Context, o options, dir string) (*world, error) {
	w := &world{options: o, bus: signal.NewMemory()}
	w.offset.Store(int64(time.Until(firstDay)))
	var err error
	if w.upstream, err = newUpstream(ctx, w.now); err != nil {
		return nil, err
	}
	if w.client, err = apiclient.New(apiclient.Deps{
		BaseURL: w.upstream.url, AuthURL: w.upstream.url, ClientID: "sandbox-client", ClientSecret: "sandbox-secret", Budget: apiclient.NewMemoryBudget(w.now), Now: w.now,
	}); err != nil {
		return nil, errors.Join(err, w.upstream.close())
	}
	if w.db, err = store.Open(ctx, "sqlite:"+filepath.Join(dir, "month.db")); err != nil {
		return nil, errors.Join(err, w.upstream.close())
	}
	if err := errors.Join(w.db.Migrate(ctx), w.furnish()); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, w.books.Beat(ctx)
}

// furnish builds the rooms.
func (w *world) furnish() error {
	vault, err := sales.NewVault(sales.NewVaultKey())
	if err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	w.ledger = ledger.New(ledger.Deps{DB: w.db})
	w.audit = audit.New(audit.Deps{DB: w.db, Now: w.now, Log: log})
	if w.staff, err = staff.New(staff.Deps{DB: w.db, Audit: w.audit, Now: w.now, Log: log}); err != nil {
		return err
	}
	w.till = till.New(till.Deps{DB: w.db, Ledger: w.ledger, Audit: w.audit, Now: w.now})
	w.sales = sales.New(sales.Deps{DB: w.db, Ledger: w.ledger, Client: w.client, Vault: vault, Audit: w.audit, Bus: w.bus, Process: "month", Now: w.now, Log: log})
	w.books = reconcile.New(reconcile.Deps{DB: w.db, Client: w.client, Sales: w.sales, Ledger: w.ledger, Audit: w.audit, Process: "month", Now: w.now, Log: log})
	w.statements = statement.New(statement.Deps{DB: w.db, Staff: w.staff, Now: w.now, Log: log})
	w.invariants = invariant.New(invariant.Deps{DB: w.db, Ledger: w.ledger, Audit: w.audit, Staff: w.staff, Balance: w.books.ReadBalance, Log: log, Now: w.now})
	return nil
}

func (w *world) close() error {
	w.client.Close()
	return errors.Join(w.upstream.close(), w.db.Close())
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
	return w.upstream.ask(ctx, http.MethodPut, "/_sandbox/config", map[string]any{}) // it looks at the clock again
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
	request, err := http.NewRequestWithContext(ctx, method, u.url+path, bytes.NewReader(text)) //nolint:gosec // the simulator of this process
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request) //nolint:gosec // as above
	if err != nil {
		return err
	}
	said, err := io.ReadAll(response.Body)
	if response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("simulator: %s %s: %d %s", method, path, response.StatusCode, said)
	}
	return errors.Join(err, response.Body.Close())
}
