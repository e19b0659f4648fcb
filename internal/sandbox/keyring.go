package sandbox

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// keptKeys is how many webhook keys stay in the set after a rotation.
const keptKeys = 3

// signingKey is an RSA key with its id.
type signingKey struct {
	id      string
	private *rsa.PrivateKey
}

// keyring holds the keys of tokens, of webhooks and of a forger, newest first. They are
// made when first needed, because that takes a while, and kept in the data
// directory. Without one, all simulators of a process begin with the same.
type keyring struct {
	mu        sync.Mutex
	directory string // "": memory
	sets      map[string][]signingKey
}

func newKeyring(data string) *keyring {
	if data == Memory {
		data = ""
	}
	return &keyring{directory: data, sets: map[string][]signingKey{}}
}

func (k *keyring) tokens() ([]signingKey, error) { return k.set("token") }
func (k *keyring) hooks() ([]signingKey, error)  { return k.set("webhook") }

// set returns the keys of a purpose: those in memory, those in the file, or a
// new one.
func (k *keyring) set(purpose string) ([]signingKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.sets[purpose]) == 0 {
		if err := k.load(purpose); err != nil {
			return nil, err
		}
	}
	if len(k.sets[purpose]) == 0 {
		if err := k.add(purpose); err != nil {
			return nil, err
		}
	}
	return k.sets[purpose], nil
}

// inMemory is what every keyring without a directory begins with: a test starts a
// simulator in a millisecond, and a key takes fifty.
var inMemory = map[string]func() (*rsa.PrivateKey, error){
	"token": sync.OnceValues(generate), "webhook": sync.OnceValues(generate), "stranger": sync.OnceValues(generate),
}

func generate() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) }

// rotate makes a new webhook key the one that signs.
func (k *keyring) rotate() (string, error) {
	if _, err := k.hooks(); err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.add("webhook"); err != nil {
		return "", err
	}
	return k.sets["webhook"][0].id, nil
}

func (k *keyring) add(purpose string) error {
	fresh := generate
	if k.directory == "" && len(k.sets[purpose]) == 0 {
		fresh = inMemory[purpose]
	}
	private, err := fresh()
	if err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	keys := append([]signingKey{newSigningKey(private)}, k.sets[purpose]...)
	keys = keys[:min(len(keys), keptKeys)]
	if err := k.save(purpose, keys); err != nil {
		return err
	}
	k.sets[purpose] = keys
	return nil
}

func newSigningKey(private *rsa.PrivateKey) signingKey {
	sum := sha256.Sum256(private.N.Bytes())
	return signingKey{id: base64.RawURLEncoding.EncodeToString(sum[:12]), private: private}
}

func (k *keyring) path(purpose string) string {
	return filepath.Join(k.directory, purpose+"-keys.pem")
}

func (k *keyring) load(purpose string) error {
	if k.directory == "" {
		return nil
	}
	rest, err := os.ReadFile(k.path(purpose))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read keys: %w", err)
	}
	var keys []signingKey
	for block, rest := pem.Decode(rest); block != nil; block, rest = pem.Decode(rest) {
		private, err := x509.ParsePKCS1PrivateKey(block.Bytes)
		if err != nil {
			return fmt.Errorf("read keys: %w", err)
		}
		keys = append(keys, newSigningKey(private))
	}
	k.sets[purpose] = keys
	return nil
}

func (k *keyring) save(purpose string, keys []signingKey) error {
	if k.directory == "" {
		return nil
	}
	var file []byte
	for _, key := range keys {
		file = append(file, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key.private)})...)
	}
	if err := os.WriteFile(k.path(purpose), file, 0o600); err != nil {
		return fmt.Errorf("save keys: %w", err)
	}
	return nil
}
