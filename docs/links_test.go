package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLinksLeadSomewhere: what a document of ours links to is there, and has the heading that is named.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, pattern := range []string{"../*.md", "*.md", "adr/*.md"} {
		documents, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, documents)
		for _, document := range documents {
			for _, found := range link.FindAllStringSubmatch(textOf(t, document), -1) {
				if !strings.HasPrefix(found[1], "https://") {
					leadsSomewhere(t, document, found[1])
				}
			}
		}
	}
}

func leadsSomewhere(t *testing.T, document, link string) {
	t.Helper()
	file, heading, _ := strings.Cut(link, "#")
	target := document
	if file != "" {
		target = filepath.Join(filepath.Dir(document), file)
	}
	_, err := os.Stat(target)
	require.NoError(t, err, "%s links to %s", document, link)
	if heading != "" {
		require.Contains(t, anchors(textOf(t, target)), heading, "%s links to %s", document, link)
	}
}

func textOf(t *testing.T, document string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	return string(text)
}

// anchors are the names by which headings are linked to: small letters, hyphens for blanks, nothing else.
func anchors(document string) (names []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(document, -1) {
		name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
