package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// Memory as Deps.Data keeps nothing beyond the process.
const Memory = ":memory:"

// Deps is what a service is made of.
type Deps struct {
	Data     string           // directory of the journal and keys, or Memory
	Seed     int64            // of the catalogue, receipts and random faults
	Catalog  string           // path of a product list in CSV; "": the own market
	Products int              // how many products; 0: as many as there are
	Now      func() time.Time // the real time
	Log      *slog.Logger
}

// Service is a running simulator. Its methods may be called at the same time.
type Service struct {
	deps  Deps
	log   *slog.Logger
	life  context.Context // ends with Close
	stop  context.CancelFunc
	done  sync.WaitGroup
	shelf atomic.Pointer[shelf]
	keys  *keyring
	wake  chan struct{} // the scheduler has something new to look at

	mu       sync.Mutex
	clock    *clock
	config   Config
	journal  *journal
	book     *book
	limits   *limits
	faults   *faults
	identity *identity
	hooks    *hooks
	traffic  *traffic
	rng      *rand.Rand
}

// New makes a service and starts its background work. It fails if the product
// list, the data directory or its journal cannot be read.
func New(d Deps) (*Service, error) {
	if d.Now == nil {
		return nil, errors.New("make sandbox: Deps.Now is missing")
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	life, stop := context.WithCancel(context.Background()) //nolint:forbidigo // the service's own life, ended by Close
	s := &Service{
		deps: d, log: d.Log, life: life, stop: stop, wake: make(chan struct{}, 1),
		clock: newClock(d.Now), config: defaultConfig(), keys: newKeyring(d.Data),
		limits: newLimits(), identity: newIdentity(), hooks: newHooks(), traffic: newTraffic(),
		rng: rand.New(rand.NewPCG(uint64(d.Seed), 1)), //nolint:gosec // reproducible on purpose
	}
	s.faults = newFaults(s.rng)
	s.book = newBook()
	if err := s.open(); err != nil {
		stop()
		return nil, err
	}
	s.done.Add(1)
	go s.runSchedule()
	return s, nil
}

// open replays the journal and stocks the shelf.
func (s *Service) open() error {
	j, err := openJournal(s.deps.Data, s.replay)
	if err != nil {
		return err
	}
	s.journal = j
	if !s.book.opened {
		if err := s.begin(s.journal.write); err != nil {
			return err
		}
	}
	s.resume()
	stocked, err := s.stock(s.config)
	s.shelf.Store(stocked)
	return err
}

// stock makes the catalogue, in the agent's currency.
func (s *Service) stock(config Config) (*shelf, error) {
	o := catalogue.Options{
		Seed: s.deps.Seed, Currency: config.Currency, Home: config.HomeCountry,
		Products: s.deps.Products, Now: s.deps.Now(),
	}
	if s.deps.Catalog != "" {
		file, err := os.Open(s.deps.Catalog)
		if err != nil {
			return nil, fmt.Errorf("open product list: %w", err)
		}
		defer file.Close() // only read
		o.List = file
	}
	c, err := catalogue.New(o)
	if err != nil {
		return nil, fmt.Errorf("make catalogue: %w", err)
	}
	return newShelf(c), nil
}

// Close ends the background work, waits for it and closes the journal. Calls
// that are delayed or hang on purpose end with it, so it comes before the Close
// of a server that waits for its calls.
func (s *Service) Close() error {
	s.stop()
	s.done.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.close()
}

// Handler serves the interface under /api/V1/, the identity server, the
// interface's description under /swagger/docs/v1 and the console under
// /_sandbox/, all on one address.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, e := range endpoints() {
		mux.HandleFunc("/api/V1/"+e.name, func(w http.ResponseWriter, r *http.Request) { s.watch(w, r, e) })
	}
	mux.HandleFunc("/api/", s.unknownPath)
	s.identityRoutes(mux)
	s.consoleRoutes(mux)
	mux.HandleFunc("GET /swagger/docs/v1", serveOpenAPI)
	mux.Handle("GET /{$}", http.RedirectHandler("/_sandbox/", http.StatusSeeOther))
	return mux
}

// catalogue returns what is on sale now.
func (s *Service) catalogue() *catalogue.Catalogue { return s.shelf.Load().catalogue }
