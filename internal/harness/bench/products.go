package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"airtill/internal/harness/stage"
)

// products sets how often the products page can be asked for in a second of one core beside
// the same component, with fixed data and as many products, behind bare gin. Both are judged
// by their own processor time; what PostgreSQL and the clients need is in neither.
func (r *run) products(ctx context.Context, t *till) error {
	c := <-t.cashiers
	offers, err := c.lookUp(ctx)
	if err != nil {
		return err
	}
	page, err := c.browser.Get(ctx, offers.products())
	t.cashiers <- c
	if err != nil {
		return err
	}
	cards := page.Doc.Find(`button[name="sku"]`).Length()
	bare, url, err := t.startBare(cards)
	if err != nil {
		return err
	}
	defer bare.Kill()
	var rates, limits []float64
	for range max(2, r.rounds) {
		got, err := t.work(ctx, 4, func(began time.Time) bool { return time.Since(began) < r.round }, t.only(0))
		if err != nil {
			return err
		}
		rates = append(rates, float64(got.sales)/got.web.Seconds())
		limit, err := askBare(ctx, bare, url, cards, r.round)
		if err != nil {
			return err
		}
		limits = append(limits, limit)
	}
	r.value(fmt.Sprintf("products page of %d cards: requests a second of one core", cards), median(rates), "/s").
		of(median(limits)).
		atLeast(0.6)
	return nil
}

// startBare starts the program that serves the component alone.
func (t *till) startBare(cards int) (*stage.Program, string, error) {
	bare, err := stage.Start(stage.Order{
		Name: "bare", Path: filepath.Join(t.bin, "bare"), Args: []string{fmt.Sprint(cards)}, Dir: t.dir,
	})
	if err != nil {
		return nil, "", err
	}
	var where struct{ URL string }
	select {
	case line := <-bare.Line:
		err = json.Unmarshal(line, &where)
	case <-time.After(stage.StartWithin):
		err = errors.New("the bare component does not start")
	}
	return bare, where.URL, err
}

// askBare asks for the component from four sides for some time, and returns how often a
// second of its processor time serves it.
func askBare(ctx context.Context, bare *stage.Program, url string, cards int, d time.Duration) (float64, error) {
	before, err := processorTime(bare.Cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	began, asked := time.Now(), make([]int, 4)
	group, ctx := errgroup.WithContext(ctx)
	for i := range asked {
		group.Go(func() error {
			b := stage.NewBrowser(func() string { return url })
			for ; time.Since(began) < d; asked[i]++ {
				answer, err := b.Ask(ctx, http.MethodGet, "/", nil)
				if err != nil {
					return err
				}
				if got := bytes.Count(answer.Body, []byte(`name="sku"`)); got != cards {
					return fmt.Errorf("the bare component has %d cards, not %d", got, cards)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	after, err := processorTime(bare.Cmd.Process.Pid)
	return float64(asked[0]+asked[1]+asked[2]+asked[3]) / (after - before).Seconds(), err
}
