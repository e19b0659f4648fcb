// Package web is the till in a browser: one flat list of routes, one file for
// each screen, and a frame around all of them that no screen has to think of:
// who is there, what they may do, what a browser may do with the answer, and
// what becomes of an error.
package web

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/till"
	"airtill/web/static"
)

// Deps is what the screens stand on.
type Deps struct {
	DB        *store.DB
	Staff     *staff.Service
	Catalog   *catalog.Service
	Till      *till.Service
	Sales     *sales.Service
	Reconcile *reconcile.Service
	Webhook   *apiclient.Webhook
	Bus       signal.Bus
	Log       *slog.Logger
	Now       func() time.Time
	Limiter   Limiter // nil for one of this process alone
	Metrics   *prometheus.Registry

	PublicURL      string                      // https://…, or http://… on loopback
	TrustedProxies []netip.Prefix              // whose X-Forwarded-For is believed; none by default
	MetricsToken   string                      // "": only loopback may read /metrics
	Ready          func(context.Context) error // what else must hold before requests are sent here; nil for nothing
}

// Server is the state that every handler shares.
type Server struct {
	d          Deps
	public     *url.URL
	sessions   *scs.SessionManager
	sameOrigin *http.CrossOriginProtection
	metrics    metrics
	readiness  readiness
}

// route is one line of the list. Permission is what the user must have; public
// and signedIn stand for nobody in particular and for anyone signed in. A route
// without one, or with one that does not exist, does not start.
type route struct {
	method     string
	path       string
	permission staff.Permission
	orElse     staff.Permission // another that will do as well; "" for none
	handle     func(*gin.Context) error

	limit      *limit // how often one client may come; nil for no limit
	maxBody    int64  // bytes; 0 means defaultMaxBody
	crossSite  bool   // other sites and programs post here, and prove themselves otherwise: no form token
	stream     bool   // the answer goes on without end (SSE): no write time-out
	background bool   // asked by a script, not by a person: does not keep a session alive
}

const (
	public   staff.Permission = "anyone"
	signedIn staff.Permission = "anyone signed in"
)

// routes is the whole surface.
func (s *Server) routes() []route {
	return []route{
		{method: "GET", path: "/", permission: signedIn, handle: s.home},
		{method: "GET", path: "/login", permission: public, handle: s.loginForm},
		{method: "POST", path: "/login", permission: public, handle: s.login, limit: &loginLimit},
		{method: "POST", path: "/logout", permission: signedIn, handle: s.logout},
		{method: "POST", path: "/till", permission: staff.Sell, handle: s.chooseTill},

		{method: "GET", path: "/counter", permission: staff.Sell, handle: s.counter, limit: &lookUpLimit},
		{method: "POST", path: "/sales", permission: staff.Sell, handle: s.sell, limit: &sellLimit},
		{method: "GET", path: "/sales", permission: staff.ViewShopSales, orElse: staff.ViewAllSales, handle: s.salesList},
		{method: "GET", path: "/sales/:id", permission: staff.ViewShopSales, orElse: staff.ViewAllSales, handle: s.sale},
		{method: "GET", path: "/sales/:id/events", permission: staff.ViewShopSales, orElse: staff.ViewAllSales, handle: s.saleEvents, stream: true, background: true},
		{method: "GET", path: "/sales/:id/receipt", permission: staff.ViewShopSales, handle: s.receipt},
		{method: "POST", path: "/sales/:id/reveal", permission: staff.Sell, handle: s.reveal, limit: &revealLimit},
		{method: "POST", path: "/sales/:id/refund", permission: staff.Refund, handle: s.refund},
		{method: "POST", path: "/sales/:id/retry", permission: staff.Sell, handle: s.retry, limit: &sellLimit},
		{method: "POST", path: "/sales/:id/cancel", permission: staff.Sell, handle: s.cancel},
		{method: "GET", path: "/shift", permission: staff.RunShift, handle: s.shift},
		{method: "POST", path: "/shift/open", permission: staff.RunShift, handle: s.openShiftForm},

		{method: "POST", path: "/webhooks/transfers", permission: public, handle: s.hook, crossSite: true, maxBody: apiclient.MaxWebhookBody},
		{method: "GET", path: "/s/:code", permission: public, handle: s.status, limit: &statusLimit},
		{method: "GET", path: "/s/:code/qr.png", permission: public, handle: s.statusQR, limit: &statusLimit},

		{method: "GET", path: static.Prefix + "*file", permission: public, handle: s.static()},
		{method: "GET", path: "/healthz", permission: public, handle: s.alive},
		{method: "GET", path: "/readyz", permission: public, handle: s.ready},
		{method: "GET", path: "/metrics", permission: public, handle: s.exposeMetrics},
	}
}

// New returns the handler of everything.
func New(d Deps) (http.Handler, error) {
	s, err := newServer(d)
	if err != nil {
		return nil, fmt.Errorf("start web: %w", err)
	}
	return s.handler(s.routes())
}

func newServer(d Deps) (*Server, error) {
	address, err := publicAddress(d.PublicURL)
	if err != nil {
		return nil, err
	}
	if d.Limiter == nil {
		d.Limiter = NewMemoryLimiter(d.Now)
	}
	s := &Server{d: d, public: address, sameOrigin: http.NewCrossOriginProtection()}
	if err := s.sameOrigin.AddTrustedOrigin(address.Scheme + "://" + address.Host); err != nil {
		return nil, err
	}
	if s.metrics, err = newMetrics(d.Metrics); err != nil {
		return nil, err
	}
	s.sessions = s.newSessions()
	return s, nil
}

// publicAddress refuses what would send sessions over the network in clear.
func publicAddress(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" || strings.Trim(address.Path, "/") != "" {
		return nil, fmt.Errorf("PUBLIC_URL must be https://HOST, or http://HOST:PORT on loopback, without a path")
	}
	if address.Scheme == "https" || address.Scheme == "http" && loopbackHost(address.Hostname()) {
		return address, nil
	}
	return nil, fmt.Errorf("PUBLIC_URL must be https: over http a session could be read on the way; only loopback may do without")
}

func loopbackHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (s *Server) https() bool { return s.public.Scheme == "https" }

// handler builds the layers. From outside in: what every request gets (a name,
// a line in the log, a recovered panic), what every answer carries (headers),
// the session, the routes.
func (s *Server) handler(routes []route) (http.Handler, error) {
	router, err := s.router(routes)
	if err != nil {
		return nil, fmt.Errorf("start web: %w", err)
	}
	return s.observe(s.harden(s.withSession(router))), nil
}

func (s *Server) router(routes []route) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode) // its debug mode prints; it has no setting but this
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	if err := engine.SetTrustedProxies(texts(s.d.TrustedProxies)); err != nil {
		return nil, err
	}
	for _, r := range routes {
		if err := r.check(); err != nil {
			return nil, err
		}
		engine.Handle(r.method, r.path, s.serve(r))
	}
	engine.NoRoute(s.serve(route{path: "none", permission: public, handle: notFound}))
	engine.NoMethod(s.serve(route{path: "none", permission: public, handle: notAllowed}))
	return engine, nil
}

func texts(prefixes []netip.Prefix) []string {
	var all []string
	for _, p := range prefixes {
		all = append(all, p.String())
	}
	return all
}

func (r route) check() error {
	known := slices.Contains(staff.Permissions(), r.permission) || r.permission == public || r.permission == signedIn
	if !known || r.handle == nil {
		return fmt.Errorf("route %s %s: no handler, or no such permission: %q", r.method, r.path, r.permission)
	}
	return nil
}

const (
	readHeaderWithin = 5 * time.Second
	readWithin       = 15 * time.Second
	writeWithin      = 60 * time.Second
	idleWithin       = 2 * time.Minute
	maxHeader        = 32 << 10
	defaultMaxBody   = 1 << 20
)

// NewHTTPServer returns a server for a handler with bounds on all that a client
// can draw out. Routes that stream lift the bound on writing for themselves.
func NewHTTPServer(addr string, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: readHeaderWithin,
		ReadTimeout:       readWithin,
		WriteTimeout:      writeWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// fromLoopback says whether a request came from this machine itself, and not
// through a proxy that runs on it.
func fromLoopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && loopbackHost(host) && r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Forwarded") == ""
}
