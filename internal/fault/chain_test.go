package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
)

// TestTheOutermostFaultSpeaks where one is around another, and of several side by side the first.
func TestTheOutermostFaultSpeaks(t *testing.T) {
	t.Parallel()
	inner := fault.OnField("number", "number.too-long", 30)
	outer := fault.Wrap(fault.Doing("read", inner), fault.Unavailable, "database.away")
	beside := fault.New(fault.NotFound, "sale.none")
	for name, c := range map[string]struct {
		err         error
		kind        fault.Kind
		code, field string
	}{
		"around another":          {fault.Doing("sell", outer), fault.Unavailable, "database.away", ""},
		"within":                  {errors.Unwrap(outer), fault.Invalid, "number.too-long", "number"},
		"the first of two":        {errors.Join(beside, inner), fault.NotFound, "sale.none", ""},
		"the first after a plain": {errors.Join(errors.New("x"), inner, beside), fault.Invalid, "number.too-long", "number"},
		"of a cause twice wrapped": {
			fmt.Errorf("a: %w", fmt.Errorf("b: %w", beside)), fault.NotFound, "sale.none", "",
		},
	} {
		var f *fault.Error
		require.ErrorAs(t, c.err, &f, name)
		require.Equal(t, c.code, f.Code, name)
		require.Equal(t, c.kind, fault.KindOf(c.err), name)
		require.Equal(t, f.Message, fault.Message(c.err), name)
		require.Equal(t, c.field, fault.FieldOf(c.err), name)
	}
	require.Empty(t, fault.FieldOf(errors.New("x")))
	require.Empty(t, fault.FieldOf(nil))
	require.Empty(t, fault.Message(nil))
}

// TestTheLogHasTheCauseAndAPersonTheMessage: what a fault is about stands behind its message, where there is one.
func TestTheLogHasTheCauseAndAPersonTheMessage(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp: refused")
	message := fault.Text("database.away")
	wrapped := fault.Wrap(cause, fault.Unavailable, "database.away")
	require.EqualError(t, wrapped, message+": dial tcp: refused")
	require.EqualError(t, fault.New(fault.Unavailable, "database.away"), message)
	require.EqualError(t, fault.Doing("sell", wrapped), "sell: "+message+": dial tcp: refused")
	require.NotContains(t, fault.Message(fault.Doing("sell", wrapped)), "refused")
	require.NoError(t, errors.Unwrap(fault.New(fault.Unavailable, "database.away")))
}

// TestAPerCentSignStandsForItself in a message without arguments and in an argument.
func TestAPerCentSignStandsForItself(t *testing.T) {
	t.Parallel()
	require.Equal(t, "100 %d", fault.New(fault.Invalid, "100 %d").Message, "a code without a text is shown as it is")
	require.Equal(t, "There is no product 5%d.", fault.New(fault.NotFound, "product.none", "5%d").Message)
	require.Equal(t, "100 %s", fault.Note(fault.Worded("cash", "100 %s")), "a message of its own is remembered as it is")
}
