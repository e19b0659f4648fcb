package web

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/sales"
	"airtill/web/locale"
	"airtill/web/templates"
)

// maxSetting is how long a value may be, in characters. The interface names no
// limit; no meter, policy or name is longer.
const maxSetting = 200

// settings are the answers to what the product asks, by the names it gave, and
// nothing else that a form may hold.
func (t target) settings() []sales.Setting {
	var known []sales.Setting
	for _, definition := range t.product.Settings {
		if value := t.want.setting(definition.Name); value != "" {
			known = append(known, sales.Setting{Name: definition.Name, Value: value})
		}
	}
	return known
}

// settingProblem says what is wrong with an answer, "" if nothing.
func settingProblem(l locale.Locale, definition catalog.Setting, value string) string {
	switch {
	case definition.Mandatory && value == "":
		return l.Text("details.settingMissing")
	case utf8.RuneCountInString(value) > maxSetting:
		return l.Text("details.settingLong", l.Number(maxSetting))
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return l.Text("details.settingUnreadable")
	}
	return ""
}

func settingFields(t target, a answers) []templates.SettingField {
	var fields []templates.SettingField
	for _, d := range t.product.Settings {
		fields = append(fields, templates.SettingField{
			Name: d.Name, Label: settingLabel(d), Value: t.want.setting(d.Name), Required: d.Mandatory, Secret: d.Secret(), Problem: a.settings[d.Name],
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

// settingLines are the answers as a confirm page shows them.
func settingLines(t target) []templates.Line {
	var lines []templates.Line
	for _, d := range t.product.Settings {
		value := t.want.setting(d.Name)
		switch {
		case value == "":
			continue
		case d.Secret():
			value = "••••"
		}
		lines = append(lines, templates.Line{Name: settingLabel(d), Value: value})
	}
	return lines
}

// recallSettings takes what the same customer was asked last time, where the
// form does not say anything yet. Secrets are asked each time.
func (s *Server) recallSettings(c *gin.Context, t *target) error {
	if len(t.product.Settings) == 0 || len(t.want.settings) > 0 {
		return nil
	}
	text, err := s.d.Sales.LastSettings(c.Request.Context(), present(c).Shop.ID, accountNumber(*t), t.product.SKU)
	if err != nil || text == "" {
		return err
	}
	var last []sales.Setting
	if err := json.Unmarshal([]byte(text), &last); err != nil {
		return err
	}
	for _, d := range t.product.Settings {
		i := slices.IndexFunc(last, func(s sales.Setting) bool { return s.Name == d.Name })
		if i >= 0 && !d.Secret() {
			t.want.settings = append(t.want.settings, last[i])
		}
	}
	return nil
}
