package sales

import (
	"context"
	"fmt"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/ledger"
	"airtill/internal/store"
)

// StateOf returns the state that a transfer record is in, and false if it is
// one that is not known here.
func StateOf(s apiclient.ProcessingState) (State, bool) {
	state, known := states[s.Normal()]
	return state, known
}

// CostOf reads the three amounts of a price that make up its cost. Fees that
// are absent are none.
func CostOf(p *apiclient.Price) (ledger.Cost, error) { return costOf(p) }

// SameNumber says whether two texts write one account number.
func SameNumber(a, b string) bool { return catalog.Signs(a) == catalog.Signs(b) }

// Repaid records, in the caller's transaction, that the upstream's balance shows
// what it owed back for a sale (J11).
func (s *Service) Repaid(ctx context.Context, tx *store.Tx, saleID string) error {
	_, err := s.ObserveIn(ctx, tx, saleID, Observation{Cause: Repaid, At: s.Now(), Source: "balance"})
	if err != nil {
		return fmt.Errorf("repaid: %w", err)
	}
	return nil
}
