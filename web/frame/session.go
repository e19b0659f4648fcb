package frame

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gin-gonic/gin"

	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/static"
)

// DeviceAge is how long a browser is known.
const DeviceAge = 400 * 24 * time.Hour // the longest that browsers keep a cookie

// Session values; all are text.
const (
	SessionUser     = "user"
	SessionEpoch    = "epoch"
	SessionTill     = "till"
	sessionSince    = "since"    // when the password was given; absent: at the beginning
	sessionSecond   = "second"   // when the second factor was last given; absent: never
	SessionPractice = "practice" // sales go to nobody
	SessionSeat     = "seat"     // the shift this browser works in, and its seat
	sessionLocks    = "locks"    // the screen locks when unattended, and a PIN opens it
)

// newSessions sets up scs: it makes 256-bit tokens and carries them in a renewed cookie; staff decides how
// long a session lasts. A session exists only after somebody has signed in.
func (s *Server) newSessions() *scs.SessionManager {
	sessions := scs.New()
	sessions.Store = sessionStore{server: s}
	sessions.Codec = SessionCodec{}
	sessions.IdleTimeout = 0 // with it scs would write to the database on every request
	sessions.Lifetime = staff.SessionAbsolute
	sessions.ErrorFunc = s.sessionFailed
	sessions.Cookie = scs.SessionCookie{
		Name: s.CookieName("session"), Path: "/", HttpOnly: true, Secure: s.https(), SameSite: http.SameSiteLaxMode,
		Persist: false, // gone with the browser
	}
	return sessions
}

// CookieName binds a cookie to this host over https; on loopback names are plain.
func (s *Server) CookieName(what string) string {
	if s.https() {
		return "__Host-airtill-" + what
	}
	return "airtill-" + what
}

// SetCookie sets a cookie of ours.
func (s *Server) SetCookie(w http.ResponseWriter, what, value string, life time.Duration) {
	//nolint:gosec // Secure wherever the address is https; over http only loopback is served
	http.SetCookie(w, &http.Cookie{
		Name: s.CookieName(what), Value: value, Path: "/", HttpOnly: true, Secure: s.https(),
		SameSite: http.SameSiteLaxMode, MaxAge: int(life.Seconds()),
	})
}

// Cookie returns a cookie of ours, "" if the browser has none.
func (s *Server) Cookie(r *http.Request, what string) string {
	cookie, err := r.Cookie(s.CookieName(what))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// withSession loads the session, except for static files, which are the same for everyone.
func (s *Server) withSession(next http.Handler) http.Handler {
	inside := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(flushing{w}, r) })
	loaded := s.Sessions.LoadAndSave(inside)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, static.Prefix) {
			inside.ServeHTTP(w, r)
			return
		}
		if x := ExchangeOf(r.Context()); r.Method == http.MethodPost && s.reading[r.URL.Path] {
			r.Body = http.MaxBytesReader(w, r.Body, publicMaxBody)
			x.unread = parseForm(r)
			x.form = r.Form
		}
		loaded.ServeHTTP(w, r)
	})
}

// sessionFailed answers when a session can be neither read nor saved. The handler's answer is dropped: it
// would say that somebody is signed in who is not.
func (s *Server) sessionFailed(w http.ResponseWriter, r *http.Request, err error) {
	x := ExchangeOf(r.Context())
	x.token, x.SignedIn, x.Presence = "", false, staff.Presence{}
	for _, header := range []string{"Location", "Content-Encoding", "Content-Length", "Content-Type", "Set-Cookie"} {
		w.Header().Del(header)
	}
	s.fail(w, r, err)
	x.writer.closed = true
}

// recognise says who is there, which was read with the session of this request, so that a changed role acts at once.
func (s *Server) recognise(c *gin.Context, r Route) error {
	ctx := c.Request.Context()
	x := ExchangeOf(ctx)
	token, presence := x.foundBy, x.found
	if token == "" {
		return nil
	}
	if r.remembers() {
		within := store.WithEpochs(ctx, presence.Epochs)
		if x.ahead != nil {
			within = store.WithAhead(within, x.ahead)
		}
		c.Request = c.Request.WithContext(within)
		s.seen.note(token, Seen{
			Shop: presence.Shop.ID, Country: presence.Shop.Country, Till: presence.Till.ID,
			Everywhere: presence.User.Can(staff.ViewAllSales), Practice: s.Practising(c),
		})
	}
	x.token, x.Presence, x.SignedIn, x.locks = token, presence, true, s.Sessions.GetString(ctx, sessionLocks) != ""
	x.zone = presence.Shop.Location()
	if presence.Shop.ID == "" {
		var err error
		if x.zone, err = s.D.Staff.CommonZone(c.Request.Context()); err != nil {
			return err
		}
	}
	if r.Background {
		return nil
	}
	return s.D.Staff.Touch(ctx, token, presence)
}

// Begin starts a session for a user who has just proved who they are, with a new token: one planted before is
// worth nothing.
func (s *Server) Begin(ctx context.Context, u staff.User, tillID string) error {
	if err := s.Sessions.RenewToken(ctx); err != nil { // then the session is as it was, and is not saved
		return fmt.Errorf("renew session: %w", err)
	}
	if err := s.Sessions.Clear(ctx); err != nil {
		return err
	}
	s.Sessions.Put(ctx, SessionUser, u.ID)
	s.Sessions.Put(ctx, SessionEpoch, strconv.FormatInt(u.Epoch, 10))
	return s.sitDown(ctx, tillID)
}

// BeginSince starts a session for a user whose password was given earlier.
func (s *Server) BeginSince(ctx context.Context, u staff.User, tillID string, since time.Time) error {
	if err := s.Begin(ctx, u, tillID); err != nil {
		return err
	}
	s.Sessions.Put(ctx, sessionSince, since.UTC().Format(time.RFC3339Nano))
	return nil
}

// NoteSecond stores in the session when its user last gave their second factor.
func (s *Server) NoteSecond(ctx context.Context, at time.Time) {
	s.Sessions.Put(ctx, sessionSecond, at.UTC().Format(time.RFC3339Nano))
}

// MindLock notes whether the screen may lock itself: only if a PIN of this user opens it again.
func (s *Server) MindLock(ctx context.Context, device, userID string) error {
	unlocks, err := s.D.Staff.Unlocks(ctx, device, userID)
	switch {
	case err != nil:
		return err
	case unlocks:
		s.Sessions.Put(ctx, sessionLocks, "yes")
	default:
		s.Sessions.Remove(ctx, sessionLocks)
	}
	return nil
}

// SessionCodec writes session values as JSON; all of them are text.
type SessionCodec struct{}

// storedSession is a session as scs wants it. The deadline is for scs alone, which would delete a cookie
// without one; staff counts by itself.
type storedSession struct {
	Deadline time.Time
	Values   map[string]string
}

// Encode makes JSON of a session.
func (SessionCodec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	k := storedSession{Deadline: deadline, Values: map[string]string{}}
	for key, value := range values {
		text, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("session value %q is %T, not text", key, value)
		}
		k.Values[key] = text
	}
	return json.Marshal(k)
}

// Decode reverses Encode.
func (SessionCodec) Decode(data []byte) (time.Time, map[string]any, error) {
	var k storedSession
	err := json.Unmarshal(data, &k)
	values := map[string]any{}
	for key, text := range k.Values {
		values[key] = text
	}
	return k.Deadline, values, err
}

// sessionStore puts scs on the staff's sessions.
type sessionStore struct {
	scs.Store // nil: what has no context is never called

	server *Server
}

// FindCtx returns the values of a live session, and leaves who is there for recognise.
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	x := ExchangeOf(ctx)
	p, ahead, live, err := s.server.D.Staff.Present(ctx, token, s.server.foreseen(x, token)...)
	if live && x != nil {
		x.found, x.foundBy, x.ahead = p, token, ahead
	}
	return p.Data, live, err
}

// CommitCtx saves a session, with the values staff needs in columns of their own.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, _ time.Time) error {
	var k storedSession
	if err := json.Unmarshal(data, &k); err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	values := k.Values
	epoch, err := strconv.ParseInt(values[SessionEpoch], 10, 64)
	if err != nil {
		return fmt.Errorf("save session: nobody has signed in to it: %w", err)
	}
	session := staff.Session{UserID: values[SessionUser], Epoch: epoch, TillID: values[SessionTill], Data: data}
	for name, at := range map[string]*time.Time{sessionSince: &session.Since, sessionSecond: &session.SecondAt} {
		if values[name] == "" {
			continue
		}
		if *at, err = time.Parse(time.RFC3339Nano, values[name]); err != nil {
			return fmt.Errorf("save session: %w", err)
		}
	}
	if x := ExchangeOf(ctx); x != nil {
		session.Address, session.Agent = x.address, x.agent
		session.Again = x.foundBy == token
	}
	return s.server.D.Staff.SaveSession(ctx, token, session)
}

// DeleteCtx ends a session.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.server.D.Staff.EndSession(ctx, token)
}
