//go:build e2e

package e2e

import (
	"io"
	"math"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// paintsWithin is how many milliseconds longer than a line of text a page may take from its last byte until
	// something of it is to be seen. Both are loaded in turn, up to so many times, and the quickest of each counts:
	// what the page itself waits for delays all of its loads, and what else the machine has to do some of both.
	paintsWithin = 100.0
	paintLoads   = 20

	// blockingBytes is how much, compressed, may come before the first paint besides the page.
	blockingBytes = 35_000
)

// painted is what a page's first paint waited for.
type painted struct {
	After    float64  // milliseconds from the page's last byte
	Blocking []string // the addresses of what the browser does not paint without
	Others   []string // what is loaded from elsewhere, or is a typeface
}

const askPainted = `(() => {
	const loaded = performance.getEntriesByType("resource");
	return {
		After: performance.getEntriesByName("first-contentful-paint")[0].startTime - performance.getEntriesByType("navigation")[0].responseEnd,
		Blocking: loaded.filter((e) => e.renderBlockingStatus === "blocking").map((e) => e.name).sort(),
		Others: loaded.filter((e) => new URL(e.name).origin !== location.origin || /\.(woff2?|[ot]tf)$/.test(e.name)).map((e) => e.name),
	};
})()`

// paintsAtOnce holds a page to a first paint that waits for one stylesheet and one script
// of our own and no more, both of which the browser has kept.
func (b *browser) paintsAtOnce(v screen) {
	b.t.Helper()
	bare, whole := math.Inf(1), math.Inf(1)
	var got painted
	for loads := 0; loads < paintLoads && (loads == 0 || whole-bare > paintsWithin); loads++ {
		bare = min(bare, b.painted("/readyz").After)
		got = b.painted(v.path)
		whole = min(whole, got.After)
	}
	require.Len(b.t, got.Blocking, 2, "%s waits for %s", v.name, got.Blocking)
	require.Regexp(b.t, `/static/app-[^/]+\.css$`, got.Blocking[0], v.name)
	require.Regexp(b.t, `/static/vendor/htmx\.min-[^/]+\.js$`, got.Blocking[1], v.name)
	require.Empty(b.t, got.Others, v.name)
	bytes := compressed(b.t, got.Blocking[0]) + compressed(b.t, got.Blocking[1])
	b.t.Logf("%s: %d bytes besides the page, first paint %.0f ms after it, of a line of text %.0f", v.name, bytes, whole, bare)
	require.LessOrEqual(b.t, bytes, blockingBytes, v.name)
	require.LessOrEqual(b.t, whole-bare, paintsWithin, v.name)
}

func (b *browser) painted(path string) painted {
	b.t.Helper()
	b.open(path)
	b.until("the first paint", `performance.getEntriesByName("first-contentful-paint").length`)
	return asks[painted](b, askPainted)
}

// compressed is how many bytes a file takes over the wire. A browser's own count is of what
// its worker has unpacked.
func compressed(t testing.TB, address string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	r.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, "gzip", response.Header.Get("Content-Encoding"), address)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return len(body)
}
