package invariant

import (
	"fmt"
	"strings"
	"time"

	"airtill/internal/money"
)

// Kind is what is wrong with what, as "sale.missing"; pages have a sentence for each, which begins with the name of
// the thing before the dot.
type Kind string

// Kinds are all kinds that a check can find, with what fills their sentences.
func Kinds() map[Kind][]string {
	const sum, n = "5.00 EUR", "3"
	return map[Kind][]string{
		"journal.off": {sum}, "account.stored": {sum}, "account.rest": {sum}, "account.float": {sum, sum, sum},
		"shift.opened": {sum, sum}, "shift.sold": {sum, sum}, "shift.counted": {sum, sum}, "shift.left": {sum},
		"shift.moved": {sum, sum}, "shift.gone": nil,
		"shift.notNext": {n, "2"}, "shift.early": nil, "shift.unreported": nil, "shift.changed": nil,
		"shift.unreadable": nil, "shift.notAfter": nil, "shift.sums": nil,
		"sale.unreadable": nil, "sale.missing": {n}, "sale.apart": {n}, "sale.impossible": {n}, "sale.left": {n},
		"sale.ends": nil, "sale.earned": nil, "sale.cash": {sum, sum, sum},
		// the audit trail's
		"entry.missing": nil, "entry.changed": nil, "entry.notBefore": nil, "entry.notLast": nil,
		"entry.beyondEnd": nil, "entry.unsigned": nil, "entry.unknownKey": nil, "entry.notOurs": nil,
		"postings.changed": nil, "postings.fewer": {n}, "postings.more": {n},
		"events.changed": nil, "events.fewer": {n}, "events.more": {n},
		// what was noted outside the database
		"entry.lost": nil, "entry.other": nil, "posting.lost": nil,
		"guard.missing": nil, "guard.off": nil, "guard.changed": nil,
		"statement.notNext": {n}, "statement.changed": nil, "statement.unreadable": nil, "statement.notAfter": nil,
		"statement.gap": nil, "statement.sums": {"cash", "EUR"},
	}
}

// Offender is a thing that breaks an invariant.
type Offender struct {
	Kind    Kind     `json:",omitempty"` // "" in runs stored before there were kinds
	Subject string   // an id: of a journal, an account, a sale, a shift …
	Facts   []string `json:",omitempty"` // sums, as "5.00 EUR", numbers and words
	Shop    string   `json:",omitempty"` // of a statement
	Number  int      `json:",omitempty"` // of a statement
	Problem string   `json:",omitempty"` // in English, what only a technician needs; before there were kinds, all
}

func offender(kind Kind, subject string, facts ...any) Offender {
	o := Offender{Kind: kind, Subject: subject}
	for _, fact := range facts {
		o.Facts = append(o.Facts, fmt.Sprint(fact))
	}
	return o
}

// BlameAs names what another room found. A problem is a word and the facts that go with it; with the name of the thing
// before it, as in shift.changed, the word is a Kind.
func (f *Finding) BlameAs(thing, problem string, o Offender) {
	words := strings.Fields(problem)
	o.Kind, o.Facts = Kind(thing+"."+words[0]), words[1:]
	f.blame(o)
}

// NoteKind is what a note says; pages have a sentence for each.
type NoteKind string

// The kinds of note, with what fills their sentences.
const (
	FloatBusy        NoteKind = "floatBusy"        // no balance was told while nothing was open
	SalesOpen        NoteKind = "salesOpen"        // so the accounts tell nothing
	BalanceNotTold   NoteKind = "balanceNotTold"   // the upstream was asked in vain
	AsOf             NoteKind = "asOf"             // At: the moment that was judged
	StillDiffers     NoteKind = "stillDiffers"     // Amount: of differences, although the books agree
	KnownDifferences NoteKind = "knownDifferences" // Amount: of unresolved differences
	OwnsTables       NoteKind = "ownsTables"       // the till could take the protection of its tables away
	NothingNoted     NoteKind = "nothingNoted"     // outside the database
	FoundBefore      NoteKind = "foundBefore"      // the offenders are those of the last check that could judge
)

// Note says why something could not be judged, or as of when it was.
type Note struct {
	Kind     NoteKind
	Micros   int64          `json:",omitempty"`
	Currency money.Currency `json:",omitempty"`
	At       time.Time      `json:",omitzero"`
}

// Amount is the sum of money that the note speaks of.
func (n Note) Amount() money.Amount { return money.Of(n.Micros, n.Currency) }
