package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// bounds are what a whole sale may ask for at most.
type bounds struct {
	Transactions  float64 `json:"transactions"`
	Statements    float64 `json:"statements"`
	RoundTrips    float64 `json:"roundTrips"`
	UpstreamCalls float64 `json:"upstreamCalls"`
}

// Check counts what whole sales ask for, and fails where that is more than a file allows.
func Check(ctx context.Context, o Options, path string, out io.Writer) ([]Figure, error) {
	raw, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	var may struct {
		Served bounds `json:"served"`
	}
	if err := json.Unmarshal(raw, &may); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	r := &run{sheet: &sheet{out: out}, o: o, scale: scale{people: 12, counted: 400}}
	err = r.serve(ctx, func() error {
		return r.parts(
			ctx,
			onPostgres,
			[]part{{opening, r.start}, {"what a sale asks", func(ctx context.Context, t *till) error {
				each, err := t.throughWire(ctx, r.counted)
				if err != nil {
					return err
				}
				r.value("transactions of a whole sale", each.transactions, "").atMost(may.Served.Transactions)
				r.value("statements of a whole sale", each.statements, "").atMost(may.Served.Statements)
				r.value("round trips to PostgreSQL of a whole sale", each.trips, "").atMost(may.Served.RoundTrips)
				r.value("upstream calls of a sale", each.calls, "").atMost(may.Served.UpstreamCalls)
				return nil
			}}},
		)
	})
	for _, f := range r.figures {
		if !*f.Met {
			err = errors.Join(err, fmt.Errorf("%s: %s, and %s allows %s", f.Name, short(f.Value), path, f.Goal))
		}
	}
	return r.figures, err
}
