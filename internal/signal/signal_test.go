package signal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/signal"
)

func TestOneChannelHearsOfSeveralTopics(t *testing.T) {
	t.Parallel()
	bus := signal.NewMemory()
	hints, cancel := bus.Subscribe("till", "shop")
	heard := func() bool {
		select {
		case <-hints:
			return true
		default:
			return false
		}
	}
	bus.Publish(t.Context(), "till")
	require.True(t, heard())
	bus.Publish(t.Context(), "shop")
	bus.Publish(t.Context(), "till")
	require.True(t, heard())
	require.False(t, heard(), "several hints are one")
	bus.Publish(t.Context(), "another")
	require.False(t, heard())
	cancel()
	bus.Publish(t.Context(), "shop")
	require.False(t, heard())
}
