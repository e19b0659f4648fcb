package frame

import (
	"strings"

	"airtill/internal/invariant"
	"airtill/web/locale"
)

// OffenderText says what is wrong with what breaks a check of the books; "" of runs stored before there were kinds.
func OffenderText(l locale.Locale, o invariant.Offender) string {
	if o.Kind == "" {
		return ""
	}
	var facts []any
	for _, fact := range o.Facts {
		facts = append(facts, alertFact(l, fact))
	}
	if o.Kind == "statement.sums" && len(facts) > 0 {
		facts[0] = l.Text("statement." + o.Facts[0])
	}
	key := "health.offence." + string(o.Kind)
	if l.Word(key, "", "") == "" { // a later version's
		return l.Text("health.offence.other")
	}
	return l.Text(key, facts...)
}

// OffenderLine is an offender as whoever runs the till needs it: the sentence, and what is technical.
func OffenderLine(l locale.Locale, o invariant.Offender) string {
	text := OffenderText(l, o)
	if text == "" || o.Problem == "" {
		return text + o.Problem
	}
	return text + " (" + o.Problem + ")"
}

// accountNames are the accounts of the ledger as the office's pages name them.
var accountNames = map[string]string{
	"1000": "health.account.drawer", "1010": "break.account.1010", "1100": "health.account.float",
	"1110": "statement.held", "1120": "health.account.clearing", "1130": "statement.receivable",
	"1140": "break.account.1140", "2000": "statement.prepaid", "2010": "statement.refundsDue",
	"2100": "break.account.2100", "3000": "health.account.opening", "4000": "statement.faceValue",
	"4010": "statement.customerFee", "4020": "statement.markUp", "4100": "statement.commission",
	"5000": "statement.cost", "5010": "health.account.passed", "5100": "statement.fee", "5900": "statement.losses",
	"5910": "statement.overShort", "5920": "statement.goodwill", "5930": "statement.expenses",
	"9000": "break.account.9000",
}

// AccountName names an account of the ledger, without its number.
func AccountName(l locale.Locale, number string) string {
	key, known := accountNames[number]
	if !known {
		return l.Text("health.account.other")
	}
	return strings.TrimPrefix(l.Text(key), number+" ")
}

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
