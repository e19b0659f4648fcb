package audit_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

func newLog(db *store.DB) *audit.Log {
	return audit.New(audit.Deps{DB: db, Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler)})
}

func write(t *testing.T, db *store.DB, log *audit.Log, entries ...audit.Entry) {
	t.Helper()
	for _, e := range entries {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return log.Write(t.Context(), tx, e) }))
	}
}

// five are five entries that differ.
func five() []audit.Entry {
	entries := make([]audit.Entry, 5)
	for i := range entries {
		entries[i] = audit.Entry{Actor: audit.Command("test"), Act: audit.ShopChanged, Subject: audit.Of("thing", strconv.Itoa(i+1))}
	}
	return entries
}

func offences(t *testing.T, log *audit.Log) []audit.Offence {
	t.Helper()
	found, err := log.Verify(t.Context())
	require.NoError(t, err)
	for _, o := range found {
		require.Contains(t, invariant.Kinds(), invariant.Kind("entry."+o.Problem))
	}
	return found
}

func TestEntryComesBackWhole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log := newLog(db)
		write(t, db, log, audit.Entry{
			Actor: audit.Actor{UserID: "u1", Name: "aoife", Role: "manager", ShopID: "s1", TillID: "t1"},
			Act:   audit.PriceRuleSaved, Subject: "product:X", Reason: "typed\x00 \xffwrong “ό”",
			Facts: audit.Between(audit.Facts{audit.Text("name", "a")}, audit.Facts{audit.Text("name", "b\x00 \xff“ό”")}),
		})
		records, err := log.List(t.Context(), audit.Filter{})
		require.NoError(t, err)
		require.Len(t, records, 1)
		got := records[0]
		require.True(t, got.At.Equal(store.Moment(noon)))
		require.Len(t, got.Hash, 64)
		got.At, got.Hash = time.Time{}, ""
		require.Equal(t, audit.Record{
			Seq: 1, UserID: "u1", Actor: "aoife", Role: "manager", ShopID: "s1", TillID: "t1", Act: audit.PriceRuleSaved,
			Subject: "product:X", Reason: "typed \uFFFDwrong “ό”",
			After: `[{"name":"name","kind":"text","before":"a","after":"b\u0000 \ufffd“ό”"}]`,
		}, got)
		require.Empty(t, offences(t, log))
	})
}

func TestFactsThatSayNothingAreNotKept(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	log := newLog(db)
	entry := audit.Entry{Actor: audit.Command("test"), Act: audit.PriceRuleSaved, Subject: audit.Of(audit.PriceRule, "1")}
	kept := entry
	entry.Facts = audit.Facts{audit.Text("name", ""), audit.AtShop("")}
	kept.Facts = audit.Facts{audit.Text("name", ""), audit.Count("tills", 0)}
	write(t, db, log, entry, kept)
	records, err := log.List(t.Context(), audit.Filter{})
	require.NoError(t, err)
	require.Empty(t, records[1].After)
	facts, err := records[0].Facts()
	require.NoError(t, err)
	require.Equal(t, kept.Facts[1:], facts)
	require.Empty(t, offences(t, log))
}

func TestEntriesOfSomeSubjectsAreReadWhole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log := newLog(db)
		sale := func(i int) audit.Subject { return audit.Of(audit.Sale, strconv.Itoa(i)) }
		var entries []audit.Entry
		var asked []audit.Subject
		for i := range 700 { // more than one statement asks for
			asked = append(asked, sale(i))
			if i%100 == 0 {
				entries = append(entries, audit.Entry{Actor: audit.Command("test"), Act: audit.SaleApproved, Subject: sale(i)})
			}
		}
		entries = append(
			entries, entries[1],
			audit.Entry{Actor: audit.Command("test"), Act: audit.ReceiptReprinted, Subject: sale(3)},
			audit.Entry{Actor: audit.Command("test"), Act: audit.SaleApproved, Subject: sale(701)},
		)
		write(t, db, log, entries...)
		records, err := log.Of(t.Context(), audit.SaleApproved, asked)
		require.NoError(t, err)
		found := map[audit.Subject][]int64{}
		for _, r := range records {
			found[r.Subject] = append(found[r.Subject], r.Seq)
		}
		require.Equal(t, map[audit.Subject][]int64{
			sale(0): {1}, sale(100): {8, 2}, sale(200): {3}, sale(300): {4}, sale(400): {5}, sale(500): {6}, sale(600): {7},
		}, found)
	})
}

func TestRolledBackEntryLeavesNoGap(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log, stop := newLog(db), errors.New("stop")
		err := db.Tx(t.Context(), func(tx *store.Tx) error {
			require.NoError(t, log.Write(t.Context(), tx, five()[0]))
			return stop
		})
		require.ErrorIs(t, err, stop)
		write(t, db, log, five()...)
		require.Empty(t, offences(t, log))
	})
}

func TestSeveralEntriesInOneTransaction(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log := newLog(db)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			for _, e := range five() {
				if err := log.Write(t.Context(), tx, e); err != nil {
					return err
				}
			}
			return nil
		}))
		require.Empty(t, offences(t, log))
	})
}

func TestConcurrentWritersKeepTheChainWhole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log := newLog(db)
		var group errgroup.Group
		for range 8 {
			group.Go(func() error {
				for _, e := range five() {
					if err := db.Tx(t.Context(), func(tx *store.Tx) error { return log.Write(t.Context(), tx, e) }); err != nil {
						return err
					}
					if found, err := log.Verify(t.Context()); err != nil || len(found) > 0 { // a chain that grows is whole too
						return errors.Join(err, errors.New("the chain broke while it grew"))
					}
				}
				return nil
			})
		}
		require.NoError(t, group.Wait())
		records, err := log.List(t.Context(), audit.Filter{})
		require.NoError(t, err)
		require.Len(t, records, 40)
		require.EqualValues(t, 40, records[0].Seq)
		require.Empty(t, offences(t, log))
	})
}

func TestDatabaseForbidsChanges(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log := newLog(db)
		write(t, db, log, five()...)
		for _, sql := range []string{
			"UPDATE audit_entries SET reason = 'x'", "DELETE FROM audit_entries WHERE seq = 5",
			"UPDATE audit_head SET seq = 4", "DELETE FROM audit_head",
		} {
			err := db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(sql).Error })
			require.Error(t, err, "by its role or a trigger: %s", sql)
			err = db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				return tx.Exec(sql).Error
			})
			require.ErrorContains(t, err, "append-only", sql)
		}
		require.Empty(t, offences(t, log))
	})
}

// disarm removes the triggers, as only the owner of the database can.
func disarm(t *testing.T, db *store.DB) {
	t.Helper()
	drops := []string{"ALTER TABLE audit_entries DISABLE TRIGGER ALL", "ALTER TABLE audit_head DISABLE TRIGGER ALL"}
	if db.Dialect() == store.SQLite {
		drops = []string{"DROP TRIGGER audit_entries_no_update", "DROP TRIGGER audit_entries_no_delete", "DROP TRIGGER audit_head_moves_on"}
	}
	asOwner(t, db, drops...)
}

func asOwner(t *testing.T, db *store.DB, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			return tx.Exec(sql).Error
		}), sql)
	}
}

func TestTamperingIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tamper []string
		want   []audit.Offence
	}{
		"text changed":            {[]string{"UPDATE audit_entries SET reason = 'nicer' WHERE seq = 3"}, []audit.Offence{{Seq: 3, Problem: "changed"}}},
		"text moved next door":    {[]string{"UPDATE audit_entries SET action = 'shop', subject = '.changedthing:2' WHERE seq = 2"}, []audit.Offence{{Seq: 2, Problem: "changed"}}},
		"removed":                 {[]string{"DELETE FROM audit_entries WHERE seq = 2"}, []audit.Offence{{Seq: 2, Problem: "missing"}}},
		"last one removed":        {[]string{"DELETE FROM audit_entries WHERE seq = 5"}, []audit.Offence{{Seq: 5, Problem: "missing"}}},
		"everything removed":      {[]string{"DELETE FROM audit_entries WHERE seq < 9 AND seq > 0", "UPDATE audit_head SET seq = 1"}, []audit.Offence{{Seq: 1, Problem: "missing"}}},
		"end moved back":          {[]string{"UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_entries WHERE seq = 4)"}, []audit.Offence{{Seq: 5, Problem: "beyondEnd"}}},
		"end renamed":             {[]string{"UPDATE audit_head SET hash = 'x'"}, []audit.Offence{{Seq: 5, Problem: "notLast"}}},
		"two changed, both named": {[]string{"UPDATE audit_entries SET role = 'admin' WHERE seq IN (1, 4)"}, []audit.Offence{{Seq: 1, Problem: "changed"}, {Seq: 4, Problem: "changed"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				log := newLog(db)
				write(t, db, log, five()...)
				disarm(t, db)
				asOwner(t, db, c.tamper...)
				require.Equal(t, c.want, offences(t, log))
			})
		})
	}
}

// TestARowFarBeyondTheEndIsNamed: anything that may write an entry may write this one, and it must not keep the check busy
// with what is missing before it.
func TestARowFarBeyondTheEndIsNamed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log := newLog(db)
		write(t, db, log, five()...)
		const rest = "at, user_id, actor, role, shop_id, till_id, action, subject, reason, before_json, after_json, previous, hash, mac"
		const far = 3_000_000
		require.NoError(t, db.Exec(t.Context(), "INSERT INTO audit_entries (seq, "+rest+") SELECT ?, "+rest+" FROM audit_entries WHERE seq = 5", far))
		found := offences(t, log)
		require.Less(t, len(found), 2000)
		require.Equal(t, audit.Offence{Seq: 6, Problem: "missing"}, found[0])
		require.Contains(t, found, audit.Offence{Seq: far, Problem: "changed"})
		require.Contains(t, found, audit.Offence{Seq: far, Problem: "beyondEnd"})
	})
}

// A forger who also makes the row's own hash right is betrayed by the next row.
func TestRehashedRowIsNamed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		log := newLog(db)
		write(t, db, log, five()[:2]...)
		disarm(t, db)
		other := storetest.Open(t, storetest.URL(t, store.SQLite))
		forged := five()[:2]
		forged[1].Reason = "forged"
		write(t, other, newLog(other), forged...)
		records, err := newLog(other).List(t.Context(), audit.Filter{})
		require.NoError(t, err)
		write(t, db, log, five()[2])
		asOwner(t, db, "UPDATE audit_entries SET reason = 'forged', hash = '"+records[0].Hash+"' WHERE seq = 2")
		require.Equal(t, []audit.Offence{{Seq: 2, Problem: "notBefore"}}, offences(t, log))
	})
}

func TestListFiltersAndPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := noon
		log := audit.New(audit.Deps{DB: db, Now: func() time.Time { now = now.Add(time.Minute); return now }, Log: slog.New(slog.DiscardHandler)})
		entries := five()
		entries[1].UserID, entries[2].ShopID, entries[3].Act = "u1", "s1", audit.TillAdded
		write(t, db, log, entries...)
		for name, c := range map[string]struct {
			filter audit.Filter
			want   []int64
		}{
			"all":     {audit.Filter{}, []int64{5, 4, 3, 2, 1}},
			"user":    {audit.Filter{UserID: "u1"}, []int64{2}},
			"action":  {audit.Filter{Act: audit.TillAdded}, []int64{4}},
			"subject": {audit.Filter{Subject: "thing:5"}, []int64{5}},
			"time":    {audit.Filter{From: noon.Add(2 * time.Minute), To: noon.Add(4 * time.Minute)}, []int64{3, 2}},
			"page":    {audit.Filter{BeforeSeq: 4, Limit: 2}, []int64{3, 2}},
		} {
			records, err := log.List(t.Context(), c.filter)
			require.NoError(t, err)
			var got []int64
			for _, r := range records {
				got = append(got, r.Seq)
			}
			require.Equal(t, c.want, got, name)
		}
	})
}

// The line in the process log is evidence kept outside the database.
func TestHashesAreLoggedOnceCommitted(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var lines bytes.Buffer
	log := audit.New(audit.Deps{DB: db, Now: func() time.Time { return noon }, Log: slog.New(slog.NewTextHandler(&lines, nil))})
	_ = db.Tx(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, log.Write(t.Context(), tx, five()[0]))
		return errors.New("stop")
	})
	require.Empty(t, lines.String())
	write(t, db, log, five()[0])
	records, err := log.List(t.Context(), audit.Filter{})
	require.NoError(t, err)
	require.Contains(t, lines.String(), records[0].Hash)
}
