package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// NoSerial marks a sealed receipt known to have no serial.
const NoSerial = "-"

// serialKey derives the key for hashing serials from a vault key, so that a copy of the database alone does
// not allow trying them all.
func serialKey(vaultKey []byte) []byte { return keyed(vaultKey, "serial") }

func hashSerial(key []byte, serial string) string { return hex.EncodeToString(keyed(key, serial)) }

func keyed(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(text)) // a hash never fails
	return mac.Sum(nil)
}

// plainSerial is a serial for comparison: people leave out its dashes.
func plainSerial(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// SerialHash is what a sale stores of its PIN's serial, "" without a receipt.
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

// SerialHashes are the hashes a searched serial may be stored under: by the vault's key, or by an older one.
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
