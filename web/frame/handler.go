package frame

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/text/language"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
	"airtill/web/static"
	"airtill/web/templates"
)

// exchange is what the frame knows of one request and its answer.
type exchange struct {
	id       string // names the request in the log and on error pages
	nonce    string // allows a script or style of this answer only
	route    string // the pattern, since paths and queries carry numbers
	address  string // of the client
	agent    string // what the client calls itself
	token    string // of the session; "": not signed in
	Presence staff.Presence
	SignedIn bool
	zone     *time.Location // by whose clock they read days and times
	stranger bool           // comes from a browser that nobody has signed in from; known where there is a limit
	found    staff.Presence // of the user the session was loaded for
	foundBy  string         // by which token; "": none
	ahead    *store.Ahead   // what was asked in the same round trip
	request  *http.Request
	form     url.Values // of a form that only reads, which is read before the session
	unread   error      // why it could not be
	office   bool       // the page belongs to the office
	stream   bool       // has no end of its own, so none that would be missed
	locks    bool       // the screen locks when nobody is there
	writer   *recorder

	act             approval.Act // what the request asks for, if it may need an approval
	about           Question     // what the approver is asked
	approvalProblem string       // why there is no approval

	refused error // why the form was refused whose page is shown again; nil: it was not, or there was none
}

type exchangeKey struct{}

// ExchangeOf returns the request's exchange, set by observe.
func ExchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// Present returns who is there; on routes with a permission somebody always is.
func Present(c *gin.Context) staff.Presence { return ExchangeOf(c.Request.Context()).Presence }

// partial says whether htmx asked for a part of a page.
func partial(r *http.Request) bool { return r.Header.Get("HX-Request-Type") == "partial" }

// serve adapts handlers that return errors to gin.
func (s *Server) serve(r Route) gin.HandlerFunc {
	return func(c *gin.Context) {
		x := ExchangeOf(c.Request.Context())
		x.route, x.office, x.stream = r.Path, r.Office, r.Stream
		err := s.guard(c, r)
		if err == nil {
			err = s.inTurn(c, r)
		}
		var first errFirst
		if errors.As(err, &first) && readsPages(c.Request) && !r.Stream && !partial(c.Request) {
			err = Redirect(c, first.path)
		}
		if frozen, ok := errors.AsType[ErrFrozen](err); ok {
			err = s.showFrozen(c, frozen)
		}
		if err != nil {
			s.fail(c.Writer, c.Request, err)
		}
	}
}

// guard lets through only what may go through.
func (s *Server) guard(c *gin.Context, r Route) error {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, r.maxBody())
	if !r.CrossSite {
		if err := s.checkOrigin(c.Request); err != nil {
			return err
		}
	}
	if err := ExchangeOf(c.Request.Context()).unread; err != nil {
		return err
	}
	if err := s.arrive(c, r); err != nil {
		return err
	}
	if err := s.checkLimit(c, r); err != nil {
		return err
	}
	if !r.CrossSite {
		if err := s.checkForm(c); err != nil {
			return err
		}
	}
	if r.Stream {
		return http.NewResponseController(c.Writer).SetWriteDeadline(time.Time{})
	}
	return nil
}

// inTurn handles what was let through, once it is its turn.
func (s *Server) inTurn(c *gin.Context, r Route) error {
	if ExchangeOf(c.Request.Context()).stranger && r.Limit.InTurn {
		leave, err := s.strangers.enter(c.Request.Context())
		if err != nil {
			return err
		}
		defer leave()
	}
	return r.Handle(c)
}

// arrive finds out who is there and whether they may be.
func (s *Server) arrive(c *gin.Context, r Route) error {
	x := ExchangeOf(c.Request.Context())
	x.address, x.agent = c.ClientIP(), c.Request.UserAgent()
	if err := s.recognise(c, r); err != nil {
		return err
	}
	switch {
	case r.Permission == Public:
		return nil
	case !x.SignedIn && r.Resume != nil:
		return errSignIn{stream: r.Stream, next: r.Resume(c)}
	case !x.SignedIn:
		return errSignIn{stream: r.Stream}
	case !x.Presence.Rule.Allows(x.address):
		return s.D.Staff.LeaveNetwork(c.Request.Context(), x.token, x.Presence, x.address)
	case r.Path == "/logout":
		return nil
	case x.Presence.User.MustChangePassword() && r.Path != PasswordPath:
		return errOwnPassword
	case x.Presence.NeedSecond && r.Path != PasswordPath && !strings.HasPrefix(r.Path, SecondPath):
		return errOwnSecond
	case r.Permission == SignedIn, x.Presence.User.Can(r.Permission), r.OrElse != "" && x.Presence.User.Can(r.OrElse):
		return nil
	}
	return fault.New(fault.Forbidden, "")
}

// Redirect sends the browser to a path of ours after a POST; a reload then
// repeats nothing.
func Redirect(c *gin.Context, path string) error {
	c.Redirect(http.StatusSeeOther, path)
	return nil
}

// Then redirects after an act, or returns why it was not done.
func Then(c *gin.Context, err error, next string) error {
	if err != nil {
		return err
	}
	return Redirect(c, next)
}

// Done redirects after an act. Errors a person can mend (Invalid, Conflict, Forbidden) show the page again
// instead; all others are returned.
func Done(c *gin.Context, err error, next string, again func(*gin.Context) error) error {
	switch {
	case err == nil:
		return Redirect(c, next)
	case Mendable(err):
		Refuse(c, err)
		return again(c)
	}
	return err
}

// Refuse notes why a form was refused, before its page is shown again: Show answers with the status of that.
func Refuse(c *gin.Context, why error) { ExchangeOf(c.Request.Context()).refused = why }

// Refused is why the form was refused whose page is shown again; nil: it was not, or there was none.
func Refused(c *gin.Context) error { return ExchangeOf(c.Request.Context()).refused }

// Mendable says whether whoever sent a form can mend what is wrong on its page.
func Mendable(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Invalid || kind == fault.Conflict || kind == fault.Forbidden
}

// idleLock is after how long without touch a till's screen locks.
const idleLock = 3 * time.Minute

func (s *Server) frameOf(r *http.Request) templates.Frame {
	x := ExchangeOf(r.Context())
	p := x.Presence
	f := templates.Frame{
		Locale: s.LocaleOf(r), CSRF: s.FormToken(r), Path: r.URL.Path, Logos: s.D.Logos.Any(),
		Back: pageOfRequest(x, r),
		Shop: p.Shop.Name, Till: p.Till.Name, User: p.User.DisplayName, May: places(p.User),
	}
	if x.locks {
		f.LockAfter = int(idleLock.Seconds())
	}
	return f
}

// places says where the navigation may lead.
func places(u staff.User) templates.Permissions {
	return templates.Permissions{
		Sell:  u.Can(staff.Sell),
		Sales: u.Can(staff.ViewShopSales) || u.Can(staff.ViewAllSales),
		Shift: u.Can(staff.RunShift),
		Today: u.Can(staff.ViewReports), Reports: u.Can(staff.ViewReports), Reconcile: u.Can(staff.ViewReconcile),
		Admin: mayAdmin(u), Health: u.Can(staff.Operate) || u.Can(staff.ViewReports),
	}
}

// LocaleOf is the reader's locale: the language of their account, of this browser's choice, or of the browser;
// with the numbers of their shop's country, in its zone; without a shop in that of most shops.
func (s *Server) LocaleOf(r *http.Request) locale.Locale {
	x := ExchangeOf(r.Context())
	tag := locale.Match(s.Cookie(r, LanguageCookie), r.Header.Get("Accept-Language"))
	if !x.SignedIn {
		return locale.New(tag, nil)
	}
	if own, err := language.Parse(x.Presence.User.Locale); err == nil {
		tag = own
	}
	return locale.New(locale.At(tag, x.Presence.Shop.Country), x.zone)
}

// Static serves scripts, styles and pictures.
func (s *Server) Static() func(*gin.Context) error {
	files := static.Handler()
	return func(c *gin.Context) error {
		files.ServeHTTP(c.Writer, c.Request)
		return nil
	}
}
