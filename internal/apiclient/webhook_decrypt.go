package apiclient

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"strings"
	"time"
)

// errDecrypt is every failure to decrypt: a sender must not learn which.
const errDecrypt = "the body cannot be decrypted"

// decrypt returns the body as signed (INTERFACE.md, Optional payload
// encryption). A body without an encryption header is plain.
func (w *Webhook) decrypt(
	ctx context.Context, header http.Header, body []byte,
) (plain []byte, encrypted bool, err error) {
	if len(header.Values(w.prefix+"Encryption")) == 0 {
		return body, false, nil
	}
	var values [5]string
	for i, name := range []string{"Encryption", "Data-Algorithm", "Key-Algorithm", "Encrypted-Key", "IV"} {
		if values[i], err = w.once(header, name); err != nil {
			return nil, true, sealed()
		}
	}
	sealedKey, keyErr := strictBase64(values[3])
	iv, ivErr := strictBase64(values[4])
	ciphertext, bodyErr := strictBase64(strings.TrimSpace(string(body)))
	if values[0] != "hybrid" || values[1] != "AES-256-GCM" || values[2] != "RSA-OAEP-SHA256" ||
		errors.Join(keyErr, ivErr, bodyErr) != nil || len(iv) != 12 {
		return nil, true, sealed()
	}
	if err := w.turn(ctx); err != nil {
		return nil, true, err
	}
	defer func() { <-w.opening }()
	for _, private := range w.private {
		if plain, err := unseal(private, sealedKey, iv, ciphertext); err == nil {
			return plain, true, nil
		}
	}
	return nil, true, sealed()
}

func sealed() error {
	return &WebhookError{Status: http.StatusBadRequest, Reason: WebhookSealed, Err: errors.New(errDecrypt)}
}

// turnWithin is how long a body waits to be decrypted.
const turnWithin = time.Second

// turn waits for a turn to decrypt. Using a private key costs a thousand times what a forger spends, so only a
// part of the machine may do it.
func (w *Webhook) turn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, turnWithin)
	defer cancel()
	select {
	case w.opening <- struct{}{}:
		return nil
	case <-ctx.Done():
		return &WebhookError{Status: http.StatusServiceUnavailable, Reason: WebhookBusy, Err: ctx.Err()}
	}
}

// unseal decrypts with one private key. The authentication tag follows the ciphertext, as it has no header of
// its own.
func unseal(private *rsa.PrivateKey, sealedKey, iv, sealed []byte) ([]byte, error) {
	key, err := rsa.DecryptOAEP(sha256.New(), nil, private, sealedKey, nil)
	if err != nil {
		return nil, err
	}
	if len(key) != 32 {
		return nil, errors.New("not an AES-256 key")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return gcm.Open(nil, iv, sealed, nil)
}

// ParsePrivateKeys reads the RSA private keys of a PEM file, PKCS #1 or PKCS #8: the current one, then its
// predecessor. It fails if there is none, or one of another kind.
func ParsePrivateKeys(data []byte) ([]*rsa.PrivateKey, error) {
	var keys []*rsa.PrivateKey
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		key, err := parsePrivateKey(block)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("no PEM private key")
	}
	return keys, nil
}

func parsePrivateKey(block *pem.Block) (*rsa.PrivateKey, error) {
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("unreadable private key")
	}
	if private, isRSA := key.(*rsa.PrivateKey); isRSA {
		return private, nil
	}
	return nil, errors.New("the private key is not RSA")
}
