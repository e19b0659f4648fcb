package reconcile

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// UpstreamBalance is one answer of GetBalance. Micros are millionths of Currency; AskedAt and Told_at stand
// around the answer.
type UpstreamBalance struct {
	ID        string
	AskedAt   time.Time
	ToldAt    time.Time
	Micros    int64
	Currency  money.Currency
	OpenSales int

	BooksMicros      *int64 // account 1100 without the sales of OpenSet; nil in old rows
	OpenSet          string // ids of sales that were open around the answer, comma-separated
	JudgedAt         *time.Time
	Verdict          Judgement
	DifferenceMicros int64 // that nothing known explains
}

// Amount is the balance.
func (b UpstreamBalance) Amount() money.Amount { return money.Of(b.Micros, b.Currency) }

// ReadBalance asks the upstream for the balance, stores the answer, and books the refunds it shows (J11).
func (s *Service) ReadBalance(ctx context.Context) (UpstreamBalance, error) {
	before, err := s.quiet(ctx)
	if err != nil {
		return UpstreamBalance{}, err
	}
	told, err := s.AskBalance(ctx)
	if err != nil {
		return told, err
	}
	return told, s.findRepaid(ctx, before, told)
}

// AskBalance asks the upstream for the balance and stores the answer. The first answer opens the books (J18).
// One above the refused float lets sales go on.
func (s *Service) AskBalance(ctx context.Context) (UpstreamBalance, error) {
	asked := s.d.Now()
	answer, err := s.d.Client.GetBalance(apiclient.WithPriority(ctx, apiclient.PriorityNormal))
	if err != nil {
		return UpstreamBalance{}, fmt.Errorf("read balance: %w", err)
	}
	amount, err := answer.Balance.Amount(money.Currency(answer.CurrencyIso))
	if err != nil {
		return UpstreamBalance{}, fmt.Errorf("read balance: %w", err)
	}
	told := UpstreamBalance{
		ID: store.NewID(asked), AskedAt: store.Moment(asked), ToldAt: store.Moment(s.d.Now()),
		Micros: amount.Micros(), Currency: amount.Currency(),
	}
	return told, s.storeBalance(ctx, &told)
}

func (s *Service) storeBalance(ctx context.Context, told *UpstreamBalance) error {
	return fault.Doing("store balance", s.d.DB.Tx(ctx, func(tx *store.Tx) (err error) {
		if told.OpenSales, err = openSales(tx.DB); err != nil {
			return err
		}
		if err := openBooks(ctx, tx, told); err != nil {
			return err
		}
		if err := surround(tx, told); err != nil {
			return err
		}
		if err := tx.Create(told).Error; err != nil {
			return err
		}
		if err := s.markFloat(ctx, tx, told); err != nil {
			return err
		}
		return tx.Exec("UPDATE incidents SET closed_at = ?, closed_by = 'balance' WHERE kind = ? AND closed_at IS "+
			"NULL AND at < ? AND currency = ? AND micros <= ?",
			told.ToldAt, sales.NoFloat, told.AskedAt, told.Currency, told.Micros).Error
	}))
}

// openSales counts sales that may move the float. Practice never does.
func openSales(session *gorm.DB) (open int, err error) {
	return store.Value[int](session.Raw(
		"SELECT COUNT(*) FROM sales WHERE next_check_at IS NOT NULL AND fulfilment IN ? AND practice = ?",
		sales.OpenStates(), false,
	))
}

// openBooks books the opening balance once per currency. Before it no sale passes the float check, so nothing
// can be open.
func openBooks(ctx context.Context, tx *store.Tx, told *UpstreamBalance) error {
	key := "opening/" + string(told.Currency)
	var open int64
	if err := tx.Raw(
		"SELECT COUNT(*) FROM postings WHERE journal = ?", key+"/J18",
	).Scan(&open).Error; err != nil || open > 0 {
		return err
	}
	return ledger.Post(ctx, tx, ledger.Entry{Key: key, At: told.ToldAt, Journal: ledger.OpeningBalance(told.Amount())})
}

// LastBalance returns the last answer of GetBalance, nil if there is none.
func (s *Service) LastBalance(ctx context.Context) (*UpstreamBalance, error) {
	found, err := store.First[UpstreamBalance](s.d.DB.Read(ctx).Order("id DESC"))
	return found, fault.Doing("last balance", err)
}
