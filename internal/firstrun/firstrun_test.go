package firstrun_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/firstrun"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// setUp is a till that is being set up.
type setUp struct {
	*firstrun.Service
	t     *testing.T
	db    *store.DB
	audit *audit.Log
}

func newSetUp(t *testing.T, db *store.DB) setUp {
	t.Helper()
	now := func() time.Time { return noon }
	log := audit.New(audit.Deps{DB: db, Now: now, Log: slog.New(slog.DiscardHandler)})
	return setUp{firstrun.New(firstrun.Deps{DB: db, Audit: log, Now: now}), t, db, log}
}

func each(t *testing.T, test func(s setUp)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(newSetUp(t, db)) })
}

func (s setUp) exec(sql string, args ...any) {
	s.t.Helper()
	require.NoError(s.t, s.db.Tx(s.t.Context(), func(tx *store.Tx) error { return tx.Exec(sql, args...).Error }))
}

// done are the steps that are done.
func (s setUp) done() (done []firstrun.Step) {
	s.t.Helper()
	steps, err := s.Steps(s.t.Context())
	require.NoError(s.t, err)
	for _, state := range steps {
		if state.Done {
			done = append(done, state.Step)
		}
	}
	return done
}

func (s setUp) state(step firstrun.Step) firstrun.State {
	s.t.Helper()
	steps, err := s.Steps(s.t.Context())
	require.NoError(s.t, err)
	for _, state := range steps {
		if state.Step == step {
			return state
		}
	}
	s.t.Fatalf("there is no step %s", step)
	return firstrun.State{}
}

func (s setUp) complete() bool {
	s.t.Helper()
	complete, err := s.Complete(s.t.Context())
	require.NoError(s.t, err)
	return complete
}

// product stores one of which nothing but its name matters here.
func (s setUp) product() {
	s.t.Helper()
	columns, err := s.db.Read(s.t.Context()).Migrator().ColumnTypes("products")
	require.NoError(s.t, err)
	var names []string
	var values []any
	for _, c := range columns {
		var value any = "SKU1"
		switch kind := strings.ToUpper(c.DatabaseTypeName()); {
		case strings.Contains(kind, "INT"):
			value = 1
		case strings.Contains(kind, "BOOL"), kind == "NUMERIC":
			value = false
		case strings.Contains(kind, "TIME"):
			value = noon
		}
		names, values = append(names, c.Name()), append(values, value)
	}
	s.exec("INSERT INTO products ("+strings.Join(names, ", ")+") VALUES (?"+strings.Repeat(",?", len(names)-1)+")", values...)
}

// settle are the rows that show each step done, in the order in which a till is set up.
var settle = []struct {
	step firstrun.Step
	do   func(s setUp)
}{
	{firstrun.Credentials, func(s setUp) {
		s.exec("INSERT INTO upstream_balances (id, asked_at, told_at, micros, currency, open_sales) VALUES ('1', ?, ?, 0, 'EUR', 0)", noon, noon)
	}},
	{firstrun.Webhook, func(s setUp) {
		s.exec(`INSERT INTO webhooks (id, digest, received_at, signed_at, encrypted, ref, sale_id, verdict, sealed_body)
			VALUES ('1', '1', ?, ?, FALSE, '', '', 'foreign', '')`, noon, noon)
	}},
	{firstrun.Catalogue, setUp.product},
	{firstrun.Shop, func(s setUp) {
		s.exec(`INSERT INTO shops (id, name, address, tax_id, country, zone, currency, created_at)
			VALUES ('shop', 'Main Street', '', '', 'IE', 'UTC', 'EUR', ?)`, noon)
	}},
	{firstrun.Till, func(s setUp) {
		s.exec("INSERT INTO tills (id, shop_id, number, name) VALUES ('till', 'shop', 1, 'Till 1')")
	}},
	{firstrun.People, func(s setUp) { s.user("aoife", "cashier", "shop") }},
	{firstrun.Printer, func(s setUp) {
		s.exec("INSERT INTO printers (till_id, width, columns, bridge, kick) VALUES ('till', 80, 48, '', FALSE)")
	}},
	{firstrun.Practice, func(s setUp) { s.sale("1", sales.Complete, true) }},
}

func (s setUp) user(id, role string, shop any) {
	s.t.Helper()
	s.exec(`INSERT INTO users (id, username, display_name, role, shop_id, locale, password_hash, epoch, created_at)
		VALUES (?, ?, ?, ?, ?, 'en', '', 0, ?)`, id, id, id, role, shop, noon)
}

func (s setUp) sale(id string, state sales.State, practice bool) {
	s.t.Helper()
	row := sales.Sale{ID: id, IdempotencyKey: id, Code: id, ShiftID: id, Fulfilment: state, Cash: sales.CashEarned, Practice: practice}
	row.Ref = id
	require.NoError(s.t, s.db.Tx(s.t.Context(), func(tx *store.Tx) error { return tx.Create(&row).Error }))
}

// Each step is done by what the database then holds, and by nothing else; with the last nothing is left to do.
func TestEachStepShowsItselfDone(t *testing.T) {
	t.Parallel()
	each(t, func(s setUp) {
		require.Empty(s.t, s.done())
		var done []firstrun.Step
		for _, next := range settle {
			require.False(s.t, s.complete(), "before %s", next.step)
			require.True(s.t, s.state(next.step).Open())
			next.do(s)
			done = append(done, next.step)
			require.Equal(s.t, done, s.done())
		}
		require.True(s.t, s.complete())
		steps, err := s.Steps(s.t.Context())
		require.NoError(s.t, err)
		require.Len(s.t, steps, len(settle))
	})
}

// Nobody sells who is disabled or of no shop, a paper that did not come out is no printer, and a sale counts once it
// went through.
func TestWhatDoesNotCountAsDone(t *testing.T) {
	t.Parallel()
	each(t, func(s setUp) {
		for _, next := range settle[:5] {
			next.do(s)
		}
		s.user("root", "admin", nil)
		require.True(s.t, s.state(firstrun.People).Open(), "an admin does not sell")
		s.user("aoife", "cashier", "shop")
		s.exec("UPDATE users SET disabled_at = ? WHERE id = 'aoife'", noon)
		require.True(s.t, s.state(firstrun.People).Open(), "she does not work here any more")
		s.exec("UPDATE users SET disabled_at = NULL WHERE id = 'aoife'")
		require.False(s.t, s.state(firstrun.People).Open())

		s.exec(`INSERT INTO prints (id, form_key, sale_id, slip, copy, number, user_id, till_id, at)
			VALUES ('1', '1', '1', 'receipt', 'customer', 1, 'aoife', 'till', ?)`, noon)
		require.True(s.t, s.state(firstrun.Printer).Open(), "it was not opened")
		s.exec("UPDATE prints SET opened_at = ?, failed_at = ?", noon, noon)
		require.True(s.t, s.state(firstrun.Printer).Open(), "it did not come out")
		s.exec("UPDATE prints SET failed_at = NULL")
		require.False(s.t, s.state(firstrun.Printer).Open())

		for i, state := range []sales.State{sales.Recorded, sales.Unknown, sales.Failed, sales.Voided} {
			s.sale(string(rune('a'+i)), state, i%2 == 0)
		}
		require.True(s.t, s.state(firstrun.Practice).Open())
		s.sale("z", sales.Complete, false)
		require.False(s.t, s.state(firstrun.Practice).Open(), "a customer's is as good")
	})
}

// What selling depends on can be neither left out nor said to be done; the rest can, by whoever it is, and back again.
func TestOnlyWhatMayBeLeftOutIs(t *testing.T) {
	t.Parallel()
	each(t, func(s setUp) {
		anna := audit.Actor{UserID: "anna", Name: "anna", Role: "admin"}
		optional := map[firstrun.Step]bool{firstrun.Webhook: true, firstrun.Printer: true, firstrun.Practice: true}
		for _, next := range settle {
			require.Equal(s.t, optional[next.step], s.state(next.step).Optional, next.step)
			for _, err := range []error{s.LeaveOut(s.t.Context(), anna, next.step), s.Check(s.t.Context(), anna, next.step)} {
				if optional[next.step] {
					require.NoError(s.t, err, next.step)
					continue
				}
				var refusal *fault.Error
				require.ErrorAs(s.t, err, &refusal, next.step)
				require.Equal(s.t, fault.Invalid, refusal.Kind)
				require.Equal(s.t, "setup.step-needed", refusal.Code)
				require.NotEmpty(s.t, refusal.Message)
			}
		}
		require.Error(s.t, s.LeaveOut(s.t.Context(), anna, "everything"))
		require.Equal(s.t, []firstrun.Step{firstrun.Webhook, firstrun.Printer, firstrun.Practice}, s.done(), "somebody saw them work")
		require.NoError(s.t, s.LeaveOut(s.t.Context(), anna, firstrun.Webhook))
		webhook := s.state(firstrun.Webhook)
		require.True(s.t, webhook.LeftOut && !webhook.Done && !webhook.Open(), "the last word counts")
		require.False(s.t, s.complete())
		for _, next := range settle {
			if !optional[next.step] {
				next.do(s)
			}
		}
		require.True(s.t, s.complete())

		left, err := s.audit.List(s.t.Context(), audit.Filter{Act: audit.SetupLeftOut})
		require.NoError(s.t, err)
		require.Len(s.t, left, 4)
		require.Equal(s.t, "anna", left[0].UserID)
		require.Equal(s.t, audit.Of(audit.Setup, string(firstrun.Webhook)), left[0].Subject)
		checked, err := s.audit.List(s.t.Context(), audit.Filter{Act: audit.SetupChecked})
		require.NoError(s.t, err)
		require.Len(s.t, checked, 3)
	})
}

// A step that was left out and then shows itself done is done.
func TestWhatWasLeftOutMayBeDoneAfterAll(t *testing.T) {
	t.Parallel()
	each(t, func(s setUp) {
		require.NoError(s.t, s.LeaveOut(s.t.Context(), audit.Command("test"), firstrun.Webhook))
		require.False(s.t, s.state(firstrun.Webhook).Done)
		settle[1].do(s)
		require.True(s.t, s.state(firstrun.Webhook).Done)
	})
}
