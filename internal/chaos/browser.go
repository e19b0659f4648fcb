package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// patience is how long a person waits for a page.
const patience = 15 * time.Second

// browser is a browser that runs no script and follows no redirect by itself.
type browser struct {
	base   func() string // the process it talks to
	client *http.Client
}

// page is what was answered.
type page struct {
	status   int
	location string // of a redirect, a path
	doc      *goquery.Document
}

func newBrowser(base func() string) *browser {
	jar, _ := cookiejar.New(nil) // never fails
	return &browser{base: base, client: &http.Client{
		Jar: jar, Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 100, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (b *browser) get(ctx context.Context, path string) (*page, error) {
	return b.send(ctx, http.MethodGet, path, nil)
}

func (b *browser) post(ctx context.Context, path string, form url.Values) (*page, error) {
	return b.send(ctx, http.MethodPost, path, form)
}

func (b *browser) send(ctx context.Context, method, path string, form url.Values) (*page, error) {
	request, err := http.NewRequestWithContext(ctx, method, b.base()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/html")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := b.client.Do(request)
	if err != nil {
		return nil, errNoAnswer{err}
	}
	defer func() { _ = response.Body.Close() }() // only read
	doc, err := goquery.NewDocumentFromReader(response.Body)
	if err != nil {
		return nil, errNoAnswer{err}
	}
	p := &page{status: response.StatusCode, doc: doc}
	if location, err := response.Location(); err == nil {
		p.location = location.Path
	}
	return p, nil
}

// errNoAnswer: nobody knows what became of the request.
type errNoAnswer struct{ err error }

func (e errNoAnswer) Error() string { return "no answer: " + e.err.Error() }
func (e errNoAnswer) Unwrap() error { return e.err }

// settled says whether an answer says what became of a request: a page that
// says that something broke does not.
func (p *page) settled() bool { return p.status < http.StatusInternalServerError }

// form returns the values of the form that posts to a path ending so, nil if
// there is none.
func (p *page) form(ending string) url.Values {
	form := p.doc.Find("form").FilterFunction(func(_ int, f *goquery.Selection) bool {
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

// token is a form token of this page, "" if it has no form.
func (p *page) token() string {
	return p.doc.Find(`input[name="csrf"]`).First().AttrOr("value", "")
}

// state is the fulfilment state that an outcome shows.
func (p *page) state() string { return p.doc.Find("[data-state]").First().AttrOr("data-state", "") }

func (p *page) text() string {
	return strings.Join(strings.Fields(p.doc.Find("main").Text()), " ")
}

// errSignedOut: the till wants to know who is there.
var errSignedOut = errors.New("signed out")

// signIn signs in.
func (b *browser) signIn(ctx context.Context, name, password string) error {
	login, err := b.get(ctx, "/login")
	if err != nil {
		return err
	}
	if login.location != "" {
		return nil // still signed in
	}
	form := login.form("/login")
	if form == nil {
		return fmt.Errorf("sign in: status %d and no form", login.status)
	}
	form.Set("username", name)
	form.Set("password", password)
	answer, err := b.post(ctx, "/login", form)
	if err != nil {
		return err
	}
	if answer.status != http.StatusSeeOther {
		return fmt.Errorf("sign in: status %d: %.200s", answer.status, answer.text())
	}
	return nil
}
