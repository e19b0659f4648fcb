// Package web is the till in a browser: one flat list of routes over rooms of
// screens, each a package that knows the frame and no other room. What a room
// needs of another is handed over here.
package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"airtill/internal/app"
	"airtill/web/books"
	"airtill/web/counter"
	"airtill/web/door"
	"airtill/web/frame"
	"airtill/web/machine"
	"airtill/web/office"
	"airtill/web/reports"
	"airtill/web/sale"
	"airtill/web/shift"
)

// Pages is the handler of everything. Who has stopped serving it closes it.
type Pages struct {
	http.Handler
	*frame.Server

	door    *door.Screens
	counter *counter.Screens
	sale    *sale.Screens
	shift   *shift.Screens
	reports *reports.Screens
	books   *books.Screens
	office  *office.Screens
	machine *machine.Screens
}

// New returns the handler of everything.
func New(d frame.Deps) (*Pages, error) {
	p, err := newPages(d)
	if err == nil {
		p.Handler, err = p.Handle(p.routes())
	}
	if err != nil {
		return nil, fmt.Errorf("start web: %w", err)
	}
	return p, nil
}

// newPages has all the pages, and no routes that lead to them yet.
func newPages(d frame.Deps) (*Pages, error) {
	s, err := frame.NewServer(d)
	if err != nil {
		return nil, err
	}
	p := &Pages{
		Server: s, door: &door.Screens{Server: s}, sale: &sale.Screens{Server: s}, shift: &shift.Screens{Server: s},
		reports: &reports.Screens{Server: s}, books: &books.Screens{Server: s}, office: &office.Screens{Server: s},
		machine: machine.New(s),
	}
	p.counter = counter.New(s, p.shift.AskForShift)
	s.Ahead = p.ahead
	d.Report.WriteWith(p.reports.MailReport)
	return p, nil
}

// Close writes down what was counted and is not yet in the database.
func (p *Pages) Close(ctx context.Context) { p.machine.NoteRefusals(ctx) }

// ahead says what a page will ask of the database: those of a sale, which are asked for
// most.
func (p *Pages) ahead(path string, form url.Values, seen frame.Seen) []frame.Asked {
	if path == "/counter" {
		return p.counter.Ahead(form, seen)
	}
	if id, ok := strings.CutPrefix(path, "/sales/"); ok && !strings.Contains(id, "/") {
		return p.sale.Ahead(id, seen)
	}
	return nil
}

// On returns what the screens stand on in the program.
func On(a *app.App) frame.Deps {
	c := a.Config
	return frame.Deps{
		Staff: a.Staff, Catalog: a.Catalog, Till: a.Till, Customers: a.Customers, Logos: a.Logos,
		Approvals: a.Approvals, Alerts: a.Alerts, Receipts: a.Receipts, Counter: a.Counter, Limits: a.Limits,
		Sales: a.Sales, FollowUp: a.FollowUp, Persons: a.Persons, AddressKey: a.AddressKey, Reconcile: a.Reconcile,
		Statements: a.Statements, Report: a.Report, Forecast: a.Forecast, Pricing: a.Pricing,
		Audit: a.Audit, Board: a.Board, Setup: a.Setup, Jobs: a.Jobs, Webhook: a.Webhook, Bus: a.Bus, Log: a.Log,
		Now: a.Now, Limiter: newLimiter(a), Streams: newStreams(a), Metrics: a.Metrics, Health: a.Health,
		Practice: c.Practice, PublicURL: c.PublicURL, TrustedProxies: c.TrustedProxies,
		MetricsToken: string(c.MetricsToken),
	}
}

func newStreams(a *app.App) *frame.RedisStreams {
	if a.Redis == nil {
		return nil
	}
	return frame.NewRedisStreams(a.Redis)
}

// newLimiter counts requests for all processes together, if they share a Redis.
func newLimiter(a *app.App) frame.Limiter {
	local := frame.NewMemoryLimiter(a.Now)
	if a.Redis == nil {
		return local
	}
	return frame.NewRedisLimiter(a.Redis, local, a.Log)
}
