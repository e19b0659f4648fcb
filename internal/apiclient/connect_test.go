package apiclient_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// A connection that takes longer than a permit lives is not lost with it: where a name server or the first of several
// addresses is dead, each one takes as long, and nothing could be sold after a quiet while.
func TestASlowConnectionCarriesTheNextPermit(t *testing.T) {
	t.Parallel()
	s, now := newService(t, says(200, completeAnswer)), newClock()
	client := newClient(t, s.URL, func(d *apiclient.Deps) { d.Now = now.now })
	client.SetSendDeadline(20 * time.Second)
	up := make(chan struct{})
	var dials atomic.Int64
	client.SetDial(func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) > 1 {
			<-t.Context().Done()
			return nil, t.Context().Err()
		}
		now.advance(time.Second)
		<-up
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, address)
	})

	options := permitted(now)
	now.advance(3*time.Second - 50*time.Millisecond)
	_, err := client.SendTransfer(t.Context(), realSend(), options)
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	require.ErrorIs(t, err, apiclient.ErrPermitExpired)
	require.Empty(t, s.got())

	close(up)
	_, err = client.SendTransfer(t.Context(), realSend(), permitted(now))
	require.NoError(t, err)
	require.Len(t, s.got(), 1)
}
