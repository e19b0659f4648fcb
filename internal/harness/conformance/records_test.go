package conformance_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// Transfers are made while the pages are read, so rows come again: each is
// returned once, and none that was there at the start is missed.
func TestPagesThatDrift(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	for i := range 250 {
		b.sent(order(fmt.Sprint("R", i), nil))
	}
	seen, made := map[string]int{}, 0
	for listed, err := range b.transferRecords(apiclient.ListTransferRecordsRequest{}) {
		require.NoError(t, err)
		seen[listed.TransferRecord.TransferId.DistributorRef]++
		if len(seen)%50 == 0 {
			b.sent(order(fmt.Sprint("new", made), nil))
			made++
		}
	}
	require.Positive(t, made)
	for i := range 250 {
		require.Equal(t, 1, seen[fmt.Sprint("R", i)])
	}
	require.Len(t, b.wire.of("/api/V1/ListTransferRecords"), 3)

	b.fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"list_drift","count":3},"times":-1}`)
	drifted := map[string]bool{}
	for listed, err := range b.transferRecords(apiclient.ListTransferRecordsRequest{AccountNumber: number}) {
		require.NoError(t, err)
		require.False(t, drifted[listed.TransferRecord.TransferId.TransferRef])
		drifted[listed.TransferRecord.TransferId.TransferRef] = true
	}
	require.Len(t, drifted, 250+made)
}

func TestMoreRecordsThanCanBeReached(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	for i := range 601 {
		b.sent(order(fmt.Sprint("R", i), nil))
	}
	n, last := 0, error(nil)
	for _, err := range b.transferRecords(apiclient.ListTransferRecordsRequest{}) {
		if last = err; err == nil {
			n++
		}
	}
	require.Equal(t, 600, n)
	require.ErrorIs(t, last, errMoreRecords)
}

func TestOnePage(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	for i := range 3 {
		b.sent(order(fmt.Sprint("R", i), nil))
	}
	page := func(r apiclient.ListTransferRecordsRequest) (refs []string, more bool) {
		got, err := b.ListTransferRecords(t.Context(), r)
		require.NoError(t, err)
		for _, item := range got.Items {
			refs = append(refs, item.TransferRecord.TransferId.DistributorRef)
		}
		return refs, got.ThereAreMoreItems
	}
	refs, more := page(apiclient.ListTransferRecordsRequest{Take: 2})
	require.Equal(t, []string{"R2", "R1"}, refs)
	require.True(t, more)
	refs, more = page(apiclient.ListTransferRecordsRequest{Skip: 2, Take: 2})
	require.Equal(t, []string{"R0"}, refs)
	require.False(t, more)
	refs, _ = page(apiclient.ListTransferRecordsRequest{Skip: 3, Take: 2})
	require.Empty(t, refs, "a page behind the end is empty")
	refs, _ = page(apiclient.ListTransferRecordsRequest{TransferRef: b.entry("R1").TransferRefs[0], AccountNumber: number, Take: 1})
	require.Equal(t, []string{"R1"}, refs)

	b.wire.askWrongly()
	for context, wrong := range map[string]apiclient.ListTransferRecordsRequest{"Take": {Take: 101}, "Skip": {Take: 1, Skip: 501}} {
		_, err := b.ListTransferRecords(t.Context(), wrong)
		require.True(t, failed(t, err).HasContext(apiclient.CodeParameterOutOfRange, context))
	}
	b.pass(62 * 24 * time.Hour)
	refs, _ = page(apiclient.ListTransferRecordsRequest{Take: 100})
	require.Empty(t, refs, "what is older than two months is no longer listed")
}

const (
	pageTake = apiclient.PageSize
	pageSkip = (apiclient.MaxPages - 1) * apiclient.PageSize // the furthest a page may begin
)

// errMoreRecords ends transferRecords when the service has more records than
// its paging can reach.
var errMoreRecords = errors.New("more transfer records than can be listed")

// transferRecords lists the transfers that match, newest first, page by page
// as they are asked for, at most 600. Skip and Take of the request are ignored.
// A transfer made meanwhile moves the rows: each TransferRef is returned once.
// Records without a TransferId are all returned. An error ends the list.
func (b *bench) transferRecords(r apiclient.ListTransferRecordsRequest) iter.Seq2[apiclient.TransferRecordWithErrorCodes, error] {
	return func(yield func(apiclient.TransferRecordWithErrorCodes, error) bool) {
		r.Take = pageTake
		seen := map[string]bool{}
		for r.Skip = 0; r.Skip <= pageSkip; r.Skip += pageTake {
			page, err := b.ListTransferRecords(b.t.Context(), r)
			if err != nil {
				yield(apiclient.TransferRecordWithErrorCodes{}, err)
				return
			}
			for _, item := range page.Items {
				if fresh(seen, item) && !yield(item, nil) {
					return
				}
			}
			if !page.ThereAreMoreItems || len(page.Items) == 0 {
				return
			}
		}
		yield(apiclient.TransferRecordWithErrorCodes{}, errMoreRecords)
	}
}

func fresh(seen map[string]bool, item apiclient.TransferRecordWithErrorCodes) bool {
	id := item.TransferRecord.TransferId
	if id == nil || id.TransferRef == "" {
		return true
	}
	if seen[id.TransferRef] {
		return false
	}
	seen[id.TransferRef] = true
	return true
}
