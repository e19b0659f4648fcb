package web

import (
	"encoding/json"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/sales"
	"airtill/web/locale"
	"airtill/web/templates"
)

// settings are the answers to what the product asks, by the names it gave, and
// nothing else that a form may hold.
func (t target) settings() []sales.Setting {
	var known []sales.Setting
	for _, definition := range t.product.Settings {
		if value := definition.Clean(t.want.setting(definition.Name)); value != "" {
			known = append(known, sales.Setting{Name: definition.Name, Value: value})
		}
	}
	return known
}

func settingFields(l locale.Locale, t target, a answers) []templates.SettingField {
	var fields []templates.SettingField
	for _, d := range t.product.Settings {
		kind := d.Rule().Kind
		fields = append(fields, templates.SettingField{
			Name: d.Name, Label: settingLabel(d), Value: t.want.setting(d.Name), Required: d.Mandatory, Secret: d.Secret(), Problem: a.settings[d.Name],
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

// settingLines are the answers as a confirm page shows them: those that were checked,
// and those that only the cashier can tell to be right.
func settingLines(t target) (checked, toRead []templates.Line) {
	for _, setting := range t.settings() {
		i := slices.IndexFunc(t.product.Settings, func(d catalog.Setting) bool { return d.Name == setting.Name })
		d := t.product.Settings[i]
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

// recallSettings takes what the same customer was asked last time, where the
// form does not say anything yet, and the account number where it is asked for
// again. Secrets are asked each time.
func (s *Server) recallSettings(c *gin.Context, t *target) error {
	if len(t.product.Settings) == 0 || len(t.want.settings) > 0 {
		return nil
	}
	text, err := s.d.Sales.LastSettings(c.Request.Context(), present(c).Shop.ID, accountNumber(*t), t.product.SKU)
	if err != nil {
		return err
	}
	var last []sales.Setting
	if text != "" {
		if err := json.Unmarshal([]byte(text), &last); err != nil {
			return err
		}
	}
	for _, d := range t.product.Settings {
		i := slices.IndexFunc(last, func(s sales.Setting) bool { return s.Name == d.Name })
		switch {
		case i >= 0 && !d.Secret():
			t.want.settings = append(t.want.settings, last[i])
		case t.product.Addressed() && d.Repeats(t.snapshot.TakesPhones(t.provider.Code)):
			t.want.settings = append(t.want.settings, sales.Setting{Name: d.Name, Value: accountNumber(*t)})
		}
	}
	return nil
}
