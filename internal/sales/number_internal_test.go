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

	require.True(t, isTestNumber("AB0000003", "AB0000000"))
	require.True(t, isTestNumber("353000000005", "+353 000 000 000"))
	require.False(t, isTestNumber("CD0000003", "AB0000000"))
	require.False(t, isTestNumber("0000003", "AB0000000"))

	for number, fine := range map[string]bool{"353871234567": true, "GB12345678": true, "123456-123456": true, "": false, "+353": false, "12 34": false, "-12": false, "12--34": false, "٣٤٥٦٧": false} {
		require.Equal(t, fine, accountNumber.MatchString(number), number)
	}
}
