package templates

import (
	"context"
	_ "embed"
	"io"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/a-h/templ"
)

// iconData has the icons in use, each as the strokes of which it is drawn.
//
//go:embed icons.toml
var iconData string

// icon is the icon of a name. A page has dozens: each is drawn once.
func icon(name string) templ.Component {
	if drawn, known := drawnIcons()[name]; known {
		return drawn
	}
	return templ.NopComponent // an ornament is no reason to show no page
}

var drawnIcons = sync.OnceValue(func() map[string]templ.Component {
	var icons map[string][]string
	if err := toml.Unmarshal([]byte(iconData), &icons); err != nil {
		panic(err) // the file is part of the program
	}
	all := make(map[string]templ.Component, len(icons))
	for name, paths := range icons {
		var html strings.Builder
		//nolint:forbidigo // no request's: it is drawn for all
		if err := strokes(name, paths).Render(context.Background(), &html); err != nil {
			panic(err) // a Builder takes everything
		}
		drawn := html.String()
		all[name] = templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, drawn)
			return err
		})
	}
	return all
})
