//go:build failpoints

package failpoint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A wall clock that is set wrong leaves the monotonic one alone.
func TestSetWrong(t *testing.T) {
	t.Parallel()
	now := time.Now()
	wrong := setWrong(now, -600)
	require.Equal(t, now.Unix()-600, wrong.Unix())
	require.Equal(t, now.Nanosecond(), wrong.Nanosecond())
	require.Zero(t, wrong.Sub(now), "nothing has passed")
	require.Equal(t, 10*time.Minute, now.Round(0).Sub(wrong.Round(0)))
}
