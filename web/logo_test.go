package web

import (
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/logo"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/machine"
)

func TestLogoOfASimulatedProvider(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newMarket(t, db)
		provider, known := c.server.D.Catalog.Current().Provider("LUIE")
		require.True(t, known)
		address, _, _ := strings.Cut(strings.TrimPrefix(provider.LogoURL, "http://"), "/")
		c.server.D.Logos = logo.New(logo.Deps{DB: c.db, Now: c.clock, Log: c.server.D.Log, Simulator: address})
		w := c.signIn(staff.Cashier)
		got := w.get(frame.LogoURL(provider))
		require.Equal(t, "image/png", got.Header.Get("Content-Type"))
		require.Equal(t, "private, max-age=86400", got.Header.Get("Cache-Control"))
		drawn, err := png.Decode(strings.NewReader(got.body))
		require.NoError(t, err)
		require.Equal(t, logo.Side, drawn.Bounds().Dx())

		none := w.get("/logos/NOBODY")
		require.Equal(t, machine.Nothing, none.body, "letters show instead")
		require.Equal(t, "private, max-age=3600", none.Header.Get("Cache-Control"))
		require.Equal(t, http.StatusSeeOther, c.browser().get("/logos/LUIE").StatusCode)
	})
}
