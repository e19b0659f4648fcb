package staff_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/staff"
)

// TestTwoShopsGetOneNameAtOnce: of two admins who rename at the same moment, one reads that the name is taken.
func TestTwoShopsGetOneNameAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		other, _, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		const rounds = 20
		for i := range rounds {
			name := "Harbour " + string(rune('A'+i))
			answers := make(chan error)
			for _, id := range []string{b.shop.ID, other.ID} {
				go func() { answers <- b.ChangeShop(t.Context(), setup, id, staff.ShopFacts{Name: name}) }()
			}
			first, second := <-answers, <-answers
			if first == nil {
				first, second = second, first
			}
			require.NoError(t, second)
			require.Equal(t, fault.Conflict, fault.KindOf(first), "%v", first)
			require.Equal(t, "shop.taken", codeOf(first))
		}
	})
}
