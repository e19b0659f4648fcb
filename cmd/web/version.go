package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"runtime/debug"
)

// licences is written by scripts/licences; make verify holds it fresh.
//
//go:embed licences.txt
var licences string

func printLicences(_ context.Context, t terminal) error {
	_, err := fmt.Fprint(t.out, licences)
	return err
}

// printVersion prints which build this is, for bug reports and people who run several: the module's version,
// the commit and its time, and the compiler.
func printVersion(_ context.Context, t terminal) error {
	_, err := fmt.Fprintln(t.out, version())
	return err
}

func version() string {
	build, known := debug.ReadBuildInfo()
	if !known {
		build = &debug.BuildInfo{}
	}
	return versionOf(build)
}

func versionOf(build *debug.BuildInfo) string {
	stamp := map[string]string{}
	for _, s := range build.Settings {
		stamp[s.Key] = s.Value
	}
	text := "airtill " + cmp.Or(build.Main.Version, "(devel)")
	if commit := stamp["vcs.revision"]; commit != "" {
		text += ", commit " + commit[:min(12, len(commit))] + " of " + cmp.Or(stamp["vcs.time"], "an unknown time")
	}
	if stamp["vcs.modified"] == "true" {
		text += ", changed since"
	}
	return text + ", " + cmp.Or(build.GoVersion, "an unknown Go")
}
