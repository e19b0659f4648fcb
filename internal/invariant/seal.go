package invariant

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/audit"
	"airtill/internal/store"
)

// Somebody who owns the database can drop the triggers, change postings and events so that all adds up, and
// restore the triggers. So each night the audit trail, whose key is elsewhere, gets a seal of the new rows:
// their number and their hash. Every check reads them again.

// seal is a stretch of rows, as the audit has it.
type seal struct {
	From string    // the id before the first, of a posting or of the sale whose events they are
	To   string    // the last
	Ends time.Time // only events before it; what a sale goes through later is no change
	Rows int64
	Hash string
	Made time.Time
}

// stretches is a kind of rows to seal, in order of ids.
type stretches struct {
	subject audit.Subject
	rows    string // what they are, in a Kind
	// final is the last id no row can come before any more.
	final func(s *Service, ctx context.Context, now time.Time) (string, error)
	// end is the last of the next ids, "" if there are none.
	end string
	// columns are what is sealed of a row, texts those that may hold any character.
	columns, texts string
	// from is where the rows are, order their fixed order.
	from, order string
	id          func(text string) (any, error)
}

// withLengths begins the hash of a seal whose rows tell how long their texts are. Older ones do not: there a
// separator within a text may have been moved, or taken for one.
const withLengths = "2:"

// text asks for the rows: how many, and all of them.
func (k stretches) text(lengths bool) string {
	columns := k.columns
	if lengths {
		columns = "octet_length(" + strings.ReplaceAll(k.texts, "; ", "), octet_length(") + "), " + columns
	}
	return "SELECT COUNT(*), COALESCE(string_agg(concat_ws('|', " + columns + "), @apart ORDER BY " + k.order +
		"), '') " + k.from
}

// asOnSQLite are rows with times as SQLite writes them, which sealed them before the till went on in PostgreSQL.
func (k stretches) asOnSQLite() stretches {
	k.columns = strings.Replace(k.columns, ", at", ", at || '+00:00'", 1)
	return k
}

const (
	// sealAtMost and hashAtOnce are ids in a seal, and in a piece of text.
	sealAtMost = 200_000
	hashAtOnce = 10_000
	// settled is more than any process's clock or any write can be late.
	settled = 6 * time.Hour
	// quiet is when a sale no longer changes: it is decided after 45 days, and the service lists a reversal
	// for 61.
	quiet = 62 * 24 * time.Hour
)

var (
	postingRows = stretches{
		subject: audit.Of(audit.Books, "postings"), rows: "postings", id: postingID,
		final: func(s *Service, ctx context.Context, _ time.Time) (id string, err error) {
			err = s.d.DB.Read(ctx).Raw("SELECT COALESCE(MAX(last_id), 0) FROM ledger_checkpoints").Scan(&id).Error
			return id, err
		},
		end:     "SELECT MAX(id) FROM (SELECT id FROM postings WHERE id > ? AND id <= ? ORDER BY id LIMIT ?) batch",
		columns: "id, journal, line, kind, COALESCE(sale_id, ''), account, micros, currency, at",
		texts:   "journal; kind; COALESCE(sale_id, ''); account; currency",
		from:    "FROM postings WHERE id > @from AND id <= @to", order: "id",
	}
	eventRows = stretches{
		subject: audit.Of(audit.Books, "events"), rows: "events", id: saleID, final: before(settled),
		end:     "SELECT MAX(id) FROM (SELECT id FROM sales WHERE id > ? AND id <= ? ORDER BY id LIMIT ?) batch",
		columns: "sale_id, seq, at, cause, source, ref, was, became, actor, note",
		texts:   "sale_id; cause; source; ref; was; became; actor; note",
		from:    "FROM sale_events WHERE sale_id > @from AND sale_id <= @to AND at < @ends", order: "sale_id, seq",
	}
	// quietRows are the same events again, with what the sales went through since.
	quietRows = stretches{
		subject: audit.Of(audit.Books, "quiet-events"), rows: "events", id: saleID, final: before(quiet),
		end: eventRows.end, columns: eventRows.columns, texts: eventRows.texts, from: eventRows.from,
		order: eventRows.order,
	}
)

func before(age time.Duration) func(*Service, context.Context, time.Time) (string, error) {
	return func(_ *Service, _ context.Context, now time.Time) (string, error) {
		return store.FirstID(now.Add(-age)), nil
	}
}

func postingID(text string) (any, error) {
	if text == "" {
		return int64(math.MinInt64), nil
	}
	return strconv.ParseInt(text, 10, 64)
}

func saleID(text string) (any, error) { return text, nil }

// sealIfDue puts into the audit what has become final since the last seal, of rows that have had none since last night.
func (s *Service) sealIfDue(ctx context.Context, night time.Time) error {
	for _, k := range []stretches{postingRows, eventRows, quietRows} {
		last, err := s.lastSeal(ctx, k)
		if err == nil && last.Made.Before(night) {
			err = s.sealAll(ctx, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sealAll(ctx context.Context, k stretches) error {
	for more := true; more; {
		var err error
		if more, err = s.sealNext(ctx, k); err != nil {
			return fmt.Errorf("seal %s: %w", k.rows, err)
		}
	}
	return nil
}

func (s *Service) sealNext(ctx context.Context, k stretches) (more bool, err error) {
	last, err := s.lastSeal(ctx, k)
	if err != nil {
		return false, err
	}
	now := s.d.Now()
	x := seal{From: last.To, Ends: store.Moment(now.Add(-settled)), Hash: withLengths}
	final, err := k.final(s, ctx, now)
	if err != nil {
		return false, err
	}
	if x.To, err = s.endOf(ctx, k, x.From, final, cmp.Or(s.d.AtOnce, sealAtMost)); err != nil || x.To == "" {
		return false, err
	}
	if x.Rows, x.Hash, err = s.hashed(ctx, k, x); err != nil {
		return false, err
	}
	return true, s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: audit.Command(Nightly), Act: audit.BooksSealed, Subject: k.subject,
			Facts: audit.Facts{
				audit.Text("from", x.From), audit.Text("to", x.To), audit.Time("ends", x.Ends),
				audit.Count("rows", x.Rows), audit.Text("hash", x.Hash),
			},
		})
	})
}

// lastSeal is zero before the first.
func (s *Service) lastSeal(ctx context.Context, k stretches) (x seal, err error) {
	last, err := s.d.Audit.List(ctx, audit.Filter{Subject: k.subject, Limit: 1})
	if err == nil && len(last) > 0 {
		return sealOf(last[0])
	}
	return x, err
}

func sealOf(r audit.Record) (seal, error) {
	facts, err := r.Facts()
	ends, badEnds := time.Parse(time.RFC3339Nano, facts.After("ends"))
	rows, badRows := strconv.ParseInt(facts.After("rows"), 10, 64)
	x := seal{
		From: facts.After("from"), To: facts.After("to"), Ends: ends, Rows: rows, Hash: facts.After("hash"), Made: r.At,
	}
	return x, errors.Join(err, badEnds, badRows)
}

func (s *Service) endOf(ctx context.Context, k stretches, from, to string, most int) (last string, err error) {
	first, final, err := k.ids(from, to)
	if err != nil {
		return "", err
	}
	found, err := store.Value[*string](s.d.DB.Read(ctx).Raw(k.end, first, final, most))
	if found != nil {
		last = *found
	}
	return last, err
}

// ids reads the ids that bound a stretch in the type of their column.
func (k stretches) ids(from, to string) (first, final any, err error) {
	first, err = k.id(from)
	if err == nil {
		final, err = k.id(to)
	}
	return first, final, err
}

// hashed counts the rows of a seal and hashes them in the form of its hash, a piece of text at a time.
func (s *Service) hashed(ctx context.Context, k stretches, x seal) (rows int64, hash string, err error) {
	sum := sha256.New()
	form := ""
	if strings.HasPrefix(x.Hash, withLengths) {
		form = withLengths
	}
	for from := x.From; ; {
		began := s.d.Now()
		to, err := s.endOf(ctx, k, from, x.To, hashAtOnce)
		if err != nil {
			return 0, "", err
		}
		last := to == "" // after the last id there is: one slipped in, or one whose sale is gone
		if last {
			to = x.To
		}
		first, final, err := k.ids(from, to)
		if err != nil {
			return 0, "", err
		}
		var n int64
		var text string
		args := map[string]any{"from": first, "to": final, "ends": x.Ends, "apart": "\n"}
		if err := s.d.DB.Read(ctx).Raw(k.text(form == withLengths), args).Row().Scan(&n, &text); err != nil {
			return 0, "", err
		}
		if rows += n; n > 0 {
			_, _ = io.WriteString(sum, text+"\n") // a hash never fails
		}
		if last {
			return rows, form + hex.EncodeToString(sum.Sum(nil)), nil
		}
		from = to
		if err := giveWay(ctx, s.d.Now().Sub(began)/restsFor); err != nil {
			return 0, "", err
		}
	}
}

// seals reads sealed rows again, a seal at a time.
func (s *Service) seals(ctx context.Context, f *Finding, after string) (string, error) {
	kinds := []stretches{postingRows, eventRows, quietRows}
	subjects := []audit.Subject{postingRows.subject, eventRows.subject, quietRows.subject}
	seq, err := strconv.ParseInt(cmp.Or(after, "0"), 10, 64)
	if err != nil {
		return "", err
	}
	later := s.d.DB.Read(ctx).Where("subject IN ? AND seq > ?", subjects, seq)
	next, err := store.First[audit.Record](later.Order("seq"))
	if err != nil || next == nil {
		return "", err
	}
	x, err := sealOf(*next)
	if err != nil {
		return "", err
	}
	k, last := kinds[slices.Index(subjects, next.Subject)], strconv.FormatInt(next.Seq, 10)
	once, err := s.lastSeal(ctx, quietRows)
	if err != nil || k.subject == eventRows.subject && x.To <= once.To {
		return last, err // those are sealed again, and checked there
	}
	rows, hash, err := s.hashed(ctx, k, x)
	if err == nil && hash != x.Hash && s.d.DB.Dialect() == store.Postgres {
		rows, hash, err = s.hashed(ctx, k.asOnSQLite(), x)
	}
	if err != nil {
		return "", err
	}
	f.Checked += rows
	o := offender(Kind(k.rows+".changed"), last)
	switch {
	case rows < x.Rows:
		o = offender(Kind(k.rows+".fewer"), last, x.Rows-rows)
	case rows > x.Rows:
		o = offender(Kind(k.rows+".more"), last, rows-x.Rows)
	}
	if o.Problem = "up to " + x.To; hash != x.Hash || rows != x.Rows {
		f.blame(o)
	}
	return last, nil
}
