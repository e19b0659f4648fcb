package reconcile

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestReaches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		difference int64
		options    [][]int64
		yes        bool
	}{
		"nothing open, no difference": {0, nil, true},
		"nothing open, a difference":  {-5, nil, false},
		"one executed":                {-10, [][]int64{{0, -10}}, true},
		"one of two":                  {-7, [][]int64{{0, -10}, {0, -7}}, true},
		"both":                        {-17, [][]int64{{0, -10}, {0, -7}}, true},
		"more than both":              {-18, [][]int64{{0, -10}, {0, -7}}, false},
		"a batch deducted, not paid":  {-10, [][]int64{{0, -10, -9}}, true},
	} {
		yes, sure := reaches(c.difference, c.options)
		require.True(t, sure, name)
		require.Equal(t, c.yes, yes, name)
	}
	var many [][]int64
	for i := range 40 {
		many = append(many, []int64{0, int64(1) << i})
	}
	_, sure := reaches(1, many)
	require.False(t, sure, "a trillion sums are not thought through")
}

func TestExplains(t *testing.T) {
	t.Parallel()
	values := []int64{100, 200, 300, 250, 1, 2, 4, 8}
	for name, c := range map[string]struct {
		difference int64
		want       []int
	}{
		"nothing":               {0, nil},
		"one":                   {300, []int{2}},
		"the fewest, not a sum": {250, []int{3}},
		"two":                   {450, []int{1, 3}},
		"four":                  {15, []int{4, 5, 6, 7}},
		"all":                   {865, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		"none":                  {1000, nil},
	} {
		require.Equal(t, c.want, explains(c.difference, values), name)
	}
}

// TestExplainsWhatItSays: whatever it returns does sum to the difference, each
// value once.
func TestExplainsWhatItSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(-50, 50), 0, 12).Draw(t, "values")
		difference := rapid.Int64Range(-100, 100).Draw(t, "difference")
		var sum int64
		used := map[int]bool{}
		found := explains(difference, values)
		for _, i := range found {
			require.False(t, used[i])
			used[i] = true
			sum += values[i]
		}
		if found != nil {
			require.Equal(t, difference, sum)
		}
	})
}

func TestPartOfARefundAmongWholeOnes(t *testing.T) {
	t.Parallel()
	owed := []cause{{what: byReceivable, value: 200}, {what: byReceivable, value: 200}, {what: byReceivable, value: 200}}
	require.Equal(t, []int{0, 1}, apart(563, owed))
	require.Empty(t, apart(163, owed), "a part of one alone")
	require.Nil(t, apart(1_001_00, owed), "a payment nobody announced is no refund")
	require.Equal(t, []int{3, 0}, apart(2_363, append(owed, cause{what: byTopUp, value: 2_000})))
}
