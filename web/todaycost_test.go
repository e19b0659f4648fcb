package web

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestWhatTodayCosts counts what Today asks of the database, and weighs what it
// answers: it renews itself every ten seconds in every office. Both may become less,
// never more, and more sales make neither more.
func TestWhatTodayCosts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("nothing is counted")
		}
		b := invented(t, newBench(t, db, nil))
		w := b.signIn(staff.Finance)
		w.get("/")
		before := db.Counts()
		page := w.get("/")
		took := db.Counts().Sub(before)
		var sent bytes.Buffer
		zip := gzip.NewWriter(&sent)
		_, err := zip.Write([]byte(page.body))
		require.NoError(t, err)
		require.NoError(t, zip.Close())
		t.Logf("%+v, %d bytes, %d of them sent", took, len(page.body), sent.Len())
		require.LessOrEqual(t, took.Statements, int64(20))
		require.LessOrEqual(t, took.Trips, int64(22))
		require.LessOrEqual(t, sent.Len(), 15_000)
	})
}
