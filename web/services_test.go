package web

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
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
	d.Till = till.New(till.Deps{DB: b.db, Ledger: book, Now: b.clock})
	d.Sales = sales.New(sales.Deps{
		DB: b.db, Ledger: book, Client: upstream, Vault: vault, Audit: chain, Bus: d.Bus, Process: "test", Now: b.clock, Log: log, Metrics: prometheus.NewRegistry(),
	})
	d.Reconcile = reconcile.New(reconcile.Deps{DB: b.db, Client: upstream, Sales: d.Sales, Ledger: book, Process: "test", Now: b.clock, Log: log})
	_, err = d.Till.Open(b.t.Context(), b.shop.ID, b.tills[0].ID, b.users[staff.Cashier].ID, money.Of(100_000_000, "EUR"))
	require.NoError(b.t, err)
}
