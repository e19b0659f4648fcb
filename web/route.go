package web

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/staff"
	"airtill/web/frame"
)

func inOffice(routes []frame.Route) []frame.Route {
	for i := range routes {
		ofOffice(&routes[i])
	}
	return routes
}

const (
	anyone   = frame.Public
	signedIn = frame.SignedIn
)

type handler = func(*gin.Context) error

// option is what a route has beyond a path, a permission and a handler.
type option func(*frame.Route)

func get(path string, may staff.Permission, handle handler, options ...option) frame.Route {
	return routeOf("GET", path, may, handle, options)
}

func post(path string, may staff.Permission, handle handler, options ...option) frame.Route {
	return routeOf("POST", path, may, handle, options)
}

func routeOf(method, path string, may staff.Permission, handle handler, options []option) frame.Route {
	r := frame.Route{Method: method, Path: path, Permission: may, Handle: handle}
	for _, o := range options {
		o(&r)
	}
	return r
}

func or(may staff.Permission) option { return func(r *frame.Route) { r.OrElse = may } }

func limited(l *frame.Limit) option { return func(r *frame.Route) { r.Limit = l } }

func resumed(where func(*gin.Context) string) option {
	return func(r *frame.Route) { r.Resume = where }
}

// fromOutside takes what other programs post, of so many bytes.
func fromOutside(most int64) option {
	return func(r *frame.Route) { r.CrossSite, r.MaxBody = true, most }
}

// reading is a form that only asks, with what no address shall have.
func reading(r *frame.Route) { r.Reads = true }

func streamed(r *frame.Route) { r.Stream = true }

func inBackground(r *frame.Route) { r.Background = true }

func selling(r *frame.Route) { r.Sells = true }

func ofOffice(r *frame.Route) { r.Office = true }
