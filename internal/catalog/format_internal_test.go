package catalog

import (
	"crypto/sha256"
	"encoding"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsCachedIsOfItsFormat: a program that reads what another version cached must not find fields empty that the
// other did not know. If this fails, raise format and write the new sum here.
func TestWhatIsCachedIsOfItsFormat(t *testing.T) {
	t.Parallel()
	sum := sha256.New()
	writeShape(t, sum, reflect.TypeFor[content](), map[reflect.Type]bool{})
	require.Equal(t, "3: 8483b4f97a95bdd6", fmt.Sprintf("%d: %x", format, sum.Sum(nil)[:8]))
}

// writeShape writes what gob stores of a type.
func writeShape(t *testing.T, w io.Writer, of reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	_, err := fmt.Fprintln(w, of.Kind(), of.Name())
	require.NoError(t, err)
	if seen[of] || of.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) || of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return
	}
	seen[of] = true
	if of.Kind() == reflect.Map {
		writeShape(t, w, of.Key(), seen)
	}
	if slices.Contains([]reflect.Kind{reflect.Map, reflect.Slice, reflect.Pointer}, of.Kind()) {
		writeShape(t, w, of.Elem(), seen)
	}
	if of.Kind() != reflect.Struct {
		return
	}
	for field := range of.Fields() {
		if field.IsExported() {
			_, err := fmt.Fprintln(w, field.Name)
			require.NoError(t, err)
			writeShape(t, w, field.Type, seen)
		}
	}
}
