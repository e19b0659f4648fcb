package restore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/restore"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// An empty list is weak evidence, and one that lacks what it must have is none: the cash of a sale that was sent in the
// lost time would be given back.
func TestAListThatLacksWhatItMustHaveVoidsNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, w.Start(t.Context()))
		control, sale := w.mustSell(), w.mustSell()
		w.list(control.Ref)
		_, err := w.sales.ObserveListed(t.Context(), control, *w.listed.Load())
		require.NoError(t, err)
		w.cameFurther()

		w.list()
		_, err = w.Restored(t.Context(), audit.Command("test"))
		require.ErrorContains(t, err, "lacks a transfer")
		kept, err := w.sales.Get(t.Context(), sale.ID, "")
		require.NoError(t, err)
		require.Equal(t, sales.Recorded, kept.Fulfilment)
		require.ErrorIs(t, w.Start(t.Context()), restore.ErrOlder, "it is to be run again")

		w.list(control.Ref)
		report, err := w.Restored(t.Context(), audit.Command("test"))
		require.NoError(t, err)
		require.Len(t, report.Voided, 1)
		require.Equal(t, sale.ID, report.Voided[0].ID)
	})
}

// TestAProcessThatStartsWhileTheListIsReadIsNotOverlooked: it sells under the code that is about to be replaced. On SQLite
// none can.
func TestAProcessThatStartsWhileTheListIsReadIsNotOverlooked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, w.Start(t.Context()))
		was := w.mustSell()
		var begun error
		w.asked = func() { begun = jobs.NewProcesses(db, "other", time.Now).Beat(t.Context()) }
		_, err := w.Restored(t.Context(), audit.Command("test"))
		require.NoError(t, begun)
		if db.Alone() {
			require.NoError(t, err)
			return
		}
		require.Equal(t, fault.Conflict, fault.KindOf(err), "%v", err)
		kept, err := w.sales.Get(t.Context(), was.ID, "")
		require.NoError(t, err)
		require.Equal(t, sales.Recorded, kept.Fulfilment)
	})
}

func TestItIsNotMadeSafeWithoutTheUpstream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	require.NoError(t, w.Start(t.Context()))
	w.upstream.Close()
	_, err := w.Restored(t.Context(), audit.Command("test"))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	var codes int64
	require.NoError(t, w.db.Read(t.Context()).Table("installations").Count(&codes).Error)
	require.Equal(t, int64(1), codes, "nothing was changed")
}
