package chaos

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"airtill/internal/harness/stage"
)

// secrets is I9: no PIN that was sold stands anywhere in clear.
func (c *crew) secrets(ctx context.Context, b *books, j *judgement) error {
	var pins []string
	for _, r := range c.robots {
		pins = append(pins, r.pins...)
	}
	places, err := filepath.Glob(filepath.Join(c.dir, "web*.log"))
	if err != nil {
		return err
	}
	for _, place := range places {
		text, err := os.ReadFile(place)
		if err != nil {
			return err
		}
		j.searched(filepath.Base(place), string(text), pins)
	}
	for place, text := range c.exposed {
		j.searched(place, text, pins)
	}
	return c.searchTables(ctx, b, j, pins)
}

// expose gathers what the till shows to those who may not see a PIN, and what it
// keeps in Redis, while it still runs.
func (c *crew) expose(ctx context.Context) error {
	c.exposed = map[string]string{}
	for _, s := range c.sites {
		metrics := stage.NewBrowser(func() string { return "http://" + s.own })
		page, err := metrics.Ask(ctx, http.MethodGet, "/metrics", nil)
		if err != nil {
			return err
		}
		c.exposed["the metrics of "+s.name] = string(page.Body)
	}
	manager := stage.NewBrowser(c.sites[0].url)
	if err := manager.SignIn(ctx, managerName, c.password); err != nil {
		return err
	}
	for _, path := range []string{"/sales", "/reports/sales.csv"} {
		page, err := manager.Ask(ctx, http.MethodGet, path, nil)
		if err == nil && page.Status != http.StatusOK {
			err = fmt.Errorf("status %d", page.Status)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		c.exposed[path] = string(page.Body) // with what is in attributes, such as hidden fields
	}
	if c.redis == nil {
		return nil
	}
	all, err := c.redis.everything(ctx)
	c.exposed["redis"] = all
	return err
}

func (j *judgement) searched(place, text string, pins []string) {
	for _, pin := range pins {
		if strings.Contains(text, pin) || strings.Contains(text, grouped(pin)) {
			j.add("I9", "", "a PIN stands in %s", place)
			return
		}
	}
}

// grouped writes digits in groups of four, as people do.
func grouped(digits string) string {
	var parts []string
	for ; len(digits) > 4; digits = digits[4:] {
		parts = append(parts, digits[:4])
	}
	return strings.Join(append(parts, digits), " ")
}

// searchTables reads every table as text.
func (c *crew) searchTables(ctx context.Context, b *books, j *judgement, pins []string) error {
	tables := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if c.options.DB == postgresDB {
		tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	}
	names, err := b.texts(ctx, tables)
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := b.dump(ctx, name)
		if err != nil {
			return err
		}
		j.searched("table "+name, text, pins)
	}
	return nil
}

func (b *books) dump(ctx context.Context, table string) (string, error) {
	found, err := b.db.QueryContext(ctx, `SELECT * FROM "`+table+`"`) //nolint:gosec // the name comes from the catalogue
	if err != nil {
		return "", fmt.Errorf("dump %s: %w", table, err)
	}
	defer func() { _ = found.Close() }() // Err has told
	columns, err := found.Columns()
	if err != nil {
		return "", err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var all strings.Builder
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return "", err
		}
		for _, value := range values {
			if raw, ok := value.([]byte); ok {
				value = string(raw)
			}
			fmt.Fprintln(&all, value)
		}
	}
	return all.String(), found.Err()
}
