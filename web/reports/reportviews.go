package reports

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// SaveView is POST /reports/views (fields name, path).
func (s *Screens) SaveView(c *gin.Context) error {
	path, name := c.PostForm("path"), c.PostForm("name")
	err := s.D.Report.SaveView(c.Request.Context(), frame.Present(c).User.ID, name, path)
	switch {
	case err == nil:
		return frame.Redirect(c, path)
	case fault.FieldOf(err) != "name":
		return err
	}
	kind, values, notOurs := reportAt(path, frame.Present(c).User)
	if notOurs != nil {
		return fault.New(fault.NotFound, "")
	}
	return s.refuseBeside(c, kind, values, func(a *ask) { a.viewName, a.viewProblem = name, err })
}

// reportAt reads the address of a report that is sent by mail or saved.
func reportAt(path string, u staff.User) (reportKind, url.Values, error) {
	address, err := url.Parse(path)
	if err != nil {
		return reportKind{}, nil, fault.New(fault.Invalid, "mailing.no-report")
	}
	kind, err := findReport(strings.TrimPrefix(address.Path, "/reports/"), u)
	return kind, address.Query(), err
}

// refuseBeside shows a report again, with a refused form beside it.
func (s *Screens) refuseBeside(c *gin.Context, kind reportKind, values url.Values, refused func(*ask)) error {
	a, err := s.readAsk(c, kind, values)
	if err == nil {
		err = a.problem
	}
	if err != nil {
		return err
	}
	found, err := s.answerReport(c.Request.Context(), s.LocaleOf(c.Request), a)
	if err != nil {
		return err
	}
	refused(&a)
	return s.showReport(c, http.StatusUnprocessableEntity, a, found)
}

// ForgetView is POST /reports/views/:id/delete.
func (s *Screens) ForgetView(c *gin.Context) error {
	err := s.D.Report.ForgetView(c.Request.Context(), frame.Present(c).User.ID, c.Param("id"))
	return frame.Then(c, err, "/reports/sales")
}
