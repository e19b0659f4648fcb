package templates_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
	"github.com/stretchr/testify/require"
)

// galleryDir is where TestGallery leaves the pages, to be looked at.
var galleryDir = flag.String("gallery", "", "write every page in every state into this folder")

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, c.Render(t.Context(), &b))
	return b.String()
}

func parse(t *testing.T, html string) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	require.NoError(t, err)
	return doc
}

// TestGallery writes the pages for the eye when -gallery names a folder.
func TestGallery(t *testing.T) {
	t.Parallel()
	if *galleryDir == "" {
		t.Skip("no -gallery folder given")
	}
	for _, tag := range []string{"en-IE", "ar"} {
		for _, page := range gallery(inLanguage(tag)) {
			file := filepath.Join(*galleryDir, tag, page.name+".html")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
			require.NoError(t, os.WriteFile(file, []byte(render(t, page.component)), 0o600))
		}
	}
}

func TestEveryPageIsSound(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"en-IE", "ar"} {
		for _, page := range gallery(inLanguage(tag)) {
			t.Run(tag+"/"+page.name, func(t *testing.T) {
				t.Parallel()
				html := render(t, page.component)
				doc := parse(t, html)
				requireDocument(t, doc, tag)
				requirePolicy(t, doc, html)
				requireNames(t, doc)
				requireReferences(t, doc)
				if !page.bare {
					require.Equal(t, 1, doc.Find("header nav[aria-label]").Length())
				}
			})
		}
	}
}

// requireDocument checks what makes a page a page.
func requireDocument(t *testing.T, doc *goquery.Document, tag string) {
	t.Helper()
	root := doc.Find("html")
	require.Equal(t, tag, root.AttrOr("lang", ""))
	require.Equal(t, map[string]string{"en-IE": "ltr", "ar": "rtl"}[tag], root.AttrOr("dir", ""))
	require.Equal(t, 1, doc.Find("h1").Length(), "one h1")
	require.NotEmpty(t, strings.TrimSpace(doc.Find("h1").Text()))
	require.Equal(t, 1, doc.Find("main").Length())
	require.NotEmpty(t, strings.TrimSpace(doc.Find("title").Text()))
}

// requirePolicy checks that the page keeps to a Content-Security-Policy of own
// files alone, and that hostile text stayed text.
func requirePolicy(t *testing.T, doc *goquery.Document, html string) {
	t.Helper()
	require.Zero(t, doc.Find("style, [style], iframe, object, embed, base").Length())
	doc.Find("script").Each(func(_ int, s *goquery.Selection) {
		require.True(t, strings.HasPrefix(s.AttrOr("src", ""), "/static/"), "a script of our own")
		require.Empty(t, s.Text())
	})
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, a := range s.Nodes[0].Attr {
			require.False(t, strings.HasPrefix(a.Key, "on"), "%s has a handler %s", s.Nodes[0].Data, a.Key)
			require.False(t, strings.HasPrefix(a.Key, "hx-on"), a.Key)
			require.NotContains(t, strings.ToLower(a.Val), "javascript:", a.Key)
		}
	})
	require.Zero(t, doc.Find(`img[src="x"]`).Length())
	require.NotContains(t, html, "<script>")
	require.NotContains(t, html, "<img src=x")
}

// requireNames checks that everything one can use says what it is.
func requireNames(t *testing.T, doc *goquery.Document) {
	t.Helper()
	doc.Find(`input:not([type="hidden"]), select, textarea`).Each(func(_ int, s *goquery.Selection) {
		id := s.AttrOr("id", "")
		labelled := s.AttrOr("aria-label", "") != "" || s.Closest("label").Length() == 1
		if id != "" {
			labelled = labelled || doc.Find("label").FilterFunction(func(_ int, l *goquery.Selection) bool { return l.AttrOr("for", "") == id }).Length() == 1
		}
		require.True(t, labelled, "a label for %s", s.AttrOr("name", "?"))
	})
	doc.Find("a[href], button").Each(func(_ int, s *goquery.Selection) {
		require.NotEmpty(t, name(s), "a name for %s", s.AttrOr("href", s.AttrOr("class", "")))
	})
	doc.Find("img").Each(func(_ int, s *goquery.Selection) {
		_, ok := s.Attr("alt")
		require.True(t, ok)
		require.NotEmpty(t, s.AttrOr("width", ""), "a size, so that nothing moves while it loads")
	})
	doc.Find("svg").Each(func(_ int, s *goquery.Selection) {
		if role := s.AttrOr("role", ""); role == "img" || role == "group" {
			require.NotEmpty(t, s.AttrOr("aria-label", ""), "what the picture shows")
		} else {
			require.Equal(t, "true", s.AttrOr("aria-hidden", ""))
		}
		require.NotZero(t, s.Children().Length(), "the icon %s is drawn", s.AttrOr("class", ""))
	})
	doc.Find("form[method=post]").Each(func(_ int, s *goquery.Selection) {
		require.NotEmpty(t, s.Find(`input[type=hidden][name=csrf]`).AttrOr("value", ""), "a token in %s", s.AttrOr("action", ""))
	})
}

// name is the accessible name of a link or button: its label, or its text
// without what is hidden from assistive technology.
func name(s *goquery.Selection) string {
	if label := s.AttrOr("aria-label", ""); label != "" {
		return label
	}
	copied := s.Clone()
	copied.Find(`[aria-hidden="true"]`).Remove()
	return strings.Join(strings.Fields(copied.Text()), " ")
}

// requireReferences checks ids and what points at them.
func requireReferences(t *testing.T, doc *goquery.Document) {
	t.Helper()
	ids := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		id := s.AttrOr("id", "")
		require.False(t, ids[id], "two elements with the id %s", id)
		ids[id] = true
	})
	doc.Find("nav ul").Each(func(_ int, s *goquery.Selection) {
		places := s.Children().ChildrenFiltered("[aria-current]").Length()
		require.LessOrEqual(t, places, 1, "one is at two places: %s", s.Text())
	})
	for _, attribute := range []string{"aria-describedby", "aria-labelledby", "for", "popovertarget"} {
		doc.Find("[" + attribute + "]").Each(func(_ int, s *goquery.Selection) {
			for _, id := range strings.Fields(s.AttrOr(attribute, "")) {
				require.True(t, ids[id], "%s points at %s, which is not there", attribute, id)
			}
		})
	}
}
