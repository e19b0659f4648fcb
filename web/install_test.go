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
	"airtill/web/static"
)

func TestManifestNamesIconsThatExist(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.browser()
		got := w.do(http.MethodGet, "/manifest.webmanifest", nil, http.Header{"Accept-Language": {"ar"}})
		require.Equal(t, "application/manifest+json", got.Header.Get("Content-Type"))
		var m webManifest
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

func TestWorkerKeepsTheShellAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.signIn(staff.Cashier)
		script := w.get("/worker.js?language=en").body
		line, _, _ := strings.Cut(strings.TrimPrefix(script, "self.till = "), ";\n")
		var facts struct {
			Version, Offline string
			Files            []string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &facts))
		require.Contains(t, facts.Version, static.Hash())
		page := w.get("/sales").page(t)
		for _, selector := range []string{"script[src]", "link[rel=stylesheet]"} {
			for _, node := range page.Find(selector).EachIter() {
				require.Contains(t, facts.Files, node.AttrOr("src", node.AttrOr("href", "")), "the shell is whole")
			}
		}
		for _, file := range facts.Files {
			require.True(t, strings.HasPrefix(file, static.Prefix), file)
		}
		kept := w.get(facts.Offline)
		require.Equal(t, http.StatusOK, kept.StatusCode)
		require.NotContains(t, kept.body, "cashier", "the same for everyone")
		require.NotContains(t, kept.body, "csrf")
	})
}
