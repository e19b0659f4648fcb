// Package month plays a month of some shops against the simulator, lets every
// kind of drift happen that the books must find, and says whether each was found
// with the right kind and amount, nothing else was reported, and nothing is left
// once two people have dealt with it.
package month

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// options are the flags.
type options struct {
	shops int
	days  int
	sales int
	seed  uint64
	data  string
}

// shortestMonth has a day of its own for each drift that needs one.
const shortestMonth = 28

func parse(args []string, problems io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("month", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.IntVar(&o.shops, "shops", 10, "how many shops")
	flags.IntVar(&o.days, "days", 30, "how many days")
	flags.IntVar(&o.sales, "sales", 20_000, "how many sales at least")
	flags.Uint64Var(&o.seed, "seed", 1, "the same number plays the same month")
	flags.StringVar(&o.data, "data", "", "directory in which the books stay; without one they are thrown away")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.shops < 1 || o.days < shortestMonth || o.sales < o.shops*o.days*roundsADay {
		return o, fmt.Errorf("a month has a shop, %d days, and %d sales of each shop a day at least", shortestMonth, roundsADay)
	}
	return o, nil
}

// Run is the whole of cmd/month; it returns the exit status: 1 if the books found
// something else than what was done to them, 2 for a command line that says
// nothing to it.
func Run(ctx context.Context, args []string, out, problems io.Writer) int {
	o, err := parse(args, problems)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		fmt.Fprintln(problems, "month:", err)
		return 2
	}
	result, err := o.play(ctx, out)
	if err == nil {
		err = result.write(out)
	}
	switch {
	case err != nil:
		fmt.Fprintln(problems, "month:", err)
		return 1
	case !result.passed():
		return 1
	}
	return 0
}

// play plays the month in a directory of its own.
func (o options) play(ctx context.Context, out io.Writer) (r result, err error) {
	dir := o.data
	if dir == "" {
		if dir, err = os.MkdirTemp("", "month"); err != nil {
			return result{}, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	began := time.Now()
	w, err := newWorld(ctx, o, dir)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	m := newMonth(w, out)
	if err := m.play(ctx); err != nil {
		return result{}, err
	}
	r, err = m.judge(ctx)
	r.took = time.Since(began)
	return r, err
}
