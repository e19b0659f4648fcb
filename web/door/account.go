package door

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// Account is GET /account: the user's PIN, and whether this till takes PINs.
func (s *Screens) Account(c *gin.Context) error {
	return s.showAccount(c, http.StatusOK, templates.AccountPage{Done: c.Query("done") != ""})
}

func (s *Screens) showAccount(c *gin.Context, status int, page templates.AccountPage) error {
	ctx, p := c.Request.Context(), frame.Present(c)
	var err error
	if page.HasPIN, err = s.D.Staff.HasPIN(ctx, p.User.ID); err != nil {
		return err
	}
	devices, err := s.D.Staff.TrustedDevices(ctx, p.Shop.ID)
	if err != nil {
		return err
	}
	here := staff.DeviceID(s.Cookie(c.Request, "device"))
	page.MayTrust = p.User.Can(staff.TrustDevices)
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page.Frame = f
		for _, d := range devices {
			page.Trusted = page.Trusted || d.ID == here
			page.Devices = append(page.Devices, templates.Device{
				ID: d.ID, Till: d.Till, By: d.TrustedBy, Since: f.DateTime(d.TrustedAt), Seen: f.DateTime(d.SeenAt),
				Here: d.ID == here,
			})
		}
		return templates.Account(page)
	})
}

// SetPIN is POST /account/pin (fields password, pin).
func (s *Screens) SetPIN(c *gin.Context) error {
	p := frame.Present(c)
	err := s.D.Staff.SetPIN(c.Request.Context(), p.Actor(), c.PostForm("password"), c.PostForm("pin"), c.ClientIP())
	var f *fault.Error
	switch {
	case err == nil:
		if err := s.MindLock(c, s.Cookie(c.Request, "device"), p.User.ID); err != nil {
			return err
		}
		return frame.Redirect(c, "/account?done=1")
	case errors.As(err, &f) && f.Kind == fault.Invalid && f.Field == "password":
		return s.showAccount(c, http.StatusUnprocessableEntity, templates.AccountPage{
			PasswordProblem: s.LocaleOf(c.Request).Fault(f),
		})
	case errors.As(err, &f) && f.Kind == fault.Invalid:
		return s.showAccount(c, http.StatusUnprocessableEntity, templates.AccountPage{
			PINProblem: s.LocaleOf(c.Request).Fault(f),
		})
	}
	return err
}

// Trust is POST /account/trust: this browser's till takes PINs from now on.
func (s *Screens) Trust(c *gin.Context) error {
	device, p := s.Cookie(c.Request, "device"), frame.Present(c)
	if err := s.D.Staff.Trust(c.Request.Context(), p.Actor(), device); err != nil {
		return err
	}
	if err := s.MindLock(c, device, p.User.ID); err != nil {
		return err
	}
	return frame.Redirect(c, "/account")
}

// Distrust is POST /account/distrust (field device).
func (s *Screens) Distrust(c *gin.Context) error {
	if err := s.D.Staff.Distrust(c.Request.Context(), frame.Present(c).Actor(), c.PostForm("device")); err != nil {
		return err
	}
	return frame.Redirect(c, "/account")
}
