package health

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/counter"
	"airtill/internal/invariant"
)

func TestEachPartIsMarkedByWhatWasSeen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	gone := errors.New("gone")
	checked := func(ago time.Duration, holds bool) *invariant.Run {
		return &invariant.Run{EndedAt: now.Add(-ago), Holds: holds}
	}
	type marked struct {
		Mark
		Why
	}
	is := func(mark Mark, why Why) marked { return marked{mark, why} }
	for name, c := range map[string]struct{ got, want marked }{
		"books never checked":         {is(Vitals{At: now}.Books()), marked{Look, NeverVerified}},
		"books that hold":             {is(Vitals{At: now, Run: checked(verifiedWithin, true)}.Books()), marked{Good, Verified}},
		"books not checked for long":  {is(Vitals{At: now, Run: checked(verifiedWithin+1, true)}.Books()), marked{Look, VerifiedBefore}},
		"books that do not hold":      {is(Vitals{At: now, Run: checked(verifiedWithin+1, false)}.Books()), marked{Bad, Broken}},
		"a database that answers":     {is(Vitals{}.Store()), marked{Good, Answers}},
		"a database that is gone":     {is(Vitals{Database: gone, Writes: gone}.Store()), marked{Bad, NoAnswer}},
		"a database that is full":     {is(Vitals{Writes: gone}.Store()), marked{Bad, NoWrites}},
		"Redis that answers":          {is(Vitals{}.Shared()), marked{Good, Answers}},
		"Redis that refuses":          {is(Vitals{Redis: fmt.Errorf("%w: full", ErrRefused)}.Shared()), marked{Bad, Refuses}},
		"Redis that is gone":          {is(Vitals{Redis: gone}.Shared()), marked{Bad, NoAnswer}},
		"one process":                 {is(Vitals{Alone: true, Redis: gone}.Shared()), marked{Good, OneProcess}},
		"an upstream not asked yet":   {is(Vitals{At: now}.Upstream()), marked{Look, NeverAnswered}},
		"an upstream that answers":    {is(upstream(now, counter.StoppedAfter).Upstream()), marked{Good, LastAnswer}},
		"an upstream that is silent":  {is(upstream(now, counter.StoppedAfter+1).Upstream()), marked{Bad, LastAnswer}},
		"an upstream of another time": {is(otherTime(now, -clockWrong).Upstream()), marked{Look, OtherTime}},
		"an upstream nearly of ours":  {is(otherTime(now, clockWrong-1).Upstream()), marked{Good, LastAnswer}},
		"no catalogue":                {is(Vitals{At: now}.Catalogue()), marked{Bad, NoCatalogue}},
		"prices of today":             {is(Vitals{At: now, PricesAt: now.Add(-PricesOldAfter)}.Catalogue()), marked{Good, CatalogueAsOf}},
		"prices older than yesterday": {is(Vitals{At: now, PricesAt: now.Add(-PricesOldAfter - 1)}.Catalogue()), marked{Look, CatalogueAsOf}},
	} {
		require.Equal(t, c.want, c.got, name)
	}
}

func upstream(now time.Time, silent time.Duration) Vitals {
	return Vitals{At: now, Counts: Counts{Answered: now.Add(-silent)}}
}

func otherTime(now time.Time, ahead time.Duration) Vitals {
	return Vitals{At: now, Counts: Counts{Answered: now, Ahead: ahead}}
}
