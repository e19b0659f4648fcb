package locale

import "golang.org/x/text/language"

// table is the messages of one language, in a file of its own.
type table struct {
	tag  language.Tag
	text map[string]string
}

// tables lists the languages with texts of their own; the first is the
// fallback. A new language is one more file and one more line here.
var tables = []table{
	{language.English, english},
}

// textsFor picks the table of a tag's language, English if there is none.
func textsFor(tag language.Tag) table {
	base, _ := tag.Base()
	for _, t := range tables {
		if other, _ := t.tag.Base(); other == base {
			return t
		}
	}
	return tables[0]
}
