package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// hook is a webhook that the simulator sent, as it was signed.
type hook struct {
	header http.Header
	body   []byte
}

// webhooks sets how many a second are verified, applied and committed beside commits of
// one row. The simulator's are caught and given to the till all at once.
func (r *run) webhooks(ctx context.Context, t *till) (err error) {
	if err := errors.Join(t.stop(), t.start(ctx, "SEND_MODE=defer")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.stop(), t.start(ctx)) }()
	var rates, limits []float64
	if err := r.services.commits(ctx); err != nil {
		return err
	}
	for i := range r.rounds {
		caught, err := t.deferred(ctx, r.forms)
		if err != nil {
			return err
		}
		took, err := t.accept(ctx, caught)
		if err != nil {
			return err
		}
		rates = append(rates, float64(len(caught))/took.Seconds())
		limit, err := r.services.pgbench(
			ctx,
			"limits",
			"\\set i :i + 1\nINSERT INTO commits (id) VALUES (:run * 10000000000 + :client_id * 100000000 + :i);\n",
			16,
			r.round,
			500+i,
		)
		if err != nil {
			return err
		}
		limits = append(limits, limit.perSecond)
	}
	r.value("webhooks verified, applied and committed", median(rates), "/s").of(median(limits)).atLeast(0.5)
	return nil
}

// commits makes the table of one-row commits beside the limit's sales.
func (s *services) commits(ctx context.Context) error {
	_, err := s.postgres.Tool(
		ctx,
		"psql",
		"-v",
		"ON_ERROR_STOP=1",
		"-d",
		"limits",
		"-c",
		"CREATE TABLE commits (id BIGINT PRIMARY KEY, at TIMESTAMP NOT NULL DEFAULT now())",
	)
	return err
}

// deferred makes sales whose outcomes come by webhook, and catches those.
func (t *till) deferred(ctx context.Context, sales int) ([]hook, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	came := make(chan hook, sales)
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			body, err := io.ReadAll(request.Body)
			if err != nil {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			came <- hook{request.Header.Clone(), body}
		}),
	}
	go func() { _ = server.Serve(listener) }() // until it is closed
	defer func() { _ = server.Close() }()
	settings := map[string]any{"webhookUrl": "http://" + listener.Addr().String() + "/", "deferDelay": "0s"}
	if err := t.console.Configure(ctx, settings); err != nil {
		return nil, err
	}
	if _, err := t.measured(ctx, 4, sales, func(c *cashier, ctx context.Context) (s sold, err error) {
		form, err := c.fill(ctx)
		if err == nil {
			_, err = c.post(ctx, form)
		}
		return s, err
	}); err != nil {
		return nil, err
	}
	var caught []hook
	late := time.After(time.Minute)
	for len(caught) < sales {
		select {
		case h := <-came:
			caught = append(caught, h)
		case <-late:
			return nil, fmt.Errorf("%d of %d webhooks came", len(caught), sales)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return caught, nil
}

// accept gives the till webhooks, sixteen at a time, and returns how long it took.
func (t *till) accept(ctx context.Context, caught []hook) (time.Duration, error) {
	before, err := t.committed(ctx)
	if err != nil {
		return 0, err
	}
	hooks := make(chan hook, len(caught))
	for _, h := range caught {
		hooks <- h
	}
	close(hooks)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: time.Minute}
	began := time.Now()
	group, each := errgroup.WithContext(ctx)
	for range 16 {
		group.Go(func() error {
			for h := range hooks {
				if err := t.deliver(each, client, h); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	took := time.Since(began)
	after, err := t.committed(ctx)
	if err == nil && after-before != len(caught) {
		err = fmt.Errorf("%d webhooks ended %d sales", len(caught), after-before)
	}
	return took, err
}

func (t *till) deliver(ctx context.Context, client *http.Client, h hook) error {
	request, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		t.url()+"/webhooks/transfers",
		bytes.NewReader(h.body),
	)
	if err != nil {
		return err
	}
	request.Header = h.header
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // read to the end
	if said, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return errors.Join(err, fmt.Errorf("a webhook was answered %d: %s", response.StatusCode, said))
	}
	return nil
}
