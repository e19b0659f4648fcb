package sales

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

func TestRefs_NameInstallationSaleAndAttempt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		id := store.NewID(time.UnixMilli(rapid.Int64Range(0, 1<<40).Draw(rt, "at")))
		attempt := rapid.IntRange(1, maxAttempts).Draw(rt, "attempt")
		other := rapid.IntRange(1, maxAttempts).Draw(rt, "other")
		code := randomText(base36, codeOfInstallation)
		ref, err := makeRef(code, id, attempt)
		require.NoError(rt, err)
		require.Len(rt, ref, refLength)
		require.True(rt, strings.HasPrefix(ref, code+id))
		require.Empty(rt, strings.Trim(ref, base36), "capitals and digits alone")
		second, err := makeRef(code, id, other)
		require.NoError(rt, err)
		require.Equal(rt, attempt == other, ref == second)
		require.Equal(rt, attempt < other, ref < second, "later attempts stand behind")
	})
}

func TestRefs_ThatCannotBeAreNotMade(t *testing.T) {
	t.Parallel()
	id := store.NewID(time.Now())
	for name, make := range map[string]func() (string, error){
		"attempt 0":           func() (string, error) { return makeRef("ABCD", id, 0) },
		"an attempt too many": func() (string, error) { return makeRef("ABCD", id, maxAttempts+1) },
		"a short code":        func() (string, error) { return makeRef("ABC", id, 1) },
		"a sale without id":   func() (string, error) { return makeRef("ABCD", "", 1) },
	} {
		ref, err := make()
		require.Error(t, err, name)
		require.Empty(t, ref, name)
	}
}

func TestRandomTextIsOfItsAlphabet(t *testing.T) {
	t.Parallel()
	seen := map[rune]bool{}
	for range 200 {
		text := randomText(readable, codeLength)
		require.Len(t, text, codeLength)
		for _, c := range text {
			require.Contains(t, readable, string(c))
			seen[c] = true
		}
	}
	require.Len(t, seen, len(readable), "every character is drawn")
	for _, c := range "ILOU" {
		require.NotContains(t, readable, string(c), "looks like another")
	}
}

func TestANewInstallationIsAnother(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Now()
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			require.NoError(t, EnsureInstallation(tx, now))
			first, err := installed(tx)
			require.NoError(t, err)
			require.Len(t, first.Code, codeOfInstallation)
			require.False(t, first.Restored)
			require.NoError(t, EnsureInstallation(tx, now.Add(time.Hour)))
			same, err := installed(tx)
			require.NoError(t, err)
			require.Equal(t, first.Code, same.Code, "made once")

			for range 3 { // at one moment
				before, err := installed(tx)
				require.NoError(t, err)
				code, err := NewInstallation(tx, now)
				require.NoError(t, err)
				require.NotEqual(t, before.Code, code)
				after, err := installed(tx)
				require.NoError(t, err)
				require.Equal(t, code, after.Code, "the one that counts from now on")
				require.True(t, after.Restored)
				require.True(t, after.Since.After(before.Since))
				require.True(t, after.predates(before.Code+"REST"))
				require.False(t, after.predates(code+"REST"))
			}
			return nil
		}))
	})
}

func TestAnInstallationKnowsWhatWasMadeBeforeIt(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	restored, first := install{Code: "ABCD", Since: since, Restored: true}, install{Code: "ABCD", Since: since}
	older, newer := store.NewID(since.Add(-time.Second)), store.NewID(since.Add(time.Second))
	require.True(t, restored.outlived(older))
	require.False(t, restored.outlived(newer))
	require.False(t, restored.outlived("no ULID"), "it does not say when it was made")
	require.False(t, first.outlived(older), "nothing was lost")
	require.True(t, restored.predates("WXYZ"+newer))
	require.False(t, first.predates("WXYZ"+newer))
}
