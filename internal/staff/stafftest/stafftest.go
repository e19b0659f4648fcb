// Package stafftest has what tests with people in them are built with.
package stafftest

import "github.com/alexedwards/argon2id"

// Hashing is the cost of a password in a test whose point is elsewhere: a thousandth of
// a real one, which takes longer than most tests.
func Hashing() *argon2id.Params {
	return &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}
