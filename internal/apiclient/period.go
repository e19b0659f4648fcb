package apiclient

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var errPeriod = errors.New("not an ISO 8601 duration")

// Period is an ISO 8601 duration. Years, months and days are apart from the clock, because their length
// depends on the calendar.
type Period struct {
	Years, Months, Days int
	Time                time.Duration
}

// The bounds of a Period's numbers, so that no sum of them overflows.
const (
	maxPeriodNumber = 99_999_999
	maxPeriodClock  = 90 * 365 * 24 * time.Hour
)

// ParseDuration reads an ISO 8601 duration such as P30D, P1Y6M, P2W, PT36H or P0.5D. Case, order and
// surrounding space do not matter, and a comma may replace the point; a week is seven days, a fraction of a
// day becomes hours. Signs, repeated units and fractions of years or months are errors.
func ParseDuration(text string) (Period, error) {
	rest, found := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(text)), "P")
	if !found {
		return Period{}, errPeriod
	}
	date, clock, hasClock := strings.Cut(rest, "T")
	if (hasClock && clock == "") || (date == "" && clock == "") {
		return Period{}, errPeriod
	}
	var p Period
	err := eachUnit(date, "YMWD", p.addDate)
	if err == nil {
		err = eachUnit(clock, "HMS", p.addClock)
	}
	if err != nil {
		return Period{}, err
	}
	return p, nil
}

func (p *Period) addDate(unit byte, whole int, fraction time.Duration) error {
	switch {
	case unit == 'Y' && fraction == 0:
		p.Years = whole
	case unit == 'M' && fraction == 0:
		p.Months = whole
	case unit == 'W':
		p.Days += 7 * whole
		p.Time += 7 * 24 * time.Hour / time.Second * fraction
	case unit == 'D':
		p.Days += whole
		p.Time += 24 * time.Hour / time.Second * fraction
	default:
		return errPeriod
	}
	return nil
}

func (p *Period) addClock(unit byte, whole int, fraction time.Duration) error {
	size := map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second}[unit]
	if time.Duration(whole) > maxPeriodClock/size {
		return errPeriod
	}
	p.Time += time.Duration(whole)*size + size/time.Second*fraction
	return nil
}

// periodPart is a number and its unit, like "1Y" in "1Y6M".
var periodPart = regexp.MustCompile(`^([0-9]+)(?:[.,]([0-9]+))?([A-Z])`)

// eachUnit walks "1Y6M": numbers, each followed by one of the units, none twice. The fraction is passed as
// that fraction of a second, exact to a nanosecond.
func eachUnit(text, units string, add func(unit byte, whole int, fraction time.Duration) error) error {
	for text != "" {
		part := periodPart.FindStringSubmatch(text)
		if part == nil || !strings.Contains(units, part[3]) {
			return errPeriod
		}
		whole, err := strconv.Atoi(part[1])
		if err != nil || whole > maxPeriodNumber {
			return errPeriod
		}
		fraction, err := time.ParseDuration("0." + part[2] + "s")
		if err != nil {
			return errPeriod
		}
		if err := add(part[3][0], whole, fraction); err != nil {
			return err
		}
		units, text = strings.Replace(units, part[3], "", 1), text[len(part[0]):]
	}
	return nil
}
