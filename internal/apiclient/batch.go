package apiclient

import (
	"context"
	"slices"
)

// maxBatch is how many items a request carries; the service does not state its limit (FACTS.md).
const maxBatch = 100

// EstimatePrices asks for prices, a hundred per request. Items come back in the order of their requests; one
// that was not answered is missing. If a later request fails, both the earlier answers and the error are
// returned.
func (c *Client) EstimatePrices(ctx context.Context, requests []EstimationRequest) (*EstimatePricesResponse, error) {
	return batch(ctx, c, estimatePrices, requests,
		func(r EstimationRequest) string {
			return r.BatchItemRef
		}, func(i EstimatedPrice) string { return i.BatchItemRef })
}

// CancelTransfers asks to cancel Batch transfers, by the rules of EstimatePrices. Only an item whose
// ProcessingState is StateCancelled is cancelled.
func (c *Client) CancelTransfers(
	ctx context.Context, requests []CancellationRequest,
) (*CancelTransfersResponse, error) {
	return batch(ctx, c, cancelTransfers, requests,
		func(r CancellationRequest) string {
			return r.BatchItemRef
		}, func(i TransferWithState) string { return i.BatchItemRef })
}

// batch makes as many calls as needed and joins their items by BatchItemRef, since the service answers in any
// order.
func batch[In, Item any](ctx context.Context, c *Client, e endpoint[[]In, List[Item]], requests []In,
	refOf func(In) string, itemRef func(Item) string,
) (*List[Item], error) {
	places := make(map[string]int, len(requests))
	for i, r := range requests {
		places[refOf(r)] = i
	}
	if len(places) < len(requests) {
		return nil, &Error{
			Op: e.name, ResultCode: ResultClient, Codes: []ErrorCode{{Code: CodeBatchItemRefMustBeUnique}},
			Err: ErrNotSent,
		}
	}
	joined := &List[Item]{Envelope: Envelope{ResultCode: ResultSuccess}}
	var failed error
	for part := range slices.Chunk(requests, maxBatch) {
		answer, err := call(ctx, c, e, part)
		if err != nil && len(joined.Items) == 0 {
			return nil, err
		}
		if err != nil {
			failed = err
			break
		}
		joined.ResultCode = max(joined.ResultCode, answer.ResultCode)
		joined.ErrorCodes = append(joined.ErrorCodes, answer.ErrorCodes...)
		joined.Items = append(joined.Items, answer.Items...)
	}
	joined.Items = slices.DeleteFunc(joined.Items, func(i Item) bool { _, asked := places[itemRef(i)]; return !asked })
	slices.SortStableFunc(joined.Items, func(a, b Item) int { return places[itemRef(a)] - places[itemRef(b)] })
	return joined, failed
}
