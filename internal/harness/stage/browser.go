package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// Patience is how long a person waits for a page.
const Patience = 15 * time.Second

// Browser is a browser that runs no script and follows no redirect by itself.
type Browser struct {
	base   func() string // the process it talks to
	client *http.Client
}

// Page is what was answered.
type Page struct {
	Status   int
	Location string // of a redirect, a path
	Doc      *goquery.Document
}

// NewBrowser is one without cookies; base says each time where the process is.
func NewBrowser(base func() string) *Browser {
	jar, _ := cookiejar.New(nil) // never fails
	return &Browser{base: base, client: &http.Client{
		Jar: jar, Timeout: Patience, Transport: &http.Transport{MaxIdleConnsPerHost: 100, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Get asks for a page.
func (b *Browser) Get(ctx context.Context, path string) (*Page, error) {
	return b.send(ctx, http.MethodGet, path, nil)
}

// Post sends a form.
func (b *Browser) Post(ctx context.Context, path string, form url.Values) (*Page, error) {
	return b.send(ctx, http.MethodPost, path, form)
}

func (b *Browser) send(ctx context.Context, method, path string, form url.Values) (*Page, error) {
	a, err := b.Ask(ctx, method, path, form)
	if err != nil {
		return nil, err
	}
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(a.Body))
	if err != nil {
		return nil, NoAnswerError{err}
	}
	return &Page{Status: a.Status, Location: a.Location, Doc: doc}, nil
}

// Answer is a page that nobody has looked at.
type Answer struct {
	Status   int
	Location string // of a redirect, a path
	Body     []byte
}

// Ask sends a request and reads its answer to the end.
func (b *Browser) Ask(ctx context.Context, method, path string, form url.Values) (*Answer, error) {
	return b.ask(ctx, method, path, form, nil)
}

// Swap sends a form as the till's own script does, which takes the page of the answer for the one it is on.
func (b *Browser) Swap(ctx context.Context, path string, form url.Values) (*Answer, error) {
	return b.ask(ctx, http.MethodPost, path, form, http.Header{"Hx-Request": {"true"}, "Hx-Boosted": {"true"}})
}

func (b *Browser) ask(
	ctx context.Context, method, path string, form url.Values, header http.Header,
) (*Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, b.base()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	request.Header.Set("Accept", "text/html")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := b.client.Do(request)
	if err != nil {
		return nil, NoAnswerError{err}
	}
	defer func() { _ = response.Body.Close() }() // only read
	a := &Answer{Status: response.StatusCode}
	if a.Body, err = io.ReadAll(response.Body); err != nil {
		return nil, NoAnswerError{err}
	}
	if location, err := response.Location(); err == nil {
		a.Location = location.Path
	}
	return a, nil
}

// Open asks for a stream and leaves it open until the context ends or its body is closed.
func (b *Browser) Open(ctx context.Context, path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base()+path, nil)
	if err != nil {
		return nil, err
	}
	patient := *b.client
	patient.Timeout = 0
	return patient.Do(request)
}

// From has the browser come from an address of its own, one of this machine.
func (b *Browser) From(address net.IP) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}
	b.client.Transport = &http.Transport{
		DialContext:         dialer.DialContext,
		MaxIdleConnsPerHost: 100,
		IdleConnTimeout:     time.Minute,
	}
}

// NoAnswerError: nobody knows what became of the request.
type NoAnswerError struct{ err error }

func (e NoAnswerError) Error() string { return "no answer: " + e.err.Error() }
func (e NoAnswerError) Unwrap() error { return e.err }

// Settled says whether an answer says what became of a request: a page that
// says that something broke does not.
func (p *Page) Settled() bool { return p.Status < http.StatusInternalServerError }

// Form returns the values of the form that posts to a path ending so, nil if
// there is none.
func (p *Page) Form(ending string) url.Values {
	form := p.Doc.Find("form").FilterFunction(func(_ int, f *goquery.Selection) bool {
		return strings.HasSuffix(f.AttrOr("action", ""), ending)
	}).First()
	if form.Length() == 0 {
		return nil
	}
	values := url.Values{}
	form.Find("input[name]").Each(func(_ int, input *goquery.Selection) {
		kind := input.AttrOr("type", "text")
		if _, checked := input.Attr("checked"); checked || kind != "radio" && kind != "checkbox" {
			values.Add(input.AttrOr("name", ""), input.AttrOr("value", ""))
		}
	})
	return values
}

// Token is a form token of this page, "" if it has no form.
func (p *Page) Token() string {
	return p.Doc.Find(`input[name="csrf"]`).First().AttrOr("value", "")
}

// State is the fulfilment state that an outcome shows.
func (p *Page) State() string { return p.Doc.Find("[data-state]").First().AttrOr("data-state", "") }

// Text is what its main part says.
func (p *Page) Text() string {
	return strings.Join(strings.Fields(p.Doc.Find("main").Text()), " ")
}

// ErrSignedOut: the till wants to know who is there.
var ErrSignedOut = errors.New("signed out")

// SignIn signs in, unless somebody is.
func (b *Browser) SignIn(ctx context.Context, name, password string) error {
	login, err := b.Get(ctx, "/login")
	if err != nil {
		return err
	}
	if login.Location != "" {
		return nil // still signed in
	}
	form := login.Form("/login")
	if form == nil {
		return fmt.Errorf("sign in: status %d and no form", login.Status)
	}
	form.Set("username", name)
	form.Set("password", password)
	answer, err := b.Post(ctx, "/login", form)
	if err != nil {
		return err
	}
	if answer.Status != http.StatusSeeOther {
		return fmt.Errorf("sign in: status %d: %.200s", answer.Status, answer.Text())
	}
	return nil
}
