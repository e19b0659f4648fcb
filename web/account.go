package web

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/templates"
)

// account is GET /account: the user's PIN, and whether this till takes PINs.
func (s *Server) account(c *gin.Context) error {
	return s.showAccount(c, http.StatusOK, templates.AccountPage{Done: c.Query("done") != ""})
}

func (s *Server) showAccount(c *gin.Context, status int, page templates.AccountPage) error {
	ctx, p := c.Request.Context(), present(c)
	var err error
	if page.HasPIN, err = s.d.Staff.HasPIN(ctx, p.User.ID); err != nil {
		return err
	}
	devices, err := s.d.Staff.TrustedDevices(ctx, p.Shop.ID)
	if err != nil {
		return err
	}
	here := staff.DeviceID(s.cookie(c.Request, "device"))
	page.MayTrust = p.User.Can(staff.TrustDevices)
	return s.show(c, status, func(f templates.Frame) templ.Component {
		page.Frame = f
		for _, d := range devices {
			page.Trusted = page.Trusted || d.ID == here
			page.Devices = append(page.Devices, templates.Device{
				ID: d.ID, Till: d.Till, By: d.TrustedBy, Since: f.DateTime(d.TrustedAt), Seen: f.DateTime(d.SeenAt), Here: d.ID == here,
			})
		}
		return templates.Account(page)
	})
}

// setPIN is POST /account/pin (fields password, pin).
func (s *Server) setPIN(c *gin.Context) error {
	p := present(c)
	err := s.d.Staff.SetPIN(c.Request.Context(), p.Actor(), c.PostForm("password"), c.PostForm("pin"), c.ClientIP())
	var f *fault.Error
	switch {
	case err == nil:
		if err := s.mindLock(c, s.cookie(c.Request, "device"), p.User.ID); err != nil {
			return err
		}
		return redirect(c, "/account?done=1")
	case errors.As(err, &f) && f.Kind == fault.Invalid && f.Field == "password":
		return s.showAccount(c, http.StatusUnprocessableEntity, templates.AccountPage{PasswordProblem: s.localeOf(c.Request).Fault(f)})
	case errors.As(err, &f) && f.Kind == fault.Invalid:
		return s.showAccount(c, http.StatusUnprocessableEntity, templates.AccountPage{PINProblem: s.localeOf(c.Request).Fault(f)})
	}
	return err
}

// trust is POST /account/trust: this browser's till takes PINs from now on.
func (s *Server) trust(c *gin.Context) error {
	device, p := s.cookie(c.Request, "device"), present(c)
	if err := s.d.Staff.Trust(c.Request.Context(), p.Actor(), device); err != nil {
		return err
	}
	if err := s.mindLock(c, device, p.User.ID); err != nil {
		return err
	}
	return redirect(c, "/account")
}

// distrust is POST /account/distrust (field device).
func (s *Server) distrust(c *gin.Context) error {
	if err := s.d.Staff.Distrust(c.Request.Context(), present(c).Actor(), c.PostForm("device")); err != nil {
		return err
	}
	return redirect(c, "/account")
}
