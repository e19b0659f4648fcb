package apiclient_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// openssl runs the openssl command in a directory of its own.
type openssl struct{ dir string }

func newOpenSSL(t *testing.T) openssl {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	return openssl{t.TempDir()}
}

func (o openssl) run(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "openssl", args...)
	cmd.Dir = o.dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func (o openssl) write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, name), []byte(content), 0o600))
}

func (o openssl) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.dir, name))
	require.NoError(t, err)
	return data
}

func (o openssl) key(t *testing.T, name string) *rsa.PrivateKey {
	t.Helper()
	o.run(t, "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", name)
	o.run(t, "pkey", "-in", name, "-pubout", "-out", name+".pub")
	keys, err := apiclient.ParsePrivateKeys(o.read(t, name))
	require.NoError(t, err)
	return keys[0]
}

// What openssl signs and encrypts, Webhook opens: both sides of the procedure
// were not written by the same hand.
func TestWebhookFromOpenSSL(t *testing.T) {
	t.Parallel()
	o := newOpenSSL(t)
	signer, receiver := o.key(t, "signer"), o.key(t, "receiver")
	b := newWebhookBench(t, func(d *apiclient.WebhookDeps) { d.PrivateKeys = []*rsa.PrivateKey{receiver} })
	b.keys.set(t, publicKey("openssl", signer))
	at := strconv.FormatInt(b.clock.now().Unix(), 10)

	for _, join := range []func(at, body string) string{timestampBody, bodyTimestamp} {
		o.write(t, "signed", join(at, completeAnswer))
		o.run(t, "dgst", "-sha256", "-sign", "signer", "-out", "signature", "signed")
		o.run(t, "dgst", "-sha256", "-verify", "signer.pub", "-signature", "signature", "signed")
		h := http.Header{}
		h.Set(prefix+"Signature", "t="+at+",v1="+base64.StdEncoding.EncodeToString(o.read(t, "signature")))
		h.Set(prefix+"Timestamp", at)
		h.Set(prefix+"Algorithm", "rs256")
		h.Set(prefix+"Key-Id", "openssl")
		_, err := b.open(t, h, completeAnswer)
		require.NoError(t, err)
		_, err = b.open(t, h, completeAnswer+" ")
		requireStatus(t, err, 401)

		got, err := b.open(t, h, o.encrypt(t, h, completeAnswer))
		require.NoError(t, err)
		require.True(t, got.Encrypted)
	}
}

// encrypt seals the AES key with openssl; its enc command has no GCM, so the
// body is sealed here.
func (o openssl) encrypt(t *testing.T, h http.Header, body string) string {
	t.Helper()
	o.run(t, "rand", "-out", "aes", "32")
	o.run(t, "pkeyutl", "-encrypt", "-pubin", "-inkey", "receiver.pub", "-in", "aes", "-out", "aes.sealed",
		"-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt", "rsa_oaep_md:sha256", "-pkeyopt", "rsa_mgf1_md:sha256")
	block, err := aes.NewCipher(o.read(t, "aes"))
	require.NoError(t, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(t, err)
	iv := make([]byte, 12) // a fresh key each time, so a fixed one harms nothing here
	h.Set(prefix+"Encryption", "hybrid")
	h.Set(prefix+"Data-Algorithm", "AES-256-GCM")
	h.Set(prefix+"Key-Algorithm", "RSA-OAEP-SHA256")
	h.Set(prefix+"Encrypted-Key", base64.StdEncoding.EncodeToString(o.read(t, "aes.sealed")))
	h.Set(prefix+"IV", base64.StdEncoding.EncodeToString(iv))
	return base64.StdEncoding.EncodeToString(gcm.Seal(nil, iv, []byte(body), nil))
}
