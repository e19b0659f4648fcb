package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatReadsMuchIsToldByItsPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, step string
		much           bool
	}{
		{"SELECT 1 FROM sales WHERE kind = ?", "SCAN sales", true},
		{"SELECT 1 FROM shops s JOIN `sales` AS t ON t.shop_id = s.id", "SCAN t", true},
		{"SELECT 1 FROM shops s JOIN `sales` AS t ON t.shop_id = s.id", "SCAN s", false},
		{"SELECT 1 FROM sales", "SEARCH sales USING INDEX sales_by_shop (shop_id=?)", true},
		{"SELECT 1 FROM sales LIMIT 9", "SEARCH sales USING INDEX sales_by_shop (shop_id=?)", false},
		{"SELECT 1 FROM sales LIMIT 9", "SEARCH sales USING INDEX x (shop_id=?)\nUSE TEMP B-TREE FOR ORDER BY", true},
		{"SELECT 1 FROM sales", "SEARCH sales USING INDEX sales_by_shop (shop_id=? AND id>?)", false},
		{"SELECT 1 FROM sales", "SCAN sales USING INDEX sales_not_final", false},
		{"SELECT 1 FROM shifts", "SEARCH shifts USING INDEX shifts_by_shop (shop_id=?)", false},
		{"SELECT 1 FROM shifts", "SCAN shifts", true},
	} {
		require.Equal(t, c.much, readsMuch(c.question, c.step, c.step), c.step)
	}
}
