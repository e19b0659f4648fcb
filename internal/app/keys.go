package app

import (
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"strings"
)

// derived makes a key for a purpose of another: one secret less to look after.
func derived(secret, purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(secret), nil, purpose, sha256.Size)
}

// numbersKey is derived from the vault's first key, as a file with that one alone has it: an older key may leave the
// file, and a remark come in.
func (b *Books) numbersKey(purpose string) ([]byte, error) {
	text, err := b.vaultKey()
	if err != nil {
		return nil, err
	}
	lines := keyLines(text)
	if len(lines) == 0 {
		return nil, errors.New("vault key: the file has no key")
	}
	return derived(lines[0]+"\n", purpose)
}

// keyLines are the lines with a key, the one that seals first.
func keyLines(file string) (lines []string) {
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// The purposes of derived keys. A new vault key only makes known numbers unknown.
const (
	rememberedNumbers  = "airtill remembered numbers"
	numbersInAddresses = "airtill numbers in addresses"
	auditTrail         = "airtill audit trail"
)
