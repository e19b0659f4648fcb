package locale

import (
	"errors"
	"sync"

	"airtill/internal/fault"
)

// ConflictTitle is the heading over a fault of kind Conflict: what it is, where Fault has
// the sentence. "" is for every other error.
func (l Locale) ConflictTitle(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Conflict {
		return ""
	}
	return l.Word("error.409.", conflicts()[e.Code], l.Text("error.409"))
}

// conflictsByKind are the codes of conflicts.
var conflictsByKind = data[map[string][]string]("conflicts.toml")

// conflicts says of each conflict, by its code, of which kind it is.
var conflicts = sync.OnceValue(func() map[string]string {
	kinds := map[string]string{}
	for kind, codes := range conflictsByKind() {
		for _, code := range codes {
			kinds[code] = kind
		}
	}
	return kinds
})
