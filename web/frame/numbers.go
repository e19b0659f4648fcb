package frame

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"airtill/internal/apiclient"
)

// Numbers seals what people type of a customer before it stands in an address: histories,
// proxies and whoever looks at the screen see addresses. What is sealed opens for as long
// as a session lasts, in every process of the till.
type Numbers struct {
	aead cipher.AEAD
	now  func() time.Time
}

const (
	sealedMark  = "~" // begins what is sealed, and no number
	sealedFor   = 8 * time.Hour
	sealedBound = "an address"
	stampLength = 4
)

// NewNumbers returns Numbers that seal with a key of 32 bytes.
func NewNumbers(key []byte, now func() time.Time) (*Numbers, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Numbers{aead: aead, now: now}, err
}

// Seal makes a text fit for an address. What vouchers are sold to is nobody's and stays.
func (n *Numbers) Seal(text string) string {
	if text == "" || text == AnyVoucher || text == apiclient.DefaultPINAccountNumber ||
		strings.HasPrefix(text, sealedMark) {
		return text
	}
	minutes := uint32(n.now().Unix() / 60) // until the year 10136
	stamped := append(binary.BigEndian.AppendUint32(nil, minutes), text...)
	sealed := n.aead.Seal(nil, nil, stamped, []byte(sealedBound)) //nolint:gosec // the nonce is random and within
	return sealedMark + base64.RawURLEncoding.EncodeToString(sealed)
}

// Open returns what was sealed; "" if that was too long ago or not here. A text that is
// not sealed is itself: the counter may be asked for a number by its address.
func (n *Numbers) Open(text string) string {
	coded, is := strings.CutPrefix(text, sealedMark)
	if !is {
		return text
	}
	sealed, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil {
		return ""
	}
	plain, err := n.aead.Open(nil, nil, sealed, []byte(sealedBound))
	if err != nil || len(plain) < stampLength {
		return ""
	}
	at := time.Unix(int64(binary.BigEndian.Uint32(plain))*60, 0)
	if n.now().Sub(at) > sealedFor {
		return ""
	}
	return string(plain[stampLength:])
}
