package catalog

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Numbers move to other operators, so memory fades: a successful sale proves more than an answer.
const (
	saleMemory   = 180 * 24 * time.Hour
	lookupMemory = 30 * 24 * time.Hour
)

// numberOperator is a row of number_operators.
type numberOperator struct {
	NumberHash string `gorm:"primaryKey"`
	Provider   string `gorm:"primaryKey"`
	Source     Source
	SeenAt     time.Time
}

// numberLookup is a row of number_lookups.
type numberLookup struct {
	NumberHash string `gorm:"primaryKey"`
	Country    string
	Items      string
	AskedAt    time.Time
}

// recollection is what is remembered of a number.
type recollection struct {
	providers []Answer
	source    Source
}

// Remember notes that a number belongs to a provider: SourceSale after a successful transfer, with the account
// number it was sent to. The number that stands for nobody's is not remembered.
func (s *Service) Remember(ctx context.Context, number, provider string, source Source) error {
	if number == apiclient.DefaultPINAccountNumber {
		return nil
	}
	remembered := s.Remembered(number, provider, source)
	return fault.Doing("remember a number's operator", s.d.DB.Exec(ctx, remembered.SQL, remembered.Args...))
}

// Remembered is the statement of Remember, for callers with many. An answer, which may be late, does not take the
// place of a sale that still counts.
func (s *Service) Remembered(number, provider string, source Source) store.Statement {
	now := s.d.Now()
	return store.Statement{
		SQL: `INSERT INTO number_operators (number_hash, provider, source, seen_at) VALUES (?, ?, ?, ?)
ON CONFLICT (number_hash, provider) DO UPDATE SET source = excluded.source, seen_at = excluded.seen_at
WHERE excluded.source = ? OR number_operators.source <> ? OR number_operators.seen_at <= ?`,
		Args: []any{
			s.hash(number), provider, source, store.Moment(now),
			SourceSale, SourceSale, store.Moment(now.Add(-saleMemory)),
		},
	}
}

// recall returns the providers a number is known with, the latest first: those of successful sales, otherwise
// the last one looked up.
func (s *Service) recall(ctx context.Context, n Number) recollection {
	var rows []numberOperator
	if err := s.d.DB.Answer(ctx, s.recalled(n, &rows)); err != nil {
		s.d.Log.Warn("catalog.recall_failed", "error", err)
		return recollection{}
	}
	sold, told := recollection{source: SourceSale}, recollection{source: SourceLookup}
	for _, row := range rows {
		switch {
		case row.Source == SourceSale:
			sold.add(row.Provider)
		case len(told.providers) == 0 && s.d.Now().Sub(row.SeenAt) < lookupMemory:
			told.add(row.Provider)
		}
	}
	if len(sold.providers) > 0 {
		return sold
	}
	return told
}

// numberForms are the hashes of the forms in which a number may have been sold to: at most three.
type numberForms [3]string

// recalled is the question for what is remembered of a number.
func (s *Service) recalled(n Number, into *[]numberOperator) store.Asked {
	forms := n.Forms()
	var hashes numberForms
	hash := ""
	for i := range hashes {
		if i < len(forms) { // the last one stands for those that there are not
			hash = s.hash(forms[i])
		}
		hashes[i] = hash
	}
	return store.AskingRows(hashes, into,
		"FROM number_operators WHERE number_hash IN (?, ?, ?) AND seen_at > ? ORDER BY seen_at DESC",
		hashes[0], hashes[1], hashes[2], store.Moment(s.d.Now().Add(-saleMemory)))
}

// AskLookup asks ahead of Lookup.
func (s *Service) AskLookup(n Number) store.Asked { return s.recalled(n, new([]numberOperator)) }

func (r *recollection) add(provider string) {
	r.providers = append(r.providers, Answer{Provider: provider})
}

// recallLookup returns the upstream's last answer if it is fresh.
func (s *Service) recallLookup(ctx context.Context, n Number) (accountLookup, bool) {
	row, err := store.First[numberLookup](s.d.DB.Read(ctx).Where(
		"number_hash = ? AND asked_at > ?", s.hash(n.Digits), store.Moment(s.d.Now().Add(-lookupFresh)),
	))
	if err != nil {
		s.d.Log.Warn("catalog.recall_failed", "error", err)
	}
	if row == nil {
		return accountLookup{}, false
	}
	answer := accountLookup{Country: row.Country}
	if err := json.Unmarshal([]byte(row.Items), &answer.Items); err != nil {
		s.d.Log.Warn("catalog.recall_failed", "error", err)
		return accountLookup{}, false
	}
	return answer, true
}

// rememberLookup stores an answer for a day, and an unambiguous one as the
// number's operator for longer.
func (s *Service) rememberLookup(ctx context.Context, n Number, answer accountLookup) error {
	items, err := json.Marshal(answer.Items)
	if err != nil {
		return err
	}
	row := numberLookup{
		NumberHash: s.hash(n.Digits), Country: answer.Country, Items: string(items), AskedAt: store.Moment(s.d.Now()),
	}
	if err = s.replace(ctx, &row); err == nil && len(answer.Items) == 1 {
		err = s.Remember(ctx, n.Digits, answer.Items[0].Provider, SourceLookup)
	}
	return err
}

// hash stands for a number in the database: keyed, since there are few enough numbers to try them all.
func (s *Service) hash(number string) string { return HashNumber(s.d.NumberKey, number) }

// HashNumber is what a number is remembered as under a key.
func HashNumber(key []byte, number string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(number))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
