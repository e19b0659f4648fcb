//go:build e2e

package e2e

import (
	"context"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// device gives the browser a telephone or the like that holds passkeys, and whose owner
// always agrees.
func (b *browser) device() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (webauthn.AddVirtualAuthenticatorResult, error) {
		if _, err := cdp.Call(ctx, t, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return webauthn.AddVirtualAuthenticatorResult{}, err
		}
		return cdp.Call(ctx, t, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
			Options: &webauthn.VirtualAuthenticatorOptions{
				Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
				HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
			},
		})
	})
	require.NoError(b.t, err)
}

// TestAPasskeyInABrowser adds a passkey and signs in with it, by keyboard alone.
func TestAPasskeyInABrowser(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	address := freeAddress(t)
	at, err := url.Parse("http://" + address)
	require.NoError(t, err)
	named := "http://localhost:" + at.Port()
	p := w.serveAt(t, address, "PUBLIC_URL="+named)
	b := newBrowser(t, named)
	b.device()

	b.signIn("manager", w.password)
	b.open("/account/second")
	b.until("the form", `document.querySelector("#passkey-name")?.checkVisibility()`)
	require.False(t, asks[bool](b, `document.querySelector(".passkey-none").checkVisibility()`))
	b.shots("passkeys-none")
	b.eval(`document.querySelector("#passkey-name").focus()`)
	b.typed("Till phone")
	b.press("Add a passkey")
	b.until("recovery codes", `document.querySelectorAll(".second-codes code").length === 10`)
	b.open("/account/second")
	b.until("its name", `document.body.innerText.includes("Till phone")`)
	b.shots("passkeys")
	b.press("Use a passkey instead")
	b.until("the proof", `document.body.innerText.includes("You can sign for five minutes.")`)

	b.expectASignedOutStream()
	b.open("/account")
	b.eval(`document.querySelector('form[action="/logout"]').requestSubmit()`)
	b.until("the sign-in", `location.pathname === "/login" && document.readyState === "complete"`)
	b.shots("sign-in-passkey")
	b.press("Sign in with a passkey")
	b.until("the till", `location.pathname !== "/login" && document.readyState === "complete"`)
	require.Contains(t, p.log.String(), "login.accepted")
}
