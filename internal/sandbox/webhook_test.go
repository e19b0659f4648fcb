package sandbox_test

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
)

// receiver is an agent's webhook endpoint.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	status   int
	received []received
}

type received struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.received = append(r.received, received{header: request.Header, body: body})
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// wait returns what has come once there is so much of it.
func (r *receiver) wait(t *testing.T, n int) []received {
	t.Helper()
	var all []received
	eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		all = append([]received{}, r.received...)
		return len(all) >= n
	})
	require.Len(t, all, n)
	return all
}

// deferred sends a deferred transfer and lets it finish.
func (l *lab) deferred(ref string) {
	l.t.Helper()
	l.send(ref, nil, "X-Options", "DeferTransfer", "X-Correlation-Id", "corr-"+ref).is(l.t, 200, 1, "")
	var now struct{ ClockOffset string }
	require.NoError(l.t, json.Unmarshal(l.must("GET", "/_sandbox/config", "").body, &now))
	offset, err := time.ParseDuration(now.ClockOffset)
	require.NoError(l.t, err)
	l.advance(offset + 2*time.Second)
}

func newHookLab(t *testing.T) (*lab, *receiver) {
	t.Helper()
	l, r := newLab(t), newReceiver(t)
	l.config(`{"limits":false,"webhookUrl":"` + r.URL + `"}`)
	return l, r
}

// keyOf fetches the public key a webhook names.
func (l *lab) keyOf(hook received) *rsa.PublicKey {
	l.t.Helper()
	var set jose.JSONWebKeySet
	require.NoError(l.t, json.Unmarshal(l.must("GET", "/.well-known/webhook-keys", "").body, &set))
	keys := set.Key(hook.header.Get("X-Service-Webhook-Key-Id"))
	require.Len(l.t, keys, 1)
	require.Equal(l.t, "RS256", keys[0].Algorithm)
	require.Equal(l.t, "sig", keys[0].Use)
	key, ok := keys[0].Key.(*rsa.PublicKey)
	require.True(l.t, ok)
	return key
}

// signature takes the signature header apart.
func signature(t *testing.T, hook received) (stamp string, sign []byte) {
	t.Helper()
	stamp, encoded, ok := strings.Cut(hook.header.Get("X-Service-Webhook-Signature"), ",v1=")
	require.True(t, ok)
	stamp, ok = strings.CutPrefix(stamp, "t=")
	require.True(t, ok)
	require.Equal(t, hook.header.Get("X-Service-Webhook-Timestamp"), stamp)
	require.Equal(t, "rs256", hook.header.Get("X-Service-Webhook-Algorithm"))
	sign, err := base64.StdEncoding.Strict().DecodeString(encoded)
	require.NoError(t, err)
	return stamp, sign
}

func verifies(key *rsa.PublicKey, signed string, sign []byte) bool {
	sum := sha256.Sum256([]byte(signed))
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], sign) == nil
}

func TestWebhook_SignedInEitherOrder(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	l.deferred("A")
	hook := r.wait(t, 1)[0]
	stamp, sign := signature(t, hook)
	require.True(t, verifies(l.keyOf(hook), stamp+"."+string(hook.body), sign))
	require.False(t, verifies(l.keyOf(hook), string(hook.body)+"."+stamp, sign))

	l.config(`{"signedOrder":"body-timestamp"}`)
	l.deferred("B")
	hook = r.wait(t, 2)[1]
	stamp, sign = signature(t, hook)
	require.True(t, verifies(l.keyOf(hook), string(hook.body)+"."+stamp, sign))
	require.False(t, verifies(l.keyOf(hook), stamp+"."+string(hook.body), sign))
}

func TestWebhook_SignatureIsGoodForOpenSSL(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	l, r := newHookLab(t)
	l.deferred("A")
	hook := r.wait(t, 1)[0]
	stamp, sign := signature(t, hook)
	public, err := x509.MarshalPKIXPublicKey(l.keyOf(hook))
	require.NoError(t, err)
	dir := t.TempDir()
	files := map[string][]byte{
		"key.pem": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
		"sign":    sign, "good": []byte(stamp + "." + string(hook.body)), "bad": []byte(stamp + "." + string(hook.body) + " "),
	}
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	for name, want := range map[string]bool{"good": true, "bad": false} {
		command := exec.CommandContext(t.Context(), openssl, "dgst", "-sha256", "-verify", "key.pem", "-signature", "sign", name)
		command.Dir = dir
		output, err := command.CombinedOutput()
		require.Equal(t, want, err == nil, "%s: %s", name, output)
	}
}

func TestWebhook_BodyIsTheSendTransferResponse(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	l.deferred("A")
	hook := r.wait(t, 1)[0]
	require.Equal(t, "corr-A", hook.header.Get("X-Correlation-Id"))
	var body result
	require.NoError(t, json.Unmarshal(hook.body, &body))
	require.Equal(t, 1, body.ResultCode)
	require.Equal(t, "Complete", body.TransferRecord.ProcessingState)
	require.Equal(t, l.list("")[0].TransferRecord, body.TransferRecord)
}

func TestWebhook_AFailedTransferIsNotifiedAsFailed(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	l.config(`{"deferAttempts":1}`)
	l.fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"ProviderError","context":"RechargeNotAllowed"}}`)
	l.deferred("A")
	var body result
	require.NoError(t, json.Unmarshal(r.wait(t, 1)[0].body, &body))
	require.Equal(t, 5, body.ResultCode)
	require.Equal(t, "RechargeNotAllowed", body.ErrorCodes[0].Context)
	require.Equal(t, "Failed", body.TransferRecord.ProcessingState)
}

func TestWebhook_HeaderPrefixIsASetting(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	l.config(`{"webhookHeaderPrefix":"X-Other-"}`)
	l.deferred("A")
	hook := r.wait(t, 1)[0]
	for _, name := range []string{"Signature", "Timestamp", "Algorithm", "Key-Id"} {
		require.NotEmpty(t, hook.header.Get("X-Other-"+name))
		require.Empty(t, hook.header.Get("X-Service-Webhook-"+name))
	}
}

func TestWebhook_KeysRotateAndOldOnesStay(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	l.deferred("A")
	old := r.wait(t, 1)[0]
	require.Equal(t, 200, l.must("POST", "/_sandbox/webhook-keys", "").status)
	l.deferred("B")
	next := r.wait(t, 2)[1]
	require.NotEqual(t, old.header.Get("X-Service-Webhook-Key-Id"), next.header.Get("X-Service-Webhook-Key-Id"))
	for _, hook := range []received{old, next} {
		stamp, sign := signature(t, hook)
		require.True(t, verifies(l.keyOf(hook), stamp+"."+string(hook.body), sign))
	}
}

// newKey makes an RSA key, and its public half as JSON text of PEM.
func newKey(t *testing.T, bits int) (private *rsa.PrivateKey, public string) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, bits)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	require.NoError(t, err)
	text, err := json.Marshal(string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})))
	require.NoError(t, err)
	return private, string(text)
}

func TestWebhook_EncryptedOnceAKeyIsSaved(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	private, public := newKey(t, 2048)
	l.config(`{"webhookPublicKey":` + public + `}`)
	l.deferred("A")
	hook := r.wait(t, 1)[0]
	require.Equal(t, "hybrid", hook.header.Get("X-Service-Webhook-Encryption"))
	require.Equal(t, "AES-256-GCM", hook.header.Get("X-Service-Webhook-Data-Algorithm"))
	require.Equal(t, "RSA-OAEP-SHA256", hook.header.Get("X-Service-Webhook-Key-Algorithm"))
	decode := func(text string) []byte {
		data, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		return data
	}
	secret, err := rsa.DecryptOAEP(sha256.New(), nil, private, decode(hook.header.Get("X-Service-Webhook-Encrypted-Key")), nil)
	require.NoError(t, err)
	require.Len(t, secret, 32)
	block, err := aes.NewCipher(secret)
	require.NoError(t, err)
	opener, err := cipher.NewGCM(block)
	require.NoError(t, err)
	plain, err := opener.Open(nil, decode(hook.header.Get("X-Service-Webhook-IV")), decode(string(hook.body)), nil)
	require.NoError(t, err)
	stamp, sign := signature(t, hook)
	require.True(t, verifies(l.keyOf(hook), stamp+"."+string(plain), sign), "the signature is over the plain body")

	l.config(`{"webhookPublicKey":""}`)
	l.deferred("B")
	require.Equal(t, byte('{'), r.wait(t, 2)[1].body[0])
}

func TestWebhook_DeliveryIsRetriedUntilAccepted(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	r.answer(http.StatusInternalServerError)
	l.deferred("A")
	l.tried(1)
	l.advance(13 * time.Second)
	l.tried(2)
	r.answer(http.StatusOK)
	l.advance(80 * time.Second)
	l.tried(3)
	l.advance(24 * time.Hour)
	deliveries := l.webhooks()
	require.Len(t, deliveries, 1)
	require.True(t, deliveries[0].Done)
	require.Equal(t, []int{500, 500, 200}, deliveries[0].statuses())
	r.wait(t, 3)
}

func TestWebhook_DeliveryIsGivenUpAtTheEnd(t *testing.T) {
	t.Parallel()
	l, r := newHookLab(t)
	l.config(`{"webhookRetries":["1s"]}`)
	r.answer(http.StatusBadRequest)
	l.deferred("A")
	l.tried(1)
	l.advance(time.Hour)
	l.tried(2)
	require.True(t, l.webhooks()[0].Done)
	r.wait(t, 2)
	require.Equal(t, []int{400, 400}, l.webhooks()[0].statuses())
}

// webhookLog is an entry of GET /_sandbox/webhooks.
type webhookLog struct {
	Ref   string
	Done  bool
	Tries []struct {
		Status int
		Note   string
		Mode   string
		Error  string
	}
}

func (w webhookLog) statuses() []int {
	var all []int
	for _, try := range w.Tries {
		all = append(all, try.Status)
	}
	return all
}

func (l *lab) webhooks() []webhookLog {
	l.t.Helper()
	var all []webhookLog
	require.NoError(l.t, json.Unmarshal(l.must("GET", "/_sandbox/webhooks", "").body, &all))
	return all
}

// tried waits until the one delivery was tried so often.
func (l *lab) tried(n int) {
	l.t.Helper()
	eventually(l.t, func() bool {
		l.t.Helper()
		all := l.webhooks()
		return len(all) == 1 && len(all[0].Tries) == n
	})
}
