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
	Region     string // "" if unknown
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
	return s.remember(ctx, number, Answer{Provider: provider}, source)
}

func (s *Service) remember(ctx context.Context, number string, of Answer, source Source) error {
	remembered := s.remembered(number, of, source)
	return fault.Doing("remember a number's operator", s.d.DB.Exec(ctx, remembered.SQL, remembered.Args...))
}

// Remembered is the statement of Remember, for callers with many. An answer, which may be late, does not take the
// place of a sale that still counts.
func (s *Service) Remembered(number, provider string, source Source) store.Statement {
	return s.remembered(number, Answer{Provider: provider}, source)
}

// remembered keeps the region that a sale does not tell.
func (s *Service) remembered(number string, of Answer, source Source) store.Statement {
	now := s.d.Now()
	return store.Statement{
		SQL: `INSERT INTO number_operators (number_hash, provider, region, source, seen_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (number_hash, provider) DO UPDATE SET source = excluded.source, seen_at = excluded.seen_at,
region = CASE excluded.region WHEN '' THEN number_operators.region ELSE excluded.region END
WHERE excluded.source = ? OR number_operators.source <> ? OR number_operators.seen_at <= ?`,
		Args: []any{
			s.hash(number), of.Provider, of.Region, source, store.Moment(now),
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
			sold.add(row)
		case len(told.providers) == 0 && s.d.Now().Sub(row.SeenAt) < lookupMemory:
			told.add(row)
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

func (r *recollection) add(row numberOperator) {
	r.providers = append(r.providers, Answer{Provider: row.Provider, Region: row.Region})
}

// Region is the part of its country that a number is of, "" if nobody has said so or the provider sells the same
// everywhere.
func (s *Service) Region(ctx context.Context, on *Snapshot, n Number, provider string) string {
	if !on.regional(provider) {
		return ""
	}
	for _, known := range s.recall(ctx, n).providers {
		if known.Provider == provider && known.Region != "" {
			return known.Region
		}
	}
	told, _ := s.recallLookup(ctx, n) // an answer that names several is kept for a day only
	for _, known := range told.Items {
		if known.Provider == provider {
			return known.Region
		}
	}
	return ""
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
		err = s.remember(ctx, n.Digits, answer.Items[0], SourceLookup)
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
