package reconcile

// mostOutcomes bounds how many sums are thought through. With more sales open at
// once than that, a balance tells nothing.
const mostOutcomes = 50_000

// reaches says whether a difference is a sum of one option of each list, which
// is what sales under way may have done to a balance. Options repeat from sale
// to sale, so there are far fewer sums than combinations. sure is false if there
// were too many to tell.
func reaches(difference int64, options [][]int64) (yes, sure bool) {
	sums := map[int64]bool{0: true}
	for _, choice := range options {
		next := make(map[int64]bool, 2*len(sums))
		for sum := range sums {
			for _, c := range choice {
				next[sum+c] = true
			}
		}
		if len(next) > mostOutcomes {
			return false, false
		}
		sums = next
	}
	return sums[difference], true
}

const (
	mostTogether = 4  // values that are tried together
	mostValues   = 40 // values that are tried at all, the first ones
)

// explains returns the indexes of the fewest values that sum to a difference,
// the first ones first, and nil if none do. All together are tried as well: after
// a quiet night everything outstanding may have come at once.
func explains(difference int64, values []int64) []int {
	if difference == 0 || len(values) == 0 {
		return nil
	}
	var total int64
	all := make([]int, len(values))
	for i, v := range values {
		total += v
		all[i] = i
	}
	few := values[:min(len(values), mostValues)]
	for n := 1; n <= min(mostTogether, len(few)); n++ {
		if found := pick(difference, few, 0, n); found != nil {
			return found
		}
	}
	if total == difference {
		return all
	}
	return nil
}

// pick finds n values from an index on that sum to a difference.
func pick(difference int64, values []int64, from, n int) []int {
	for i := from; i <= len(values)-n; i++ {
		rest := difference - values[i]
		if n == 1 && rest == 0 {
			return []int{i}
		}
		if n > 1 {
			if found := pick(rest, values, i+1, n-1); found != nil {
				return append([]int{i}, found...)
			}
		}
	}
	return nil
}
