package templates_test

import (
	"bytes"
	"context"
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
	require.NoError(t, c.Render(context.Background(), &b))
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
