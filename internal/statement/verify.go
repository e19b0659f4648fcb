package statement

import (
	"context"
	"fmt"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Offence is a statement that is not as it must be.
type Offence struct {
	Subject string // shop and number
	Problem string
}

// Verify checks every statement in its shop's order: no gaps in numbers and days, each document as it was
// written and chained to the one before, each balance opening where that one's closed and adding up. It
// returns how many it checked.
func (s *Service) Verify(ctx context.Context) (offences []Offence, checked int64, err error) {
	var before Statement
	err = store.Each(s.d.DB.Read(ctx).Model(&Statement{}).Order("shop_id, number"), func(now Statement) {
		for _, problem := range now.problems(before) {
			subject := fmt.Sprintf("statement %d of shop %s", now.Number, now.ShopID)
			offences = append(offences, Offence{Subject: subject, Problem: problem})
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
		wrong = append(wrong, fmt.Sprintf("comes after number %d", before.Number))
	}
	if hashOf(s.Document) != s.Hash {
		return append(wrong, "was changed")
	}
	doc, err := s.Read()
	if err != nil {
		return append(wrong, "cannot be read")
	}
	if doc.Previous != before.Hash || doc.Number != s.Number || doc.Day != s.Day || doc.ShopID != s.ShopID {
		wrong = append(wrong, "does not follow the one before it")
	}
	if before.Number > 0 && !s.FromAt.Equal(before.ToAt) {
		wrong = append(wrong, "does not begin where the one before ends")
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
			"drawers": {m.Cash, earlier.Cash}, "prepayments": {m.Prepaid, earlier.Prepaid}, "refunds due": {
				m.RefundsDue, earlier.RefundsDue,
			},
			"held float": {m.Held, earlier.Held}, "receivables": {m.Receivable, earlier.Receivable},
		} {
			now, was := pair[0], pair[1]
			if now.Opening != was.Closing || now.Opening+now.In+now.Out != now.Closing {
				wrong = append(wrong, fmt.Sprintf("its %s in %s do not add up", name, m.Currency))
			}
		}
	}
	return wrong
}
