package web

import (
	"encoding/json"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/machine"
	"airtill/web/static"
)

func TestManifestNamesIconsThatExist(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.browser()
		got := w.do(http.MethodGet, "/manifest.webmanifest", nil, http.Header{"Accept-Language": {"ar"}})
		require.Equal(t, "application/manifest+json", got.Header.Get("Content-Type"))
		var m machine.WebManifest
		require.NoError(t, json.Unmarshal([]byte(got.body), &m))
		require.Equal(t, "rtl", m.Dir)
		require.Equal(t, "standalone", m.Display)
		purposes := map[string]bool{}
		for _, icon := range m.Icons {
			file := w.get(icon.Source)
			require.Equal(t, http.StatusOK, file.StatusCode, icon.Source)
			require.Equal(t, icon.Type, file.Header.Get("Content-Type"))
			purposes[icon.Purpose] = true
			if icon.Type != "image/png" {
				continue
			}
			picture, err := png.DecodeConfig(strings.NewReader(file.body))
			require.NoError(t, err)
			require.Equal(t, icon.Sizes, strconv.Itoa(picture.Width)+"x"+strconv.Itoa(picture.Height))
		}
		require.Equal(t, map[string]bool{"any": true, "maskable": true}, purposes)
	})
}

// Another worker script would take the place of the first under pages that are
// on their way: it must not depend on who asks, or in which language.
func TestWorkerIsTheSameForEveryone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		script := b.browser().get("/worker.js").body
		require.NotEmpty(t, script)
		require.NotContains(t, script, "skipWaiting")
		arabic := b.signIn(staff.Cashier).do(http.MethodGet, "/worker.js", nil, http.Header{"Accept-Language": {"ar"}})
		require.Equal(t, script, arabic.body)
	})
}

func TestPageWithoutConnectionNeedsWhatEveryPageHas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.signIn(staff.Cashier)
		const parts = "script[src], link[rel=stylesheet], link[rel=icon]"
		var shell []string
		for _, node := range w.get("/sales").page(t).Find(parts).EachIter() {
			shell = append(shell, node.AttrOr("src", node.AttrOr("href", "")))
		}
		kept := w.get(frame.OfflinePath)
		require.Equal(t, http.StatusOK, kept.StatusCode)
		require.NotContains(t, kept.body, "cashier", "the same for everyone")
		require.NotContains(t, kept.body, "csrf")
		for _, node := range kept.page(t).Find(parts).EachIter() {
			require.Contains(t, shell, node.AttrOr("src", node.AttrOr("href", "")))
		}
		for _, file := range shell {
			require.True(t, strings.HasPrefix(file, static.Prefix), file)
		}
	})
}
