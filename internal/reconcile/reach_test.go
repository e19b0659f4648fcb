package reconcile_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAListThatTellsNoTimesLacksNothing: when a transfer began may be absent from its record. Of a list that goes on
// beyond its last page nobody then knows how far back it reaches.
func TestAListThatTellsNoTimesLacksNothing(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.sellMany("a", 1)
		w.settled()
		more := true
		w.InFront(func(rw http.ResponseWriter, r *http.Request, upstream http.Handler) {
			if !strings.HasSuffix(r.URL.Path, "ListTransferRecords") {
				upstream.ServeHTTP(rw, r)
				return
			}
			var asked struct{ Skip, Take int }
			if json.NewDecoder(r.Body).Decode(&asked) != nil {
				rw.WriteHeader(http.StatusBadRequest)
				return
			}
			var items []any
			for i := range asked.Take {
				items = append(items, map[string]any{"ResultCode": 3, "TransferRecord": map[string]any{
					"TransferId": map[string]string{"TransferRef": strconv.Itoa(9000 - asked.Skip - i), "DistributorRef": "other"},
					"SkuCode":    "X", "AccountNumber": "1", "ProcessingState": "Failed", "CommissionApplied": 0,
				}})
			}
			_ = json.NewEncoder(rw).Encode(map[string]any{"ResultCode": 1, "Items": items, "ThereAreMoreItems": more})
		})
		require.Equal(t, 600, w.look().Run.Records)
		require.Empty(t, w.unresolved())

		more = false
		w.look()
		require.Len(t, w.unresolved(), 1, "a list that ends has all there is")
	})
}
