// Package vault seals what is as good as cash: PINs, and whatever else the upstream writes for a customer. It
// knows sales by their ids only.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"airtill/internal/apiclient"
)

// Vault seals ReceiptText and ReceiptParams, which may hold a PIN. Each seal has a key of its own, wrapped by
// the vault's key, and is bound to its sale: moved to another row, it does not open.
type Vault struct {
	current string
	keys    map[string]cipher.AEAD
	serials map[string][]byte // for hashing serials, by the same ids
}

const keyBytes = 32

// New makes a vault from the text of a key file: one key per line, written "<id>:<64 hex digits>"; the first
// seals, the others only open. No two have one id.
func New(keyFile string) (*Vault, error) {
	v := &Vault{keys: map[string]cipher.AEAD{}, serials: map[string][]byte{}}
	for line := range strings.Lines(keyFile) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, digits, _ := strings.Cut(line, ":")
		key, err := hex.DecodeString(digits)
		if err != nil || len(key) != keyBytes || id == "" {
			return nil, errors.New("vault key: each line must be <id>:<64 hex digits>")
		}
		if strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			return nil, errors.New("vault key: the name of a key contains an invisible character; save the file " +
				"as plain text without a byte order mark")
		}
		if v.keys[id] != nil { // each seal names its key: one of them would open nothing any more
			return nil, fmt.Errorf("vault key: two keys are called %q; give the newer one another id", id)
		}
		if v.keys[id], err = newAEAD(key); err != nil {
			return nil, err
		}
		v.serials[id] = serialKey(key)
		if v.current == "" {
			v.current = id
		}
	}
	if v.current == "" {
		return nil, errors.New("vault key: the file has no key")
	}
	return v, nil
}

// Current is the id of the key that seals.
func (v *Vault) Current() string { return v.current }

// NewKey returns the text of a key file with one fresh key.
func NewKey() string {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	return "k1:" + hex.EncodeToString(key) + "\n"
}

// Receipt is what the upstream wrote for the customer.
type Receipt struct {
	Text   string            `json:"text,omitempty"`
	Params map[string]string `json:"params,omitempty"`

	// Secret says that reading it redeems the purchase, so it is as good as cash: all of it, since providers
	// write the code into the text or under any key.
	Secret bool `json:"-"`
}

// PIN is the voucher's PIN, "" if there is none.
func (r Receipt) PIN() string { return r.Params["pin"] }

// paramsByName are the keys of ReceiptParams that pages and papers know by name.
var paramsByName = []string{"pin", "serial", "expiry", "token", "units", apiclient.ParamProviderRef}

// OtherParams returns the names of all other keys, in order.
func (r Receipt) OtherParams() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Params)), func(name string) bool {
		return slices.Contains(paramsByName, name)
	})
}

// Empty says whether there is nothing to seal.
func (r Receipt) Empty() bool { return r.Text == "" && len(r.Params) == 0 }

type sealed struct {
	Key  string `json:"k"` // id of the vault key
	Wrap string `json:"w"` // the data key, sealed with it
	Data string `json:"d"`
}

// Seal encrypts a receipt for a sale. An empty receipt seals to "".
func (v *Vault) Seal(saleID string, r Receipt) (string, error) {
	if r.Empty() {
		return "", nil
	}
	plain, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("seal receipt: %w", err)
	}
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	data, err := newAEAD(key)
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(sealed{
		Key: v.current, Wrap: seal(v.keys[v.current], key, saleID+"/key"), Data: seal(data, plain, saleID+"/receipt"),
	})
	return string(out), err
}

// Open decrypts what Seal returned for the same sale.
func (v *Vault) Open(saleID, text string) (Receipt, error) {
	if text == "" {
		return Receipt{}, nil
	}
	var s sealed
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return Receipt{}, errors.New("open receipt: not sealed by this program")
	}
	wrap, ok := v.keys[s.Key]
	if !ok {
		return Receipt{}, fmt.Errorf("open receipt: vault key %q is not in the key file", s.Key)
	}
	key, err := open(wrap, s.Wrap, saleID+"/key")
	if err != nil {
		return Receipt{}, fmt.Errorf("open receipt key: %w", err)
	}
	data, err := newAEAD(key)
	if err != nil {
		return Receipt{}, err
	}
	plain, err := open(data, s.Data, saleID+"/receipt")
	if err != nil {
		return Receipt{}, fmt.Errorf("open receipt: %w", err)
	}
	var r Receipt
	return r, json.Unmarshal(plain, &r)
}

// Rewrap seals a sealed text's data key under the vault's first key, unless it already is. The text itself is
// not opened.
func (v *Vault) Rewrap(saleID, text string) (fresh string, changed bool, err error) {
	var s sealed
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return text, false, errors.New("rewrap: not sealed by this program")
	}
	if s.Key == v.current {
		return text, false, nil
	}
	old, ok := v.keys[s.Key]
	if !ok {
		return text, false, fmt.Errorf("rewrap: vault key %q is not in the key file", s.Key)
	}
	key, err := open(old, s.Wrap, saleID+"/key")
	if err != nil {
		return text, false, fmt.Errorf("rewrap: %w", err)
	}
	s.Key, s.Wrap = v.current, seal(v.keys[v.current], key, saleID+"/key")
	out, err := json.Marshal(s)
	return string(out), true, err
}

// Hint is what may be shown of a PIN without opening it: its last four characters, if that is less than half
// of it.
func Hint(pin string) string {
	characters := []rune(pin)
	if len(characters) <= 8 {
		return ""
	}
	return string(characters[len(characters)-4:])
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("vault key: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func seal(a cipher.AEAD, plain []byte, bound string) string {
	sealed := a.Seal(nil, nil, plain, []byte(bound)) //nolint:gosec // the AEAD draws a nonce of its own each time
	return base64.StdEncoding.EncodeToString(sealed)
}

func open(a cipher.AEAD, text, bound string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return a.Open(nil, nil, raw, []byte(bound))
}
