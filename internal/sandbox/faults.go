package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// Fault makes something go wrong on purpose: an action on the calls that match.
//
//	{"match":{"endpoint":"SendTransfer","ref":"AB01…"},"action":{"kind":"drop","when":"after"},"times":1}
type Fault struct {
	Match  Match  `json:"match"`
	Action Action `json:"action"`
	Times  int    `json:"times"`            // how often it fires; 0 means once, -1 always
	Chance int    `json:"chance,omitempty"` // percent of the matching calls, from the seed; 0 means all
	Fired  int    `json:"fired"`            // how often it has; set by the service
	Seen   int    `json:"seen"`             // how many calls matched; set by the service
}

// Match says which calls a fault is for; empty fields match all. Endpoint is a
// method of the interface, and must be named to be one of "Token",
// "WebhookKeys", "Provider" (each attempt of a provider to fulfil a transfer)
// and "Webhook" (each delivery).
type Match struct {
	Endpoint string `json:"endpoint,omitempty"`
	SKU      string `json:"sku,omitempty"`
	Number   string `json:"number,omitempty"`
	Ref      string `json:"ref,omitempty"` // DistributorRef
	Nth      int    `json:"nth,omitempty"` // from the nth matching call on; 0 and 1 mean the first
}

// Action is what happens. Kinds says which fields each kind reads.
type Action struct {
	Kind       string   `json:"kind"`
	When       string   `json:"when,omitempty"`       // "before" or "after" the call is carried out
	For        Duration `json:"for,omitempty"`        // how long, or by how much
	Bytes      int      `json:"bytes,omitempty"`      // of the body
	Status     int      `json:"status,omitempty"`     // HTTP
	Code       string   `json:"code,omitempty"`       // error code
	Context    string   `json:"context,omitempty"`    // error context
	Reply      string   `json:"reply,omitempty"`      // late_success: "failed" or "none"
	Listed     string   `json:"listed,omitempty"`     // late_success: "" or "Failed" until then
	Amount     string   `json:"amount,omitempty"`     // decimal, agent currency
	Commission string   `json:"commission,omitempty"` // decimal, agent currency
	Mode       string   `json:"mode,omitempty"`       // webhook_forge
	Count      int      `json:"count,omitempty"`      // webhook_duplicate, webhook_forge, list_drift

	Text   string            `json:"text,omitempty"`   // receipt
	Params map[string]string `json:"params,omitempty"` // receipt
}

// Kinds lists the kinds of action with what they do, for the console.
func Kinds() map[string]string {
	return map[string]string{
		"delay":        "waits `for`, before (default) or after carrying out; at endpoint Provider the provider is slow",
		"hang":         "never answers, until the client goes away; before (default) or after",
		"drop":         "closes the connection without an answer, before (default) or after",
		"reset":        "resets the connection (RST), before (default) or after",
		"cut":          "answers, but only the first `bytes` bytes",
		"html":         "answers HTML with `status` (default 502), before (default) or after",
		"error":        "answers `code` and `context`; at endpoint Provider the transfer is made and fails",
		"wrong_record": "answers with the record of another transfer",
		"big_body":     "answers with `bytes` (default 50 MB) of body",
		"late_success": "SendTransfer is executed, but the reply says ProviderTimedOut (`reply` none: no reply), " +
			"and lists show it after `for` only, or as Failed until then (`listed` Failed)",
		"late_reversal":     "a complete transfer is failed and refunded after `for`",
		"lost_record":       "SendTransfer is executed and answered, but no list ever shows it",
		"short_refund":      "at endpoint Provider: a batch transfer that fails is refunded less `amount`",
		"novelty":           "the answer has a field nobody knows yet, and a malformed cookie",
		"requote":           "adds `amount` to the distributor fee, and sets `commission`",
		"list_stale":        "lists lack what began within `for`",
		"list_empty":        "lists are empty",
		"list_drift":        "a page begins `count` (default 1) rows early, as when transfers were made while paging",
		"balance_drift":     "moves the balance by `amount`",
		"receipt":           "at endpoint Provider: the receipt is `text` with `params`",
		"provider_down":     "the provider is temporarily unavailable",
		"token_revoke":      "all tokens given out so far are refused from now on",
		"webhook_duplicate": "the delivery is made `count` (default 2) times",
		"webhook_withhold":  "the delivery is never made",
		"webhook_forge":     "an extra, forged delivery comes first; `count` times; `mode` is body (default), no_key, wrong_key, alg, aim or order",
		"webhook_late":      "the delivery carries a timestamp `for` old",
	}
}

// subject is what a fault is matched against.
type subject struct {
	endpoint, sku, number, ref string
	inner                      bool // no method of the interface: it must be named
}

// firing is an entry of the log of what fired.
type firing struct {
	At       time.Time `json:"at"`
	Kind     string    `json:"kind"`
	Endpoint string    `json:"endpoint"`
	SKU      string    `json:"sku,omitempty"`
	Ref      string    `json:"ref,omitempty"`
}

// logged is how many firings are kept.
const logged = 1000

// faults is the script of what goes wrong.
type faults struct {
	script []*Fault
	log    []firing
	rng    *rand.Rand
}

func newFaults(rng *rand.Rand) *faults { return &faults{rng: rng} }

func (m Match) fits(s subject) bool {
	return (m.Endpoint == s.endpoint || (m.Endpoint == "" && !s.inner)) && (m.SKU == "" || m.SKU == s.sku) &&
		(m.Number == "" || m.Number == s.number) && (m.Ref == "" || m.Ref == s.ref)
}

// take returns the actions that fire on a call.
func (f *faults) take(on subject, now time.Time) []Action {
	var actions []Action
	for _, fault := range f.script {
		if !fault.Match.fits(on) {
			continue
		}
		fault.Seen++
		spent := fault.Times >= 0 && fault.Fired >= max(1, fault.Times)
		lucky := fault.Chance > 0 && f.rng.IntN(100) >= fault.Chance
		if spent || lucky || fault.Seen < fault.Match.Nth {
			continue
		}
		fault.Fired++
		actions = append(actions, fault.Action)
		f.log = append(f.log, firing{At: now, Kind: fault.Action.Kind, Endpoint: on.endpoint, SKU: on.sku, Ref: on.ref})
		f.log = f.log[max(0, len(f.log)-logged):]
	}
	return actions
}

// check refuses faults that could never do anything.
func (f *Fault) check() error {
	if _, known := Kinds()[f.Action.Kind]; !known {
		return fmt.Errorf("unknown kind %.40q", f.Action.Kind)
	}
	if !f.works() {
		return fmt.Errorf("%s does nothing at endpoint %.40q", f.Action.Kind, f.Match.Endpoint)
	}
	a := f.Action
	for name, choice := range map[string]struct {
		given string
		of    []string
	}{
		"when": {a.When, []string{"before", "after"}}, "reply": {a.Reply, []string{"failed", "none"}}, "listed": {a.Listed, []string{failed}},
		"mode": {a.Mode, []string{"body", "no_key", "wrong_key", "alg", "aim", "order"}},
	} {
		if choice.given != "" && !slices.Contains(choice.of, choice.given) {
			return fmt.Errorf("%q is one of %q", name, choice.of)
		}
	}
	if min(f.Match.Nth, f.Chance, a.Bytes, a.Count, int(a.For), f.Times+1) < 0 || f.Chance > 100 {
		return errors.New("nth, chance, bytes, count and for are not negative, chance is 100 at most, times -1 at least")
	}
	if a.Status != 0 && (a.Status < 200 || a.Status > 599) {
		return errors.New("status lies between 200 and 599")
	}
	if f.Action.Kind == "error" && f.Action.Code == "" {
		return errors.New(`an error needs a "code"`)
	}
	for _, amount := range []string{f.Action.Amount, f.Action.Commission} {
		if _, err := catalogue.ParseDecimal(amount); amount != "" && err != nil {
			return fmt.Errorf("amount: %w", err)
		}
	}
	return nil
}

// works says whether an action of the kind can do anything at the endpoint.
func (f *Fault) works() bool {
	kind, at := f.Action.Kind, f.Match.Endpoint
	inner := []string{"Token", "WebhookKeys", "Provider", "Webhook"}
	method := slices.ContainsFunc(endpoints(), func(e endpoint) bool { return e.name == at })
	if at != "" && !method && !slices.Contains(inner, at) {
		return false
	}
	places := map[string][]string{
		"late_success": {"", "SendTransfer", "Provider"}, "late_reversal": {"", "SendTransfer", "Provider"}, "lost_record": {"", "SendTransfer", "Provider"},
		"requote": {"", "SendTransfer"}, "wrong_record": {"", "SendTransfer", "ListTransferRecords"}, "short_refund": {"Provider"}, "receipt": {"Provider"},
		"list_stale": {"", "ListTransferRecords"}, "list_empty": {"", "ListTransferRecords"}, "list_drift": {"", "ListTransferRecords"},
		"webhook_duplicate": {"Webhook"}, "webhook_withhold": {"Webhook"}, "webhook_forge": {"Webhook"}, "webhook_late": {"Webhook"},
	}
	if where, bound := places[kind]; bound {
		return slices.Contains(where, at)
	}
	switch {
	case kind == "balance_drift" || kind == "token_revoke" || kind == "delay":
		return true
	case at == "Provider":
		return kind == "error" || kind == "provider_down"
	}
	return at != "Webhook"
}

// faulty says whether there are faults at all.
func (s *Service) faulty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.faults.script) > 0
}

// fire returns the actions of the faults that fit, after doing what they do at
// once.
func (s *Service) fire(on subject) []Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults.script) == 0 {
		return nil
	}
	actions := s.faults.take(on, s.clock.now())
	for _, a := range actions {
		switch a.Kind {
		case "balance_drift":
			drift := a.amount()
			if err := s.journal.write(entry{Drift: &drift}); err != nil {
				s.log.Error("sandbox.journal", "error", err)
				continue
			}
			s.book.addDrift(drift)
		case "token_revoke":
			s.identity.revoked = s.identity.issued
		}
	}
	return actions
}

// amount is the action's amount; check has seen that it can be read.
func (a *Action) amount() catalogue.Decimal {
	d, _ := catalogue.ParseDecimal(a.Amount)
	return d
}

func (a *Action) failure() *apiError { return &apiError{Code: a.Code, Context: a.Context} }

// after says whether the action comes when the call has been carried out.
func (a *Action) after() bool { return a.When == "after" }

// subjectOf reads what faults match on from a body, as far as it is there.
func subjectOf(c *call) subject {
	on := subject{endpoint: c.endpoint, number: c.query.one("accountNumber"), sku: c.query.one("skuCodes")}
	if len(c.body) == 0 {
		return on
	}
	var body struct{ SkuCode, AccountNumber, DistributorRef string }
	if json.Unmarshal(c.body, &body) == nil {
		on.sku, on.number, on.ref = body.SkuCode, body.AccountNumber, body.DistributorRef
	}
	return on
}
