package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
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
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

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
