package reconcile_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
)

// declareSeller has two people declare that what is called POS2- is sold by the web shop.
func (w *world) declareSeller() {
	w.T.Helper()
	require.NoError(w.T, w.Reconcile.DeclareSeller(w.T.Context(), first, "POS2-", "web shop"))
	require.NoError(w.T, w.Reconcile.ApproveSeller(w.T.Context(), "POS2-", second, w.Now()))
}

func TestDeclaredSellerIsListedAndLeftOut(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		before := w.sellElsewhere("POS2-1")
		w.settled()
		w.look()
		require.Equal(t, []string{"foreign_sale " + before.Decimal(2)}, w.unresolved())
		require.NoError(t, w.Reconcile.DeclareSeller(ctx, first, "POS2-", "web shop"))
		require.Equal(t, fault.Forbidden, fault.KindOf(w.Reconcile.ApproveSeller(ctx, "POS2-", first, w.Now())))
		w.look()
		require.Len(t, w.unresolved(), 1, "one person alone declares nothing")
		for range 2 { // pressed again
			require.NoError(t, w.Reconcile.ApproveSeller(ctx, "POS2-", second, w.Now()))
		}
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.ApproveSeller(ctx, "POS2-", first, w.Now())))
		after := w.sellElsewhere("POS2-2")
		w.settled()
		w.look()
		require.Empty(t, w.unresolved())
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		listed, err := w.Reconcile.ForeignSales(ctx, 10)
		require.NoError(t, err)
		require.Len(t, listed, 2)
		require.Equal(t, "POS2-", listed[0].Seller)
		used, err := w.Ledger.Balance(ctx, ledger.UsedByOthers, "EUR")
		require.NoError(t, err)
		require.Equal(t, -before.Micros()-after.Micros(), used.Micros())
		w.look()
		used, err = w.Ledger.Balance(ctx, ledger.UsedByOthers, "EUR")
		require.NoError(t, err)
		require.Equal(t, -before.Micros()-after.Micros(), used.Micros(), "once each")
	})
}

// TestADeclarationWithASlipIsDeclined: it would wait for good for somebody to accept it. Its prefix is free again.
func TestADeclarationWithASlipIsDeclined(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		require.NoError(t, w.Reconcile.DeclareSeller(ctx, first, "POS", "web shop"))
		require.NoError(t, w.Reconcile.RefuseSeller(ctx, "POS", first))
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.RefuseSeller(ctx, "POS", second)), "once")
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.ApproveSeller(ctx, "POS", second, w.Now())))
		require.NoError(t, w.Reconcile.DeclareSeller(ctx, first, "POS", "web shop"))
		require.NoError(t, w.Reconcile.ApproveSeller(ctx, "POS", second, w.Now()))
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.RefuseSeller(ctx, "POS", first)), "two people declared it")
		sellers, err := w.Reconcile.Sellers(ctx)
		require.NoError(t, err)
		require.Len(t, sellers, 1)
	})
}

// TestSellersReversedTransferIsBookedBack: the upstream takes back what a declared seller sold, and gives back its price.
func TestSellersReversedTransferIsBookedBack(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.declareSeller()
		kept := w.sellElsewhere("POS2-1")
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_reversal","for":"1h"}}`)
		reversed := w.sellElsewhere("POS2-2")
		w.settled()
		w.look()
		require.Equal(t, money.Of(-kept.Micros()-reversed.Micros(), "EUR").String(), w.usedByOthers())

		w.becomesFailed("POS2-2")
		for range 2 {
			w.look()
			require.Equal(t, kept.Neg().String(), w.usedByOthers(), "of the one that was kept, once")
		}
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		require.Empty(t, w.unresolved())
		w.AtRest()
		listed, err := w.Reconcile.ForeignSales(ctx, 10)
		require.NoError(t, err)
		require.Len(t, listed, 2)
		require.Equal(t, "POS2-2", listed[0].Ref, "booked last")
		require.Equal(t, "0.00", listed[0].Amount().Decimal(2))
		require.Equal(t, money.Currency("EUR"), listed[0].Currency)
	})
}

// TestSellersBatchTransferIsBookedWhileItIsUnderWay: the upstream deducts it once it is accepted.
func TestSellersBatchTransferIsBookedWhileItIsUnderWay(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.declareSeller()
		w.batchElsewhere("POS2-1")
		w.settled()
		w.balance()
		w.balance()
		require.Empty(t, w.unresolved())
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		cost, err := w.BatchOffer().Cost.Total()
		require.NoError(t, err)
		require.Equal(t, cost.String(), w.usedByOthers())

		w.batchEnds("POS2-1")
		w.look()
		w.look()
		w.balance()
		require.Empty(t, w.unresolved())
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()
		listed, err := w.Reconcile.ForeignSales(ctx, 10)
		require.NoError(t, err)
		require.Len(t, listed, 1)
		require.Greater(t, listed[0].Micros, -cost.Micros(), "with its commission")
		require.Equal(t, listed[0].Amount().Neg().String(), w.usedByOthers())
	})
}

// TestSellersDeferredTransferIsBookedOnceItIsComplete: it is no batch, so nothing is deducted before.
func TestSellersDeferredTransferIsBookedOnceItIsComplete(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.declareSeller()
		require.NoError(t, w.Catalog.SyncDue(ctx))
		w.Call(http.MethodPut, "/_sandbox/config", `{"deferDelay":"1h"}`, nil)
		offer := w.TopUp()
		_, err := w.Client.SendTransfer(ctx, apiclient.SendTransferRequest{
			SkuCode: offer.SKUCode, SendValue: apiclient.DecimalOf(offer.Cost.Send), AccountNumber: apptest.Number, DistributorRef: "POS2-1",
		}, apiclient.SendOptions{Permit: w.Now(), Defer: true})
		require.NoError(t, err)
		w.settled()
		w.look()
		require.Equal(t, money.Of(0, "EUR").String(), w.usedByOthers())
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
	})
}

// TestWhatADeclarationFindsBookedIsNotBookedAgain: two people booked other software's batch transfer while it was under
// way, then its seller was declared. What is left to book is its commission, whichever came first.
func TestWhatADeclarationFindsBookedIsNotBookedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how     reconcile.Resolution
		noticed bool // its end, before the declaration
	}{
		"theirs, then declared":                   {reconcile.Foreign, false},
		"theirs, seen to end, then declared":      {reconcile.Foreign, true},
		"written off, then declared":              {reconcile.WriteOff, false},
		"written off, seen to end, then declared": {reconcile.WriteOff, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBooks(t, func(t *testing.T, w *world) {
				ctx := t.Context()
				w.batchElsewhere("POS2-1")
				w.settled()
				w.balance()
				w.resolve(w.only(), reconcile.Proposal{Resolution: c.how})
				declare := func() {
					w.declareSeller()
				}
				if !c.noticed {
					declare()
				}
				w.batchEnds("POS2-1")
				w.look()
				if c.noticed {
					require.Positive(t, w.only().FloatMicros, "the commission")
					declare()
				}
				w.look()
				w.look()
				require.Empty(t, w.unresolved())
				w.balance()
				require.Equal(t, reconcile.Agrees, w.lastVerdict())
				w.AtRest()
				listed, err := w.Reconcile.ForeignSales(ctx, 10)
				require.NoError(t, err)
				require.Len(t, listed, 1)
				records, err := w.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{Take: 1})
				require.NoError(t, err)
				commission, err := records.Items[0].TransferRecord.CommissionApplied.Amount("EUR")
				require.NoError(t, err)
				cost, err := w.BatchOffer().Cost.Total()
				require.NoError(t, err)
				require.Equal(t, commission.Micros()-cost.Micros(), listed[0].Micros, "with its commission")
			})
		})
	}
}

// TestWhatIsNoDeclarationSaysWhy: a prefix of our own, one too short to be anybody's, no name, and one declared before.
func TestWhatIsNoDeclarationSaysWhy(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		const own = "OURS"
		w.exec("INSERT INTO installations (code, since) VALUES (?, ?)", own, w.Now().UTC())
		declare := func(prefix, name string) string {
			return fault.CodeOf(w.Reconcile.DeclareSeller(ctx, first, prefix, name))
		}
		for _, c := range [][3]string{
			{"", "web shop", "foreign.prefix"},
			{"PO", "web shop", "foreign.prefix"},
			{"POS", " ", "foreign.prefix"},
			{own, "web shop", "foreign.own-prefix"},
			{own + "-1", "web shop", "foreign.own-prefix"},
			{"OUR", "web shop", "foreign.own-prefix"},
			{" POS ", " web shop ", ""},
			{"POS", "another", "foreign.taken"},
			{"AAA", "app", ""},
		} {
			require.Equal(t, c[2], declare(c[0], c[1]), c)
		}
		require.NoError(t, w.Reconcile.ApproveSeller(ctx, "POS", second, w.Now()))
		sellers, err := w.Reconcile.Sellers(ctx)
		require.NoError(t, err)
		require.Len(t, sellers, 2)
		require.Equal(t, []string{"AAA", "POS", "web shop"}, []string{sellers[0].Prefix, sellers[1].Prefix, sellers[1].Name})
	})
}
