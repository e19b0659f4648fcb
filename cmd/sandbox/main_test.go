package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// started runs the program and returns the address it prints, and a way to end
// it that gives its exit code.
func started(t *testing.T, args ...string) (url string, end func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), write, io.Discard)
	}()
	var line struct{ URL string }
	require.NoError(t, json.NewDecoder(read).Decode(&line))
	return line.URL, func() int {
		cancel()
		return <-code
	}
}

func balance(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/V1/GetBalance", nil)
	require.NoError(t, err)
	request.Header.Set("api_key", "sandbox-key")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

func TestServePrintsWhereItListensAndStopsCleanly(t *testing.T) {
	t.Parallel()
	url, end := started(t, "--products", "60", "--seed", "7")
	require.Contains(t, balance(t, url), `"Balance":10000`)
	require.Zero(t, end())
	_, err := http.Get(url) //nolint:bodyclose // it must fail
	require.Error(t, err)
}

func TestServeKeepsItsDataDirectory(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "data")
	url, end := started(t, "--data", directory)
	response, err := http.Post(url+"/_sandbox/topup", "application/json", strings.NewReader(`{"amount":"5.50"}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Zero(t, end())
	url, end = started(t, "--data", directory)
	require.Contains(t, balance(t, url), `"Balance":10005.5`)
	require.Zero(t, end())
}

func TestServeRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no command":       {nil, 2, "usage"},
		"unknown command":  {[]string{"sell"}, 2, "usage"},
		"unknown flag":     {[]string{"serve", "--nonsense"}, 2, "nonsense"},
		"an argument":      {[]string{"serve", "x"}, 2, "unexpected argument"},
		"public address":   {[]string{"serve", "--addr", "0.0.0.0:0"}, 1, "--public"},
		"every address":    {[]string{"serve", "--addr", ":0"}, 1, "--public"},
		"other address":    {[]string{"serve", "--addr", "192.0.2.1:0"}, 1, "--public"},
		"a name":           {[]string{"serve", "--addr", "example.com:0"}, 1, "--public"},
		"no port":          {[]string{"serve", "--addr", "127.0.0.1"}, 1, "address"},
		"missing list":     {[]string{"serve", "--addr", "127.0.0.1:0", "--catalog", "missing.csv"}, 1, "product list"},
		"no such loopback": {[]string{"serve", "--addr", "127.0.0.1:99999"}, 1, "listen"},
	} {
		var stderr bytes.Buffer
		require.Equal(t, c.code, run(t.Context(), c.args, io.Discard, &stderr), name)
		require.Contains(t, stderr.String(), c.says, name)
	}
}

func TestServePublicWhenMeant(t *testing.T) {
	t.Parallel()
	require.Error(t, loopback("0.0.0.0:0"))
	for _, addr := range []string{"127.0.0.1:0", "[::1]:80", "localhost:1", "127.9.9.9:1"} {
		require.NoError(t, loopback(addr))
	}
}

func TestTerminatesOnSIGTERM(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "sandbox")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", output)
	command := exec.CommandContext(t.Context(), binary, "serve", "--addr", "127.0.0.1:0", "--products", "10")
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var line struct{ URL string }
	require.NoError(t, json.NewDecoder(stdout).Decode(&line))
	require.Contains(t, balance(t, line.URL), `"Balance":10000`)
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	require.NoError(t, command.Wait())
}
