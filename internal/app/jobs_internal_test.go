package app

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/jobs"
)

func TestWhyTheUpstreamFailedAJob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want jobs.Reason
	}{
		{&apiclient.Error{Op: "GetBalance", Err: errors.New("refused")}, jobs.Service},
		{apiclient.Told(&apiclient.Error{Op: "GetBalance"}, fault.Unavailable, "upstream.no-answer"), jobs.Service},
		{&apiclient.Error{Op: "GetBalance", Err: apiclient.ErrBudget}, jobs.Busy},
		{fmt.Errorf("ask: %w", &apiclient.Error{Op: "GetBalance", Status: 500}), jobs.Refused},
		{errors.New("something else"), ""},
	} {
		require.Equal(t, c.want, whyUpstream(c.err), "%v", c.err)
	}
}
