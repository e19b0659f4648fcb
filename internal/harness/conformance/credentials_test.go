package conformance_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// A token is fetched once, used for every call, and replaced before it ends:
// the simulator never sees an expired one.
func TestATokenIsRenewedBeforeItEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, withToken)
	for range 3 {
		b.balance()
	}
	require.Len(t, b.wire.of("/connect/token"), 1)
	first := b.wire.last(t, "/api/V1/GetBalance").header.Get("Authorization")
	require.Contains(t, string(b.wire.last(t, "/connect/token").sent), "grant_type=client_credentials")

	b.clock.advance(30*time.Minute + time.Second)
	require.NoError(t, b.Ready(t.Context()))
	b.balance()
	require.Len(t, b.wire.of("/connect/token"), 2)
	require.NotEqual(t, first, b.wire.last(t, "/api/V1/GetBalance").header.Get("Authorization"))
	for _, p := range b.wire.of("/api/V1/GetBalance") {
		require.Equal(t, http.StatusOK, p.status)
	}
}

// A token that ends early is an error that says so, executes nothing, and is
// not used again.
func TestATokenThatEndsEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t, withToken)
	b.balance()
	b.fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"token_revoke"}}`)
	_, err := b.GetBalance(t.Context())
	require.True(t, failed(t, err).HasContext(apiclient.CodeAuthenticationFailed, apiclient.ContextTokenExpired))
	b.clock.advance(time.Second) // tokens carry whole seconds
	b.balance()
	require.Len(t, b.wire.of("/connect/token"), 2)

	b.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"token_revoke"}}`)
	_, err = b.send(order("R1", nil))
	refused := failed(t, err)
	require.Equal(t, []int{401, apiclient.ResultClient}, []int{refused.Status, refused.ResultCode})
	require.Len(t, b.wire.of("/api/V1/SendTransfer"), 1, "whether to send again is for the caller")
	require.Zero(t, b.entry("R1").TimesExecuted)
	b.clock.advance(time.Second)
	b.sent(order("R1", nil))
	require.Equal(t, 1, b.entry("R1").TimesExecuted)
}

func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	b := newBench(t, withKey)
	b.balance()
	strangers := b.client(func(d *apiclient.Deps) { d.APIKey = "wrong" })
	_, err := strangers.SendTransfer(t.Context(), order("R1", nil), apiclient.SendOptions{Permit: b.clock.now()})
	refused := failed(t, err)
	require.Equal(t, 401, refused.Status)
	require.Equal(t, []apiclient.ErrorCode{{Code: apiclient.CodeAuthenticationFailed}}, refused.Codes)

	strangers = b.client(func(d *apiclient.Deps) { withToken(d); d.ClientSecret = "wrong" })
	require.ErrorContains(t, strangers.Ready(t.Context()), "HTTP 400 invalid_client")
	_, err = strangers.SendTransfer(t.Context(), order("R1", nil), apiclient.SendOptions{Permit: b.clock.now()})
	require.ErrorIs(t, err, apiclient.ErrToken)
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	require.Empty(t, b.ledger().Entries)
}
