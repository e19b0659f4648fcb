package sales

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Letters tell numbers apart; hyphens, spaces, "+" and capitals do not.
func TestNumbersAreComparedWithTheirLetters(t *testing.T) {
	t.Parallel()
	require.True(t, SameNumber("+353 87 123 4567", "353871234567"))
	require.True(t, SameNumber("123456-123456", "123456123456"))
	require.True(t, SameNumber("gb12345678", "GB-12345678"))
	require.False(t, SameNumber("GB12345678", "IE12345678"))
	require.False(t, SameNumber("P123456789", "123456789"))
}
