// Command month plays a month of some shops against the simulator and says
// whether the books found all that went wrong in it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"airtill/internal/harness/month"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(month.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
