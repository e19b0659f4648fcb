// Command sandbox runs the simulator of the transfer service.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"airtill/internal/harness/failpoint"
	"airtill/internal/sandbox"
)

const usage = `usage: sandbox serve [flags]

Runs a simulator of the transfer service with its console under /_sandbox/.
The last line printed says where: {"url":"http://127.0.0.1:PORT"}
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] != "serve" {
		fmt.Fprint(stderr, usage)
		return 2
	}
	o, err := parseFlags(args[1:], stderr)
	if err != nil {
		return 2
	}
	if err := serve(ctx, o, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "sandbox:", err)
		return 1
	}
	return 0
}

// settings are the flags of serve.
type settings struct {
	addr   string
	public bool
	deps   sandbox.Deps
}

func parseFlags(args []string, stderr io.Writer) (settings, error) {
	o := settings{deps: sandbox.Deps{Now: failpoint.Now}}
	flags := flag.NewFlagSet("sandbox serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8081", "address to listen on; port 0 picks a free one")
	flags.StringVar(&o.deps.Data, "data", sandbox.Memory, "directory for the journal and keys, or "+sandbox.Memory)
	flags.Int64Var(&o.deps.Seed, "seed", 1, "seed of the catalogue and of everything random")
	flags.StringVar(&o.deps.Catalog, "catalog", "", "CSV list of products to derive the catalogue from")
	flags.IntVar(&o.deps.Products, "products", 0, "how many products; 0 means as many as there are")
	flags.BoolVar(&o.public, "public", false, "allow an address that is not loopback")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		fmt.Fprintln(stderr, "sandbox: unexpected argument", flags.Arg(0))
		return o, errors.New("unexpected argument")
	}
	return o, nil
}

// serve listens until the context ends, then finishes what is under way.
func serve(ctx context.Context, o settings, stdout, stderr io.Writer) error {
	if !o.public {
		if err := loopback(o.addr); err != nil {
			return err
		}
	}
	o.deps.Log = slog.New(slog.NewTextHandler(stderr, nil))
	service, err := sandbox.New(o.deps)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return errors.Join(fmt.Errorf("listen: %w", err), service.Close())
	}
	// No ReadTimeout: it would also end calls that hang or take 90 seconds on purpose.
	server := &http.Server{Handler: service.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	if err := json.NewEncoder(stdout).Encode(map[string]string{"url": "http://" + listener.Addr().String()}); err != nil {
		return errors.Join(err, server.Close(), service.Close())
	}
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = shutDown(server)
	}
	return errors.Join(err, service.Close())
}

// shutDown lets requests end for a while, then closes their connections.
func shutDown(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// loopback refuses addresses that others could reach.
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address: %w", err)
	}
	if ip := net.ParseIP(host); host == "localhost" || (ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%s is not a loopback address: the console and the default keys are open to everyone who reaches it; add --public if that is meant", addr)
}
