package main

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lines is a log that may be read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// An answer that comes twice, with a PIN in it, is logged by net/http itself; the
// PIN is not in the log. It is not parallel: there is one such log in a process.
func TestWhatLibrariesLogHoldsNoAnswer(t *testing.T) {
	said, was, read := new(lines), slog.Default(), make(chan struct{})
	slog.SetDefault(slog.New(library{newLog(said, slog.LevelInfo).Handler()}))
	t.Cleanup(func() { slog.SetDefault(was) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"pin\":\"8402029004\"}"
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = conn.Write([]byte(answer))
		<-read
		_, _ = conn.Write([]byte(answer))
	}()
	client := &http.Client{Transport: &http.Transport{}}
	response, err := client.Get("http://" + listener.Addr().String())
	require.NoError(t, err)
	var body bytes.Buffer
	_, err = body.ReadFrom(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	close(read)
	require.Contains(t, body.String(), "8402029004")
	require.Eventually(t, func() bool { return said.String() != "" }, time.Minute, time.Millisecond)
	require.Contains(t, said.String(), "Unsolicited response")
	require.NotContains(t, said.String(), "8402029004")
}

// TestLinesThatAreLostAreCounted: while nobody takes lines, whoever logs waits once; then the log says how many lack.
func TestLinesThatAreLostAreCounted(t *testing.T) {
	t.Parallel()
	reads, writes := io.Pipe()
	log := newLog(writes, slog.LevelInfo)
	began := time.Now()
	for i := range 5 {
		log.Info("line", "n", i)
	}
	require.Less(t, time.Since(began), 4*lineWithin)
	lines := bufio.NewScanner(reads)
	require.True(t, lines.Scan())
	require.Contains(t, lines.Text(), `"n":0`)
	said := make(chan string)
	go func() {
		for lines.Scan() {
			said <- lines.Text()
		}
	}()
	require.Eventually(t, func() bool { // the first line's writer may take a moment to end
		log.Info("line", "n", "next")
		select {
		case line := <-said:
			require.Regexp(t, `"level":"WARN","msg":"log.lines_lost","lines":([4-9]|[1-9][0-9]+)}`, line)
			return true
		default:
			return false
		}
	}, time.Minute, 10*time.Millisecond)
	require.Contains(t, <-said, `"n":"next"`)
}
