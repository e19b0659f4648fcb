package bench

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// asks is what PostgreSQL was asked while one page was waited for.
type asks struct{ page, statement string }

var (
	executed = regexp.MustCompile(`LOG:  (?:statement|execute [^:]+): (.*)`)
	spaces   = regexp.MustCompile(`\s+`)
)

// marker begins the statements with which the bench tells the server's log what follows.
const marker = "SELECT 'bench: "

// trace prints which statements each page of a whole sale asks for, from the server's own
// log: one cashier sells, and tells the log which page comes next. What the till does
// beside the request stands with the page that was waited for meanwhile.
func (t *till) trace(ctx context.Context, sales int, out io.Writer) (err error) {
	db, err := t.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	name := `ALTER DATABASE "` + t.name + `" `
	if _, err := db.ExecContext(ctx, name+"SET log_statement = 'all'"); err != nil {
		return err
	}
	if err := errors.Join(t.stop(), t.start(ctx)); err != nil { // with sessions that log
		return err
	}
	if _, err := t.sell(ctx, 4, t.people); err != nil { // warm
		return err
	}
	marks, err := t.open() // logs too
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, marks.Close()) }()
	for range sales {
		if err := t.sellMarked(ctx, marks); err != nil {
			return err
		}
	}
	if _, err := db.ExecContext(ctx, name+"RESET log_statement"); err != nil {
		return err
	}
	log, err := os.Open(filepath.Join(t.postgres.Dir, "postgres.log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // only read
	counted, err := readTrace(log)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nWhat each page of a whole sale asks of PostgreSQL: times a sale, statement")
	for _, page := range append(slices.Clone(pages[:]), "idle") {
		fmt.Fprintln(out, page)
		for _, one := range slices.SortedFunc(maps.Keys(counted), func(a, b asks) int {
			return cmp.Or(cmp.Compare(counted[b], counted[a]), strings.Compare(a.statement, b.statement))
		}) {
			if one.page == page {
				fmt.Fprintf(out, "%6.2f  %.140s\n", float64(counted[one])/float64(sales), one.statement)
			}
		}
	}
	return nil
}

// sellMarked makes one sale, and tells the log which of its pages is asked for.
func (t *till) sellMarked(ctx context.Context, marks *sql.DB) error {
	c := <-t.cashiers
	defer func() { t.cashiers <- c }()
	mark := func(page string) error {
		_, err := marks.ExecContext(ctx, marker+page+"'")
		return err
	}
	if err := mark(pages[0]); err != nil {
		return err
	}
	offers, err := c.lookUp(ctx)
	if err != nil {
		return err
	}
	if err := mark(pages[1]); err != nil {
		return err
	}
	form, err := c.form(ctx, offers)
	if err != nil {
		return err
	}
	if err := mark(pages[2]); err != nil {
		return err
	}
	sale, err := c.post(ctx, form)
	if err != nil {
		return err
	}
	if err := mark(pages[3]); err != nil {
		return err
	}
	if err := c.outcome(ctx, sale); err != nil {
		return err
	}
	sleep(ctx, 100*time.Millisecond) // what follows the sale
	return mark("idle")
}

// readTrace counts the statements of a log, each with the page that was marked before it.
func readTrace(log io.Reader) (map[asks]int, error) {
	counted := map[asks]int{}
	page := ""
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		found := executed.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		if next, is := strings.CutPrefix(found[1], marker); is {
			page = strings.TrimSuffix(next, "'")
			continue
		}
		counted[asks{page, strings.TrimSpace(spaces.ReplaceAllString(found[1], " "))}]++
	}
	return counted, lines.Err()
}
