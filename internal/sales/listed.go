package sales

import (
	"context"
	"slices"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// ObserveListed feeds the records listed for a sale's ref to the reducer. Of several, a complete one decides;
// two complete ones are the incident that must never be.
func (s *Service) ObserveListed(
	ctx context.Context, sale Sale, items []apiclient.TransferRecordWithErrorCodes,
) (Sale, error) {
	return s.observeRef(ctx, sale, sale.Ref, items)
}

func (s *Service) observeRef(
	ctx context.Context, sale Sale, ref string, items []apiclient.TransferRecordWithErrorCodes,
) (Sale, error) {
	r := reader{vault: s.d.Vault, sale: &sale, ref: ref, now: store.Moment(s.d.Now())}
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

// weight orders records of one ref: complete, then other ends, then what is still open.
func weight(o Observation) int {
	if o.State == Complete {
		return ranks[Complete] + 1
	}
	if o.State == None {
		return -1
	}
	return ranks[o.State]
}

// SameNumber says whether two texts write one account number.
func SameNumber(a, b string) bool { return catalog.Signs(a) == catalog.Signs(b) }

// Repaid records, in the caller's transaction, that the upstream's balance shows what it owed back for a sale
// (J11).
func (s *Service) Repaid(ctx context.Context, tx *store.Tx, saleID string) error {
	_, err := s.ObserveIn(ctx, tx, saleID, Observation{Cause: Repaid, At: s.d.Now(), Source: "balance"})
	return fault.Doing("repaid", err)
}
