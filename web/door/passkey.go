package door

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

const (
	challengeCookie = "challenge" // names what a passkey of this browser is asked to sign
	challengeKept   = 5 * time.Minute
)

// AskPasskey is POST /login/passkey/challenge: what an existing passkey must sign.
func (s *Screens) AskPasskey(c *gin.Context) error {
	asked, token, err := s.D.Staff.AskPasskey(c.Request.Context())
	return s.sendChallenge(c, asked, token, err)
}

// BeginPasskey is POST /account/second/passkeys/challenge: the same for a new passkey of the user.
func (s *Screens) BeginPasskey(c *gin.Context) error {
	asked, token, err := s.D.Staff.BeginPasskey(c.Request.Context(), frame.Present(c).Actor())
	return s.sendChallenge(c, asked, token, err)
}

func (s *Screens) sendChallenge(c *gin.Context, asked []byte, token string, err error) error {
	if err != nil {
		return err
	}
	s.SetCookie(c.Writer, challengeCookie, token, challengeKept)
	c.Data(http.StatusOK, "application/json; charset=utf-8", asked)
	return nil
}

// LoginByPasskey is POST /login/passkey (fields answer, next, language).
func (s *Screens) LoginByPasskey(c *gin.Context) error {
	device := s.Cookie(c.Request, "device")
	user, err := s.D.Staff.LoginByPasskey(
		c.Request.Context(), s.Cookie(c.Request, challengeCookie), c.PostForm("answer"),
		staff.Attempt{Address: c.ClientIP(), Device: device},
	)
	if err != nil {
		return s.refuseLogin(c, err, s.showLogin)
	}
	s.SetCookie(c.Writer, challengeCookie, "", -time.Second)
	return s.enter(c, user, device, onwardOf(c), true)
}

// ChangePasskeys is POST /account/second/passkeys (fields act, answer, name, id): add or remove a passkey; prove gives
// one as the second factor again.
func (s *Screens) ChangePasskeys(c *gin.Context) error {
	ctx, p := c.Request.Context(), frame.Present(c)
	by, token, answer := p.Actor(), s.Cookie(c.Request, challengeCookie), c.PostForm("answer")
	page := templates.SecondPage{Act: c.PostForm("act"), Field: "passkey"}
	next, user, given := frame.SecondPath, p.User, new(s.D.Now())
	var err error
	switch page.Act {
	case "add":
		name := cmp.Or(strings.TrimSpace(c.PostForm("name")), templates.AgentName(c.Request.UserAgent()))
		user, page.Codes, err = s.D.Staff.AddPasskey(ctx, by, token, name, answer)
	case "remove":
		given = p.SecondAt // removing one proves nothing
		user, err = s.D.Staff.RemovePasskey(ctx, by, p.User.Epoch, c.PostForm("id"))
	case "prove":
		next, err = frame.SecondPath+"?done=proved", s.D.Staff.ProvePasskey(ctx, by, token, answer)
	default:
		return fault.New(fault.NotFound, "")
	}
	return s.finishSecond(c, page, user, given, next, err)
}
