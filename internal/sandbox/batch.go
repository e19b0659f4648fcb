package sandbox

import "strings"

// largestBatch is how many items one request may have.
const largestBatch = 100

// batch answers a request that is an array of items, section Batch rules: each
// item has its own reference and its own result, and the order of the answer is
// deliberately another. If the request as a whole is refused, no item was
// handled.
func batch[In, Out any](s *Service, c *call, refOf func(In) *string, handle func(item In, ref string) Out) reply {
	var items []In
	if refused := c.decode(&items); refused != nil {
		return refuseItems(*refused)
	}
	refs := make([]string, len(items))
	for i, item := range items {
		refs[i] = text(refOf(item))
	}
	if refused := checkBatch(refs); refused != nil {
		return refuseItems(*refused)
	}
	response := listResponse[Out]{envelope: success(), Items: make([]Out, len(items))}
	for i, item := range items {
		response.Items[i] = handle(item, refs[i])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rng.Shuffle(len(items), func(i, j int) { response.Items[i], response.Items[j] = response.Items[j], response.Items[i] })
	return answer(response)
}

// checkBatch applies what holds for the references of every batch: each item
// has one, its own, and there are not too many.
func checkBatch(refs []string) *apiError {
	if len(refs) > largestBatch {
		return &apiError{Code: tooManyParameters, Context: "BatchItemRef"}
	}
	seen := map[string]bool{}
	for _, ref := range refs {
		if strings.TrimSpace(ref) == "" {
			return &apiError{Code: requestInvalid}
		}
		if seen[ref] {
			return &apiError{Code: batchRefNotUnique}
		}
		seen[ref] = true
	}
	return nil
}
