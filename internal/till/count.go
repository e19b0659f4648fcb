package till

import (
	_ "embed"
	"fmt"
	"strings"

	"airtill/internal/fault"
	"airtill/internal/money"
)

//go:embed denominations.txt
var denominations string

// Cash describes the cash of a currency. A currency not described has neither notes nor coins; its cash is
// counted as a sum.
type Cash struct {
	Notes, Coins []money.Amount // largest first
	// ApproveAbove is the largest pay-out that needs no manager.
	ApproveAbove money.Amount
}

// CashOf returns the notes and coins of a currency. It fails only if our own list is wrong.
func CashOf(c money.Currency) (Cash, error) {
	cash := Cash{ApproveAbove: money.Of(0, c)}
	for line := range strings.Lines(denominations) {
		rest, own := strings.CutPrefix(line, string(c)+" ")
		if !own {
			continue
		}
		parts := strings.Split(rest, "|")
		var limit []money.Amount
		for i, into := range []*[]money.Amount{&limit, &cash.Notes, &cash.Coins} {
			for _, text := range strings.Fields(parts[i]) {
				amount, err := money.Parse(text, c)
				if err != nil {
					return Cash{}, fmt.Errorf("denominations of %s: %w", c, err)
				}
				*into = append(*into, amount)
			}
		}
		cash.ApproveAbove = limit[0]
	}
	return cash, nil
}

// Pile is how many pieces of one denomination a drawer holds.
type Pile struct {
	Micros int64 `json:"micros"` // the denomination, in millionths
	Pieces int64 `json:"pieces"`
}

// Count is counted cash of one currency: piles of notes and coins, and what was counted otherwise, such as
// rolls.
type Count struct {
	Piles []Pile
	Loose money.Amount
}

// Counted is a count of which only the sum is known.
func Counted(sum money.Amount) Count { return Count{Loose: sum} }

// mostPieces bounds how many notes or coins a person can mean.
const mostPieces = 100_000

// Sum adds the count up. It fails with fault.Invalid on what no drawer holds.
func (c Count) Sum() (money.Amount, error) {
	total := c.Loose
	for _, pile := range c.Piles {
		if pile.Pieces < 0 || pile.Pieces > mostPieces {
			return money.Amount{}, fault.New(fault.Invalid, "count.pieces")
		}
		var err error
		if total, err = total.Add(money.Of(pile.Micros*pile.Pieces, total.Currency())); err != nil {
			return money.Amount{}, fault.Wrap(err, fault.Invalid, "count.too-much")
		}
	}
	if total.Sign() < 0 {
		return money.Amount{}, fault.New(fault.Invalid, "count.negative")
	}
	return total, nil
}
