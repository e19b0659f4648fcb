// Package sales is the heart: it records sales, sends each attempt at most once, and turns whatever becomes
// known of a transfer into states and postings (see the laws and the reducer, Apply).
package sales

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/signal"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// Deps is what the Service needs.
type Deps struct {
	DB      *store.DB
	Client  *apiclient.Client
	Limits  *limit.Service
	Catalog *catalog.Service // nil: rules may name anything
	// Sells is the counter's, which knows this service: a sale is tried again only if it could be made. Nil: of any.
	Sells   func(ctx context.Context, shopID, provider, sku string) (sold, taken bool, err error)
	Vault   *vault.Vault
	Audit   *audit.Log
	Bus     signal.Bus
	Process string // this process's id in the table processes
	Now     func() time.Time
	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Defer sends every transfer deferred: the upstream answers at once, and the
	// outcome comes by webhook or look-up.
	Defer bool
	// Webhooks are expected. Without them nothing is set to be deferred: each outcome would be a look-up.
	Webhooks bool
	// KeepReceipts is how long sealed receipts are retained; at least KeepReceiptsLeast.
	KeepReceipts time.Duration
	// Sold is called with each sale that completes, after its commit; it may be nil.
	Sold func(Sale)
}

// Service sells.
type Service struct {
	d        Deps
	slots    chan struct{} // bounds how many sends run at once
	sends    sync.WaitGroup
	mu       sync.Mutex
	draining bool
	halted   bool
	forms    forms
	notices  gatherer[*apiclient.Notification, Verdict]

	validations validations
	metrics     metrics
	validating  store.Memory[struct{}, []string]
	modes       store.Memory[struct{}, []ModeRule]
}

const maxSends = 8192

// New returns a service.
func New(d Deps) *Service {
	s := &Service{d: d, slots: make(chan struct{}, maxSends), metrics: newMetrics(d.Metrics)}
	s.notices.all = s.takeWebhooks
	return s
}

// Topic is the signal of a sale that moved.
func Topic(saleID string) string { return "sale:" + saleID }

// Observe feeds an observation to the reducer and writes the result, in one transaction that locks the row. An
// observation that changes nothing writes nothing.
func (s *Service) Observe(ctx context.Context, saleID string, o Observation) (Sale, error) {
	return s.move(ctx, saleID, just(o))
}

// ObserveIn is Observe inside the caller's transaction, for an act that writes
// more than the sale.
func (s *Service) ObserveIn(ctx context.Context, tx *store.Tx, saleID string, o Observation) (Sale, error) {
	return s.moveIn(ctx, tx, saleID, just(o))
}

// observing returns what is observed of a locked sale, and may write what belongs to it: if the reducer
// refuses, none of it stands.
type observing func(tx *store.Tx, sale Sale) (Observation, error)

func just(o Observation) observing {
	return func(*store.Tx, Sale) (Observation, error) { return o, nil }
}

// move is moveIn in a transaction of its own.
func (s *Service) move(ctx context.Context, saleID string, observe observing) (Sale, error) {
	var after Sale
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) (err error) {
		after, err = s.moveIn(ctx, tx, saleID, observe)
		return err
	})
	if err != nil {
		return Sale{}, fmt.Errorf("move sale: %w", err)
	}
	return after, nil
}

// moveIn is the one door through which a recorded sale moves: it locks the row, applies the observation, and
// writes the result. Only the permit passes without the lock, by compare-and-set (see permit).
func (s *Service) moveIn(ctx context.Context, tx *store.Tx, saleID string, observe observing) (Sale, error) {
	before, err := lock(ctx, tx, saleID)
	if err != nil {
		return Sale{}, err
	}
	return s.moveLocked(ctx, tx, before, observe)
}

// moveLocked is moveIn for a sale whose row is locked and freshly read.
func (s *Service) moveLocked(ctx context.Context, tx *store.Tx, before Sale, observe observing) (Sale, error) {
	o, err := observe(tx, before)
	if err != nil {
		return Sale{}, err
	}
	o.At = store.Moment(o.At)
	if o.Ref != "" && o.Ref != before.Ref {
		if o.Old, err = tellsOfOld(tx, before.ID, o); err != nil || !o.Old {
			return before, err
		}
	}
	change, err := Apply(before, o)
	if err != nil {
		return Sale{}, err
	}
	if o.Old && o.State == Complete && !change.Late {
		if err := lookAgainForOld(tx, o); err != nil {
			return Sale{}, err
		}
	}
	err = s.write(ctx, tx, before, &change, o)
	return change.Sale, err
}

func lock(ctx context.Context, tx *store.Tx, saleID string) (Sale, error) {
	found, err := lockAll(ctx, tx, []string{saleID})
	if err != nil {
		return Sale{}, err
	}
	sale, known := found[saleID]
	if !known {
		return Sale{}, errNoSale
	}
	return sale, nil
}

// lockAll locks sales in order of their ids, which avoids deadlocks, and returns them by id.
func lockAll(ctx context.Context, tx *store.Tx, saleIDs []string) (map[string]Sale, error) {
	if len(saleIDs) == 0 {
		return nil, nil
	}
	var found []Sale
	ids := make([]any, len(saleIDs))
	for i, id := range saleIDs {
		ids[i] = id
	}
	where := "id IN (" + strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",") + ") ORDER BY id" + tx.ForUpdate()
	err := tx.Rows(ctx, salesWhere(nil, &found, where, ids...).Query())
	sales := make(map[string]Sale, len(found))
	for _, sale := range found {
		sales[sale.ID] = sale
	}
	return sales, err
}

// errMoved: the row was no longer as read.
var errMoved = errors.New("the sale moved on meanwhile")

// write stores a change: row, event, postings and incidents. On PostgreSQL the changes of several sales travel in
// one round trip. It counts and announces the move after the commit.
func (s *Service) write(ctx context.Context, tx *store.Tx, before Sale, c *Change, o Observation) error {
	if !c.Changed {
		return nil
	}
	if c.Moved {
		c.Sale.Events++
	}
	statements := []store.Statement{updateStatement(&before, c.Sale)}
	if c.Moved {
		statements = append(statements, eventStatement(&before, &c.Sale, o))
	}
	if c.Sale.Ref != before.Ref {
		statements = append(statements, replacedStatement(&before, o.At))
	}
	if c.Sale.Attempt != before.Attempt {
		statements = append(statements, attemptStatement(&c.Sale))
	}
	if c.Late {
		statements = append(statements, lateStatement(o.Ref))
	}
	more, err := s.consequences(c, o)
	if err != nil {
		return err
	}
	err = tx.ExecSoon(ctx, func(rows []int64) error {
		if rows[0] != 1 {
			return errMoved
		}
		return nil
	}, append(statements, more...)...)
	if err != nil {
		return err
	}
	moved, incidents := c.Sale, c.Incidents
	if c.Moved {
		tx.AfterCommit(func() {
			s.announce(ctx, before, moved, o)
			s.alarm(ctx, incidents)
		})
	}
	return nil
}

// writeAlone is write in a transaction of its own, if the sale is still as it was read: on PostgreSQL one
// statement. It says whether it was; otherwise nothing is written. A change of more than row, event and
// postings it leaves to write.
func (s *Service) writeAlone(ctx context.Context, before Sale, c *Change, o Observation) (bool, error) {
	if !c.Moved || c.Late || len(c.Incidents)+len(c.Settled) > 0 || c.Sale.Ref != before.Ref {
		return false, nil
	}
	c.Sale.Events++
	more, err := s.consequences(c, o)
	if err != nil {
		return false, err
	}
	guard := updateStatement(&before, c.Sale)
	guard.SQL, guard.Args = guard.SQL+" AND updated_at = ?", append(guard.Args, before.UpdatedAt)
	wrote, err := s.d.DB.Guarded(ctx, guard, append([]store.Statement{eventStatement(&before, &c.Sale, o)}, more...)...)
	if wrote {
		s.announce(ctx, before, c.Sale, o)
	}
	return wrote, err
}

// consequences are the postings and incidents of a change.
func (s *Service) consequences(c *Change, o Observation) ([]store.Statement, error) {
	var entries []ledger.Entry
	for _, j := range c.Journals {
		entries = append(entries, ledger.Entry{
			Key: fmt.Sprintf("%s/%d", c.Sale.ID, c.Sale.Events), SaleID: c.Sale.ID, At: o.At, Journal: j,
		})
	}
	statements, err := ledger.Statements(s.d.DB.Dialect(), entries...)
	if err != nil {
		return nil, err
	}
	for _, incident := range c.Incidents {
		statements = append(statements, incidentStatement(incident))
	}
	if c.Moved && c.Sale.Stopped && c.Sale.Attempt > 1 && c.Sale.Fulfilment.Final() && c.Sale.Fulfilment != Complete {
		statements = append(statements, lookNowStatement(&c.Sale, o.At))
	}
	for _, kind := range c.Settled {
		statements = append(statements, settledStatement(c.Sale.ID, kind, o.At))
	}
	return statements, nil
}

// announce tells what moved, after its commit.
func (s *Service) announce(ctx context.Context, before, after Sale, o Observation) {
	ctx = context.WithoutCancel(ctx)
	s.metrics.moved(before, after, o)
	s.d.Log.InfoContext(ctx, "sale.moved", "sale", after.ID, "cause", o.Cause, "source", o.Source,
		"from", before.position(), "to", after.position(),
		"reason", after.ReasonCode, "provider", after.ProviderCode)
	s.d.Bus.Publish(ctx, Topic(after.ID))
	s.d.Bus.Publish(ctx, TillTopic(after.TillID))
	if after.Fulfilment == Complete && before.Fulfilment != Complete && s.d.Sold != nil {
		s.d.Sold(after)
	}
}

// alarm counts and logs incidents.
func (s *Service) alarm(ctx context.Context, incidents []Incident) {
	for _, i := range incidents {
		s.metrics.incidents.WithLabelValues(string(i.Kind)).Inc()
		s.d.Log.ErrorContext(ctx, "sale.incident", "kind", i.Kind, "sale", i.SaleID, "note", i.Note)
	}
}
