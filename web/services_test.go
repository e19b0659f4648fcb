package web

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/customer"
	"airtill/internal/firstrun"
	"airtill/internal/invariant"
	"airtill/internal/jobs"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/progress"
	"airtill/internal/receipt"
	"airtill/internal/reconcile"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/statement"
	"airtill/internal/till"
)

// services fills in what the screens stand on: an empty catalogue, an upstream
// that does not answer, and an open shift at the first till.
func (b *bench) services(d *Deps, log *slog.Logger) {
	b.t.Helper()
	upstream, err := apiclient.New(apiclient.Deps{BaseURL: "http://127.0.0.1:1", AuthURL: "http://127.0.0.1:1", APIKey: "key", Log: log, Now: b.clock})
	require.NoError(b.t, err)
	b.t.Cleanup(upstream.Close)
	d.Catalog, err = catalog.New(catalog.Deps{DB: b.db, Upstream: upstream, NumberKey: make([]byte, 32), Log: log, Now: b.clock})
	require.NoError(b.t, err)
	b.t.Cleanup(d.Catalog.Close)
	vault, err := sales.NewVault(sales.NewVaultKey())
	require.NoError(b.t, err)
	book, chain := ledger.New(ledger.Deps{DB: b.db}), audit.New(audit.Deps{DB: b.db, Now: b.clock, Log: log})
	d.Bus = signal.NewMemory()
	d.Customers = customer.New(customer.Deps{DB: b.db, Now: b.clock, Log: log})
	d.Approvals = approval.New(approval.Deps{DB: b.db, Audit: chain, Bus: d.Bus, Now: b.clock})
	d.Receipts = receipt.New(receipt.Deps{DB: b.db, Audit: chain, Now: b.clock})
	d.Till = till.New(till.Deps{DB: b.db, Ledger: book, Audit: chain, Now: b.clock})
	d.Sales = sales.New(sales.Deps{
		DB: b.db, Ledger: book, Client: upstream, Vault: vault, Audit: chain, Bus: d.Bus, Process: "test", Now: b.clock, Log: log, Metrics: prometheus.NewRegistry(),
	})
	d.Invariants = invariant.New(invariant.Deps{DB: b.db, Ledger: book, Audit: chain, Staff: b.staff, Log: log, Now: b.clock})
	d.Pricing = pricing.New(pricing.Deps{DB: b.db, Audit: chain, Now: b.clock})
	d.Audit = chain
	d.Board = progress.New(progress.Deps{DB: b.db, Now: b.clock, Log: log})
	d.Setup = firstrun.New(firstrun.Deps{DB: b.db, Audit: chain, Now: b.clock})
	d.Alerts = alert.New(alert.Deps{DB: b.db, Audit: chain, Now: b.clock, Log: log, WebhookURL: "http://127.0.0.1:1", Words: func(rule string, _ alert.Tier, _ []string) string { return rule }})
	d.Report = report.New(report.Deps{DB: b.db, Pricing: d.Pricing, Now: b.clock, Log: log})
	d.Statements = statement.New(statement.Deps{DB: b.db, Staff: b.staff, Now: b.clock, Log: log})
	d.Reconcile = reconcile.New(reconcile.Deps{DB: b.db, Client: upstream, Sales: d.Sales, Ledger: book, Audit: chain, Process: "test", Now: b.clock, Log: log})
	d.Jobs, err = jobs.New(jobs.Deps{DB: b.db, Process: "test", Metrics: prometheus.NewRegistry(), Log: log, Now: b.clock})
	require.NoError(b.t, err)
	_, err = d.Till.Open(b.t.Context(), till.Opening{
		Actor: audit.Actor{UserID: b.users[staff.Cashier].ID}, ShopID: b.shop.ID, TillID: b.tills[0].ID, Float: till.Counted(money.Of(100_000_000, "EUR")),
	})
	require.NoError(b.t, err)
}
