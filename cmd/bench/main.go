// Command bench measures what a sale costs, beside limits measured in the same run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"airtill/internal/harness/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, problems io.Writer) error {
	o := bench.Options{Root: "."}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.BoolVar(&o.Short, "short", os.Getenv("SHORT") != "", "within five minutes, with less of everything")
	flags.IntVar(&o.Stored, "stored", 0, "sales in the large database; 0 for 10,000,000, or 50,000 in a short run")
	flags.StringVar(&o.Bin, "bin", "", "programs that are built already")
	flags.StringVar(&o.Only, "only", "", "measure only the parts whose name has this, like webhooks or sqlite")
	to := flags.String("to", "", "the table as JSON; bench/latest.json if everything is measured")
	keep := flags.Bool("keep", false, "leave databases and logs where they are")
	profile := flags.String("profile", "", "profile each page instead, and leave the profiles in this directory")
	bounds := flags.String(
		"bounds",
		"",
		"count alone what a sale asks for, and fail where it is more than this file allows",
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "airtill-bench")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // PostgreSQL, as its own user, passes through
		return err
	}
	o.Dir = dir
	var figures []bench.Figure
	switch {
	case *profile != "":
		err = bench.Profile(ctx, o, *profile, out)
	case *bounds != "":
		figures, err = bench.Check(ctx, o, *bounds, out)
	default:
		figures, err = bench.Run(ctx, o, out)
	}
	if *keep || err != nil {
		fmt.Fprintln(problems, "databases and logs are in", dir)
	} else if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err != nil || *profile != "" || *bounds != "" {
		return err
	}
	fmt.Fprintln(out)
	if *to == "" && o.Only == "" {
		*to = "bench/latest.json"
	}
	if *to != "" {
		err = bench.WriteFile(*to, figures)
	}
	return errors.Join(bench.WriteTable(out, figures), err)
}
