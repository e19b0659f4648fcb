package sales_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/counter"
	"airtill/internal/counter/countertest"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestASaleIsSentOnceAndTheBooksAgreeWithTheUpstream(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		require.Equal(t, sales.CashEarned, sale.Cash)
		require.NotEmpty(t, sale.TransferRef)
		require.Equal(t, 1, w.Executed(sale))
		w.AtRest()
		events := w.Events(t.Context(), sale.ID)
		require.Equal(t, []sales.Cause{sales.Confirmed, sales.Permitted, sales.Replied}, []sales.Cause{events[0].Cause, events[1].Cause, events[2].Cause})
	})
}

func TestAHundredClicksAreOneSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		var created sync.Map
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				sale, isNew, err := w.Try(apptest.Order("1", offer), offer)
				if err == nil {
					w.Sales.Dispatch(sale)
					created.Store(sale.ID, isNew)
				}
			})
		}
		group.Wait()
		var ids []string
		created.Range(func(id, _ any) bool { ids = append(ids, id.(string)); return true })
		require.Len(t, ids, 1)
		require.Equal(t, 1, w.Executed(w.Becomes(ids[0], sales.Complete, false)))

		other := apptest.Order("1", offer)
		other.AccountNumber = "353870000001"
		_, _, err := w.Try(other, offer)
		require.Equal(t, fault.Conflict, fault.KindOf(err), "the same key with another number")
		w.AtRest()
	})
}

func TestTwoCashiersOnOneNumberMakeOneSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		errs := make([]error, 8)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() {
				_, _, errs[i] = w.Try(apptest.Order(string(rune('a'+i)), offer), offer)
			})
		}
		group.Wait()
		var open *sales.UnknownError
		sold := 0
		for _, err := range errs {
			if err == nil {
				sold++
			} else {
				require.ErrorAs(t, err, &open)
			}
		}
		require.Equal(t, 1, sold)
	})
}

// Whether a number got what it was sold may be unknown for weeks, and all that time a second sale might be one too many.
func TestAnOpenSaleStandsInTheWayHoweverOldItIs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
		offer := w.TopUp()
		first := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
		w.Pass(25 * time.Hour)
		_, _, err := w.Try(apptest.Order("2", offer), offer)
		var open *sales.UnknownError
		require.ErrorAs(t, err, &open)
		require.Equal(t, first.ID, open.Earlier.ID)
		require.ErrorAs(t, w.Check(w.Seller, apptest.Order("2", offer), offer), &open, "told before any cash is taken")
	})
}

func TestASecondIdenticalSaleIsAskedAbout(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		first := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		second := apptest.Order("2", offer)
		_, _, err := w.Try(second, offer)
		var duplicate *sales.DuplicateError
		require.ErrorAs(t, err, &duplicate)
		require.Equal(t, first.ID, duplicate.Earlier.ID)
		second.Again = true
		w.Becomes(w.Sell(second, offer).ID, sales.Complete, false)
		w.AtRest()
	})
}

// TestWhatWasTriedAgainIsAskedAboutByWhenItWasSent: what failed yesterday and was sent a moment ago was sent today.
func TestWhatWasTriedAgainIsAskedAboutByWhenItWasSent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		first := w.failed("1")
		w.Pass(25 * time.Hour)
		require.NoError(t, w.Check(w.Seller, apptest.Order("2", offer), offer))
		w.Sales.Dispatch(w.Again(first))
		sent := w.Becomes(first.ID, sales.Complete, false)
		_, _, err := w.Try(apptest.Order("2", offer), offer)
		var duplicate *sales.DuplicateError
		require.ErrorAs(t, err, &duplicate)
		require.Equal(t, first.ID, duplicate.Earlier.ID)
		require.Equal(t, sent.AttemptAt, duplicate.Earlier.AttemptAt, "when it was sent is told")
		w.Pass(25 * time.Hour)
		require.NoError(t, w.Check(w.Seller, apptest.Order("2", offer), offer))
	})
}

// TestASecondPINIsAskedAboutOnlyUntilTheFirstIsPrinted: PINs go to nobody, so the next
// customer who wants the same is no mistake.
func TestASecondPINIsAskedAboutOnlyUntilTheFirstIsPrinted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.PINOffer()
		pin := func(key string) apptest.Press {
			o := apptest.Order(key, offer)
			o.AccountNumber = apiclient.DefaultPINAccountNumber
			return o
		}
		asked := func(o apptest.Press) *sales.DuplicateError {
			var duplicate *sales.DuplicateError
			require.ErrorAs(t, w.Check(w.Seller, o, offer), &duplicate)
			return duplicate
		}
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"},"times":1}`)
		first := w.Becomes(w.Sell(pin("1"), offer).ID, sales.Unknown, false)
		require.Equal(t, first.ID, asked(pin("2")).Earlier.ID, "under way, and asked about")
		w.Pass(time.Minute)
		require.NoError(t, w.Check(w.Seller, pin("2"), offer), "a minute later stands another customer there")

		second := w.Becomes(w.Sell(pin("2"), offer).ID, sales.Complete, false)
		again, created, err := w.Try(pin("2"), offer)
		require.NoError(t, err)
		require.False(t, created, "the same form is the same sale")
		require.Equal(t, second.ID, again.ID)
		require.Equal(t, second.ID, asked(pin("3")).Earlier.ID, "not printed yet")
		elsewhere := w.Seller
		elsewhere.TillID = "another till"
		require.NoError(t, w.Check(elsewhere, pin("3"), offer))

		printing := receipt.New(receipt.Deps{DB: db, Audit: w.Audit, Now: w.Now})
		paper, err := printing.Start(t.Context(), audit.Actor{UserID: "cashier"}, "print-1", second.ID, receipt.Receipt, receipt.Shops)
		require.NoError(t, err)
		require.NotEmpty(t, paper.ID)
		require.Equal(t, second.ID, asked(pin("3")).Earlier.ID)
		paper, err = printing.Start(t.Context(), audit.Actor{UserID: "cashier"}, "print-2", second.ID, receipt.Receipt, receipt.Customers)
		require.NoError(t, err)
		require.NoError(t, w.Check(w.Seller, pin("3"), offer), "printed: the next customer")
		require.NoError(t, printing.Fail(t.Context(), paper.ID, second.ID))
		require.Equal(t, second.ID, asked(pin("3")).Earlier.ID)
		_, err = printing.Start(t.Context(), audit.Actor{UserID: "cashier"}, "print-3", second.ID, receipt.Receipt, receipt.Customers)
		require.NoError(t, err)
		w.Becomes(w.Sell(pin("3"), offer).ID, sales.Complete, false)
	})
}

func TestAChangedPriceIsShownAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	o := apptest.Order("1", offer)
	o.Shown = offer.Cost.DistributorFee
	_, _, err := w.Try(o, offer)
	var changed *sales.ChangedError
	require.ErrorAs(t, err, &changed)
	o.Shown = offer.Price // confirmed on the new page, with the key of the old one
	w.Becomes(w.Sell(o, offer).ID, sales.Complete, false)
}

func TestARefusedTokenIsRenewedAndSentOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AuthenticationFailed","context":"TokenExpired"}}`)
	require.Equal(t, 1, w.Executed(w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)))
	w.AtRest()
}

// A refused token is renewed once: a service that goes on refusing is not asked a third time with the same ref.
func TestATokenThatIsRefusedAgainIsNotSentAThirdTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	var posts atomic.Int32
	w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/SendTransfer") {
			upstream.ServeHTTP(rw, r)
			return
		}
		posts.Add(1)
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusUnauthorized)
		if _, err := io.WriteString(
			rw, `{"ResultCode":4,"ErrorCodes":[{"Code":"AuthenticationFailed","Context":"TokenExpired"}]}`,
		); err != nil {
			t.Error(err)
		}
	})
	sale := w.Sell(apptest.Order("1", w.TopUp()), w.TopUp())
	require.NoError(t, w.Sales.Drain(t.Context()))
	require.EqualValues(t, 2, posts.Load())
	require.Equal(t, sales.Failed, w.Get(sale.ID).Fulfilment)
}

func TestFailuresGiveTheCashBack(t *testing.T) {
	t.Parallel()
	for code, context := range map[string]string{
		"AccountNumberInvalid": "AccountNumberFailedRegex", "RateLimited": "", "TransientProviderError": "ProviderRefusedRequest",
		"ProviderError": "RechargeNotAllowed", "OtherError": "",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			offer := w.TopUp()
			w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"` + code + `","context":"` + context + `"}}`)
			sale := w.Sell(apptest.Order("1", offer), offer)
			require.NoError(t, w.Sales.Drain(t.Context())) // the send is over; from here on the clock may run
			require.Eventually(t, func() bool {
				w.Pass(3 * time.Second) // a server error is confirmed by one look ten seconds later
				require.NoError(t, w.FollowUp.Sweep(t.Context()))
				sale, _ = w.Sales.Get(t.Context(), sale.ID, "")
				return sale.Fulfilment == sales.Failed
			}, apptest.Patience, 20*time.Millisecond)
			require.Equal(t, code, sale.ReasonCode)
			require.Equal(t, sales.CashRefundDue, sale.Cash)
			w.AtRest()
		})
	}
}

func TestWithoutFloatNothingIsSoldUntilItIsBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"InsufficientBalance"}}`)
		w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
		_, _, err := w.Try(apptest.Order("2", offer), offer)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		w.Pass(time.Second)
		_, err = w.Reconcile.ReadBalance(t.Context()) // the balance is there after all
		require.NoError(t, err)
		w.Becomes(w.Sell(apptest.Order("3", offer), offer).ID, sales.Complete, false)
		w.AtRest()
	})
}

func TestAPINIsSealedInTheDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.PINOffer()
		o := apptest.Order("1", offer)
		o.AccountNumber = apiclient.DefaultPINAccountNumber
		sale := w.Becomes(w.Sell(o, offer).ID, sales.Complete, false)
		receipt, err := w.Sales.Receipt(sale)
		require.NoError(t, err)
		require.NotEmpty(t, receipt.PIN())
		require.NotContains(t, sale.SealedReceipt, receipt.PIN())
		sale.ID = "another"
		_, err = w.Sales.Receipt(sale)
		require.Error(t, err, "a receipt moved to another sale does not open")
		w.AtRest()
	})
}

func TestSalesOfTestNumbersNeverTouchTheBooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	o := apptest.Order("1", offer)
	o.AccountNumber = countertest.Product(t, offer.SKUCode).TestNumber()
	sale := w.Sell(o, offer)
	require.Eventually(t, func() bool {
		sale, _ = w.Sales.Get(t.Context(), sale.ID, "")
		return sale.Fulfilment.Final()
	}, apptest.Patience, 20*time.Millisecond)
	require.True(t, sale.Practice)
	w.AtRest()
}

func TestOrdersThatCannotBeSoldAreRefusedBeforeCashIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	good := w.TopUp()
	for name, spoil := range map[string]func(*counter.Seller, *apptest.Press){
		"no shift":       func(s *counter.Seller, _ *apptest.Press) { s.ShiftID = "" },
		"a closed shift": func(s *counter.Seller, _ *apptest.Press) { s.ShiftID = "gone" },
		"no key":         func(_ *counter.Seller, o *apptest.Press) { o.Key = "" },
		"no number":      func(_ *counter.Seller, o *apptest.Press) { o.AccountNumber = "" },
		"another money":  func(s *counter.Seller, _ *apptest.Press) { s.Currency = "USD" },
	} {
		seller, o := w.Seller, apptest.Order("x", good)
		spoil(&seller, &o)
		offer, err := w.Quoted(seller, o, good)
		if err == nil {
			_, _, err = w.Sales.Sell(t.Context(), offer)
		}
		var f *fault.Error
		require.ErrorAs(t, err, &f, name)
		require.NotEmpty(t, fault.Message(f), name)
	}
	_, _, err := w.Sales.Sell(t.Context(), counter.Offer{})
	require.Error(t, err, "nobody quoted it")
	all, err := w.Sales.List(t.Context(), sales.Filter{})
	require.NoError(t, err)
	require.Empty(t, all)
}
