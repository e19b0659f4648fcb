package web

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/web/locale"
	"airtill/web/templates"
)

// addTimeline adds what happened to a sale, and in a sentence what came after its
// end.
func (s *Server) addTimeline(c *gin.Context, o *templates.Outcome, sale sales.Sale, prints []receipt.Print) error {
	ctx := c.Request.Context()
	moments, err := s.d.Sales.Timeline(ctx, sale)
	if err != nil {
		return err
	}
	if turn := sales.LastTurn(moments); turn != "" {
		o.Late = o.Text(stepKeys[turn], o.Amount(sale.Price()))
	}
	for _, m := range moments {
		step := templates.TimelineStep{At: m.At, Text: stepText(o.Locale, m, sale.Price())}
		if step.By, err = s.nameOf(ctx, m.By); err != nil {
			return err
		}
		if m.ShiftID != "" {
			shift, err := s.d.Till.Get(ctx, m.ShiftID, "")
			if err != nil {
				return err
			}
			drawer, err := s.d.Staff.Till(ctx, shift.TillID)
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
func (s *Server) nameOf(ctx context.Context, userID string) (string, error) {
	if userID == "" {
		return "", nil
	}
	user, err := s.d.Staff.User(ctx, userID)
	if fault.KindOf(err) == fault.NotFound {
		return "", nil
	}
	return user.DisplayName, err
}

// stepKeys are the texts of the steps.
var stepKeys = map[sales.Step]string{
	sales.Step(sales.Confirmed): "timeline.confirmed", sales.Step(sales.Permitted): "timeline.sent", sales.Step(sales.NothingLeft): "timeline.unsent",
	sales.Step(sales.Lost): "timeline.lost", sales.Step(sales.TooLate): "timeline.tooLate", sales.Step(sales.CalledOff): "timeline.calledOff",
	sales.Step(sales.CancelAsked): "timeline.cancelAsked", sales.Step(sales.TriedAgain): "timeline.triedAgain", sales.Step(sales.Refunded): "timeline.refunded",
	sales.Step(sales.Revealed): "timeline.revealed", sales.Step(sales.Decided): "timeline.decided", sales.Step(sales.Repaid): "timeline.repaid",
	sales.StepTold: "timeline.told", sales.StepDetails: "timeline.details", sales.StepAbsent: "timeline.absent", sales.StepAllowed: "timeline.allowed",
	sales.StepLate: "turn.late", sales.StepLateLoss: "turn.lateLoss", sales.StepReversed: "turn.reversed", sales.StepRecover: "turn.recovered",
}

// stopNames are the keys of what a manager may allow all the same.
var stopNames = map[string]string{
	sales.StopOpenTwin: "audit.stop.twin", sales.StopLimit: "audit.stop.limit",
	sales.StopRefundUnknown: "approvals.refundUnknown", sales.StopRetryEarly: "approvals.retry",
}

// copyNames are the keys of whose copy of a paper it is.
var copyNames = map[receipt.Copy]string{receipt.Customers: "audit.copy.customer", receipt.Shops: "audit.copy.shop"}

// stepText puts a step into words.
func stepText(l locale.Locale, m sales.Moment, price money.Amount) string {
	switch m.Step {
	case sales.StepAsked:
		return l.Count("timeline.asked", m.Times)
	case sales.StepTold, sales.Step(sales.Decided):
		return l.Text(stepKeys[m.Step], templates.StateWord(l, string(m.State)))
	case sales.StepAllowed:
		return l.Text(stepKeys[m.Step], l.Text(stopNames[m.Stop]))
	case sales.Step(sales.Confirmed), sales.Step(sales.Refunded), sales.StepLate, sales.StepLateLoss, sales.StepReversed, sales.StepRecover:
		return l.Text(stepKeys[m.Step], l.Amount(price))
	default:
		return l.Text(stepKeys[m.Step])
	}
}

var printKeys = map[receipt.Slip]string{receipt.Receipt: "timeline.receipt", receipt.Waiting: "timeline.waiting", receipt.Refund: "timeline.refund"}

func printText(o *templates.Outcome, p receipt.Print) string {
	text := o.Text(printKeys[p.Slip], o.Text(copyNames[p.Copy]))
	if p.Number > 1 {
		text += " · " + o.Text("receipt.duplicate", o.Number(int64(p.Number-1)))
	}
	if p.FailedAt != nil {
		text += " · " + o.Text("timeline.printFailed")
	}
	return text
}
