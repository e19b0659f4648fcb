package sales

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/vault"
)

// wire is what SendTransfer came to.
type wire struct {
	response *apiclient.SendTransferResponse
	err      error
}

func answered(state apiclient.ProcessingState, change ...func(*apiclient.TransferRecord)) wire {
	record := &apiclient.TransferRecord{
		TransferId: &apiclient.TransferId{TransferRef: "77"}, SkuCode: "SKU1", AccountNumber: "353871234567", ProcessingState: state, CommissionApplied: "0.80",
		Price: &apiclient.Price{SendValue: "10.00", CustomerFee: "0.50", DistributorFee: "0.20", SendCurrencyIso: "EUR", ReceiveValue: "10.00", ReceiveCurrencyIso: "EUR"},
	}
	for _, c := range change {
		c(record)
	}
	return wire{response: &apiclient.SendTransferResponse{TransferRecord: record}}
}

func refused(result int, code, context string) wire {
	w := wire{
		response: &apiclient.SendTransferResponse{TransferRecord: &apiclient.TransferRecord{SkuCode: "SKU1", AccountNumber: "353871234567", ProcessingState: apiclient.StateFailed}},
		err:      &apiclient.Error{Op: "SendTransfer", Status: 500, ResultCode: result, Codes: []apiclient.ErrorCode{{Code: code, Context: context}}, RetryAfter: 30 * time.Second},
	}
	return w
}

// named is a refusal whose record names a transfer.
func named(w wire) wire {
	w.response.TransferRecord.TransferId = &apiclient.TransferId{TransferRef: "77"}
	return w
}

// renamed is one that names another's.
func renamed(w wire) wire {
	named(w).response.TransferRecord.TransferId.DistributorRef = "ANOTHER"
	return w
}

func broken(cause error) wire { return wire{err: &apiclient.Error{Op: "SendTransfer", Err: cause}} }

// read feeds what came back to a sale that is being sent.
func (r *run) read(w wire) *run {
	r.t.(interface{ Helper() }).Helper()
	vault, err := vault.New(vault.NewKey())
	require.NoError(r.t, err)
	return r.do(reader{vault: vault, sale: &r.sale, ref: r.sale.Ref, now: r.at}.reply(w.response, w.err))
}

// looks are what a look-up some time after the reply finds.
type looks struct {
	after time.Duration
	state State // None: nothing
	want  State
}

// TestReading goes through the table "Reading the reply" row by row.
func TestReading(t *testing.T) {
	t.Parallel()
	gone, empty := errors.New("connection reset"), None
	another := func(change func(*apiclient.TransferRecord)) wire { return answered("Complete", change) }
	for name, c := range map[string]struct {
		wire      wire
		want      State
		looks     []looks
		incidents []IncidentKind
	}{
		"1 or 2 with Complete":                         {wire: answered("Complete"), want: Complete},
		"1 or 2 with Completed":                        {wire: answered("Completed"), want: Complete},
		"1 or 2 with Submitted":                        {wire: answered("Submitted"), want: Submitted},
		"1 or 2 with Processing":                       {wire: answered("Processing"), want: Processing},
		"1 or 2 with Failed":                           {wire: answered("Failed"), want: Unknown, looks: []looks{{9 * time.Second, Failed, Unknown}, {2 * time.Second, empty, Unknown}, {time.Second, Failed, Failed}}},
		"1 or 2 with a state unheard of":               {wire: answered("Pondering"), want: Unknown, incidents: []IncidentKind{UnknownState}},
		"4 AccountNumberInvalid":                       {wire: refused(4, "AccountNumberInvalid", "ProviderRefusedRequest"), want: Failed},
		"4 ParameterInvalid":                           {wire: refused(4, "ParameterInvalid", "SkuCode"), want: Failed},
		"4 ParameterMissing":                           {wire: refused(4, "ParameterMissing", "SkuCode"), want: Failed},
		"4 ParameterOutOfRange":                        {wire: refused(4, "ParameterOutOfRange", "SendValue"), want: Failed},
		"4 ParameterCombinationInvalid":                {wire: refused(4, "ParameterCombinationInvalid", "SkuCode"), want: Failed},
		"4 TooManyParameters":                          {wire: refused(4, "TooManyParameters", "Settings"), want: Failed},
		"4 RequestInvalid":                             {wire: refused(4, "RequestInvalid", ""), want: Failed},
		"4 AuthenticationFailed":                       {wire: refused(4, "AuthenticationFailed", ""), want: Failed},
		"4 DuplicateTransactionPrevented, listed":      {wire: refused(4, "DuplicateTransactionPrevented", ""), want: Unknown, looks: []looks{{2 * time.Second, Complete, Complete}}},
		"4 DuplicateTransactionPrevented, absent":      {wire: refused(4, "DuplicateTransactionPrevented", ""), want: Unknown, looks: []looks{{time.Minute, empty, Unknown}}},
		"3 RateLimited":                                {wire: refused(3, "RateLimited", ""), want: Failed},
		"3 TransactionStillInProgress, ours is absent": {wire: refused(3, "RateLimited", "TransactionStillInProgress"), want: Unknown, looks: []looks{{2 * time.Second, empty, Unknown}, {9 * time.Second, empty, Failed}}},
		"3 TransactionStillInProgress, ours is there":  {wire: refused(3, "RateLimited", "TransactionStillInProgress"), want: Unknown, looks: []looks{{2 * time.Second, Complete, Complete}}},
		"3 ProviderTimedOut, a look agrees later":      {wire: refused(3, "TransientProviderError", "ProviderTimedOut"), want: Unknown, looks: []looks{{2 * time.Second, Failed, Unknown}, {7 * time.Second, Failed, Unknown}, {2 * time.Second, Failed, Failed}}},
		"3 ProviderTimedOut, absent later":             {wire: refused(3, "TransientProviderError", "ProviderTimedOut"), want: Unknown, looks: []looks{{9 * time.Second, empty, Unknown}, {2 * time.Second, empty, Unknown}, {189 * time.Second, Complete, Complete}}},
		"3 ProviderTimedOut among others":              {wire: refused(3, "TransientProviderError", "ProviderRefusedRequest, ProviderTimedOut"), want: Unknown, looks: []looks{{9 * time.Second, Failed, Unknown}, {time.Minute, empty, Unknown}, {time.Second, Failed, Failed}}},
		"3 that names a transfer":                      {wire: named(refused(3, "TransientProviderError", "ProviderRefusedRequest")), want: Unknown, looks: []looks{{9 * time.Second, Failed, Unknown}, {2 * time.Second, empty, Unknown}, {time.Second, Failed, Failed}}},
		"4 that names a transfer":                      {wire: named(refused(4, "AccountNumberInvalid", "")), want: Unknown, looks: []looks{{11 * time.Second, empty, Unknown}, {time.Second, Complete, Complete}}},
		"5 that names a transfer":                      {wire: named(refused(5, "ProviderError", "RechargeNotAllowed")), want: Unknown, looks: []looks{{9 * time.Second, Failed, Unknown}, {2 * time.Second, empty, Unknown}, {time.Second, Failed, Failed}}},
		"4 that names a transfer of another ref":       {wire: renamed(refused(4, "ParameterInvalid", "")), want: Unknown, looks: []looks{{time.Minute, empty, Unknown}}, incidents: []IncidentKind{Foreign}},
		"3 ProviderTimedOut, delivered after all":      {wire: refused(3, "TransientProviderError", "ProviderTimedOut"), want: Unknown, looks: []looks{{2 * time.Second, Failed, Unknown}, {9 * time.Second, Complete, Complete}}},
		"3 ProviderRefusedRequest":                     {wire: refused(3, "TransientProviderError", "ProviderRefusedRequest"), want: Failed},
		"3 ProviderTemporarilyUnavailable":             {wire: refused(3, "TransientProviderError", "ProviderTemporarilyUnavailable"), want: Failed},
		"3 with a code unheard of":                     {wire: refused(3, "MoonInTheWrongPhase", ""), want: Failed},
		"5 InsufficientBalance":                        {wire: refused(5, "InsufficientBalance", ""), want: Failed, incidents: []IncidentKind{NoFloat}},
		"5 ProviderError, one look confirms":           {wire: refused(5, "ProviderError", "RechargeNotAllowed"), want: Unknown, looks: []looks{{2 * time.Second, Failed, Failed}}},
		"5 ProviderError, absent":                      {wire: refused(5, "ProviderError", "ProductUnavailable"), want: Unknown, looks: []looks{{11 * time.Second, empty, Failed}}},
		"5 OtherError, one look confirms":              {wire: refused(5, "OtherError", ""), want: Unknown, looks: []looks{{2 * time.Second, Failed, Failed}}},
		"5 OtherError, executed all the same":          {wire: refused(5, "OtherError", ""), want: Unknown, looks: []looks{{2 * time.Second, Complete, Complete}}},
		"a broken connection":                          {wire: broken(gone), want: Unknown},
		"a cut or foreign body":                        {wire: broken(apiclient.ErrUnreadable), want: Unknown},
		"a body too large":                             {wire: broken(apiclient.ErrTooLarge), want: Unknown},
		"a gateway's HTML":                             {wire: wire{err: &apiclient.Error{Op: "SendTransfer", Status: 502, Err: apiclient.ErrUnreadable}}, want: Unknown},
		"a ResultCode outside 1–5":                     {wire: refused(7, "AccountNumberInvalid", ""), want: Unknown},
		"a record of another ref": {
			wire: another(func(r *apiclient.TransferRecord) { r.TransferId.DistributorRef = "ANOTHER" }), want: Unknown,
			incidents: []IncidentKind{Foreign},
		},
		"a record of another SKU":    {wire: another(func(r *apiclient.TransferRecord) { r.SkuCode = "SKU2" }), want: Unknown, incidents: []IncidentKind{Foreign}},
		"a record of another number": {wire: another(func(r *apiclient.TransferRecord) { r.AccountNumber = "353870000000" }), want: Unknown, incidents: []IncidentKind{Foreign}},
		"a refusal beside a record that went on": {
			wire: wire{response: answered("Complete").response, err: refused(4, "ParameterInvalid", "").err}, want: Unknown,
			looks: []looks{{2 * time.Second, Complete, Complete}},
		},
		"nothing left": {wire: broken(apiclient.ErrNotSent), want: Sending}, // the very permit is missing here: see TestAPermitComesBack…
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, "Instant").sent().read(c.wire)
			require.Equal(t, c.want, r.sale.Fulfilment)
			for _, look := range c.looks {
				r.wait(look.after)
				if look.state == None {
					r.do(Observation{Cause: Looked})
				} else {
					r.do(told(Listed, look.state))
				}
				require.Equal(t, look.want, r.sale.Fulfilment, "after %s", look.after)
			}
			require.Equal(t, c.incidents, r.kinds)
			wantCash := map[State]Cash{Complete: CashEarned, Failed: CashRefundDue}[r.sale.Fulfilment]
			if wantCash == "" {
				wantCash = CashTaken
			}
			require.Equal(t, wantCash, r.sale.Cash, "money follows knowledge")
		})
	}
}

func TestReading_TheServiceSaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	r := newRun(t, "Instant").sent().read(refused(3, "TransientProviderError", "ProviderRefusedRequest"))
	require.Equal(t, r.at.Add(30*time.Second), r.sale.RetryAt.UTC())
	r.do(Observation{Cause: TriedAgain, NewRef: "NEW"})
	require.Nil(t, r.sale.RetryAt)
}
