package frame

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"airtill/internal/health"
	"airtill/internal/limit"

	"github.com/alexedwards/scs/v2"
	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/customer"
	"airtill/internal/firstrun"
	"airtill/internal/followup"
	"airtill/internal/forecast"
	"airtill/internal/jobs"
	"airtill/internal/logo"
	"airtill/internal/person"
	"airtill/internal/pricing"
	"airtill/internal/receipt"
	"airtill/internal/reconcile"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/statement"
	"airtill/internal/store"
	"airtill/internal/till"
)

// Deps is what the screens stand on.
type Deps struct {
	Staff      *staff.Service
	Catalog    *catalog.Service
	Till       *till.Service
	Receipts   *receipt.Service
	Customers  *customer.Book
	Logos      *logo.Logos
	Approvals  *approval.Desk
	Alerts     *alert.Service
	Counter    *counter.Service
	Limits     *limit.Service
	Sales      *sales.Service
	FollowUp   *followup.Service
	Persons    *person.Service
	AddressKey []byte // seals what people type of a customer in addresses
	Reconcile  *reconcile.Service
	Setup      *firstrun.Service
	Board      *jobs.Board // of long work; nil: not shown
	Statements *statement.Service
	Report     *report.Service
	Forecast   *forecast.Service
	Pricing    *pricing.Service
	Audit      *audit.Log
	Jobs       *jobs.Runner
	Webhook    *apiclient.Webhook
	Bus        signal.Bus
	Log        *slog.Logger
	Now        func() time.Time
	Limiter    Limiter       // nil: of this process alone
	Streams    *RedisStreams // nil likewise
	Metrics    *prometheus.Registry

	Health *health.Service

	Practice       bool           // test numbers are used upstream
	PublicURL      string         // https://…, or http://… on loopback
	TrustedProxies []netip.Prefix // their X-Forwarded-For is believed
	MetricsToken   string         // "": only loopback may read /metrics
}

// Server is the state that every handler shares.
type Server struct {
	D          Deps
	Public     *url.URL
	Sessions   *scs.SessionManager
	sameOrigin *http.CrossOriginProtection
	reading    map[string]bool // paths of the routes that read by a form
	Metrics    metrics
	Streams    streams
	Numbers    *Numbers

	// Ahead says what the requested page will ask of the database, if the user is still where they were; nil:
	// unknown.
	Ahead func(path string, form url.Values, seen Seen) []Asked
	seen  sightings

	strangers strangers
}

// Asked is a service's question for the database, which a room only passes on.
type Asked = store.Asked

// Route is one line of the list. Permission is what the user must have; public and signedIn mean anybody, and
// anyone signed in. Without a valid one the program does not start.
type Route struct {
	Method     string
	Path       string
	Permission staff.Permission
	OrElse     staff.Permission // another that will do; "": none
	Handle     func(*gin.Context) error

	Limit      *Limit // per client; nil: no limit
	MaxBody    int64  // bytes; 0 means defaultMaxBody, or publicMaxBody for anybody
	CrossSite  bool   // other programs post here, and authenticate otherwise: no form token
	Stream     bool   // endless (SSE): no write time-out
	Office     bool   // shows the alerts
	Sells      bool   // changes no setting, though it posts, so memories hold throughout
	Reads      bool   // changes nothing, though it posts: what is typed must be in no address
	Background bool   // asked by a script, not a person: does not prolong a session

	Resume func(*gin.Context) string // where to resume when a session ended under the form; nil: at the start
}

// remembers says whether memories may serve, as of the request. For a stream they would soon be stale.
func (r Route) remembers() bool {
	return !r.Stream && (r.Sells || r.Reads || r.Method == http.MethodGet || r.Method == http.MethodHead)
}

const (
	Public   staff.Permission = "anyone"
	SignedIn staff.Permission = "anyone signed in"
)

// NewServer returns the frame, with sessions, limits and metrics of its own.
func NewServer(d Deps) (*Server, error) {
	address, err := publicAddress(d.PublicURL)
	if err != nil {
		return nil, err
	}
	if d.Limiter == nil {
		d.Limiter = NewMemoryLimiter(d.Now)
	}
	s := &Server{
		reading: map[string]bool{},
		D:       d, Public: address, sameOrigin: http.NewCrossOriginProtection(), Metrics: newMetrics(d.Metrics),
		strangers: newStrangers(),
	}
	if err := s.sameOrigin.AddTrustedOrigin(address.Scheme + "://" + address.Host); err != nil {
		return nil, err
	}
	if s.Numbers, err = NewNumbers(d.AddressKey, d.Now); err != nil {
		return nil, err
	}
	s.Sessions = s.newSessions()
	return s, nil
}

// publicAddress refuses what would send sessions unencrypted over the network.
func publicAddress(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" || strings.Trim(address.Path, "/") != "" {
		return nil, fmt.Errorf("PUBLIC_URL must be https://HOST, or http://HOST:PORT on loopback, without a path")
	}
	if address.Scheme == "https" || address.Scheme == "http" && loopbackHost(address.Hostname()) {
		return address, nil
	}
	return nil, fmt.Errorf(
		"PUBLIC_URL must be https: over http a session could be read on the way; only loopback may do without",
	)
}

func loopbackHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (s *Server) https() bool { return s.Public.Scheme == "https" }

// Handle builds the layers, from the outside in: what every request gets (an id, a log line, a recovered
// panic), what every answer carries (headers), the session, the routes.
func (s *Server) Handle(routes []Route) (http.Handler, error) {
	router, err := s.router(routes)
	if err != nil {
		return nil, err
	}
	return s.observe(s.harden(s.withSession(router))), nil
}

func (s *Server) router(routes []Route) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode) // debug mode prints, and has no other switch
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.RemoteIPHeaders = []string{"X-Forwarded-For"} // others may be the client's, passed on by a proxy
	var proxies []string
	for _, p := range s.D.TrustedProxies {
		proxies = append(proxies, p.String())
	}
	if err := engine.SetTrustedProxies(proxies); err != nil {
		return nil, err
	}
	for _, r := range routes {
		if err := r.check(); err != nil {
			return nil, err
		}
		s.reading[r.Path] = s.reading[r.Path] || r.Reads
		engine.Handle(r.Method, r.Path, s.serve(r))
	}
	engine.NoRoute(s.serve(Route{Path: "none", Permission: Public, Handle: NotFound}))
	engine.NoMethod(s.serve(Route{Path: "none", Permission: Public, Handle: notAllowed}))
	return engine, nil
}

func (r Route) maxBody() int64 {
	switch {
	case r.MaxBody != 0:
		return r.MaxBody
	case r.Permission == Public:
		return publicMaxBody
	}
	return defaultMaxBody
}

func (r Route) check() error {
	known := slices.Contains(staff.Permissions(), r.Permission) || r.Permission == Public || r.Permission == SignedIn
	if !known || r.Handle == nil {
		return fmt.Errorf("route %s %s: no handler, or no such permission: %q", r.Method, r.Path, r.Permission)
	}
	return nil
}

const (
	ReadHeaderWithin = 5 * time.Second
	readWithin       = 15 * time.Second
	writeWithin      = 60 * time.Second
	idleWithin       = 2 * time.Minute
	maxHeader        = 32 << 10
	defaultMaxBody   = 1 << 20
	publicMaxBody    = 16 << 10 // of who may be anybody: thousands of them may send it at once
)

// NewHTTPServer returns a server with bounds on everything a client can prolong. Streaming routes lift the
// bound on writing.
func NewHTTPServer(addr string, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: ReadHeaderWithin,
		ReadTimeout:       readWithin,
		WriteTimeout:      writeWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// fromLoopback says whether a request came from this machine, not through a proxy on it.
func fromLoopback(r *http.Request) bool {
	for _, forwarded := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"} {
		if r.Header.Get(forwarded) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && loopbackHost(host)
}
