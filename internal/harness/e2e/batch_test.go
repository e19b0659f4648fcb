//go:build e2e

package e2e

import (
	"testing"
)

// batchNumber is one of the operator that works its transfers in batches.
const batchNumber = "0881234567"

// batchProduct is a fixed top-up that the upstream works later.
func batchProduct(t testing.TB, s *simulator) product {
	t.Helper()
	for _, p := range s.products(t, "countryIsos=IE&benefits=Minutes") {
		if p.ProcessingMode == "Batch" && p.RedemptionMechanism == "Immediate" && p.Minimum.SendValue == p.Maximum.SendValue {
			return p
		}
	}
	t.Fatal("the simulator sells no batch top-up")
	return product{}
}
