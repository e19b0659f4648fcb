package vault_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/vault"
)

var told = vault.Receipt{Text: "Dial *123*", Params: map[string]string{"pin": "1234567890", "serial": "ab-12 34", "bonus": "1 GB"}}

func newVault(t *testing.T, keys ...string) *vault.Vault {
	t.Helper()
	v, err := vault.New("# a comment\n" + strings.Join(keys, ""))
	require.NoError(t, err)
	return v
}

// key is a fresh key under an id of its own.
func key(id string) string { return id + strings.TrimPrefix(vault.NewKey(), "k1") }

func TestASealOpensForItsSaleAlone(t *testing.T) {
	t.Parallel()
	k1 := key("k1")
	v := newVault(t, k1)
	sealed, err := v.Seal("sale", told)
	require.NoError(t, err)
	require.NotContains(t, sealed, told.PIN())
	again, err := v.Seal("sale", told)
	require.NoError(t, err)
	require.NotEqual(t, sealed, again, "each seal has a key of its own")
	opened, err := v.Open("sale", sealed)
	require.NoError(t, err)
	require.Equal(t, told, opened)

	_, err = v.Open("another sale", sealed)
	require.Error(t, err)
	_, err = newVault(t, key("k1")).Open("sale", sealed)
	require.Error(t, err, "another key of the same name")
	_, err = newVault(t, key("k2")).Open("sale", sealed)
	require.ErrorContains(t, err, `"k1" is not in the key file`)
	_, err = v.Open("sale", "what a person wrote")
	require.Error(t, err)

	empty, err := v.Seal("sale", vault.Receipt{})
	require.NoError(t, err)
	require.Empty(t, empty)
	opened, err = v.Open("sale", "")
	require.NoError(t, err)
	require.True(t, opened.Empty())
}

func TestANewKeyTakesOver(t *testing.T) {
	t.Parallel()
	k1, k2 := key("k1"), key("k2")
	old, both, fresh := newVault(t, k1), newVault(t, k2, k1), newVault(t, k2)
	require.Equal(t, "k2", both.Current())
	sealed, err := old.Seal("sale", told)
	require.NoError(t, err)
	_, _, err = fresh.Rewrap("sale", sealed)
	require.Error(t, err, "without the old key nothing is rewrapped")
	_, _, err = both.Rewrap("another sale", sealed)
	require.Error(t, err)

	wrapped, changed, err := both.Rewrap("sale", sealed)
	require.NoError(t, err)
	require.True(t, changed)
	opened, err := fresh.Open("sale", wrapped)
	require.NoError(t, err)
	require.Equal(t, told, opened)
	same, changed, err := both.Rewrap("sale", wrapped)
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, wrapped, same)
}

func TestASerialIsFoundHoweverItIsTypedAndUnderEitherKey(t *testing.T) {
	t.Parallel()
	k1, k2 := key("k1"), key("k2")
	old, both := newVault(t, k1), newVault(t, k2, k1)
	for _, typed := range []string{"AB1234", "ab-12-34", " Ab 12 34"} {
		require.Contains(t, both.SerialHashes(typed), old.SerialHash(told))
		require.Contains(t, both.SerialHashes(typed), both.SerialHash(told))
	}
	require.NotContains(t, both.SerialHashes("AB1235"), old.SerialHash(told))
	require.Empty(t, both.SerialHashes(" - "))
	require.Empty(t, old.SerialHash(vault.Receipt{}))
	require.Equal(t, vault.NoSerial, old.SerialHash(vault.Receipt{Text: "no serial"}))
}

func TestAKeyFileSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# nothing\n", "k1", "k1:beef", "k1:" + strings.Repeat("ab", 16), ":" + strings.Repeat("ab", 32), "k1:" + strings.Repeat("zz", 32)} {
		_, err := vault.New(text)
		require.ErrorContains(t, err, "vault key", text)
	}
}

// Seals name their key. Under a name with a mark that an editor writes and another leaves out, none would open again.
func TestAKeyWithANameThatIsNotSeenIsRefused(t *testing.T) {
	t.Parallel()
	_, err := vault.New("\ufeff" + key("k1"))
	require.ErrorContains(t, err, "invisible character")
}

// A new key written above the old one under the same name would stand aside for it, and rotate nothing.
func TestTwoKeysOfAFileHaveTwoNames(t *testing.T) {
	t.Parallel()
	_, err := vault.New(key("k1") + key("k2") + key("k1"))
	require.ErrorContains(t, err, "k1")
}

func TestWhatIsShownOfAPIN(t *testing.T) {
	t.Parallel()
	require.Equal(t, "7890", vault.Hint("1234567890"))
	require.Empty(t, vault.Hint("12345678"), "four would be half of it")
	require.Equal(t, "７８９０", vault.Hint("１２３４５６７８９０"), "characters, not bytes: half of one is no text")
	require.Empty(t, vault.Hint("１２３４"))
	require.Equal(t, []string{"bonus"}, told.OtherParams())
}
