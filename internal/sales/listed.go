package sales

import (
	"context"
	"slices"

	"airtill/internal/apiclient"
	"airtill/internal/store"
)

// ObserveListed feeds the records that the upstream lists for a sale's ref to
// the reducer. Of several, a complete one decides; two complete ones are the
// incident that must never be.
func (s *Service) ObserveListed(
	ctx context.Context, sale Sale, items []apiclient.TransferRecordWithErrorCodes,
) (Sale, error) {
	return s.observeRef(ctx, sale, sale.Ref, items)
}

func (s *Service) observeRef(
	ctx context.Context, sale Sale, ref string, items []apiclient.TransferRecordWithErrorCodes,
) (Sale, error) {
	r := reader{vault: s.Vault, sale: &sale, ref: ref, now: store.Moment(s.Now())}
	var seen []Observation
	complete := map[string]bool{} // by TransferRef: a list that shifts while it is read repeats rows
	for _, item := range items {
		o := r.listed(item)
		o.AsOf = sale.Events
		seen = append(seen, o)
		if o.State == Complete && o.Facts != nil {
			complete[o.Facts.TransferRef] = true
		}
	}
	best := slices.MaxFunc(seen, func(a, b Observation) int { return weight(a) - weight(b) })
	if len(complete) > 1 {
		best.Alert, best.ReasonContext = ExecutedTwice, "the upstream lists two complete transfers of one ref"
	}
	return s.Observe(ctx, sale.ID, best)
}

// weight orders records of one ref: complete before any other end, any end
// before what is still open.
func weight(o Observation) int {
	if o.State == Complete {
		return ranks[Complete] + 1
	}
	if o.State == None {
		return -1
	}
	return ranks[o.State]
}
