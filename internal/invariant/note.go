package invariant

import (
	"time"

	"airtill/internal/money"
)

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
