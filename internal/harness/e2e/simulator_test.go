package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// simulator is the transfer service's stand-in, seen from its console.
type simulator struct {
	*process
	url string
}

func startSimulator(t testing.TB, args ...string) *simulator {
	t.Helper()
	if len(args) == 0 {
		args = []string{"--data", ":memory:"}
	}
	return startSimulatorAt(t, "127.0.0.1:0", args...)
}

func startSimulatorAt(t testing.TB, address string, args ...string) *simulator {
	t.Helper()
	p := start(t, nil, "sandbox", append([]string{"serve", "--addr", address, "--seed", "1"}, args...)...)
	var line struct{ URL string }
	p.line(t, &line)
	return &simulator{process: p, url: line.URL}
}

// entry is what the simulator did under one reference.
type entry struct {
	DistributorRef string
	TimesExecuted  int
	State          string
	Deducted       string
	SkuCode        string
	AccountNumber  string
	TransferRefs   []string
	RequestedAt    []time.Time
}

// ledger returns what was done under each reference.
func (s *simulator) ledger(t testing.TB) []entry {
	t.Helper()
	var ledger struct{ Entries []entry }
	s.console(t, http.MethodGet, "ledger", nil, &ledger)
	return ledger.Entries
}

// only returns the one entry there must be.
func (s *simulator) only(t testing.TB) entry {
	t.Helper()
	entries := s.ledger(t)
	require.Len(t, entries, 1, "one reference, whatever happened")
	return entries[0]
}

// fault makes something go wrong on purpose.
func (s *simulator) fault(t testing.TB, match, action map[string]any, times int) {
	t.Helper()
	s.console(t, http.MethodPost, "faults", []map[string]any{{"match": match, "action": action, "times": times}}, nil)
}

// fired says how often the faults have.
func (s *simulator) fired(t testing.TB) int {
	t.Helper()
	var state struct{ Log []struct{ Kind string } }
	s.console(t, http.MethodGet, "faults", nil, &state)
	return len(state.Log)
}

// configure changes the simulator's settings.
func (s *simulator) configure(t testing.TB, settings map[string]any) {
	t.Helper()
	s.console(t, http.MethodPut, "config", settings, nil)
}

func (s *simulator) console(t testing.TB, method, path string, body, into any) {
	t.Helper()
	var sent bytes.Buffer
	if body != nil {
		require.NoError(t, json.NewEncoder(&sent).Encode(body))
	}
	request, err := http.NewRequest(method, s.url+"/_sandbox/"+path, &sent)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	var answer bytes.Buffer
	_, err = answer.ReadFrom(response.Body)
	require.NoError(t, err)
	require.Less(t, response.StatusCode, 300, "%s %s: %s", method, path, answer.String())
	if into != nil {
		require.NoError(t, json.Unmarshal(answer.Bytes(), into))
	}
}

// product is what the tests need of GetProducts.
type product struct {
	SkuCode, ProviderCode, ProcessingMode, RedemptionMechanism, UatNumber, DefaultDisplayText string

	LookupBillsRequired bool
	Benefits            []string
	SettingDefinitions  []struct{ Name string }
	Minimum, Maximum    struct{ SendValue json.Number }
}

// products asks the simulator for what it sells, filtered by a query.
func (s *simulator) products(t testing.TB, query string) []product {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.url+"/api/V1/GetProducts?"+query, nil)
	require.NoError(t, err)
	request.Header.Set("api_key", "sandbox-key")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	var list struct{ Items []product }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&list))
	return list.Items
}

// sellElsewhere is other software that sells on the same account.
func (s *simulator) sellElsewhere(t testing.TB, p product, number, ref string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"SkuCode": p.SkuCode, "SendValue": p.Minimum.SendValue, "AccountNumber": number, "DistributorRef": ref, "ValidateOnly": false})
	require.NoError(t, err)
	request, err := http.NewRequest(http.MethodPost, s.url+"/api/V1/SendTransfer", bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("api_key", "sandbox-key")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
}
