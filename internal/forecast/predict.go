package forecast

import (
	"math/big"
	"slices"
	"time"
)

const daysAWeek = 7

// Days is what each hour of each day took out of the float, in millionths; the last day is today, so far.
type Days struct {
	Spent [weeks*daysAWeek + 1][hoursADay]int64
	Today int // its index
}

const (
	// leastWeeks is how many past days of the same weekday a forecast needs.
	leastWeeks = 2
	// paceMost bounds how much faster or slower than usual today may count: one large early sale does not make
	// a busy day.
	paceMost = 3
	// trialHours is how far ahead each trial looks.
	trialHours = 4
	// trialDays is how many past days the forecast is tried on.
	trialDays  = 14
	trialFirst = 9 // o'clock; earlier hours tell nothing
	trialLast  = 19
	whole      = 100 // per cent
	errorMost  = 90  // Latest assumes at most that many per cent less is spent
)

// Predict says when a float is used up if the day goes on as it began. now is in the zone of the days.
func Predict(now time.Time, float int64, d Days) Runway {
	if _, known := d.shape(d.Today); !known {
		return Runway{}
	}
	r := Runway{Known: true}
	r.Error, r.Trials = d.trials()
	at, within := d.usedUp(now, float, 0)
	r.At, r.Beyond = at, !within
	if within {
		r.Soonest, _ = d.usedUp(now, float, r.Error)
		r.Latest, _ = d.usedUp(now, float, -min(r.Error, errorMost))
	}
	return r
}

// shape is what each hour of a day, past or coming, took on average on the same weekdays before on which anything
// was sold; known if they are enough to foretell from.
func (d Days) shape(day int) (mean [hoursADay]int64, known bool) {
	var traded int64
	for before := day - daysAWeek; before >= 0; before -= daysAWeek {
		if sum(d.Spent[before][:]) == 0 {
			continue
		}
		traded++
		for hour, spent := range d.Spent[before] {
			mean[hour] += spent
		}
	}
	for hour := range mean {
		mean[hour] /= max(traded, 1)
	}
	return mean, traded >= leastWeeks
}

func sum(hours []int64) (total int64) {
	for _, spent := range hours {
		total += spent
	}
	return total
}

// pace compares what a day took up to an hour with what is usual. Both are 1 if that tells nothing.
func (d Days) pace(day, hour int, shape [hoursADay]int64) (done, usual int64) {
	done, usual = sum(d.Spent[day][:hour]), sum(shape[:hour])
	if done <= 0 || usual <= 0 || usual < sum(shape[:])/20 {
		return 1, 1
	}
	return min(max(done, usual/paceMost), usual*paceMost), usual
}

// scaled is amount × part / whole without overflow.
func scaled(amount, part, whole int64) int64 {
	n := new(big.Int).Mul(big.NewInt(amount), big.NewInt(part))
	return n.Quo(n, big.NewInt(whole)).Int64()
}

// usedUp walks through the coming hours until the float is gone, if that many per cent more is spent than
// expected. It is false if the float outlasts a week.
func (d Days) usedUp(now time.Time, float int64, more int) (time.Time, bool) {
	shape, _ := d.shape(d.Today)
	done, usual := d.pace(d.Today, now.Hour(), shape)
	for ahead := range daysAhead {
		if ahead > 0 {
			shape, _ = d.shape(d.Today + ahead)
			done, usual = 1, 1
		}
		for hour := range hoursADay {
			from, ends := begins(now, ahead, hour), begins(now, ahead, hour+1)
			if !ends.After(now) || !ends.After(from) {
				continue
			}
			spends := scaled(scaled(shape[hour], done, usual), int64(whole+more), whole)
			if from.Before(now) {
				spends = scaled(spends, int64(ends.Sub(now)), int64(ends.Sub(from)))
				from = now
			}
			if spends >= float && spends > 0 {
				return from.Add(time.Duration(scaled(int64(ends.Sub(from)), max(float, 0), spends))), true
			}
			float -= spends
		}
	}
	return time.Time{}, false
}

// begins is when an hour begins so many days after now, by the clock: where clocks change, a day has one hour less, and
// one that lasts two. An hour that clocks leave out begins with the next: time.Date may give a moment before it.
func begins(now time.Time, ahead, hour int) time.Time {
	at := time.Date(now.Year(), now.Month(), now.Day()+ahead, hour, 0, 0, 0, now.Location())
	if at.Hour() != hour%hoursADay {
		return begins(now, ahead, hour+1)
	}
	return at
}

// trials forecasts the next hours of past days from what was known then, and returns the median error in per
// cent and the number of trials.
func (d Days) trials() (median, count int) {
	var errors []int
	for day := d.Today - 1; day >= max(0, d.Today-trialDays); day-- {
		shape, known := d.shape(day)
		if !known {
			continue
		}
		for hour := trialFirst; hour+trialHours <= trialLast; hour++ {
			done, usual := d.pace(day, hour, shape)
			foreseen, came := scaled(sum(shape[hour:hour+trialHours]), done, usual),
				sum(d.Spent[day][hour:hour+trialHours])
			if came > 0 {
				errors = append(errors, int(scaled(max(foreseen-came, came-foreseen), whole, came)))
			}
		}
	}
	if len(errors) == 0 {
		return 0, 0
	}
	slices.Sort(errors)
	return errors[len(errors)/2], len(errors)
}
