package restore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/redistest"
	"airtill/internal/harness/storetest"
	"airtill/internal/restore"
	"airtill/internal/store"
)

// eachMark runs a test on a mark in a file and on one in Redis.
func eachMark(t *testing.T, test func(t *testing.T, mark restore.Mark)) {
	t.Helper()
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		test(t, restore.File{Path: filepath.Join(t.TempDir(), "mark")})
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		test(t, inRedis(t))
	})
}

func inRedis(t *testing.T) restore.Redis {
	t.Helper()
	mark := restore.Redis{Client: redistest.New(t), Prefix: t.Name() + fmt.Sprint(time.Now().UnixNano()) + ":"}
	t.Cleanup(func() { mark.Client.Del(context.WithoutCancel(t.Context()), mark.Prefix+"mark:AAAA") })
	return mark
}

func TestAMarkIsOnlyRaised(t *testing.T) {
	t.Parallel()
	eachMark(t, func(t *testing.T, mark restore.Mark) {
		ctx := t.Context()
		_, known, err := mark.Read(ctx, "AAAA")
		require.NoError(t, err)
		require.False(t, known)
		for _, step := range []struct{ to, want restore.Height }{
			{restore.Height{Code: "AAAA", Posting: 10}, restore.Height{Code: "AAAA", Posting: 10}},
			{restore.Height{Code: "AAAA", Posting: 9}, restore.Height{Code: "AAAA", Posting: 10}},
			{restore.Height{Code: "AAAA", Posting: 11}, restore.Height{Code: "AAAA", Posting: 11}},
			{restore.Height{Code: "BBBB", Posting: 3}, restore.Height{Code: "BBBB", Posting: 3}}, // a restored database begins lower
		} {
			require.NoError(t, mark.Raise(ctx, "AAAA", step.to))
			kept, known, err := mark.Read(ctx, "AAAA")
			require.NoError(t, err)
			require.True(t, known)
			require.Equal(t, step.want, kept)
		}
	})
}

func TestMarksKeepTheNewestAuditEntry(t *testing.T) {
	t.Parallel()
	eachMark(t, func(t *testing.T, mark restore.Mark) {
		for _, step := range []struct{ to, want restore.Height }{
			{restore.Height{Code: "AAAA", Posting: 10}, restore.Height{Code: "AAAA", Posting: 10}}, // of the version before
			{restore.Height{Code: "AAAA", Posting: 9, Entry: 4, EntryHash: "d"}, restore.Height{Code: "AAAA", Posting: 10, Entry: 4, EntryHash: "d"}},
			{restore.Height{Code: "AAAA", Posting: 11, Entry: 3, EntryHash: "c"}, restore.Height{Code: "AAAA", Posting: 11, Entry: 4, EntryHash: "d"}},
			{restore.Height{Code: "BBBB", Posting: 3, Entry: 2, EntryHash: "b"}, restore.Height{Code: "BBBB", Posting: 3, Entry: 2, EntryHash: "b"}},
		} {
			require.NoError(t, mark.Raise(t.Context(), "AAAA", step.to))
			kept, _, err := mark.Read(t.Context(), "AAAA")
			require.NoError(t, err)
			require.Equal(t, step.want, kept)
		}
	})
}

func TestABrokenMarkIsNoMark(t *testing.T) {
	t.Parallel()
	mark := restore.File{Path: filepath.Join(t.TempDir(), "mark")}
	require.NoError(t, os.WriteFile(mark.Path, []byte("{cut"), 0o600))
	_, _, err := mark.Read(t.Context(), "AAAA")
	require.Error(t, err)
	require.NoError(t, mark.Raise(t.Context(), "AAAA", restore.Height{Code: "AAAA", Posting: 1}), "and is replaced")
	_, known, err := mark.Read(t.Context(), "AAAA")
	require.NoError(t, err)
	require.True(t, known)
}

// TestADamagedMarkIsMadeAnew: it would otherwise stay damaged, and no older database be noticed any more.
func TestADamagedMarkIsMadeAnew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, w.Start(t.Context()))
		w.mustSell()
		for _, text := range []string{"", "{cut", "null", "{}", `{"posting":9}`} {
			require.NoError(t, os.WriteFile(w.mark.Path, []byte(text), 0o600))
			require.NoError(t, w.Compare(t.Context()), "selling goes on")
			height, known, err := w.mark.Read(t.Context(), "")
			require.NoError(t, err)
			require.True(t, known)
			require.Positive(t, height.Posting)
		}
		w.cameFurther()
		require.ErrorIs(t, w.Compare(t.Context()), restore.ErrOlder)
	})
}

// TestADamagedMarkInRedisIsMadeAnew, too.
func TestADamagedMarkInRedisIsMadeAnew(t *testing.T) {
	t.Parallel()
	mark, at := inRedis(t), restore.Height{Code: "AAAA", Posting: 7, Entry: 3, EntryHash: "c"}
	client, key := mark.Client, mark.Prefix+"mark:AAAA"
	for name, damage := range map[string]func() error{
		"another type": func() error { return client.Set(t.Context(), key, "x", 0).Err() },
		"no posting":   func() error { return client.HDel(t.Context(), key, "posting").Err() },
		"a posting":    func() error { return client.HSet(t.Context(), key, "posting", "x").Err() },
		"an entry":     func() error { return client.HSet(t.Context(), key, "entry", "x").Err() },
		"no code":      func() error { return client.HDel(t.Context(), key, "code").Err() },
	} {
		require.NoError(t, client.Del(t.Context(), key).Err())
		require.NoError(t, mark.Raise(t.Context(), "AAAA", at))
		require.NoError(t, damage(), name)
		_, _, err := mark.Read(t.Context(), "AAAA")
		require.ErrorContains(t, err, "the mark is damaged", name)
		require.NoError(t, mark.Raise(t.Context(), "AAAA", at), name)
		height, known, err := mark.Read(t.Context(), "AAAA")
		require.NoError(t, err, name)
		require.True(t, known, name)
		require.Equal(t, at, height, name)
	}
}
