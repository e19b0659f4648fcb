package counter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/counter"
)

func TestPromotionsAreSaidOnce(t *testing.T) {
	t.Parallel()
	said := func(headlines ...string) (once, each []string) {
		stock := &counter.Stock{Groups: make([]counter.Group, 2)}
		for i, headline := range headlines {
			stock.Groups[i%2].Products = append(stock.Groups[i%2].Products, counter.Product{Promotion: counter.Promotion{Headline: headline}})
		}
		stock.SayOnce()
		for _, group := range stock.Groups {
			for _, p := range group.Products {
				each = append(each, p.Promotion.Headline)
			}
		}
		for _, p := range stock.Promotions {
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
