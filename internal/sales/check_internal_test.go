package sales

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// When a sale is looked at next follows from where it stands: never where nothing more can come.
func TestWhenASaleIsLookedAtNext(t *testing.T) {
	t.Parallel()
	seen := func(ago time.Duration) func(*Sale) {
		return func(s *Sale) { at := noon.Add(-ago); s.ReversalSeenAt = &at }
	}
	byAbsence := func(s *Sale) { s.ByAbsence = true }
	decided := func(s *Sale) { s.ReasonCode = ReasonDecided }
	const never = time.Duration(0)
	for name, c := range map[string]struct {
		sale *Sale
		in   time.Duration // never; otherwise give or take what scatter does
	}{
		"before it is recorded":          {since(0, in(None)), never},
		"recorded, for the sweep":        {since(0, in(Recorded)), recordedCheck},
		"sending":                        {since(0, in(Sending)), sendOverAfter},
		"sending for a while":            {since(100*time.Second, in(Sending)), 15 * time.Second},
		"accepted without a permit":      {since(0, in(Submitted), neverSent), firstLook},
		"a claim to be confirmed":        {since(time.Minute, claimed(4*time.Second), lookedOnce), 6 * time.Second},
		"complete":                       {since(time.Minute, in(Complete)), never},
		"a reversal seen just now":       {since(time.Hour, in(Complete), seen(0)), reversalSettles},
		"a reversal seen a while ago":    {since(time.Hour, in(Complete), seen(50*time.Second)), 10 * time.Second},
		"a reversal seen long ago":       {since(time.Hour, in(Complete), seen(time.Hour)), 10 * time.Second},
		"failed by the service's word":   {since(time.Minute, in(Failed)), never},
		"failed by absence":              {since(time.Hour, in(Failed), byAbsence), time.Hour},
		"failed by a claim":              {since(time.Hour, in(Failed), claimed(time.Hour)), time.Hour},
		"decided by people":              {since(50*24*time.Hour, in(Failed), decided), 24 * time.Hour},
		"a ghost the list has forgotten": {since(ghostFor+1, in(Failed), byAbsence), never},
		"void, and never sent":           {since(time.Minute, in(Voided), byAbsence, neverSent), never},
	} {
		at := nextCheck(c.sale, noon)
		if c.in == never {
			require.Nil(t, at, name)
			continue
		}
		require.NotNil(t, at, name)
		require.InDelta(t, c.in, at.Sub(noon), float64(c.in)/5, name)
		require.Equal(t, at.Truncate(time.Microsecond), *at, "%s: as the database keeps it", name)
	}
}

func lookedOnce(s *Sale) { s.Looks = 1 }

// An attempt that was replaced is looked for less and less, and once more before the list forgets it.
func TestAReplacedAttemptIsLookedForUntilTheListForgets(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for ago, next := range map[time.Duration]time.Duration{
		0: time.Hour, time.Hour - 1: time.Hour, time.Hour: 6 * time.Hour, 6 * time.Hour: day, 2 * day: 3 * day,
		3 * day: 7 * day, 8 * day: 14 * day, 20 * day: 30 * day, 30 * day: 59 * day, 59*day - 1: 59 * day,
	} {
		at := oldAttemptCheck(noon, noon.Add(ago))
		require.NotNil(t, at, ago)
		require.Equal(t, noon.Add(next), *at, "%s after the permit", ago)
	}
	require.Nil(t, oldAttemptCheck(noon, noon.Add(59*day)))
}

// Looks of one sale keep their distance, and the two that the absence rule counts are never early.
func TestLooksAreScatteredByTheRef(t *testing.T) {
	t.Parallel()
	shares := map[time.Duration]bool{}
	for i := range 300 {
		s := newRun(t, "Instant").anyRef(i).sale
		hour := scatter(&s, time.Hour)
		shares[hour] = true
		require.InDelta(t, time.Hour, hour, float64(6*time.Minute))
		require.Equal(t, 2*hour, scatter(&s, 2*time.Hour), "by the same share")
		for _, counted := range []time.Duration{absenceFirst, absenceLast} {
			require.GreaterOrEqual(t, scatter(&s, counted), counted)
			require.LessOrEqual(t, scatter(&s, counted), counted+counted/50)
		}
	}
	require.Greater(t, len(shares), 100)
}
