package pieces

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/a-h/templ"
	templruntime "github.com/a-h/templ/runtime"
	"github.com/stretchr/testify/require"
)

// text is a component of a text.
func text(html string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, html)
		return err
	})
}

func piece(t *testing.T, html string) *Piece {
	t.Helper()
	p, err := Draw(t.Context(), text(html))
	require.NoError(t, err)
	return p
}

// render renders components one after another, as a page's template does.
func render(t *testing.T, all ...templ.Component) *Page {
	t.Helper()
	var page Page
	buffer, _ := templruntime.GetBuffer(&page)
	for _, c := range all {
		require.NoError(t, c.Render(t.Context(), buffer))
	}
	require.NoError(t, templruntime.ReleaseBuffer(buffer))
	return &page
}

// unzip reads a gzip stream to its end and its check sum.
func unzip(t *testing.T, zipped []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	require.NoError(t, err)
	r.Multistream(false) // browsers read the first and no more
	html, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return string(html)
}

// both are the page as it is sent plain and compressed.
func both(t *testing.T, p *Page) (plain, zipped string) {
	t.Helper()
	var as, z bytes.Buffer
	p.Plain(&as)
	require.NoError(t, p.Zipped(&z))
	require.Equal(t, p.Len(), as.Len())
	return as.String(), unzip(t, z.Bytes())
}

func TestAPageIsWhatWasRendered(t *testing.T) {
	word := strings.Repeat("<b>one</b>", 300)
	for name, all := range map[string][]templ.Component{
		"nothing":                {},
		"no piece":               {text(word)},
		"a piece alone":          {piece(t, word)},
		"a piece first":          {piece(t, word), text("after")},
		"a piece last":           {text("before"), piece(t, word)},
		"pieces side by side":    {text("before"), piece(t, word), piece(t, "two"), text("after")},
		"the same piece twice":   {piece(t, word), text(word), piece(t, word), text(word)},
		"an empty piece":         {text("before"), piece(t, ""), text("after")},
		"no piece where one may": {text("before"), (*Piece)(nil), text("after")},
	} {
		t.Run(name, func(t *testing.T) {
			var want strings.Builder
			for _, c := range all {
				require.NoError(t, c.Render(t.Context(), &want))
			}
			plain, zipped := both(t, render(t, all...))
			require.Equal(t, want.String(), plain)
			require.Equal(t, want.String(), zipped)
		})
	}
}

func TestAnyPageIsWhatWasRendered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tale := strings.Repeat("<li class=card>Top-up 10</li><li>Data 2 GB, 30 days</li>", 2000)
	for range 300 {
		var all []templ.Component
		want := ""
		for range random.IntN(8) {
			from := random.IntN(1000)
			html := tale[from : from+random.IntN(1+random.IntN(len(tale)-from))]
			want += html
			if random.IntN(2) == 0 {
				all = append(all, piece(t, html))
			} else {
				all = append(all, text(html))
			}
		}
		plain, zipped := both(t, render(t, all...))
		require.Equal(t, want, plain)
		require.Equal(t, want, zipped)
	}
}

func TestAPageIsEmptyAgain(t *testing.T) {
	page := render(t, text("a"), piece(t, "b"))
	page.Reset()
	require.Zero(t, page.Len())
	plain, zipped := both(t, page)
	require.Empty(t, plain)
	require.Empty(t, zipped)
}

func TestAPieceIsDrawnOnceForEachKey(t *testing.T) {
	var kept Kept[string]
	drawn := 0
	counted := func(html string) templ.Component {
		return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
			drawn++
			return text(html).Render(ctx, w)
		})
	}
	for range 3 {
		var out strings.Builder
		require.NoError(t, kept.For("en", counted("Keys")).Render(t.Context(), &out))
		require.NoError(t, kept.For("fr", counted("Touches")).Render(t.Context(), &out))
		require.Equal(t, "KeysTouches", out.String())
	}
	require.Equal(t, 2, drawn)
}

func TestWhatCannotBeDrawnIsNotKept(t *testing.T) {
	var kept Kept[string]
	broken := templ.ComponentFunc(func(context.Context, io.Writer) error { return io.ErrUnexpectedEOF })
	require.ErrorIs(t, kept.For("en", broken).Render(t.Context(), io.Discard), io.ErrUnexpectedEOF)
	var out strings.Builder
	require.NoError(t, kept.For("en", text("Keys")).Render(t.Context(), &out))
	require.Equal(t, "Keys", out.String())
}
