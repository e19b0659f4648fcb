package frame

import (
	"strings"

	"airtill/internal/invariant"
	"airtill/web/locale"
)

// CheckNotes is what a check of the books says beside its result; "": nothing.
func CheckNotes(l locale.Locale, f invariant.Finding) string {
	var said []string
	for _, n := range f.Notes {
		key := "health.note." + string(n.Kind)
		switch n.Kind {
		case invariant.AsOf:
			said = append(said, l.Text(key, l.DateTime(n.At)))
		case invariant.StillDiffers, invariant.KnownDifferences:
			said = append(said, l.Text(key, l.Amount(n.Amount())))
		default:
			said = append(said, l.Word("health.note.", string(n.Kind), ""))
		}
	}
	return strings.Join(said, " ")
}
