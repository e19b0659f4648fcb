package sandbox_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (l *lab) sendMany(n int) {
	l.t.Helper()
	for i := range n {
		l.send("R"+strconv.Itoa(i), nil).is(l.t, 200, 1, "")
	}
}

func refs(listed []result) []string {
	all := make([]string, len(listed))
	for i, r := range listed {
		all[i] = r.TransferRecord.TransferID.DistributorRef
	}
	return all
}

func TestListTransferRecords_ItemsAreEnvelopesNewestFirst(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	sent := l.send("A", nil)
	l.fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"ProviderError","context":"RechargeNotAllowed"}}`)
	l.send("B", nil).is(t, 500, 5, "ProviderError/RechargeNotAllowed")
	listed := l.list("")
	require.Equal(t, []string{"B", "A"}, refs(listed))
	require.Equal(t, 5, listed[0].ResultCode)
	require.Equal(t, "RechargeNotAllowed", listed[0].ErrorCodes[0].Context)
	require.Nil(t, listed[0].TransferRecord.Price, "a failed record has no price")
	require.Equal(t, 1, listed[1].ResultCode)
	require.Equal(t, sent.TransferRecord, listed[1].TransferRecord)
}

func TestListTransferRecords_Filters(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.sendMany(3)
	l.send("R1", map[string]any{"AccountNumber": "353861234567"}).is(t, 200, 1, "")
	require.Equal(t, []string{"R1", "R1"}, refs(l.list(`,"DistributorRef":"R1"`)))
	require.Equal(t, []string{"R2", "R1", "R0"}, refs(l.list(`,"AccountNumber":"`+testNumber+`"`)))
	require.Equal(t, []string{"R1"}, refs(l.list(`,"AccountNumber":"`+testNumber+`","DistributorRef":"R1"`)))
	require.Equal(t, []string{"R0"}, refs(l.list(`,"TransferRef":"172366400001"`)))
	require.Empty(t, l.list(`,"TransferRef":"172366400001","DistributorRef":"R1"`))
	require.Empty(t, l.list(`,"TransferRef":"nonsense"`))
	require.Len(t, l.list(`,"TransferRef":null,"DistributorRef":null,"AccountNumber":null,"Skip":null`), 4)
}

func TestPaging_Rule1And2_SkipTakeAndMore(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.sendMany(5)
	for _, page := range []struct {
		skip, take int
		refs       []string
		more       bool
	}{
		{0, 2, []string{"R4", "R3"}, true},
		{2, 2, []string{"R2", "R1"}, true},
		{4, 2, []string{"R0"}, false},
		{3, 2, []string{"R1", "R0"}, false},
		{5, 2, []string{}, false},
		{500, 100, []string{}, false},
	} {
		r := l.api("ListTransferRecords", fmt.Sprintf(`{"Skip":%d,"Take":%d}`, page.skip, page.take))
		r.is(t, 200, 1, "")
		require.Equal(t, page.refs, refs(items[result](t, r)))
		require.Equal(t, page.more, r.ThereAreMoreItems)
	}
}

func TestPaging_Rule3_TakeAndSkipHaveBounds(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for body, want := range map[string]string{
		`{"Take":0}`: "Take", `{"Take":101}`: "Take", `{"Take":-1}`: "Take", `{}`: "Take", `{"Take":null}`: "Take",
		`{"Take":1,"Skip":501}`: "Skip", `{"Take":1,"Skip":-1}`: "Skip",
	} {
		l.api("ListTransferRecords", body).is(t, 400, 4, "ParameterOutOfRange/"+want)
	}
	l.api("ListTransferRecords", `{"Take":"1"}`).is(t, 400, 4, "ParameterInvalid/Take")
	l.api("ListTransferRecords", `{"Take":1.5}`).is(t, 400, 4, "ParameterInvalid/Take")
	l.api("ListTransferRecords", `{"Take":1,"DistributorRef":7}`).is(t, 400, 4, "ParameterInvalid/DistributorRef")
}

func TestPaging_RowsDriftWhileTransfersAreMade(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.sendMany(4)
	first := items[result](t, l.api("ListTransferRecords", `{"Take":2}`))
	l.send("new", nil).is(t, 200, 1, "")
	second := items[result](t, l.api("ListTransferRecords", `{"Skip":2,"Take":2}`))
	require.Equal(t, refs(first)[1], refs(second)[0], "the last row of the page before comes again")

	l.fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"list_drift","count":2}}`)
	require.Equal(t, []string{"new", "R3"}, refs(items[result](t, l.api("ListTransferRecords", `{"Skip":2,"Take":2}`))))
}

func TestListTransferRecords_TwoMonthsBack(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.send("old", nil).is(t, 200, 1, "")
	l.advance(30 * 24 * time.Hour)
	l.send("newer", nil).is(t, 200, 1, "")
	l.advance(61*24*time.Hour - time.Minute)
	require.Equal(t, []string{"newer", "old"}, refs(l.list("")))
	l.advance(61*24*time.Hour + time.Minute)
	require.Equal(t, []string{"newer"}, refs(l.list("")))
	require.Empty(t, l.list(`,"DistributorRef":"old"`))
}
