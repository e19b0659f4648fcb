package main

import (
	"bytes"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionSaysWhichBuildThisIs(t *testing.T) {
	t.Parallel()
	build := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.time", Value: "2026-03-01T12:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	require.Equal(t, "airtill v1.2.3, commit 0123456789ab of 2026-03-01T12:00:00Z, changed since, go1.26.8", versionOf(build))
	require.Equal(t, "airtill (devel), an unknown Go", versionOf(&debug.BuildInfo{}))

	var out bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"version"}, nil, nil, &out, &out))
	require.Contains(t, out.String(), "airtill ")
}

// TestLicencesNameWhatIsLinked: each module of this test's own binary that the
// programs link, and what browsers are served.
func TestLicencesNameWhatIsLinked(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"licences"}, nil, nil, &out, &out))
	for _, name := range []string{"airtill\n", "htmx\n", "github.com/gin-gonic/gin v", "gorm.io/gorm v", "github.com/riverqueue/river v", "modernc.org/sqlite v", "Mozilla Public License"} {
		require.Contains(t, out.String(), "\n"+name)
	}
}
