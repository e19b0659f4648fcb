package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRulesOfSellingAreSetFromTheCommandLine(t *testing.T) {
	t.Parallel()
	env := []string{"DATABASE_URL=sqlite:" + t.TempDir() + "/a.db", "UPSTREAM_AUTH_URL=https://auth.example.com"}
	do := func(args ...string) said {
		t.Helper()
		return airtill(t, env, "", args...)
	}
	require.Zero(t, do("migrate").status)
	require.Zero(t, do("shop", "add", "--name", "Main Street", "--zone", "Europe/Dublin", "--country", "IE", "--currency", "EUR").status)

	require.Zero(t, do("limit", "set", "--shop", "Main Street", "--of", "number", "--per", "day", "--count", "9").status)
	require.Zero(t, do("limit", "set", "--of", "sale", "--amount", "80.50", "--currency", "EUR").status)
	list := do("limit", "list").out
	require.Regexp(t, `Main Street +number +day +9`, list)
	require.Regexp(t, `\(every shop\) +sale +each +80\.50 EUR`, list)
	removed := do("limit", "set", "--shop", "Main Street", "--of", "number", "--per", "day", "--remove")
	require.Equal(t, said{0, "the limit is gone from the next sale on\n", removed.err}, removed)
	require.NotContains(t, do("limit", "list").out, "Main Street")
	for _, wrong := range [][]string{
		{"--of", "number", "--per", "day"},
		{"--of", "number", "--per", "day", "--count", "-1"},
		{"--of", "number", "--per", "day", "--count", "0"},
		{"--of", "number", "--per", "day", "--count", "5", "--amount", "5"},
		{"--of", "number", "--per", "day", "--count", "5", "--currency", "EUR"}, // not five millionths of a euro
		{"--of", "number", "--per", "day", "--amount", "50"},                    // not fifty million sales
		{"--of", "sale", "--amount", "x", "--currency", "EUR"},
		{"--of", "planet", "--per", "day", "--count", "5"},
		{"--of", "number", "--per", "day", "--count", "5", "--remove"},
		{"--shop", "Main Street", "--of", "number", "--per", "day", "--remove"}, // there is none any more
		{"--shop", "Nowhere", "--of", "number", "--per", "day", "--count", "5"},
	} {
		got := do(append([]string{"limit", "set"}, wrong...)...)
		require.Equal(t, 1, got.status, wrong)
		require.NotEmpty(t, got.err)
	}

	for wrong, told := range map[string]string{
		"--of number --count 5":                          "--of number needs --per hour or day",
		"--of number --per week --count 5":               "--of number needs --per hour or day",
		"--of sale --per day --count 5":                  "--of sale needs --per each",
		"--of planet --count 5":                          "--of is one of sale, number, cashier, refund, float, kept",
		"--count 5":                                      "--of is one of sale, number, cashier, refund, float, kept",
		"--shop Nowhere --of number --per day --count 5": `--shop: There is no shop "Nowhere". Add it first with web shop add.`,
	} {
		got := do(append([]string{"limit", "set"}, strings.Fields(wrong)...)...)
		require.Equal(t, said{1, "", "web: " + told + "\n"}, got, wrong)
	}

	require.Contains(t, do("sendmode", "--product", "SKU1", "--mode", "defer").out, "everything else: wait\nproduct SKU1: defer")
	require.NotContains(t, do("sendmode").out, "rests")
	require.Contains(t, airtill(t, env[:1], "", "sendmode").out, "product SKU1: defer\n  but it rests: Transfers are deferred only")
	require.NotContains(t, do("sendmode", "--product", "SKU1", "--mode", "default").out, "SKU1")
	require.Equal(t, 1, do("sendmode", "--provider", "P1", "--mode", "never").status)
	for _, half := range [][]string{
		{"sendmode", "--provider", "P1", "--product", "SKU1", "--mode", "wait"},
		{"sendmode", "--mode", "wait"},
		{"sendmode", "--provider", "P1"},
		{"validating", "--off"},
	} {
		got := do(half...)
		require.Equal(t, said{1, "", got.err}, got, half)
	}
	require.NotContains(t, do("sendmode").out, "P1")
	deaf := airtill(t, env[:1], "", "sendmode", "--provider", "P1", "--mode", "defer")
	require.Equal(t, 1, deaf.status)
	require.Contains(t, deaf.err, "UPSTREAM_AUTH_URL")
	require.Equal(t, "P1\n", do("validating", "--provider", "P1").out)
	require.Empty(t, do("validating", "--provider", "P1", "--off").out)
}
