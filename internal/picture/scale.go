package picture

import (
	"math"
	"math/bits"
)

const (
	steps = 5 // at most, each a line across the picture
	// largest bounds what a scale is made for: four million millions in millionths.
	largest = 4_000_000_000_000_000_000
)

// Scale is evenly spaced round numbers to read figures against; zero is one of them.
type Scale struct {
	step     int64
	down, up int64 // steps below and above zero
}

// ScaleOf is the scale for some figures; its numbers are at least least apart.
func ScaleOf(least int64, figures ...int64) Scale {
	var low, high int64
	for _, n := range figures {
		low, high = max(min(low, n), -largest), min(max(high, n), largest)
	}
	s := Scale{step: max(least, 1)}
	for i := 0; ; i++ {
		s.up, s.down = (high+s.step-1)/s.step, (s.step-1-low)/s.step
		if s.up+s.down <= steps {
			break
		}
		if i%3 == 1 { // 1, 2, 5, 10, 20, 50
			s.step = s.step / 2 * 5
		} else {
			s.step *= 2
		}
	}
	if s.up+s.down == 0 {
		s.up = 1
	}
	return s
}

// Ticks are the numbers, the least first.
func (s Scale) Ticks() (ticks []int64) {
	for n := -s.down; n <= s.up; n++ {
		ticks = append(ticks, n*s.step)
	}
	return ticks
}

// At is the height of a figure, in thousandths of the whole.
func (s Scale) At(n int64) int {
	n = max(min(n, s.up*s.step), -s.down*s.step)
	return int((s.down*1000 + PerMille(n, s.step)) / (s.up + s.down))
}

// PerMille is part / whole in thousandths, rounded towards zero, without overflow; 0 for a whole of nothing.
func PerMille(part, whole int64) int64 {
	if part < 0 {
		return -PerMille(-max(part, -math.MaxInt64), whole)
	}
	high, low := bits.Mul64(uint64(part), 1000)
	if whole <= 0 || high >= uint64(whole) {
		return 0
	}
	q, _ := bits.Div64(high, low, uint64(whole))
	return int64(q)
}
