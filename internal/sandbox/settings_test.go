package sandbox_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSendTransfer_Rule8_SettingsVerbatimAndMandatory(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	meter := l.product(func(p *product) bool {
		return !p.fixed() && strings.HasSuffix(p.ProviderCode, "IE") && len(p.SettingDefinitions) == 1
	})
	send := func(settings string) result {
		return l.send("A", map[string]any{"SkuCode": meter.SkuCode, "AccountNumber": "12345678901", "Settings": json.RawMessage(settings)})
	}
	for _, settings := range []string{`null`, `[]`, `[{"Name":"meterid","Value":"1"}]`, `[{"Name":"MeterId","Value":" "}]`, `[{"Name":"Other","Value":"1"}]`} {
		send(settings).is(t, 400, 4, "ParameterMissing/MeterId")
	}
	for _, settings := range []string{`[{"Value":"1"}]`, `{"MeterId":"1"}`, `[null]`, `["MeterId"]`} {
		send(settings).is(t, 400, 4, "ParameterInvalid/Settings")
	}
	r := send(`[{"Name":"MeterId","Value":"12345678901"},{"Name":"own","Value":"till 2"}]`)
	r.is(t, 200, 1, "")
	require.Len(t, r.TransferRecord.ReceiptParams["pin"], 20)
	require.Contains(t, r.TransferRecord.ReceiptText, r.TransferRecord.ReceiptParams["token"])
	kept, err := json.Marshal(l.entry("A").Settings)
	require.NoError(t, err)
	require.JSONEq(t, `[{"Name":"MeterId","Value":"12345678901"},{"Name":"own","Value":"till 2"}]`, string(kept))
}

func TestReceipts_PINProductsTakeTheDefaultAccountNumber(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, benefit := range []string{"Digital Product", "LongDistance", "Mobile"} {
		p := l.product(func(p *product) bool { return p.RedemptionMechanism == "ReadReceipt" && p.Benefits[0] == benefit })
		r := l.send("A"+benefit, map[string]any{"SkuCode": p.SkuCode, "SendValue": p.Minimum.SendValue, "AccountNumber": "0000000000"})
		r.is(t, 200, 1, "")
		require.Len(t, r.TransferRecord.ReceiptParams["pin"], 16)
		require.NotEmpty(t, r.TransferRecord.ReceiptText)
		require.Equal(t, 1, l.entry("A"+benefit).TimesExecuted)
		listed := l.list(`,"DistributorRef":"A` + benefit + `"`)[0]
		require.Equal(t, r.TransferRecord.ReceiptParams, listed.TransferRecord.ReceiptParams)
	}
	p := l.product(func(p *product) bool { return p.RedemptionMechanism == "ReadAdditionalInformation" })
	require.NotEmpty(t, p.SkuCode)
}

func TestReceipts_ProviderRefIsSometimesAbsent(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	with := 0
	for i := range 60 {
		if l.send(fmt.Sprint(i), nil).TransferRecord.ReceiptParams["providerRef"] != "" {
			with++
		}
	}
	require.Positive(t, with)
	require.Less(t, with, 60)
}

// billed is a Bill.
type billed struct {
	Price          price
	BillRef        string
	AdditionalInfo map[string]string
}

// biller returns an instant bill product, and a body to look up its bills.
func (l *lab) biller() (product, map[string]any) {
	l.t.Helper()
	p := l.product(func(p *product) bool { return p.LookupBillsRequired && p.ProcessingMode == "Instant" })
	return p, map[string]any{
		"SkuCode": p.SkuCode, "AccountNumber": "1234567890",
		"Settings": []map[string]string{{"Name": "Holder's name", "Value": "M. Popescu"}},
	}
}

func (l *lab) bills(request map[string]any) result {
	l.t.Helper()
	body, err := json.Marshal(request)
	require.NoError(l.t, err)
	return l.api("LookupBills", string(body))
}

func TestLookupBills_ThePaidBillIsGone(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, request := l.biller()
	r := l.bills(request)
	r.is(t, 200, 1, "")
	owed := items[billed](t, r)
	require.NotEmpty(t, owed)
	require.NotEmpty(t, owed[0].AdditionalInfo)
	require.Equal(t, owed, items[billed](t, l.bills(request)), "the same question has the same answer")

	pay := func(ref string, change map[string]any) result {
		fields := map[string]any{"SendValue": owed[0].Price.SendValue, "BillRef": owed[0].BillRef}
		for name, value := range request {
			fields[name] = value
		}
		for name, value := range change {
			fields[name] = value
		}
		return l.send(ref, fields)
	}
	pay("A", map[string]any{"BillRef": nil}).is(t, 400, 4, "ParameterMissing/BillRef")
	pay("A", map[string]any{"BillRef": "BL00"}).is(t, 400, 4, "ParameterInvalid/BillRef")
	pay("A", map[string]any{"AccountNumber": "1234567891"}).is(t, 400, 4, "ParameterInvalid/BillRef")
	pay("A", map[string]any{"Settings": []map[string]string{{"Name": "Holder's name", "Value": "other"}}}).is(t, 400, 4, "ParameterInvalid/BillRef")
	pay("A", map[string]any{"SendValue": 99.99}).is(t, 400, 4, "ParameterOutOfRange/SendValue")
	pay("A", nil).is(t, 200, 1, "")
	require.Len(t, l.bills(request).Items, len(owed)-1)
	pay("B", nil).is(t, 400, 4, "ParameterInvalid/BillRef")
	require.Equal(t, 1, l.entry("A").TimesExecuted)
	require.Zero(t, l.entry("B").TimesExecuted)
}

func TestLookupBills_Refusals(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p, request := l.biller()
	with := func(name string, value any) map[string]any {
		changed := map[string]any{}
		for n, v := range request {
			changed[n] = v
		}
		changed[name] = value
		return changed
	}
	l.bills(with("SkuCode", nil)).is(t, 400, 4, "ParameterMissing/SkuCode")
	l.bills(with("AccountNumber", "")).is(t, 400, 4, "ParameterMissing/AccountNumber")
	l.bills(map[string]any{}).is(t, 400, 4, "ParameterMissing/SkuCode,AccountNumber")
	l.bills(with("SkuCode", topup)).is(t, 400, 4, "ParameterInvalid/SkuCode")
	l.bills(with("SkuCode", "NONE")).is(t, 400, 4, "ParameterInvalid/SkuCode")
	l.bills(with("AccountNumber", "12")).is(t, 400, 4, "AccountNumberInvalid/AccountNumberFailedRegex")
	l.bills(with("Settings", nil)).is(t, 400, 4, "ParameterMissing/Holder's name")
	l.config(`{"suspendedProviders":["` + p.ProviderCode + `"]}`)
	l.bills(request).is(t, 503, 3, "TransientProviderError/ProviderTemporarilyUnavailable")
	l.send("A", map[string]any{"BillRef": "BL00"}).is(t, 400, 4, "ParameterInvalid/BillRef")
}
