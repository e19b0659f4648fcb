package static_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/web/static"
)

func get(t *testing.T, url, encoding string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	request.Header.Set("Accept-Encoding", encoding)
	recorder := httptest.NewRecorder()
	static.Handler().ServeHTTP(recorder, request)
	return recorder
}

func TestFilesAreServedForAYearUnderTheirHash(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{
		"receipt.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8",
		"vendor/htmx.min.js": "text/javascript; charset=utf-8", "flags/ie.svg": "image/svg+xml",
	} {
		response := get(t, static.URL(name), "")
		require.Equal(t, http.StatusOK, response.Code, name)
		require.Equal(t, kind, response.Header().Get("Content-Type"))
		require.Equal(t, "public, max-age=31536000, immutable", response.Header().Get("Cache-Control"))
		require.Equal(t, "nosniff", response.Header().Get("X-Content-Type-Options"))
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, file, body)
		sum := sha256.Sum256(file)
		require.Contains(t, static.URL(name), "-"+hex.EncodeToString(sum[:4])+".")
	}
}

func TestCompressed(t *testing.T) {
	t.Parallel()
	response := get(t, static.URL("app.js"), "br, gzip")
	require.Equal(t, "gzip", response.Header().Get("Content-Encoding"))
	require.Equal(t, "Accept-Encoding", response.Header().Get("Vary"))
	reader, err := gzip.NewReader(response.Body)
	require.NoError(t, err)
	body, err := io.ReadAll(reader)
	require.NoError(t, err)
	file, err := os.ReadFile("app.js")
	require.NoError(t, err)
	require.True(t, bytes.Equal(file, body))
}

func TestOnlyWhoTakesGzipGetsIt(t *testing.T) {
	t.Parallel()
	for encoding, taken := range map[string]bool{
		"gzip": true, "GZIP": true, "br , gzip;q=0.5": true, "gzip; q=1.000": true, "gzip;q=0.001": true,
		"": false, "identity": false, "gzip;q=0": false, "br, gzip; Q=0.000": false, "x-gzipped": false, "br;gzip=1": false,
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		request.Header.Set("Accept-Encoding", encoding)
		require.Equal(t, taken, static.TakesGzip(request), encoding)
		require.Equal(t, taken, get(t, static.URL("app.js"), encoding).Header().Get("Content-Encoding") == "gzip", encoding)
	}
}

// TestAnotherVersionsFile, as one process is asked for it by a page of another, is this version's, which nobody keeps
// in its place.
func TestAnotherVersionsFile(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/static/app-00000000.css", "/static/flags/ie-00000000.svg"} {
		response := get(t, path, "gzip")
		require.Equal(t, http.StatusOK, response.Code, path)
		require.Equal(t, "no-store", response.Header().Get("Cache-Control"))
		require.Equal(t, "*", response.Header().Get("Vary"))
		own := get(t, static.URL(strings.Replace(strings.TrimPrefix(path, static.Prefix), "-00000000", "", 1)), "gzip")
		require.Equal(t, own.Body.Bytes(), response.Body.Bytes())
	}
}

func TestOnlyHashedPathsExist(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"/static/app.css", "/static/", "/static/none-00000000.css", "/static/css/ground.css", "/static/static.go", "/static/CHECKSUMS",
		"/static/../static.go", "/static/flags/", "/static/vendor/LICENSE-htmx.txt",
	} {
		require.Equal(t, http.StatusNotFound, get(t, path, "").Code, path)
	}
}

// TestEveryPartIsInTheStylesheet: a part left out of the list would be missing on
// the screen only.
func TestEveryPartIsInTheStylesheet(t *testing.T) {
	t.Parallel()
	sheet, err := io.ReadAll(get(t, static.URL("app.css"), "").Body)
	require.NoError(t, err)
	parts, err := filepath.Glob("css/*.css")
	require.NoError(t, err)
	require.Greater(t, len(parts), 5)
	for _, name := range parts {
		part, err := os.ReadFile(filepath.Clean(name))
		require.NoError(t, err)
		require.Contains(t, string(sheet), string(part), name)
	}
	require.Contains(t, string(sheet[:400]), "@layer tokens, elements, shell, parts, screens, overrides;")
}

func TestFlag(t *testing.T) {
	t.Parallel()
	require.Equal(t, static.URL("flags/ie.svg"), static.Flag("IE"))
	require.Empty(t, static.Flag("XG"))
	require.Empty(t, static.Flag("../app"))
	require.Panics(t, func() { static.URL("no such file") })
}

// TestVendoredFilesAreUnaltered compares every vendored file with CHECKSUMS.
func TestVendoredFilesAreUnaltered(t *testing.T) {
	t.Parallel()
	list, err := os.Open("CHECKSUMS")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, list.Close()) })
	known := map[string]bool{}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		require.True(t, ok, lines.Text())
		file, err := os.ReadFile(filepath.Clean(name))
		require.NoError(t, err)
		own := sha256.Sum256(file)
		require.Equal(t, sum, hex.EncodeToString(own[:]), name)
		known[name] = true
	}
	for _, pattern := range []string{"vendor/*.js", "flags/*.svg"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			require.True(t, known[name], "%s is not in CHECKSUMS", name)
		}
	}
}

// TestFlagsRunNothing: a flag is a drawing and nothing else.
func TestFlagsRunNothing(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`(?i)<script|<foreignObject|\son[a-z]+=|javascript:|href="http`)
	files, err := filepath.Glob("flags/*.svg")
	require.NoError(t, err)
	for _, name := range files {
		file, err := os.ReadFile(filepath.Clean(name))
		require.NoError(t, err)
		require.False(t, forbidden.Match(file), name)
	}
}
