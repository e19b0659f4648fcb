package locale

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheGlossaryHolds: the English texts use the words of docs/glossary.md and none that we don't say; every
// language with a column has its form of each.
func TestTheGlossaryHolds(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../docs/glossary.md")
	require.NoError(t, err)
	var head, wrong []string
	rows := 0
	for line := range strings.Lines(string(file)) {
		cells := cellsOf(line)
		switch {
		case len(cells) < 4 || strings.HasPrefix(cells[0], "---"):
		case head == nil:
			head = cells
		default:
			rows++
			require.Len(t, cells, len(head), line)
			if len(saying(t, cells[0])) == 0 {
				wrong = append(wrong, "no English text says "+cells[0])
			}
			for unsaid := range strings.SplitSeq(cells[2], ", ") {
				for _, text := range saying(t, unsaid) {
					if strings.HasPrefix(text, "settings.words.") {
						continue // what others may call it, for the search: nobody reads it
					}
					wrong = append(wrong, "we say "+cells[0]+": "+text)
				}
			}
			for i, tag := range head[3:] {
				if inTexts(tag, cells[3+i]) == "" {
					wrong = append(wrong, "no text in "+tag+" says "+cells[3+i])
				}
			}
		}
	}
	require.Greater(t, rows, 25, "the table is read")
	require.Empty(t, wrong)
}

func cellsOf(line string) []string {
	cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// saying are the keys of the texts with a word as a whole, in the singular or the plural.
func saying(t *testing.T, word string) (keys []string) {
	t.Helper()
	whole := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(word) + `(?:s|es)?\b`)
	for key, text := range englishTexts(t) {
		if whole.MatchString(text) {
			keys = append(keys, key+" = "+text)
		}
	}
	return keys
}

// englishTexts are the messages and what faults say.
func englishTexts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for key, text := range english().text {
		all[key] = text
	}
	for code, text := range faultTexts(t) {
		all["fault."+code] = text
	}
	return all
}

// inTexts is a text of a language in which a form of a word stands, "" if none does.
func inTexts(tag, form string) string {
	for _, table := range tables() {
		for _, text := range table.text {
			if table.tag.String() == tag && strings.Contains(strings.ToLower(text), strings.ToLower(form)) {
				return text
			}
		}
	}
	return ""
}
