package frame

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
)

const (
	formField  = "csrf"
	formHeader = "X-CSRF-Token"
	formKept   = 8 * time.Hour // how long a login page may stay open
)

// changes says whether a request may change something.
func changes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions
}

// silent says whether a client hides where a request comes from. Without Sec-Fetch-Site, browsers send
// "Origin: null" with our forms, because of our Referrer-Policy.
func silent(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return r.Header.Get("Sec-Fetch-Site") == "" && (origin == "" || origin == "null")
}

// checkOrigin refuses requests from other sites.
func (s *Server) checkOrigin(r *http.Request) error {
	if silent(r) {
		return nil // checkForm checks the token instead
	}
	if err := s.sameOrigin.Check(r); err != nil {
		return fault.Wrap(err, fault.Forbidden, "form.other-site")
	}
	return nil
}

// checkForm reads the form of a request that changes something, and checks its session's token if its origin
// is unknown.
func (s *Server) checkForm(c *gin.Context) error {
	r := c.Request
	if !changes(r) {
		return nil
	}
	if err := parseForm(r); err != nil {
		return err
	}
	if !silent(r) {
		return nil
	}
	typed := r.PostForm.Get(formField)
	if typed == "" {
		typed = r.Header.Get(formHeader)
	}
	if want := s.formSecret(r); len(want) > 0 && sameToken(typed, want) {
		return nil
	}
	return fault.New(fault.Forbidden, "form.out-of-date")
}

// parseForm reads a form where an error can still be reported: later, a form cut at its limit would look like
// one with empty fields.
func parseForm(r *http.Request) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // unreadable: no form
	var err error
	switch kind {
	case "multipart/form-data":
		err = r.ParseMultipartForm(defaultMaxBody) //nolint:gosec // the body is bounded by whoever calls
	default:
		err = r.ParseForm()
	}
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return err
	}
	return fault.Wrap(err, fault.Invalid, "form.unreadable")
}

// formSecret is what form tokens are made from: the session or, before login, a cookie for the login page; nil
// without either.
func (s *Server) formSecret(r *http.Request) []byte {
	secret := s.Cookie(r, "form")
	if token := ExchangeOf(r.Context()).token; token != "" {
		secret = token
	}
	if secret == "" {
		return nil
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("form token"))
	return mac.Sum(nil)
}

// FormToken returns a token for one page's forms. It looks different each time, so that it cannot be guessed
// from the size of compressed pages.
func (s *Server) FormToken(r *http.Request) string {
	secret := s.formSecret(r)
	if secret == nil {
		return ""
	}
	pad := make([]byte, len(secret))
	_, _ = rand.Read(pad) // never fails: the program would end
	masked := make([]byte, len(secret))
	subtle.XORBytes(masked, pad, secret)
	return base64.RawURLEncoding.EncodeToString(append(pad, masked...))
}

func sameToken(typed string, want []byte) bool {
	both, err := base64.RawURLEncoding.DecodeString(typed)
	if err != nil || len(both) != 2*len(want) {
		return false
	}
	got := make([]byte, len(want))
	subtle.XORBytes(got, both[:len(want)], both[len(want):])
	return subtle.ConstantTimeCompare(got, want) == 1
}

// BeginForm makes sure that the login page has a secret for its form.
func (s *Server) BeginForm(c *gin.Context) {
	if s.Cookie(c.Request, "form") != "" {
		return
	}
	secret := rand.Text() + rand.Text()
	s.SetCookie(c.Writer, "form", secret, formKept)
	c.Request.Header.Add("Cookie", s.CookieName("form")+"="+secret) // for the page about to be rendered
}
