package limit_test

import (
	"testing"

	"airtill/internal/harness/apptest"
	"airtill/internal/store"
)

type world struct{ *apptest.World }

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	return &world{apptest.New(t, db)}
}
