package restore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/counter"
	"airtill/internal/counter/countertest"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/restore"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/store"
	"airtill/internal/till"
	"airtill/internal/vault"
)

// A trail whose end was cut off looks whole, and goes on; the mark knows better,
// and stays.
func TestACutAuditTrailIsNamed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		act := func() {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return w.Uses().Audit.Write(t.Context(), tx, audit.Entry{Actor: audit.Command("test"), Act: audit.ShopChanged, Subject: "thing:1"})
			}))
		}
		for range 5 {
			act()
		}
		require.NoError(t, w.Start(t.Context()))
		noted, _, err := w.mark.Read(t.Context(), "")
		require.NoError(t, err)
		require.Positive(t, noted.Entry)
		tail := func() []restore.Offence {
			offences, read, err := w.Tail(t.Context())
			require.NoError(t, err)
			require.Equal(t, 1, read)
			for _, o := range offences {
				require.Contains(t, invariant.Kinds(), invariant.Kind(o.Problem))
			}
			return offences
		}
		require.Empty(t, tail())

		drops := []string{"ALTER TABLE audit_entries DISABLE TRIGGER ALL", "ALTER TABLE audit_head DISABLE TRIGGER ALL"}
		if db.Dialect() == store.SQLite {
			drops = []string{"DROP TRIGGER audit_entries_no_delete", "DROP TRIGGER audit_head_moves_on"}
		}
		for _, sql := range append(drops, fmt.Sprintf("DELETE FROM audit_entries WHERE seq > %d", noted.Entry-2),
			fmt.Sprintf("UPDATE audit_head SET seq = %[1]d, hash = (SELECT hash FROM audit_entries WHERE seq = %[1]d)", noted.Entry-2)) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				return tx.Exec(sql).Error
			}))
		}
		whole, err := w.Uses().Audit.Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, whole, "by itself it looks whole")
		require.Equal(t, []restore.Offence{{Number: noted.Entry, Problem: "entry.lost"}}, tail())
		for range 3 {
			act()
		}
		require.NoError(t, w.Compare(t.Context()), "selling goes on")
		require.Equal(t, []restore.Offence{{Number: noted.Entry, Problem: "entry.other"}}, tail())
		more := restore.Height{Code: noted.Code, Posting: noted.Posting + 3}
		require.NoError(t, w.mark.Raise(t.Context(), noted.Code, more), "as if three postings had been cut off")
		require.Equal(t, restore.Offence{Number: more.Posting, Problem: "posting.lost"}, tail()[1])
	})
}

// world is a till before an upstream whose list a test writes itself.
type world struct {
	*restore.Service
	t        *testing.T
	db       *store.DB
	sales    *sales.Service
	mark     restore.File
	seller   counter.Seller
	counter  *counter.Service
	listed   atomic.Pointer[[]apiclient.TransferRecordWithErrorCodes]
	answers  atomic.Int64 // how many more the upstream gives
	asked    func()       // called with each question; nil: not
	upstream *httptest.Server
}

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	w := &world{t: t, db: db, mark: restore.File{Path: filepath.Join(t.TempDir(), "mark")}}
	w.list()
	w.answers.Store(1000)
	w.upstream = httptest.NewServer(http.HandlerFunc(w.answer))
	t.Cleanup(w.upstream.Close)
	client, err := apiclient.New(apiclient.Deps{BaseURL: w.upstream.URL, APIKey: "k", Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	log, book := slog.New(slog.DiscardHandler), ledger.New(ledger.Deps{DB: db})
	chain := audit.New(audit.Deps{DB: db, Now: time.Now, Log: log})
	vault, err := vault.New(vault.NewKey())
	require.NoError(t, err)
	w.sales = sales.New(sales.Deps{
		DB: db, Vault: vault, Audit: chain, Limits: limit.New(limit.Deps{DB: db, Audit: chain, Now: time.Now, Log: log}),
		Bus: signal.NewMemory(), Process: "p", Now: time.Now, Log: log,
	})
	w.counter = countertest.New(t, pricing.New(pricing.Deps{DB: db, Audit: chain, Now: time.Now}), w.sales)
	w.Service = restore.New(restore.Deps{DB: db, Client: client, Sales: w.sales, Audit: chain, Marks: []restore.Mark{w.mark}, Log: log, Now: time.Now})
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return ledger.Post(t.Context(), tx, ledger.Entry{Key: "opening/EUR", At: time.Now(), Journal: ledger.OpeningBalance(money.MustParse("100", "EUR"))})
	}))
	shift, err := till.New(till.Deps{DB: db, Ledger: book, Audit: chain, Now: time.Now}).Open(t.Context(), till.Opening{
		Actor: audit.Actor{UserID: "cashier"}, ShopID: "shop", TillID: "till", Float: till.Counted(money.Of(0, "EUR")),
	})
	require.NoError(t, err)
	w.seller = counter.Seller{CashierID: "cashier", ShopID: "shop", Country: "IE", TillID: "till", ShiftID: shift.ID, Language: "en", Currency: "EUR"}
	return w
}

// answer is ListTransferRecords, the only thing that is asked: of one ref, or of all.
func (w *world) answer(out http.ResponseWriter, r *http.Request) {
	if w.answers.Add(-1) < 0 {
		out.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var asked apiclient.ListTransferRecordsRequest
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		out.WriteHeader(http.StatusBadRequest)
		return
	}
	if w.asked != nil {
		w.asked()
	}
	items := *w.listed.Load()
	var body strings.Builder
	for _, item := range items {
		id := item.TransferRecord.TransferId
		if asked.DistributorRef != "" && id.DistributorRef != asked.DistributorRef {
			continue
		}
		if body.Len() > 0 {
			body.WriteString(",")
		}
		fmt.Fprintf(&body, `{"TransferRecord":{"TransferId":{"TransferRef":%q,"DistributorRef":%q},"SkuCode":%q,"CommissionApplied":0,"ProcessingState":"Complete","AccountNumber":"353871234567"},"ResultCode":1,"ErrorCodes":[]}`,
			id.TransferRef, id.DistributorRef, countertest.Irish(w.t).SKU)
	}
	_, _ = fmt.Fprintf(out, `{"ResultCode":1,"ErrorCodes":[],"ThereAreMoreItems":false,"Items":[%s]}`, body.String())
}

// list has the upstream list complete transfers of these refs.
func (w *world) list(refs ...string) {
	items := []apiclient.TransferRecordWithErrorCodes{}
	for i, ref := range refs {
		items = append(items, apiclient.TransferRecordWithErrorCodes{TransferRecord: apiclient.TransferRecord{
			TransferId:      &apiclient.TransferId{TransferRef: fmt.Sprint(i + 1), DistributorRef: ref},
			ProcessingState: apiclient.StateComplete,
		}})
	}
	w.listed.Store(&items)
}

func (w *world) sell(key string) (sales.Sale, error) {
	offer := countertest.Offer(w.t, w.counter, countertest.Ask(w.seller, countertest.Irish(w.t), "353871234567"),
		counter.Confirmation{Key: key, Again: true, Approver: approval.Approver{ID: "m"}})
	sale, _, err := w.sales.Sell(w.t.Context(), offer)
	return sale, err
}

// mustSell records a sale, which is not sent.
func (w *world) mustSell() sales.Sale {
	w.t.Helper()
	sale, err := w.sell(store.NewID(time.Now()))
	require.NoError(w.t, err)
	return sale
}

func (w *world) incidents(kind sales.IncidentKind) (subjects []string) {
	w.t.Helper()
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw("SELECT sale_id FROM incidents WHERE kind = ? ORDER BY sale_id", kind).Scan(&subjects).Error)
	return subjects
}

func TestADatabaseThatGoesOnIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, w.Start(t.Context()))
		w.mustSell()
		require.NoError(t, w.Compare(t.Context()))
		before, known, err := w.mark.Read(t.Context(), "")
		require.NoError(t, err)
		require.True(t, known)
		w.upstream.Close() // no witness, no matter
		require.NoError(t, w.Start(t.Context()))
		after, _, err := w.mark.Read(t.Context(), "")
		require.NoError(t, err)
		require.Equal(t, before, after)
		require.Empty(t, w.incidents(sales.StrayRecord))
	})
}

// cameFurther has the mark tell of a database that had come further than this one, and returns what it told before.
func (w *world) cameFurther() restore.Height {
	w.t.Helper()
	mark, _, err := w.mark.Read(w.t.Context(), "")
	require.NoError(w.t, err)
	require.NoError(w.t, w.mark.Raise(w.t.Context(), "", restore.Height{Code: mark.Code, Posting: mark.Posting + 1000}))
	return mark
}

func TestAnOlderDatabaseDoesNotSellUntilItIsMadeSafe(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, w.Start(t.Context()))
		sale := w.mustSell()
		mark := w.cameFurther()
		require.ErrorIs(t, w.Compare(t.Context()), restore.ErrOlder)
		require.ErrorIs(t, w.Start(t.Context()), restore.ErrOlder)
		require.Contains(t, fault.Message(restore.ErrOlder), "web restored")

		report, err := w.Restored(t.Context(), audit.Command("test"))
		require.NoError(t, err)
		require.NotEqual(t, mark.Code, report.Code)
		require.Len(t, report.Voided, 1)
		require.Equal(t, sale.ID, report.Voided[0].ID)
		require.Equal(t, sales.Voided, report.Voided[0].Fulfilment)
		require.Equal(t, sales.CashRefundDue, report.Voided[0].Cash)
		require.NoError(t, w.Start(t.Context()))
		require.Equal(t, report.Code, w.mustSell().Ref[:4], "refs begin with the new code")

		_, err = w.sales.TryAgain(t.Context(), sale.ID, sales.Act{ShiftID: w.seller.ShiftID})
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		require.Contains(t, fault.Message(err), "before the till was restored")
		_, err = w.sell(store.NewID(time.Now().Add(-time.Hour)))
		require.Equal(t, fault.Conflict, fault.KindOf(err), "nor is a form of then")
		require.Contains(t, fault.Message(err), "from before the till was restored")
	})
}

// A repair that was cut short after the new code leaves the till closed until it was repeated: what is recorded was not
// looked up yet.
func TestARepairThatWasCutShortIsRepeatedBeforeTheTillStarts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, w.Start(t.Context()))
		sale := w.mustSell()
		w.cameFurther()
		require.ErrorIs(t, w.Start(t.Context()), restore.ErrOlder)

		w.answers.Store(1) // the list of the newest, and then no more
		_, err := w.Restored(t.Context(), audit.Command("test"))
		require.Error(t, err)
		w.answers.Store(1000)
		require.ErrorIs(t, w.Start(t.Context()), restore.ErrOlder)

		report, err := w.Restored(t.Context(), audit.Command("test"))
		require.NoError(t, err)
		require.Len(t, report.Voided, 1)
		require.Equal(t, sale.ID, report.Voided[0].ID)
		require.NoError(t, w.Start(t.Context()))
	})
}

// busyMark is a mark at which another process is quicker.
type busyMark struct {
	restore.Mark
	meanwhile func()
}

func (m busyMark) Read(ctx context.Context, name string) (restore.Height, bool, error) {
	m.meanwhile()
	return m.Mark.Read(ctx, name)
}

// What another process sells and marks while this one asks for the mark, as where
// Redis is slow, makes no sound database look old.
func TestAnotherProcessMaySellWhileTheMarkIsRead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, w.Start(t.Context()))
		deps := *w.Uses()
		deps.Marks = []restore.Mark{busyMark{w.mark, func() {
			w.mustSell()
			require.NoError(t, w.Compare(t.Context()))
		}}}
		require.NoError(t, restore.New(deps).Compare(t.Context()))
	})
}

func TestADatabaseOfAnotherInstallationDoesNotSell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	require.NoError(t, w.mark.Raise(t.Context(), "", restore.Height{Code: "LOST", Posting: 5}))
	require.ErrorIs(t, w.Start(t.Context()), restore.ErrOlder, "the file was replaced by a fresh one")
	_, err := w.Restored(t.Context(), audit.Command("test"))
	require.NoError(t, err)
	require.NoError(t, w.Start(t.Context()))
}

func TestTheUpstreamIsAWitness(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, w.Start(t.Context()))
		known := w.mustSell().Ref
		stray := known[:4] + "01ZZZZZZZZZZZZZZZZZZZZZZZZ01"
		w.list("SOMEBODY-ELSES", "ZZZZ"+known[4:], known)
		require.NoError(t, w.Start(t.Context()), "others' transfers are none of ours")
		require.NoError(t, os.Remove(w.mark.Path)) // even without a mark
		w.list(stray, stray, known)
		require.ErrorIs(t, w.Start(t.Context()), restore.ErrOlder)
		require.Equal(t, []string{"ref:" + stray}, w.incidents(sales.StrayRecord))

		// What was recorded here had been sent in the lost time: it is not voided.
		report, err := w.Restored(t.Context(), audit.Command("test"))
		require.NoError(t, err)
		require.Empty(t, report.Voided)
		require.Len(t, report.Found, 1)
		require.Equal(t, sales.Complete, report.Found[0].Fulfilment)
		require.Contains(t, report.Strays, stray)
		require.NoError(t, w.Start(t.Context()), "the strays of then do not stop the new code")
		require.Len(t, w.incidents(sales.StrayRecord), 1, "and are told once")
	})
}

func TestAHaltedTillSellsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.sales.Halt()
	_, err := w.sell(store.NewID(time.Now()))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.True(t, w.sales.Halted())
}
