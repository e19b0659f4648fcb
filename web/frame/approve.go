package frame

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/templates"
)

// Question is what an approver is asked: the act, and what it is done to, with numbers masked.
type Question func(*gin.Context) (approval.Act, string, error)

// Asks says what a request does that may need an approval.
func Asks(c *gin.Context, act approval.Act, about Question) {
	x := ExchangeOf(c.Request.Context())
	x.act, x.about = act, about
}

// Approver returns who allows this one act whatever stops it, or nobody: the user who pressed the button for
// it, if the role may; a manager who typed their PIN or password into the form (fields manager, secret); or
// one who approved it from a screen of their own (field approval). A wrong PIN allows nothing, and the page
// then says so too. The act spends the approval.
func (s *Server) Approver(c *gin.Context, act approval.Act, about Question) approval.Approver {
	Asks(c, act, about)
	u, x := Present(c).User, ExchangeOf(c.Request.Context())
	var by approval.Approver
	var err error
	switch {
	case c.PostForm("approve") != "" && u.Can(staff.Override):
		return approval.Approver{ID: u.ID}
	case c.PostForm("secret") != "":
		by, err = s.approvedHere(c)
	case c.PostForm("approval") != "":
		by, err = s.D.Approvals.Approver(
			c.Request.Context(), Present(c).Shop.ID, c.PostForm("approval"), s.subjectOf(c), u.ID,
		)
	}
	if err != nil {
		x.approvalProblem = s.whyNotApproved(c, err)
		return approval.Approver{}
	}
	return by
}

// whyNotApproved is for the form; our own failures are also logged.
func (s *Server) whyNotApproved(c *gin.Context, err error) string {
	l := s.LocaleOf(c.Request)
	if errors.Is(err, staff.ErrPassword) {
		return l.Text("approve.password")
	}
	if fault.KindOf(err) == fault.Internal {
		s.D.Log.ErrorContext(c.Request.Context(), "approval.failed", "error", err)
		return l.Text("error.500")
	}
	return l.Fault(err)
}

// approvedHere takes a manager's PIN or password, typed at this till.
func (s *Server) approvedHere(c *gin.Context) (approval.Approver, error) {
	ctx, p := c.Request.Context(), Present(c)
	at := staff.Attempt{Address: c.ClientIP(), Device: s.Cookie(c.Request, "device")}
	manager, err := s.D.Staff.Vouch(ctx, p.Shop.ID, c.PostForm("manager"), c.PostForm("secret"), at)
	if err != nil {
		return approval.Approver{}, err
	}
	request, err := s.request(c)
	if err != nil {
		return approval.Approver{}, err
	}
	return s.D.Approvals.Given(audit.Actor{
		UserID: manager.ID, Name: manager.Username, Role: string(manager.Role), ShopID: p.Shop.ID, TillID: p.Till.ID,
	}, request), nil
}

// request is this request as an approver is asked about it.
func (s *Server) request(c *gin.Context) (approval.Request, error) {
	p := Present(c)
	act, summary, err := ExchangeOf(c.Request.Context()).about(c)
	return approval.Request{
		ShopID: p.Shop.ID, TillID: p.Till.ID, AskedBy: p.User.ID, Act: act, Subject: s.subjectOf(c), Summary: summary,
	}, err
}

// subjectOf identifies a request by everything it asks for: an approval of one sale does not cover another
// number, product, amount or price, and that of cash out of a drawer nothing else it is for.
func (s *Server) subjectOf(c *gin.Context) string {
	asked, act := url.Values{}, ExchangeOf(c.Request.Context()).act
	for name, values := range c.Request.PostForm {
		switch name {
		case formField, "manager", "secret", "approval", "ask":
		case "reason":
			if act == approval.CashMove { // the approver was told it
				asked.Set(name, strings.TrimSpace(c.PostForm(name)))
			}
		default:
			for _, value := range values {
				asked.Add(name, s.Numbers.Open(value)) // sealed anew on each page
			}
		}
	}
	sum := sha256.Sum256([]byte(string(act) + " " + c.Param("id") + "?" + asked.Encode()))
	return hex.EncodeToString(sum[:])
}

// ApproveForm is how somebody else may allow what stopped a request; nil if the user may do so alone. A
// request with the field ask goes to their screens.
func (s *Server) ApproveForm(c *gin.Context) (*templates.Approve, error) {
	ctx, p := c.Request.Context(), Present(c)
	if p.User.Can(staff.Override) {
		return nil, nil
	}
	form, err := s.approvers(c)
	if err != nil {
		return nil, err
	}
	if c.PostForm("ask") != "" {
		request, err := s.request(c)
		if err == nil {
			request, err = s.D.Approvals.Ask(ctx, request)
		}
		form.ID, form.State = request.ID, string(approval.Waiting)
		return form, err
	}
	if id := c.PostForm("approval"); id != "" {
		return form, s.addState(ctx, form, p.Shop.ID, id)
	}
	return form, nil
}

// approvers is the form with the people who may approve in this shop.
func (s *Server) approvers(c *gin.Context) (*templates.Approve, error) {
	managers, err := s.D.Staff.Approvers(c.Request.Context(), Present(c).Shop.ID)
	form := &templates.Approve{
		Locale: s.LocaleOf(c.Request), Problem: ExchangeOf(c.Request.Context()).approvalProblem,
	}
	for _, m := range managers {
		form.Managers = append(form.Managers, templates.Choice{Value: m.ID, Text: m.DisplayName})
	}
	return form, err
}

func (s *Server) addState(ctx context.Context, form *templates.Approve, shopID, id string) error {
	request, err := s.D.Approvals.Get(ctx, shopID, id)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	form.ID, form.State = id, string(request.State(s.D.Now()))
	return err
}

// ApprovalEvents is GET /approvals/{id}/events: the asker's form, again once it is decided.
func (s *Server) ApprovalEvents(c *gin.Context) error {
	ctx, shop := c.Request.Context(), Present(c).Shop.ID
	if _, err := s.D.Approvals.Get(ctx, shop, c.Param("id")); err != nil {
		return err
	}
	form, err := s.approvers(c)
	if err != nil {
		return err
	}
	hints, cancel := s.D.Bus.Subscribe(approval.Topic(shop))
	defer cancel()
	return s.Stream(c, beatEvery, hints, func(ctx context.Context) (templ.Component, bool, error) {
		err := s.addState(ctx, form, shop, c.Param("id"))
		return templates.ApproveRegion(*form), form.State != string(approval.Waiting), err
	})
}
