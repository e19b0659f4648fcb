package ledger

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
)

// Offence is a rule of the book that does not hold.
type Offence struct {
	Invariant string // "I3", "I4"
	Subject   string // the journal or account
	Detail    string
}

// verifications are the rules that the book alone can tell, with what to say of
// each offender.
var verifications = map[string]struct{ sql, words string }{
	"I3": {`SELECT journal AS subject, currency, SUM(micros) AS micros FROM postings
		GROUP BY journal, currency HAVING SUM(micros) <> 0`, "out of balance by %d millionths %s"},
	"I4": {`SELECT c.account AS subject, c.currency, MAX(c.micros) - COALESCE(SUM(q.micros), 0) AS micros
		FROM ledger_checkpoints c LEFT JOIN postings q ON q.account = c.account AND q.currency = c.currency AND q.id <= c.last_id
		GROUP BY c.account, c.currency HAVING MAX(c.micros) <> COALESCE(SUM(q.micros), 0)`, "checkpoint is off by %d millionths %s"},
}

// Verify returns the journals that do not sum to zero (I3) and the checkpoints
// that are not the sum of their postings (I4).
func (l *Ledger) Verify(ctx context.Context) ([]Offence, error) {
	var offences []Offence
	note := func(o Offence) { offences = append(offences, o) }
	if err := l.VerifyRule(ctx, "I3", note); err != nil {
		return nil, err
	}
	return offences, l.VerifyRule(ctx, "I4", note)
}

// VerifyRule names the offenders of I3 or of I4 one by one.
func (l *Ledger) VerifyRule(ctx context.Context, invariant string, blame func(Offence)) error {
	if err := verify(l.db.Read(ctx), invariant, blame); err != nil {
		return fmt.Errorf("verify %s: %w", invariant, err)
	}
	return nil
}

func verify(session *gorm.DB, invariant string, blame func(Offence)) (err error) {
	rule, known := verifications[invariant]
	if !known {
		return errors.New("no such rule of the book")
	}
	rows, err := session.Raw(rule.sql).Rows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var subject, currency string
		var micros int64
		if err := rows.Scan(&subject, &currency, &micros); err != nil {
			return err
		}
		blame(Offence{invariant, subject, fmt.Sprintf(rule.words, micros, currency)})
	}
	return rows.Err()
}

// Journals is what a look at some postings found.
type Journals struct {
	Last   int64 // the highest posting id that was looked at
	Looked int64 // journals that begin among them
	Off    []Offence
}

// VerifyJournals looks whether the journals of the postings with ids above after, as
// many as limit, sum to zero (I3). Nothing above after: Last is after.
func (l *Ledger) VerifyJournals(ctx context.Context, after, limit int64) (j Journals, err error) {
	j.Last = after
	db := l.db.Read(ctx)
	err = db.Raw("SELECT COALESCE(MAX(id), @after) FROM (SELECT id FROM postings WHERE id > @after ORDER BY id LIMIT @limit) batch",
		map[string]any{"after": after, "limit": limit}).Scan(&j.Last).Error
	if err != nil || j.Last == after {
		return j, wrap(err)
	}
	between := map[string]any{"after": after, "last": j.Last}
	if err = db.Raw("SELECT COUNT(*) FROM postings WHERE id > @after AND id <= @last AND line = 0", between).Scan(&j.Looked).Error; err != nil {
		return j, wrap(err)
	}
	var off []struct {
		Journal, Currency string
		Micros            int64
	}
	// A journal at the edge of the batch is there in part: what does not sum to zero
	// in it is asked about whole.
	err = db.Raw(`SELECT journal, currency, SUM(micros) AS micros FROM postings WHERE journal IN
		(SELECT journal FROM postings WHERE id > @after AND id <= @last GROUP BY journal, currency HAVING SUM(micros) <> 0)
		GROUP BY journal, currency HAVING SUM(micros) <> 0 ORDER BY journal`, between).Scan(&off).Error
	for _, o := range off {
		j.Off = append(j.Off, Offence{"I3", o.Journal, fmt.Sprintf(verifications["I3"].words, o.Micros, o.Currency)})
	}
	return j, wrap(err)
}

func wrap(err error) error {
	if err != nil {
		return fmt.Errorf("verify I3: %w", err)
	}
	return nil
}
