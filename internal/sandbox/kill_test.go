package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/money"
	"airtill/internal/sandbox"
)

// kill goes on with what a process that ends at once leaves behind: its files
// as they are at this moment.
func (l *lab) kill() {
	l.t.Helper()
	left := l.t.TempDir()
	require.NoError(l.t, os.CopyFS(left, os.DirFS(l.deps.Data)))
	l.close()
	l.deps.Data = left
	l.open()
}

// hang sends a transfer whose provider does not answer, and returns once it is
// under way.
func (l *lab) hang(ref string) {
	l.t.Helper()
	before := len(l.list(""))
	l.fault(`{"match":{"endpoint":"Provider","ref":"` + ref + `"},"action":{"kind":"delay","for":"80s"}}`)
	request, err := http.NewRequestWithContext(l.t.Context(), http.MethodPost, l.server.URL+"/api/V1/SendTransfer", strings.NewReader(order(ref, nil)))
	require.NoError(l.t, err)
	request.Header.Set("api_key", l.key)
	client := l.server.Client()
	go func() {
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close() // what is said of it comes too late
		}
	}()
	eventually(l.t, func() bool { return len(l.list("")) == before+1 })
}

func TestKill_WhatWasUnderWayFailedAndItsRefIsTaken(t *testing.T) {
	t.Parallel()
	l := newDiskLab(t)
	l.config(`{"limits":false}`)
	l.hang("A")
	b := l.send("B", nil)
	l.kill()
	c := l.send("C", nil)
	require.NotEqual(t, b.TransferRecord.TransferID, c.TransferRecord.TransferID)
	require.Equal(t, []string{"C", "B", "A"}, refs(l.list("")))
	require.Equal(t, "Failed", l.list(`,"DistributorRef":"A"`)[0].TransferRecord.ProcessingState)
	require.Zero(t, l.entry("A").TimesExecuted)
	require.Equal(t, 1, l.entry("C").TimesExecuted)
	require.Equal(t, "0.00", l.ledger().Reserved)
	require.Equal(t, "9981.46", l.ledger().Balance)
	l.restart()
	require.Equal(t, "9981.46", l.ledger().Balance)
}

// Whatever is sent and whenever the process ends, a TransferRef belongs to one
// transfer for good, and the ledger and the list tell the same.
func TestKill_RefsAreUniqueAndTheLedgerIsTheList(t *testing.T) {
	t.Parallel()
	steps := rapid.SliceOfN(rapid.SampledFrom([]string{"send", "send", "hang", "batch", "defer", "refused", "kill", "restart"}), 6, 14)
	for seed := range 8 {
		sequence := steps.Example(seed)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			t.Log(sequence)
			l := newDiskLab(t)
			l.config(`{"limits":false,"batchDelay":"1000h","deferDelay":"1000h"}`)
			owner := map[string]string{} // DistributorRef by TransferRef, for good
			for i, step := range sequence {
				l.step(step, fmt.Sprintf("R%d", i))
				l.agrees(owner)
			}
		})
	}
}

// step does something that may happen to a simulator.
func (l *lab) step(step, ref string) {
	l.t.Helper()
	switch step {
	case "send":
		l.send(ref, nil).is(l.t, 200, 1, "")
	case "hang":
		l.hang(ref)
	case "batch":
		l.sendBatch(ref)
	case "defer":
		l.send(ref, nil, "X-Options", "DeferTransfer").is(l.t, 200, 1, "")
	case "refused":
		l.send(ref, map[string]any{"SendValue": 500}).is(l.t, 400, 4, "ParameterOutOfRange/SendValue")
	case "kill":
		l.kill()
	case "restart":
		l.restart()
	}
}

// agrees holds list, ledger and balance against each other, and every
// TransferRef against what it was before.
func (l *lab) agrees(owner map[string]string) {
	l.t.Helper()
	listed := map[string]string{}
	for _, item := range l.list("") {
		id := item.TransferRecord.TransferID
		require.NotContains(l.t, listed, id.TransferRef)
		listed[id.TransferRef] = id.DistributorRef
	}
	for ref, own := range owner {
		require.Equal(l.t, own, listed[ref], "TransferRef %s", ref)
	}
	ledger, booked := l.ledger(), map[string]string{}
	sum := money.MustParse(ledger.Opening, "EUR").Micros()
	for _, e := range ledger.Entries {
		for _, ref := range e.TransferRefs {
			booked[ref] = e.DistributorRef
		}
		for sign, texts := range map[int64][]string{1: {e.Refunded, e.Commission}, -1: {e.Deducted}} {
			for _, text := range texts {
				sum += sign * money.MustParse(text, "EUR").Micros()
			}
		}
	}
	require.Equal(l.t, listed, booked)
	require.Equal(l.t, money.Of(sum, "EUR").Decimal(2), ledger.Balance)
	for ref, own := range listed {
		owner[ref] = own
	}
}

func TestJournal_OneProcessAtATime(t *testing.T) {
	t.Parallel()
	l := newDiskLab(t)
	_, err := sandbox.New(l.deps)
	require.ErrorContains(t, err, "another process")
	require.Equal(t, 200, l.must("POST", "/_sandbox/reset", "").status)
	_, err = sandbox.New(l.deps)
	require.ErrorContains(t, err, "another process", "after a reset too")
	l.restart()
}

func TestJournal_SimulatedTimeNeverRunsBack(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	directory := t.TempDir()
	l := newLab(t, func(d *sandbox.Deps) {
		d.Data, d.Now = directory, func() time.Time { return start.Add(time.Duration(later.Load())) }
	})
	l.config(`{"limits":false,"clockSpeed":60}`)
	later.Store(int64(10 * time.Minute))
	l.send("A", nil).is(t, 200, 1, "")
	l.restart()
	require.Equal(t, []string{"A"}, refs(l.list("")))
	require.Equal(t, start.Add(10*time.Hour), l.entry("A").RequestedAt[0])
	require.Equal(t, 200, l.must("POST", "/_sandbox/reset", "").status)
	l.restart()
	l.send("B", nil).is(t, 200, 1, "")
	require.Equal(t, start.Add(10*time.Hour), l.entry("B").RequestedAt[0], "a reset does not turn it back")
}

func TestJournal_ResetsInOneSecondRepeatNoRef(t *testing.T) {
	t.Parallel()
	l := newDiskLab(t)
	seen := map[string]bool{}
	for i := range 3 {
		ref := l.send(fmt.Sprint(i), nil).TransferRecord.TransferID.TransferRef
		require.False(t, seen[ref], ref)
		seen[ref] = true
		require.Equal(t, 200, l.must("POST", "/_sandbox/reset", "").status)
		l.restart()
	}
	require.NoFileExists(t, filepath.Join(l.deps.Data, "journal.jsonl.new"))
}

func TestProvider_ASlowOneHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.fault(`{"match":{"endpoint":"Provider","ref":"A"},"action":{"kind":"delay","for":"80s"}}`)
	l.send("A", nil, "X-Options", "DeferTransfer").is(t, 200, 1, "")
	l.advance(2 * time.Second)
	l.reaches("A", "Processing")
	l.sendBatch("B")
	l.send("C", nil, "X-Options", "DeferTransfer").is(t, 200, 1, "")
	l.advance(32 * time.Second)
	l.reaches("B", "Processing")
	l.reaches("C", "Complete")
	l.advance(40 * time.Second)
	l.reaches("B", "Complete")
	l.reaches("A", "Processing")
}

func TestLookupBills_ABillIsPaidOnceHoweverManyAtATime(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false,"latency":"100ms"}`)
	_, request := l.biller()
	owed := items[billed](t, l.bills(request))[0]
	request["SendValue"], request["BillRef"] = owed.Price.SendValue, owed.BillRef
	statuses := make(chan int, 3)
	for i := range 3 {
		body := order(fmt.Sprint(i), request)
		go func() {
			a, _ := l.do("POST", "/api/V1/SendTransfer", body)
			statuses <- a.status
		}()
	}
	require.ElementsMatch(t, []int{200, 400, 400}, []int{<-statuses, <-statuses, <-statuses})

	l.fault(`{"match":{"endpoint":"Provider","ref":"D"},"action":{"kind":"error","code":"ProviderError"}}`)
	delete(request, "SendValue")
	delete(request, "BillRef")
	next := items[billed](t, l.bills(request))
	if len(next) == 0 {
		request["AccountNumber"] = "1234567891"
		next = items[billed](t, l.bills(request))
	}
	request["SendValue"], request["BillRef"] = next[0].Price.SendValue, next[0].BillRef
	l.send("D", request).is(t, 500, 5, "ProviderError")
	l.send("E", request).is(t, 200, 1, "") // what failed is still owed
}

func TestCancelTransfers_ADeferredOneIsNotified(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	l.send("A", map[string]any{"SkuCode": batchProduct, "AccountNumber": batchNumber}, "X-Options", "DeferTransfer").is(t, 200, 1, "")
	require.Equal(t, "Cancelled", l.cancel("", "A").ProcessingState)
	var told result
	require.NoError(t, json.Unmarshal(r.wait(t, 1)[0].body, &told))
	require.Equal(t, "Cancelled", told.TransferRecord.ProcessingState)
}

func TestSendTransfer_StillInProgressHoweverLong(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false,"similarInProgress":true,"batchDelay":"1000h"}`)
	l.sendBatch("A")
	l.advance(61 * time.Minute)
	l.send("B", map[string]any{"SkuCode": batchProduct, "AccountNumber": batchNumber}).is(t, 429, 3, "RateLimited/TransactionStillInProgress")
}

func TestConfig_RefusesWhatCanNeverWork(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, name := range []string{
		"latency", "processingTimeout", "batchDelay", "batchProcessing", "cancelDelay", "deferDelay", "deferRetryDelay", "webhookTimeout", "tokenLifetime",
	} {
		require.Equal(t, 400, l.must("PUT", "/_sandbox/config", `{"`+name+`":"-1s"}`).status, name)
	}
	_, key := newKey(t, 3072)
	for _, change := range []string{
		`{"webhookRetries":["1s","-1s"]}`, `{"processingTimeout":"0s"}`, `{"webhookTimeout":"0s"}`, `{"homeCountry":"ZZ"}`, `{"currency":"ZZZ"}`,
		`{"sendCurrencies":["ZZZ"]}`, `{"suspendedProviders":["NOBODY"]}`, `{"accountPerHour":-1}`, `{"webhookPublicKey":` + key + `}`,
		`{"webhookHeaderPrefix":"X Service"}`, `{"webhookHeaderPrefix":""}`,
	} {
		before := l.must("GET", "/_sandbox/config", "").body
		require.Equal(t, 400, l.must("PUT", "/_sandbox/config", change).status, change)
		require.Equal(t, string(before), string(l.must("GET", "/_sandbox/config", "").body), change)
	}
}

func TestFaults_RefusesWhatCanNeverWork(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, fault := range []string{
		`{"match":{"endpoint":"SendTransfers"},"action":{"kind":"drop"}}`,
		`{"match":{"endpoint":"GetBalance","nth":-1},"action":{"kind":"drop"}}`,
		`{"action":{"kind":"drop"},"times":-2}`,
		`{"action":{"kind":"drop"},"chance":101}`,
		`{"action":{"kind":"drop"},"chance":-1}`,
		`{"action":{"kind":"delay","for":"-1s"}}`,
		`{"action":{"kind":"html","status":42}}`,
		`{"action":{"kind":"html","status":101}}`,
		`{"action":{"kind":"error","code":"OtherError","status":42}}`,
		`{"action":{"kind":"cut","bytes":-1}}`,
		`{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_forge","mode":"magic"}}`,
		`{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_duplicate","count":-2}}`,
		`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"webhook_withhold"}}`,
		`{"action":{"kind":"webhook_withhold"}}`,
		`{"match":{"endpoint":"GetBalance"},"action":{"kind":"list_empty"}}`,
		`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"short_refund","amount":"1.00"}}`,
		`{"match":{"endpoint":"GetBalance"},"action":{"kind":"late_success"}}`,
		`{"match":{"endpoint":"Provider"},"action":{"kind":"drop"}}`,
		`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_success","reply":"perhaps"}}`,
		`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_success","listed":"Lost"}}`,
	} {
		require.Equal(t, 400, l.must("POST", "/_sandbox/faults", "["+fault+"]").status, fault)
	}
	l.api("GetBalance", "").is(t, 200, 1, "")
}
