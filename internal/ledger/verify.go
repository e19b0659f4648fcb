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
	"I4": {`SELECT subject, currency, micros FROM (SELECT c.account AS subject, c.currency AS currency,
		c.micros - COALESCE((SELECT SUM(p.micros) FROM postings p WHERE p.account = c.account AND p.currency = c.currency AND p.id <= c.last_id), 0) AS micros
		FROM ledger_checkpoints c) off WHERE micros <> 0`, "checkpoint is off by %d millionths %s"},
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
