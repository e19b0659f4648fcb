package stage

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

// Console is the sandbox's: the truth about what the upstream did.
type Console struct {
	URL    string
	Client *http.Client
}

// Entry is what the upstream did under one reference.
type Entry struct {
	DistributorRef string
	TimesExecuted  int
	Deducted       string
	Refunded       string
	Commission     string
	State          string
	RequestedAt    []time.Time
}

// Ledger is the upstream's own account of everything.
type Ledger struct {
	Balance  string
	Reserved string
	Currency money.Currency
	Topups   string
	Drift    string
	Entries  []Entry
}

// Fault is a fault of the sandbox, see its Kinds.
type Fault struct {
	Match  map[string]any `json:"match"`
	Action map[string]any `json:"action"`
	Times  int            `json:"times"`
	Chance int            `json:"chance,omitempty"`
	Fired  int            `json:"fired,omitempty"`
}

// Calls counts what the upstream was asked, by method.
type Calls struct {
	Counts  map[string]int
	Limited map[string]int // calls over a limit
}

// Delivery is a webhook and how often it was sent.
type Delivery struct {
	Ref   string
	Done  bool
	Tries []struct {
		Status int
		Note   string
		Mode   string // of a forged one
	}
}

// Ledger returns the upstream's own account.
func (c *Console) Ledger(ctx context.Context) (l Ledger, err error) {
	return l, c.ask(ctx, http.MethodGet, "ledger", nil, &l)
}

// Calls counts the calls since the last reset.
func (c *Console) Calls(ctx context.Context) (calls Calls, err error) {
	return calls, c.ask(ctx, http.MethodGet, "calls", nil, &calls)
}

// Deliveries lists the webhooks.
func (c *Console) Deliveries(ctx context.Context) (all []Delivery, err error) {
	return all, c.ask(ctx, http.MethodGet, "webhooks", nil, &all)
}

// Configure changes settings.
func (c *Console) Configure(ctx context.Context, settings map[string]any) error {
	return c.ask(ctx, http.MethodPut, "config", settings, nil)
}

// TopUp pays in at the upstream.
func (c *Console) TopUp(ctx context.Context, amount string) error {
	return c.ask(ctx, http.MethodPost, "topup", map[string]string{"amount": amount}, nil)
}

// RotateKeys has webhooks signed with a new key.
func (c *Console) RotateKeys(ctx context.Context) error {
	return c.ask(ctx, http.MethodPost, "webhook-keys", nil, nil)
}

// Reset forgets all that was done.
func (c *Console) Reset(ctx context.Context) error {
	return c.ask(ctx, http.MethodPost, "reset", nil, nil)
}

// AddFault adds faults to the script, at one moment.
func (c *Console) AddFault(ctx context.Context, f ...Fault) error {
	return c.ask(ctx, http.MethodPost, "faults", f, nil)
}

// LateRefs are the transfers of which the sandbox said that they had failed, and
// carried them out.
func (c *Console) LateRefs(ctx context.Context) ([]string, error) {
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

// Faults returns the script in the order in which it was given.
func (c *Console) Faults(ctx context.Context) ([]Fault, error) {
	var state struct{ Faults []Fault }
	return state.Faults, c.ask(ctx, http.MethodGet, "faults", nil, &state)
}

// ClearFaults empties the script.
func (c *Console) ClearFaults(ctx context.Context) error {
	return c.ask(ctx, http.MethodDelete, "faults", nil, nil)
}

func (c *Console) ask(ctx context.Context, method, path string, body, into any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+"/_sandbox/"+path, &sent)
	if err != nil {
		return err
	}
	response, err := c.Client.Do(request)
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

// API calls a method of the interface as an agent does.
func (c *Console) API(ctx context.Context, method string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/api/V1/"+method, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("api_key", "sandbox-key")
	response, err := c.Client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("call the simulator: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // only read
	return io.ReadAll(response.Body)
}
