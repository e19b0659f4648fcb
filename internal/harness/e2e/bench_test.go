package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// BenchmarkDemoReady is the time from the start of web demo to its last line,
// on an empty directory and on one that has been used.
func BenchmarkDemoReady(b *testing.B) {
	for _, kind := range []string{"first", "later"} {
		b.Run(kind, func(b *testing.B) {
			dir := b.TempDir()
			if kind == "later" {
				demoReady(b, dir).stop(b)
			}
			binary(b, "web")
			for b.Loop() {
				b.StopTimer()
				if kind == "first" {
					dir = b.TempDir()
				}
				b.StartTimer()
				p := demoReady(b, dir)
				b.StopTimer()
				p.stop(b)
				b.StartTimer()
			}
		})
	}
}

func demoReady(b *testing.B, dir string) *process {
	b.Helper()
	p := start(b, nil, "web", "demo", "--addr", "127.0.0.1:0", "--data", dir)
	var line struct{ URL string }
	p.line(b, &line)
	return p
}

// lookUpUsers share the benchmark's pace, since each may look up only so often.
const lookUpUsers = 8

// BenchmarkLookUpPage is the counter's answer to a number on 17,573 products, as
// cashiers ask for it over HTTP, with the resident memory of the process. Each
// iteration asks for another number.
func BenchmarkLookUpPage(b *testing.B) {
	w := unstockedWorld(b, store.SQLite, startSimulator(b, "--data", ":memory:", "--products", "17573"))
	for i := 1; i < lookUpUsers; i++ {
		w.hire(b, fmt.Sprintf("cashier%d", i), "cashier")
	}
	p := w.serve(b).ready(b)
	cashiers := []*person{w.cashier(b, p)}
	for i := 1; i < lookUpUsers; i++ {
		someone := newPerson(b, p.url)
		someone.signIn(fmt.Sprintf("cashier%d", i), w.password)
		cashiers = append(cashiers, someone)
	}
	p.synced(b)
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		path := fmt.Sprintf("/counter?number=087%07d", i)
		took, status := cashiers[i%lookUpUsers].timed(b, path)
		for status == http.StatusTooManyRequests {
			b.StopTimer()
			time.Sleep(100 * time.Millisecond)
			b.StartTimer()
			took, status = cashiers[i%lookUpUsers].timed(b, path)
		}
		require.Equal(b, http.StatusOK, status)
		times = append(times, took)
	}
	slices.Sort(times)
	b.ReportMetric(milliseconds(times[len(times)/2]), "p50-ms")
	b.ReportMetric(milliseconds(times[len(times)*95/100]), "p95-ms")
	b.ReportMetric(float64(resident(b, p.process))/(1<<20), "resident-MB")
}

// timed asks for a page and returns how long it took to be read whole.
func (p *person) timed(b *testing.B, path string) (time.Duration, int) {
	b.Helper()
	request, err := http.NewRequest(http.MethodGet, p.base+path, nil)
	require.NoError(b, err)
	request.Header.Set("Accept", "text/html")
	begun := time.Now()
	response, err := p.client.Do(request)
	require.NoError(b, err)
	_, err = io.Copy(io.Discard, response.Body)
	took := time.Since(begun)
	require.NoError(b, err)
	require.NoError(b, response.Body.Close())
	return took, response.StatusCode
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// resident is the memory that a process occupies, in bytes.
func resident(b *testing.B, p *process) int {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Skip("no /proc on this system")
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); fields[0] == "VmRSS:" {
			kilobytes, err := strconv.Atoi(fields[1])
			require.NoError(b, err)
			return kilobytes << 10
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
