package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox"
)

// wire stands before the simulator and holds what passes against
// /swagger/docs/v1.
type wire struct {
	next    http.Handler
	serving sync.RWMutex // held for reading until an answer has been judged

	mu         sync.Mutex
	passed     []passage
	violations []string
	wrongly    bool // requests are wrong on purpose
	novel      bool // answers have names nobody knows yet
	spoilt     bool // answers are spoilt on purpose
}

// passage is a request that was answered.
type passage struct {
	path        string
	status      int
	header      http.Header // of the request
	sent, reply []byte
}

func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/api/") && r.URL.Path != "/connect/token" {
		w.next.ServeHTTP(rw, r)
		return
	}
	w.serving.RLock()
	defer w.serving.RUnlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	heard := &listener{ResponseWriter: rw, status: http.StatusOK}
	w.next.ServeHTTP(heard, r)
	w.note(r, passage{path: r.URL.Path, status: heard.status, header: r.Header.Clone(), sent: body, reply: heard.body.Bytes()}, rw.Header())
}

// note judges a passage and keeps it.
func (w *wire) note(r *http.Request, p passage, answered http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed = append(w.passed, p)
	if err := w.judge(r, p, answered); err != nil {
		w.violations = append(w.violations, fmt.Sprintf("%s %s: %.1000v", r.Method, p.path, err))
	}
}

func (w *wire) judge(r *http.Request, p passage, answered http.Header) error {
	router, err := described(!w.novel)
	if err != nil {
		return err
	}
	bare := r.Clone(context.WithoutCancel(r.Context()))
	bare.URL.Scheme, bare.URL.Host, bare.Host = "", "", ""
	bare.Body = io.NopCloser(bytes.NewReader(p.sent))
	route, parameters, err := router.FindRoute(bare)
	if err != nil {
		return err
	}
	request := &openapi3filter.RequestValidationInput{
		Request: bare, PathParams: parameters, Route: route, Options: &openapi3filter.Options{AuthenticationFunc: authenticated},
	}
	if !w.wrongly {
		if err := errors.Join(openapi3filter.ValidateRequest(bare.Context(), request), unknownQuery(bare, route)); err != nil {
			return err
		}
	}
	if w.spoilt {
		return nil
	}
	return openapi3filter.ValidateResponse(bare.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: p.status, Header: answered, Body: io.NopCloser(bytes.NewReader(p.reply)),
	})
}

// authenticated checks that a request carries what one of the two schemes asks
// for; whether it is good is for the simulator to say.
func authenticated(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	header := in.RequestValidationInput.Request.Header
	if in.SecuritySchemeName == "apiKey" && header.Get("api_key") != "" && header.Get("Authorization") == "" {
		return nil
	}
	if in.SecuritySchemeName == "token" && strings.HasPrefix(header.Get("Authorization"), "Bearer ") && header.Get("api_key") == "" {
		return nil
	}
	return in.NewError(errors.New("no credentials of this scheme, or of both"))
}

// unknownQuery finds a parameter that the endpoint does not have: the simulator
// leaves it alone, so a misspelt filter would go unnoticed.
func unknownQuery(r *http.Request, route *routers.Route) error {
	for name := range r.URL.Query() {
		if route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			return fmt.Errorf("unknown parameter %q", name)
		}
	}
	return nil
}

// of returns what passed on a path. The client has an answer before it is
// judged here, so what is under way is waited for.
func (w *wire) of(path string) (all []passage) {
	w.serving.Lock()
	defer w.serving.Unlock()
	for _, p := range w.passed {
		if p.path == path {
			all = append(all, p)
		}
	}
	return all
}

// last returns the latest passage of a path.
func (w *wire) last(t testing.TB, path string) passage {
	t.Helper()
	all := w.of(path)
	require.NotEmpty(t, all, "%s was never called", path)
	return all[len(all)-1]
}

// askWrongly says that the requests from here on are wrong on purpose.
func (w *wire) askWrongly() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrongly = true
}

// answerNewly says that answers from here on may have unknown names.
func (w *wire) answerNewly() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.novel = true
}

// answerAnything says that answers from here on are spoilt on purpose.
func (w *wire) answerAnything() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spoilt = true
}

// listener keeps what is written through it.
type listener struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (l *listener) WriteHeader(status int) {
	l.status = status
	l.ResponseWriter.WriteHeader(status)
}

func (l *listener) Write(b []byte) (int, error) {
	l.body.Write(b)
	return l.ResponseWriter.Write(b)
}

// Unwrap lets the simulator reach the connection.
func (l *listener) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// described loads the description once as it is, and once so that it refuses
// every name it does not have.
func described(strict bool) (routers.Router, error) {
	if strict {
		return strictly()
	}
	return asItIs()
}

var (
	asItIs   = sync.OnceValues(func() (routers.Router, error) { return load(func(*openapi3.Schema) {}) })
	strictly = sync.OnceValues(func() (routers.Router, error) {
		no := false
		return load(func(s *openapi3.Schema) {
			if s.Properties != nil {
				s.AdditionalProperties = openapi3.AdditionalProperties{Has: &no}
			}
		})
	})
)

func load(change func(*openapi3.Schema)) (routers.Router, error) {
	service, err := sandbox.New(sandbox.Deps{Data: sandbox.Memory, Products: 1, Now: newClock().now})
	if err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	service.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/swagger/docs/v1", nil))
	if err := service.Close(); err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		return nil, err
	}
	for _, schema := range doc.Components.Schemas {
		change(schema.Value)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc)
}
