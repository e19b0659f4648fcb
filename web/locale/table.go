package locale

import (
	"maps"

	"golang.org/x/text/language"
)

// table is the messages of one language.
type table struct {
	tag  language.Tag
	name string // what the language calls itself
	text map[string]string
	// faults has the messages that rooms make, by their English format; none in
	// the fallback itself.
	faults map[string]string
}

// tables lists the languages with texts of their own; the first is the
// fallback. A language has a file for each part of the till, with the same keys
// in the same order as English, and one line here.
var tables = []table{
	{language.English, "English", english, nil},
	{language.Spanish, "Español", joined(spanishShell, spanishCounter, spanishBills, spanishHealth, spanishAlerts, spanishSale, spanishTimeline, spanishOffice, spanishPeople, spanishTill, spanishReports, spanishAdmin, spanishJobs, spanishAudit, spanishBooks), joined(spanishFaults, spanishOfficeFaults, spanishBookFaults)},
	{language.French, "Français", joined(frenchShell, frenchCounter, frenchBills, frenchHealth, frenchAlerts, frenchSale, frenchTimeline, frenchOffice, frenchPeople, frenchTill, frenchReports, frenchAdmin, frenchJobs, frenchAudit, frenchBooks), joined(frenchFaults, frenchOfficeFaults, frenchBookFaults)},
	{language.Arabic, "العربية", joined(arabicShell, arabicCounter, arabicBills, arabicHealth, arabicAlerts, arabicSale, arabicTimeline, arabicOffice, arabicPeople, arabicTill, arabicReports, arabicAdmin, arabicJobs, arabicAudit, arabicBooks), joined(arabicFaults, arabicOfficeFaults, arabicBookFaults)},
}

// english is the fallback of every language, so it has every key.
var english = joined(englishShell, englishCounter, englishBills, englishHealth, englishAlerts, englishSale, englishTimeline, englishOffice, englishPeople, englishTill, englishReports, englishAdmin, englishJobs, englishAudit, englishBooks)

// joined makes one table of the parts of a language.
func joined(parts ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
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
