package statement

import (
	"context"
	"fmt"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Offence is a statement that is not as it must be.
type Offence struct {
	ID, ShopID string
	Number     int
	Problem    string // a word that pages have a sentence for (health.offence.statement), and what fills it
}

// Verify checks every statement in its shop's order: no gaps in numbers and days, each document as it was
// written and chained to the one before, each balance opening where that one's closed and adding up. It
// returns how many it checked.
func (s *Service) Verify(ctx context.Context) (offences []Offence, checked int64, err error) {
	var before Statement
	err = store.Each(s.d.DB.Read(ctx).Model(&Statement{}).Order("shop_id, number"), func(now Statement) {
		for _, problem := range now.problems(before) {
			offences = append(offences, Offence{now.ID, now.ShopID, now.Number, problem})
		}
		before = now
		checked++
	})
	return offences, checked, fault.Doing("verify statements", err)
}

// problems are what is wrong with a statement, given the one before it.
func (s Statement) problems(before Statement) (wrong []string) {
	if before.ShopID != s.ShopID {
		before = Statement{}
	}
	if s.Number != before.Number+1 {
		wrong = append(wrong, fmt.Sprint("notNext ", before.Number))
	}
	if hashOf(s.Document) != s.Hash {
		return append(wrong, "changed")
	}
	doc, err := s.Read()
	if err != nil {
		return append(wrong, "unreadable")
	}
	if doc.Previous != before.Hash || doc.Number != s.Number || doc.Day != s.Day || doc.ShopID != s.ShopID {
		wrong = append(wrong, "notAfter")
	}
	if before.Number > 0 && !s.FromAt.Equal(before.ToAt) {
		wrong = append(wrong, "gap")
	}
	return append(wrong, doc.wrongSums(before)...)
}

func (d Document) wrongSums(before Statement) (wrong []string) {
	closing := map[string]Money{}
	if before.Document != "" {
		if earlier, err := before.Read(); err == nil {
			for _, m := range earlier.Money {
				closing[string(m.Currency)] = m
			}
		}
	}
	for _, m := range d.Money {
		earlier := closing[string(m.Currency)]
		for name, pair := range map[string][2]Moves{
			"cash": {m.Cash, earlier.Cash}, "prepaid": {m.Prepaid, earlier.Prepaid},
			"refundsDue": {m.RefundsDue, earlier.RefundsDue}, "held": {m.Held, earlier.Held},
			"receivable": {m.Receivable, earlier.Receivable},
		} {
			now, was := pair[0], pair[1]
			if now.Opening != was.Closing || now.Opening+now.In+now.Out != now.Closing {
				wrong = append(wrong, fmt.Sprint("sums ", name, " ", m.Currency))
			}
		}
	}
	return wrong
}
