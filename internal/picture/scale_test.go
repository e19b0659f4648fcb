package picture_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/picture"
)

// TestScale: round numbers, few of them, nothing among them, all figures within.
func TestScale(t *testing.T) {
	t.Parallel()
	const cent, euro, yen = 10_000, 1_000_000, 1_000_000
	for name, c := range map[string]struct {
		least   int64
		figures []int64
		ticks   []int64
	}{
		"no figure":          {1, nil, []int64{0, 1}},
		"nothing sold":       {1, []int64{0, 0}, []int64{0, 1}},
		"one sale":           {1, []int64{1}, []int64{0, 1}},
		"few sales":          {1, []int64{3, 7}, []int64{0, 2, 4, 6, 8}},
		"a round figure":     {1, []int64{50}, []int64{0, 10, 20, 30, 40, 50}},
		"euros":              {cent, []int64{195_450_000, 20 * euro}, []int64{0, 50 * euro, 100 * euro, 150 * euro, 200 * euro}},
		"cents":              {cent, []int64{3 * cent}, []int64{0, cent, 2 * cent, 3 * cent}},
		"yen have no parts":  {yen, []int64{2 * yen}, []int64{0, yen, 2 * yen}},
		"over and short":     {cent, []int64{-12 * euro, 30 * euro}, []int64{-20 * euro, -10 * euro, 0, 10 * euro, 20 * euro, 30 * euro}},
		"short alone":        {cent, []int64{-4 * euro}, []int64{-4 * euro, -3 * euro, -2 * euro, -1 * euro, 0}},
		"a million millions": {cent, []int64{1_000_000_000_000 * euro}, []int64{0, 200e15, 400e15, 600e15, 800e15, 1000e15}},
	} {
		s := picture.ScaleOf(c.least, c.figures...)
		require.Equal(t, c.ticks, s.Ticks(), name)
		require.Equal(t, 0, s.At(c.ticks[0]), name)
		require.Equal(t, 1000, s.At(c.ticks[len(c.ticks)-1]), name)
		for i, tick := range c.ticks {
			require.Equal(t, 1000*i/(len(c.ticks)-1), s.At(tick), "%s: a number stands on its line", name)
		}
	}
	for _, most := range [][]int64{{1<<63 - 1}, {-1 << 63}, {-1 << 63, 1<<63 - 1}} {
		s := picture.ScaleOf(1, most...)
		require.LessOrEqual(t, len(s.Ticks()), 6, "what no till takes does not break a page")
		for _, n := range most {
			require.Contains(t, []int{0, 1000}, s.At(n))
		}
	}
}

func TestPerMille(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 333, picture.PerMille(1, 3))
	require.EqualValues(t, -333, picture.PerMille(-1, 3))
	require.EqualValues(t, 1000, picture.PerMille(1<<62, 1<<62))
	require.Zero(t, picture.PerMille(5, 0))
	require.EqualValues(t, -1000, picture.PerMille(-1<<63, 1<<63-1), "which has no opposite")
}

// TestLabelled: every column has its name where there are few; of many, some.
func TestLabelled(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{1: 1, 7: 7, 8: 8, 14: 7, 28: 7, 100: 8} {
		p, labelled := picture.Picture{Points: make([]picture.Point, n)}, 0
		for i := range n {
			if some, _ := p.Labelled(i); some {
				labelled++
			}
		}
		require.Equal(t, want, labelled, n)
	}
}

// TestFewColumnsAreNoWall: one column is as broad as it would be among eight.
func TestFewColumnsAreNoWall(t *testing.T) {
	t.Parallel()
	for columns, broad := range map[int]int{1: 100, 4: 400, 8: 800, 31: 800} {
		p := picture.Picture{Points: make([]picture.Point, columns)}
		require.Equal(t, broad, p.Broad(), "%d columns", columns)
	}
}
