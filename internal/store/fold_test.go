package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Daily 1GB": "daily 1gb", "ÉCOLE": "ecole", "E\u0301cole": "ecole", "ДЕНЬ": "день", "أُسبوعي": "اسبوعي", "İ": "i", "ﬁ": "fi", "": "",
	} {
		require.Equal(t, want, store.Fold(text), text)
	}
}
