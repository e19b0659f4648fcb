// Command chaos runs the whole till, lets everything go wrong, heals it, and
// says whether every sale was carried out once or not at all and is known.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"airtill/internal/harness/chaos"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program; it returns the exit status: 1 if something was
// violated or could not be run, 2 for a command line that says nothing to it.
func run(ctx context.Context, args []string, out, problems io.Writer) int {
	s, err := parse(args, problems)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	switch {
	case s.list:
		chaos.WriteFaults(out)
		return 0
	case s.table != "":
		return status(writeTable(out, s.table), problems)
	}
	report, err := s.chaos(ctx, out)
	switch {
	case err != nil:
		return status(err, problems)
	case !report.Passed():
		return 1
	}
	return 0
}

func status(err error, problems io.Writer) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(problems, "chaos:", err)
	return 1
}

// writeTable writes the figures of the reports in a directory.
func writeTable(out io.Writer, dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	var reports []*chaos.Report
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		r := new(chaos.Report)
		if err := json.Unmarshal(raw, r); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		reports = append(reports, r)
	}
	chaos.WriteTable(out, reports)
	return nil
}

// settings are the flags.
type settings struct {
	options chaos.Options
	out     string
	keep    bool
	list    bool
	table   string
}

func parse(args []string, problems io.Writer) (settings, error) {
	var s settings
	var faults string
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(problems)
	o := &s.options
	flags.Uint64Var(&o.Seed, "seed", 1, "everything random comes from it")
	flags.DurationVar(&o.Duration, "duration", time.Minute, "how long everything goes wrong")
	flags.StringVar(&faults, "faults", "all", "names or families of faults, with commas: all, none, "+strings.Join(chaos.Faults(), ", "))
	flags.StringVar(&o.DB, "db", "sqlite", "sqlite, or postgres with two processes of the till")
	flags.IntVar(&o.Robots, "robots", 16, "cashiers, each at a till of her own")
	flags.IntVar(&o.Pace, "pace", 10, "sales a second, of all robots together")
	flags.IntVar(&o.Speed, "speed", 20, "how many seconds pass in one while the world heals")
	flags.IntVar(&o.Busy, "busy", 0, "how many transfers are sold in twenty minutes at the end, sixty of them not answered; 0 for none, 1000 is a busy shop")
	flags.IntVar(&o.Backlog, "backlog", 200, "how many sales are left unknown at once at the end, 0 for none")
	flags.BoolVar(&o.Calm, "calm", true, "measure how soon cut and hung connections are known; takes two minutes")
	flags.StringVar(&o.Broken, "broken", "", "a law that the till is not to keep: the run must fail")
	flags.StringVar(&o.Bin, "bin", "", "where the programs are that an earlier run has left, or this one is to leave")
	flags.StringVar(&s.out, "out", "", "directory for report.txt and report.json")
	flags.BoolVar(&s.keep, "keep", false, "keep the logs and the database of the run")
	flags.BoolVar(&s.list, "list", false, "only write the table of all faults")
	flags.StringVar(&s.table, "table", "", "only write the table of the reports in this directory")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		fmt.Fprintln(problems, "chaos: unexpected argument", flags.Arg(0))
		return s, errors.New("unexpected argument")
	}
	o.Faults = strings.Split(faults, ",")
	return s, nil
}

func (s settings) chaos(ctx context.Context, out io.Writer) (*chaos.Report, error) {
	dir, err := os.MkdirTemp("", "airtill-chaos-*")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // PostgreSQL, under its own user, passes through
		return nil, err
	}
	if s.keep {
		fmt.Fprintln(out, "everything of this run is kept in", dir)
	} else {
		defer func() { _ = os.RemoveAll(dir) }() // what is left is in the way of nobody
	}
	s.options.Dir = dir
	report, err := chaos.Run(ctx, s.options, out)
	if err != nil {
		return nil, err
	}
	report.Write(out)
	return report, s.write(report)
}

// write leaves the report in files.
func (s settings) write(r *chaos.Report) error {
	if s.out == "" {
		return nil
	}
	if err := os.MkdirAll(s.out, 0o750); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	var text strings.Builder
	r.Write(&text)
	name := fmt.Sprintf("chaos-%s-%03d", r.Options.DB, r.Options.Seed)
	return errors.Join(
		os.WriteFile(filepath.Join(s.out, name+".json"), raw, 0o600), os.WriteFile(filepath.Join(s.out, name+".txt"), []byte(text.String()), 0o600))
}
