package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"airtill/internal/money"
)

// console is the sandbox's: the truth about what the upstream did.
type console struct {
	url    string
	client *http.Client
}

// entry is what the upstream did under one reference.
type entry struct {
	DistributorRef string
	TimesExecuted  int
	Deducted       string
	Refunded       string
	Commission     string
	State          string
	RequestedAt    []time.Time
}

// upstreamLedger is the upstream's own account of everything.
type upstreamLedger struct {
	Balance  string
	Reserved string
	Currency money.Currency
	Topups   string
	Drift    string
	Entries  []entry
}

// withheld is what the upstream has not paid back of transfers that failed,
// millionths.
func (l *upstreamLedger) withheld() (sum int64) {
	for _, e := range l.Entries {
		if e.State == "Failed" {
			sum += micros(e.Deducted) - micros(e.Refunded)
		}
	}
	return sum
}

// upstreamFault is a fault of the sandbox, see its Kinds.
type upstreamFault struct {
	Match  map[string]any `json:"match"`
	Action map[string]any `json:"action"`
	Times  int            `json:"times"`
	Chance int            `json:"chance,omitempty"`
	Fired  int            `json:"fired,omitempty"`
}

type upstreamCalls struct {
	Counts  map[string]int
	Limited map[string]int // calls over a limit
}

type upstreamDelivery struct {
	Ref   string
	Done  bool
	Tries []struct {
		Status int
		Note   string
		Mode   string // of a forged one
	}
}

func (c *console) ledger(ctx context.Context) (l upstreamLedger, err error) {
	return l, c.ask(ctx, http.MethodGet, "ledger", nil, &l)
}

func (c *console) calls(ctx context.Context) (calls upstreamCalls, err error) {
	return calls, c.ask(ctx, http.MethodGet, "calls", nil, &calls)
}

func (c *console) deliveries(ctx context.Context) (all []upstreamDelivery, err error) {
	return all, c.ask(ctx, http.MethodGet, "webhooks", nil, &all)
}

func (c *console) configure(ctx context.Context, settings map[string]any) error {
	return c.ask(ctx, http.MethodPut, "config", settings, nil)
}

func (c *console) topUp(ctx context.Context, amount string) error {
	return c.ask(ctx, http.MethodPost, "topup", map[string]string{"amount": amount}, nil)
}

func (c *console) rotateKeys(ctx context.Context) error {
	return c.ask(ctx, http.MethodPost, "webhook-keys", nil, nil)
}

func (c *console) reset(ctx context.Context) error {
	return c.ask(ctx, http.MethodPost, "reset", nil, nil)
}

// addFault adds faults to the script, at one moment.
func (c *console) addFault(ctx context.Context, f ...upstreamFault) error {
	return c.ask(ctx, http.MethodPost, "faults", f, nil)
}

// lateRefs are the transfers of which the sandbox said that they had failed, and
// carried them out.
func (c *console) lateRefs(ctx context.Context) ([]string, error) {
	var state struct {
		Log []struct{ Kind, Ref string }
	}
	err := c.ask(ctx, http.MethodGet, "faults", nil, &state)
	var refs []string
	for _, f := range state.Log {
		if f.Kind == "late_success" {
			refs = append(refs, f.Ref)
		}
	}
	return refs, err
}

// faults returns the script in the order in which it was given.
func (c *console) faults(ctx context.Context) ([]upstreamFault, error) {
	var state struct{ Faults []upstreamFault }
	return state.Faults, c.ask(ctx, http.MethodGet, "faults", nil, &state)
}

func (c *console) clearFaults(ctx context.Context) error {
	return c.ask(ctx, http.MethodDelete, "faults", nil, nil)
}

func (c *console) ask(ctx context.Context, method, path string, body, into any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+"/_sandbox/"+path, &sent)
	if err != nil {
		return err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return fmt.Errorf("ask the simulator: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // only read
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(response.Body); err != nil {
		return fmt.Errorf("ask the simulator: %w", err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the simulator refuses %s %s: %s", method, path, tail(answer.Bytes()))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer.Bytes(), into)
}

// api calls a method of the interface as an agent does.
func (c *console) api(ctx context.Context, method string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/api/V1/"+method, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("api_key", "sandbox-key")
	response, err := c.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("call the simulator: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // only read
	return io.ReadAll(response.Body)
}
