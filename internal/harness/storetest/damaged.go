package storetest

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// Damaged returns the address of a SQLite file whose first page of a table was written over.
func Damaged(t testing.TB, table string) string {
	t.Helper()
	url := URL(t, store.SQLite)
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	size, err := store.Value[int](db.Read(t.Context()).Raw("PRAGMA page_size"))
	require.NoError(t, err)
	of, err := store.Value[int](db.Read(t.Context()).Raw("SELECT rootpage FROM sqlite_schema WHERE name = ?", table))
	require.NoError(t, err)
	require.NoError(t, db.Close())
	file, err := os.OpenFile(strings.TrimPrefix(url, "sqlite:"), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt(bytes.Repeat([]byte{0xff}, size), int64(of-1)*int64(size))
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return url
}
