package sandbox_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// batchProduct is a product fulfilled in batches, and a number it takes.
const (
	batchProduct = "CU_IS_TopUp"
	batchNumber  = "5351234567"
)

func (l *lab) sendBatch(ref string) result {
	l.t.Helper()
	r := l.send(ref, map[string]any{"SkuCode": batchProduct, "AccountNumber": batchNumber})
	r.is(l.t, 200, 1, "")
	require.Equal(l.t, "Submitted", r.TransferRecord.ProcessingState)
	return r
}

// reaches waits until a transfer is listed in a state.
func (l *lab) reaches(ref, state string) result {
	l.t.Helper()
	var last result
	eventually(l.t, func() bool {
		l.t.Helper()
		last = l.list(`,"DistributorRef":"` + ref + `"`)[0]
		return last.TransferRecord.ProcessingState == state
	})
	return last
}

func TestBatchTransfer_DeductedAtOnceAndCompletedLater(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	r := l.sendBatch("A")
	e := l.entry("A")
	require.Zero(t, e.TimesExecuted)
	require.NotEqual(t, "0.00", e.Deducted)
	require.Equal(t, "0.00", e.Commission)
	require.Equal(t, json.Number("0"), r.TransferRecord.CommissionApplied)
	require.Empty(t, r.TransferRecord.CompletedUtc)

	l.advance(30 * time.Second)
	l.reaches("A", "Processing")
	l.advance(35 * time.Second)
	done := l.reaches("A", "Complete")
	require.NotEmpty(t, done.TransferRecord.CompletedUtc)
	require.Equal(t, 1, l.entry("A").TimesExecuted)
	require.Equal(t, e.Deducted, l.entry("A").Deducted)
	require.NotEqual(t, "0.00", l.entry("A").Commission)
}

func TestBatchTransfer_RefundedOnFailure(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	l.fault(`{"match":{"endpoint":"Provider","ref":"A"},"action":{"kind":"error","code":"ProviderError","context":"ProviderUnknownError"}}`)
	l.sendBatch("A")
	l.advance(time.Minute)
	l.reaches("A", "Processing")
	l.advance(2 * time.Minute)
	failed := l.reaches("A", "Failed")
	require.Equal(t, "ProviderUnknownError", failed.ErrorCodes[0].Context)
	e := l.entry("A")
	require.Equal(t, e.Deducted, e.Refunded)
	require.Equal(t, "10000.00", l.ledger().Balance)
}

// cancelled is an item of CancelTransfers.
type cancelled struct {
	TransferID      struct{ TransferRef, DistributorRef string } `json:"TransferId"`
	ProcessingState string
	BatchItemRef    string
	ResultCode      int
	ErrorCodes      []struct{ Code, Context string }
}

func (l *lab) cancel(transferRef, distributorRef string) cancelled {
	l.t.Helper()
	r := l.api("CancelTransfers", fmt.Sprintf(`[{"TransferId":{"TransferRef":%q,"DistributorRef":%q},"BatchItemRef":"b1"}]`, transferRef, distributorRef))
	r.is(l.t, 200, 1, "")
	c := items[cancelled](l.t, r)[0]
	require.Equal(l.t, "b1", c.BatchItemRef)
	return c
}

func TestCancelTransfers_CompensatesTheBalance(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	sent := l.sendBatch("A")
	require.NotEqual(t, "10000.00", l.ledger().Balance)
	c := l.cancel(sent.TransferRecord.TransferID.TransferRef, "A")
	require.Equal(t, "Cancelled", c.ProcessingState)
	require.Equal(t, 1, c.ResultCode)
	require.Equal(t, "10000.00", l.ledger().Balance)
	require.Equal(t, "Cancelled", l.cancel("", "A").ProcessingState, "asked again, the state is the same")
	l.advance(time.Hour)
	require.Equal(t, "Cancelled", l.list(`,"DistributorRef":"A"`)[0].TransferRecord.ProcessingState)
	require.Zero(t, l.entry("A").TimesExecuted)
}

func TestCancelTransfers_ProviderMayTakeItsTime(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"cancelDelay":"10m","limits":false}`)
	l.sendBatch("A")
	require.Equal(t, "Cancelling", l.cancel("", "A").ProcessingState)
	require.NotEqual(t, "10000.00", l.ledger().Balance)
	l.advance(10 * time.Minute)
	l.reaches("A", "Cancelled")
	require.Equal(t, "10000.00", l.ledger().Balance)
}

func TestCancelTransfers_WhatCannotBeCancelled(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	instant := l.send("I", nil)
	for name, c := range map[string]struct {
		got  cancelled
		want string
	}{
		"instant":   {l.cancel(instant.TransferRecord.TransferID.TransferRef, "I"), "InstantTransfersCannotBeCancelled"},
		"unknown":   {l.cancel("1", "X"), "NoRecordsFound"},
		"other ref": {l.cancel(instant.TransferRecord.TransferID.TransferRef, "X"), "NoRecordsFound"},
		"neither":   {l.cancel("", ""), "NoRecordsFound"},
		"nonsense":  {l.cancel("-", "I"), "NoRecordsFound"},
	} {
		require.Equal(t, 4, c.got.ResultCode, name)
		require.Equal(t, "RequestInvalid", c.got.ErrorCodes[0].Code, name)
		require.Equal(t, c.want, c.got.ErrorCodes[0].Context, name)
		require.Empty(t, c.got.ProcessingState, "fields are filled in on success only")
		require.Empty(t, c.got.TransferID, "fields are filled in on success only")
	}
	l.sendBatch("B")
	l.sendBatch("B")
	require.Equal(t, "MultipleRecordsMatched", l.cancel("", "B").ErrorCodes[0].Context)

	l.advance(30 * time.Second)
	l.reaches("B", "Processing")
	c := l.cancel(l.entry("B").TransferRefs[0], "B")
	require.Equal(t, 1, c.ResultCode)
	require.Equal(t, "Processing", c.ProcessingState, "too late: unchanged, and reported so")
	missing := items[cancelled](t, l.api("CancelTransfers", `[{"BatchItemRef":"1"}]`))[0]
	require.Equal(t, "TransferId", missing.ErrorCodes[0].Context)
}

func TestSendTransfer_Rule7_DeferAnswersSubmittedAtOnceAndDeductsAtTheEnd(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false}`)
	r := l.send("A", nil, "X-Options", "DeferTransfer", "X-Correlation-Id", "corr-1")
	r.is(t, 200, 1, "")
	require.Equal(t, "corr-1", r.header.Get("X-Correlation-Id"))
	require.Equal(t, "Submitted", r.TransferRecord.ProcessingState)
	require.Equal(t, "10000.00", l.ledger().Balance)
	require.Equal(t, "10.10", l.ledger().Reserved)
	l.advance(2 * time.Second)
	l.reaches("A", "Complete")
	require.Equal(t, "9990.73", l.ledger().Balance)
	require.Equal(t, "0.00", l.ledger().Reserved)
}

func TestDefer_FailuresAreRetriedUpToTheThreshold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failures int
		state    string
	}{"then succeeds": {5, "Complete"}, "then fails": {6, "Failed"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, r := newHookLab(t)
			l.fault(fmt.Sprintf(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"TransientProviderError","context":"ProviderRefusedRequest"},"times":%d}`, c.failures))
			l.send("A", nil, "X-Options", "DeferTransfer").is(t, 200, 1, "")
			for i := range 6 {
				l.advance(2*time.Second + time.Duration(i)*10*time.Second)
				eventually(t, func() bool { return l.attempted() > i })
			}
			l.reaches("A", c.state)
			require.Equal(t, 6, l.attempted())
			var told result
			require.NoError(t, json.Unmarshal(r.wait(t, 1)[0].body, &told), "told of the end only")
			require.Equal(t, c.state, told.TransferRecord.ProcessingState)
		})
	}
}

// attempted counts the provider's attempts by what a fault saw.
func (l *lab) attempted() int {
	l.t.Helper()
	var faults struct{ Faults []struct{ Seen int } }
	require.NoError(l.t, json.Unmarshal(l.must("GET", "/_sandbox/faults", "").body, &faults))
	return faults.Faults[0].Seen
}

func TestDefer_UATNumbersFailLater(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false,"deferAttempts":1}`)
	l.send("A", map[string]any{"AccountNumber": "353000000004"}, "X-Options", "DeferTransfer").is(t, 200, 1, "")
	l.advance(time.Minute)
	require.Equal(t, "ProductUnavailable", l.reaches("A", "Failed").ErrorCodes[0].Context)
	require.Equal(t, "10000.00", l.ledger().Balance)
}

func TestSendTransfer_Rule9_DuplicatePreventionIsAnOption(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.send("A", nil).is(t, 200, 1, "")
	l.send("A", nil).is(t, 200, 1, "")
	require.Equal(t, 2, l.entry("A").TimesExecuted, "without it the second is paid again")

	l.config(`{"duplicatePrevention":true}`)
	l.send("A", nil).is(t, 400, 4, "DuplicateTransactionPrevented")
	l.send("A", map[string]any{"SendValue": 5}).is(t, 400, 4, "DuplicateTransactionPrevented")
	l.send("A", map[string]any{"ValidateOnly": true}).is(t, 200, 1, "")
	require.Equal(t, 2, l.entry("A").TimesExecuted)
	require.Len(t, l.entry("A").RequestedAt, 4)
	l.advance(time.Hour - time.Second)
	l.send("A", nil).is(t, 400, 4, "DuplicateTransactionPrevented")
	l.advance(time.Hour)
	l.send("A", nil).is(t, 200, 1, "")

	l.config(`{"limits":false}`)
	l.sendBatch("B") // in progress, however long
	l.config(`{"batchDelay":"1000h"}`)
	l.sendBatch("C")
	l.advance(10 * time.Hour)
	l.send("C", nil).is(t, 400, 4, "DuplicateTransactionPrevented")
	l.fault(`{"match":{"endpoint":"Provider","ref":"D"},"action":{"kind":"error","code":"ProviderError"}}`)
	l.send("D", nil).is(t, 500, 5, "ProviderError")
	l.send("D", nil).is(t, 200, 1, "") // a failed one does not count
}

func TestSendTransfer_FraudRulesAreOptions(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"similarInProgress":true,"accountPerHour":3}`)
	l.sendBatch("A")
	l.send("B", map[string]any{"SkuCode": batchProduct, "AccountNumber": batchNumber}).is(t, 429, 3, "RateLimited/TransactionStillInProgress")
	l.sendMany(3)
	r := l.send("X", nil)
	r.is(t, 429, 3, "RateLimited")
	require.NotEmpty(t, r.header.Get("Retry-After"))
	l.advance(time.Hour + time.Second)
	l.send("X", nil).is(t, 200, 1, "")
}

func TestSendTransfer_Rule6_TimesOutAsProviderTimedOut(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"processingTimeout":"30ms"}`)
	l.fault(`{"match":{"endpoint":"Provider","ref":"A"},"action":{"kind":"delay","for":"90s"}}`)
	r := l.send("A", nil)
	r.is(t, 503, 3, "TransientProviderError/ProviderTimedOut")
	require.NotEmpty(t, r.header.Get("Retry-After"))
	require.Equal(t, "Failed", r.TransferRecord.ProcessingState)
	require.Equal(t, "Failed", l.list("")[0].TransferRecord.ProcessingState)
	require.Equal(t, "10000.00", l.ledger().Balance)
}

func TestSendTransfer_LatencyBeyondTheLimitTimesOut(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"latency":"30ms"}`)
	l.send("A", nil).is(t, 200, 1, "")
	l.config(`{"latency":"60ms","processingTimeout":"30ms"}`)
	l.send("B", nil).is(t, 503, 3, "TransientProviderError/ProviderTimedOut")
	require.Zero(t, l.entry("B").TimesExecuted)
}

func TestSendTransfer_WhileTheProviderWorksItIsProcessingAndReserved(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.config(`{"limits":false,"openingBalance":"15.00"}`)
	l.must("POST", "/_sandbox/reset", "")
	l.fault(`{"match":{"endpoint":"Provider","ref":"A"},"action":{"kind":"delay","for":"3s"}}`)
	done := make(chan answered, 1)
	go func() {
		a, _ := l.do("POST", "/api/V1/SendTransfer", order("A", nil))
		done <- a
	}()
	eventually(t, func() bool { return len(l.list("")) == 1 })
	require.Equal(t, "Processing", l.list("")[0].TransferRecord.ProcessingState)
	require.Equal(t, json.Number("15"), l.api("GetBalance", "").Balance, "transfers still processing are not in the balance")
	l.send("B", nil).is(t, 500, 5, "InsufficientBalance")
	l.parse(<-done).is(t, 200, 1, "")
	require.Equal(t, "5.73", l.ledger().Balance)
}
