package sales_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// completed is the webhook that says that a sale's transfer is complete.
func (w *world) completed(sale sales.Sale) *apiclient.Notification {
	w.T.Helper()
	record := map[string]any{
		"TransferId": map[string]string{"TransferRef": "T" + sale.ID, "DistributorRef": sale.Ref},
		"SkuCode":    sale.SKUCode, "AccountNumber": sale.AccountNumber, "ProcessingState": "Complete",
	}
	body, err := json.Marshal(map[string]any{"ResultCode": 1, "TransferRecord": record})
	require.NoError(w.T, err)
	sum := sha256.Sum256(body)
	n := &apiclient.Notification{Body: body, Digest: hex.EncodeToString(sum[:]), SignedAt: w.Now()}
	require.NoError(w.T, json.Unmarshal(body, &n.Response))
	return n
}

// submitted are sales whose outcome comes by webhook.
func (w *world) submitted(n int) (all []sales.Sale) {
	w.T.Helper()
	require.NoError(w.T, w.DB.Exec(w.T.Context(), "DELETE FROM sale_limits"))
	offer := w.TopUp()
	rule := sales.ModeRule{Scope: sales.ScopeProduct, Code: offer.SKUCode, Mode: sales.Deferred}
	require.NoError(w.T, w.Sales.SetMode(w.T.Context(), audit.Command("test"), rule))
	for i := range n {
		order := apptest.Order(fmt.Sprint("together", i), offer)
		order.AccountNumber = fmt.Sprintf("35387%07d", i)
		all = append(all, w.Becomes(w.Sell(order, offer).ID, sales.Submitted, false))
	}
	return all
}

// notifyAtOnce delivers webhooks at the same moment.
func (w *world) notifyAtOnce(all []*apiclient.Notification) ([]sales.Verdict, []error) {
	verdicts, errs := make([]sales.Verdict, len(all)), make([]error, len(all))
	var group sync.WaitGroup
	for i, n := range all {
		group.Go(func() { verdicts[i], errs[i] = w.Sales.Notify(w.T.Context(), n) })
	}
	group.Wait()
	return verdicts, errs
}

// Webhooks that come together are committed together, each applied once; who comes alone
// does not wait.
func TestWebhooksThatComeTogetherShareATransaction(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		const together = 12
		var all []*apiclient.Notification
		sold := w.submitted(together)
		for _, sale := range sold {
			all = append(all, w.completed(sale))
		}
		all = append(all, all[0], all[1]) // delivered twice at once
		w.Rest()
		before := db.Counts()
		verdicts, errs := w.notifyAtOnce(all)
		took := db.Counts().Sub(before)
		count := map[sales.Verdict]int{}
		for i, verdict := range verdicts {
			require.NoError(t, errs[i])
			count[verdict]++
		}
		require.Equal(t, map[sales.Verdict]int{sales.Applied: together, sales.Repeated: 2}, count)
		for _, sale := range sold {
			require.Equal(t, sales.Complete, w.Get(sale.ID).Fulfilment)
		}
		if db.Dialect() == store.Postgres {
			require.Less(t, took.Commits, int64(together), "transactions of %d webhooks", len(all))
		}
		again, err := w.Sales.Notify(t.Context(), all[2])
		require.NoError(t, err)
		require.Equal(t, sales.Repeated, again)
	})
}

// TestWhatWebhooksCost: however many come together, they are one transaction of four round trips: BEGIN with what is
// kept of them, the locks of their sales, all that is written of these, and COMMIT.
func TestWhatWebhooksCost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		const each = 3 // the sale, its event and its postings
		sold := w.submitted(13)
		w.Rest()
		w.Sales.Uses().Sold = nil // what follows a sale is counted elsewhere
		for _, some := range [][]sales.Sale{sold[:1], sold[1:]} {
			together := len(some)
			var all []*apiclient.Notification
			for _, sale := range some {
				all = append(all, w.completed(sale))
			}
			before := db.Counts()
			verdicts, err := w.Sales.TakeWebhooks(t.Context(), all)
			took := db.Counts().Sub(before)
			require.NoError(t, err)
			require.Equal(t, slices.Repeat([]sales.Verdict{sales.Applied}, together), verdicts)
			if db.Dialect() == store.Postgres {
				require.Equal(t, store.Counts{Commits: 1, Statements: int64(2 + each*together), Trips: 4}, took)
			}
		}
	})
}

// One that the database refuses fails alone, and is taken once that is mended.
func TestAWebhookThatCannotBeWrittenDoesNotFailTheOthers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		var all []*apiclient.Notification
		sold := w.submitted(6)
		for _, sale := range sold {
			all = append(all, w.completed(sale))
		}
		const bad = 3
		refuse := "CREATE TRIGGER refused BEFORE INSERT ON webhooks WHEN NEW.sale_id = '" + sold[bad].ID +
			"' BEGIN SELECT RAISE(ABORT, 'refused'); END"
		mend := "DROP TRIGGER refused"
		if db.Dialect() == store.Postgres {
			refuse = "ALTER TABLE webhooks ADD CONSTRAINT refused CHECK (sale_id <> '" + sold[bad].ID + "')"
			mend = "ALTER TABLE webhooks DROP CONSTRAINT refused"
		}
		asOwner := func(sql string) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				return tx.Exec(sql).Error
			}))
		}
		asOwner(refuse)
		verdicts, errs := w.notifyAtOnce(all)
		for i, sale := range sold {
			if i == bad {
				require.Error(t, errs[i])
				require.Equal(t, sales.Submitted, w.Get(sale.ID).Fulfilment)
				continue
			}
			require.NoError(t, errs[i])
			require.Equal(t, sales.Applied, verdicts[i])
			require.Equal(t, sales.Complete, w.Get(sale.ID).Fulfilment)
		}
		asOwner(mend)
		verdict, err := w.Sales.Notify(t.Context(), all[bad])
		require.NoError(t, err)
		require.Equal(t, sales.Applied, verdict)
		require.Equal(t, sales.Complete, w.Get(sold[bad].ID).Fulfilment)
	})
}
