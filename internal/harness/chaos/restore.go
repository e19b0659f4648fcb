package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"airtill/internal/harness/stage"
)

// backupFault takes a backup in mid-storm, to be restored when all else is over.
func backupFault() fault {
	return fault{name: "backup", lane: "backup", do: func(ctx context.Context, s *storm) (bool, error) {
		err := s.backup(ctx)
		return err == nil, err
	}}
}

func (w *world) backupPath() string { return filepath.Join(w.dir, "backup") }

// backup copies the database while the till sells.
func (w *world) backup(ctx context.Context) error {
	if w.options.DB == postgresDB {
		path := filepath.Join(w.postgres.Dir, "backup")
		return w.tool(ctx, "pg_dump", "-Fc", "-f", path, "airtill")
	}
	b, err := w.openFile("_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer b.close()
	_, err = b.db.ExecContext(ctx, "VACUUM INTO ?", w.backupPath())
	return err
}

// tool runs one of PostgreSQL's programs.
func (w *world) tool(ctx context.Context, name string, args ...string) error {
	_, err := w.postgres.Tool(ctx, name, args...)
	return err
}

// restore puts the backup in the place of the database.
func (w *world) restore(ctx context.Context) error {
	if w.options.DB == postgresDB {
		return errors.Join(w.tool(ctx, "dropdb", "--force", "airtill"), w.tool(ctx, "createdb", "airtill"),
			w.tool(ctx, "pg_restore", "-d", "airtill", filepath.Join(w.postgres.Dir, "backup")))
	}
	for _, rest := range []string{"-wal", "-shm"} {
		if err := os.Remove(w.sqlitePath() + rest); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(w.backupPath(), w.sqlitePath())
}

// oldBackup is K16: a database that is older than what the till has done must
// not sell until somebody says that it was restored; then its refs are new, and
// nothing that it thinks is still to be sent is sent.
func (c *crew) oldBackup(ctx context.Context, r *Report) error {
	if err := c.restore(ctx); err != nil {
		return fmt.Errorf("restore the backup: %w", err)
	}
	before, err := c.console.Ledger(ctx)
	if err != nil {
		return err
	}
	s := c.sites[0]
	s.mode = "wait"
	if s.start(ctx) == nil {
		r.Violations = append(r.Violations, violation{"K16", "", "the till starts with a database older than what had been done"})
	}
	if err := errors.Join(s.close(stopWithin), c.makeSafe(ctx, s)); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	sold, err := c.sellOnce(ctx)
	if err := errors.Join(err, s.close(stopWithin)); err != nil {
		return err
	}
	return c.judgeRestored(ctx, r, before, sold)
}

// makeSafe runs web restored, which waits until no process counts as running and
// needs a look-up: where the limit of the list is used up, time has to pass.
func (c *crew) makeSafe(ctx context.Context, s *site) error {
	c.clock.setSpeed(c.options.Speed)
	defer c.clock.setSpeed(1)
	c.env = append(c.env, "LISTEN_ADDR="+s.own, "PUBLIC_URL="+s.url())
	var failed error
	_, err := seen(ctx, settleFor, func() (bool, error) {
		_, failed = c.web(ctx, "", "restored")
		return failed == nil, nil
	})
	return errors.Join(err, failed)
}

// sellOnce has a robot sell to the process that runs, and returns the sale, ""
// if the till refuses.
func (c *crew) sellOnce(ctx context.Context) (id string, err error) {
	robot := c.robots[c.options.Robots]
	_, err = seen(ctx, firesWithin, func() (bool, error) {
		if robot.browser.SignIn(ctx, robot.name, robot.password) != nil || robot.openShift(ctx) != nil {
			return false, nil //nolint:nilerr // it is not ready
		}
		p, err := robot.prepare(ctx, c.stock.fixed, c.stock.fixed.number(robot.dice))
		if err != nil || p == nil {
			return false, nil //nolint:nilerr // it is not ready, or refuses
		}
		if err := robot.press(ctx, p); err != nil || robot.saleOf(p) == nil {
			return false, nil //nolint:nilerr // likewise
		}
		id = robot.saleOf(p).id
		return true, nil
	})
	return id, err
}

func (c *crew) judgeRestored(ctx context.Context, r *Report, before stage.Ledger, sold string) error {
	b, err := c.openBooks()
	if err != nil {
		return err
	}
	defer b.close()
	refs, err := b.attempts(ctx)
	if err != nil {
		return err
	}
	after, err := c.console.Ledger(ctx)
	if err != nil {
		return err
	}
	asked := map[string]int{}
	codes := map[string]bool{}
	for _, e := range before.Entries {
		asked[e.DistributorRef] = len(e.RequestedAt)
		codes[e.DistributorRef[:4]] = true
	}
	found := func(sale, evidence string) { r.Violations = append(r.Violations, violation{"K16", sale, evidence}) }
	for _, e := range after.Entries {
		if codes[e.DistributorRef[:4]] && len(e.RequestedAt) > asked[e.DistributorRef] {
			found("", e.DistributorRef+" was sent after a backup was restored")
		}
	}
	switch {
	case sold == "":
		found("", "nothing can be sold although web restored was run")
	case codes[strings.Join(refs[sold], "")[:4]]:
		found(sold, "its ref begins with the installation code of before")
	}
	r.once("restored-backup", true)
	return nil
}
