package ledger

import (
	"context"
	"math"
	"slices"
	"strings"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Offence is a rule of the book that does not hold.
type Offence struct {
	Subject string // the journal or account
	Off     money.Amount
}

// Verify returns the journals that do not sum to zero (I3) and the checkpoints
// that are not the sum of their postings (I4).
func (l *Ledger) Verify(ctx context.Context) ([]Offence, error) {
	all, err := l.VerifyJournals(ctx, 0, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	err = l.VerifyCheckpoints(ctx, func(o Offence) { all.Off = append(all.Off, o) })
	return all.Off, err
}

// VerifyCheckpoints names the checkpoints that are not the sum of their postings (I4), one by one.
func (l *Ledger) VerifyCheckpoints(ctx context.Context, blame func(Offence)) error {
	differing := l.db.Read(ctx).Raw(`SELECT subject, currency, micros FROM (SELECT c.account AS subject, c.currency,
			c.micros - COALESCE((SELECT SUM(q.micros) FROM postings q WHERE q.account = c.account
			AND q.currency = c.currency AND q.id <= c.last_id), 0) AS micros
		FROM ledger_checkpoints c) c WHERE micros <> 0`)
	return fault.Doing("verify I4", store.Each(differing, func(o offender) {
		blame(Offence{o.Subject, money.Of(o.Micros, o.Currency)})
	}))
}

// offender is a journal or account, and by how much it is off.
type offender struct {
	Subject  string
	Currency money.Currency
	Micros   int64
}

// Journals is what a look at some postings found.
type Journals struct {
	Last   int64 // the highest posting id that was looked at
	Looked int64 // journals that begin among them
	Off    []Offence
}

// VerifyJournals checks that the journals of postings with ids above after, up to so many further, sum to zero
// (I3). If there are none, Last is after.
func (l *Ledger) VerifyJournals(ctx context.Context, after, ids int64) (j Journals, err error) {
	db := l.db.Read(ctx)
	var highest int64
	if err = db.Raw("SELECT COALESCE(MAX(id), 0) FROM postings").Scan(&highest).Error; err != nil || highest <= after {
		return Journals{Last: after}, wrap(err)
	}
	j.Last = min(after+ids, highest)
	// A journal at the edge of the batch is only partly in it: what does not sum to zero is checked again
	// whole.
	var seen struct {
		Looked  int64
		Suspect string
	}
	err = db.Raw(`SELECT COALESCE(SUM(CASE WHEN first = 0 THEN 1 ELSE 0 END), 0) AS looked, COALESCE(string_agg(CASE
		WHEN total <> 0 THEN journal END, @apart), '') AS suspect
		FROM (SELECT journal, SUM(micros) AS total, MIN(line) AS first FROM postings WHERE id > @after AND id <= @last
		GROUP BY journal, currency) batch`,
		map[string]any{"after": after, "last": j.Last, "apart": "\n"}).Scan(&seen).Error
	if err != nil {
		return j, wrap(err)
	}
	j.Looked = seen.Looked
	for part := range slices.Chunk(
		strings.FieldsFunc(seen.Suspect, func(r rune) bool { return r == '\n' }), suspectsAtOnce,
	) {
		off, err := store.All[offender](db.Raw(`SELECT journal AS subject, currency, SUM(micros) AS micros
			FROM postings WHERE journal IN ? GROUP BY journal, currency HAVING SUM(micros) <> 0
			ORDER BY journal`, part))
		if err != nil {
			return j, wrap(err)
		}
		for _, o := range off {
			j.Off = append(j.Off, Offence{o.Subject, money.Of(o.Micros, o.Currency)})
		}
	}
	return j, nil
}

// suspectsAtOnce is how many journals one question names.
const suspectsAtOnce = 500

func wrap(err error) error { return fault.Doing("verify I3", err) }
