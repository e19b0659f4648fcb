package frame

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPublicURLMustKeepSessionsSecret(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"https://till.example": true, "https://till.example:8443/": true, "http://127.0.0.1:8080": true, "http://localhost": true, "http://[::1]:8080": true,
		"http://till.example": false, "http://10.0.0.1": false, "": false, "till.example": false, "https://till.example/path": false, "ftp://localhost": false, "http://localhost.evil.example": false,
	} {
		_, err := publicAddress(address)
		require.Equal(t, ok, err == nil, "%s: %v", address, err)
	}
}
