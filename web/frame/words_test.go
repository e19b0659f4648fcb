package frame

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
)

// TestEveryResourceHasAName: one that is new is listed without one otherwise.
func TestEveryResourceHasAName(t *testing.T) {
	t.Parallel()
	for _, r := range catalog.Resources() {
		require.NotEmpty(t, resourceNames[r], r)
	}
}
