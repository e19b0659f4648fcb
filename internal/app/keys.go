package app

import (
	"crypto/hkdf"
	"crypto/sha256"
)

// derived makes a key for a purpose of another: one secret less to look after.
func derived(secret, purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(secret), nil, purpose, sha256.Size)
}

// The purposes of derived keys. A new vault key only makes known numbers unknown.
const (
	rememberedNumbers  = "airtill remembered numbers"
	numbersInAddresses = "airtill numbers in addresses"
	auditTrail         = "airtill audit trail"
)
