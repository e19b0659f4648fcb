package sale

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/internal/limit"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// Refund is POST /sales/:id/refund.
func (s *Screens) Refund(c *gin.Context) error {
	return s.act(c, approval.Refund, s.D.Sales.Refund, s.refundOver(c))
}

// NotGivenBack is POST /sales/:id/not-given-back: cash was booked as given back by mistake.
func (s *Screens) NotGivenBack(c *gin.Context) error {
	return s.act(c, approval.NotGivenBack, s.D.Sales.NotGivenBack)
}

// Cancel is POST /sales/:id/cancel.
func (s *Screens) Cancel(c *gin.Context) error { return s.act(c, "", s.D.FollowUp.Cancel) }

// Reveal is POST /sales/:id/reveal: the PIN, for those who may see it.
func (s *Screens) Reveal(c *gin.Context) error {
	return s.act(c, "", func(ctx context.Context, id string, act sales.Act) (sales.Sale, error) {
		return sales.Sale{}, s.D.Sales.Reveal(ctx, id, act)
	})
}

// Retry is POST /sales/:id/retry: another attempt of a failed sale.
func (s *Screens) Retry(c *gin.Context) error {
	return s.act(c, approval.Retry, func(ctx context.Context, id string, act sales.Act) (sales.Sale, error) {
		sale, err := s.D.Sales.TryAgain(ctx, id, act)
		if err == nil && sale.Fulfilment == sales.Recorded {
			s.D.Sales.Dispatch(sale)
		}
		return sale, err
	})
}

// act does something to a sale. name is the act that may need an approval, "" if nothing stops it; stopped is
// the form of what only a manager may allow: posted with an unusable reason, it comes back as typed; for an
// open sale it is none.
func (s *Screens) act(
	c *gin.Context, name approval.Act, do func(context.Context, string, sales.Act) (sales.Sale, error),
	stopped ...templates.Approval,
) error {
	sale, err := s.SaleOf(c)
	if err != nil {
		return err
	}
	about := aboutSale(name, sale)
	frame.Asks(c, name, about)
	p := frame.Present(c)
	day, _ := frame.BusinessDay(s.D.Now(), p.Shop.Location())
	reason, err := frame.TypedText(c, "reason")
	if err != nil {
		if sale.Fulfilment.Open() {
			stopped = nil
		}
		return s.showSale(c, frame.StatusOf(err), sale, s.LocaleOf(c.Request).Fault(err), stopped...)
	}
	act := sales.Act{Actor: p.Actor(), Day: day, Reason: reason, Again: c.PostForm("another") != ""}
	act.Attempt, _ = strconv.Atoi(c.PostForm("attempt")) // 0 without one
	act.Undone, _ = strconv.Atoi(c.PostForm("undone"))   // likewise
	if name != "" {
		act.Approver = s.Approver(c, name, about)
	}
	if p.Till.ID != "" {
		shift, err := s.OpenShift(c)
		if err != nil {
			return err
		}
		if shift != nil {
			act.ShiftID = shift.ID
		}
	}
	_, err = do(c.Request.Context(), sale.ID, act)
	if same, ok := errors.AsType[*sales.DuplicateError](err); ok {
		return s.askAnother(c, sale, same.Earlier)
	}
	if stop := sales.Approvable(err); stop != "" {
		return s.showStopped(c, name, sale, err)
	}
	switch fault.KindOf(err) {
	case "":
		return frame.Redirect(c, "/sales/"+sale.ID)
	case fault.Conflict, fault.Invalid, fault.Unavailable:
		return s.showSale(c, frame.StatusOf(err), sale, s.LocaleOf(c.Request).Fault(err))
	default:
		return err
	}
}

// aboutSale is what an approver is asked about a sale.
func aboutSale(act approval.Act, sale sales.Sale) frame.Question {
	if act == approval.Refund && sale.Fulfilment.Open() {
		act = approval.RefundUnknown // the approver must know that
	}
	return func(*gin.Context) (approval.Act, string, error) {
		return act, sale.ProductText + " · " + frame.Masked(sale.AccountNumber) + " · " + sale.Price().String(), nil
	}
}

// askAnother asks whether a sale is to be tried again beside the same that was sent.
func (s *Screens) askAnother(c *gin.Context, sale, earlier sales.Sale) error {
	what, err := s.SameText(c, earlier)
	if err != nil {
		return err
	}
	return s.showOutcome(c, http.StatusConflict, sale, func(o *templates.Outcome) { o.Same = what })
}

// showStopped shows the sale with what a manager would have to allow.
func (s *Screens) showStopped(c *gin.Context, name approval.Act, sale sales.Sale, err error) error {
	l, problem := s.LocaleOf(c.Request), ""
	var reached *limit.Error
	var open *sales.UnknownError
	switch {
	case errors.As(err, &reached):
		problem = frame.LimitText(l, reached)
	case errors.As(err, &open):
		problem = l.Text("confirm.stillOpen", l.At(open.Earlier.RecordedAt, s.D.Now()))
	case c.PostForm("ask") != "":
		return s.showSale(c, http.StatusConflict, sale, "") // the page says who was asked
	default: // the page says what a manager may do
		return s.showSale(c, http.StatusConflict, sale, l.Text("outcome.managerOnly"))
	}
	over := s.refundOver(c)
	if name == approval.Retry {
		over = s.over(c, name, l.Text("outcome.managerOnly"), "outcome.retryNow")
	}
	return s.showSale(c, http.StatusConflict, sale, problem, over)
}

// over is an act that only a manager may allow; button is a key.
func (s *Screens) over(c *gin.Context, act approval.Act, why, button string) templates.Approval {
	return templates.Approval{
		Act: string(act), Why: why, Button: s.LocaleOf(c.Request).Text(button),
		May: frame.Present(c).User.Can(staff.Override),
	}
}

func (s *Screens) refundOver(c *gin.Context) templates.Approval {
	return s.over(c, approval.Refund, s.LocaleOf(c.Request).Text("outcome.refundOver"), "outcome.refundAllow")
}

// addActs says what this user may do with the sale now.
func (s *Screens) addActs(c *gin.Context, o *templates.Outcome, sale sales.Sale) {
	u := frame.Present(c).User
	if sale.Cash == sales.CashRefundDue {
		if price := sale.Price(); u.Can(staff.Refund) {
			o.GiveBack = &price
		}
		o.CanRetry = u.Can(staff.Sell) && sale.Retryable()
	}
	if early := sale.RetryFrom(s.D.Now()); o.CanRetry && early != nil {
		o.CanRetry = false
		why := o.Text("outcome.retryEarly", o.Time(*early))
		o.Approvals = append(o.Approvals, s.over(c, approval.Retry, why, "outcome.retryNow"))
	}
	if sale.RefundableOpen() && u.Can(staff.Refund) {
		why := o.Text("outcome.refundUnknown")
		o.WhileOpen = append(o.WhileOpen, s.over(c, approval.Refund, why, "outcome.refundNow"))
	}
	o.CanCancel = u.Can(staff.Sell) && (sale.Fulfilment == sales.Recorded || sale.Cancellable())
}

// addNotGivenBack says how this user may take back that the cash was given back.
func (s *Screens) addNotGivenBack(c *gin.Context, o *templates.Outcome, sale sales.Sale) error {
	u := frame.Present(c).User
	if !o.Returned || !u.Can(staff.Refund) {
		return nil
	}
	alone, counted, err := s.D.Sales.NeedsNoManager(c.Request.Context(), sale.ID, u.ID)
	if err != nil {
		return err
	}
	why := o.Text("outcome.notGivenBackDo", o.Amount(sale.Price()))
	switch {
	case alone:
		o.TakeBack = why
		return nil
	case counted:
		why = o.Text("outcome.notGivenBackCounted", o.Amount(sale.Price()))
	}
	o.TakeBacks = append(o.TakeBacks, s.over(c, approval.NotGivenBack, why, "outcome.notGivenBack"))
	return nil
}

// withoutRefund takes away the promise of cash back, which would be refused, while an earlier attempt is known to have
// gone through.
func (s *Screens) withoutRefund(c *gin.Context, o *templates.Outcome, sale sales.Sale) error {
	if sale.Cash != sales.CashRefundDue && !sale.RefundableOpen() {
		return nil
	}
	sent, err := s.D.Sales.EarlierSent(c.Request.Context(), &sale)
	if err != nil || !sent {
		return err
	}
	o.GiveBack, o.WhileOpen = nil, nil
	if sale.Cash == sales.CashRefundDue {
		o.Reason, o.Advice = o.Noted("sale.earlier-sent"), ""
	}
	return nil
}
