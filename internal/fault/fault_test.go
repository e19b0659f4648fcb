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
	err := fmt.Errorf("record sale: %w", fault.Wrap(cause, fault.Unavailable, "The till cannot reach its database."))

	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Equal(t, "The till cannot reach its database.", fault.Message(err))
	require.ErrorIs(t, err, cause)
}

func TestPlainErrorIsInternalAndSaysNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, fault.Internal, fault.KindOf(errors.New("secret detail")))
	require.Empty(t, fault.Message(errors.New("secret detail")))
	require.Empty(t, fault.KindOf(nil))
}
