package sale

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/templates"
)

// addTimeline adds what happened to a sale, and in a sentence what came after its end.
func (s *Screens) addTimeline(c *gin.Context, o *templates.Outcome, sale sales.Sale, prints []receipt.Print) error {
	ctx := c.Request.Context()
	moments, err := s.D.Sales.Timeline(ctx, sale)
	if err != nil {
		return err
	}
	if turn := sales.LastTurn(moments); turn != "" {
		o.Late = o.Text(frame.StepKeys[turn], o.Amount(sale.Price()))
	}
	for _, m := range moments {
		if m.Step == sales.StepNotGiven {
			o.Undone++
		}
		step := templates.TimelineStep{At: m.At, Text: frame.StepText(o.Locale, m, sale.Price())}
		if step.By, err = s.nameOf(ctx, m.By); err != nil {
			return err
		}
		if m.ShiftID != "" {
			shift, err := s.D.Till.Get(ctx, m.ShiftID, "")
			if err != nil {
				return err
			}
			drawer, err := s.D.Staff.Till(ctx, shift.TillID)
			if err != nil {
				return err
			}
			step.By = o.Text("timeline.drawer", step.By, drawer.Name, o.Number(int64(shift.Number)))
		}
		if m.Reason != "" {
			step.By += " · " + m.Reason
		}
		o.Timeline = append(o.Timeline, step)
	}
	for _, p := range prints {
		by, err := s.nameOf(ctx, p.UserID)
		if err != nil {
			return err
		}
		o.Timeline = append(o.Timeline, templates.TimelineStep{At: p.At, Text: printText(o, p), By: by})
	}
	slices.SortStableFunc(o.Timeline, func(a, b templates.TimelineStep) int { return a.At.Compare(b.At) })
	return nil
}

// nameOf is what a user is called, "" for the program.
func (s *Screens) nameOf(ctx context.Context, userID string) (string, error) {
	if userID == "" {
		return "", nil
	}
	user, err := s.D.Staff.User(ctx, userID)
	if fault.KindOf(err) == fault.NotFound {
		return "", nil
	}
	return user.DisplayName, err
}

func printText(o *templates.Outcome, p receipt.Print) string {
	text := o.Text("timeline.print."+string(p.Slip), o.Text("audit.copy."+string(p.Copy)))
	if p.Number > 1 {
		text += " · " + o.Text("receipt.duplicate", o.Number(int64(p.Number-1)))
	}
	if p.FailedAt != nil {
		text += " · " + o.Text("timeline.printFailed")
	}
	return text
}
