package catalog_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// billShop is a shop and a question to which there are bills.
func billShop(t *testing.T, db *store.DB) (*bench, catalog.BillAsk) {
	t.Helper()
	b := newBench(t, db, newUpstream(t, sandbox.Deps{Products: 600}))
	b.syncAll(t)
	require.NoError(t, b.Refresh(t.Context()))
	snapshot := b.Current()
	for p := range snapshot.AllProducts() {
		provider, _ := snapshot.Provider(p.Provider)
		if !p.LookupBillsRequired || p.Unsellable != "" {
			continue
		}
		ask := catalog.BillAsk{SKU: p.SKU}
		for _, setting := range p.Settings {
			ask.Settings = append(ask.Settings, apiclient.Setting{Name: setting.Name, Value: "1234"})
		}
		for length := 6; length < 16; length++ {
			ask.Account = "1234567890123456"[:length]
			if snapshot.Accepts(provider, ask.Account) != catalog.Matches {
				continue
			}
			if bills, err := b.Bills(t.Context(), ask); err == nil && len(bills) > 0 {
				return b, ask
			}
		}
	}
	t.Fatal("nobody owes anything")
	return nil, catalog.BillAsk{}
}

func TestABillBelongsToItsQuestion(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, ask := billShop(t, db)
		asked := b.upstream.count("LookupBills")
		bills, err := b.Bills(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, asked, b.upstream.count("LookupBills"), "the same question a moment later asks nobody")
		require.NotEmpty(t, bills[0].Info)
		require.Positive(t, bills[0].Price.Send().Sign())

		chosen, err := b.Bill(t.Context(), ask, bills[0].ID)
		require.NoError(t, err)
		require.Equal(t, bills[0], *chosen)
		require.NotEqual(t, chosen.Ref, chosen.ID)

		mine, other := ask, ask
		mine.Account += "1"
		other.Settings = append([]apiclient.Setting{{Name: "more", Value: "1"}}, ask.Settings...)
		for name, wrong := range map[string]catalog.BillAsk{"number": mine, "settings": other, "product": {SKU: "NOPE", Account: ask.Account, Settings: ask.Settings}} {
			void, err := b.Bill(t.Context(), wrong, bills[0].ID)
			require.NoError(t, err)
			require.Nil(t, void, name)
		}
		for _, id := range []string{"", "x", bills[0].Ref} {
			void, err := b.Bill(t.Context(), ask, id)
			require.NoError(t, err)
			require.Nil(t, void, "only our own name of it counts")
		}

		require.NoError(t, b.SpendBills(t.Context(), ask))
		chosen, err = b.Bill(t.Context(), ask, bills[0].ID)
		require.NoError(t, err)
		require.False(t, b.clock.now().Before(chosen.ValidUntil), "it is known, and cannot be paid")
		_, err = b.Bills(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, asked+1, b.upstream.count("LookupBills"), "after a payment the provider is asked")

		b.clock.advance(25 * time.Hour)
		require.NoError(t, b.Forget(t.Context()))
		var kept int64
		require.NoError(t, db.Read(t.Context()).Table("bill_lookups").Count(&kept).Error)
		require.Zero(t, kept, "what is known of customers' bills is thrown away")
	})
}

func TestALateAnswerIsThereWhenAskedAgain(t *testing.T) {
	t.Parallel()
	b, ask := billShop(t, storetest.New(t))
	require.NoError(t, b.SpendBills(t.Context(), ask))
	asked, answer := make(chan struct{}), make(chan struct{})
	door := b.upstream
	door.stand(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answer
		(*door.sandbox.Load()).ServeHTTP(w, r)
	})
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-asked; leave() }() // the cashier goes on to something else
	_, err := b.Bills(ctx, ask)
	require.Error(t, err)
	door.open()
	close(answer)
	calls := door.count("LookupBills")
	require.Eventually(t, func() bool {
		var fresh int64
		require.NoError(t, b.db.Read(t.Context()).Table("bill_lookups").Where("valid_until > ?", store.Moment(b.clock.now())).Count(&fresh).Error)
		return fresh > 0
	}, time.Minute, 5*time.Millisecond)
	bills, err := b.Bills(t.Context(), ask)
	require.NoError(t, err)
	require.NotEmpty(t, bills)
	require.Equal(t, calls, door.count("LookupBills"), "the answer that came late serves")
}

func TestBillsThatCannotBeHad(t *testing.T) {
	t.Parallel()
	b, ask := billShop(t, storetest.New(t))
	require.NoError(t, b.SpendBills(t.Context(), ask))
	b.upstream.shut()
	_, err := b.Bills(t.Context(), ask)
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, "bill.late", f.Code)
	b.upstream.open()
	for name, body := range map[string]string{
		"no price": `[{"BillRef":"R1"}]`, "no reference": `[{"Price":{"SendValue":5,"SendCurrencyIso":"EUR","ReceiveValue":5,"ReceiveCurrencyIso":"EUR"}}]`,
	} {
		b.upstream.alter(func(string, []byte) []byte { return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":` + body + `}`) })
		_, err = b.Bills(t.Context(), ask)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%s: what cannot be read is not nothing owed", name)
	}
	for refusal, want := range map[string][]string{
		`4,"ErrorCodes":[{"Code":"AccountNumberInvalid"}]`:                                {"bill.account", "number"},
		`4,"ErrorCodes":[{"Code":"ParameterInvalid"}]`:                                    {"bill.details", "settings"},
		`4,"ErrorCodes":[{"Code":"AuthenticationFailed"}]`:                                {"bill.no-lookup", ""},
		`3,"ErrorCodes":[{"Code":"TransientProviderError","Context":"ProviderTimedOut"}]`: {"bill.late", ""},
		`5,"ErrorCodes":[{"Code":"ProviderError","Context":"ProviderRefusedRequest"}]`:    {"bill.no-lookup", ""},
	} {
		b.upstream.alter(func(string, []byte) []byte { return []byte(`{"ResultCode":` + refusal + `}`) })
		_, err = b.Bills(t.Context(), ask)
		require.ErrorAs(t, err, &f, refusal)
		require.Equal(t, want, []string{f.Code, f.Field}, refusal)
	}
	b.upstream.alter(func(string, []byte) []byte { return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[]}`) })
	bills, err := b.Bills(t.Context(), ask)
	require.NoError(t, err)
	require.Empty(t, bills)
}

func TestABillOutsideTheProductsRangeIsShownAndNotPaid(t *testing.T) {
	t.Parallel()
	b, ask := billShop(t, storetest.New(t))
	p, _ := b.Current().Product(ask.SKU)
	for name, send := range map[string]string{
		"too much":            `99999,"SendCurrencyIso":"EUR"`,
		"too little":          `0.000001,"SendCurrencyIso":"EUR"`,
		"of another currency": string(apiclient.DecimalOf(p.Minimum.Send())) + `,"SendCurrencyIso":"USD"`,
	} {
		require.NoError(t, b.SpendBills(t.Context(), ask))
		b.upstream.alter(func(string, []byte) []byte {
			return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[{"BillRef":"R1","AdditionalInfo":{"Note":"` + strings.Repeat("long ", 100) + `"},
				"Price":{"SendValue":` + send + `,"ReceiveValue":5,"ReceiveCurrencyIso":"EUR"}}]}`)
		})
		bills, err := b.Bills(t.Context(), ask)
		require.NoError(t, err)
		require.False(t, bills[0].Payable, name)
		require.Len(t, bills[0].Info[0].Value, 200)
		chosen, err := b.Bill(t.Context(), ask, bills[0].ID)
		require.NoError(t, err)
		require.Nil(t, chosen, name)
	}
}

// TestTwoBillsOfOneReferenceAreTwo: what is due now and all that is owed may be paid under one reference.
func TestTwoBillsOfOneReferenceAreTwo(t *testing.T) {
	t.Parallel()
	b, ask := billShop(t, storetest.New(t))
	product, _ := b.Current().Product(ask.SKU)
	bill := func(micros int64) string {
		return `{"BillRef":"R1","Price":{"SendValue":` + money.Of(micros, "EUR").Decimal(2) +
			`,"SendCurrencyIso":"EUR","ReceiveValue":5,"ReceiveCurrencyIso":"EUR"}}`
	}
	due, all := bill(product.Minimum.SendMicros), bill(product.Minimum.SendMicros+1_000_000)
	look := func(items ...string) []catalog.Bill {
		require.NoError(t, b.SpendBills(t.Context(), ask))
		b.upstream.alter(func(string, []byte) []byte {
			return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[` + strings.Join(items, ",") + `]}`)
		})
		bills, err := b.Bills(t.Context(), ask)
		require.NoError(t, err)
		return bills
	}
	both := look(due, all)
	require.Len(t, both, 2)
	for _, bill := range both {
		chosen, err := b.Bill(t.Context(), ask, bill.ID)
		require.NoError(t, err)
		require.Equal(t, bill.Price, chosen.Price)
	}
	for _, bill := range look(all, due) { // in another order
		chosen, err := b.Bill(t.Context(), ask, bill.ID)
		require.NoError(t, err)
		require.Equal(t, bill.Price, chosen.Price)
	}
	twice := look(due, due)
	require.Len(t, twice, 1, "the same bill twice is one")
	chosen, err := b.Bill(t.Context(), ask, twice[0].ID)
	require.NoError(t, err)
	require.NotNil(t, chosen)
	require.Equal(t, look(due)[0].ID, look(all)[0].ID, "a bill whose amount has changed is the same bill")
}

// TestOfManyBillsItIsKnownThatThereAreMore than a page shows.
func TestOfManyBillsItIsKnownThatThereAreMore(t *testing.T) {
	t.Parallel()
	b, ask := billShop(t, storetest.New(t))
	product, _ := b.Current().Product(ask.SKU)
	for owed, told := range map[int]int{catalog.BillsShown: 40, catalog.BillsShown + 1: 41, 3 * catalog.BillsShown: 41} {
		require.NoError(t, b.SpendBills(t.Context(), ask))
		b.upstream.alter(func(string, []byte) []byte {
			items := []string{`{"BillRef":""}`} // one that cannot be read
			for i := range owed {
				items = append(items, `{"BillRef":"R`+strconv.Itoa(i)+`","Price":{"SendValue":`+
					product.Minimum.Send().Decimal(2)+`,"SendCurrencyIso":"EUR","ReceiveValue":5,"ReceiveCurrencyIso":"EUR"}}`)
			}
			return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[` + strings.Join(items, ",") + `]}`)
		})
		bills, err := b.Bills(t.Context(), ask)
		require.NoError(t, err)
		require.Len(t, bills, told)
	}
}

func TestABillWithAFeeBeyondItsPriceCannotBeRead(t *testing.T) {
	t.Parallel()
	b, ask := billShop(t, storetest.New(t))
	product, _ := b.Current().Product(ask.SKU)
	least := product.Minimum.Send()
	for fee, readable := range map[string]bool{"0": true, least.Decimal(2): true, "99999": false, "-1": false} {
		require.NoError(t, b.SpendBills(t.Context(), ask))
		b.upstream.alter(func(string, []byte) []byte {
			return []byte(`{"ResultCode":1,"ErrorCodes":[],"Items":[{"BillRef":"R1","Price":{"SendValue":` + least.Decimal(2) +
				`,"CustomerFee":` + fee + `,"SendCurrencyIso":"EUR","ReceiveValue":5,"ReceiveCurrencyIso":"EUR"}}]}`)
		})
		bills, err := b.Bills(t.Context(), ask)
		if !readable {
			require.Equal(t, fault.Unavailable, fault.KindOf(err), fee)
			continue
		}
		require.NoError(t, err)
		require.True(t, bills[0].Payable, fee)
	}
}

func TestASecretIsKnownByItsWords(t *testing.T) {
	t.Parallel()
	for setting, secret := range map[catalog.Setting]bool{
		{Name: "Password"}: true, {Name: "p1", Description: "Your account's PIN"}: true, {Name: "OTP"}: true, {Name: "PIN code"}: true, {Name: "Código", Description: "Contraseña"}: true,
		{Name: "MeterId"}: false, {Name: "Shipping address"}: false, {Name: "Pinecrest branch"}: false, {Name: "Postal code"}: false, {Name: "Holder's name"}: false,
	} {
		require.Equal(t, secret, setting.Secret(), "%v", setting)
	}
}

// An estimate that does not come in time does not hold the screen up, and serves
// the next one.
func TestEstimateDoesNotWaitForASlowUpstream(t *testing.T) {
	t.Parallel()
	b := shop(t)
	p, _ := b.Current().Product("TOPANY")
	send, err := p.Minimum.Send().Add(p.Minimum.Send())
	require.NoError(t, err)
	answer := make(chan struct{})
	b.upstream.stand(func(w http.ResponseWriter, r *http.Request) {
		<-answer
		(*b.upstream.sandbox.Load()).ServeHTTP(w, r)
	})
	_, err = b.Estimate(t.Context(), catalog.EstimateRequest{SKU: "TOPANY", Send: send}, apiclient.PriorityCashier)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "while the call goes on")
	close(answer)
	require.Eventually(t, func() bool {
		estimate, err := b.Estimate(t.Context(), catalog.EstimateRequest{SKU: "TOPANY", Send: send}, apiclient.PriorityCashier)
		return err == nil && estimate.Price.Send() == send
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, 1, b.upstream.count("EstimatePrices"))
}
