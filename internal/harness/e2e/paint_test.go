//go:build e2e

package e2e

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// blockingBytes is how much, compressed, may come before the first paint besides the page.
const blockingBytes = 35_000

// painted is what a page's first paint waited for.
type painted struct {
	Blocking []string // the addresses of what the browser does not paint without
	Others   []string // what is loaded from elsewhere, or is a typeface
}

const askPainted = `(() => {
	const loaded = performance.getEntriesByType("resource");
	return {
		Blocking: loaded.filter((e) => e.renderBlockingStatus === "blocking").map((e) => e.name).sort(),
		Others: loaded.filter((e) => new URL(e.name).origin !== location.origin || /\.(woff2?|[ot]tf)$/.test(e.name)).map((e) => e.name),
	};
})()`

// paintsAtOnce holds a page to a first paint that waits for one stylesheet and one script
// of our own and no more, both of which the browser has kept. What it waits for is counted,
// not how long: that depends on what else the machine has to do.
func (b *browser) paintsAtOnce(v screen) {
	b.t.Helper()
	b.open(v.path)
	b.until("the first paint", `performance.getEntriesByName("first-contentful-paint").length`)
	got := asks[painted](b, askPainted)
	require.Len(b.t, got.Blocking, 2, "%s waits for %s", v.name, got.Blocking)
	require.Regexp(b.t, `/static/app-[^/]+\.css$`, got.Blocking[0], v.name)
	require.Regexp(b.t, `/static/vendor/htmx\.min-[^/]+\.js$`, got.Blocking[1], v.name)
	require.Empty(b.t, got.Others, v.name)
	bytes := compressed(b.t, got.Blocking[0]) + compressed(b.t, got.Blocking[1])
	b.t.Logf("%s: %d bytes besides the page before the first paint", v.name, bytes)
	require.LessOrEqual(b.t, bytes, blockingBytes, v.name)
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
