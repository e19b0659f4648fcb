package stage

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
)

// NewKeyPair makes the keys of encrypted webhooks, as PEM. They are the one
// thing that does not come from the seed: nothing depends on them.
func NewKeyPair() (private, public string, err error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	own, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	others, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: own})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: others})), nil
}
