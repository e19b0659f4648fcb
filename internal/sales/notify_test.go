package sales_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// lost is a sale whose transfer was carried out, and whose answer never came.
func (w *world) lost(key string) sales.Sale {
	w.T.Helper()
	offer := w.TopUp()
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
	return w.Becomes(w.Sell(apptest.Order(key, offer), offer).ID, sales.Unknown, false)
}

// listedAs is the upstream's record of a sale that was carried out.
func (w *world) listedAs(sale sales.Sale) apiclient.TransferRecord {
	w.T.Helper()
	answer, err := w.Client.ListTransferRecords(w.T.Context(), apiclient.ListTransferRecordsRequest{
		DistributorRef: sale.Ref, Take: 1,
	})
	require.NoError(w.T, err)
	require.Len(w.T, answer.Items, 1)
	return answer.Items[0].TransferRecord
}

// webhook is an opened one of a record.
func (w *world) webhook(record apiclient.TransferRecord, codes ...apiclient.ErrorCode) *apiclient.Notification {
	w.T.Helper()
	n := &apiclient.Notification{SignedAt: w.Now(), Encrypted: true}
	n.Response.TransferRecord, n.Response.ErrorCodes = &record, codes
	body, err := json.Marshal(n.Response)
	require.NoError(w.T, err)
	sum := sha256.Sum256(body)
	n.Body, n.Digest = body, hex.EncodeToString(sum[:])
	return n
}

// told gives a webhook to the till.
func (w *world) told(n *apiclient.Notification) sales.Verdict {
	w.T.Helper()
	verdict, err := w.Sales.Notify(w.T.Context(), n)
	require.NoError(w.T, err)
	return verdict
}

func TestNotify_AppliesABodyOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.lost("1")
		n := w.webhook(w.listedAs(sale))
		require.Equal(t, sales.Applied, w.told(n))

		after := w.Get(sale.ID)
		require.Equal(t, sales.Complete, after.Fulfilment)
		require.Equal(t, sales.CashEarned, after.Cash)
		require.NotEmpty(t, after.TransferRef)
		history := w.Events(t.Context(), sale.ID)
		require.Equal(t, sales.Notified, history[len(history)-1].Cause)
		require.Equal(t, "webhook", history[len(history)-1].Source)

		require.Equal(t, sales.Repeated, w.told(n))
		require.Equal(t, after, w.Get(sale.ID), "the second of a body finds nothing new")
		received, err := w.Sales.Received(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, received, 1)
		require.Equal(t, sale.ID, received[0].SaleID)
		require.Equal(t, sale.Ref, received[0].Ref)
		require.True(t, received[0].Encrypted)
		require.False(t, received[0].Foreign())
		w.AtRest()
	})
}

// A webhook of a transfer that failed says why, as the answer would have.
func TestNotify_TellsWhyATransferFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.lost("1")
	record := w.listedAs(sale)
	record.ProcessingState = apiclient.StateFailed
	why := apiclient.ErrorCode{Code: "RechargeNotAllowed", Context: "AccountNumberInvalid"}
	require.Equal(t, sales.Applied, w.told(w.webhook(record, why)))
	after := w.Get(sale.ID)
	require.Equal(t, sales.Failed, after.Fulfilment)
	require.Equal(t, why.Code, after.ReasonCode)
	require.Equal(t, why.Context, after.ReasonContext)
}

// What a webhook says is stored sealed: its body may hold a PIN and holds a number.
func TestNotify_StoresTheBodySealed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		n := w.webhook(w.listedAs(w.lost("1")))
		require.Contains(t, string(n.Body), apptest.Number)
		w.told(n)
		var sealed []string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT sealed_body FROM webhooks").Scan(&sealed).Error)
		require.Len(t, sealed, 1)
		require.NotEmpty(t, sealed[0])
		require.NotContains(t, sealed[0], apptest.Number)
	})
}

func TestNotify_OneThatIsNotOursLeavesTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	record := w.listedAs(w.lost("1"))
	require.Equal(t, sales.Applied, w.told(w.webhook(record)))
	record.TransferId = nil
	require.Equal(t, sales.ForeignRef, w.told(w.webhook(record)))
	received, err := w.Sales.Received(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, received, 2)
	require.NotEqual(t, received[0].Foreign(), received[1].Foreign())
}

func TestNotify_QuarantinesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*apiclient.TransferRecord)
		ours   bool // it names our sale, and another thing than that sold
	}{
		"another ref": {change: func(r *apiclient.TransferRecord) {
			r.TransferId = &apiclient.TransferId{TransferRef: "9", DistributorRef: "SOMEBODY-ELSES"}
		}},
		"no ref":          {change: func(r *apiclient.TransferRecord) { r.TransferId = nil }},
		"another product": {ours: true, change: func(r *apiclient.TransferRecord) { r.SkuCode = "ANOTHER" }},
		"another number":  {ours: true, change: func(r *apiclient.TransferRecord) { r.AccountNumber = "353879999999" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			sale := w.lost("1")
			record := w.listedAs(sale)
			c.change(&record)
			before := w.Get(sale.ID)
			require.Equal(t, sales.ForeignRef, w.told(w.webhook(record)))

			after := w.Get(sale.ID)
			require.Equal(t, sales.Unknown, after.Fulfilment)
			require.Equal(t, before.TransferRef, after.TransferRef, "nothing of it is taken")
			open, err := w.Sales.Incidents(t.Context(), "")
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Equal(t, sales.Foreign, open[0].Kind)
			received, err := w.Sales.Received(t.Context(), 1)
			require.NoError(t, err)
			require.True(t, received[0].Foreign())
			if c.ours {
				require.Equal(t, sale.ID, open[0].SaleID)
				require.Equal(t, sale.ID, received[0].SaleID)
			} else {
				require.Empty(t, open[0].SaleID)
				require.Empty(t, received[0].SaleID)
			}
			require.Equal(t, sales.Complete, w.Becomes(sale.ID, sales.Complete, w.later()).Fulfilment, "the list still decides")
		})
	}
}

// later lets the first look-up fall due, and has Becomes sweep.
func (w *world) later() bool { w.Pass(3 * time.Second); return true }

// A ref of ours is 32 characters; what strangers write is cut, not refused.
func TestNotify_CutsALongForeignRef(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	record := apiclient.TransferRecord{TransferId: &apiclient.TransferId{DistributorRef: longRef}}
	require.Equal(t, sales.ForeignRef, w.told(w.webhook(record)))
	received, err := w.Sales.Received(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, longRef[:64], received[0].Ref)
}

// Other software of the same account may name its transfers in any signs; a character that is cut is left out, and so
// is what no database stores.
func TestNotify_StoresAForeignRefOfAnySigns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		for ref, stored := range map[string]string{
			"a" + strings.Repeat("é", 40): "a" + strings.Repeat("é", 31), "ORDER-7\x00\x00": "ORDER-7",
		} {
			var n apiclient.Notification
			body, err := json.Marshal(apiclient.SendTransferResponse{TransferRecord: &apiclient.TransferRecord{
				TransferId: &apiclient.TransferId{TransferRef: "9", DistributorRef: ref}, ProcessingState: apiclient.StateComplete,
			}})
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(body, &n.Response))
			n.Body, n.Digest, n.SignedAt = body, ref[:5], w.Now()
			require.Equal(t, sales.ForeignRef, w.told(&n))
			received, err := w.Sales.Received(t.Context(), 1)
			require.NoError(t, err)
			require.Equal(t, stored, received[0].Ref)
		}
	})
}

// A provider may fill its texts up with zero characters, which PostgreSQL does not store: what was paid for is
// recorded all the same.
func TestAReferenceFilledUpWithZerosIsRecorded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.lost("1")
		record := w.listedAs(sale)
		record.ReceiptParams = apiclient.Params{"providerRef": "P77\x00\x00\x00"}
		record.SkuCode += "\x00"
		record.AccountNumber += "\x00\x00"
		record.ProcessingState += "\x00"
		body, err := json.Marshal(apiclient.SendTransferResponse{TransferRecord: &record})
		require.NoError(t, err)
		var n apiclient.Notification
		require.NoError(t, json.Unmarshal(body, &n.Response))
		n.Body, n.Digest, n.SignedAt = body, "filled", w.Now()
		require.Equal(t, sales.Applied, w.told(&n))
		require.Equal(t, "P77", w.Get(sale.ID).ProviderRef)
		require.Equal(t, sales.Complete, w.Get(sale.ID).Fulfilment)
		w.AtRest()
	})
}

const longRef = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-and-more"

// After the end a webhook is a hint: the sale is looked up at once, and the list decides.
func TestNotify_AfterTheEndHasTheSaleLookedUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.Absent()
		w.PassUpstream(31 * time.Minute)
		w.moved(sale.ID, "next_check_at = ?", store.Moment(w.Now().Add(time.Hour)))
		require.Equal(t, sales.Applied, w.told(w.webhook(w.listedAs(sale))))
		after := w.Get(sale.ID)
		require.Equal(t, sales.Failed, after.Fulfilment)
		require.False(t, after.NextCheckAt.After(w.Now()))
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		require.Equal(t, sales.Complete, w.Get(sale.ID).Fulfilment)
		require.Contains(t, w.Incidents(), sales.LateSuccess)
	})
}

// A webhook of an attempt that was replaced decides nothing about the one that is sent.
func TestNotify_OfAnEarlierAttemptHasThatLookedUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		old := w.Absent()
		w.PassUpstream(31 * time.Minute)
		n := w.webhook(w.listedAs(old))
		again := w.Again(old)
		require.NotEqual(t, old.Ref, again.Ref)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE attempts SET next_check_at = ? WHERE ref = ?", store.Moment(w.Now().Add(time.Hour)), old.Ref).Error
		}))
		due, err := w.Sales.DueAttempts(t.Context(), 10)
		require.NoError(t, err)
		require.Empty(t, due)

		require.Equal(t, sales.Applied, w.told(n))
		require.Equal(t, sales.Recorded, w.Get(old.ID).Fulfilment)
		due, err = w.Sales.DueAttempts(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, due, 1)
		require.Equal(t, old.Ref, due[0].Ref)
		require.Equal(t, old.ID, due[0].SaleID)
	})
}

func TestLookSoon_HurriesOnlyWhatWasSent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.lost("1")
		hour, moment := store.Moment(w.Now().Add(time.Hour)), store.Moment(w.Now().Add(-time.Minute))
		for name, c := range map[string]struct {
			set  string
			ref  string
			soon bool
		}{
			"due in an hour":      {"next_check_at = ?", sale.Ref, true},
			"of nobody we know":   {"next_check_at = ?", "ANOTHER", false},
			"that was never sent": {"permit_at = NULL, next_check_at = ?", sale.Ref, false},
		} {
			permitted := sale.PermitAt
			w.moved(sale.ID, "permit_at = ?", permitted)
			w.moved(sale.ID, c.set, hour)
			require.NoError(t, w.Sales.LookSoon(t.Context(), c.ref), name)
			require.Equal(t, c.soon, !w.Get(sale.ID).NextCheckAt.After(w.Now()), name)
		}
		w.moved(sale.ID, "permit_at = ?, next_check_at = ?", sale.PermitAt, moment)
		require.NoError(t, w.Sales.LookSoon(t.Context(), sale.Ref))
		require.True(t, w.Get(sale.ID).NextCheckAt.Equal(moment), "who waits longer keeps its turn")
	})
}
