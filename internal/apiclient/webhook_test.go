package apiclient_test

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// Making RSA keys is slow, so the tests share a few.
var (
	signingKey    = sync.OnceValue(func() *rsa.PrivateKey { return newRSA(2048) })
	otherKey      = sync.OnceValue(func() *rsa.PrivateKey { return newRSA(2048) })
	encryptionKey = sync.OnceValue(func() *rsa.PrivateKey { return newRSA(2048) })
)

func newRSA(bits int) *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return key
}

type webhookBench struct {
	*apiclient.Webhook
	clock *clock
	keys  *keyServer
}

func newWebhookBench(t *testing.T, change ...func(*apiclient.WebhookDeps)) *webhookBench {
	t.Helper()
	b := &webhookBench{clock: newClock(), keys: newKeyServer(t, publicKey("k1", signingKey()))}
	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: b.keys.URL, Now: b.clock.now})
	require.NoError(t, err)
	t.Cleanup(keys.Close)
	deps := apiclient.WebhookDeps{Keys: keys}
	for _, c := range change {
		c(&deps)
	}
	b.Webhook, err = apiclient.NewWebhook(deps)
	require.NoError(t, err)
	return b
}

const prefix = apiclient.DefaultWebhookHeaderPrefix

// signed returns the headers of a webhook whose signed text is join(t, body).
func (b *webhookBench) signed(t *testing.T, body string, join func(at, body string) string) http.Header {
	t.Helper()
	at := strconv.FormatInt(b.clock.now().Unix(), 10)
	sum := sha256.Sum256([]byte(join(at, body)))
	value, err := rsa.SignPKCS1v15(rand.Reader, signingKey(), crypto.SHA256, sum[:])
	require.NoError(t, err)
	h := http.Header{}
	h.Set(prefix+"Signature", "t="+at+",v1="+base64.StdEncoding.EncodeToString(value))
	h.Set(prefix+"Timestamp", at)
	h.Set(prefix+"Algorithm", "rs256")
	h.Set(prefix+"Key-Id", "k1")
	return h
}

func timestampBody(at, body string) string { return at + "." + body }
func bodyTimestamp(at, body string) string { return body + "." + at }

func (b *webhookBench) open(t *testing.T, h http.Header, body string) (*apiclient.Notification, error) {
	t.Helper()
	return b.Open(t.Context(), h, []byte(body), b.clock.now())
}

func requireStatus(t *testing.T, err error, status int) apiclient.WebhookError {
	t.Helper()
	var refused *apiclient.WebhookError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, status, refused.Status, err)
	return *refused
}

func TestWebhookOpensInEitherOrder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		order apiclient.SignedOrder
		join  func(at, body string) string
		opens bool
	}{
		"auto, timestamp first":  {apiclient.OrderAuto, timestampBody, true},
		"auto, body first":       {"", bodyTimestamp, true},
		"fixed, timestamp first": {apiclient.OrderTimestampBody, timestampBody, true},
		"fixed, body first":      {apiclient.OrderBodyTimestamp, bodyTimestamp, true},
		"the other one":          {apiclient.OrderTimestampBody, bodyTimestamp, false},
		"the other one, too":     {apiclient.OrderBodyTimestamp, timestampBody, false},
		"neither":                {apiclient.OrderAuto, func(at, body string) string { return body + at }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newWebhookBench(t, func(d *apiclient.WebhookDeps) { d.SignedOrder = test.order })
			h := b.signed(t, completeAnswer, test.join)
			h.Set("X-Correlation-Id", "C1")
			got, err := b.open(t, h, completeAnswer)
			if !test.opens {
				requireStatus(t, err, 401)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "R1", got.DistributorRef())
			require.Equal(t, "C1", got.CorrelationID)
			require.True(t, bytes.Equal([]byte(completeAnswer), got.Body), "byte for byte")
			require.Equal(t, b.clock.now(), got.SignedAt)
			require.Len(t, got.Digest, 64)
			require.Equal(t, apiclient.StateComplete, got.Response.TransferRecord.ProcessingState)
		})
	}
}

func TestWebhookRefuses(t *testing.T) {
	t.Parallel()
	set := func(name, value string) func(http.Header) {
		return func(h http.Header) { h.Set(prefix+name, value) }
	}
	signature := func(change func(string) string) func(http.Header) {
		return func(h http.Header) { h.Set(prefix+"Signature", change(h.Get(prefix+"Signature"))) }
	}
	replace := func(old, by string) func(http.Header) {
		return signature(func(s string) string { return strings.Replace(s, old, by, 1) })
	}
	for name, test := range map[string]struct {
		change func(http.Header)
		status int
	}{
		"no signature":          {func(h http.Header) { h.Del(prefix + "Signature") }, 400},
		"no timestamp":          {func(h http.Header) { h.Del(prefix + "Timestamp") }, 400},
		"no algorithm":          {func(h http.Header) { h.Del(prefix + "Algorithm") }, 400},
		"no key id":             {func(h http.Header) { h.Del(prefix + "Key-Id") }, 400},
		"two signatures":        {func(h http.Header) { h.Add(prefix+"Signature", h.Get(prefix+"Signature")) }, 400},
		"two key ids":           {func(h http.Header) { h.Add(prefix+"Key-Id", "k2") }, 400},
		"algorithm none":        {set("Algorithm", "none"), 400},
		"algorithm in capitals": {set("Algorithm", "RS256"), 400},
		"algorithm hs256":       {set("Algorithm", "hs256"), 400},
		"an empty key id":       {set("Key-Id", ""), 400},
		"a key id without end":  {set("Key-Id", strings.Repeat("k", 257)), 400},
		"an unknown key id":     {set("Key-Id", "k2"), 401},
		"another timestamp":     {set("Timestamp", "1772366401"), 400},
		"a signed timestamp":    {replace("t=", "t=+"), 400},
		"a leading zero":        {func(h http.Header) { replace("t=", "t=0")(h); set("Timestamp", "0"+h.Get(prefix+"Timestamp"))(h) }, 400},
		"no v1":                 {replace("v1=", "v2="), 400},
		"the wrong way round":   {signature(func(s string) string { t, v, _ := strings.Cut(s, ","); return v + "," + t }), 400},
		"base64url":             {signature(func(s string) string { return s[:20] + "-_" + s[22:] }), 400},
		"no padding":            {signature(func(s string) string { return strings.TrimRight(s, "=") }), 400},
		"bits behind the end": {signature(func(s string) string {
			last := len(s) - len("x==") // its low four bits belong to no byte
			const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
			return s[:last] + alphabet[strings.IndexByte(alphabet, s[last])+1:][:1] + "=="
		}), 400},
		"an empty signature":       {signature(func(s string) string { return s[:strings.Index(s, "v1=")+3] }), 400},
		"a foreign signature":      {signature(func(s string) string { return s[:20] + flip(s[20:21]) + s[21:] }), 401},
		"a cut signature":          {signature(func(s string) string { return s[:len(s)-4] }), 401},
		"encrypted without a key":  {set("Encryption", "hybrid"), 400},
		"another prefix, all same": {func(h http.Header) { rename(h, prefix, "X-Other-") }, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newWebhookBench(t)
			h := b.signed(t, completeAnswer, timestampBody)
			test.change(h)
			got, err := b.open(t, h, completeAnswer)
			require.Nil(t, got)
			require.False(t, requireStatus(t, err, test.status).Verified)
		})
	}
}

func flip(letter string) string {
	if letter == "A" {
		return "B"
	}
	return "A"
}

func rename(h http.Header, from, to string) {
	for name, values := range h {
		if rest, ours := strings.CutPrefix(name, from); ours {
			delete(h, name)
			h[http.CanonicalHeaderKey(to+rest)] = values
		}
	}
}

func TestWebhookPrefixIsConfiguration(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t, func(d *apiclient.WebhookDeps) { d.HeaderPrefix = "X-Other-" })
	h := b.signed(t, completeAnswer, timestampBody)
	rename(h, prefix, "X-Other-")
	_, err := b.open(t, h, completeAnswer)
	require.NoError(t, err)
}

// Even the service's own signature does not make these bodies good.
func TestWebhookBodyRules(t *testing.T) {
	t.Parallel()
	for body, opens := range map[string]bool{
		completeAnswer: true, " \r\n" + completeAnswer + "\t\n": true, `{"ResultCode":3}`: true,
		"": false, "[]": false, "7{}": false, "{}7": false, `"x"`: false, "{": false, "{}": false, `{"ResultCode":0}`: false, "{x}": false,
		"{" + strings.Repeat(" ", apiclient.MaxWebhookBody) + completeAnswer[1:]: false,
	} {
		b := newWebhookBench(t)
		_, err := b.open(t, b.signed(t, body, timestampBody), body)
		if opens {
			require.NoError(t, err, body)
		} else {
			requireStatus(t, err, 400)
		}
	}
	// The rule is held before the signature is looked at.
	b := newWebhookBench(t)
	for _, body := range []string{"[]", "7{}", "{}7", ""} {
		_, err := b.open(t, b.signed(t, completeAnswer, timestampBody), body)
		requireStatus(t, err, 400)
	}
}

// A body signed in one order can never be read as another body in the other.
func TestWebhookOrdersCannotBeSwapped(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t)
	at := strconv.FormatInt(b.clock.now().Unix(), 10)
	// Signed as body.timestamp; presented as timestamp.body with the parts moved.
	inner := at + `.{"ResultCode":1}`
	h := b.signed(t, inner, bodyTimestamp)
	_, err := b.open(t, h, `{"ResultCode":1}.`+at)
	requireStatus(t, err, 400)
	_, err = b.open(t, h, inner)
	requireStatus(t, err, 400)
}

func TestWebhookLateIsAHint(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{5*time.Minute + time.Second, -5*time.Minute - time.Second} {
		b := newWebhookBench(t)
		h := b.signed(t, completeAnswer, timestampBody)
		b.clock.advance(off)
		got, err := b.open(t, h, completeAnswer)
		require.Nil(t, got)
		refused := requireStatus(t, err, 408)
		require.True(t, refused.Verified)
		require.Equal(t, "R1", refused.DistributorRef)

		_, err = b.open(t, h, strings.Replace(completeAnswer, "R1", "R2", 1))
		refused = requireStatus(t, err, 408)
		require.False(t, refused.Verified)
		require.Empty(t, refused.DistributorRef)
	}
	b := newWebhookBench(t)
	h := b.signed(t, completeAnswer, timestampBody)
	b.clock.advance(5 * time.Minute)
	_, err := b.open(t, h, completeAnswer)
	require.NoError(t, err)
}

// encrypt does what INTERFACE.md says of the sender.
func encrypt(t *testing.T, h http.Header, body string, to *rsa.PublicKey) string {
	t.Helper()
	return encryptBy(t, h, body, to, 32)
}

// encryptBy encrypts with an AES key of so many bytes.
func encryptBy(t *testing.T, h http.Header, body string, to *rsa.PublicKey, size int) string {
	t.Helper()
	secret := make([]byte, size+12)
	_, err := rand.Read(secret)
	require.NoError(t, err)
	sealedKey, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, to, secret[:size], nil)
	require.NoError(t, err)
	block, err := aes.NewCipher(secret[:size])
	require.NoError(t, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(t, err)
	h.Set(prefix+"Encryption", "hybrid")
	h.Set(prefix+"Data-Algorithm", "AES-256-GCM")
	h.Set(prefix+"Key-Algorithm", "RSA-OAEP-SHA256")
	h.Set(prefix+"Encrypted-Key", base64.StdEncoding.EncodeToString(sealedKey))
	h.Set(prefix+"IV", base64.StdEncoding.EncodeToString(secret[size:]))
	return base64.StdEncoding.EncodeToString(gcm.Seal(nil, secret[size:], []byte(body), nil))
}

func TestWebhookDecryptsWithCurrentAndPreviousKey(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t, func(d *apiclient.WebhookDeps) {
		d.PrivateKeys = []*rsa.PrivateKey{encryptionKey(), otherKey()}
	})
	for _, to := range []*rsa.PrivateKey{encryptionKey(), otherKey()} {
		h := b.signed(t, completeAnswer, bodyTimestamp)
		got, err := b.open(t, h, encrypt(t, h, completeAnswer, &to.PublicKey))
		require.NoError(t, err)
		require.True(t, got.Encrypted)
		require.True(t, bytes.Equal([]byte(completeAnswer), got.Body), "byte for byte")
	}
	h := b.signed(t, completeAnswer, bodyTimestamp)
	sealed := encrypt(t, h, completeAnswer, &signingKey().PublicKey)
	_, err := b.open(t, h, sealed)
	requireStatus(t, err, 400)
	sealed = encryptBy(t, h, completeAnswer, &encryptionKey().PublicKey, 16)
	_, err = b.open(t, h, sealed)
	requireStatus(t, err, 400)
	sealed = encrypt(t, h, completeAnswer, &encryptionKey().PublicKey)
	_, err = b.open(t, h, sealed[:8]+"\r\n"+sealed[8:])
	requireStatus(t, err, 400)
}

func TestWebhookDecryptionFailuresAreAlike(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t, func(d *apiclient.WebhookDeps) { d.PrivateKeys = []*rsa.PrivateKey{encryptionKey()} })
	change := func(name string, by func(string) string) func(http.Header, *string) {
		return func(h http.Header, _ *string) { h.Set(prefix+name, by(h.Get(prefix+name))) }
	}
	broken := func(s string) string { return flip(s[:1]) + s[1:] }
	becomes := func(s string) func(string) string { return func(string) string { return s } }
	texts := map[string]bool{}
	for name, spoil := range map[string]func(http.Header, *string){
		"scheme": change("Encryption", becomes("none")), "data algorithm": change("Data-Algorithm", becomes("AES-256-CBC")),
		"key algorithm": change("Key-Algorithm", becomes("RSA1_5")), "key": change("Encrypted-Key", broken),
		"key encoding": change("Encrypted-Key", becomes("%")), "iv": change("IV", broken), "short iv": change("IV", becomes("AAAA")),
		"body":          func(_ http.Header, body *string) { *body = broken(*body) },
		"body encoding": func(_ http.Header, body *string) { *body = completeAnswer },
		"tag":           func(_ http.Header, body *string) { *body = (*body)[:len(*body)-8] },
		"no iv":         func(h http.Header, _ *string) { h.Del(prefix + "IV") },
		"two keys":      func(h http.Header, _ *string) { h.Add(prefix+"Encrypted-Key", "AAAA") },
	} {
		h := b.signed(t, completeAnswer, timestampBody)
		body := encrypt(t, h, completeAnswer, &encryptionKey().PublicKey)
		spoil(h, &body)
		_, err := b.open(t, h, body)
		requireStatus(t, err, 400)
		texts[err.Error()] = true
		require.Len(t, texts, 1, name)
	}
}
