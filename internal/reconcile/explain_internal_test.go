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
		many = append(many, []int64{0, -int64(1) << i})
	}
	_, sure := reaches(-1, many)
	require.False(t, sure, "a trillion sums are not thought through")
	yes, sure := reaches(1, many)
	require.True(t, sure, "however many are open, they give no money back")
	require.False(t, yes)
}

// TestReachesWhatASumReaches: every sum of options is thought through, where there are few.
func TestReachesWhatASumReaches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		choice := rapid.SliceOfN(rapid.Int64Range(-20, 20), 1, 3)
		options := rapid.SliceOfN(choice, 0, 8).Draw(t, "options")
		difference := rapid.Int64Range(-60, 60).Draw(t, "difference")
		sums := map[int64]bool{0: true}
		for _, choice := range options {
			next := map[int64]bool{}
			for sum := range sums {
				for _, c := range choice {
					next[sum+c] = true
				}
			}
			sums = next
		}
		yes, sure := reaches(difference, options)
		require.True(t, sure)
		require.Equal(t, sums[difference], yes)
	})
}

// A balance is judged while hundreds of sales are open: that takes no more memory than it must.
func BenchmarkReaches(b *testing.B) {
	var options [][]int64
	for i := range 200 {
		options = append(options, []int64{0, -int64(500 + 25*(i%40))})
	}
	b.ReportAllocs()
	for b.Loop() {
		yes, sure := reaches(-60_000, options)
		require.True(b, yes && sure)
	}
}

// TestExplain: amounts in cents. A refund is old unless it has just become owed.
func TestExplain(t *testing.T) {
	t.Parallel()
	refund := func(value int64) cause { return cause{what: byReceivable, value: value} }
	fresh := func(value int64) cause { return cause{what: byReceivable, value: value, fresh: true} }
	missing := func(value int64) cause { return cause{what: byMissing, value: value} }
	doubtful := func(value int64) cause { return cause{what: byDoubtful, value: value} }
	partly := func(rest int64) cause {
		return cause{what: byReceivable, value: rest, broken: Break{Kind: PartialRefund}}
	}
	topUp := func(value int64) cause { return cause{what: byTopUp, value: value} }
	gone := func(value int64) cause { return cause{what: byUndone, value: value} }
	for name, c := range map[string]struct {
		rest int64
		all  []cause
		want explanation
	}{
		"nothing is known":                             {-321, nil, explanation{part: -1, unknown: -321}},
		"one refund":                                   {200, []cause{fresh(200)}, explanation{part: -1, whole: []int{0}}},
		"the refund that has just become owed":         {200, []cause{refund(200), fresh(200), refund(200)}, explanation{part: -1, whole: []int{1}}},
		"the newest of the old ones":                   {200, []cause{refund(200), refund(200)}, explanation{part: -1, whole: []int{0}}},
		"many refunds, not a payment":                  {1200, []cause{fresh(200), fresh(200), fresh(200), fresh(200), fresh(200), fresh(200)}, explanation{part: -1, whole: []int{5, 4, 3, 2, 1, 0}}},
		"many old refunds":                             {1000, []cause{refund(200), refund(200), refund(200), refund(200), refund(200)}, explanation{part: -1, whole: []int{4, 3, 2, 1, 0}}},
		"a payment, not two old refunds":               {400, []cause{refund(200), refund(200), topUp(400)}, explanation{part: -1, whole: []int{2}}},
		"a part of one":                                {163, []cause{fresh(200)}, explanation{part: 0, paid: 163}},
		"a part of the one that has just become owed":  {163, []cause{refund(200), fresh(200)}, explanation{part: 1, paid: 163}},
		"a part, and no rest of an earlier one":        {163, []cause{fresh(200), partly(37), refund(200)}, explanation{part: 0, paid: 163}},
		"the rest of an earlier one":                   {37, []cause{fresh(200), partly(37)}, explanation{part: -1, whole: []int{1}}},
		"a part of either old one":                     {163, []cause{refund(200), refund(200)}, explanation{part: 0, paid: 163, alike: []int{1}}},
		"a part among whole ones: any of them":         {563, []cause{fresh(200), fresh(200), fresh(200)}, explanation{part: 0, paid: 163, whole: []int{2, 1}, alike: []int{1, 2}}},
		"a part among whole ones of other amounts":     {863, []cause{fresh(500), fresh(200), fresh(200)}, explanation{part: 0, paid: 463, whole: []int{2, 1}, alike: []int{1, 2}}},
		"a part beside an announced payment":           {2163, []cause{fresh(200), topUp(2000)}, explanation{part: 0, paid: 163, whole: []int{1}}},
		"an announced payment":                         {2000, []cause{refund(200), topUp(2000), topUp(3000)}, explanation{part: -1, whole: []int{1}}},
		"a payment nobody announced":                   {100_100, []cause{refund(200), topUp(2000)}, explanation{part: -1, unknown: 100_100}},
		"such a payment before an announced one":       {100_100, []cause{topUp(200_000)}, explanation{part: -1, unknown: 100_100}},
		"such a payment beside a refund":               {100_300, []cause{fresh(200)}, explanation{part: -1, unknown: 100_100, whole: []int{0}}},
		"such a payment, and a refund that never came": {100_100, []cause{refund(200)}, explanation{part: -1, unknown: 100_100}},
		"a drop beside a refund that may have come":    {-321, []cause{fresh(200)}, explanation{part: -1, unknown: -321}},
		"a sale that was not taken":                    {1234, []cause{refund(200), missing(1234)}, explanation{part: -1, whole: []int{1}}},
		"a sale executed after all":                    {-1000, []cause{doubtful(-900), doubtful(-1000)}, explanation{part: -1, whole: []int{1}}},
		"two rare things whose sum happens to fit":     {-321, []cause{missing(679), doubtful(-1000)}, explanation{part: -1, unknown: -321}},
		"the same, for a part":                         {163, []cause{fresh(200), missing(1163), doubtful(-1000)}, explanation{part: 0, paid: 163}},
		"a difference that is gone":                    {321, []cause{gone(321), refund(200)}, explanation{part: -1, whole: []int{0}}},
		"a refund rather than a difference gone":       {200, []cause{refund(200), gone(200)}, explanation{part: -1, whole: []int{0}}},
		"gone with a refund beside":                    {521, []cause{fresh(200), gone(321)}, explanation{part: -1, whole: []int{1, 0}}},
	} {
		require.Equal(t, c.want, explain(c.rest, c.all), name)
	}
}

// TestExplainThinksOfWhatIsExpected: however many sums there may be.
func TestExplainThinksOfWhatIsExpected(t *testing.T) {
	t.Parallel()
	var all []cause
	var sum int64
	for i := range 200 {
		all = append(all, cause{what: byReceivable, value: 1_000_000 + int64(i*i*i), fresh: true})
		sum += all[i].value
	}
	e := explain(sum, all)
	require.True(t, e.complete())
	require.Len(t, e.whole, len(all))
	require.Equal(t, explanation{part: -1, unknown: -7}, explain(-7, all))
}

// TestExplainsWhatItSays: what an explanation is made of sums to the difference,
// each cause once.
func TestExplainsWhatItSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []cause
		for _, value := range rapid.SliceOfN(rapid.Int64Range(-50, 50), 0, 12).Draw(t, "values") {
			c := cause{value: value, what: rapid.SampledFrom([]string{byTopUp, byMissing, byDoubtful, byUndone}).Draw(t, "what")}
			if value > 0 && rapid.Bool().Draw(t, "owed") {
				c.what, c.fresh = byReceivable, rapid.Bool().Draw(t, "fresh")
			}
			all = append(all, c)
		}
		rest := rapid.Int64Range(-100, 100).Draw(t, "difference")
		e := explain(rest, all)
		sum := e.unknown + e.paid
		used := map[int]bool{e.part: true}
		for _, i := range e.whole {
			require.False(t, used[i])
			used[i] = true
			sum += all[i].value
		}
		require.Equal(t, rest, sum)
		if e.part >= 0 {
			require.Zero(t, e.unknown)
			require.Positive(t, e.paid)
			require.Less(t, e.paid, all[e.part].value)
		}
	})
}

// However many refunds are owed, that all of them have come is thought of.
func TestAllRefundsTogetherAreThoughtOf(t *testing.T) {
	t.Parallel()
	for _, isFresh := range []bool{true, false} {
		var owed []cause
		var sum int64
		for i := range int64(50) {
			owed = append(owed, cause{what: byReceivable, value: 1_000_000 + i*i*i*10_007, fresh: isFresh})
			sum += owed[i].value
		}
		e := explain(sum, owed)
		require.True(t, e.complete())
		require.Len(t, e.whole, 50)
	}
}
