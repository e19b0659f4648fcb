package sandbox

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"airtill/internal/sandbox/catalogue"
)

// consoleRoutes serves the console. Pages of other sites cannot use it, not even
// under a name of theirs that leads here.
func (s *Service) consoleRoutes(mux *http.ServeMux) {
	own := http.NewCrossOriginProtection()
	route := func(pattern string, handle http.HandlerFunc) { mux.Handle(pattern, ownName(own.Handler(handle))) }
	route("GET /_sandbox/ledger", s.getLedger)
	route("GET /_sandbox/calls", s.getCalls)
	route("GET /_sandbox/config", s.getConfig)
	route("PUT /_sandbox/config", s.putConfig)
	route("POST /_sandbox/topup", s.postTopup)
	route("POST /_sandbox/reset", s.postReset)
	route("GET /_sandbox/faults", s.getFaults)
	route("POST /_sandbox/faults", s.postFaults)
	route("DELETE /_sandbox/faults", s.deleteFaults)
	route("POST /_sandbox/webhook-keys", s.postWebhookKeys)
	route("GET /_sandbox/webhooks", s.getWebhooks)
	route("GET /_sandbox/logo/{file}", serveLogo)
	route("GET /_sandbox/{$}", s.page)
	route("GET /_sandbox/console.css", serveAsset("text/css; charset=utf-8", consoleCSS))
	route("GET /_sandbox/console.js", serveAsset("text/javascript; charset=utf-8", consoleJS))
}

// ownName refuses names that somebody else may have made to lead here (DNS
// rebinding). Nobody can do so with an address, nor with a name without a dot.
func ownName(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.Trim(host, "[]")
		if _, err := netip.ParseAddr(host); err != nil && strings.Contains(host, ".") {
			http.Error(w, "ask for the console by its address, or by a name without a dot", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// consoleError answers a console request that cannot be done.
func (s *Service) consoleError(w http.ResponseWriter, status int, err error) {
	s.write(w, reply{status: status, body: map[string]string{"error": err.Error()}})
}

// consoleBody reads the body of a console request.
func (s *Service) consoleBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.consoleError(w, http.StatusBadRequest, err)
		return nil, false
	}
	return body, true
}

func (s *Service) getConfig(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	config := s.config
	s.mu.Unlock()
	s.write(w, answer(config))
}

func (s *Service) putConfig(w http.ResponseWriter, r *http.Request) {
	body, ok := s.consoleBody(w, r)
	if !ok {
		return
	}
	config, err := s.configure(body)
	if err != nil {
		s.consoleError(w, http.StatusBadRequest, err)
		return
	}
	s.write(w, answer(config))
}

// postTopup adds to the balance: {"amount":"100.00"}.
func (s *Service) postTopup(w http.ResponseWriter, r *http.Request) {
	body, ok := s.consoleBody(w, r)
	if !ok {
		return
	}
	var given struct {
		Amount string `json:"amount"`
	}
	err := strict(body, &given)
	amount, err2 := catalogue.ParseDecimal(given.Amount)
	if err == nil {
		err = err2
	}
	if err == nil && (amount <= 0 || amount > 1_000_000_000*catalogue.Unit) {
		err = fmt.Errorf("amount lies above 0, up to a billion")
	}
	if err != nil {
		s.consoleError(w, http.StatusBadRequest, err)
		return
	}
	balance, err := s.topup(amount)
	if err != nil {
		s.consoleError(w, http.StatusInternalServerError, err)
		return
	}
	s.write(w, answer(map[string]string{"balance": balance.String()}))
}

// topup adds to the balance and returns the new one.
func (s *Service) topup(amount catalogue.Decimal) (catalogue.Decimal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := topup{Amount: amount, At: s.clock.now()}
	if err := s.journal.write(entry{Topup: &t}); err != nil {
		return 0, err
	}
	s.book.topup(t)
	return s.book.balance, nil
}

// postReset forgets transfers, top-ups, deliveries, faults, counted calls
// and revoked tokens; the configuration and the keys stay.
func (s *Service) postReset(w http.ResponseWriter, _ *http.Request) {
	balance, err := s.reset()
	if err != nil {
		s.consoleError(w, http.StatusInternalServerError, err)
		return
	}
	s.write(w, answer(map[string]string{"balance": balance.String()}))
}

func (s *Service) reset() (catalogue.Decimal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(s.journal.restart); err != nil {
		return 0, err
	}
	s.limits, s.identity, s.hooks, s.faults = newLimits(), newIdentity(), newHooks(), newFaults(s.rng)
	s.traffic = newTraffic()
	return s.book.balance, nil
}

// faultsResponse is the answer of GET /_sandbox/faults.
type faultsResponse struct {
	Faults []Fault           `json:"faults"`
	Log    []firing          `json:"log"` // what fired, oldest first
	Kinds  map[string]string `json:"kinds"`
}

func (s *Service) getFaults(w http.ResponseWriter, _ *http.Request) {
	script, log := s.script()
	s.write(w, answer(faultsResponse{Faults: script, Log: log, Kinds: Kinds()}))
}

// script returns copies of the faults and of the log of what fired.
func (s *Service) script() ([]Fault, []firing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	script := []Fault{}
	for _, fault := range s.faults.script {
		script = append(script, *fault)
	}
	return script, append([]firing{}, s.faults.log...)
}

// postFaults adds to the script.
func (s *Service) postFaults(w http.ResponseWriter, r *http.Request) {
	body, ok := s.consoleBody(w, r)
	if !ok {
		return
	}
	var given []*Fault
	err := strict(body, &given)
	for i, fault := range given {
		if err == nil && fault == nil {
			err = fmt.Errorf("fault %d is null", i)
		}
		if err == nil {
			err = fault.check()
		}
	}
	if err != nil {
		s.consoleError(w, http.StatusBadRequest, err)
		return
	}
	for _, fault := range given {
		fault.Fired, fault.Seen = 0, 0
	}
	s.mu.Lock()
	s.faults.script = append(s.faults.script, given...)
	count := len(s.faults.script)
	s.mu.Unlock()
	s.write(w, answer(map[string]int{"faults": count}))
}

func (s *Service) deleteFaults(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	s.faults = newFaults(s.rng)
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// postWebhookKeys rotates the key that signs webhooks.
func (s *Service) postWebhookKeys(w http.ResponseWriter, _ *http.Request) {
	id, err := s.keys.rotate()
	if err != nil {
		s.consoleError(w, http.StatusInternalServerError, err)
		return
	}
	s.write(w, answer(map[string]string{"kid": id}))
}

// getWebhooks lists deliveries and every try at them, oldest first.
func (s *Service) getWebhooks(w http.ResponseWriter, _ *http.Request) {
	s.write(w, answer(s.deliveries()))
}

// deliveries returns copies of all deliveries.
func (s *Service) deliveries() []delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []delivery{}
	for _, d := range s.hooks.all {
		all = append(all, *d)
	}
	return all
}
