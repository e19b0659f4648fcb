package staff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

// TestAnAppIsSetUpWithinHalfAnHour: what was begun and left may be known to whoever found the screen open.
func TestAnAppIsSetUpWithinHalfAnHour(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Manager)
		by := proved(b, nora)
		begun := func() phone {
			second, err := b.Second(t.Context(), nora)
			require.NoError(t, err)
			return phone{b, second.Secret}
		}
		require.NoError(t, b.BeginSecond(t.Context(), by))
		left := begun()
		b.pass(29 * time.Minute)
		require.Equal(t, left, begun())
		b.pass(2 * time.Minute)
		require.Empty(t, begun().secret)
		_, _, err := b.ConfirmSecond(t.Context(), by, password, left.code(), "192.0.2.1")
		require.Equal(t, "code.wrong", codeOf(err))

		require.NoError(t, b.BeginSecond(t.Context(), by))
		require.NotEqual(t, left, begun())
		_, _, err = b.ConfirmSecond(t.Context(), by, password, left.code(), "192.0.2.1")
		require.Equal(t, "code.wrong", codeOf(err))
		_, _, err = b.ConfirmSecond(t.Context(), by, password, begun().code(), "192.0.2.1")
		require.NoError(t, err)
	})
}
