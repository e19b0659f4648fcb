package counter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/web/templates"
)

func TestPromotionsAreSaidOnce(t *testing.T) {
	t.Parallel()
	offers := func(headlines ...string) []templates.OfferGroup {
		groups := make([]templates.OfferGroup, 2)
		for i, headline := range headlines {
			groups[i%2].Offers = append(groups[i%2].Offers, templates.Offer{Promotion: headline})
		}
		return groups
	}
	left := func(groups []templates.OfferGroup) []string {
		var all []string
		for _, g := range groups {
			for _, o := range g.Offers {
				all = append(all, o.Promotion)
			}
		}
		return all
	}
	same := offers("Double", "Double", "Double")
	require.Equal(t, []string{"Double"}, promotions(same))
	require.Equal(t, []string{"", "", ""}, left(same), "what every card says, none says")

	some := offers("Double", "", "Triple")
	require.Equal(t, []string{"Double", "Triple"}, promotions(some))
	require.Equal(t, []string{"Double", "Triple", ""}, left(some))
	require.Empty(t, promotions(offers("", "")))
	require.Empty(t, promotions(nil))
}
