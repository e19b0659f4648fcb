package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestInventedTradeIsFolded: the first who asks for a balance would sum millions of postings.
func TestInventedTradeIsFolded(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		got := airtill(t, []string{"DATABASE_URL=" + url}, "", "seed", "--sales", "50", "--days", "2", "--shops", "1")
		require.Zero(t, got.status, got.err)
		db, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		for where, some := range map[string]bool{"TRUE": true, "p.id > COALESCE(c.last_id, 0)": false} {
			found, err := store.Some(db.Read(t.Context()).Table("postings p").Where(where).
				Joins("LEFT JOIN ledger_checkpoints c ON c.account = p.account AND c.currency = p.currency"))
			require.NoError(t, err)
			require.Equal(t, some, found, where)
		}
	})
}
