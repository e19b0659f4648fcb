package invariant_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/backup"
	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// sealed is a world of three sales whose rows have been sealed.
func sealed(t *testing.T, db *store.DB) *world {
	t.Helper()
	w := newWorld(t, db)
	for range 3 {
		w.complete()
		w.at = w.at.Add(time.Minute)
	}
	w.grow(11*time.Minute, 11*time.Minute, 24*time.Hour)
	require.NoError(t, w.Seal(t.Context()))
	return w
}

// grow lets time pass, with the ledger's checkpoint after each step.
func (w *world) grow(steps ...time.Duration) {
	for _, step := range steps {
		w.at = w.at.Add(step)
		require.NoError(w.t, w.book.Checkpoint(w.t.Context(), w.at))
	}
}

// seals is what the check of the seals says.
func (w *world) seals() invariant.Finding {
	w.t.Helper()
	run, err := w.Verify(w.t.Context(), "test")
	require.NoError(w.t, err)
	at := slices.IndexFunc(run.Findings, func(f invariant.Finding) bool { return f.Name == "sealed" })
	require.Positive(w.t, run.Findings[at].Checked)
	return run.Findings[at]
}

// broken says what the check of the seals found.
func (w *world) broken() []string {
	w.t.Helper()
	var all []string
	for _, o := range w.seals().Offenders {
		all = append(all, fmt.Sprint(o.Kind, o.Facts))
	}
	return all
}

// What was written is as it was at night, whoever owns the database: the triggers that
// forbid a change can be taken away and put back.
func TestWhatWasSealedIsAsItWas(t *testing.T) {
	t.Parallel()
	const replaced = `INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note)
SELECT sale_id, seq, at, cause, 'invented', ref, was, became, actor, note FROM sale_events WHERE seq = 2`
	for name, c := range map[string]struct{ sql, want string }{
		"a posting changed":       {"UPDATE postings SET account = '1101' WHERE id = (SELECT MAX(id) FROM postings)", "postings.changed[]"},
		"a posting moved in time": {"UPDATE postings SET at = '2026-02-01 12:00:00' WHERE id = 2", "postings.changed[]"},
		"a posting taken out":     {"DELETE FROM postings WHERE id = 2", "postings.fewer[1]"},
		"postings cut off":        {"DELETE FROM postings WHERE id > 3", "postings.fewer[25]"},
		"a posting slipped in": {
			"INSERT INTO postings (id, journal, line, kind, account, micros, currency, at) VALUES (-1, 'x', 1, 'J1', '1000', 5, 'EUR', '2026-03-01 12:00:00')", "postings.more[1]",
		},
		"an event changed":                    {"UPDATE sale_events SET actor = 'x' WHERE seq = 2", "events.changed[]"},
		"an event taken out":                  {"DELETE FROM sale_events WHERE seq = 3", "events.fewer[3]"},
		"an event slipped in":                 {strings.Replace(replaced, "seq, at, cause, 'in", "seq + 40, at, cause, 'in", 1), "events.more[3]"},
		"its time is in another stretch, too": {"UPDATE sale_events SET at = '2026-05-01 12:00:00' WHERE seq = 2", "events.fewer[3]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := sealed(t, db)
				require.Empty(t, w.broken())
				sql := c.sql
				if db.Dialect() == store.Postgres {
					sql = strings.Replace(sql, ") VALUES", ") OVERRIDING SYSTEM VALUE VALUES", 1)
				}
				w.spoil(sql)
				found := w.broken()
				require.Len(t, found, 1)
				require.Equal(t, c.want, found[0])
			})
		})
	}
}

// On SQLite a row could be replaced where it may not be changed.
func TestNothingSealedCanBeReplaced(t *testing.T) {
	t.Parallel()
	w := sealed(t, storetest.Open(t, storetest.URL(t, store.SQLite)))
	for _, sql := range []string{
		"INSERT OR REPLACE INTO postings SELECT id, journal, line, kind, sale_id, account, micros * 2, currency, at FROM postings WHERE id = 2",
		"INSERT OR REPLACE INTO sale_events SELECT sale_id, seq, at, cause, 'invented', ref, was, became, actor, note FROM sale_events WHERE seq = 2",
		"INSERT OR REPLACE INTO audit_entries SELECT * FROM audit_entries WHERE seq = 1",
		"INSERT OR REPLACE INTO audit_head SELECT only_row, seq, 'x' FROM audit_head",
		"REPLACE INTO postings SELECT * FROM postings WHERE id = 2",
		"UPDATE OR REPLACE postings SET line = 2",
	} {
		err := w.db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(sql).Error })
		require.ErrorContains(t, err, "append-only", sql)
	}
	require.Empty(t, w.broken())
}

// Each night seals what has come since; what a sale went through later is sealed once
// nothing can come any more.
func TestEachNightSealsWhatCameSince(t *testing.T) {
	t.Parallel()
	const another = `INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note)
SELECT sale_id, seq + 1, ?, cause, source, ref, was, became, actor, note FROM sale_events WHERE sale_id = ? ORDER BY seq DESC LIMIT 1`
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := sealed(t, db)
		first := w.seals()
		require.NoError(t, w.Seal(t.Context()))
		again := w.seals()
		require.Equal(t, first, again, "nothing new, no new seal")

		late := w.complete()
		w.grow(11*time.Minute, 11*time.Minute)
		require.NoError(t, w.Seal(t.Context()))
		more := w.seals()
		require.Greater(t, more.Checked, again.Checked, "its postings")
		w.grow(24 * time.Hour)
		require.NoError(t, w.Seal(t.Context()))
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(another, w.at, late.ID).Error
		}))
		require.Empty(t, w.broken(), "what comes after a seal is no change")

		w.grow(63 * 24 * time.Hour)
		require.NoError(t, w.Seal(t.Context()))
		require.Empty(t, w.broken())
		w.spoil("UPDATE sale_events SET actor = 'x' WHERE sale_id = ? AND seq = (SELECT MAX(seq) FROM sale_events WHERE sale_id = ?)", late.ID, late.ID)
		found := w.broken()
		require.Len(t, found, 1)
		require.Equal(t, "events.changed[]", found[0])
	})
}

// Whoever checks the books each night by hand, or by cron, has them sealed all the same.
func TestACheckByHandIsNotTheNights(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.complete()
		w.grow(11*time.Minute, 11*time.Minute)
		for night := range 2 {
			w.at = time.Date(2026, 3, 2+night, 3, 30, 1, 0, time.UTC)
			_, err := w.Verify(t.Context(), "web verify")
			require.NoError(t, err)
			w.at = w.at.Add(9 * time.Minute)
			require.NoError(t, w.VerifyIfDue(t.Context()))
		}
		seals, err := w.Uses().Audit.List(t.Context(), audit.Filter{Subject: audit.Of(audit.Books, "postings"), Limit: 1})
		require.NoError(t, err)
		require.NotEmpty(t, seals)
	})
}

// eventText is an event as the seals of older versions had it: the same for two events, one written into the other's
// note.
const eventText = "concat_ws('|', sale_id, seq, at, cause, source, ref, was, became, actor, note)"

// A separator that stands in a field makes nothing of what was sealed movable.
func TestWhatIsWrittenIntoANoteIsNoOtherField(t *testing.T) {
	t.Parallel()
	const next = `INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note)
SELECT sale_id, seq + 1, at, cause, source, ref, was, became, 'ann', %s FROM sale_events WHERE sale_id = ? AND seq = %d`
	const lineBreak = " || chr(10) || "
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		line := lineBreak
		if db.Dialect() == store.SQLite {
			line = strings.Replace(line, "chr", "char", 1)
		}
		w := newWorld(t, db)
		one := w.complete()
		w.at = w.at.Add(time.Minute)
		two := w.complete()
		// Of sale one an event's note holds a bar, and another's what looks like one more event.
		w.spoil(fmt.Sprintf(next, "'cash|bob'", 3), one.ID)
		w.spoil(fmt.Sprintf(next, "'x'"+line+strings.Replace(eventText, "seq", "seq + 2", 1), 4), one.ID)
		w.grow(11*time.Minute, 11*time.Minute, 24*time.Hour)
		require.NoError(t, w.Seal(t.Context()))
		require.Empty(t, w.broken())

		w.spoil("UPDATE sale_events SET actor = 'ann|cash', note = 'bob' WHERE note = 'cash|bob'")
		require.Equal(t, []string{"events.changed[]"}, w.broken(), "another actor")
		w.spoil("UPDATE sale_events SET actor = 'ann', note = 'cash|bob' WHERE actor = 'ann|cash'")
		require.Empty(t, w.broken())

		// That one is made of the note, and an event of sale two goes into the note of the one before it: as many
		// events, and the same text.
		w.spoil(`INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note)
SELECT sale_id, 6, at, cause, source, ref, was, became, actor, 'cash|bob' FROM sale_events WHERE sale_id = ? AND seq = 4`, one.ID)
		w.spoil("UPDATE sale_events SET note = 'x' WHERE sale_id = ? AND seq = 5", one.ID)
		w.spoil("UPDATE sale_events SET note = note"+line+"(SELECT "+eventText+
			" FROM sale_events WHERE sale_id = ? AND seq = 3) WHERE sale_id = ? AND seq = 2", two.ID, two.ID)
		w.spoil("DELETE FROM sale_events WHERE sale_id = ? AND seq = 3", two.ID)
		require.Equal(t, []string{"events.changed[]"}, w.broken(), "an event gone")
	})
}

// Seals of older versions are read as they were made.
func TestSealsWithoutLengthsHold(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.complete()
		var text string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT string_agg("+eventText+", ? ORDER BY sale_id, seq) FROM sale_events", "\n").Row().Scan(&text))
		w.at = w.at.Add(time.Hour)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return w.Uses().Audit.Write(t.Context(), tx, audit.Entry{
				Actor: audit.Command(invariant.Nightly), Act: audit.BooksSealed, Subject: audit.Of(audit.Books, "events"),
				Facts: audit.Facts{
					audit.Text("from", ""), audit.Text("to", sale.ID), audit.Time("ends", w.at), audit.Count("rows", 3),
					audit.Text("hash", fmt.Sprintf("%x", sha256.Sum256([]byte(text+"\n")))),
				},
			})
		}))
		require.Empty(t, w.broken())
		w.spoil("UPDATE sale_events SET actor = 'x' WHERE seq = 2")
		require.Equal(t, []string{"events.changed[]"}, w.broken())
	})
}

// cutAfter is a log that ends a context at a line, as a process ends that is stopped there.
type cutAfter struct {
	slog.Handler
	line string
	cut  context.CancelFunc
}

func (c cutAfter) Enabled(context.Context, slog.Level) bool { return true }

func (c cutAfter) Handle(_ context.Context, r slog.Record) error {
	if r.Message == c.line {
		c.cut()
	}
	return nil
}

// A night that was cut between its check and its seal is sealed by the next look, not a night later.
func TestANightCutBeforeItsSealIsSealedAllTheSame(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.complete()
		w.grow(11*time.Minute, 11*time.Minute)
		w.at = time.Date(2026, 3, 2, 3, 30, 1, 0, time.UTC)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w.Uses().Log = slog.New(cutAfter{slog.DiscardHandler, "verify.holds", cancel})
		require.ErrorIs(t, w.VerifyIfDue(ctx), context.Canceled)
		last, err := w.Last(t.Context())
		require.NoError(t, err)
		require.NotNil(t, last, "the check itself is whole")

		seals := func(subject string) int {
			all, err := w.Uses().Audit.List(t.Context(), audit.Filter{Subject: audit.Of(audit.Books, subject)})
			require.NoError(t, err)
			return len(all)
		}
		w.at = w.at.Add(10 * time.Minute)
		require.NoError(t, w.VerifyIfDue(t.Context()))
		again, err := w.Last(t.Context())
		require.NoError(t, err)
		require.Equal(t, last.ID, again.ID, "one check a night")
		require.Equal(t, 1, seals("postings"))
		require.Equal(t, 1, seals("events"))

		w.complete()
		w.grow(11*time.Minute, 11*time.Minute)
		require.NoError(t, w.VerifyIfDue(t.Context()))
		require.Equal(t, 1, seals("postings"), "what comes by day waits for the night")
	})
}

// A till that goes from SQLite to PostgreSQL takes its seals along.
func TestSealsHoldInTheOtherDatabase(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, elsewhere string) {
		if strings.HasPrefix(elsewhere, "sqlite:") {
			return // TestWhatWasSealedIsAsItWas
		}
		here := storetest.URL(t, store.SQLite)
		w := sealed(t, storetest.Open(t, here))
		key, err := age.GenerateX25519Identity()
		require.NoError(t, err)
		var stream bytes.Buffer
		_, _, err = backup.Write(t.Context(), here, &stream, "test", w.at, key.Recipient())
		require.NoError(t, err)
		_, _, err = backup.Restore(t.Context(), elsewhere, &stream, w.at, key)
		require.NoError(t, err)
		db, log := storetest.Open(t, elsewhere), slog.New(slog.DiscardHandler)
		chain := audit.New(audit.Deps{DB: db, Now: w.now, Log: log})
		w.db, w.Service = db, invariant.New(invariant.Deps{
			DB: db, Ledger: ledger.New(ledger.Deps{DB: db}), Audit: chain, Balance: w.tell, Log: log, Now: w.now,
			Staff:   staff.New(staff.Deps{DB: db, Audit: chain, Now: w.now, Log: log, Hashing: stafftest.Hashing()}),
			Metrics: prometheus.NewRegistry(),
		})
		require.Empty(t, w.broken())
		w.spoil("UPDATE postings SET at = '2026-02-01 12:00:00' WHERE id = 2")
		require.Equal(t, []string{"postings.changed[]"}, w.broken())
	})
}
