package alert_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/audit"
	"airtill/internal/fault"
)

// Of two alerts each has its end, its messages and whoever deals with it.
func TestOneAlertIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t, disk := w.t, alert.Critical
		w.deps.Rules = append(w.deps.Rules, alert.Rule{
			Name: "disk", Look: func(context.Context) (alert.Tier, []string, error) { return disk, []string{"full"}, nil },
		})
		w.Service = alert.New(w.deps)
		acknowledge := func(id, who string) string {
			return fault.CodeOf(w.Acknowledge(t.Context(), id, audit.Actor{UserID: who}))
		}
		w.refuse = true
		w.is(alert.Fine)
		require.Error(t, errors.Join(w.work()...))
		w.is(alert.Warning, "x")
		open, err := w.Open(t.Context())
		require.NoError(t, err)
		require.Len(t, open, 2)
		require.Empty(t, acknowledge(open[0].ID, "finn"))
		require.Empty(t, acknowledge(open[1].ID, "mary"))
		require.Equal(t, "alert.over", acknowledge(open[1].ID, "finn"), "he deals with the other")
		disk = alert.Fine
		w.is(alert.Warning, "x")
		left, err := w.Open(t.Context())
		require.NoError(t, err)
		require.Len(t, left, 1)
		require.Equal(t, "float", left[0].Rule)
		require.Error(t, errors.Join(w.work()...), "all mails are out, and no webhook")

		w.refuse = false
		var sent []string
		messages := w.db.Read(t.Context()).Table("alert_messages").Where("way = ?", alert.ByWebhook)
		require.NoError(t, messages.Order("id").Pluck("id", &sent).Error)
		require.Len(t, sent, 3)
		for _, i := range []int{1, 0, 2, 0, 1, 2} { // of float, which says nothing of disk
			require.NoError(t, w.Send(t.Context(), sent[i]))
		}
		require.Len(t, w.bodies, 3, "each once")
		for i, change := range []string{`"rule":"float","tier":"warning","change":"raised"`, `"rule":"disk","tier":"critical","change":"raised"`, `"rule":"disk","tier":"critical","change":"cleared"`} {
			require.Contains(t, w.bodies[i], change)
		}
		disk = alert.Warning
		w.is(alert.Warning, "x")
		open, err = w.Open(t.Context())
		require.NoError(t, err)
		disk = alert.Fine
		w.is(alert.Warning, "x")
		for _, a := range open {
			require.Equal(t, "alert.over", acknowledge(a.ID, "finn"), a.Rule)
		}
	})
}
