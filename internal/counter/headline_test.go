package counter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPromotionsAreSaidOnce(t *testing.T) {
	t.Parallel()
	said := func(headlines ...string) (once, each []string) {
		shelf := &Shelf{Groups: make([]Group, 2)}
		for i, headline := range headlines {
			shelf.Groups[i%2].Products = append(shelf.Groups[i%2].Products, Product{Promotion: Promotion{Headline: headline}})
		}
		shelf.sayOnce()
		for p := range shelf.products() {
			each = append(each, p.Promotion.Headline)
		}
		for _, p := range shelf.Promotions {
			once = append(once, p.Headline)
		}
		return once, each
	}
	once, each := said("Double", "Double", "Double")
	require.Equal(t, []string{"Double"}, once)
	require.Equal(t, []string{"", "", ""}, each, "what every card says, none says")
	once, each = said("Double", "", "Triple")
	require.Equal(t, []string{"Double", "Triple"}, once)
	require.Equal(t, []string{"Double", "Triple", ""}, each)
	once, _ = said("", "")
	require.Empty(t, once)
	once, _ = said()
	require.Empty(t, once)
}
