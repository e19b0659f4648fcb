package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"airtill/internal/store"
)

// Version names what every process should serve.
type Version struct {
	What   string    // the catalogue or the statuses
	Number int64     `gorm:"column:version"` // 0 before the first
	MadeAt time.Time // a restored database counts anew: only both together name a version
	AsOf   time.Time // when the upstream last confirmed it
}

// The two things with versions. Provider statuses change by the minute and must not cost a full rebuild.
const (
	catalogueVersion = "catalogue"
	statusVersion    = "status"
)

// versionOf says which version the rows of a resource are part of.
func versionOf(r Resource) string {
	if r == Statuses {
		return statusVersion
	}
	return catalogueVersion
}

// publish makes a version of what finished runs have written, including those of a process that died before
// publishing, and tells every process.
func (s *Service) publish(ctx context.Context) error {
	var resources []Resource
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		// One statement: a run that ends meanwhile must not be marked and missed. Statuses go out at once; the
		// rest waits for the end of a running sync, whose process publishes it.
		const take = `UPDATE catalog_runs SET published = TRUE
			WHERE written > 0 AND NOT published AND ended_at IS NOT NULL AND (resource = ? OR NOT EXISTS (
				SELECT 1 FROM catalog_runs AS busy WHERE busy.ended_at IS NULL AND busy.lease_until > ?
				AND busy.resource <> ?))
			RETURNING resource`
		if err := tx.Raw(take, Statuses, store.Moment(s.d.Now()), Statuses).Scan(&resources).Error; err != nil {
			return err
		}
		return s.bump(tx, resources)
	})
	if err != nil {
		return fmt.Errorf("publish catalogue: %w", err)
	}
	if len(resources) > 0 {
		return s.announce(ctx)
	}
	return s.Refresh(ctx) // the time as of which it is known may have moved
}

// bump raises the versions of resources, always in one order: two processes may do so at once.
func (s *Service) bump(tx *store.Tx, resources []Resource) error {
	for _, what := range []string{catalogueVersion, statusVersion} {
		if !slices.ContainsFunc(resources, func(r Resource) bool { return versionOf(r) == what }) {
			continue
		}
		const sql = "UPDATE catalog_versions SET version = version + 1, made_at = ? WHERE what = ?"
		if err := tx.Exec(sql, store.Moment(s.d.Now()), what).Error; err != nil {
			return err
		}
	}
	return nil
}

// confirmed notes when the upstream last confirmed a resource. Only those of prices and statuses count. A time to come
// is of a clock that was ahead.
func (s *Service) confirmed(tx *store.Tx, r Resource, at time.Time) error {
	if r != Products && r != Statuses {
		return nil
	}
	return tx.Exec(
		"UPDATE catalog_versions SET as_of = ? WHERE what = ? AND (as_of IS NULL OR as_of < ? OR as_of > ?)", at,
		versionOf(r), at, store.Moment(s.d.Now()),
	).Error
}

// announce serves the new version here, puts it where other processes find it, and tells them. Without Redis
// they find it in the database.
func (s *Service) announce(ctx context.Context) error {
	if err := s.Refresh(ctx); err != nil {
		return err
	}
	if err := s.d.Cache.Put(ctx, s.Current()); err != nil {
		s.d.Log.Warn("catalog.cache_failed", "error", err)
	}
	return nil
}

// Refresh swaps in the newest version, if newer than the served one.
func (s *Service) Refresh(ctx context.Context) error {
	s.swapping.Lock()
	defer s.swapping.Unlock()
	catalogue, status, err := s.versions(ctx)
	if err != nil {
		return err
	}
	next := *s.Current()
	if !next.catalogue.same(catalogue) {
		if next, err = s.load(ctx, catalogue); err != nil {
			return err
		}
		next.status, next.statuses = s.Current().status, s.Current().statuses
	}
	if !next.status.same(status) || next.statuses == nil {
		if next.statuses, err = s.loadStatuses(ctx); err != nil {
			return err
		}
	}
	next.catalogue, next.status = catalogue, status
	s.current.Store(&next)
	return nil
}

func (s *Service) versions(ctx context.Context) (catalogue, status Version, err error) {
	rows, err := store.All[Version](s.d.DB.Read(ctx).Table("catalog_versions"))
	if err != nil {
		return catalogue, status, fmt.Errorf("read catalogue version: %w", err)
	}
	for _, row := range rows {
		if row.What == statusVersion {
			status = row
		} else {
			catalogue = row
		}
	}
	return catalogue, status, nil
}

// cacheWithin is how long a cache is waited for: the database has it all, too.
const cacheWithin = 3 * time.Second

// load finds a version in the cache, or builds it from the tables.
func (s *Service) load(ctx context.Context, v Version) (Snapshot, error) {
	within, cancel := context.WithTimeout(ctx, cacheWithin)
	defer cancel()
	cached, err := s.d.Cache.Get(within, v)
	if err == nil {
		return *cached, nil
	}
	if !errors.Is(err, ErrNotCached) {
		s.d.Log.Warn("catalog.cache_failed", "error", err)
	}
	c, err := s.readContent(ctx)
	if err != nil {
		return Snapshot{}, fmt.Errorf("load catalogue: %w", err)
	}
	return *newSnapshot(c), nil
}

// readContent reads all tables except the statuses. The two long ones are read side by side.
func (s *Service) readContent(ctx context.Context) (c content, err error) {
	reading, within := errgroup.WithContext(ctx)
	reading.Go(func() error { return readInto(within, s.d.DB, textTable, &c.Texts) })
	reading.Go(func() error {
		return errors.Join(
			readInto(within, s.d.DB, countryTable, &c.Countries),
			readInto(within, s.d.DB, providerTable, &c.Providers),
			readInto(within, s.d.DB, productTable, &c.Products),
			readInto(within, s.d.DB, promotionTable, &c.Promotions),
			readInto(within, s.d.DB, promotionTextTable, &c.PromotionTexts),
		)
	})
	if err = reading.Wait(); err == nil {
		c.Products, err = s.withoutHidden(ctx, c.Products)
	}
	return c, err
}

func readInto[T any](ctx context.Context, db *store.DB, t table[T], rows *[]T) (err error) {
	*rows, err = t.live(ctx, db)
	return err
}

func (s *Service) loadStatuses(ctx context.Context) (map[string]Status, error) {
	rows, err := statusTable.live(ctx, s.d.DB)
	if err != nil {
		return nil, err
	}
	statuses := make(map[string]Status, len(rows))
	for _, row := range rows {
		statuses[row.Provider] = row
	}
	return statuses, nil
}

// same says whether two version rows name the same content.
func (v Version) same(other Version) bool {
	return v.Number == other.Number && v.MadeAt.Equal(other.MadeAt)
}
