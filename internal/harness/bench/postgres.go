package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// limitRound is what pgbench did in some time.
type limitRound struct {
	transactions int
	perSecond    float64
	database     time.Duration // processor time of PostgreSQL alone
}

// each is the processor time of one, in milliseconds.
func (r limitRound) each() float64 { return milliseconds(r.database) / float64(r.transactions) }

var (
	processed = regexp.MustCompile(`number of transactions actually processed: (\d+)`)
	rate      = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)
	failed    = regexp.MustCompile(`number of failed transactions: ([1-9]\d*)`)
)

// pgbench runs a script with some clients for some time. Each run has a number of its
// own, which the script's ids begin with.
func (s *services) pgbench(
	ctx context.Context,
	database, script string,
	clients int,
	d time.Duration,
	run int,
) (r limitRound, err error) {
	path := filepath.Join(s.postgres.Dir, "limit.sql")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil { //nolint:gosec // PostgreSQL's user reads it
		return r, err
	}
	before, err := postgresTime(s.postgres)
	if err != nil {
		return r, err
	}
	text, err := s.postgres.Tool(
		ctx,
		"pgbench",
		"-n",
		"-M",
		"prepared",
		"-f",
		path,
		"-c",
		fmt.Sprint(clients),
		"-j",
		fmt.Sprint(min(clients, 2)),
		"-T",
		fmt.Sprint(max(1, int(d.Seconds()))),
		"-D",
		fmt.Sprint("run=", run),
		"-D",
		"i=0",
		database,
	)
	if err != nil {
		return r, err
	}
	after, err := postgresTime(s.postgres)
	if err != nil {
		return r, err
	}
	r.database = after - before
	if many := failed.FindStringSubmatch(text); many != nil {
		return r, fmt.Errorf("%s transactions of the limit failed: %s", many[1], text)
	}
	number, tps := processed.FindStringSubmatch(text), rate.FindStringSubmatch(text)
	if number == nil || tps == nil {
		return r, fmt.Errorf("pgbench says nothing of its rate: %s", text)
	}
	if r.transactions, err = strconv.Atoi(number[1]); err == nil {
		r.perSecond, err = strconv.ParseFloat(tps[1], 64)
	}
	return r, err
}

// repeat makes sales of the shape in the till's own database.
func (t *till) repeat(ctx context.Context, shape *saleShape, sales int) error {
	path := filepath.Join(t.postgres.Dir, "repeat.sql")
	if err := os.WriteFile(path, []byte(shape.pgbench()), 0o644); err != nil { //nolint:gosec // PostgreSQL's user reads it
		return err
	}
	_, err := t.tool(
		ctx,
		"pgbench",
		"-n",
		"-M",
		"prepared",
		"-f",
		path,
		"-t",
		fmt.Sprint(sales),
		"-D",
		"run=100",
		"-D",
		"i=0",
	)
	return err
}
