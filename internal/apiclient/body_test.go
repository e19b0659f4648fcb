package apiclient

import (
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func content(t *testing.T, b *body) string {
	t.Helper()
	data, err := io.ReadAll(&b.reader)
	require.NoError(t, err)
	return string(data)
}

func TestBodyLeavesOnce(t *testing.T) {
	t.Parallel()
	b := &body{data: []byte("{}")}
	require.Empty(t, content(t, b), "empty until the headers are written")
	b.leave()
	require.Equal(t, "{}", content(t, b))
	require.False(t, b.seal())
	b.leave()
	require.Empty(t, content(t, b), "a second request finds nothing")
}

func TestSealedBodyNeverLeaves(t *testing.T) {
	t.Parallel()
	b := &body{data: []byte("{}")}
	require.True(t, b.seal())
	require.True(t, b.seal())
	b.leave()
	require.Empty(t, content(t, b))
}

func TestRefusedBodyNeverLeaves(t *testing.T) {
	t.Parallel()
	late, asked := errors.New("late"), 0
	b := &body{data: []byte("{}"), fence: func() error { asked++; return late }}
	b.leave()
	b.leave()
	require.Equal(t, 1, asked)
	require.True(t, b.seal())
	require.Empty(t, content(t, b))
	require.Equal(t, late, b.refusal)
}

func TestBodyLeavesOrIsSealedNeverBoth(t *testing.T) {
	t.Parallel()
	for range 1000 {
		b := &body{data: []byte("{}")}
		var sealed bool
		var group sync.WaitGroup
		group.Go(b.leave)
		group.Go(func() { sealed = b.seal() })
		group.Wait()
		require.Equal(t, sealed, content(t, b) == "")
	}
}
