package sandbox

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// provide stands for the provider's part of a transfer: it takes its time, and
// may refuse. Beyond the processing time-out it counts as failed. No problem is
// success; the actions are those of faults that fired.
func (s *Service) provide(t *transfer) (problem *apiError, actions []Action) {
	actions = s.fire(subject{endpoint: "Provider", sku: t.SKU, number: t.Account, ref: t.DistributorRef, inner: true})
	s.mu.Lock()
	latency, limit := time.Duration(s.config.Latency), time.Duration(s.config.ProcessingTimeout)
	s.mu.Unlock()
	for _, a := range actions {
		switch a.Kind {
		case "delay":
			latency += time.Duration(a.For)
		case "error":
			problem = a.failure()
		case "provider_down":
			problem = &apiError{Code: transientProvider, Context: providerUnavailable}
		}
	}
	// The wait is the provider's: it goes on when the client has left, and
	// only the end of the service cuts it short.
	if latency > 0 && !s.pause(s.life, min(latency, limit)) {
		return &apiError{Code: transientProvider, Context: providerTimedOut}, actions
	}
	if latency >= limit {
		return &apiError{Code: transientProvider, Context: providerTimedOut}, actions
	}
	if problem == nil && t.Test {
		problem = testFailure(t.Account)
	}
	return problem, actions
}

// testOutcome returns what a UAT number's last digit stands for, nil for
// success and for other accounts.
func (s *Service) testOutcome(o *order) *apiError {
	if !o.test {
		return nil
	}
	return testFailure(o.account())
}

func testFailure(account string) *apiError {
	switch account[len(account)-1] {
	case '1':
		return &apiError{Code: rateLimited}
	case '2':
		return &apiError{Code: transientProvider, Context: providerTimedOut}
	case '3':
		return &apiError{Code: transientProvider, Context: providerRefused}
	case '4':
		return &apiError{Code: providerError, Context: productUnavailable}
	case '5':
		return &apiError{Code: accountInvalid, Context: providerRefused}
	case '6':
		return &apiError{Code: providerError, Context: providerUnavailable}
	case '7':
		return &apiError{Code: insufficientBalance}
	case '8':
		return &apiError{Code: accountInvalid, Context: failedRegex}
	case '9':
		return &apiError{Code: providerError, Context: rechargeNotAllowed}
	}
	return nil
}

// receipt makes what a provider prints: a PIN with its serial, a token for the
// meter, a plain confirmation. Providers of about one in eight transfers give
// no reference.
func (s *Service) receipt(t *transfer) (string, map[string]string) {
	rng := rand.New(rand.NewPCG(uint64(s.deps.Seed), uint64(t.Ref))) //nolint:gosec // reproducible on purpose
	params := map[string]string{}
	if rng.IntN(8) > 0 {
		params["providerRef"] = digits(rng, 12)
	}
	p := s.catalogue().Product(t.SKU)
	if p == nil {
		return "", params
	}
	switch {
	case p.RedemptionMechanism != catalogue.ReadReceipt:
		return "", params
	case p.Benefits[0] == "Electricity":
		params["pin"] = digits(rng, 20)
		params["token"] = groups(params["pin"])
		params["units"] = fmt.Sprintf("%d.%d", 10+rng.IntN(200), rng.IntN(10))
		return fmt.Sprintf("Token: %s\nUnits: %s kWh\nEnter the token on your meter.", params["token"], params["units"]), params
	}
	params["pin"], params["serial"] = digits(rng, 16), digits(rng, 10)
	return fmt.Sprintf("Your code: %s\nSerial: %s\nValid for 365 days. Redeem it in the app of %s.", groups(params["pin"]), params["serial"],
		s.catalogue().Provider(p.ProviderCode).ShortName), params
}

// reprint gives a complete transfer the receipt that a fault wants.
func reprint(t *transfer, actions []Action) {
	for _, a := range actions {
		if a.Kind == "receipt" && t.State == complete {
			t.Receipt, t.Params = a.Text, a.Params
		}
	}
}

func digits(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + rng.IntN(10))
	}
	return string(b)
}

// groups writes digits in groups of four.
func groups(s string) string {
	var parts []string
	for ; len(s) > 4; s = s[4:] {
		parts = append(parts, s[:4])
	}
	return strings.Join(append(parts, s), " ")
}
