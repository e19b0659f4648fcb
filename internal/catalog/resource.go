package catalog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Resource is a part of the catalogue with updates of its own.
type Resource string

// The resources, in the order of a full sync: what a sale needs most comes first.
const (
	Countries      Resource = "countries"
	Currencies     Resource = "currencies"
	Regions        Resource = "regions"
	Providers      Resource = "providers"
	Products       Resource = "products"
	Texts          Resource = "product-texts"
	Statuses       Resource = "provider-statuses"
	Promotions     Resource = "promotions"
	PromotionTexts Resource = "promotion-texts"
	Errors         Resource = "error-texts"
)

// Resources returns all of them in sync order.
func Resources() []Resource {
	return []Resource{
		Countries, Currencies, Regions, Providers, Products, Texts, Statuses, Promotions, PromotionTexts, Errors,
	}
}

// interval is how often a resource is asked for: the cadence the service advises (FACTS.md, Behaviour).
func (r Resource) interval() time.Duration {
	switch r {
	case Statuses:
		return time.Minute
	case Products, Texts:
		return 3 * time.Hour
	case Countries, Currencies, Regions, Providers, Promotions, PromotionTexts, Errors:
	}
	return 24 * time.Hour
}

const (
	retryFailed = time.Minute
	retryHeld   = 15 * time.Minute
)

// due returns the resources whose turn has come.
func (s *Service) due(ctx context.Context) ([]Resource, error) {
	due, err := dueIn(s.d.DB.Read(ctx), s.d.Now(), "")
	return due, fault.Doing("find due resources", err)
}

// dueIn returns the due resources, ignoring one run.
func dueIn(db *gorm.DB, now time.Time, except string) ([]Resource, error) {
	const latest = `SELECT r.* FROM catalog_runs r
		JOIN (SELECT resource, MAX(started_at) AS started_at FROM catalog_runs WHERE id <> @except
		AND started_at <= @soon GROUP BY resource) latest
		ON latest.resource = r.resource AND latest.started_at = r.started_at AND r.id <> @except`
	runs, err := store.All[Run](db.Raw(latest, map[string]any{"except": except, "soon": soon(now)}))
	if err != nil {
		return nil, err
	}
	next := map[Resource]time.Time{}
	for _, r := range runs {
		next[r.Resource] = nextAfter(r)
	}
	return slices.DeleteFunc(Resources(), func(r Resource) bool { return now.Before(next[r]) }), nil
}

// nextAfter is when a resource's turn comes after its last run.
func nextAfter(r Run) time.Time {
	interval := r.Resource.interval()
	switch r.Outcome {
	case Done:
		return r.StartedAt.Add(interval)
	case Held:
		return r.EndedAt.Add(min(interval, retryHeld))
	case Failed:
		return r.EndedAt.Add(min(interval, retryFailed))
	case Interrupted:
	}
	return r.LeaseUntil // under way, or dead: then its lease was all there was to wait for
}

// fetch asks the upstream for one resource and writes what changed.
func (s *Service) fetch(ctx context.Context, r *run) error {
	ctx = apiclient.WithPriority(ctx, apiclient.PriorityBackground)
	switch r.Resource {
	case Countries:
		return mirror(ctx, r, countryTable, s.d.Upstream.GetCountries, countryFrom)
	case Currencies:
		return mirror(ctx, r, currencyTable, s.d.Upstream.GetCurrencies, currencyFrom)
	case Regions:
		return mirror(ctx, r, regionTable, all(s.d.Upstream.GetRegions), regionFrom)
	case Providers:
		return mirror(ctx, r, providerTable, all(s.d.Upstream.GetProviders), providerFrom)
	case Products:
		return s.fetchProducts(ctx, r)
	case Texts:
		return s.fetchTexts(ctx, r)
	case Statuses:
		return mirror(ctx, r, statusTable, all(s.d.Upstream.GetProviderStatus), statusFrom)
	case Promotions:
		return mirror(ctx, r, promotionTable, all(s.d.Upstream.GetPromotions), promotionFrom)
	case PromotionTexts:
		return s.fetchPromotionTexts(ctx, r)
	case Errors:
		return mirror(ctx, r, errorTable, s.d.Upstream.GetErrorCodeDescriptions, errorFrom)
	}
	return fmt.Errorf("no such resource: %s", r.Resource)
}

// all calls a filtered endpoint without a filter.
func all[F, Out any](call func(context.Context, F) (Out, error)) func(context.Context) (Out, error) {
	return func(ctx context.Context) (Out, error) {
		var everything F
		return call(ctx, everything)
	}
}

// mirror asks for a whole list and applies it to its table.
func mirror[W, T any](
	ctx context.Context, r *run, t table[T], call func(context.Context) (*apiclient.List[W], error), from func(*W) T,
) error {
	list, err := call(ctx)
	if err != nil {
		return err
	}
	return apply(ctx, r, t, "", convert(list.Items, from), notes[T]{})
}

// convert turns wire rows into rows of a table.
func convert[W, T any](items []W, from func(*W) T) []T {
	rows := make([]T, len(items))
	for i := range items {
		rows[i] = from(&items[i])
	}
	return rows
}

// fetchProducts also notes what came, went and moved, and withholds from sale what cannot be sold.
func (s *Service) fetchProducts(ctx context.Context, r *run) error {
	list, err := s.d.Upstream.GetProducts(ctx, apiclient.ProductFilter{})
	if err != nil {
		return err
	}
	rows := convert(list.Items, productFrom)
	list.Items = nil // the wire's copy is as large as ours
	for i := range rows {
		if rows[i].Unsellable != "" {
			r.unsellable(&rows[i])
		}
	}
	return apply(ctx, r, productTable, "", rows, notes[Product]{r.noteWritten, r.noteWithdrawn})
}

// fetchTexts goes language by language: all of it is the largest answer there is, and need not be in memory at
// once.
func (s *Service) fetchTexts(ctx context.Context, r *run) error {
	languages, err := s.textLanguages(ctx)
	if err != nil {
		return err
	}
	for _, language := range languages {
		list, err := s.d.Upstream.GetProductDescriptions(ctx, apiclient.ProductDescriptionFilter{
			LanguageCodes: []string{language},
		})
		if err != nil {
			return err
		}
		if err := apply(ctx, r, textTable, language, convert(list.Items, textFrom), notes[Text]{}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) fetchPromotionTexts(ctx context.Context, r *run) error {
	languages, err := s.textLanguages(ctx)
	if err != nil {
		return err
	}
	list, err := s.d.Upstream.GetPromotionDescriptions(ctx, apiclient.PromotionDescriptionFilter{
		LanguageCodes: languages,
	})
	if err != nil {
		return err
	}
	return apply(ctx, r, promotionTextTable, "", convert(list.Items, promotionTextFrom), notes[PromotionText]{})
}
