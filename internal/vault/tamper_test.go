package vault_test

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/vault"
)

// parts are what a sealed text is made of.
func parts(t require.TestingT, text string) map[string]string {
	var p map[string]string
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	return p
}

func joined(t require.TestingT, p map[string]string) string {
	text, err := json.Marshal(p)
	require.NoError(t, err)
	return string(text)
}

// TestWhateverIsSealedOpensAgainAndShowsNothing: no text, name or value of a receipt
// stands in what is stored.
func TestWhateverIsSealedOpensAgainAndShowsNothing(t *testing.T) {
	t.Parallel()
	v := newVault(t, key("k1"))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[A-Z]{8} [0-9]{10}`)
		r := vault.Receipt{
			Text:   text.Draw(t, "text"),
			Params: rapid.MapOf(text, text).Draw(t, "params"),
		}
		if len(r.Params) == 0 {
			r.Params = nil
		}
		sealed, err := v.Seal("sale", r)
		require.NoError(t, err)
		require.NotContains(t, sealed, r.Text)
		for name, value := range r.Params {
			require.NotContains(t, sealed, name)
			require.NotContains(t, sealed, value)
		}
		opened, err := v.Open("sale", sealed)
		require.NoError(t, err)
		require.Equal(t, r, opened)
	})
}

// TestWhatWasTamperedWithDoesNotOpen: one bit of either half is enough, wherever it stands.
func TestWhatWasTamperedWithDoesNotOpen(t *testing.T) {
	t.Parallel()
	v := newVault(t, key("k1"))
	sealed, err := v.Seal("sale", told)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		p := parts(t, sealed)
		half := rapid.SampledFrom([]string{"w", "d"}).Draw(t, "half")
		raw, err := base64.StdEncoding.DecodeString(p[half])
		require.NoError(t, err)
		raw[rapid.IntRange(0, len(raw)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		p[half] = base64.StdEncoding.EncodeToString(raw)
		opened, err := v.Open("sale", joined(t, p))
		require.Error(t, err)
		require.True(t, opened.Empty(), "nothing of it is told")
	})
}

func TestWhatIsNoSealDoesNotOpen(t *testing.T) {
	t.Parallel()
	k1, k2 := key("k1"), key("k2")
	v, both := newVault(t, k1), newVault(t, k2, k1)
	sealed, err := v.Seal("sale", told)
	require.NoError(t, err)
	other, err := v.Seal("sale", vault.Receipt{Text: "another"})
	require.NoError(t, err)
	with := func(half, value string) string {
		p := parts(t, sealed)
		p[half] = value
		return joined(t, p)
	}
	for name, text := range map[string]string{
		"the text of another seal of the sale": with("d", parts(t, other)["d"]),
		"the key of another seal of the sale":  with("w", parts(t, other)["w"]),
		"the halves exchanged":                 joined(t, map[string]string{"k": "k1", "w": parts(t, sealed)["d"], "d": parts(t, sealed)["w"]}),
		"another of the vault's keys":          with("k", "k2"),
		"a key that is not there":              with("k", "k3"),
		"no key":                               with("k", ""),
		"no base64":                            with("w", "%%%"),
		"a text that is no base64":             with("d", "%%%"),
		"a cut text":                           with("d", parts(t, sealed)["d"][:8]),
		"an empty text":                        with("d", ""),
		"an empty key":                         with("w", ""),
		"half of it":                           sealed[:len(sealed)/2],
		"another form":                         `["k1"]`,
		"plain text":                           told.Text,
	} {
		opened, err := both.Open("sale", text)
		require.Error(t, err, name)
		require.True(t, opened.Empty(), name)
		for _, secret := range []string{told.Text, told.PIN()} {
			require.NotContains(t, err.Error(), secret, "%s: an error ends up in a log", name)
		}
	}
}

// TestWhatCannotBeRewrappedStaysAsItIs: the text is handed back, so that whoever stores
// the answer all the same has lost nothing.
func TestWhatCannotBeRewrappedStaysAsItIs(t *testing.T) {
	t.Parallel()
	k1, k2 := key("k1"), key("k2")
	both := newVault(t, k2, k1)
	sealed, err := newVault(t, k1).Seal("sale", told)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		by   *vault.Vault
		sale string
		text string
	}{
		"no seal":          {both, "sale", "plain"},
		"a missing key":    {newVault(t, k2), "sale", sealed},
		"another sale's":   {both, "another", sealed},
		"a spoilt wrap":    {both, "sale", strings.Replace(sealed, `"w":"`, `"w":"%`, 1)},
		"a key exchanged":  {newVault(t, k2, key("k1")), "sale", sealed},
		"the empty string": {both, "sale", ""},
	} {
		text, changed, err := c.by.Rewrap(c.sale, c.text)
		require.Error(t, err, name)
		require.False(t, changed, name)
		require.Equal(t, c.text, text, name)
	}
}

// TestKeysFollowOneAnother: each new key takes over from all before it, and the sealed
// text itself is never opened for that.
func TestKeysFollowOneAnother(t *testing.T) {
	t.Parallel()
	keys := []string{key("k1")}
	sealed, err := newVault(t, keys...).Seal("sale", told)
	require.NoError(t, err)
	data := parts(t, sealed)["d"]
	for _, id := range []string{"k2", "k3", "k4"} {
		keys = append([]string{key(id)}, keys...)
		var changed bool
		sealed, changed, err = newVault(t, keys...).Rewrap("sale", sealed)
		require.NoError(t, err)
		require.True(t, changed)
		require.Equal(t, id, parts(t, sealed)["k"])
		require.Equal(t, data, parts(t, sealed)["d"], "the receipt stays sealed")
		opened, err := newVault(t, keys[0]).Open("sale", sealed)
		require.NoError(t, err, "the newest key alone opens it")
		require.Equal(t, told, opened)
		_, err = newVault(t, keys[1:]...).Open("sale", sealed)
		require.Error(t, err, "those before do not")
	}
}

func TestAKeyFileIsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	k1, k2 := key("k1"), key("k2")
	sealed, err := newVault(t, k1).Seal("sale", told)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"as it was made":      k1,
		"without a last line": strings.TrimSpace(k1),
		"from Windows":        strings.ReplaceAll(k2+k1, "\n", "\r\n"),
		"with empty lines":    "\n\n" + k2 + "\n" + k1,
		"with notes":          "# of 2026\n" + k2 + "  # of 2025\n" + k1,
		"indented":            "  " + k1,
		"in capitals":         "k1:" + strings.ToUpper(strings.TrimPrefix(k1, "k1:")),
	} {
		v, err := vault.New(text)
		require.NoError(t, err, name)
		opened, err := v.Open("sale", sealed)
		require.NoError(t, err, name)
		require.Equal(t, told, opened, name)
		require.Equal(t, strings.Contains(text, "k2:"), v.Current() == "k2", "%s: the first one seals", name)
	}
	once, again := vault.NewKey(), vault.NewKey()
	require.NotEqual(t, once, again)
}

// TestASerialCannotBeTriedOutWithoutTheKey: the hash is one under the vault's key.
func TestASerialCannotBeTriedOutWithoutTheKey(t *testing.T) {
	t.Parallel()
	a, b := newVault(t, key("k1")), newVault(t, key("k1"))
	require.NotEqual(t, a.SerialHash(told), b.SerialHash(told))
	require.NotContains(t, b.SerialHashes("AB1234"), a.SerialHash(told))
	require.NotContains(t, strings.ToLower(a.SerialHash(told)), "ab1234")
	require.Len(t, newVault(t, key("k3"), key("k2"), key("k1")).SerialHashes("AB1234"), 3, "one for each key")
}

// TestAHintTellsLessThanHalf of a PIN, whatever it is.
func TestAHintTellsLessThanHalf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pin := rapid.StringMatching(`[0-9A-Z-]{0,24}`).Draw(t, "pin")
		hint := vault.Hint(pin)
		require.True(t, strings.HasSuffix(pin, hint))
		require.True(t, hint == "" || 2*len(hint) < len(pin))
		require.Equal(t, len(pin) > 8, hint != "")
	})
}

// TestWhatHasAPlaceOfItsOwnIsNotToldTwice: the other names come in order, each once.
func TestWhatHasAPlaceOfItsOwnIsNotToldTwice(t *testing.T) {
	t.Parallel()
	r := vault.Receipt{Params: map[string]string{}}
	for _, name := range []string{"pin", "serial", "expiry", "token", "units", "providerRef", "zone", "PIN", "amount"} {
		r.Params[name] = "1"
	}
	others := r.OtherParams()
	require.True(t, slices.IsSorted(others))
	require.Subset(t, others, []string{"PIN", "amount", "zone"})
	for _, known := range []string{"pin", "serial", "expiry", "token", "units"} {
		require.NotContains(t, others, known)
	}
	require.Empty(t, vault.Receipt{}.OtherParams())
}
