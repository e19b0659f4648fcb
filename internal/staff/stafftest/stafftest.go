// Package stafftest has what tests with people in them are built with.
package stafftest

import (
	"crypto/ecdsa"
	"crypto/x509"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/descope/virtualwebauthn"
	"github.com/stretchr/testify/require"
)

// Hashing is the cost of a password in a test whose point is elsewhere: a thousandth of
// a real one, which takes longer than most tests.
func Hashing() *argon2id.Params {
	return &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// NewPasskey is a passkey of a virtual device. virtualwebauthn leaves out zeros at the
// beginning of a coordinate, which no device does, so that one key in 128 would be refused.
func NewPasskey(t testing.TB) virtualwebauthn.Credential {
	t.Helper()
	for {
		made := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		parsed, err := x509.ParsePKCS8PrivateKey(made.Key.Data)
		require.NoError(t, err)
		public, err := parsed.(*ecdsa.PrivateKey).PublicKey.Bytes() // 4, then both coordinates at full length
		require.NoError(t, err)
		if public[1] != 0 && public[33] != 0 {
			return made
		}
	}
}
