package till

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// filed is one row of the table z_reports: the report of a closed shift as it was written. Nothing in it is
// ever computed again.
type filed struct {
	ShiftID  string
	ShopID   string
	TillID   string
	Number   int
	At       time.Time
	Document string // JSON of a Report
	Hash     string // SHA-256 of Document, hexadecimal
}

// TableName is read by GORM.
func (filed) TableName() string { return "z_reports" }

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// file writes the report of a shift, chained to the one before.
func (s *Service) file(tx *store.Tx, shift Shift, e Ending, r Report) error {
	var err error
	if r.Closing.ClosedBy, err = name(tx, e.Actor.UserID); err != nil {
		return err
	}
	if err := tx.Raw(
		"SELECT COALESCE((SELECT hash FROM z_reports WHERE till_id = ? AND number = ?), '')", shift.TillID,
		shift.Number-1,
	).Scan(&r.Closing.Previous).Error; err != nil {
		return err
	}
	document, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return tx.Create(&filed{
		ShiftID: shift.ID, ShopID: shift.ShopID, TillID: shift.TillID, Number: shift.Number, At: r.At,
		Document: string(document), Hash: hashOf(string(document)),
	}).Error
}

// FileInvented writes the report of a shift whose drawer was counted at a moment, for trade that nobody closed
// at a till. Neither the count nor what follows from it may be booked yet.
func (s *Service) FileInvented(tx *store.Tx, shift Shift, at time.Time, counted int64) error {
	r, err := s.report(tx.DB, shift, at)
	if err != nil {
		return err
	}
	r.Closing = &Closing{
		Counts: 1, Loose: counted, Counted: counted, Difference: counted - r.Expected, Left: min(r.Opening, counted),
	}
	r.Closing.Banked = counted - r.Closing.Left
	return s.file(tx, shift, Ending{Actor: audit.Actor{UserID: shift.CashierID}}, r)
}

// ZReport returns the report of a closed shift, and its hash. It fails with
// fault.NotFound while the shift is open.
func (s *Service) ZReport(ctx context.Context, shiftID string) (r Report, hash string, err error) {
	none := fault.New(fault.NotFound, "shift.no-report")
	found, err := store.One[filed](s.d.DB.Read(ctx).Where("shift_id = ?", shiftID), none)
	if err == nil {
		err = json.Unmarshal([]byte(found.Document), &r)
	}
	if err != nil {
		return Report{}, "", fmt.Errorf("z report: %w", err)
	}
	for i := range r.Moves {
		r.Moves[i].Currency = r.Currency
	}
	return r, found.Hash, nil
}

// shiftsAtOnce is how many shifts one question names. SQLite and PostgreSQL bound it.
const shiftsAtOnce = 1000

// Difference is how a closed shift was counted.
type Difference struct {
	Counted money.Amount // less expected, as filed
	Later   money.Amount // what its Corrections added since
}

// Differences returns those of the closed ones among shifts, by shift.
func (s *Service) Differences(ctx context.Context, shifts []Shift) (map[string]Difference, error) {
	differences := map[string]Difference{}
	for some := range slices.Chunk(shifts, shiftsAtOnce) {
		currencies := map[string]money.Currency{}
		for _, shift := range some {
			currencies[shift.ID] = shift.Currency
		}
		reports, err := store.All[filed](s.d.DB.Read(ctx).Where("shift_id IN ?", slices.Collect(maps.Keys(currencies))))
		if err != nil {
			return nil, fmt.Errorf("find z reports: %w", err)
		}
		later, err := s.corrected(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, z := range reports {
			var r Report
			if err := json.Unmarshal([]byte(z.Document), &r); err != nil {
				return nil, fmt.Errorf("find z reports: %w", err)
			}
			currency := currencies[z.ShiftID]
			differences[z.ShiftID] = Difference{
				Counted: money.Of(r.Closing.Difference, currency),
				Later:   money.Of(later[ledger.TillOf(z.ShiftID)], currency),
			}
		}
	}
	return differences, nil
}

// Offence is a shift whose report is not as it must be.
type Offence struct {
	ShiftID string
	Problem string // a word that pages have a sentence for (health.offence.shift), and what fills it
}

// Verify checks every shift in its till's order: no gaps in numbers, each closed shift with its report as
// written and chained to the one before, figures that add up. It returns how many it checked.
func (s *Service) Verify(ctx context.Context) (offences []Offence, checked int64, err error) {
	shifts := s.d.DB.Read(ctx).Raw(`
		SELECT s.id AS shift_id, s.till_id, s.number, s.closed_at, s.counted_micros, z.document, z.hash
		FROM shifts s LEFT JOIN z_reports z ON z.shift_id = s.id ORDER BY s.till_id, s.number`)
	var before looked
	err = store.Each(shifts, func(now looked) {
		for _, wrong := range now.wrong(before) {
			offences = append(offences, Offence{now.ShiftID, wrong})
		}
		before = now
		checked++
	})
	return offences, checked, fault.Doing("verify shifts", err)
}

// looked is a shift with its report, as Verify reads them.
type looked struct {
	ShiftID       string
	TillID        string
	Number        int
	ClosedAt      *time.Time
	CountedMicros *int64
	Document      *string
	Hash          *string
}

func (l looked) wrong(before looked) []string {
	var wrong []string
	expected, previous := 1, ""
	if before.TillID == l.TillID {
		expected = before.Number + 1
		if before.Hash != nil {
			previous = *before.Hash
		}
	}
	if l.Number != expected {
		wrong = append(wrong, fmt.Sprintf("notNext %d %d", l.Number, expected))
	}
	switch {
	case l.ClosedAt == nil && l.Document != nil:
		return append(wrong, "early")
	case l.ClosedAt == nil:
		return wrong
	case l.Document == nil:
		return append(wrong, "unreported")
	case hashOf(*l.Document) != *l.Hash:
		return append(wrong, "changed")
	}
	return append(wrong, l.wrongFigures(previous)...)
}

func (l looked) wrongFigures(previous string) []string {
	var r Report
	if err := json.Unmarshal([]byte(*l.Document), &r); err != nil || r.Closing == nil {
		return []string{"unreadable"}
	}
	var wrong []string
	if r.Closing.Previous != previous {
		wrong = append(wrong, "notAfter")
	}
	drawer := r.Opening + r.Taken - r.Refunded - r.Goodwill + r.PaidIn - r.Dropped - r.Expenses
	counted := r.Closing.Counted
	if drawer != r.Expected || counted-r.Expected != r.Closing.Difference || r.Closing.Left+r.Closing.Banked !=
		counted || l.CountedMicros == nil || *l.CountedMicros != counted {
		wrong = append(wrong, "sums")
	}
	return wrong
}
