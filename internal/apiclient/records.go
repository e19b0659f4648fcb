package apiclient

import (
	"context"
	"errors"
	"iter"
)

const (
	pageTake = 100
	pageSkip = 500 // the furthest a page may begin
)

// ErrMoreRecords ends TransferRecords when the service has more records than
// its paging can reach.
var ErrMoreRecords = errors.New("more transfer records than can be listed")

// TransferRecords lists the transfers that match, newest first, page by page
// as they are asked for, at most 600. Skip and Take of the request are ignored.
// A transfer made meanwhile moves the rows: each TransferRef is returned once.
// Records without a TransferId are all returned. An error ends the list.
func (c *Client) TransferRecords(ctx context.Context, r ListTransferRecordsRequest) iter.Seq2[TransferRecordWithErrorCodes, error] {
	return func(yield func(TransferRecordWithErrorCodes, error) bool) {
		r.Take = pageTake
		seen := map[string]bool{}
		for r.Skip = 0; r.Skip <= pageSkip; r.Skip += pageTake {
			page, err := c.ListTransferRecords(ctx, r)
			if err != nil {
				yield(TransferRecordWithErrorCodes{}, err)
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
		yield(TransferRecordWithErrorCodes{}, ErrMoreRecords)
	}
}

func fresh(seen map[string]bool, item TransferRecordWithErrorCodes) bool {
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
