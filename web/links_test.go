package web

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// fewOfEach bounds how many addresses of one form are opened.
const fewOfEach = 3

// crawl opens whatever a role is led to, from its first page on.
type crawl struct {
	t       *testing.T
	w       *browser
	u       staff.User
	routes  []frame.Route
	seen    map[string]bool
	opened  map[string]int    // by the form of the address
	queue   [][2]string       // an address and the page it stands on
	unplain map[string]string // what nobody reads with ease, and where
}

var anID = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`)

func (c *crawl) found(page, address string) {
	u, err := url.Parse(address)
	require.NoError(c.t, err, "%s on %s", address, page)
	if u.Host != "" || u.Scheme != "" || address == "" || strings.HasPrefix(address, "#") {
		return
	}
	u.Fragment = ""
	if !strings.HasPrefix(u.Path, "/") {
		base, err := url.Parse(page)
		require.NoError(c.t, err)
		u = base.ResolveReference(u)
	}
	form := anID.ReplaceAllString(u.Path, "…") + "?" + strings.Join(slices.Sorted(maps.Keys(u.Query())), "&")
	if c.seen[u.String()] || c.opened[form] == fewOfEach {
		return
	}
	c.seen[u.String()] = true
	c.opened[form]++
	c.queue = append(c.queue, [2]string{u.String(), page})
}

// posts refuses a form that this role may not post.
func (c *crawl) posts(page, action string) {
	for _, r := range c.routes {
		pattern := "^" + regexp.MustCompile(`[:*]\w+`).ReplaceAllString(r.Path, "[^/]+") + "$"
		if r.Method == http.MethodPost && regexp.MustCompile(pattern).MatchString(action) {
			may := r.Permission == frame.Public || r.Permission == frame.SignedIn || c.u.Can(r.Permission) || r.OrElse != "" && c.u.Can(r.OrElse)
			require.True(c.t, may, "%s: %s asks for a post to %s", c.u.Role, page, action)
			return
		}
	}
	c.t.Errorf("%s: %s posts to %s, which is nowhere", c.u.Role, page, action)
}

func (c *crawl) open(address, from string) {
	got := c.w.get(address)
	for got.StatusCode == http.StatusTooManyRequests { // of files
		c.w.b.pass(time.Minute)
		got = c.w.get(address)
	}
	for range 3 {
		if got.StatusCode != http.StatusSeeOther {
			break
		}
		to := got.Header.Get("Location")
		require.False(c.t, strings.HasPrefix(to, "/login"), "%s: signed out at %s, where nothing more is seen", c.u.Role, address)
		got = c.w.get(to)
	}
	require.Equal(c.t, http.StatusOK, got.StatusCode, "%s: %s leads to %s", c.u.Role, from, address)
	if !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		return
	}
	page := got.page(c.t)
	page.Find("a[href]").Each(func(_ int, a *goquery.Selection) { c.found(address, a.AttrOr("href", "")) })
	c.read(address, page)
	page.Find("form[action]").Each(func(_ int, form *goquery.Selection) {
		if strings.EqualFold(form.AttrOr("method", "get"), "post") {
			form.Find("[formaction]").AddSelection(form).Each(func(_ int, f *goquery.Selection) {
				c.posts(address, f.AttrOr("formaction", f.AttrOr("action", "")))
			})
			return
		}
		c.found(address, form.AttrOr("action", ""))
	})
}

// TestNothingThatIsOfferedIsRefused follows every role through all that its pages lead
// to, over a sale that was sent, one that was not and one that nobody knows of: no link
// and no button asks for what this person may not do.
func TestNothingThatIsOfferedIsRefused(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	sent := b.signIn(staff.Cashier).sellTopUp()
	b.becomes(sent, sales.Complete)
	var told []string
	for number, other := range map[string]struct {
		fault string
		state sales.State
	}{"0871234568": {`"kind":"error","code":"RateLimited"`, sales.Failed}, "0871234569": {`"kind":"drop","when":"after"`, sales.Unknown}} {
		b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"SendTransfer"},"action":{`+other.fault+`}}]`)
		path := b.signIn(staff.Cashier).sellTo(number)
		b.becomes(path, other.state)
		told = append(told, path)
	}
	for _, role := range staff.Roles() {
		t.Run(string(role), func(t *testing.T) {
			c := crawl{t: t, w: b.signIn(role), u: b.users[role], routes: b.server.routes(), seen: map[string]bool{}, opened: map[string]int{}, unplain: map[string]string{}}
			for _, first := range append([]string{"/", sent}, told...) {
				c.found("the start", first)
			}
			for len(c.queue) > 0 {
				next := c.queue[0]
				c.queue = c.queue[1:]
				c.open(next[0], next[1])
			}
			require.Greater(t, len(c.seen), 10)
			require.Empty(t, c.unplain)
		})
	}
}
