package health

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/jobs"
	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// Requests are sent to a process that can answer them: the first part that cannot is named, and nothing else stands in
// the way.
func TestReady_NamesWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		gone := errors.New("gone")
		broken := func(context.Context) error { return gone }
		fine := func(context.Context) error { return nil }
		for name, c := range map[string]struct {
			deps Deps
			told string
		}{
			"all is well":           {Deps{DB: db, Writes: fine, Sells: fine}, ""},
			"nothing else is known": {Deps{DB: db}, ""},
			"a full disk":           {Deps{DB: db, Writes: broken, Sells: broken}, "not ready: database takes no writes"},
			"about to end":          {Deps{DB: db, Writes: fine, Sells: broken}, "not ready: till"},
			"without Redis":         {Deps{DB: db, Redis: broken}, ""},
		} {
			s := New(c.deps)
			err := s.Ready(t.Context())
			require.Equal(t, c.told, fault.Message(err), name)
			if c.told != "" {
				require.Equal(t, fault.Unavailable, fault.KindOf(err), name)
				require.ErrorIs(t, err, gone, name)
			}
		}
		require.ErrorIs(t, New(Deps{Redis: broken}).Redis(t.Context()), gone)
		require.NoError(t, New(Deps{}).Redis(t.Context()), "it is not used")
	})
}

// A database that is older than the program answers nothing until it is migrated, and is not asked again then.
func TestReady_WaitsForTheSchema(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "sqlite:"+t.TempDir()+"/new.db")
	require.NoError(t, err)
	s := New(Deps{DB: db})
	err = s.Ready(t.Context())
	require.Equal(t, "not ready: schema", fault.Message(err))
	require.ErrorContains(t, err, "run web migrate")
	require.NoError(t, db.Migrate(t.Context()))
	require.NoError(t, s.Ready(t.Context()))
	require.True(t, s.migrated.Load())
	other := s.With(func(d *Deps) { d.Sells = func(context.Context) error { return errors.New("draining") } })
	require.Equal(t, "not ready: till", fault.Message(other.Ready(t.Context())))
	require.NoError(t, s.Ready(t.Context()), "the other is another")
	require.NoError(t, db.Close())
	require.Equal(t, "not ready: database", fault.Message(s.Ready(t.Context())))
}

// What a process counts is read from its metrics: calls by method, the 95th of a hundred by the buckets, and no more.
func TestCounts_AreOfThisProcess(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := New(Deps{Metrics: registry})
	empty, err := s.Counts()
	require.NoError(t, err)
	require.True(t, empty.Answered.IsZero())
	require.Zero(t, empty.Token)
	require.Empty(t, empty.Calls)

	answers := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "airtill_upstream_requests_total"}, []string{"op", "outcome"})
	answered := prometheus.NewGauge(prometheus.GaugeOpts{Name: "airtill_upstream_answered_timestamp_seconds"})
	token := prometheus.NewGauge(prometheus.GaugeOpts{Name: "airtill_upstream_token_age_seconds"})
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "airtill_upstream_request_seconds", Buckets: []float64{.1, .5, 2}}, []string{"op"})
	held := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "airtill_upstream_budget_refused_total"}, []string{"op"})
	other := prometheus.NewCounter(prometheus.CounterOpts{Name: "airtill_something_else_total"})
	registry.MustRegister(answers, answered, token, took, held, other)
	n, err := s.Counts()
	require.NoError(t, err)
	require.True(t, n.Answered.IsZero(), "0 is not 1970")

	answers.WithLabelValues("SendTransfer", "ok").Add(3)
	answers.WithLabelValues("GetBalance", "ok").Add(2)
	answers.WithLabelValues("GetBalance", "failed").Inc()
	answered.Set(1_772_000_000)
	token.Set(90)
	for range 95 {
		took.WithLabelValues("SendTransfer").Observe(.05)
	}
	for range 5 {
		took.WithLabelValues("SendTransfer").Observe(1.05)
	}
	took.WithLabelValues("GetBalance").Observe(60)
	held.WithLabelValues("GetBalance").Add(4)
	held.WithLabelValues("GetProducts").Inc()
	n, err = s.Counts()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"ok": 5, "failed": 1}, n.Upstream)
	require.Equal(t, time.Unix(1_772_000_000, 0), n.Answered)
	require.Equal(t, 90*time.Second, n.Token)
	send := n.Calls["SendTransfer"]
	require.InDelta(t, 100*time.Millisecond, send.Mean, float64(time.Microsecond))
	send.Mean = 0
	require.Equal(t, Calls{Count: 100, Most: 100 * time.Millisecond}, send, "95 of 100 took no longer")
	require.Equal(t, Calls{Held: 1}, n.Calls["GetProducts"], "one that was never made")
	balance := n.Calls["GetBalance"]
	require.EqualValues(t, 4, balance.Held)
	require.EqualValues(t, 1, balance.Count)
	require.Zero(t, balance.Most, "longer than any bucket")
	require.Equal(t, 2*time.Second, balance.Over, "and than which")
	took.WithLabelValues("SendTransfer").Observe(1.05) // the 96th of 101
	n, err = s.Counts()
	require.NoError(t, err)
	require.Equal(t, 2*time.Second, n.Calls["SendTransfer"].Most)
}

// Jobs that were given up, books that do not hold: somebody is told how many, and which.
func TestRules_OfJobsAndBooks(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var givenUp []jobs.GivenUp
	s := New(Deps{
		DB: db, Now: time.Now, Invariants: invariant.New(invariant.Deps{DB: db}),
		GivenUp: func(context.Context) ([]jobs.GivenUp, error) { return givenUp, nil },
	})
	is := func(look func(context.Context) (alert.Tier, []string, error), want alert.Tier, facts ...string) {
		t.Helper()
		tier, got, err := look(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, tier)
		require.Equal(t, facts, got)
	}
	is(s.jobsFailed, alert.Fine)
	givenUp = []jobs.GivenUp{{Kind: "backup", Count: 1}, {Kind: "mail", Count: 2}}
	is(s.jobsFailed, alert.Warning, "3", "backup")

	checked := func(id string, run invariant.Run) {
		run.ID, run.StartedAt, run.EndedAt = id, time.Now(), time.Now()
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Create(&run).Error }))
	}
	is(s.verifyFailed, alert.Fine)
	checked("1", invariant.Run{Holds: true, Findings: []invariant.Finding{}})
	is(s.verifyFailed, alert.Fine)
	checked("2", invariant.Run{Findings: []invariant.Finding{{Name: "I1"}, {Name: "I3", Offenders: []invariant.Offender{{Subject: "x"}}}}})
	is(s.verifyFailed, alert.Critical, "I3")
	checked("3", invariant.Run{Findings: []invariant.Finding{}})
	is(s.verifyFailed, alert.Critical, "unknown")
	checked("4", invariant.Run{Holds: true, Findings: []invariant.Finding{}})
	is(s.verifyFailed, alert.Fine)

	names := map[string]bool{}
	for _, rule := range s.Rules() {
		require.False(t, names[rule.Name], "%s is looked at twice", rule.Name)
		require.NotNil(t, rule.Look, rule.Name)
		names[rule.Name] = true
	}
}

// A shop sees what is its own: its part of the differences, its own mark of the float, and what concerns all.
func TestInShop_ShowsWhatIsTheShops(t *testing.T) {
	t.Parallel()
	db, clock, log := storetest.New(t), time.Now, slog.New(slog.DiscardHandler)
	s := New(Deps{Now: clock, Limits: limit.New(limit.Deps{DB: db, Now: clock, Log: log})})
	s.d.Sales = sales.New(sales.Deps{DB: db, Bus: signal.NewMemory(), Now: clock, Log: log})
	s.d.Reconcile = reconcile.New(reconcile.Deps{DB: db, Sales: s.d.Sales, Ledger: ledger.New(ledger.Deps{DB: db}), Now: clock, Log: log})
	people := staff.New(staff.Deps{DB: db, Now: clock, Audit: audit.New(audit.Deps{DB: db, Now: clock, Log: log}), Log: log, Hashing: stafftest.Hashing()})
	var shops []staff.Shop
	for _, name := range []string{"Main Street", "Harbour"} {
		shop, _, err := people.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: name, Zone: "UTC", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		shops = append(shops, shop)
	}
	found := clock().Add(-time.Hour)
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		if err := tx.Exec("INSERT INTO upstream_balances (id, asked_at, told_at, micros, currency, open_sales) VALUES ('1', ?, ?, 80500000, 'EUR', 0)", found, found).Error; err != nil {
			return err
		}
		if err := tx.Exec("INSERT INTO sale_limits (shop_id, subject, period, measure, currency, most) VALUES (?, 'float', 'each', 'amount', 'EUR', 90000000)", shops[0].ID).Error; err != nil {
			return err
		}
		return tx.Create(&reconcile.Break{
			ID: "1", Kind: reconcile.BalanceDown, Subject: "1", ShopID: shops[1].ID, Currency: "EUR", Evidence: "{}",
			State: reconcile.Open, FoundAt: found, SeenAt: found,
		}).Error
	}))
	open := []alert.Alert{
		{Rule: alert.JobFailed, Tier: alert.Warning, Facts: []string{"1", "backup"}},
		{Rule: alert.BreakOpen, Tier: alert.Critical, Facts: []string{"9", "9"}},
		{Rule: alert.FloatReserve, Tier: alert.Warning, Facts: []string{"80.50 EUR", "Main Street, Harbour"}},
	}
	shown := func(shop staff.Shop) map[string][]string {
		alerts, err := s.InShop(t.Context(), shop, open)
		require.NoError(t, err)
		facts := map[string][]string{}
		for _, a := range alerts {
			facts[a.Rule] = a.Facts
		}
		return facts
	}
	require.Equal(t, map[string][]string{
		alert.JobFailed: {"1", "backup"}, alert.BreakOpen: {"9", "9"}, alert.FloatReserve: {"80.50 EUR", "Main Street, Harbour"},
	}, shown(staff.Shop{}), "who sees all shops sees all")
	require.Equal(t, map[string][]string{alert.JobFailed: {"1", "backup"}, alert.FloatReserve: {"80.50 EUR", "Main Street"}}, shown(shops[0]))
	require.Equal(t, map[string][]string{alert.JobFailed: {"1", "backup"}, alert.BreakOpen: {"1", "0"}}, shown(shops[1]))
	require.Equal(t, []string{"80.50 EUR", "Main Street, Harbour"}, open[2].Facts, "the alert itself stays as it is")
}
