package office

import (
	"slices"
	"strings"

	"airtill/internal/audit"
	"airtill/web/locale"
	"airtill/web/templates"
)

// actCell is an act in a table: by name, or as written if it has none.
func actCell(l locale.Locale, act audit.Act) templates.Cell {
	cell := templates.Cell{Text: actName(l, act)}
	if !slices.Contains(audit.Acts(), act) {
		cell.Hint = string(act)
	}
	return cell
}

// actName is what an act is called.
func actName(l locale.Locale, act audit.Act) string {
	if !slices.Contains(audit.Acts(), act) {
		act = "other"
	}
	return l.Text("audit.act." + strings.ReplaceAll(string(act), ".", "-"))
}
