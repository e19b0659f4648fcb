package machine

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/web/frame"
)

func TestNothingIsTransparent(t *testing.T) {
	t.Parallel()
	drawn, err := png.Decode(bytes.NewReader([]byte(Nothing)))
	require.NoError(t, err)
	require.Equal(t, color.NRGBA{}, drawn.At(0, 0))
	require.Empty(t, frame.LogoURL(&catalog.Provider{Code: "X"}))
}
