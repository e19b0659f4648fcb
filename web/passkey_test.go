package web

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// namedBench is a strict till at an address with a name.
func namedBench(t *testing.T, db *store.DB) *bench {
	t.Helper()
	b := stoppedBench(t, db)
	b.start(app.Config{
		UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key", SecondFactor: app.SecondRequired, PublicURL: "http://localhost:8080",
	}, nil)
	return b
}

// device is what holds the passkey of a role's user.
type device struct {
	site virtualwebauthn.RelyingParty
	auth virtualwebauthn.Authenticator
	key  virtualwebauthn.Credential
}

func (b *bench) device(role staff.Role) *device {
	return &device{
		site: virtualwebauthn.RelyingParty{ID: "localhost", Origin: "http://localhost:8080"},
		auth: virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: []byte(b.users[role].ID)}),
		key:  stafftest.NewPasskey(b.t),
	}
}

// signs has a device answer what the till asks of it.
func (w *browser) signs(d *device) string {
	w.b.t.Helper()
	asked := w.post("/login/passkey/challenge", url.Values{})
	require.Equal(w.b.t, http.StatusOK, asked.StatusCode, asked.body)
	require.Equal(w.b.t, "application/json; charset=utf-8", asked.Header.Get("Content-Type"))
	options, err := virtualwebauthn.ParseAssertionOptions(asked.body)
	require.NoError(w.b.t, err)
	d.key.Counter++
	return virtualwebauthn.CreateAssertionResponse(d.site, d.auth, d.key, *options)
}

// adds has whoever is signed in add a passkey.
func (w *browser) adds(d *device, name string) answer {
	w.b.t.Helper()
	asked := w.post("/account/second/passkeys/challenge", url.Values{"act": {"add"}})
	require.Equal(w.b.t, http.StatusOK, asked.StatusCode, asked.body)
	options, err := virtualwebauthn.ParseAttestationOptions(asked.body)
	require.NoError(w.b.t, err)
	made := virtualwebauthn.CreateAttestationResponse(d.site, d.auth, d.key, *options)
	return w.post("/account/second/passkeys", url.Values{"act": {"add"}, "name": {name}, "answer": {made}})
}

func TestSigningInWithAPasskey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := namedBench(t, db)
		w, d := b.signIn(staff.Admin), b.device(staff.Admin)
		require.Equal(t, "/account/second", w.get("/").Header.Get("Location"), "the role needs a second step")
		planted := w.session()
		added := w.adds(d, "  ")
		require.Equal(t, http.StatusOK, added.StatusCode, added.body)
		require.Equal(t, 10, added.page(t).Find(".second-codes code").Length())
		require.NotEqual(t, planted, w.session(), "under a new token")
		require.Equal(t, "admin", w.who())
		require.Contains(t, w.get("/account/second").body, "Go-http-client", "it is called as the browser is, if nobody says how")

		b.pass(time.Minute)
		next := b.browser()
		require.Equal(t, 1, next.get("/login").page(t).Find(`form[data-challenge]`).Length())
		in := next.post("/login/passkey", url.Values{"answer": {next.signs(d)}, "next": {"/whoami"}})
		require.Equal(t, "/whoami", in.Header.Get("Location"), in.body)
		require.Equal(t, "admin", next.who())
		require.Equal(t, http.StatusOK, next.get("/admin/people").StatusCode)

		answer := w.signs(d)
		thief := b.browser()
		refused := thief.post("/login/passkey", url.Values{"answer": {answer}})
		require.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode, "a browser that was not asked")
		require.Contains(t, refused.body, "This passkey does not open an account here.")
		require.Empty(t, thief.session())

		half := b.browser()
		_ = half.password(staff.Admin)
		require.Equal(t, 1, half.get("/login/second").page(t).Find(`form[data-challenge]`).Length(), "a passkey is a second step, too")
		in = half.post("/login/passkey", url.Values{"answer": {half.signs(d)}})
		require.Equal(t, http.StatusSeeOther, in.StatusCode, in.body)
	})
}

// What two people sign takes a passkey of the last five minutes, as it takes a code.
func TestAFreshPasskeySigns(t *testing.T) {
	t.Parallel()
	b := namedBench(t, storetest.New(t))
	w, d := b.signIn(staff.Admin), b.device(staff.Admin)
	require.Equal(t, http.StatusOK, w.adds(d, "phone").StatusCode)
	reset := url.Values{"act": {"second"}, "reason": {"lost it"}}
	finance := b.signIn(staff.Finance)
	require.Equal(t, http.StatusOK, finance.adds(b.device(staff.Finance), "phone").StatusCode)
	path := "/admin/people/" + b.users[staff.Finance].ID
	b.pass(6 * time.Minute)
	stale := w.post(path, reset)
	require.Contains(t, stale.body, "Enter a code or use a passkey first")

	again := w.post("/account/second/passkeys/challenge", url.Values{"act": {"add"}})
	require.Equal(t, http.StatusForbidden, again.StatusCode, "nor is another added then")
	again = w.post("/account/second/passkeys", url.Values{"act": {"add"}})
	require.Equal(t, http.StatusForbidden, again.StatusCode)
	require.Contains(t, again.page(t).Find("#add-passkey-problem").Text(), "Give your second step once more")

	require.Equal(t, http.StatusUnprocessableEntity, w.post("/account/second/passkeys", url.Values{"act": {"prove"}, "answer": {"{}"}}).StatusCode)
	proved := w.post("/account/second/passkeys", url.Values{"act": {"prove"}, "answer": {w.signs(d)}})
	require.Equal(t, "/account/second?done=proved", proved.Header.Get("Location"), proved.body)
	signed := w.post(path, reset)
	require.Equal(t, http.StatusSeeOther, signed.StatusCode, signed.body)

	id, _ := w.get("/account/second").page(t).Find(`input[name="id"]`).Attr("value")
	gone := w.post("/account/second/passkeys", url.Values{"act": {"remove"}, "id": {id}})
	require.Equal(t, "/account/second", gone.Header.Get("Location"), gone.body)
	require.Equal(t, "/account/second", w.get("/").Header.Get("Location"), "an admin needs another then")
}

// An act that asks for no proof gives none: what two people sign must be proved for itself.
func TestOnlyAProofMakesASecondStepFresh(t *testing.T) {
	t.Parallel()
	b := namedBench(t, storetest.New(t))
	w, first, second := b.signIn(staff.Admin), b.device(staff.Admin), b.device(staff.Admin)
	require.Equal(t, http.StatusOK, w.adds(first, "phone").StatusCode)
	require.Equal(t, http.StatusSeeOther, w.adds(second, "computer").StatusCode)
	makes := func() answer {
		return w.post("/admin/people", url.Values{
			"username": {"new.admin"}, "role": {"admin"}, "password": {"a long enough password"},
		})
	}
	b.pass(4 * time.Minute)
	id, _ := w.get("/account/second").page(t).Find(`input[name="id"]`).Attr("value")
	gone := w.post("/account/second/passkeys", url.Values{"act": {"remove"}, "id": {id}})
	require.Equal(t, "/account/second", gone.Header.Get("Location"), gone.body)
	b.pass(2 * time.Minute)
	require.Contains(t, makes().body, "Enter a code or use a passkey first", "removing one proved nothing")

	begun := w.post("/account/second", url.Values{"act": {"begin"}, "code": {"000000"}})
	require.Equal(t, "/account/second", begun.Header.Get("Location"), begun.body)
	require.Contains(t, makes().body, "Enter a code or use a passkey first", "nobody looked at the code")
}

func TestATillWithoutANameSaysThatItTakesNoPasskeys(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	require.Zero(t, b.browser().get("/login").page(t).Find(`form[data-challenge]`).Length())
	w := b.signIn(staff.Manager)
	require.Contains(t, w.get("/account/second").body, "Passkeys need an address with a name and TLS.")
	require.Equal(t, http.StatusConflict, w.post("/account/second/passkeys/challenge", nil).StatusCode)
	require.Equal(t, http.StatusConflict, b.browser().post("/login/passkey", nil).StatusCode)
}
