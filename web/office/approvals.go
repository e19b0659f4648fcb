package office

import (
	"cmp"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Approvals is GET /approvals: what colleagues wait for.
func (s *Screens) Approvals(c *gin.Context) error {
	p := frame.Present(c)
	pending, err := s.D.Approvals.Pending(c.Request.Context(), p.Shop.ID, p.User.ID)
	if err != nil {
		return err
	}
	names, err := s.Names(c)
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.ApprovalsPage{Frame: f, Problem: f.Fault(frame.Refused(c))}
		for _, r := range pending {
			page.Asked = append(page.Asked, templates.AskedApproval{
				ID: r.ID, By: names.People[r.AskedBy], Till: names.Tills[r.TillID], Summary: r.Summary,
				Act: actText(f.Locale, r.Act), At: f.Time(r.AskedAt), Until: f.Time(r.ExpiresAt),
			})
		}
		return templates.Approvals(page)
	})
}

// Decide is POST /approvals/{id} (field approve: 1 or nothing).
func (s *Screens) Decide(c *gin.Context) error {
	err := s.D.Approvals.Decide(
		c.Request.Context(), frame.Present(c).Actor(), c.Param("id"), c.PostForm("approve") != "",
	)
	switch fault.KindOf(err) {
	case "":
		return frame.Redirect(c, "/approvals")
	case fault.Conflict:
		frame.Refuse(c, err)
		return s.Approvals(c)
	default:
		return err
	}
}

// actTexts say what an approver is asked for.
var actTexts = map[approval.Act]string{
	approval.Sale: "approvals.sale", approval.Refund: "approvals.refund",
	approval.RefundUnknown: "approvals.refundUnknown",
	approval.NotGivenBack:  "approvals.notGivenBack",
	approval.Retry:         "approvals.retry", approval.CashMove: "approvals.cash",
}

// actText says what an approver is asked for.
func actText(l locale.Locale, act approval.Act) string {
	return l.Text(cmp.Or(actTexts[act], "approvals.other"))
}
