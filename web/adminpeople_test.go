package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

func TestPeopleAreAddedChangedAndShutOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Admin)
		const list = "/admin/people"
		got := w.post(list, w.fill(list, list, "", map[string]string{"username": "nora", "display_name": "Nora", "role": "cashier", "shop": b.shop.ID, "password": "short"}))
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
		page := got.page(t)
		require.NotEmpty(t, page.Find(`.field.refused .problem`).Text())
		require.Equal(t, "nora", page.Find(`input[name="username"]`).AttrOr("value", ""), "what was typed stays")
		require.Empty(t, page.Find(`input[name="password"]`).AttrOr("value", ""), "a password does not come back")

		form := w.fill(list, list, "", map[string]string{"username": "nora", "display_name": "Nora", "role": "cashier", "shop": b.shop.ID, "password": password})
		require.Equal(t, list+"?done=saved", w.post(list, form).Header.Get("Location"))
		form.Set("key", b.server.NewKey())
		require.Equal(t, http.StatusConflict, w.post(list, form).StatusCode, "the username is taken")

		nora := b.browser()
		require.Equal(t, http.StatusSeeOther, nora.post("/login", map[string][]string{"username": {"nora"}, "password": {password}}).StatusCode)
		require.Equal(t, "/password", nora.get("/whoami").Header.Get("Location"), "the admin chose her password")
		form = url.Values{"csrf": {nora.csrf("/password")}, "current": {password}, "password": {password + " hers"}}
		require.Equal(t, "/", nora.post("/password", form).Header.Get("Location"))
		require.Equal(t, http.StatusOK, nora.get("/whoami").StatusCode)
		users, err := b.staff.Users(t.Context())
		require.NoError(t, err)
		path := ""
		for _, u := range users {
			if u.Username == "nora" {
				path = list + "/" + u.ID
			}
		}
		act := func(do string, values map[string]string) answer {
			values["reason"] = "as agreed"
			return w.post(path, w.fill(path, path, do, values))
		}
		require.Equal(t, http.StatusUnprocessableEntity, w.post(path, w.fill(path, path, "disable", map[string]string{"reason": " "})).StatusCode, "without a reason nothing is done")
		require.Equal(t, http.StatusOK, nora.get("/whoami").StatusCode)
		require.Equal(t, path+"?done=saved", act("name", map[string]string{"display_name": "Nora Byrne"}).Header.Get("Location"))
		require.Contains(t, w.get(list).page(t).Find("table").Text(), "Nora Byrne")
		require.Equal(t, http.StatusOK, nora.get("/whoami").StatusCode, "another name ends no session")
		require.Equal(t, path+"?done=saved", act("sign-out", map[string]string{}).Header.Get("Location"))
		require.Equal(t, http.StatusSeeOther, nora.get("/whoami").StatusCode, "her session is over")
		require.Equal(t, http.StatusUnprocessableEntity, act("role", map[string]string{"role": "finance", "shop": b.shop.ID}).StatusCode, "finance belongs to no shop")
		require.Equal(t, http.StatusSeeOther, act("role", map[string]string{"role": "auditor", "shop": ""}).StatusCode)
		require.Equal(t, http.StatusSeeOther, act("password", map[string]string{"password": password + " new"}).StatusCode)
		require.NotEqual(t, http.StatusSeeOther, b.browser().post("/login", map[string][]string{"username": {"nora"}, "password": {password}}).StatusCode, "the old password is none any more")
		require.Equal(t, http.StatusSeeOther, act("disable", map[string]string{}).StatusCode)
		require.NotEqual(t, http.StatusSeeOther, b.browser().post("/login", map[string][]string{"username": {"nora"}, "password": {password + " new"}}).StatusCode)
		require.Equal(t, http.StatusSeeOther, act("enable", map[string]string{}).StatusCode)
		require.Equal(t, http.StatusSeeOther, b.browser().post("/login", map[string][]string{"username": {"nora"}, "password": {password + " new"}}).StatusCode)
		acts, err := b.server.D.Audit.List(t.Context(), audit.Filter{UserID: b.users[staff.Admin].ID, Subject: audit.Of(audit.User, strings.TrimPrefix(path, list+"/"))})
		require.NoError(t, err)
		var done []audit.Act
		for _, act := range acts {
			if act.Act != audit.UserCreated {
				require.Equal(t, "as agreed", act.Reason, act.Act)
				done = append(done, act.Act)
			}
		}
		require.Equal(t, []audit.Act{audit.UserEnabled, audit.UserDisabled, audit.UserPasswordSet, audit.UserRoleChanged, audit.UserSignedOut, audit.UserRenamed}, done)
	})
}

// TestARefusalNamesARoleAsTheReaderDoes, not as the program does.
func TestARefusalNamesARoleAsTheReaderDoes(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	require.NoError(t, b.server.D.Staff.SetLocale(t.Context(), b.users[staff.Admin].ID, "es"))
	const list = "/admin/people"
	got := w.post(list, w.fill(list, list, "", map[string]string{
		"username": "nora", "display_name": "Nora", "role": "cashier", "shop": "", "password": password,
	}))
	require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
	require.Contains(t, got.page(t).Find(".field.refused .problem").Text(), "La función Cajero pertenece a una tienda.")
}

func TestNobodyShutsThemselvesOrTheLastAdminOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	own := "/admin/people/" + b.users[staff.Admin].ID
	got := w.post(own, w.fill(own, own, "disable", map[string]string{"reason": "leaving"}))
	require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
	require.Contains(t, got.page(t).Find(".problem").Text(), "You cannot disable yourself")
	got = w.post(own, w.fill(own, own, "role", map[string]string{"role": "finance", "reason": "leaving"}))
	require.Contains(t, got.page(t).Find(".problem").Text(), "You cannot change your own role")

	// Another admin's form, sent when that one is the last by then.
	second, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "second", Role: staff.Admin, Password: password})
	require.NoError(t, err)
	form := w.fill("/admin/people/"+second.ID, "/admin/people/"+second.ID, "disable", map[string]string{"reason": "leaving"})
	require.Equal(t, http.StatusSeeOther, w.post("/admin/people/"+second.ID, form).StatusCode)
	require.ErrorContains(t, b.staff.Disable(t.Context(), setup, b.users[staff.Admin].ID, "leaving"), "last admin")
	require.Equal(t, http.StatusNotFound, w.post(own, map[string][]string{"csrf": form["csrf"], "act": {"promote"}, "reason": {"x"}}).StatusCode)
	require.Equal(t, http.StatusNotFound, w.get("/admin/people/nobody").StatusCode)
}

func TestShopsAndTillsAreKept(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	const list = "/admin/shops"
	fields := map[string]string{"name": "Quay", "zone": "Europe/Nowhere", "country": "IE", "currency": "EUR", "tills": "2"}
	got := w.post(list, w.fill(list, list, "", fields))
	require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
	require.Contains(t, got.page(t).Find(".field.refused").Text(), "There is no time zone")
	fields["zone"] = "Europe/Dublin"
	require.Equal(t, http.StatusSeeOther, w.post(list, w.fill(list, list, "", fields)).StatusCode)
	require.Equal(t, http.StatusConflict, w.post(list, w.fill(list, list, "", fields)).StatusCode, "a name is taken once")

	shop, err := store.One[staff.Shop](b.db.Read(t.Context()).Where("name = ?", "Quay"), nil)
	require.NoError(t, err)
	path := list + "/" + shop.ID
	require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(path, path, "facts", map[string]string{"name": "Quay 2", "address": "2 Quay"})).StatusCode)
	require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(path, path, "till", map[string]string{"till": "Window"})).StatusCode)
	taken := w.post(path, w.fill(path, path, "till", map[string]string{"till": "Window"}))
	require.Equal(t, http.StatusConflict, taken.StatusCode)
	require.Contains(t, taken.page(t).Find(".field.refused").Text(), "already has a till named")
	tills, err := b.staff.Tills(t.Context(), shop.ID)
	require.NoError(t, err)
	require.Len(t, tills, 3)
	require.Equal(t, "Window", tills[2].Name)
	require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(path, path, "rename", map[string]string{"till_id": tills[0].ID, "till": "Door"})).StatusCode)
	require.Contains(t, w.get(path).body, "Door")
	require.Equal(t, http.StatusUnprocessableEntity, w.post(path, w.fill(path, path, "rename", map[string]string{"till_id": tills[0].ID, "till": ""})).StatusCode)

	mine := w.fill(path, path, "rename", map[string]string{"till_id": tills[0].ID, "till": "Mine"})
	require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(path, path, "rename", map[string]string{"till_id": tills[0].ID, "till": "Theirs"})).StatusCode)
	late := w.post(path, mine)
	require.Equal(t, http.StatusConflict, late.StatusCode, "the form showed another name")
	require.Contains(t, late.page(t).Find(".field.refused").Text(), "Theirs")
	again := late.page(t).Find("form:has([name=till_id])")
	require.Equal(t, "Theirs", again.Find("[name=shown_"+tills[0].ID+"]").AttrOr("value", ""))
	require.Equal(t, "Mine", again.Find("[name=till]").AttrOr("value", ""), "what was typed is kept")
	require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(path, path, "rename", map[string]string{"till_id": tills[0].ID, "till": "Mine"})).StatusCode)

	form := w.fill(path, path, "facts", nil)
	form.Set("act", "close")
	require.Equal(t, http.StatusNotFound, w.post(path, form).StatusCode)
}

// TestTwoAdminsSaveOneForm, each with another field changed: what the other saved meanwhile stays.
func TestTwoAdminsSaveOneForm(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Admin)
		path := "/admin/shops/" + b.shop.ID
		address := w.fill(path, path, "facts", map[string]string{"address": "1 New Street"})
		taxID := w.fill(path, path, "facts", map[string]string{"tax_id": "IE 77"})
		wrong := w.fill(path, path, "facts", map[string]string{"name": "", "tax_id": "IE 78"})
		require.Equal(t, http.StatusSeeOther, w.post(path, address).StatusCode)
		require.Equal(t, http.StatusSeeOther, w.post(path, taxID).StatusCode)
		shop, err := b.staff.Shop(t.Context(), b.shop.ID)
		require.NoError(t, err)
		require.Equal(t, []string{b.shop.Name, "1 New Street", "IE 77"}, []string{shop.Name, shop.Address, shop.TaxID})

		again := w.post(path, wrong)
		require.Equal(t, http.StatusUnprocessableEntity, again.StatusCode)
		mended, err := again.page(t).Find("form:has([name=tax_id])").Html()
		require.NoError(t, err)
		require.NotContains(t, mended, "1 New Street", "a refused form goes on from what it showed first")

		const access = "/admin/access"
		second := w.fill(access, access, "cashier", map[string]string{"second": "true"})
		networks := w.fill(access, access, "cashier", map[string]string{"networks": "10.0.0.0/8"})
		require.Equal(t, http.StatusSeeOther, w.post(access, second).StatusCode)
		require.Equal(t, http.StatusSeeOther, w.post(access, networks).StatusCode)
		rules, err := b.staff.Rules(t.Context())
		require.NoError(t, err)
		for _, r := range rules {
			if r.Role == staff.Cashier {
				require.Equal(t, []any{true, "10.0.0.0/8"}, []any{r.SecondFactor, r.Networks})
			}
		}
		for _, second["second"] = range [][]string{{"yes"}, nil} {
			require.Equal(t, http.StatusUnprocessableEntity, w.post(access, second).StatusCode, "neither yes nor no")
		}
	})
}

// TestTwoAdminsChangeOneAccount: who moves a person to another shop does not undo the role that somebody else has just
// given them, and two roles at once are told of.
func TestTwoAdminsChangeOneAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Admin)
		quay, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		id := b.users[staff.Cashier].ID
		path := "/admin/people/" + id
		form := func(values map[string]string) url.Values {
			values["reason"] = "as agreed"
			return w.fill(path, path, "role", values)
		}
		is := func() []string {
			u, err := b.staff.User(t.Context(), id)
			require.NoError(t, err)
			return []string{string(u.Role), u.ShopID}
		}
		promoted, moved := form(map[string]string{"role": "supervisor"}), form(map[string]string{"shop": quay.ID})
		other := form(map[string]string{"role": "manager"})
		require.Equal(t, http.StatusSeeOther, w.post(path, promoted).StatusCode)
		require.Equal(t, http.StatusSeeOther, w.post(path, moved).StatusCode)
		require.Equal(t, []string{"supervisor", quay.ID}, is(), "both keep what they changed")

		refused := w.post(path, other)
		require.Equal(t, http.StatusConflict, refused.StatusCode)
		field := refused.page(t).Find(".field.refused:has([name=role])")
		require.Contains(t, field.Text(), "Supervisor")
		require.Equal(t, []string{"supervisor", quay.ID}, is())
		maps.Copy(other, fieldsOf(field.Closest("form")))
		require.Equal(t, http.StatusSeeOther, w.post(path, other).StatusCode)
		require.Equal(t, []string{"manager", quay.ID}, is(), "who has read it may")
	})
}

// TestAPersonMovedWhoIsInEveryShopByNow: who moves them to another shop reads so, as the list of people says it.
func TestAPersonMovedWhoIsInEveryShopByNow(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	quay, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	path := "/admin/people/" + b.users[staff.Cashier].ID
	form := func(values map[string]string) url.Values {
		values["reason"] = "as agreed"
		return w.fill(path, path, "role", values)
	}
	audits, moved := form(map[string]string{"role": "auditor", "shop": ""}), form(map[string]string{"shop": quay.ID})
	require.Equal(t, http.StatusSeeOther, w.post(path, audits).StatusCode)
	refused := w.post(path, moved)
	require.Equal(t, http.StatusConflict, refused.StatusCode)
	require.Contains(t, refused.page(t).Find(".field.refused:has([name=shop])").Text(), `"All"`)
}

// TestTwoAdminsSaveOneField: the second is told what the first has saved, and decides.
func TestTwoAdminsSaveOneField(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Admin)
		shop := "/admin/shops/" + b.shop.ID
		for _, form := range []struct{ path, act, field, first, second string }{
			{shop, "facts", "address", "1 New Street", "2 Other Street"},
			{"/admin/access", "cashier", "networks", "10.0.0.0/8", "198.51.100.0/24"},
		} {
			one := w.fill(form.path, form.path, form.act, map[string]string{form.field: form.first})
			likewise := w.fill(form.path, form.path, form.act, map[string]string{form.field: form.first})
			other := w.fill(form.path, form.path, form.act, map[string]string{form.field: form.second})
			require.Equal(t, http.StatusSeeOther, w.post(form.path, one).StatusCode)
			require.Equal(t, http.StatusSeeOther, w.post(form.path, likewise).StatusCode, "both meant the same")

			refused := w.post(form.path, other)
			require.Equal(t, http.StatusConflict, refused.StatusCode, form.field)
			field := refused.page(t).Find(".field.refused")
			require.Contains(t, field.Text(), `"`+form.first+`"`)
			require.Equal(t, form.second, field.Find("input").AttrOr("value", ""), "what was typed stays")
			require.NotContains(t, w.get(form.path).body, form.second)

			maps.Copy(other, fieldsOf(field.Closest("form")))
			require.Equal(t, http.StatusSeeOther, w.post(form.path, other).StatusCode, "who has read it may")
			require.Contains(t, w.get(form.path).body, form.second)
		}
	})
}

// A password that somebody else chose opens one session, and in it nothing but
// the page that changes it.
func TestAPasswordThatSomebodyElseChoseWorksOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		admin := staff.Presence{User: b.users[staff.Admin], SignedInAt: b.clock()}.Actor()
		other, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "second", Role: staff.Admin, Password: password})
		require.NoError(t, err)
		second := staff.Presence{User: other, SignedInAt: b.clock()}.Actor()
		const given, own = "given zebra battery", "my very own zebra battery"
		for _, role := range staff.Roles()[:5] {
			require.NoError(t, b.staff.SetPassword(t.Context(), admin, b.users[role].ID, given, 0, "forgotten"))
			if role == staff.Finance {
				waiting, err := b.staff.Proposals(t.Context())
				require.NoError(t, err)
				require.NoError(t, b.staff.Decide(t.Context(), second, b.users[role].ID, waiting[0].Name(), true))
			}
			logIn := func(w *browser, password string) int {
				return w.post("/login", url.Values{"username": {string(role)}, "password": {password}}).StatusCode
			}
			w := b.browser()
			require.Equal(t, http.StatusSeeOther, logIn(w, given))
			require.Equal(t, http.StatusUnprocessableEntity, logIn(b.browser(), given), "it opened a session already")
			for _, path := range []string{"/", "/counter", "/sales", "/account", "/whoami"} {
				require.Equal(t, "/password", w.get(path).Header.Get("Location"), "%s at %s", role, path)
			}
			require.Equal(t, http.StatusForbidden, w.do(http.MethodGet, "/tray/events", nil, http.Header{"Accept": {"text/event-stream"}}).StatusCode)
			change := func(current, password string) answer {
				return w.post("/password", url.Values{"csrf": {w.csrf("/password")}, "current": {current}, "password": {password}})
			}
			require.Equal(t, http.StatusUnprocessableEntity, change("not it", own).StatusCode)
			require.Equal(t, http.StatusUnprocessableEntity, change(given, "short").StatusCode)
			require.Equal(t, http.StatusUnprocessableEntity, change(given, given).StatusCode, "the same again is none of their own")
			before := w.session()
			require.Equal(t, http.StatusSeeOther, change(given, own).StatusCode)
			require.Equal(t, string(role), w.get("/whoami").body)
			_, _, live, err := b.staff.Present(t.Context(), before)
			require.NoError(t, err)
			require.False(t, live)
			require.Equal(t, http.StatusSeeOther, logIn(b.browser(), own))
			require.NotContains(t, b.log.String(), own)
		}
		told, err := b.audit().List(t.Context(), audit.Filter{Act: audit.UserPasswordChanged})
		require.NoError(t, err)
		require.Len(t, told, 5)
	})
}

// An account that is enabled again may have a password that opens nothing: whoever enabled it must know.
func TestAGivenPasswordThatIsOverIsSaid(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		admin := staff.Presence{User: b.users[staff.Admin], SignedInAt: b.clock()}.Actor()
		id := b.users[staff.Cashier].ID
		const over, given = "opens nothing any more", "given zebra battery"
		says := func() bool {
			return strings.Contains(b.signIn(staff.Admin).get("/admin/people/"+id).page(t).Find("main").Text(), over)
		}
		signIn := func() int {
			return b.browser().post("/login", url.Values{"username": {"cashier"}, "password": {given}}).StatusCode
		}
		require.False(t, says(), "their own password")
		require.NoError(t, b.staff.SetPassword(t.Context(), admin, id, given, 0, "forgotten"))
		require.False(t, says())
		require.NoError(t, b.staff.Disable(t.Context(), admin, id, "leave"))
		b.pass(73 * time.Hour)
		require.NoError(t, b.staff.Enable(t.Context(), admin, id, "back"))
		require.Equal(t, http.StatusUnprocessableEntity, signIn())
		require.True(t, says(), "72 hours have passed")
		require.NoError(t, b.staff.SetPassword(t.Context(), admin, id, given, 0, "again"))
		require.False(t, says())
		require.Equal(t, http.StatusSeeOther, signIn())
		require.True(t, says(), "it was used")
	})
}

// Whoever could sign with somebody they made is stopped, and the page says who may.
func TestOneAdminMakesNoSecondPersonAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w, person := b.signIn(staff.Admin), "/admin/people/"+b.users[staff.Finance].ID
	reset := map[string]string{"password": password + " new", "reason": "forgotten"}
	got := w.post(person, w.fill(person, person, "password", reset))
	require.Equal(t, person+"?done=saved", got.Header.Get("Location"))
	page := w.get(person + "?done=saved").page(t)
	require.Contains(t, page.Find("main").Text(), "Waits for a second person")
	require.Contains(t, page.Find("main").Text(), "Password set, asked for by admin")
	require.Contains(t, page.Find("main").Text(), "Another admin who has signed in")
	require.Zero(t, page.Find(`[role="status"]`).Length(), "nothing was done yet")
	require.Contains(t, w.get("/admin/people").body, "Waits for a second person")
	old := map[string][]string{"username": {"finance"}, "password": {password}}
	require.Equal(t, http.StatusSeeOther, b.browser().post("/login", old).StatusCode, "the old password holds")

	confirm := func(w *browser) answer { return w.post(person, w.fill(person, person, "confirm", nil)) }
	refused := func(got answer, why string) {
		t.Helper()
		require.Equal(t, http.StatusForbidden, got.StatusCode)
		require.Contains(t, got.page(t).Find("#office-problem, .problem").Text(), why)
	}
	refused(confirm(w), "A second person must agree. You proposed it yourself.")

	// A second admin whom the first made is none, not even when a third has agreed.
	for name, by := range map[string]audit.Actor{"puppet": {UserID: b.users[staff.Admin].ID, SignedInAt: b.clock()}, "second": setup, "third": setup} {
		_, err := b.staff.CreateUser(t.Context(), by, staff.NewUser{Username: name, Role: staff.Admin, Password: password})
		require.NoError(t, err)
	}
	in := func(name string) *browser {
		w := b.browser()
		require.Equal(t, http.StatusSeeOther, w.post("/login", map[string][]string{"username": {name}, "password": {password}}).StatusCode)
		return w
	}
	users, err := b.staff.Users(t.Context())
	require.NoError(t, err)
	puppet := users[slices.IndexFunc(users, func(u staff.User) bool { return u.Username == "puppet" })]
	require.True(t, puppet.Disabled())
	third := in("third")
	theirs := "/admin/people/" + puppet.ID
	require.Equal(t, http.StatusSeeOther, third.post(theirs, third.fill(theirs, theirs, "confirm", nil)).StatusCode)
	made := in("puppet")
	form := url.Values{"csrf": {made.csrf("/password")}, "current": {password}, "password": {password + " own"}}
	require.Equal(t, http.StatusSeeOther, made.post("/password", form).StatusCode)
	refused(confirm(made), "by the same person. Somebody else with the same rights must sign.")

	second := in("second")
	b.pass(11 * time.Minute)
	refused(confirm(second), "Sign in again first: what two people sign needs a password entered just now.")
	refused(w.post(person, w.fill(person, person, "role", map[string]string{"role": "admin", "reason": "more"})), "Sign in again first")
	require.Equal(t, http.StatusSeeOther, confirm(in("second")).StatusCode)
	require.Equal(t, http.StatusUnprocessableEntity, b.browser().post("/login", old).StatusCode)
	old["password"][0] += " new"
	require.Equal(t, http.StatusSeeOther, b.browser().post("/login", old).StatusCode)

	require.Equal(t, http.StatusNotFound, w.post(person, url.Values{"csrf": {w.csrf(person)}, "act": {"drop"}}).StatusCode, "nothing waits any more")
}
