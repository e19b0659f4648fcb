package till

import (
	"context"
	"strings"
	"time"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Correction is what was booked of a shift's difference (J17) after its close: a refund that came out of its drawer was
// taken back. The report of the close stays as it was filed.
type Correction struct {
	SaleID string
	Amount money.Amount // added to counted less expected
	At     time.Time
}

// Corrections returns what was booked of a shift's difference after its close, in order.
func (s *Service) Corrections(ctx context.Context, shiftID string) (all []Correction, err error) {
	booked, err := store.All[struct {
		Journal  string
		Micros   int64
		Currency money.Currency
		At       time.Time
	}](s.d.DB.Read(ctx).Raw("SELECT journal, micros, currency, at FROM postings WHERE kind = 'J17' AND account = ? "+
		"AND journal <> ? ORDER BY id", ledger.TillOf(shiftID), "shift/"+shiftID+"/close/J17"))
	for _, b := range booked {
		sale, _, _ := strings.Cut(b.Journal, "/")
		all = append(all, Correction{SaleID: sale, Amount: money.Of(b.Micros, b.Currency), At: b.At})
	}
	return all, fault.Doing("later corrections of a shift", err)
}

// corrected sums the corrections of shifts, in millionths, by the account of each that has some.
func (s *Service) corrected(ctx context.Context, shifts []Shift) (map[ledger.Account]int64, error) {
	var accounts []ledger.Account
	var closes []string
	for _, shift := range shifts {
		accounts, closes = append(accounts, ledger.TillOf(shift.ID)), append(closes, "shift/"+shift.ID+"/close/J17")
	}
	sums, err := store.Pairs[ledger.Account, int64](s.d.DB.Read(ctx).Raw(
		"SELECT account, CAST(SUM(micros) AS BIGINT) FROM postings WHERE kind = 'J17' AND account IN ? "+
			"AND journal NOT IN ? GROUP BY account", accounts, closes,
	))
	return sums, fault.Doing("later corrections of shifts", err)
}
