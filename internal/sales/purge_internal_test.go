package sales

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// cupboard is a service with receipts to keep or to throw away.
type cupboard struct {
	*Service
	t   *testing.T
	db  *store.DB
	log strings.Builder
}

const someDay = 24 * time.Hour

func newCupboard(t *testing.T, db *store.DB) *cupboard {
	t.Helper()
	c := &cupboard{t: t, db: db}
	keys, err := vault.New(vault.NewKey())
	require.NoError(t, err)
	now := func() time.Time { return noon }
	c.Service = New(Deps{
		DB: db, Vault: keys, Now: now, Log: slog.New(slog.NewTextHandler(&c.log, nil)),
		Audit: audit.New(audit.Deps{DB: db, Now: now, Log: slog.New(slog.DiscardHandler)}),
	})
	return c
}

// put stores many sales that ended so long ago, each with a receipt.
func (c *cupboard) put(many int, ago time.Duration, change func(i int, s *Sale)) {
	c.t.Helper()
	rows := make([]Sale, many)
	for i := range rows {
		at := store.Moment(noon.Add(-ago).Add(time.Duration(i) * time.Millisecond))
		s := Sale{
			ID: store.NewID(at), Fulfilment: Complete, Cash: CashEarned, Number: i, ShiftID: ago.String(),
			RecordedAt: at, FinalAt: &at, UpdatedAt: at,
		}
		s.AttemptAt, s.PINHint = at, "9012"
		s.IdempotencyKey, s.Code, s.Ref = s.ID, s.ID, s.ID
		var err error
		s.SealedReceipt, err = c.d.Vault.Seal(s.ID, vault.Receipt{Params: map[string]string{"pin": "1", "serial": fmt.Sprint("S", i)}})
		require.NoError(c.t, err)
		change(i, &s)
		rows[i] = s
	}
	require.NoError(c.t, c.db.Tx(c.t.Context(), func(tx *store.Tx) error { return tx.CreateInBatches(rows, 100).Error }))
}

func (c *cupboard) count(table, where string, args ...any) (n int64) {
	c.t.Helper()
	require.NoError(c.t, c.db.Read(c.t.Context()).Table(table).Where(where, args...).Count(&n).Error)
	return n
}

// purges is how many runs are on record.
func (c *cupboard) purges() int64 {
	c.t.Helper()
	records, err := c.d.Audit.List(c.t.Context(), audit.Filter{Act: audit.ReceiptsPurged})
	require.NoError(c.t, err)
	return int64(len(records))
}

// However many receipts have expired, all go, and of those between them the ones that are redeemable stay.
func TestPurge_GoesThroughAllReceipts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newCupboard(t, db)
		const many, kept = purgeAtOnce + 40, 4
		c.put(many, 200*someDay, func(i int, s *Sale) {
			if i%(many/kept) == 0 {
				s.Validity = "P1Y"
			}
		})
		c.put(1, 300*someDay, func(_ int, s *Sale) { s.Fulfilment, s.Cash, s.FinalAt = Unknown, CashTaken, nil })
		require.NoError(t, c.Purge(t.Context()))
		require.EqualValues(t, kept+1, c.count("sales", "sealed_receipt <> ''"), "with that of the sale that is open")
		require.EqualValues(t, many+1, c.count("sales", "pin_hint = '9012' AND serial_hash <> ''"), "what names a PIN stays")
		require.EqualValues(t, 1, c.purges())
		require.NoError(t, c.Purge(t.Context()))
		require.EqualValues(t, 1, c.purges(), "a run that finds nothing is not on record")
	})
}

// Bodies of webhooks go with the receipts they may repeat, stops of limits after more than a year; their rows and
// younger ones stay.
func TestPurge_OfWebhooksAndStops(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newCupboard(t, db)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			for name, ago := range map[string]time.Duration{"old": KeepReceiptsLeast + time.Minute, "young": KeepReceiptsLeast - time.Minute} {
				if err := tx.Exec(`INSERT INTO webhooks (id, digest, received_at, signed_at, encrypted, ref, sale_id, verdict, sealed_body)
					VALUES (?, ?, ?, ?, FALSE, '', '', 'applied', 'sealed')`, name, name, noon.Add(-ago), noon).Error; err != nil {
					return err
				}
			}
			for name, ago := range map[string]time.Duration{"old": keepStops + time.Minute, "young": keepStops - time.Minute} {
				if err := tx.Exec(`INSERT INTO limit_stops (id, at, shop_id, till_id, cashier_id, subject, period, measure, currency, most,
					used, sku_code, price_micros, price_currency, sale_id, approver)
					VALUES (?, ?, 's', 't', 'c', 'number', 'day', 'count', '', 1, 1, '', 1, 'EUR', '', '')`, name, noon.Add(-ago)).Error; err != nil {
					return err
				}
			}
			return nil
		}))
		require.NoError(t, c.Purge(t.Context()))
		require.EqualValues(t, 2, c.count("webhooks", "TRUE"))
		require.EqualValues(t, 1, c.count("webhooks", "id = 'old' AND sealed_body = ''"))
		require.EqualValues(t, 1, c.count("webhooks", "id = 'young' AND sealed_body <> ''"))
		require.EqualValues(t, 1, c.count("limit_stops", "TRUE"))
		require.EqualValues(t, 1, c.count("limit_stops", "id = 'young'"))
	})
}

// Receipts sealed before there were hashes of serials get theirs; one that no key opens holds nobody up, and is told
// of once for all.
func TestSerialsAreHashedAfterwards(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newCupboard(t, db)
		foreign, err := vault.New(vault.NewKey())
		require.NoError(t, err)
		const many, shut = purgeAtOnce + 20, 3
		c.put(many, someDay, func(i int, s *Sale) {
			if i < shut {
				s.SealedReceipt, err = foreign.Seal(s.ID, vault.Receipt{Text: "shut"})
				require.NoError(t, err)
			}
		})
		require.NoError(t, c.indexSerials(t.Context()))
		require.EqualValues(t, many-shut, c.count("sales", "serial_hash <> ''"))
		hash := c.d.Vault.SerialHash(vault.Receipt{Params: map[string]string{"serial": fmt.Sprint("S", many-1)}})
		require.EqualValues(t, 1, c.count("sales", "serial_hash = ?", hash))
		require.Equal(t, 1, strings.Count(c.log.String(), "serials.sealed"), c.log.String())
		require.Contains(t, c.log.String(), "receipts=3")
		found, err := c.List(t.Context(), Filter{Search: fmt.Sprint(" s-", many-1)})
		require.NoError(t, err)
		require.Len(t, found, 1, "and is found by what is on the paper")
	})
}

// Where a run fails, or its time is too short, what is gone by then is on record: the next run finds nothing of it.
func TestPurge_WhatIsGoneIsOnRecordThoughTheRunFails(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newCupboard(t, db)
		c.put(purgeAtOnce+1, 200*someDay, func(i int, s *Sale) {
			if s.SerialHash = "-"; i%purgeAtOnce == 0 {
				s.ProviderRef = "one of two"
			}
		})
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { // the second of them cannot be written
			storetest.AsOwner(t, tx)
			return tx.Exec("CREATE UNIQUE INDEX stuck ON sales (provider_ref) " +
				"WHERE provider_ref = 'one of two' AND sealed_receipt = ''").Error
		}))
		require.ErrorIs(t, c.Purge(t.Context()), gorm.ErrDuplicatedKey)
		require.EqualValues(t, 1, c.count("sales", "sealed_receipt <> ''"))
		require.EqualValues(t, 1, c.purges())
	})
}

// Bodies go in parts, so that whoever sells waits for one part at most, and what is done stays done.
func TestPurge_OfManyWebhooksIsDoneInParts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newCupboard(t, db)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			refuse := "CREATE TRIGGER refused BEFORE UPDATE ON webhooks WHEN NEW.digest = '3501' " +
				"BEGIN SELECT RAISE(ABORT, 'refused'); END"
			if db.Dialect() == store.Postgres {
				refuse = "ALTER TABLE webhooks ADD CONSTRAINT refused CHECK (digest <> '3501' OR sealed_body <> '')"
			}
			return errors.Join(tx.Exec(`INSERT INTO webhooks
				(id, digest, received_at, signed_at, encrypted, ref, sale_id, verdict, sealed_body)
				WITH RECURSIVE n (i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 3501)
				SELECT 'old' || i, i, @at, @at, FALSE, '', '', '', 'sealed' FROM n`,
				map[string]any{"at": store.Moment(noon.Add(-10 * 365 * someDay))},
			).Error, tx.Exec(refuse).Error)
		}))
		require.ErrorContains(t, c.Purge(t.Context()), "refused")
		require.EqualValues(t, 1, c.count("webhooks", "sealed_body <> ''"))
	})
}

// TestWhatIsPurgedIsFoundWithoutReadingAll: every night looks for it, among all that was ever sold and told.
func TestWhatIsPurgedIsFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newCupboard(t, db)
		asked := storetest.Recorded(t, db)
		require.NoError(t, c.Purge(t.Context()))
		indexes := []string{"sales_unhashed", "sales_sealed", "webhooks_sealed"}
		require.Len(t, *asked, len(indexes))
		for i, query := range slices.Clone(*asked) {
			require.Contains(t, storetest.Plan(t, db, query.SQL, query.Args...), indexes[i], query.SQL)
		}
	})
}
