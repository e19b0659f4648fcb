package conformance_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// An instant transfer is complete in its answer, listed as it was answered, and
// paid once: 10.00 and a distributor fee of 0.10, less a commission of 0.83.
func TestInstantTransfer(t *testing.T) {
	t.Parallel()
	b := newBench(t, withToken)
	require.NoError(t, b.Ready(t.Context()))
	record := b.sent(order("R1", nil))
	require.Equal(t, apiclient.StateComplete, record.ProcessingState)
	require.Equal(t, "R1", record.TransferId.DistributorRef)
	require.NotEmpty(t, record.TransferId.TransferRef)
	require.Equal(t, topup+" "+number, record.SkuCode+" "+record.AccountNumber)
	for _, at := range []apiclient.Time{record.StartedUtc, record.CompletedUtc} {
		stamp, err := at.Time()
		require.NoError(t, err)
		require.Equal(t, b.clock.now(), stamp)
	}
	cost, err := record.Price.SendValue.Amount("EUR")
	require.NoError(t, err)
	fee, err := record.Price.DistributorFee.Amount("EUR")
	require.NoError(t, err)
	cost, err = cost.Add(fee)
	require.NoError(t, err)
	e := b.entry("R1")
	require.Equal(t, 1, e.TimesExecuted)
	require.Equal(t, e.Deducted, cost.Decimal(2))
	require.Equal(t, apiclient.Decimal("0.83"), record.CommissionApplied)
	require.Equal(t, apiclient.Decimal("9990.73"), b.balance())
	require.Equal(t, apiclient.TransferRecordWithErrorCodes{TransferRecord: *record, ResultCode: 1, ErrorCodes: []apiclient.ErrorCode{}}, b.listed("R1"))
}

func TestPINTransfer(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	voucher := b.product(apiclient.ProductFilter{Benefits: []string{"Digital Product"}}, func(p apiclient.Product) bool {
		return p.RedemptionMechanism == apiclient.RedeemReadReceipt
	})
	record := b.sent(order("R1", func(r *apiclient.SendTransferRequest) {
		r.SkuCode, r.SendValue, r.AccountNumber = voucher.SkuCode, voucher.Minimum.SendValue, apiclient.DefaultPINAccountNumber
	}))
	pin := record.ReceiptParams[apiclient.ParamPIN]
	require.Len(t, pin, 16)
	require.NotEmpty(t, record.ReceiptText)
	require.Equal(t, pin, b.listed("R1").TransferRecord.ReceiptParams[apiclient.ParamPIN], "a lost reply loses no PIN")
}

// The provider's reference is there or not, and each kind of product has keys
// of its own.
func TestReceiptKeysComeAndGo(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	with, without := 0, 0
	for i := range 60 {
		if b.sent(order(fmt.Sprint("R", i), nil)).ReceiptParams[apiclient.ParamProviderRef] == "" {
			without++
		} else {
			with++
		}
	}
	require.Positive(t, with)
	require.Positive(t, without)
	meter := b.meter()
	params := b.sent(order("M1", func(r *apiclient.SendTransferRequest) {
		r.SkuCode, r.AccountNumber, r.SendValue = meter.SkuCode, "12345678901", meter.Minimum.SendValue
		r.Settings = []apiclient.Setting{{Name: meter.SettingDefinitions[0].Name, Value: "12345678901"}}
	})).ReceiptParams
	require.NotEmpty(t, params["token"])
	require.Equal(t, params, b.listed("M1").TransferRecord.ReceiptParams)
}

// A batch transfer is paid at once and followed by its record.
func TestBatchTransferIsFollowedByListing(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	record := b.sent(order("R1", toBatch))
	require.Equal(t, apiclient.StateSubmitted, record.ProcessingState)
	require.Empty(t, record.CompletedUtc)
	paid := b.balance()
	require.NotEqual(t, apiclient.Decimal("10000"), paid)
	require.Equal(t, apiclient.StateSubmitted, b.listed("R1").TransferRecord.ProcessingState)
	b.pass(30 * time.Second)
	b.reaches("R1", apiclient.StateProcessing)
	require.Equal(t, apiclient.StateProcessing, b.listed("R1").TransferRecord.ProcessingState)
	b.pass(5 * time.Second)
	b.reaches("R1", apiclient.StateComplete)
	done := b.listed("R1")
	require.Equal(t, apiclient.StateComplete, done.TransferRecord.ProcessingState.Normal())
	require.Equal(t, record.TransferId, done.TransferRecord.TransferId)
	require.NotEmpty(t, done.TransferRecord.CompletedUtc)
	require.Equal(t, b.entry("R1").Commission, b.commission("R1"))
}

// commission is what the list says was earned, as the ledger writes it.
func (b *bench) commission(ref string) string {
	b.t.Helper()
	amount, err := b.listed(ref).TransferRecord.CommissionApplied.Amount("EUR")
	require.NoError(b.t, err)
	return amount.Decimal(2)
}

func TestBatchTransferThatFailsIsRefunded(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	b.fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"ProviderError","context":"ProviderUnknownError"}}`)
	b.sent(order("R1", toBatch))
	b.pass(30 * time.Second)
	b.reaches("R1", apiclient.StateProcessing)
	b.pass(5 * time.Second)
	b.reaches("R1", apiclient.StateFailed)
	listed := b.listed("R1")
	require.Equal(t, apiclient.StateFailed, listed.TransferRecord.ProcessingState)
	require.Equal(t, apiclient.ResultServer, listed.ResultCode)
	require.Equal(t, []apiclient.ErrorCode{{Code: apiclient.CodeProviderError, Context: apiclient.ContextProviderUnknownError}}, listed.ErrorCodes)
	require.Nil(t, listed.TransferRecord.Price)
	require.Equal(t, apiclient.Decimal("10000"), b.balance())
}

// The items of a cancellation come back in any order and each with its own
// verdict; only the state Cancelled is a cancellation.
func TestCancellation(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	instant := *b.sent(order("instant", nil)).TransferId
	open := *b.sent(order("open", toBatch)).TransferId
	late := *b.sent(order("late", toBatch)).TransferId
	b.sent(order("twice", toBatch))
	b.sent(order("twice", toBatch))
	got, err := b.CancelTransfers(t.Context(), []apiclient.CancellationRequest{
		{TransferId: instant, BatchItemRef: "instant"},
		{TransferId: open, BatchItemRef: "open"},
		{TransferId: apiclient.TransferId{TransferRef: "1", DistributorRef: "nobody"}, BatchItemRef: "nobody"},
		{TransferId: apiclient.TransferId{DistributorRef: "twice"}, BatchItemRef: "twice"},
	})
	require.NoError(t, err)
	require.Equal(t, apiclient.ResultSuccess, got.ResultCode)
	items := map[string]apiclient.TransferWithState{}
	for i, item := range got.Items {
		require.Equal(t, []string{"instant", "open", "nobody", "twice"}[i], item.BatchItemRef, "the client restores the order")
		items[item.BatchItemRef] = item
	}
	require.Equal(t, apiclient.TransferWithState{
		TransferId: open, ProcessingState: apiclient.StateCancelled, BatchItemRef: "open", ResultCode: 1, ErrorCodes: []apiclient.ErrorCode{},
	}, items["open"])
	for ref, context := range map[string]string{
		"instant": apiclient.ContextInstantTransfersCannotBeCancelled, "nobody": apiclient.ContextNoRecordsFound, "twice": apiclient.ContextMultipleRecordsMatched,
	} {
		require.Equal(t, []apiclient.ErrorCode{{Code: apiclient.CodeRequestInvalid, Context: context}}, items[ref].ErrorCodes)
		require.Empty(t, items[ref].ProcessingState)
	}
	require.Equal(t, apiclient.StateCancelled, b.listed("open").TransferRecord.ProcessingState)
	require.Equal(t, b.entry("open").Deducted, b.entry("open").Refunded)

	b.pass(30 * time.Second)
	b.reaches("late", apiclient.StateProcessing)
	require.Equal(t, apiclient.StateProcessing, b.cancelled(late), "too late: its state unchanged")
	b.config(`{"cancelDelay":"1m"}`)
	slow := *b.sent(order("slow", toBatch)).TransferId
	require.Equal(t, apiclient.StateCancelling, b.cancelled(slow))
	b.pass(time.Minute)
	b.reaches("slow", apiclient.StateCancelled)
}

// cancelled asks to cancel one transfer and returns its state.
func (b *bench) cancelled(id apiclient.TransferId) apiclient.ProcessingState {
	b.t.Helper()
	got, err := b.CancelTransfers(b.t.Context(), []apiclient.CancellationRequest{{TransferId: id, BatchItemRef: "1"}})
	require.NoError(b.t, err)
	require.Len(b.t, got.Items, 1)
	return got.Items[0].ProcessingState
}

func TestValidateOnlyMakesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	request := order("R1", func(r *apiclient.SendTransferRequest) { r.ValidateOnly = true })
	record := b.sent(request)
	require.Nil(t, record.TransferId)
	require.NotNil(t, record.Price)
	require.Empty(t, b.ledger().Entries)
	require.Equal(t, apiclient.Decimal("10000"), b.balance())

	b.config(`{"openingBalance":"10.09"}`)
	b.console(http.MethodPost, "reset", "", nil)
	got, err := b.send(request)
	require.True(t, failed(t, err).Has(apiclient.CodeInsufficientBalance))
	require.Nil(t, got.TransferRecord.TransferId)
}

// The client never repeats a SendTransfer, because a repeated one is paid
// again unless the operator has switched duplicate prevention on.
func TestARepeatedReferenceIsPaidAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	b.sent(order("R1", nil))
	b.sent(order("R1", nil))
	require.Equal(t, 2, b.entry("R1").TimesExecuted)
	b.config(`{"duplicatePrevention":true}`)
	got, err := b.send(order("R1", nil))
	refused := failed(t, err)
	require.Equal(t, []int{400, apiclient.ResultClient}, []int{refused.Status, refused.ResultCode})
	require.True(t, refused.Has(apiclient.CodeDuplicateTransactionPrevented))
	require.NotNil(t, got)
	b.pass(time.Hour)
	b.sent(order("R1", nil))
	require.Equal(t, 3, b.entry("R1").TimesExecuted)
}

// A reply that is lost after the transfer was executed is no proof of failure,
// and the record is there to be found.
func TestALostReplyIsFoundInTheList(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	for _, kind := range []string{`"drop","when":"after"`, `"reset","when":"after"`, `"cut","bytes":40`, `"html","when":"after"`} {
		ref := kind[1:4]
		b.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":` + kind + `}}`)
		b.wire.answerAnything()
		got, err := b.send(order(ref, nil))
		require.Nil(t, got, kind)
		require.Error(t, err, kind)
		require.NotErrorIs(t, err, apiclient.ErrNotSent, kind)
		require.Equal(t, apiclient.StateComplete, b.listed(ref).TransferRecord.ProcessingState)
		require.Equal(t, 1, b.entry(ref).TimesExecuted, kind)
	}
}
