package web

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
	"airtill/web/frame"
)

// letters are what an answer is in the table.
var letters = map[int]string{
	http.StatusOK: "+", http.StatusNoContent: "+", http.StatusSeeOther: ">", http.StatusUnauthorized: "!", http.StatusForbidden: "-", http.StatusNotFound: "0",
	http.StatusConflict: "~", http.StatusUnprocessableEntity: "?", http.StatusServiceUnavailable: "z", http.StatusBadRequest: "b",
}

const legend = `# What each route answers to each of seven people, with the things of their own shop
# and with those of another; TestEveryRouteForEveryone writes it anew with UPDATE=1.
# Forms are sent with what they name and nothing else, to the other shop's things first.
#   + answered   > done, and on to a page   l on to the sign-in   ! sign in (no page)
#   - forbidden  0 not found  ~ not as things stand  ? the form is refused  b bad request
#   z the transfer service is away   . the route names nothing of a shop
`

// row is a route, filled in.
type row struct {
	frame.Route
	path   string
	values url.Values
}

// rowsOf fills in every route with the things of a place. A parameter that is not
// known there ends the test.
func rowsOf(t testing.TB, routes []frame.Route, p place) (rows []row) {
	t.Helper()
	for _, r := range routes {
		path, pattern := "", ""
		for part := range strings.SplitSeq(strings.TrimPrefix(r.Path, "/"), "/") {
			pattern += "/" + part
			if strings.HasPrefix(part, ":") || strings.HasPrefix(part, "*") {
				id, known := p.ids[pattern]
				require.True(t, known, "%s: the test knows no %s", nameOf(r), pattern)
				part = id
			}
			path += "/" + part
		}
		rows = append(rows, row{r, path, p.named(nameOf(r))})
	}
	return rows
}

// answered is a status and where it leads; a stream is left once it has begun.
func (w *browser) answered(method, path string, values url.Values, header http.Header) (status int, location string) {
	w.b.t.Helper()
	ctx, leave := context.WithCancel(w.b.t.Context())
	defer leave()
	if method == http.MethodGet && values != nil {
		path += "?" + values.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, w.b.http.URL+path, strings.NewReader(values.Encode()))
	require.NoError(w.b.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, set := range []http.Header{w.header, header} {
		maps.Copy(r.Header, set)
	}
	for _, cookie := range w.cookies {
		r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
	}
	response, err := w.b.http.Client().Transport.RoundTrip(r)
	require.NoError(w.b.t, err, "%s %s", method, path)
	require.NoError(w.b.t, response.Body.Close())
	return response.StatusCode, response.Header.Get("Location")
}

func (w *browser) letter(r row) string {
	w.b.t.Helper()
	if sale, found := strings.CutSuffix(r.path, "/decide"); found { // on what is proposed by then
		var id string
		proposed := w.b.db.Read(w.b.t.Context()).Table("verdicts").Where("decided_at IS NULL AND ? LIKE '%/' || sale_id", sale)
		require.NoError(w.b.t, proposed.Pluck("id", &id).Error)
		r.values = url.Values{"proposal": {id}}
	}
	status, location := w.answered(r.Method, r.path, r.values, nil)
	if strings.HasPrefix(location, "/login") || strings.HasPrefix(location, "/unlock") {
		return "l"
	}
	letter, known := letters[status]
	require.True(w.b.t, known, "%s: %d", nameOf(r.Route), status)
	return letter
}

// unhurried is a limiter on whose clock a minute passes between two requests: how
// often somebody may ask is not what is asked here.
func unhurried(d *frame.Deps) {
	var minutes atomic.Int64
	d.Limiter = frame.NewMemoryLimiter(func() time.Time { return noon.Add(time.Duration(minutes.Add(1)) * time.Minute) })
	d.PublicURL = "https://till.example"
}

// TestEveryRouteForEveryone asks each route of the list as nobody and as each role,
// with the things of their own shop and of another, and holds the answers against
// testdata/routes.golden: a route without a line fails, and so does a line without a
// route. What only reads changes nothing, nor does a form about another shop's things.
func TestEveryRouteForEveryone(t *testing.T) {
	t.Parallel()
	b, own, other := twoShops(t, unhurried)
	places := [][]row{rowsOf(t, b.server.routes(), own), rowsOf(t, b.server.routes(), other)}
	who := append([]staff.Role{""}, staff.Roles()...)
	people := map[staff.Role]*browser{}
	for _, role := range who {
		people[role] = b.comes(role, own)
	}
	cells := map[string]string{} // by route, role and place
	before := digest(t, b.db)
	for _, changing := range []bool{false, true} {
		for _, role := range who {
			for place, rows := range places {
				for i, r := range rows {
					cell := fmt.Sprint(nameOf(r.Route), role, place)
					mayChange := r.Method != http.MethodGet && (place == 0 || role != "" && !role.InShop())
					switch {
					case place == 1 && r.path+r.values.Encode() == places[0][i].path+places[0][i].values.Encode():
						cells[cell] = "."
					case changing && mayChange:
						require.NoError(t, b.db.Exec(t.Context(), "DELETE FROM login_tries")) // wrong passwords slow down the next
						cells[cell] = b.comes(role, own).letter(r)
					case !changing && !mayChange:
						cells[cell] = people[role].letter(r)
					}
				}
			}
		}
		if !changing {
			require.Equal(t, before, digest(t, b.db), "who reads, or asks for another shop's, changes nothing")
		}
	}
	var lines []string
	for _, r := range places[0] {
		line := fmt.Sprintf("%-42s", nameOf(r.Route))
		for _, role := range who {
			line += fmt.Sprintf(" %11s", cells[fmt.Sprint(nameOf(r.Route), role, 0)]+cells[fmt.Sprint(nameOf(r.Route), role, 1)])
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	got := legend + fmt.Sprintf("%-42s %11s %11s %11s %11s %11s %11s %11s\n", "#", "nobody", "cashier", "supervisor", "manager", "finance", "auditor", "admin") + strings.Join(lines, "\n") + "\n"
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile("testdata/routes.golden", []byte(got), 0o644))
	}
	want, err := os.ReadFile("testdata/routes.golden")
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// TestNoFormFromElsewhereChangesAnything sends each form, filled in, as somebody who
// may send it, from where it must not come.
func TestNoFormFromElsewhereChangesAnything(t *testing.T) {
	t.Parallel()
	b, own, _ := twoShops(t, unhurried)
	wrong := map[string]http.Header{
		"a client that says nothing": {"Sec-Fetch-Site": nil},
		"a sandboxed frame":          {"Sec-Fetch-Site": {"cross-site"}, "Origin": {"null"}},
		"a sandboxed frame, old":     {"Sec-Fetch-Site": nil, "Origin": {"null"}},
		"another site":               {"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}},
		"another site, Origin alone": {"Sec-Fetch-Site": nil, "Origin": {"https://evil.example"}},
		"another site, Origin hid":   {"Sec-Fetch-Site": {"cross-site"}},
		"a neighbour":                {"Sec-Fetch-Site": {"same-site"}, "Origin": {"https://shop.till.example"}},
		"a neighbour, Origin alone":  {"Sec-Fetch-Site": nil, "Origin": {"https://shop.till.example"}},
		"the domain above":           {"Sec-Fetch-Site": nil, "Origin": {"https://example"}},
		"another port":               {"Sec-Fetch-Site": {"same-site"}, "Origin": {"https://till.example:8443"}},
		"another port, Origin alone": {"Sec-Fetch-Site": nil, "Origin": {"https://till.example:8443"}},
		"over http":                  {"Sec-Fetch-Site": nil, "Origin": {"http://till.example"}},
		"a name that begins alike":   {"Sec-Fetch-Site": nil, "Origin": {"https://till.example.evil.example"}},
		"a false token":              {"Sec-Fetch-Site": nil, "X-Csrf-Token": {strings.Repeat("A", 86)}},
	}
	people := map[staff.Role]*browser{"": b.browser()}
	for _, role := range staff.Roles() {
		people[role] = b.comes(role, own)
	}
	before, forms := digest(t, b.db), 0
	for _, r := range rowsOf(t, b.server.routes(), own) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead || r.CrossSite {
			continue
		}
		forms++
		who := slices.IndexFunc(staff.Roles(), func(role staff.Role) bool {
			return r.Permission == frame.Public || r.Permission == frame.SignedIn || staff.User{Role: role}.Can(r.Permission)
		})
		for name, header := range wrong {
			for _, w := range []*browser{people[""], people[staff.Roles()[who]]} {
				status, location := w.answered(r.Method, r.path, r.values, header)
				if w == people[""] && header.Get("Origin") != "" && location != "" {
					require.Equal(t, "null", header.Get("Origin"), "%s from %s", nameOf(r.Route), name)
				}
				if w != people[""] || r.Permission == frame.Public {
					require.Equal(t, http.StatusForbidden, status, "%s from %s", nameOf(r.Route), name)
				}
			}
		}
	}
	require.Greater(t, forms, 50)
	require.Equal(t, before, digest(t, b.db), "a form from elsewhere changed something")
}

// TestOnlyWhatIsOnTheListIsReached asks for each route by other methods, and by other
// spellings of its path, as people who may do nearly everything.
func TestOnlyWhatIsOnTheListIsReached(t *testing.T) {
	t.Parallel()
	b, own, _ := twoShops(t, unhurried)
	rows, listed := rowsOf(t, b.server.routes(), own), map[string]bool{}
	for _, r := range rows {
		listed[r.Method+" "+r.path] = true
	}
	manager, admin := b.comes(staff.Manager, own), b.comes(staff.Admin, own)
	before := digest(t, b.db)
	for _, r := range rows {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			if listed[method+" "+r.path] {
				continue
			}
			status, _ := admin.answered(method, r.path, r.values, nil)
			require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, status, "%s %s", method, r.Path)
		}
		if strings.HasPrefix(r.path, "/static/") || strings.HasPrefix(r.path, "/logos/") { // of whatever name, a file or none
			continue
		}
		for _, path := range []string{r.path + "/", r.path + "//", "/" + r.path, "/." + r.path, "/x/.." + r.path, "/%2e%2e" + r.path, strings.ToUpper(r.path), r.path + "%2f", r.path + "%00", r.path + ";x=1"} {
			if listed[r.Method+" "+path] {
				continue
			}
			status, _ := manager.answered(r.Method, path, r.values, nil)
			require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusForbidden, http.StatusUnprocessableEntity}, status, "%s %s", r.Method, path)
		}
	}
	require.Equal(t, before, digest(t, b.db))
}

// comes gives a browser a session at the till of a place, where a role works at one;
// "" is nobody. The sign-in page is not asked: what is tested may be that.
func (b *bench) comes(role staff.Role, at place) *browser {
	b.t.Helper()
	if role == "" {
		return b.browser()
	}
	w, u, tillID, seat := b.browser(), b.users[role], "", ""
	if role.InShop() && at.till.ID != "" {
		tillID = at.till.ID
		open, err := b.server.D.Till.Current(b.t.Context(), tillID)
		require.NoError(b.t, err)
		if open != nil {
			seat = open.ID + "/" + open.Seat
		}
	}
	token := "token-of-" + string(role)
	data, err := frame.SessionCodec{}.Encode(noon, map[string]any{
		frame.SessionUser: u.ID, frame.SessionEpoch: "1", frame.SessionTill: tillID, frame.SessionSeat: seat,
	})
	require.NoError(b.t, err)
	require.NoError(b.t, b.staff.SaveSession(b.t.Context(), token, staff.Session{UserID: u.ID, Epoch: u.Epoch, TillID: tillID, Data: data}))
	w.cookies["session"] = &http.Cookie{Name: b.server.CookieName("session"), Value: token}
	return w
}
