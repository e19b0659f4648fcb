package counter

import (
	"slices"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/web/locale"
	"airtill/web/templates"
)

func settingFields(l locale.Locale, q *counter.Quote) []templates.SettingField {
	var fields []templates.SettingField
	for _, d := range q.Product.Settings {
		kind, problem := d.Rule().Kind, ""
		if err := q.SettingProblems[d.Name]; err != nil {
			problem = l.Fault(err)
		}
		fields = append(fields, templates.SettingField{
			Name: d.Name, Label: settingLabel(d), Value: q.Ask.Setting(d.Name), Required: d.Mandatory,
			Secret: d.Secret(), Problem: problem,
			Help: l.Fault(d.Wants()), Digits: kind == catalog.NumberRule || kind == catalog.DigitsRule,
		})
	}
	return fields
}

func settingLabel(d catalog.Setting) string {
	if d.Description == "" {
		return d.Name
	}
	return d.Description
}

// settingLines are the answers as a confirm page shows them: those that were checked, and those that only the cashier
// can check.
func settingLines(q *counter.Quote) (checked, toRead []templates.Line) {
	for _, setting := range q.Terms.Settings {
		i := slices.IndexFunc(q.Product.Settings, func(d catalog.Setting) bool { return d.Name == setting.Name })
		d := q.Product.Settings[i]
		line := templates.Line{Name: settingLabel(d), Value: setting.Value}
		switch {
		case d.Secret():
			line.Value = "••••"
			checked = append(checked, line)
		case d.Rule().Kind == catalog.NoRule:
			toRead = append(toRead, line)
		default:
			checked = append(checked, line)
		}
	}
	return checked, toRead
}
