package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// StartWithin is how long a program may take until it answers.
const StartWithin = 30 * time.Second

// StartSandbox starts a simulator that remembers nothing, at an address of its own
// choice, with further arguments.
func StartSandbox(o Order) (*Program, *Console, error) {
	o.Name, o.Args = "sandbox", append([]string{"serve", "--addr", "127.0.0.1:0", "--data", ":memory:"}, o.Args...)
	p, err := Start(o)
	if err != nil {
		return nil, nil, err
	}
	var where struct{ URL string }
	select {
	case line := <-p.Line:
		err = json.Unmarshal(line, &where)
	case <-p.Ended:
		err = errors.New("it ended at once")
	case <-time.After(StartWithin):
		err = errors.New("it does not start")
	}
	return p, &Console{URL: where.URL, Client: &http.Client{Timeout: Patience}}, err
}

// FreeAddress is one on this machine that nobody listens on just now.
//
// It is below the ports that systems give to connections of their own accord: one of
// those may be taken between this answer and the start of a program.
func FreeAddress() (string, error) {
	for range firstTaken - firstPort {
		port := firstPort + (startPort+int(ports.Add(1)))%(firstTaken-firstPort)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		listener, err := net.Listen("tcp", address) //nolint:noctx // it is closed at once
		if err == nil {
			return address, listener.Close()
		}
	}
	return "", errors.New("no port is free")
}

const (
	firstPort  = 12_000
	firstTaken = 32_000
)

// Programs of several harnesses begin apart, and none gives a port twice.
var (
	ports     atomic.Int64
	startPort = rand.IntN(firstTaken - firstPort) //nolint:gosec // no secret
)

// Answers waits until a program says 200 at a URL.
func Answers(ctx context.Context, p *Program, url string) error {
	for deadline := time.Now().Add(StartWithin); time.Now().Before(deadline); {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close() // only its status counts
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		if !p.Running() || ctx.Err() != nil {
			return fmt.Errorf("%s ended as it started, see its log", p.Name)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("%s does not answer", p.Name)
}
