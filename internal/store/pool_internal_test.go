package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAPoolIsAsSmallAsTheAddressAllows: a role may be allowed fewer connections than the till takes by itself.
func TestAPoolIsAsSmallAsTheAddressAllows(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]int32{
		"postgres://till@db/till?pool_max_conns=8":   8,
		"postgres://till@db/till?pool_max_conns=200": 200,
		"postgres://till@db/till?pool_max_conns=1":   postgresFewest,
	} {
		config, err := postgresConfig(address)
		require.NoError(t, err)
		require.Equal(t, want, config.MaxConns, address)
	}
	config, err := postgresConfig("postgres://till@db/till")
	require.NoError(t, err)
	require.GreaterOrEqual(t, config.MaxConns, int32(postgresConns))
}
