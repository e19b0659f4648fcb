package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// NoSerial marks a sealed receipt that has been looked through and has none.
const NoSerial = "-"

// serialKey derives the key that serials are hashed under from a vault key, so
// that a copy of the database alone cannot try them all out.
func serialKey(vaultKey []byte) []byte {
	mac := hmac.New(sha256.New, vaultKey)
	_, _ = mac.Write([]byte("serial")) // a hash never fails
	return mac.Sum(nil)
}

func hashSerial(key []byte, serial string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(serial)) // a hash never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// plainSerial is a serial as it is compared: people leave out its dashes.
func plainSerial(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// SerialHash is what a sale keeps of its PIN's serial, "" without a receipt.
func (v *Vault) SerialHash(r Receipt) string {
	serial := plainSerial(r.Params["serial"])
	switch {
	case r.Empty():
		return ""
	case serial == "":
		return NoSerial
	}
	return hashSerial(v.serials[v.current], serial)
}

// SerialHashes are what a searched serial may be kept as: under the vault's key,
// or under one that it is taking over from.
func (v *Vault) SerialHashes(search string) []string {
	serial := plainSerial(search)
	if serial == "" {
		return nil
	}
	hashes := make([]string, 0, len(v.serials))
	for _, key := range v.serials {
		hashes = append(hashes, hashSerial(key, serial))
	}
	return hashes
}
