package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
)

func TestKindAndMessageSurviveWrapping(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp: refused")
	err := fmt.Errorf("record sale: %w", fault.Wrap(cause, fault.Unavailable, "database.away"))

	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Equal(t, "The till cannot reach its database. Nothing was changed. Try again in a moment.", fault.Message(err))
	require.ErrorIs(t, err, cause)
}

func TestWhatWasBeingDoneIsForTheLogAlone(t *testing.T) {
	t.Parallel()
	err := fault.Doing("close shift", fault.New(fault.Conflict, "shift.closed"))
	require.ErrorContains(t, err, "close shift: ")
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.Equal(t, fault.Text("shift.closed"), fault.Message(err))
	require.NoError(t, fault.Doing("close shift", nil))
}

func TestPlainErrorIsInternalAndSaysNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, fault.Internal, fault.KindOf(errors.New("secret detail")))
	require.Empty(t, fault.Message(errors.New("secret detail")))
	require.Empty(t, fault.KindOf(nil))
}

func TestACodeHasItsArgumentsFilledIn(t *testing.T) {
	t.Parallel()
	err := fault.OnField("number", "number.too-long", 30)
	require.Equal(t, fault.Invalid, err.Kind)
	require.Equal(t, "This number is too long. Enter one number of at most 30 digits.", err.Message)
	require.Equal(t, "number", fault.FieldOf(fmt.Errorf("look up: %w", err)))
	require.Equal(t, "no.such-code", fault.Text("no.such-code"))
	require.Equal(t, "100 %", fault.Worded("cash", "100 %").Message)
}

func TestARowRemembersTheCode(t *testing.T) {
	t.Parallel()
	require.Equal(t, "sale.none", fault.Note(fmt.Errorf("look: %w", fault.New(fault.NotFound, "sale.none"))))
	require.Equal(t, "There is no product X.", fault.Note(fault.New(fault.NotFound, "product.none", "X")), "arguments would be lost")
	require.Empty(t, fault.Note(errors.New("secret detail")))
	require.Empty(t, fault.Note(nil))
}
