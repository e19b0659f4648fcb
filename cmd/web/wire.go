package main

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/oklog/ulid/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/v9"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/customer"
	"airtill/internal/forecast"
	"airtill/internal/invariant"
	"airtill/internal/jobs"
	"airtill/internal/ledger"
	"airtill/internal/mail"
	"airtill/internal/pricing"
	"airtill/internal/progress"
	"airtill/internal/reconcile"
	"airtill/internal/report"
	"airtill/internal/restore"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/statement"
	"airtill/internal/store"
	"airtill/internal/till"
	"airtill/web"
)

// books are the rooms that stand on the database alone.
type books struct {
	config     config
	log        *slog.Logger
	db         *store.DB
	audit      *audit.Log
	staff      *staff.Service
	ledger     *ledger.Ledger
	statements *statement.Service
	till       *till.Service
	report     *report.Service
	forecast   *forecast.Service
	pricing    *pricing.Service
	// customers are the shops' customer books.
	customers *customer.Book
	mail      *mail.Mailer
	board     *progress.Board // of long work
}

// openBooks opens the database that the environment names, migrated or not.
func openBooks(ctx context.Context, t terminal) (*books, error) {
	c, err := readConfig(t.env)
	if err == nil {
		err = c.checkDatabase()
	}
	if err != nil {
		return nil, err
	}
	b, err := newBooks(ctx, c, newLog(t.err, c.LogLevel))
	if err == nil {
		b.board.Tell = func(w progress.Work) { tellWork(t.err, w) }
	}
	return b, err
}

// tellWork writes how far long work is, in a line. It goes where the log goes, so
// that the output stays what was asked for.
func tellWork(out io.Writer, w progress.Work) {
	far := strconv.FormatInt(w.Done, 10)
	if w.Total > 0 {
		far += " of " + strconv.FormatInt(w.Total, 10)
	}
	fmt.Fprintf(out, "%s: %s %s\n", w.Kind, far, w.Detail)
}

func newBooks(ctx context.Context, c config, log *slog.Logger) (*books, error) {
	keys, err := c.auditKeys()
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, c.DatabaseURL)
	if err != nil {
		return nil, err
	}
	b := &books{config: c, log: log, db: db, ledger: ledger.New(ledger.Deps{DB: db})}
	b.audit = audit.New(audit.Deps{DB: db, Now: now, Log: log, Keys: keys})
	b.board = progress.New(progress.Deps{DB: db, Now: now, Log: log})
	b.pricing = pricing.New(pricing.Deps{DB: db, Audit: b.audit, Now: now})
	b.till = till.New(till.Deps{DB: db, Ledger: b.ledger, Audit: b.audit, Now: now})
	b.customers = customer.New(customer.Deps{DB: db, Now: now, Log: log, Keep: c.customerKeep()})
	if b.mail, err = c.newMailer(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	b.report = report.New(report.Deps{DB: db, Pricing: b.pricing, Audit: b.audit, Mail: b.mail, Board: b.board, Now: now, Log: log})
	b.forecast = forecast.New(forecast.Deps{Report: b.report, Now: now})
	if b.staff, err = staff.New(staff.Deps{DB: db, Now: now, Audit: b.audit, Log: log}); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	b.statements = statement.New(statement.Deps{DB: db, Staff: b.staff, Now: now, Log: log})
	return b, nil
}

// upToDate fails if the schema is older than this binary.
func (b *books) upToDate(ctx context.Context) error {
	pending, err := b.db.Pending(ctx)
	if err == nil && pending {
		err = errors.New("the database is older than this program; run web migrate first")
	}
	return err
}

// shop is the whole program: everything that sells.
type shop struct {
	*books
	process    string
	metrics    *prometheus.Registry
	redis      *redis.Client // nil: this process is alone
	bus        signal.Bus
	client     *apiclient.Client
	catalog    *catalog.Service
	approvals  *approval.Desk
	sales      *sales.Service
	reconcile  *reconcile.Service
	restore    *restore.Service
	invariants *invariant.Service
	alerts     *alert.Service
	jobs       *jobs.Runner
	pages      *web.Pages
	sold       chan sales.Sale
	stopping   atomic.Bool
	wroteAt    atomic.Int64 // when the database last took a beat down, in nanoseconds
	closers    []func() error
}

// newShop builds everything on open books. Nothing runs yet.
func newShop(ctx context.Context, b *books) (*shop, error) {
	s := &shop{books: b, process: ulid.Make().String(), metrics: prometheus.NewRegistry(), sold: make(chan sales.Sale, soldAtOnce)}
	s.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	vault, err := b.config.vaultKey()
	if err != nil {
		return nil, err
	}
	for _, build := range []func() error{
		func() error { return s.connect(ctx) },
		func() error { return s.buildCatalog(vault) },
		func() error { return s.buildSales(vault) },
		s.buildJobs,
		s.buildPages,
	} {
		if err := build(); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// close ends what newShop began; the books stay open.
func (s *shop) close() error {
	var all []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		all = append(all, s.closers[i]())
	}
	return errors.Join(all...)
}

func (s *shop) closing(f func() error) { s.closers = append(s.closers, f) }

// connect makes the clients of Redis and of the upstream. Neither has to be
// there: the till starts without them, and says so.
func (s *shop) connect(ctx context.Context) error {
	if err := s.connectRedis(ctx); err != nil {
		return err
	}
	c := s.config
	budget, err := s.budget()
	if err != nil {
		return err
	}
	client, err := newUpstream(c, budget, s.metrics, s.log)
	if err != nil {
		return err
	}
	s.client = client
	s.closing(func() error { client.Close(); return nil })
	return nil
}

func newUpstream(c config, budget apiclient.Budget, metrics prometheus.Registerer, log *slog.Logger) (*apiclient.Client, error) {
	return apiclient.New(apiclient.Deps{
		BaseURL: c.UpstreamBaseURL, AuthURL: c.UpstreamAuthURL, APIKey: string(c.UpstreamAPIKey),
		ClientID: c.UpstreamClientID, ClientSecret: string(c.UpstreamClientSecret),
		Budget: budget, Metrics: metrics, Log: log, Now: now,
	})
}

// budget is shared by all processes with the same credential. Beside a SQLite
// file, which one process has at a time, it is kept from one to the next.
func (s *shop) budget() (apiclient.Budget, error) {
	path, file := strings.CutPrefix(s.config.DatabaseURL, "sqlite:")
	switch {
	case s.redis != nil:
		return apiclient.NewRedisBudget(s.redis, s.config.UpstreamClientID+string(s.config.UpstreamAPIKey), now, s.log), nil
	case !file:
		return apiclient.NewMemoryBudget(now), nil
	}
	budget, err := apiclient.OpenFileBudget(path+".calls", now)
	if err == nil {
		s.closing(budget.Close)
	}
	return budget, err
}

// redisPrefix begins the keys of this program.
const redisPrefix = "airtill:"

func (s *shop) buildCatalog(vault string) (err error) {
	// Numbers are hashed with a key that follows from the vault's: one secret
	// less to keep, and a new vault key only makes known numbers unknown.
	key, err := hkdf.Key(sha256.New, []byte(vault), nil, "airtill remembered numbers", sha256.Size)
	if err != nil {
		return err
	}
	d := catalog.Deps{DB: s.db, Upstream: s.client, NumberKey: key, Metrics: s.metrics, Board: s.board, Log: s.log, Now: now}
	if s.redis != nil {
		d.Cache = catalog.NewRedisCache(s.redis.WithTimeout(catalogueWithin), redisPrefix)
	}
	if s.catalog, err = catalog.New(d); err == nil {
		s.closing(func() error { s.catalog.Close(); return nil })
	}
	return err
}

func (s *shop) buildSales(vaultKey string) error {
	vault, err := sales.NewVault(vaultKey)
	if err != nil {
		return err
	}
	s.sales = sales.New(sales.Deps{
		DB: s.db, Ledger: s.ledger, Client: s.client, Vault: vault, Audit: s.audit, Bus: s.bus, Process: s.process,
		Now: now, Log: s.log, Metrics: s.metrics, Sold: s.hearSold, Defer: s.config.SendMode == sendDefer,
		KeepReceipts: s.config.receiptKeep(),
	})
	s.restore = s.newRestore()
	s.approvals = approval.New(approval.Deps{DB: s.db, Audit: s.audit, Bus: s.bus, Now: now})
	s.reconcile = reconcile.New(reconcile.Deps{
		DB: s.db, Client: s.client, Sales: s.sales, Ledger: s.ledger, Audit: s.audit, Process: s.process, Now: now, Log: s.log, Seen: s.restore.Seen,
	})
	s.invariants = s.newInvariants(s.reconcile.ReadBalance, s.metrics)
	s.alerts = s.newAlerts()
	return nil
}

// vaultKey returns the text of the vault's key file. Beside a SQLite file that
// only this machine uses, the first start makes one.
func (c config) vaultKey() (string, error) {
	path := c.VaultKeyFile
	if path == "" {
		path = strings.TrimPrefix(c.DatabaseURL, "sqlite:") + ".vault-key"
		if err := writeVaultKey(path); err != nil && !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("vault key: %w", err)
		}
	}
	body, err := readKey(path)
	if err != nil {
		return "", fmt.Errorf("vault key: %w", err)
	}
	return string(body), nil
}

// auditKeys are the keys that sign the audit trail: one follows from each line of
// the vault's, so that there is one secret to keep. A command on PostgreSQL without
// VAULT_KEY_FILE has none.
func (c config) auditKeys() ([]audit.Key, error) {
	if c.VaultKeyFile == "" && !strings.HasPrefix(c.DatabaseURL, "sqlite:") {
		return nil, nil
	}
	text, err := c.vaultKey()
	if err != nil {
		return nil, err
	}
	var keys []audit.Key
	for line := range strings.Lines(text) {
		id, secret, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(id, "#") {
			continue
		}
		key, err := hkdf.Key(sha256.New, []byte(secret), nil, "airtill audit trail", sha256.Size)
		if err != nil {
			return nil, err
		}
		keys = append(keys, audit.Key{ID: id, Secret: key})
	}
	return keys, nil
}

// writeVaultKey makes a file with a new key; it never overwrites one.
func writeVaultKey(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(sales.NewVaultKey())
	return errors.Join(err, file.Sync(), file.Close())
}
