package ledger

import (
	"context"
	"fmt"
)

// Offence is a rule of the book that does not hold.
type Offence struct {
	Invariant string // "I3", "I4"
	Subject   string // the journal or account
	Detail    string
}

// Verify looks for journals that do not sum to zero (I3) and checkpoints that
// are not the sum of their postings (I4).
func (l *Ledger) Verify(ctx context.Context) ([]Offence, error) {
	var rows []struct {
		Subject, Currency string
		Micros            int64
	}
	err := l.db.Read(ctx).Raw(`SELECT journal AS subject, currency, SUM(micros) AS micros FROM postings
		GROUP BY journal, currency HAVING SUM(micros) <> 0`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("verify journals: %w", err)
	}
	var offences []Offence
	for _, r := range rows {
		offences = append(offences, Offence{"I3", r.Subject, fmt.Sprintf("out of balance by %d millionths %s", r.Micros, r.Currency)})
	}
	rows = nil
	err = l.db.Read(ctx).Raw(`SELECT c.account AS subject, c.currency AS currency,
		c.micros - COALESCE((SELECT SUM(p.micros) FROM postings p WHERE p.account = c.account AND p.currency = c.currency AND p.id <= c.last_id), 0) AS micros
		FROM ledger_checkpoints c`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("verify checkpoints: %w", err)
	}
	for _, r := range rows {
		if r.Micros != 0 {
			offences = append(offences, Offence{"I4", r.Subject, fmt.Sprintf("checkpoint is off by %d millionths %s", r.Micros, r.Currency)})
		}
	}
	return offences, nil
}
