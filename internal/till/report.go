package till

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Report is what happened at a drawer from its opening on: an X report while the shift is open, its Z report
// once it is closed. Amounts are millionths of Currency.
type Report struct {
	ShiftID  string         `json:"shift"`
	Number   int            `json:"number"` // of the till, without gaps
	Shop     string         `json:"shop"`
	Till     string         `json:"till"`
	Currency money.Currency `json:"currency"`
	OpenedAt time.Time      `json:"openedAt"`
	OpenedBy string         `json:"openedBy"` // a user's name
	At       time.Time      `json:"at"`

	// Opening to Expected are the drawer's account, by what moved it.
	Opening  int64 `json:"opening"`
	Taken    int64 `json:"taken"`    // for sales
	Refunded int64 `json:"refunded"` // handed back to customers
	Goodwill int64 `json:"goodwill"`
	PaidIn   int64 `json:"paidIn"`
	Dropped  int64 `json:"dropped"`  // into the safe during the shift
	Expenses int64 `json:"expenses"` // less what came back of them
	Expected int64 `json:"expected"`

	// LeftBefore is what the shift before left in the drawer; nil for the first.
	LeftBefore *int64 `json:"leftBefore,omitempty"`
	Moves      []Move `json:"moves"`
	Sales      []Sold `json:"sales"`
	// Sellers are the same sales by seller; none if there was only one.
	Sellers []Sold  `json:"sellers,omitempty"`
	Carried []Carry `json:"carried"` // not settled yet

	Closing *Closing `json:"closing,omitempty"` // nil for an X report
}

// Amount is a sum of the report with its currency.
func (r Report) Amount(micros int64) money.Amount { return money.Of(micros, r.Currency) }

// OpeningDifference is what the drawer began with less what the shift before left in it; zero for the first.
func (r Report) OpeningDifference() money.Amount {
	if r.LeftBefore == nil {
		return r.Amount(0)
	}
	return r.Amount(r.Opening - *r.LeftBefore)
}

// Sold is the sales of a shift in one state.
type Sold struct {
	Cashier    string `json:"cashier,omitempty"` // a user's name; of Sellers only
	Fulfilment string `json:"fulfilment"`
	Cash       string `json:"cash"`
	Count      int64  `json:"count"`
	Micros     int64  `json:"micros"`
}

// Carry is a sale whose cash is neither earned nor given back: its outcome is open, or a refund is due. It
// passes to the following shifts.
type Carry struct {
	SaleID     string    `json:"sale"`
	Code       string    `json:"code"`
	RecordedAt time.Time `json:"recordedAt"`
	Fulfilment string    `json:"fulfilment"`
	Cash       string    `json:"cash"`
	Micros     int64     `json:"micros"`
}

// Closing is the end of a shift.
type Closing struct {
	ClosedBy   string `json:"closedBy"` // a user's name
	Counts     int    `json:"counts"`   // how often the drawer was counted
	Piles      []Pile `json:"piles"`    // of the last count
	Loose      int64  `json:"loose"`    // counted otherwise
	Counted    int64  `json:"counted"`
	Difference int64  `json:"difference"` // counted less expected
	Left       int64  `json:"left"`       // stays in the drawer as the next float
	Banked     int64  `json:"banked"`     // goes into the safe
	Previous   string `json:"previous"`   // hash of the till's report before this one
}

// XReport returns how an open shift stands. It fails with fault.Conflict if the shift was closed since it was read.
func (s *Service) XReport(ctx context.Context, shift Shift) (r Report, err error) {
	err = s.d.DB.Snapshot(ctx, func(db *gorm.DB) error {
		open, err := first(db.Where("id = ? AND closed_at IS NULL", shift.ID))
		if err == nil && open == nil {
			err = errClosed
		}
		if err == nil {
			r, err = s.report(db, *open, s.now())
		}
		return err
	})
	return r, fault.Doing("x report", err)
}

// report reads a shift's figures. They agree with each other in a snapshot, and in a transaction that holds the shift.
func (s *Service) report(session *gorm.DB, shift Shift, at time.Time) (Report, error) {
	r := Report{ShiftID: shift.ID, Number: shift.Number, Currency: shift.Currency, OpenedAt: shift.OpenedAt, At: at}
	type reading = func(*gorm.DB, Shift, *Report) error
	for _, read := range []reading{readNames, readDrawer, readSales, readCarried, readBefore} {
		if err := read(session, shift, &r); err != nil {
			return Report{}, err
		}
	}
	var err error
	r.Moves, err = moves(session, shift.ID)
	return r, err
}

func readNames(session *gorm.DB, shift Shift, r *Report) error {
	var names struct{ Shop, Till, OpenedBy string }
	err := session.Raw(`SELECT COALESCE((SELECT name FROM shops WHERE id = ?), '') AS shop,
		COALESCE((SELECT name FROM tills WHERE id = ?), '') AS till,
		COALESCE((SELECT display_name FROM users WHERE id = ?), '') AS opened_by`,
		shift.ShopID, shift.TillID, shift.CashierID).Scan(&names).Error
	r.Shop, r.Till, r.OpenedBy = names.Shop, names.Till, names.OpenedBy
	return err
}

// readDrawer sums the drawer's account by the kind of journal.
func readDrawer(session *gorm.DB, shift Shift, r *Report) error {
	var rows []struct {
		Kind   ledger.Kind
		Micros int64
	}
	err := session.Raw("SELECT kind, SUM(micros) AS micros FROM postings WHERE account = ? AND currency = ? "+
		"GROUP BY kind",
		ledger.TillOf(shift.ID), shift.Currency).Scan(&rows).Error
	for _, row := range rows {
		r.Expected += row.Micros
		switch row.Kind {
		case "J0":
			r.Opening = row.Micros
		case "J1":
			r.Taken = row.Micros
		case "J12":
			r.Refunded = -row.Micros
		case "J16":
			r.Goodwill = -row.Micros
		case "J19":
			r.PaidIn = row.Micros
		case "J20":
			r.Dropped = -row.Micros
		case "J21":
			r.Expenses = -row.Micros
		default:
			return fmt.Errorf("a journal %s in a drawer", row.Kind)
		}
	}
	return err
}

// readSales counts what was sold, and by whom where the till changed hands, without practice, which moves no
// cash.
func readSales(session *gorm.DB, shift Shift, r *Report) error {
	var rows []struct {
		Sold
		CashierID, Username string
	}
	err := session.Raw(`SELECT s.cashier_id, COALESCE(u.username, '') AS username,
		COALESCE(u.display_name, '') AS cashier, s.fulfilment, s.cash, s.count, s.micros FROM (
		SELECT cashier_id, fulfilment, cash, COUNT(*) AS count, CAST(SUM(price_micros) AS BIGINT) AS micros FROM sales
		WHERE shift_id = ? AND practice = ? GROUP BY cashier_id, fulfilment, cash) s
		LEFT JOIN users u ON u.id = s.cashier_id
		ORDER BY s.fulfilment, s.cash, cashier, s.cashier_id`, shift.ID, false).Scan(&rows).Error
	people, usernames := map[string]bool{}, map[string][]string{}
	for _, row := range rows {
		if !people[row.CashierID] {
			usernames[row.Cashier] = append(usernames[row.Cashier], row.Username)
		}
		people[row.CashierID] = true
	}
	for _, row := range rows {
		if len(usernames[row.Cashier]) > 1 { // people of one name
			row.Cashier += " (" + row.Username + ")"
		}
		r.Sellers = append(r.Sellers, row.Sold)
		last := len(r.Sales) - 1
		if last >= 0 && r.Sales[last].Fulfilment == row.Fulfilment && r.Sales[last].Cash == row.Cash {
			r.Sales[last].Count += row.Count
			r.Sales[last].Micros += row.Micros
			continue
		}
		row.Cashier = ""
		r.Sales = append(r.Sales, row.Sold)
	}
	if len(people) < 2 {
		r.Sellers = nil
	}
	slices.SortStableFunc(r.Sellers, func(x, y Sold) int { return strings.Compare(x.Cashier, y.Cashier) })
	return err
}

// readCarried finds what the till still owes an answer or its cash for, of this shift and earlier ones.
func readCarried(session *gorm.DB, shift Shift, r *Report) error {
	return session.Raw(`SELECT id AS sale_id, code, recorded_at, fulfilment, cash, price_micros AS micros FROM sales
		WHERE till_id = ? AND cash IN ('taken', 'refund_due') AND practice = ?
		ORDER BY id`, shift.TillID, false).Scan(&r.Carried).Error
}

func readBefore(session *gorm.DB, shift Shift, r *Report) error {
	left, err := store.All[*int64](session.Raw(
		"SELECT left_micros FROM shifts WHERE till_id = ? AND number = ?", shift.TillID, shift.Number-1,
	))
	if len(left) == 1 {
		r.LeftBefore = left[0]
	}
	return err
}

// name returns what a user is called, "" for a command.
func name(tx *store.Tx, userID string) (string, error) {
	return store.Value[string](tx.Raw("SELECT COALESCE((SELECT display_name FROM users WHERE id = ?), '')", userID))
}
