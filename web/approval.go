package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// question is what an approver is asked: the act as they must know it, and what it is
// done to, with numbers masked.
type question func(*gin.Context) (approval.Act, string, error)

// asks says what a request does that somebody may have to allow.
func asks(c *gin.Context, act approval.Act, about question) {
	x := exchangeOf(c.Request.Context())
	x.act, x.about = act, about
}

// approver returns who allows this one act whatever stops it, nobody if nobody
// does: the user who pressed the button for it, if the role may; a manager who
// typed their PIN or password into the form (fields manager, secret); or one who
// approved it from a screen of their own (field approval). A PIN that is wrong
// allows nothing, and the page that says what stops the act says that, too. The
// approval is spent by the act.
func (s *Server) approver(c *gin.Context, act approval.Act, about question) approval.Approver {
	asks(c, act, about)
	u, x := present(c).User, exchangeOf(c.Request.Context())
	var by approval.Approver
	var err error
	switch {
	case c.PostForm("approve") != "" && u.Can(staff.Override):
		return approval.Approver{ID: u.ID}
	case c.PostForm("secret") != "":
		by, err = s.approvedHere(c)
	case c.PostForm("approval") != "":
		by, err = s.d.Approvals.Approver(c.Request.Context(), present(c).Shop.ID, c.PostForm("approval"), subjectOf(c), u.ID)
	}
	if err != nil {
		x.approvalProblem = s.whyNotApproved(c, err)
		return approval.Approver{}
	}
	return by
}

// whyNotApproved is for the form; what is our own fault is for the log, too.
func (s *Server) whyNotApproved(c *gin.Context, err error) string {
	l := s.localeOf(c.Request)
	if errors.Is(err, staff.ErrPassword) {
		return l.Text("approve.password")
	}
	if fault.KindOf(err) == fault.Internal {
		s.d.Log.ErrorContext(c.Request.Context(), "approval.failed", "error", err)
		return l.Text("error.500")
	}
	return l.Fault(err)
}

// approvedHere takes a manager's PIN or password, typed at this till.
func (s *Server) approvedHere(c *gin.Context) (approval.Approver, error) {
	ctx, p := c.Request.Context(), present(c)
	at := staff.Attempt{Address: c.ClientIP(), Device: s.cookie(c.Request, "device")}
	manager, err := s.d.Staff.Vouch(ctx, p.Shop.ID, c.PostForm("manager"), c.PostForm("secret"), at)
	if err != nil {
		return approval.Approver{}, err
	}
	request, err := s.request(c)
	if err != nil {
		return approval.Approver{}, err
	}
	return s.d.Approvals.Given(audit.Actor{
		UserID: manager.ID, Name: manager.Username, Role: string(manager.Role), ShopID: p.Shop.ID, TillID: p.Till.ID,
	}, request), nil
}

// request is this very request as an approver is asked about it.
func (s *Server) request(c *gin.Context) (approval.Request, error) {
	p := present(c)
	act, summary, err := exchangeOf(c.Request.Context()).about(c)
	return approval.Request{
		ShopID: p.Shop.ID, TillID: p.Till.ID, AskedBy: p.User.ID, Act: act, Subject: subjectOf(c), Summary: summary,
	}, err
}

// subjectOf names a request by all that it asks for: an approval of one sale is
// none of another number, product, amount or price.
func subjectOf(c *gin.Context) string {
	asked := url.Values{}
	for name, values := range c.Request.PostForm {
		switch name {
		case formField, "manager", "secret", "approval", "ask", "reason":
		default:
			asked[name] = values
		}
	}
	act := string(exchangeOf(c.Request.Context()).act)
	sum := sha256.Sum256([]byte(act + " " + c.Param("id") + "?" + asked.Encode()))
	return hex.EncodeToString(sum[:])
}

// approveForm is how somebody else may allow what stopped a request; nil if the
// user may do so alone. A request that asks (field ask) goes to their screens.
func (s *Server) approveForm(c *gin.Context) (*templates.Approve, error) {
	ctx, p, x := c.Request.Context(), present(c), exchangeOf(c.Request.Context())
	if p.User.Can(staff.Override) {
		return nil, nil
	}
	managers, err := s.d.Staff.Approvers(ctx, p.Shop.ID)
	if err != nil {
		return nil, err
	}
	form := &templates.Approve{Locale: s.localeOf(c.Request), Problem: x.approvalProblem}
	for _, m := range managers {
		form.Managers = append(form.Managers, templates.Option{Value: m.ID, Text: m.DisplayName})
	}
	if c.PostForm("ask") != "" {
		request, err := s.request(c)
		if err == nil {
			request, err = s.d.Approvals.Ask(ctx, request)
		}
		form.ID, form.State = request.ID, string(approval.Waiting)
		return form, err
	}
	if id := c.PostForm("approval"); id != "" {
		return form, s.addState(ctx, form, p.Shop.ID, id)
	}
	return form, nil
}

func (s *Server) addState(ctx context.Context, form *templates.Approve, shopID, id string) error {
	request, err := s.d.Approvals.Get(ctx, shopID, id)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	form.ID, form.State = id, string(request.State(s.d.Now()))
	return err
}

// approvalEvents is GET /approvals/{id}/events: the form of who asked, anew when
// it is decided.
func (s *Server) approvalEvents(c *gin.Context) error {
	ctx, shop := c.Request.Context(), present(c).Shop.ID
	if _, err := s.d.Approvals.Get(ctx, shop, c.Param("id")); err != nil {
		return err
	}
	managers, err := s.d.Staff.Approvers(ctx, shop)
	if err != nil {
		return err
	}
	form := templates.Approve{Locale: s.localeOf(c.Request)}
	for _, m := range managers {
		form.Managers = append(form.Managers, templates.Option{Value: m.ID, Text: m.DisplayName})
	}
	hints, cancel := s.d.Bus.Subscribe(approval.Topic(shop))
	defer cancel()
	return s.stream(c, streamLookEvery, []<-chan struct{}{hints}, func(ctx context.Context) (templ.Component, bool, error) {
		err := s.addState(ctx, &form, shop, c.Param("id"))
		return templates.ApproveRegion(form), form.State != string(approval.Waiting), err
	})
}

// approvals is GET /approvals: what colleagues wait for.
func (s *Server) approvals(c *gin.Context) error { return s.showApprovals(c, http.StatusOK, "") }

func (s *Server) showApprovals(c *gin.Context, status int, problem string) error {
	p := present(c)
	pending, err := s.d.Approvals.Pending(c.Request.Context(), p.Shop.ID, p.User.ID)
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	return s.show(c, status, func(f templates.Frame) templ.Component {
		page := templates.ApprovalsPage{Frame: f, Problem: problem}
		for _, r := range pending {
			page.Asked = append(page.Asked, templates.AskedApproval{
				ID: r.ID, By: names.people[r.AskedBy], Till: names.tills[r.TillID], Summary: r.Summary, Act: actText(f.Locale, r.Act), At: f.Time(r.AskedAt), Until: f.Time(r.ExpiresAt),
			})
		}
		return templates.Approvals(page)
	})
}

// actTexts say what is asked for.
var actTexts = map[approval.Act]string{
	approval.Sale: "approvals.sale", approval.Refund: "approvals.refund", approval.RefundUnknown: "approvals.refundUnknown",
	approval.Retry: "approvals.retry", approval.CashMove: "approvals.cash",
}

func actText(l locale.Locale, act approval.Act) string {
	return l.Text(cmp.Or(actTexts[act], "approvals.other"))
}

// decide is POST /approvals/{id} (field approve: 1 or nothing).
func (s *Server) decide(c *gin.Context) error {
	err := s.d.Approvals.Decide(c.Request.Context(), present(c).Actor(), c.Param("id"), c.PostForm("approve") != "")
	switch fault.KindOf(err) {
	case "":
		return redirect(c, "/approvals")
	case fault.Conflict:
		return s.showApprovals(c, http.StatusConflict, s.localeOf(c.Request).Fault(err))
	default:
		return err
	}
}
