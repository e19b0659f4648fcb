package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// delivery is one webhook and what became of it.
type delivery struct {
	ID       int       `json:"id"`
	Transfer int64     `json:"transfer"` // TransferRef
	Ref      string    `json:"ref"`      // DistributorRef
	Due      time.Time `json:"due,omitzero"`
	Done     bool      `json:"done,omitempty"`
	Tries    []tried   `json:"tries,omitempty"`
}

// tried is one try at a delivery.
type tried struct {
	At     time.Time `json:"at"`
	Status int       `json:"status,omitempty"` // HTTP; 0: no answer
	Error  string    `json:"error,omitempty"`
	Note   string    `json:"note,omitempty"` // forged, duplicate, withheld
	Mode   string    `json:"mode,omitempty"` // how it was forged
}

// hooks holds the deliveries, by id.
type hooks struct {
	all    []*delivery
	client *http.Client
}

func newHooks() *hooks {
	return &hooks{client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// put stores a delivery's new version.
func (h *hooks) put(d delivery) *delivery {
	for len(h.all) < d.ID {
		h.all = append(h.all, &delivery{ID: len(h.all) + 1, Done: true})
	}
	*h.all[d.ID-1] = d
	return h.all[d.ID-1]
}

// notify starts the delivery of a finished deferred transfer. The mutex is
// held.
func (s *Service) notify(t *transfer) {
	if s.config.WebhookURL == "" {
		return
	}
	d := delivery{ID: len(s.hooks.all) + 1, Transfer: t.Ref, Ref: t.DistributorRef, Due: s.clock.now()}
	s.saveDelivery(d)
}

// saveDelivery writes a delivery down and plans its next try. The mutex is
// held.
func (s *Service) saveDelivery(d delivery) {
	if err := s.journal.write(entry{Delivery: &d}); err != nil {
		s.log.Error("sandbox.journal", "error", err)
		return
	}
	s.planDelivery(s.hooks.put(d))
}

func (s *Service) planDelivery(d *delivery) {
	if id := d.ID; !d.Done {
		s.apart(d.Due, func() { s.deliver(id) })
	}
}

func (s *Service) resumeDeliveries() {
	for _, d := range s.hooks.all {
		s.planDelivery(d)
	}
}

// deliver makes one try and plans the next if it failed.
func (s *Service) deliver(id int) {
	s.mu.Lock()
	if id > len(s.hooks.all) {
		s.mu.Unlock()
		return // reset meanwhile
	}
	h, d := s.hooks, *s.hooks.all[id-1]
	t := s.book.byRef[d.Transfer]
	if t == nil || d.Done {
		s.mu.Unlock()
		return
	}
	sent, config := *t, s.config
	s.mu.Unlock()

	actions := s.fire(subject{endpoint: "Webhook", sku: sent.SKU, number: sent.Account, ref: sent.DistributorRef, inner: true})
	tries := s.try(&sent, config, actions)

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hooks != h {
		return // reset meanwhile
	}
	d.Tries = append(d.Tries, tries...)
	last := d.Tries[len(d.Tries)-1]
	accepted := last.Status >= 200 && last.Status < 300
	waits := s.config.WebhookRetries
	if d.Done = accepted || last.Note == "withheld" || attempts(d.Tries) > len(waits); !d.Done {
		d.Due = s.clock.now().Add(time.Duration(waits[attempts(d.Tries)-1]))
	}
	s.saveDelivery(d)
}

// attempts counts the regular tries.
func attempts(tries []tried) int {
	n := 0
	for _, t := range tries {
		if t.Note == "" {
			n++
		}
	}
	return n
}

// try makes the requests of one try: normally one; more, other or none with
// faults.
func (s *Service) try(t *transfer, config Config, actions []Action) []tried {
	body, err := json.Marshal(t.response())
	if err != nil {
		return []tried{{At: s.deps.Now(), Error: err.Error()}}
	}
	message := hook{body: body, at: s.deps.Now(), correlation: t.CorrelationID}
	var tries []tried
	copies := 1
	for _, a := range actions {
		switch a.Kind {
		case "delay":
			s.pause(s.life, time.Duration(a.For))
		case "webhook_withhold":
			return []tried{{At: message.at, Note: "withheld"}}
		case "webhook_duplicate":
			copies = max(2, a.Count)
		case "webhook_late":
			message.at = message.at.Add(-time.Duration(a.For))
		case "webhook_forge":
			for range max(1, a.Count) {
				tries = append(tries, s.forge(message, config, cmp.Or(a.Mode, "body")))
			}
		}
	}
	for range copies - 1 {
		extra := s.send(message, config)
		extra.Note = "duplicate"
		tries = append(tries, extra)
	}
	return append(tries, s.send(message, config))
}

// send signs a message and posts it.
func (s *Service) send(message hook, config Config) tried {
	keys, err := s.keys.hooks()
	if err == nil {
		message.key = keys[0]
		err = message.sign(config)
	}
	if err != nil {
		return tried{At: message.at, Error: err.Error()}
	}
	return s.post(message, config)
}

// post makes the request. The error says only what kind it was: addresses of
// others are not logged.
func (s *Service) post(message hook, config Config) tried {
	result := tried{At: s.deps.Now()}
	ctx, cancel := context.WithTimeout(s.life, time.Duration(config.WebhookTimeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, config.WebhookURL, bytes.NewReader(message.payload))
	if err != nil {
		result.Error = "address is not valid"
		return result
	}
	request.Header = message.headers
	response, err := s.hooks.client.Do(request)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		result.Error = "no answer in time"
	case err != nil:
		result.Error = "no connection"
	default:
		result.Status = response.StatusCode
		_ = response.Body.Close() // what the receiver says is of no interest
	}
	return result
}

// forge posts what no agent may believe.
func (s *Service) forge(message hook, config Config, mode string) tried {
	private, err := s.keys.stranger()
	keys, err2 := s.keys.hooks()
	if err = errors.Join(err, err2); err != nil {
		return tried{At: message.at, Error: err.Error(), Note: "forged", Mode: mode}
	}
	message.key = keys[0]
	switch mode {
	case "wrong_key": // the id of the right one, the signature of another
		message.key.private = private
	case "no_key":
		message.key = newSigningKey(private)
	}
	err = message.sign(config)
	switch mode {
	case "body":
		message.payload = bytes.Replace(message.payload, []byte(`"Complete"`), []byte(`"Failed"`), 1)
		message.payload = append(message.payload, ' ')
	case "aim": // a good signature, another transfer's correlation id
		message.headers.Set("X-Correlation-Id", "SOMEBODY-ELSES")
	case "alg":
		message.headers.Set(config.WebhookHeaderPrefix+"Algorithm", "none")
	case "order":
		config.SignedOrder = map[string]string{"timestamp-body": "body-timestamp", "body-timestamp": "timestamp-body"}[config.SignedOrder]
		err = message.sign(config)
	}
	if err != nil {
		return tried{At: message.at, Error: err.Error(), Note: "forged", Mode: mode}
	}
	result := s.post(message, config)
	result.Note, result.Mode = "forged", mode
	return result
}
