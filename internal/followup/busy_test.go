package followup_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
)

// busyWait is how long the limit may keep a look back.
const busyWait = 12 * time.Minute

// busyHour is how many sales there are for how long, and how many are lost: a quarter of
// the whole at the same pace, unless FULL_SIZE is set (make full-size).
func busyHour() (sold int, lasts time.Duration, lost int) {
	if os.Getenv("FULL_SIZE") != "" {
		return 1000, 20 * time.Minute, 60
	}
	return 250, 5 * time.Minute, 15
}

// A shop sells a thousand transfers in twenty minutes and then nothing, which would give
// the limits back. Sixty of them are not answered, every second of those was carried
// out; in the first case spread over the twenty minutes, in the second all in the last
// one, and the list is away until they have been sold.
func TestAThousandTransfersAndSixtyUnknown(t *testing.T) {
	t.Parallel()
	busySales, busyFor, busyLost := busyHour()
	for name, from := range map[string]int{"all along": 0, "at the end": busySales - busyLost} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t))
			w.Budget = apiclient.NewMemoryBudget(w.Now)
			w.Begin("process-2")
			if from > 0 {
				w.Fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"drop"},"times":-1}`)
			}
			offer := w.TopUp()
			var absent, executed []string
			for i := range busySales {
				w.Seller.CashierID = fmt.Sprint("cashier-", i%4) // nobody sells more in an hour
				if i >= from && (i-from)%((busySales-from)/busyLost) == 0 && len(absent)+len(executed) < busyLost {
					if len(absent) > len(executed) {
						executed = append(executed, w.lose(offer, i, 1, "after")...)
					} else {
						absent = append(absent, w.lose(offer, i, 1, "before")...)
					}
				} else {
					w.soon(w.Sell(numbered(i, offer), offer).ID, sales.Complete)
				}
				w.Pass(busyFor / time.Duration(busySales))
				if i%2 == 0 {
					_ = w.FollowUp.Sweep(t.Context()) // it says where the list is away
				}
			}
			require.Len(t, append(absent, executed...), busyLost)
			w.Call("DELETE", "/_sandbox/faults", "", nil)
			asked, stopped := w.lookUps(), w.Now()
			for w.Now().Sub(stopped) < 30*time.Minute {
				w.Pass(2 * time.Second)
				require.NoError(t, w.FollowUp.Sweep(t.Context()))
			}

			var worst struct{ executed, absent time.Duration }
			for _, id := range executed {
				sale := w.Get(id)
				require.Equal(t, sales.Complete, sale.Fulfilment)
				worst.executed = max(worst.executed, sale.FinalAt.Sub(*sale.PermitAt))
			}
			for _, id := range absent {
				sale := w.Get(id)
				require.Equal(t, sales.Failed, sale.Fulfilment)
				require.Zero(t, w.Executed(sale))
				worst.absent = max(worst.absent, sale.FinalAt.Sub(*sale.PermitAt))
			}
			t.Logf("known after at most %s where it was carried out, and %s where it was not; %d pages, %d look-ups since the last sale",
				worst.executed.Round(time.Second), worst.absent.Round(time.Second), asked.pages.Load(), asked.single.Load())
			require.Less(t, worst.executed, 2*time.Minute)
			require.Less(t, worst.absent, 16*time.Minute+busyWait)
			var calls struct{ Limited map[string]int }
			w.Call("GET", "/_sandbox/calls", "", &calls)
			require.Empty(t, calls.Limited, fmt.Sprint(calls))
			w.AtRest()
		})
	}
}
