package sandbox

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// hook is a webhook on its way out.
type hook struct {
	body        []byte
	at          time.Time
	correlation string
	key         signingKey

	payload []byte // what is posted: the body, or its ciphertext
	headers http.Header
}

// sign fills in payload and headers, section Events: RSA PKCS#1 v1.5 with
// SHA-256 over the plain body and the timestamp, in either order.
func (h *hook) sign(config Config) error {
	stamp := strconv.FormatInt(h.at.Unix(), 10)
	signed := append([]byte(stamp+"."), h.body...)
	if config.SignedOrder == "body-timestamp" {
		signed = append(append([]byte{}, h.body...), "."+stamp...)
	}
	sum := sha256.Sum256(signed)
	signature, err := rsa.SignPKCS1v15(rand.Reader, h.key.private, crypto.SHA256, sum[:])
	if err != nil {
		return fmt.Errorf("sign webhook: %w", err)
	}
	prefix := config.WebhookHeaderPrefix
	h.payload, h.headers = h.body, http.Header{}
	h.headers.Set("Content-Type", "application/json")
	h.headers.Set(prefix+"Signature", "t="+stamp+",v1="+base64.StdEncoding.EncodeToString(signature))
	h.headers.Set(prefix+"Timestamp", stamp)
	h.headers.Set(prefix+"Algorithm", "rs256")
	h.headers.Set(prefix+"Key-Id", h.key.id)
	if h.correlation != "" {
		h.headers.Set("X-Correlation-Id", h.correlation)
	}
	if config.WebhookPublicKey == "" {
		return nil
	}
	return h.encrypt(config)
}

// encrypt seals the payload: a fresh AES-256-GCM key for each webhook, itself
// encrypted with RSA-OAEP-SHA256. The body is the base64 of the ciphertext
// followed by the tag.
func (h *hook) encrypt(config Config) error {
	public, err := publicKey(config.WebhookPublicKey)
	if err != nil {
		return fmt.Errorf("encrypt webhook: %w", err)
	}
	secret, iv := make([]byte, 32), make([]byte, 12)
	_, _ = rand.Read(secret) // crypto/rand never fails
	_, _ = rand.Read(iv)
	block, err := aes.NewCipher(secret)
	if err != nil {
		return fmt.Errorf("encrypt webhook: %w", err)
	}
	sealer, err := cipher.NewGCM(block)
	if err != nil {
		return fmt.Errorf("encrypt webhook: %w", err)
	}
	sealedKey, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, public, secret, nil)
	if err != nil {
		return fmt.Errorf("encrypt webhook: %w", err)
	}
	base := base64.StdEncoding
	h.payload = []byte(base.EncodeToString(sealer.Seal(nil, iv, h.body, nil)))
	h.headers.Set("Content-Type", "text/plain")
	prefix := config.WebhookHeaderPrefix
	h.headers.Set(prefix+"Encryption", "hybrid")
	h.headers.Set(prefix+"Data-Algorithm", "AES-256-GCM")
	h.headers.Set(prefix+"Key-Algorithm", "RSA-OAEP-SHA256")
	h.headers.Set(prefix+"Encrypted-Key", base.EncodeToString(sealedKey))
	h.headers.Set(prefix+"IV", base.EncodeToString(iv))
	return nil
}

// stranger returns a key nobody knows, for forgeries.
func (k *keyring) stranger() (*rsa.PrivateKey, error) {
	keys, err := k.set("stranger")
	if err != nil {
		return nil, err
	}
	return keys[0].private, nil
}
