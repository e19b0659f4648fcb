package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/v9"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/approval"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/firstrun"
	"airtill/internal/followup"
	"airtill/internal/health"
	"airtill/internal/invariant"
	"airtill/internal/jobs"
	"airtill/internal/limit"
	"airtill/internal/logo"
	"airtill/internal/person"
	"airtill/internal/receipt"
	"airtill/internal/reconcile"
	"airtill/internal/restore"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/vault"
	"airtill/web/locale"
)

// App is the whole till: everything that sells.
type App struct {
	*Books
	Process    string
	Processes  *jobs.Processes
	Metrics    *prometheus.Registry
	Redis      *redis.Client // nil: this process is alone
	Bus        signal.Bus
	Client     *apiclient.Client
	Webhook    *apiclient.Webhook
	Catalog    *catalog.Service
	Approvals  *approval.Desk
	Counter    *counter.Service
	Limits     *limit.Service
	Sales      *sales.Service
	FollowUp   *followup.Service
	Reconcile  *reconcile.Service
	Restore    *restore.Service
	Invariants *invariant.Service
	Health     *health.Service
	Alerts     *alert.Service
	Jobs       *jobs.Runner
	Receipts   *receipt.Service
	Logos      *logo.Logos
	Setup      *firstrun.Service
	Persons    *person.Service
	AddressKey []byte // seals a customer's number in addresses
	sold       chan sales.Sale
	soldLast   chan struct{} // closed once no sale completes any more
	remembered chan struct{} // closed once all is written down
	stopping   atomic.Bool
	wroteAt    atomic.Int64 // when the database last wrote a beat, in nanoseconds
	closers    []func() error
}

// New builds everything on open books. Nothing runs yet.
func New(ctx context.Context, b *Books) (*App, error) {
	a := &App{
		Books: b, Process: cmp.Or(b.d.Process, store.NewID(b.Now())), Metrics: prometheus.NewRegistry(),
		sold: make(chan sales.Sale, soldAtOnce), soldLast: make(chan struct{}),
	}
	a.Processes = jobs.NewProcesses(b.DB, a.Process, b.Now)
	a.Metrics.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	vault, err := b.vaultKey()
	if err != nil {
		return nil, err
	}
	if a.AddressKey, err = b.numbersKey(numbersInAddresses); err != nil {
		return nil, err
	}
	for _, build := range []func() error{
		func() error { return a.connect(ctx) },
		a.buildCatalog,
		func() error { return a.buildSales(vault) },
		a.buildDesk,
		a.buildJobs,
	} {
		if err := build(); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

// Close ends what New began; the books stay open.
func (a *App) Close() error {
	var all []error
	for _, end := range slices.Backward(a.closers) {
		all = append(all, end())
	}
	return errors.Join(all...)
}

func (a *App) closing(f func() error) { a.closers = append(a.closers, f) }

// connect makes the clients of Redis and the upstream. The till starts without either, and says so.
func (a *App) connect(ctx context.Context) error {
	if err := a.connectRedis(ctx); err != nil {
		return err
	}
	client, end, err := a.upstream(a.Redis, a.Metrics)
	if err != nil {
		return err
	}
	a.Client = client
	a.Processes.Ahead = client.ClockAhead
	a.closing(end)
	return nil
}

// redisPrefix begins the keys of this program.
const redisPrefix = "airtill:"

func (a *App) buildCatalog() (err error) {
	key, err := a.numbersKey(rememberedNumbers)
	if err != nil {
		return err
	}
	d := catalog.Deps{
		DB: a.DB, Upstream: a.Client, NumberKey: key, Metrics: a.Metrics, Board: a.Board, Log: a.Log, Now: a.Now,
	}
	for _, language := range locale.Languages() {
		d.Languages = append(d.Languages, language.Tag)
	}
	for _, language := range locale.CustomerLanguages() {
		d.Further = append(d.Further, language.Tag)
	}
	if a.Redis != nil {
		secret, err := a.numbersKey(catalogueInRedis)
		if err != nil {
			return err
		}
		d.Cache = catalog.NewRedisCache(a.Redis.WithTimeout(catalogueWithin), redisPrefix, secret)
	}
	if a.Catalog, err = catalog.New(d); err == nil {
		a.closing(func() error { a.Catalog.Close(); return nil })
	}
	return err
}

func (a *App) buildSales(vaultKey string) error {
	vault, err := vault.New(vaultKey)
	if err != nil {
		return err
	}
	a.Limits = limit.New(limit.Deps{DB: a.DB, Audit: a.Audit, Now: a.Now, Log: a.Log, Metrics: a.Metrics})
	a.Sales = sales.New(sales.Deps{
		DB: a.DB, Limits: a.Limits, Catalog: a.Catalog, Client: a.Client, Vault: vault,
		Audit: a.Audit, Bus: a.Bus, Process: a.Process, Now: a.Now, Log: a.Log, Metrics: a.Metrics, Sold: a.hearSold,
		Defer: a.Config.SendMode == SendDefer, Webhooks: a.Config.Webhooks(), KeepReceipts: a.Config.ReceiptKeep(),
		Sells: func(ctx context.Context, shopID, provider, sku string) (sold, taken bool, err error) {
			return a.Counter.Sells(ctx, shopID, provider, sku) // built next
		},
	})
	a.Counter = counter.New(counter.Deps{
		Catalog: a.Catalog, Pricing: a.Pricing, Sales: a.Sales, Popular: a.popular, Log: a.Log, Now: a.Now,
	})
	a.Restore = restore.New(restore.Deps{
		DB: a.DB, Client: a.Client, Sales: a.Sales, Audit: a.Audit, Marks: a.Config.Marks(a.Redis),
		Presence: a.presence(), Log: a.Log, Now: a.Now,
	})
	a.Reconcile = reconcile.New(reconcile.Deps{
		DB: a.DB, Client: a.Client, Sales: a.Sales, Ledger: a.Ledger, Audit: a.Audit, Now: a.Now, Log: a.Log,
	})
	a.FollowUp = followup.New(followup.Deps{
		DB: a.DB, Client: a.Client, Sales: a.Sales, Audit: a.Audit, Processes: a.Processes,
		Now: a.Now, Log: a.Log, Seen: a.Restore.Seen, Float: a.Reconcile.WatchFloat, FloatWaits: a.Reconcile.FloatWaits,
	})
	a.Webhook, err = a.Config.newWebhook(a.Log, a.Now)
	return err
}

// presence is nil without Redis.
func (a *App) presence() *restore.Presence {
	if a.Redis == nil {
		return nil
	}
	return &restore.Presence{Client: a.Redis, Prefix: redisPrefix, Process: a.Process}
}

// popular is what a shop sells most, passed as a function since counter may not import report.
func (a *App) popular(ctx context.Context, shopID string) (counter.Popular, error) {
	sold, err := a.Report.Popular(ctx, shopID)
	return counter.Popular(sold), err
}

// buildDesk builds what office and counter need besides sales.
func (a *App) buildDesk() error {
	a.Approvals = approval.New(approval.Deps{
		DB: a.DB, Audit: a.Audit, Bus: a.Bus, Now: a.Now, Roles: staff.Approving(),
	})
	a.Receipts = receipt.New(receipt.Deps{DB: a.DB, Audit: a.Audit, Now: a.Now})
	var err error
	if a.Persons, err = a.CustomersData(); err != nil {
		return err
	}
	a.Setup = firstrun.New(firstrun.Deps{DB: a.DB, Audit: a.Audit, Now: a.Now})
	a.Logos = logo.New(logo.Deps{
		DB: a.DB, Now: a.Now, Log: a.Log, Hosts: a.Config.LogoHosts, Simulator: a.Config.LogoSimulator,
	})
	a.Invariants = a.Checks(a.Reconcile.ReadBalance, a.Metrics)
	a.Health = health.New(health.Deps{
		DB: a.DB, Staff: a.Staff, Catalog: a.Catalog, Limits: a.Limits, Sales: a.Sales, Reconcile: a.Reconcile,
		Forecast: a.Forecast, Invariants: a.Invariants, Budgets: a.Client.Budgets, Processes: a.Processes,
		GivenUp: func(ctx context.Context) ([]jobs.GivenUp, error) { return a.Jobs.GivenUp(ctx) }, // built last
		Redis:   a.PingRedis(), Writes: a.writes, Sells: a.sells, Metrics: a.Metrics, Log: a.Log, Now: a.Now,
	})
	a.Alerts = a.newAlerts()
	return nil
}

// buildJobs gathers the work of every room.
func (a *App) buildJobs() (err error) {
	var all []jobs.Job
	for _, room := range []interface{ Jobs() []jobs.Job }{
		a.Catalog, a.Sales, a.FollowUp, a.Reconcile, a.Report, a.Statements, a.Invariants, a.Customers, a.Approvals,
		a.Alerts, a.Staff,
	} {
		all = append(all, room.Jobs()...)
	}
	a.Jobs, err = jobs.New(jobs.Deps{
		DB: a.DB, Process: a.Process, Metrics: a.Metrics, Log: a.Log, Now: a.Now, Upstream: whyUpstream,
		RightClock: a.rightClock,
	}, all...)
	return err
}

// whyUpstream says why a call of the upstream failed; "" of every other error.
func whyUpstream(err error) jobs.Reason {
	var e *apiclient.Error
	switch {
	case !errors.As(err, &e):
		return ""
	case e.Limited():
		return jobs.Busy
	case e.Status == 0:
		return jobs.Service
	}
	return jobs.Refused
}
