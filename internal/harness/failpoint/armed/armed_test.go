//go:build unix

package armed

import (
	"os/exec"
	"strings"
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

// Nobody can crash, or lie to, a program that was not built for it.
func TestOnlyABuildWithFailpointsIsArmed(t *testing.T) {
	t.Parallel()
	holds := func(tags, program string) bool {
		list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tags, "airtill/cmd/"+program).Output()
		require.NoError(t, err)
		return strings.Contains(string(list), "airtill/internal/harness/failpoint/armed\n")
	}
	for _, program := range []string{"web", "sandbox"} {
		require.True(t, holds("nomsgpack,failpoints", program))
		require.False(t, holds("nomsgpack", program))
	}
}
