package templates

import (
	"strconv"
	"time"
)

func (f OfficeForm) method() string {
	if f.Get {
		return "get"
	}
	return "post"
}

// id tells the fields of one name in several forms apart.
func (f OfficeField) id(part int) string { return "f" + strconv.Itoa(part) + "-" + f.Name }

func (f OfficeField) helpID(part int) string {
	if f.Help == "" {
		return ""
	}
	return f.id(part) + "-help"
}

func (f OfficeField) kind() string {
	if f.Type == "" {
		return "text"
	}
	return f.Type
}

// shown is what a browser takes for the field's value: of dates only such as are.
func (f OfficeField) shown() string {
	layout := map[string]string{"date": time.DateOnly, "datetime-local": "2006-01-02T15:04"}[f.Type]
	if _, err := time.Parse(layout, f.Value); layout != "" && err != nil {
		return ""
	}
	return f.Value
}

// acts says whether anything can be done to any row.
func (t OfficeTable) acts() bool {
	for _, row := range t.Rows {
		if len(row.Acts) > 0 {
			return true
		}
	}
	return false
}

// Forget takes away what was typed and why it was refused.
func (f *OfficeField) Forget() {
	f.Value, f.Problem = f.Untyped, ""
	for i := range f.Choices {
		f.Choices[i].Chosen = f.Choices[i].Value == f.Value
	}
}
