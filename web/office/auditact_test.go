package office

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/audit"
	"airtill/web/locale"
	"airtill/web/templates"
)

func TestEveryActHasAName(t *testing.T) {
	t.Parallel()
	for _, tongue := range locale.Languages() {
		l := locale.New(language.MustParse(tongue.Tag), nil)
		for _, act := range audit.Acts() {
			name := actName(l, act)
			require.NotContains(t, name, "audit.act.", "%s has no name in %s", act, tongue.Tag)
			require.NotEqual(t, actName(l, "moon.landed"), name, act)
			require.Equal(t, templates.Cell{Text: name}, actCell(l, act))
		}
	}
	english := locale.New(language.English, nil)
	require.Equal(t, templates.Cell{Text: "Something else", Hint: "moon.landed"}, actCell(english, "moon.landed"))
}
