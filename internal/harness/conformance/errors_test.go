package conformance_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// refusal is a row of the interface's table of errors.
type refusal struct {
	code, context      string
	status, resultCode int
}

// refusals is the whole table but NearestMatch, which is a success.
func refusals() (all []refusal) {
	add := func(status, resultCode int, code string, contexts ...string) {
		for _, context := range contexts {
			all = append(all, refusal{code, context, status, resultCode})
		}
	}
	const transient, client, server = apiclient.ResultTransient, apiclient.ResultClient, apiclient.ResultServer
	add(429, transient, "RateLimited", "", "TransactionStillInProgress")
	add(503, transient, "TransientProviderError", "ProviderTimedOut", "ProviderRefusedRequest", "ProviderTemporarilyUnavailable",
		"ProductUnavailable", "AccountTemporarilyUnavailable")
	add(400, client, "AccountNumberInvalid", "ProviderRefusedRequest", "AccountNumberFailedRegex")
	add(401, client, "AuthenticationFailed", "", "TokenExpired")
	add(400, client, "BatchItemRefMustBeUnique", "")
	for _, code := range []string{"ParameterCombinationInvalid", "ParameterInvalid", "ParameterMissing", "ParameterOutOfRange", "TooManyParameters"} {
		add(400, client, code, "SkuCode,SendValue")
	}
	add(400, client, "RequestInvalid", "", "MultipleRecordsMatched", "InstantTransfersCannotBeCancelled", "NoRecordsFound")
	add(400, client, "DuplicateTransactionPrevented", "")
	add(500, server, "InsufficientBalance", "")
	add(500, server, "OtherError", "")
	add(500, server, "ProviderError", "ProviderUnknownError", "ProviderRefusedRequest", "ProviderTemporarilyUnavailable", "ProductUnavailable", "RechargeNotAllowed")
	return all
}

// Every row arrives as an *Error with all it has to say, in the shape of a
// transfer, of bills, of a batch, of a page and as a bare envelope.
func TestEveryErrorIsRead(t *testing.T) {
	t.Parallel()
	b, ctx := newBench(t, withKey), apiclient.WithPriority(t.Context(), apiclient.PriorityFirstLook) // all of the budget
	b.config(`{"limits":false}`)
	calls := map[string]func() error{
		"SendTransfer": func() error { _, err := b.send(order("R1", nil)); return err },
		"GetBalance":   func() error { _, err := b.GetBalance(ctx); return err },
		"LookupBills":  func() error { _, err := b.LookupBills(ctx, apiclient.LookupBillsRequest{SkuCode: topup}); return err },
		"EstimatePrices": func() error {
			_, err := b.EstimatePrices(ctx, []apiclient.EstimationRequest{{SkuCode: topup, SendValue: "10", BatchItemRef: "1"}})
			return err
		},
		"ListTransferRecords": func() error {
			_, err := b.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{Take: 1})
			return err
		},
	}
	for _, r := range refusals() {
		for op, call := range calls {
			b.fault(fmt.Sprintf(`{"match":{"endpoint":%q},"action":{"kind":"error","code":%q,"context":%q}}`, op, r.code, r.context))
			want := &apiclient.Error{Op: op, Status: r.status, ResultCode: r.resultCode, Codes: []apiclient.ErrorCode{{Code: r.code, Context: r.context}}}
			if r.resultCode == apiclient.ResultTransient {
				want.RetryAfter = 10 * time.Second
			}
			refused := failed(t, call())
			require.Equal(t, want, refused)
			b.pass(want.RetryAfter) // the method is left alone until then
			for part := range strings.SplitSeq(r.context, ",") {
				require.True(t, part == "" || refused.HasContext(r.code, part), r)
			}
		}
	}
	require.Empty(t, b.ledger().Entries)
}

// The service may add codes and contexts at any time; a failure is read by its
// ResultCode, and keeps what it said.
func TestUnheardOfErrorsAreRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	b.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"MoonInTheWrongPhase","context":"Waxing"}}`)
	_, err := b.send(order("R1", nil))
	require.Equal(t, &apiclient.Error{
		Op: "SendTransfer", Status: 400, ResultCode: apiclient.ResultClient, Codes: []apiclient.ErrorCode{{Code: "MoonInTheWrongPhase", Context: "Waxing"}},
	}, failed(t, err))
}

// The table above is the simulator's own list of codes and contexts.
func TestEveryErrorIsDescribed(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	known := map[string]bool{apiclient.CodeNearestMatch: true, apiclient.ContextProviderCannotSupplyRequestReceiveValue: true}
	for _, r := range refusals() {
		known[r.code] = true
		if r.context != "" && !strings.Contains(r.context, ",") {
			known[r.context] = true
		}
	}
	described, err := b.GetErrorCodeDescriptions(t.Context())
	require.NoError(t, err)
	for _, d := range described.Items {
		require.True(t, known[d.Code], d.Code)
		delete(known, d.Code)
		require.NotEmpty(t, d.Message, d.Code)
	}
	require.Empty(t, known)
}

// The last digit of a test number picks the outcome; nothing is deducted.
func TestUATNumbers(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	uat := b.product(apiclient.ProductFilter{SkuCodes: []string{topup}}, func(apiclient.Product) bool { return true }).UatNumber
	require.NotEmpty(t, uat)
	for digit, want := range []refusal{
		{"", "", 200, 1},
		{"RateLimited", "", 429, 3},
		{"TransientProviderError", "ProviderTimedOut", 503, 3},
		{"TransientProviderError", "ProviderRefusedRequest", 503, 3},
		{"ProviderError", "ProductUnavailable", 500, 5},
		{"AccountNumberInvalid", "ProviderRefusedRequest", 400, 4},
		{"ProviderError", "ProviderTemporarilyUnavailable", 500, 5},
		{"InsufficientBalance", "", 500, 5},
		{"AccountNumberInvalid", "AccountNumberFailedRegex", 400, 4},
		{"ProviderError", "RechargeNotAllowed", 500, 5},
	} {
		got, err := b.send(order(fmt.Sprint("R", digit), func(r *apiclient.SendTransferRequest) {
			r.AccountNumber = uat[:len(uat)-1] + fmt.Sprint(digit)
		}))
		require.NotNil(t, got)
		if digit == 0 {
			require.NoError(t, err)
			require.Equal(t, apiclient.StateComplete, got.TransferRecord.ProcessingState)
			continue
		}
		refused := failed(t, err)
		require.Equal(t, want, refusal{refused.Codes[0].Code, refused.Codes[0].Context, refused.Status, refused.ResultCode})
		require.Equal(t, apiclient.StateFailed, got.TransferRecord.ProcessingState)
	}
	require.Equal(t, apiclient.Decimal("10000"), b.balance())
}

// The errors that the simulator's own rules bring about, without a fault.
func TestErrorsOfTheRules(t *testing.T) {
	t.Parallel()
	send := func(change func(*apiclient.SendTransferRequest)) func(*bench) error {
		return func(b *bench) error {
			_, err := b.send(order("R1", change))
			return err
		}
	}
	for name, c := range map[string]struct {
		config string
		ask    func(*bench) error
	}{
		"AccountNumberInvalid/AccountNumberFailedRegex": {ask: send(func(r *apiclient.SendTransferRequest) { r.AccountNumber = "+" + number })},
		"ParameterInvalid/SkuCode":                      {ask: send(func(r *apiclient.SendTransferRequest) { r.SkuCode = "GUESSED" })},
		"ParameterMissing/DistributorRef":               {ask: send(func(r *apiclient.SendTransferRequest) { r.DistributorRef = "" })},
		"ParameterOutOfRange/SendValue":                 {ask: send(func(r *apiclient.SendTransferRequest) { r.SendValue = "80.01" })},
		"ParameterInvalid/SendCurrencyIso":              {ask: send(func(r *apiclient.SendTransferRequest) { r.SendCurrencyIso = "USD" })},
		"TooManyParameters/skuCodes": {ask: func(b *bench) error {
			_, err := b.GetProducts(b.t.Context(), apiclient.ProductFilter{SkuCodes: tooMany()})
			return err
		}},
		"DuplicateTransactionPrevented": {config: `{"duplicatePrevention":true}`, ask: func(b *bench) error {
			b.sent(order("R1", nil))
			return send(nil)(b)
		}},
		"RateLimited/TransactionStillInProgress": {config: `{"similarInProgress":true}`, ask: func(b *bench) error {
			b.sent(order("R1", toBatch))
			return send(toBatch)(b)
		}},
		"RateLimited": {config: `{"accountPerHour":1}`, ask: func(b *bench) error {
			b.sent(order("R1", nil))
			return send(nil)(b)
		}},
		"TransientProviderError/ProviderTemporarilyUnavailable": {config: `{"suspendedProviders":["LUIE"]}`, ask: send(nil)},
		"TransientProviderError/ProviderTimedOut":               {config: `{"latency":"60ms","processingTimeout":"30ms"}`, ask: send(nil)},
		"InsufficientBalance": {config: `{"openingBalance":"10.09"}`, ask: func(b *bench) error {
			b.console(http.MethodPost, "reset", "", nil)
			return send(nil)(b)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, withKey)
			b.wire.askWrongly()
			if c.config != "" {
				b.config(c.config)
			}
			refused := failed(t, c.ask(b))
			require.Equal(t, name, strings.TrimSuffix(refused.Codes[0].Code+"/"+refused.Codes[0].Context, "/"))
			require.Equal(t, refused.ResultCode == apiclient.ResultTransient, refused.RetryAfter > 0)
		})
	}
}

func tooMany() []string {
	all := make([]string, 501)
	for i := range all {
		all[i] = fmt.Sprint("S", i)
	}
	return all
}
