package health

import (
	"context"
	"errors"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/counter"
	"airtill/internal/invariant"
	"airtill/internal/jobs"
	"airtill/internal/sales"
)

// Mark says how something is.
type Mark string

// The marks.
const (
	Good Mark = "good"
	Look Mark = "look" // somebody should look at it
	Bad  Mark = "bad"
)

const (
	// verifiedWithin is how old the last check of the books may be: a night and half a day.
	verifiedWithin = 36 * time.Hour
	// PricesOldAfter is the age from which people are told of an old catalogue.
	PricesOldAfter = 24 * time.Hour
	// recently is how far back failures and refused webhooks are counted.
	recently = 24 * time.Hour
)

// Vitals is how the till is at one moment.
type Vitals struct {
	At        time.Time
	Run       *invariant.Run // the last check of the books; nil: none yet
	Database  error
	Writes    error // why the database refuses writes
	Redis     error
	Alone     bool // there is no Redis
	Incidents []sales.Incident
	GivenUp   []jobs.GivenUp
	Budgets   map[string]apiclient.Usage // nil: unknown
	Failures  []sales.Failures
	Refused   map[string]int64 // webhooks, by reason
	Counts    Counts
	PricesAt  time.Time // zero: there is no catalogue
}

// Vitals looks at everything once, as a shop may see it; "" sees every shop's.
func (s *Service) Vitals(ctx context.Context, shopID string) (v Vitals, err error) {
	v.At, v.PricesAt = s.d.Now(), s.d.Catalog.Current().PricesAsOf()
	v.Database, v.Writes = s.d.DB.Ping(ctx), maybe(ctx, s.d.Writes)
	v.Redis, v.Alone = s.Redis(ctx), s.d.Redis == nil
	if v.Run, err = s.d.Invariants.Last(ctx); err != nil {
		return v, err
	}
	if v.GivenUp, err = s.d.GivenUp(ctx); err != nil {
		return v, err
	}
	if v.Incidents, err = s.d.Sales.Incidents(ctx, shopID); err != nil {
		return v, err
	}
	if v.Budgets, err = s.Budgets(ctx); err != nil {
		s.d.Log.WarnContext(ctx, "health.budgets_unknown", "error", err)
	}
	if v.Failures, err = s.Failures(ctx); err != nil {
		return v, err
	}
	if v.Refused, err = s.d.Sales.RefusedSince(ctx, v.At.Add(-recently)); err != nil {
		return v, err
	}
	v.Counts, err = s.Counts()
	return v, err
}

// Budgets says how many calls of each method were made and may be made.
func (s *Service) Budgets(ctx context.Context) (map[string]apiclient.Usage, error) {
	return s.d.Budgets(ctx)
}

// Failures counts the sales that failed in the last day, by the upstream's code.
func (s *Service) Failures(ctx context.Context) ([]sales.Failures, error) {
	return s.d.Sales.FailuresSince(ctx, s.d.Now().Add(-recently))
}

// Why names the reason for a mark; each has words in every language.
type Why string

// The reasons.
const (
	NeverVerified  Why = "verifyNever"
	Broken         Why = "verifyBroken"
	VerifiedBefore Why = "verifyOld"
	Verified       Why = "verified"
	NoAnswer       Why = "noAnswer"
	Refuses        Why = "refuses"
	Answers        Why = "answers"
	NoWrites       Why = "noWrites"
	OneProcess     Why = "alone"
	NeverAnswered  Why = "upstreamNever"
	LastAnswer     Why = "upstreamLast"
	OtherTime      Why = "upstreamTime"
	NoCatalogue    Why = "catalogueNever"
	CatalogueAsOf  Why = "catalogueAsOf"
)

// Books marks the last check of the books.
func (v Vitals) Books() (Mark, Why) {
	switch {
	case v.Run == nil:
		return Look, NeverVerified
	case !v.Run.Holds:
		return Bad, Broken
	case v.At.Sub(v.Run.EndedAt) > verifiedWithin:
		return Look, VerifiedBefore
	}
	return Good, Verified
}

// Store marks the database.
func (v Vitals) Store() (Mark, Why) {
	if v.Database == nil && v.Writes != nil {
		return Bad, NoWrites
	}
	return answering(v.Database)
}

// Shared marks what processes share besides the database.
func (v Vitals) Shared() (Mark, Why) {
	if v.Alone {
		return Good, OneProcess
	}
	if errors.Is(v.Redis, ErrRefused) {
		return Bad, Refuses
	}
	return answering(v.Redis)
}

func answering(err error) (Mark, Why) {
	if err != nil {
		return Bad, NoAnswer
	}
	return Good, Answers
}

// Upstream goes by the last answer this process got, and by the time on it.
func (v Vitals) Upstream() (Mark, Why) {
	switch {
	case v.Counts.Answered.IsZero():
		return Look, NeverAnswered
	case v.At.Sub(v.Counts.Answered) > counter.StoppedAfter:
		return Bad, LastAnswer
	case v.Counts.Ahead.Abs() >= clockWrong:
		return Look, OtherTime
	}
	return Good, LastAnswer
}

// Catalogue marks the age of the prices.
func (v Vitals) Catalogue() (Mark, Why) {
	switch {
	case v.PricesAt.IsZero():
		return Bad, NoCatalogue
	case PricesOld(v.At, v.PricesAt):
		return Look, CatalogueAsOf
	}
	return Good, CatalogueAsOf
}

// PricesOld says whether prices are so old that people are told.
func PricesOld(now, asOf time.Time) bool { return now.Sub(asOf) > PricesOldAfter }
