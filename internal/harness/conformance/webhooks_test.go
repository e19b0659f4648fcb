package conformance_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// hook is the agent's endpoint: it opens what comes with the real client and
// answers as it says.
type hook struct {
	b        *bench
	opener   *apiclient.Webhook
	mu       sync.Mutex
	opened   []*apiclient.Notification
	statuses []int
}

func newHook(t *testing.T, change func(*apiclient.WebhookDeps)) *hook {
	t.Helper()
	h := &hook{b: newBench(t, withKey)}
	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: h.b.url, Now: h.b.clock.now})
	require.NoError(t, err)
	t.Cleanup(keys.Close)
	deps := apiclient.WebhookDeps{Keys: keys}
	if change != nil {
		change(&deps)
	}
	h.opener, err = apiclient.NewWebhook(deps)
	require.NoError(t, err)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.b.config(`{"webhookUrl":"` + server.URL + `"}`)
	return h
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender has gone
	}
	got, err := h.opener.Open(r.Context(), r.Header, body, h.b.clock.now())
	status := http.StatusOK
	var refused *apiclient.WebhookError
	if errors.As(err, &refused) {
		status = refused.Status
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opened, h.statuses = append(h.opened, got), append(h.statuses, status)
	w.WriteHeader(status)
}

// waited returns the statuses answered, once there are so many.
func (h *hook) waited(n int) []int {
	h.b.t.Helper()
	var all []int
	require.Eventually(h.b.t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		all = append([]int(nil), h.statuses...)
		return len(all) >= n
	}, time.Minute, 5*time.Millisecond)
	require.Len(h.b.t, all, n)
	return all
}

// deferred makes a deferred transfer and lets it end.
func (h *hook) deferred(ref string) {
	h.b.t.Helper()
	got, err := h.b.SendTransfer(h.b.t.Context(), order(ref, nil),
		apiclient.SendOptions{Defer: true, CorrelationID: "corr-" + ref, Permit: h.b.clock.now()})
	require.NoError(h.b.t, err)
	require.Equal(h.b.t, apiclient.StateSubmitted, got.TransferRecord.ProcessingState)
	h.b.pass(2 * time.Second)
}

// notified makes a deferred transfer and returns what was opened: delivery n.
func (h *hook) notified(ref string, n int) *apiclient.Notification {
	h.b.t.Helper()
	h.deferred(ref)
	require.Equal(h.b.t, http.StatusOK, h.waited(n)[n-1])
	got := h.opened[n-1]
	require.Equal(h.b.t, ref, got.DistributorRef())
	require.Equal(h.b.t, "corr-"+ref, got.CorrelationID)
	require.Equal(h.b.t, h.b.clock.now(), got.SignedAt)
	listed := h.b.listed(ref)
	require.Equal(h.b.t, &listed.TransferRecord, got.Response.TransferRecord, "the webhook says what the list says")
	return got
}

// The client opens what the simulator signs, in either order, told which or not.
func TestWebhookInEitherOrder(t *testing.T) {
	t.Parallel()
	for _, told := range []apiclient.SignedOrder{apiclient.OrderAuto, apiclient.OrderTimestampBody, apiclient.OrderBodyTimestamp} {
		for _, signed := range []apiclient.SignedOrder{apiclient.OrderTimestampBody, apiclient.OrderBodyTimestamp} {
			t.Run(fmt.Sprintf("%s, told %s", signed, told), func(t *testing.T) {
				t.Parallel()
				h := newHook(t, func(d *apiclient.WebhookDeps) { d.SignedOrder = told })
				h.b.config(`{"signedOrder":"` + string(signed) + `"}`)
				if told != apiclient.OrderAuto && told != signed {
					h.deferred("R1")
					require.Equal(t, []int{http.StatusUnauthorized}, h.waited(1))
					return
				}
				got := h.notified("R1", 1)
				require.Equal(t, apiclient.StateComplete, got.Response.TransferRecord.ProcessingState)
				require.False(t, got.Encrypted)
			})
		}
	}
}

func TestWebhookWithAnotherPrefix(t *testing.T) {
	t.Parallel()
	h := newHook(t, func(d *apiclient.WebhookDeps) { d.HeaderPrefix = "X-Other-Hook-" })
	h.b.config(`{"webhookHeaderPrefix":"X-Other-Hook-"}`)
	h.notified("R1", 1)
}

// Signing keys rotate: an unknown key is fetched, the old one is still known.
func TestWebhookSigningKeysRotate(t *testing.T) {
	t.Parallel()
	h := newHook(t, nil)
	h.notified("R1", 1)
	h.b.console(http.MethodPost, "webhook-keys", "", nil)
	h.b.pass(time.Minute) // an unknown key makes the client ask again, once a minute
	h.notified("R2", 2)
}

// Payloads are encrypted to the key that was saved last; a webhook still under
// way to the key before opens too, and clearing it ends encryption.
func TestWebhookEncryptionKeysRotate(t *testing.T) {
	t.Parallel()
	before, current := newRSA(t, 2048), newRSA(t, 4096)
	h := newHook(t, func(d *apiclient.WebhookDeps) { d.PrivateKeys = []*rsa.PrivateKey{current, before} })
	for i, key := range []*rsa.PrivateKey{before, current} {
		h.b.config(`{"webhookPublicKey":` + string(marshalled(t, publicPEM(t, key))) + `}`)
		for j, order := range []string{"timestamp-body", "body-timestamp"} {
			h.b.config(`{"signedOrder":"` + order + `"}`)
			n := 2*i + j + 1
			require.True(t, h.notified(fmt.Sprint("R", n), n).Encrypted)
		}
	}
	h.b.config(`{"webhookPublicKey":` + string(marshalled(t, publicPEM(t, newRSA(t, 2048)))) + `}`)
	h.deferred("R5")
	require.Equal(t, http.StatusBadRequest, h.waited(5)[4], "a key the client does not have")
	h.b.config(`{"webhookPublicKey":"","webhookRetries":[]}`)
	require.False(t, h.notified("R6", 6).Encrypted)
}

func newRSA(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	require.NoError(t, err)
	return key
}

func publicPEM(t *testing.T, key *rsa.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// A batch product can be deferred as well: it is notified when its batch ends.
func TestWebhookOfABatchTransfer(t *testing.T) {
	t.Parallel()
	h := newHook(t, nil)
	got, err := h.b.SendTransfer(t.Context(), order("R1", toBatch), apiclient.SendOptions{Defer: true, Permit: h.b.clock.now()})
	require.NoError(t, err)
	require.Equal(t, apiclient.StateSubmitted, got.TransferRecord.ProcessingState)
	h.b.pass(30 * time.Second)
	h.b.reaches("R1", apiclient.StateProcessing)
	require.Empty(t, h.waited(0))
	h.b.pass(5 * time.Second)
	require.Equal(t, []int{http.StatusOK}, h.waited(1))
	require.Equal(t, apiclient.StateComplete, h.opened[0].Response.TransferRecord.ProcessingState)
	require.NotEmpty(t, h.opened[0].CorrelationID, "one that the client made")
}

// A deferred transfer that fails for good is notified as Failed, and costs nothing.
func TestWebhookOfAFailedTransfer(t *testing.T) {
	t.Parallel()
	h := newHook(t, nil)
	h.b.config(`{"deferAttempts":1}`)
	h.b.fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"ProviderError","context":"RechargeNotAllowed"}}`)
	got := h.notified("R1", 1)
	require.Equal(t, apiclient.StateFailed, got.Response.TransferRecord.ProcessingState)
	require.Equal(t, []apiclient.ErrorCode{{Code: apiclient.CodeProviderError, Context: apiclient.ContextRechargeNotAllowed}}, got.Response.ErrorCodes)
	require.Equal(t, apiclient.Decimal("10000"), h.b.balance())
}

// What the simulator forges the client refuses, each with the status that the
// interface recommends; the good delivery after it is opened.
func TestWebhookForgeries(t *testing.T) {
	t.Parallel()
	for mode, status := range map[string]int{"body": 401, "wrong_key": 401, "no_key": 401, "alg": 400, "aim": 200, "order": 200} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			h := newHook(t, nil)
			h.b.fault(`{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_forge","mode":"` + mode + `"}}`)
			h.deferred("R1")
			require.Equal(t, []int{status, 200}, h.waited(2))
			if status != 200 {
				require.Nil(t, h.opened[0])
				return
			}
			// Nobody's signature is on the correlation id, and either order is good.
			require.Equal(t, "R1", h.opened[0].DistributorRef())
		})
	}
	t.Run("too late", func(t *testing.T) {
		t.Parallel()
		h := newHook(t, nil)
		h.b.fault(`{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_late","for":"5m1s"}}`)
		h.deferred("R1")
		require.Equal(t, []int{408}, h.waited(1))
	})
}

// heard waits until the simulator has noted the answer to its one delivery.
func (h *hook) heard() {
	h.b.t.Helper()
	require.Eventually(h.b.t, func() bool {
		var deliveries []struct{ Tries []struct{ Status int } }
		h.b.console(http.MethodGet, "webhooks", "", &deliveries)
		return len(deliveries) == 1 && len(deliveries[0].Tries) == 1
	}, time.Minute, 5*time.Millisecond)
}

// A delivery that is not taken comes again, byte for byte.
func TestWebhookIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	h := newHook(t, nil)
	h.b.fault(`{"match":{"endpoint":"WebhookKeys"},"action":{"kind":"html","status":503},"times":1}`)
	h.deferred("R1")
	require.Equal(t, []int{503}, h.waited(1), "the keys cannot be had now")
	h.heard() // or the wait for the next try would begin after the minute below
	h.b.pass(time.Minute)
	require.Equal(t, []int{503, 200}, h.waited(2))

	h.b.fault(`{"match":{"endpoint":"Webhook"},"action":{"kind":"webhook_duplicate","count":3}}`)
	h.deferred("R2")
	require.Equal(t, []int{503, 200, 200, 200, 200}, h.waited(5))
	digests := map[string]bool{}
	for _, got := range h.opened[2:] {
		require.Equal(t, "R2", got.DistributorRef())
		digests[got.Digest] = true
	}
	require.Len(t, digests, 1)
	var again apiclient.SendTransferResponse
	require.NoError(t, json.Unmarshal(h.opened[4].Body, &again))
	require.Equal(t, h.opened[4].Response, again)
}
