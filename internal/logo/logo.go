// Package logo brings providers' logos to the till's own pages. Their addresses come from outside, so nothing
// about them is trusted: only hosts the operator has named are asked, over https, at a checked address; the
// answer is decoded and drawn anew, so that a browser gets pixels and nothing else.
package logo

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/singleflight"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"airtill/internal/dial"
	"airtill/internal/store"
)

// Deps is what logos need.
type Deps struct {
	DB  *store.DB
	Now func() time.Time
	Log *slog.Logger
	// Hosts are where logos may come from; none: no logos.
	Hosts []string
	// Simulator is the host and port of a simulator on loopback, whose logos come over http; "" except in the
	// demo.
	Simulator string
	// Resolve finds the addresses of a host; nil asks the system.
	Resolve dial.Resolve
}

// Logos fetches logos and stores them in the database for all processes.
type Logos struct {
	d      Deps
	client *http.Client
	once   singleflight.Group
	slots  chan struct{}
}

const (
	storedFor = 7 * 24 * time.Hour // a logo
	triedFor  = time.Hour          // after a failure
	atOnce    = 4                  // fetches of this process
)

// New returns the logos.
func New(d Deps) *Logos {
	l := &Logos{d: d, slots: make(chan struct{}, atOnce)}
	l.client = l.newClient()
	return l
}

// Any says whether there is anywhere to get logos from.
func (l *Logos) Any() bool { return len(l.d.Hosts) > 0 || l.d.Simulator != "" }

// stored is a logo, or the note that there is none.
type stored struct {
	URL       string
	Picture   string // a PNG in base64, "" after a failure
	FetchedAt time.Time
}

// TableName names the table.
func (stored) TableName() string { return "logos" }

// Logo returns the logo at an address of the catalogue as a PNG of at most Side pixels a side; nil if there is
// none, for which pages show letters. Only an unreachable database is an error.
func (l *Logos) Logo(ctx context.Context, address string) ([]byte, error) {
	if !l.allowed(address) {
		return nil, nil
	}
	var known stored
	err := l.d.DB.Read(ctx).Take(&known, "url = ?", address).Error
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, fmt.Errorf("read logo: %w", err)
	}
	if l.fresh(known) {
		return known.bytes()
	}
	for {
		renewed, err, _ := l.once.Do(address, func() (any, error) { return l.renew(ctx, known, address) })
		switch {
		case errors.Is(err, errLeft) && ctx.Err() == nil:
			continue // somebody else left, for whom it was fetched
		case errors.Is(err, errLeft):
			return known.bytes()
		case err != nil:
			return nil, err
		}
		return renewed.(stored).bytes()
	}
}

// errLeft says that whoever asked has left, which says nothing of the logo.
var errLeft = errors.New("who asked for the logo has left")

func (l *Logos) fresh(k stored) bool {
	life := storedFor
	if k.Picture == "" {
		life = triedFor
	}
	return k.URL != "" && l.d.Now().Sub(k.FetchedAt) < life
}

// renew fetches a logo and stores it. If that fails, the old one stays in use.
func (l *Logos) renew(ctx context.Context, old stored, address string) (stored, error) {
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-ctx.Done():
		return old, errLeft
	}
	fetched := stored{URL: address, Picture: old.Picture, FetchedAt: l.d.Now()}
	picture, err := l.fetch(ctx, address)
	switch {
	case ctx.Err() != nil:
		return old, errLeft
	case err != nil:
		l.d.Log.InfoContext(ctx, "logo.refused", "error", err)
	default:
		fetched.Picture = base64.StdEncoding.EncodeToString(picture)
	}
	err = l.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return tx.Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "url"}}, UpdateAll: true,
		}).Create(&fetched).Error
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return old, errLeft
	case err != nil:
		return stored{}, fmt.Errorf("store logo: %w", err)
	}
	return fetched, nil
}

func (k stored) bytes() ([]byte, error) {
	if k.Picture == "" {
		return nil, nil
	}
	picture, err := base64.StdEncoding.DecodeString(k.Picture)
	if err != nil {
		return nil, fmt.Errorf("read logo: %w", err)
	}
	return picture, nil
}
