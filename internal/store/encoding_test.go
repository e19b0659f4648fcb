package store_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// TestADatabaseThatCannotHoldEveryTextIsRefused when the till starts, and not by the first operator with a name in
// Arabic. PostgreSQL makes one where it is set up without a language.
func TestADatabaseThatCannotHoldEveryTextIsRefused(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(postgresURL(t))
	require.NoError(t, err)
	owner, err := pgx.Connect(t.Context(), address.String())
	require.NoError(t, err)
	name := pgx.Identifier{strings.TrimPrefix(address.Path, "/") + "_latin"}
	_, err = owner.Exec(t.Context(), "CREATE DATABASE "+name.Sanitize()+
		" TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc")
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_, err := owner.Exec(ctx, "DROP DATABASE "+name.Sanitize())
		require.NoError(t, err)
		require.NoError(t, owner.Close(ctx))
	})
	address.Path = "/" + name[0]
	_, err = store.Open(t.Context(), address.String())
	require.ErrorContains(t, err, "its encoding is LATIN1 and must be UTF8")
}
