package apiclient

import (
	"errors"
	"strings"
	"time"
)

var errPeriod = errors.New("not an ISO 8601 duration")

// Period is an ISO 8601 duration. Years, months and days stay apart from the
// clock, because their length depends on the calendar.
type Period struct {
	Years, Months, Days int
	Time                time.Duration
}

// The bounds of a Period's numbers, so that no sum of them overflows.
const (
	maxPeriodNumber = 99_999_999
	maxPeriodClock  = 90 * 365 * 24 * time.Hour
)

// ParseDuration reads an ISO 8601 duration such as P30D, P1Y6M, P2W, PT36H or
// P0.5D. Case, order and surrounding space do not matter, a comma may stand for
// the point; a week is seven days and a fraction of a day becomes hours. Signs,
// repeated units and fractions of years or months are errors.
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

// eachUnit walks "1Y6M": numbers, each followed by one of the units, none
// twice. The fraction is handed on as that fraction of a second, and with it
// exact to a nanosecond.
func eachUnit(text, units string, add func(unit byte, whole int, fraction time.Duration) error) error {
	for text != "" {
		end := strings.IndexAny(text, units)
		if end < 0 {
			return errPeriod
		}
		whole, fraction, err := parseNumber(text[:end])
		if err != nil {
			return err
		}
		unit := text[end]
		if err := add(unit, whole, fraction); err != nil {
			return err
		}
		units = strings.Replace(units, string(unit), "", 1)
		text = text[end+1:]
	}
	return nil
}

func parseNumber(text string) (whole int, fraction time.Duration, err error) {
	text, digits, hasPoint := strings.Cut(strings.Replace(text, ",", ".", 1), ".")
	if whole, err = parseDigits(text); err != nil || !hasPoint {
		return whole, 0, err
	}
	if digits == "" {
		return 0, 0, errPeriod
	}
	size := time.Second
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return 0, 0, errPeriod
		}
		size /= 10
		fraction += time.Duration(d-'0') * size
	}
	return whole, fraction, nil
}

func parseDigits(text string) (int, error) {
	number := 0
	for _, d := range []byte(text) {
		if d < '0' || d > '9' {
			return 0, errPeriod
		}
		if number = number*10 + int(d-'0'); number > maxPeriodNumber {
			return 0, errPeriod
		}
	}
	if text == "" {
		return 0, errPeriod
	}
	return number, nil
}
