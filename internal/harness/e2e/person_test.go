package e2e

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
)

// person uses the till with a browser that runs no script.
type person struct {
	t      testing.TB
	base   string
	client *http.Client
}

func newPerson(t testing.TB, base string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &person{t: t, base: base, client: &http.Client{Jar: jar, Timeout: time.Minute}}
}

// at is the same person at another process of the same till.
func (p *person) at(base string) *person {
	other := newPerson(p.t, base)
	here, err := url.Parse(p.base)
	require.NoError(p.t, err)
	there, err := url.Parse(base)
	require.NoError(p.t, err)
	other.client.Jar.SetCookies(there, p.client.Jar.Cookies(here))
	return other
}

// view is a page as it was answered.
type view struct {
	by     *person
	status int
	url    *url.URL
	header http.Header
	doc    *goquery.Document
}

func (p *person) get(path string) *view {
	p.t.Helper()
	return p.send(http.MethodGet, p.base+path, nil)
}

// send asks as a browser does for a page.
func (p *person) send(method, address string, form url.Values) *view {
	p.t.Helper()
	request, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	require.NoError(p.t, err)
	request.Header.Set("Accept", "text/html")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := p.client.Do(request)
	require.NoError(p.t, err)
	return p.read(response)
}

func (p *person) read(response *http.Response) *view {
	p.t.Helper()
	defer response.Body.Close()
	doc, err := goquery.NewDocumentFromReader(io.LimitReader(response.Body, 8<<20))
	require.NoError(p.t, err)
	return &view{by: p, status: response.StatusCode, url: response.Request.URL, header: response.Header, doc: doc}
}

// signIn signs in, and expects to be let in.
func (p *person) signIn(username, password string) *view {
	p.t.Helper()
	v := p.get("/login").fill("username", username).fill("password", password).press("Sign in")
	require.Equal(p.t, http.StatusOK, v.status)
	require.NotEqual(p.t, "/login", v.url.Path, "%s was not let in: %s", username, v.text())
	return v
}

// text is what the page says, in one line.
func (v *view) text() string { return squeeze(v.doc.Find("main").Text()) }

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// fill types into the field of a name.
func (v *view) fill(name, value string) *view {
	v.by.t.Helper()
	field := v.doc.Find(`input[name="` + name + `"]`)
	require.Positive(v.by.t, field.Length(), "no field %s: %s", name, v.text())
	field.SetAttr("value", value)
	return v
}

// named finds buttons and links by what they say.
func (v *view) named(name string) *goquery.Selection {
	return v.doc.Find("button, a").FilterFunction(func(_ int, s *goquery.Selection) bool {
		shown := s.Clone()
		shown.Find("kbd").Remove()
		return strings.Contains(squeeze(shown.Text()), name)
	})
}

// press presses the first button, or follows the first link, of a name.
func (v *view) press(name string) *view {
	v.by.t.Helper()
	found := v.named(name)
	require.Positive(v.by.t, found.Length(), "nothing is named %q: %s", name, v.text())
	return v.use(found.First())
}

// key does what a key does on this page.
func (v *view) key(key string) *view {
	v.by.t.Helper()
	found := v.doc.Find(`[data-key="` + key + `"]`)
	require.Positive(v.by.t, found.Length(), "key %s does nothing: %s", key, v.text())
	return v.use(found.First())
}

// use presses a button or follows a link.
func (v *view) use(s *goquery.Selection) *view {
	v.by.t.Helper()
	if goquery.NodeName(s) == "a" {
		return v.by.get(s.AttrOr("href", ""))
	}
	form := s.Closest("form")
	require.Equal(v.by.t, 1, form.Length(), "the button belongs to no form")
	return v.submit(form, s)
}

// submit sends a form as a browser does.
func (v *view) submit(form, button *goquery.Selection) *view {
	v.by.t.Helper()
	action := form.AttrOr("action", v.url.Path)
	if strings.EqualFold(form.AttrOr("method", "get"), "post") {
		return v.by.send(http.MethodPost, v.by.base+action, formValues(form, button))
	}
	return v.by.get(action + "?" + formValues(form, button).Encode())
}

// formValues are what a form sends when one of its buttons is pressed.
func formValues(form, button *goquery.Selection) url.Values {
	values := url.Values{}
	form.Find("input[name], select[name]").Each(func(_ int, s *goquery.Selection) {
		kind := s.AttrOr("type", "text")
		_, checked := s.Attr("checked")
		if (kind == "radio" || kind == "checkbox") && !checked {
			return
		}
		values.Add(s.AttrOr("name", ""), s.AttrOr("value", ""))
	})
	if name := button.AttrOr("name", ""); name != "" {
		values.Add(name, button.AttrOr("value", ""))
	}
	return values
}

// state is the fulfilment state that the outcome shows.
func (v *view) state() string { return v.doc.Find("[data-state]").First().AttrOr("data-state", "") }

// verdict is what the outcome begins with.
func (v *view) verdict() string { return squeeze(v.doc.Find(`[role="status"][data-state]`).Text()) }

// becomes reloads the page until the sale is in a state.
func (v *view) becomes(state string, within time.Duration) *view {
	v.by.t.Helper()
	require.NotEmpty(v.by.t, v.state(), "no outcome: %s", v.text())
	deadline := time.Now().Add(within)
	for {
		if v.state() == state {
			return v
		}
		require.True(v.by.t, time.Now().Before(deadline), "the sale is %q, not %q: %s", v.state(), state, v.text())
		time.Sleep(100 * time.Millisecond)
		v = v.by.get(v.url.Path)
	}
}

// toConfirm looks a number up and chooses the first fixed product.
func (p *person) toConfirm(number string) *view {
	p.t.Helper()
	offers := p.get("/counter").fill("number", number).press("Look up")
	return offers.use(offers.fixed())
}

// fixed is the first product whose price is one price.
func (v *view) fixed() *goquery.Selection {
	v.by.t.Helper()
	cards := v.doc.Find("button.card-offer").FilterFunction(func(_ int, s *goquery.Selection) bool {
		return s.Find(".card-price .amount").Length() == 1
	})
	require.Positive(v.by.t, cards.Length(), "no fixed product: %s", v.text())
	return cards.First()
}

// cashReceived is the button that sends.
const cashReceived = "Cash received, send"
