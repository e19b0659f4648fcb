package web

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/storetest"
)

// ends waits until a stream is over.
func ends(t *testing.T, lines interface{ Scan() bool }, why string) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for lines.Scan() {
			continue
		}
	}()
	select {
	case <-over:
	case <-time.After(15 * time.Second):
		t.Fatal("the stream goes on: " + why)
	}
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for why, end := range map[string]func(*bench, *browser) error{
		"disabled": func(b *bench, _ *browser) error {
			return b.staff.Disable(b.t.Context(), setup, b.users[staff.Cashier].ID, "left")
		},
		"signed out": func(b *bench, w *browser) error {
			w.post("/logout", map[string][]string{"csrf": {w.csrf("/customers")}})
			return nil
		},
		"idle": func(b *bench, _ *browser) error {
			b.pass(staff.SessionIdle)
			return nil
		},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			b := newMarket(t, storetest.New(t))
			w := b.signIn(staff.Cashier)
			path, _ := w.sold(irish)
			b.moveSale(path, "fulfilment = 'unknown', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
			tray, sale := w.events(t.Context(), "/tray/events"), w.events(t.Context(), path+"/events")
			says(t, tray, `id="tray"`)
			says(t, sale, `id="outcome"`)
			require.NoError(t, end(b, w))
			// A hint asks at once; without one the next beat does.
			b.server.d.Bus.Publish(t.Context(), sales.Topic(b.saleAt(path).ID))
			ends(t, sale, "of a sale")
			ends(t, tray, "of the tray")
		})
	}
}

func TestASessionHasFourStreamsAtMost(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.New(t))
	w, other := b.signIn(staff.Cashier), b.signIn(staff.Supervisor)
	apart := other.events(t.Context(), "/tray/events")
	says(t, apart, `id="tray"`)
	oldest := w.events(t.Context(), "/tray/events")
	says(t, oldest, `id="tray"`)
	for range 40 {
		says(t, w.events(t.Context(), "/tray/events"), `id="tray"`) // what is true now comes first, whoever else looks
	}
	ends(t, oldest, "four newer ones took its place")
	require.LessOrEqual(t, b.server.streams.open(), 5, "four, and the other session's")

	ctx, leave := context.WithCancel(t.Context())
	last := w.events(ctx, "/tray/events")
	says(t, last, `id="tray"`)
	leave()
	require.Equal(t, http.StatusSeeOther, other.post("/logout", map[string][]string{"csrf": {other.csrf("/customers")}}).StatusCode)
	ends(t, apart, "its session is over")
	waitFor(t, "streams that ended are forgotten", func() bool { return b.server.streams.open() <= 3 })
}
