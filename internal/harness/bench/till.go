package bench

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // driver pgx
	_ "modernc.org/sqlite"             // driver sqlite

	"airtill/internal/harness/stage"
)

// The databases that a till runs on.
const (
	onPostgres = "postgres"
	onSQLite   = "sqlite"
)

const (
	shopName = "Bench Shop"
	// mostTills is how many a shop may be given; a bench has more cashiers than a shop.
	mostTills = 100
	password  = "seven lamps over a quiet harbour"
)

// till is one till in production, with a simulator of its own.
type till struct {
	*services

	name     string // of its database
	on       string
	dir      string
	env      []string
	address  string
	sandbox  *stage.Program
	console  *stage.Console
	web      *stage.Program
	cashiers chan *cashier // those who are free
	people   int
	binary   string // web
	sku      string // of a product that everybody sells
	slow     string // of another
	customer *atomic.Int64
}

// services is what tills share: the programs, one PostgreSQL and one Redis.
type services struct {
	bin      string
	dir      string
	postgres *stage.Postgres
	redis    *stage.Redis
	tills    int // made so far; each has its own database in Redis
}

// Durable is how the database runs in production, with its statements counted.
const durable = `
shared_buffers = 512MB
max_wal_size = 4GB
checkpoint_timeout = 30min
shared_preload_libraries = 'pg_stat_statements'
pg_stat_statements.track = top
pg_stat_statements.max = 10000
`

func newServices(ctx context.Context, dir, bin string) (*services, error) {
	s := &services{bin: bin, dir: dir}
	var err error
	if s.postgres, err = stage.NewPostgres(ctx, filepath.Join(dir, "pg"), durable); err != nil {
		return s, err
	}
	redisDir := filepath.Join(dir, "redis")
	if err = os.MkdirAll(redisDir, 0o700); err != nil {
		return s, err
	}
	s.redis, err = stage.NewRedis(ctx, redisDir)
	return s, err
}

func (s *services) close() {
	if s.redis != nil {
		s.redis.Server.Kill()
	}
	if s.postgres != nil && s.postgres.Server != nil {
		s.postgres.Kill()
	}
}

// listed is how many products the transfer service had when this was measured first.
const listed = 17_573

// newTill makes a till with its shop; fill may do something with its empty database
// before anybody is there. It does not run yet.
func (s *services) newTill(ctx context.Context, name, on string, people int, fill func(*till) error) (*till, error) {
	return s.newTillOf(ctx, name, on, people, listed, fill)
}

// newTillOf is newTill beside a simulator that lists so many products.
func (s *services) newTillOf(
	ctx context.Context,
	name, on string,
	people, products int,
	fill func(*till) error,
) (*till, error) {
	t := &till{
		services: s,
		name:     name,
		on:       on,
		dir:      filepath.Join(s.dir, name),
		people:   people,
		binary:   filepath.Join(s.bin, "web"),
		customer: new(atomic.Int64),
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return t, err
	}
	var err error
	t.sandbox, t.console, err = stage.StartSandbox(stage.Order{
		Path: filepath.Join(s.bin, "sandbox"), Dir: t.dir, Args: []string{"--seed", "1", "--products", fmt.Sprint(products)},
	})
	if err == nil {
		err = t.console.Configure(ctx, map[string]any{"openingBalance": "100000000.00"})
	}
	if err == nil {
		err = t.console.Reset(ctx)
	}
	if err == nil {
		err = t.configure(ctx)
	}
	if err == nil {
		_, err = t.run(ctx, "migrate")
	}
	if err == nil && fill != nil {
		err = fill(t)
	}
	if err == nil {
		err = t.furnish(ctx)
	}
	return t, err
}

func (t *till) configure(ctx context.Context) error {
	var err error
	if t.address, err = stage.FreeAddress(); err != nil {
		return err
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	vault := filepath.Join(t.dir, "vault-key")
	if err := os.WriteFile(vault, []byte("k1:"+hex.EncodeToString(key)+"\n"), 0o600); err != nil {
		return err
	}
	t.env = []string{
		"LISTEN_ADDR=" + t.address, "PUBLIC_URL=" + t.url(), "VAULT_KEY_FILE=" + vault,
		"SECOND_FACTOR=optional", // what signs in here is a program
		"UPSTREAM_BASE_URL=" + t.console.URL, "UPSTREAM_AUTH_URL=" + t.console.URL,
		"UPSTREAM_CLIENT_ID=sandbox-client", "UPSTREAM_CLIENT_SECRET=sandbox-secret",
	}
	if t.on == onSQLite {
		t.env = append(t.env, "DATABASE_URL=sqlite:"+t.file())
		return nil
	}
	if _, err := t.postgres.Tool(ctx, "createdb", t.name); err != nil {
		return err
	}
	t.env = append(
		t.env,
		"DATABASE_URL="+t.postgres.URL(t.name),
		fmt.Sprintf("REDIS_URL=unix://%s?db=%d", t.redis.Socket(), t.tills),
	)
	t.tills++
	db, err := t.open()
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "CREATE EXTENSION pg_stat_statements")
	return errors.Join(err, db.Close())
}

func (t *till) url() string  { return "http://" + t.address }
func (t *till) file() string { return filepath.Join(t.dir, "airtill.db") }

// open opens the till's database beside it.
func (t *till) open() (*sql.DB, error) {
	if t.on == onSQLite {
		return sql.Open("sqlite", "file:"+t.file()+"?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)")
	}
	return sql.Open("pgx", t.postgres.URL(t.name))
}

// run runs a command of the till to its end.
func (t *till) run(ctx context.Context, args ...string) (string, error) {
	return stage.Run(
		ctx,
		password+"\n",
		stage.Order{Name: "web", Path: t.binary, Args: args, Env: t.env, Dir: t.dir},
	)
}

// furnish makes the shop with a till and a cashier for each of its people. The
// limits of sales are lifted: a bench sells more than people do.
func (t *till) furnish(ctx context.Context) error {
	for _, args := range [][]string{
		{
			"shop", "add", "--name", shopName, "--zone", "Europe/Dublin", "--country", "IE", "--currency", "EUR",
			"--tills", fmt.Sprint(min(t.people, mostTills)),
		},
		{"user", "add", "--username", "cashier0", "--role", "cashier", "--shop", shopName},
	} {
		if _, err := t.run(ctx, args...); err != nil {
			return err
		}
	}
	db, err := t.open()
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "DELETE FROM sale_limits")
	for i := mostTills + 1; i <= t.people && err == nil; i++ {
		_, err = db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO tills (id, shop_id, number, name)
			SELECT id || '-%d', shop_id, %d, 'Till %d' FROM tills
			WHERE number = 1 AND shop_id = (SELECT id FROM shops WHERE name = '`+shopName+"')", i, i, i))
	}
	for i := 1; i < t.people && err == nil; i++ { // who have the same password, which takes long to hash
		_, err = db.ExecContext(
			ctx,
			fmt.Sprintf(
				`INSERT INTO users (id, username, display_name, role, shop_id, locale, password_hash, epoch,
			disabled_at, created_at)
			SELECT id || '-%d', 'cashier%d', 'Cashier %d', role, shop_id, locale, password_hash, epoch, disabled_at, created_at
			FROM users WHERE username = 'cashier0'`,
				i,
				i,
				i,
			),
		)
	}
	return errors.Join(err, db.Close())
}

// start starts the till and waits until it can sell; further variables may follow.
func (t *till) start(ctx context.Context, env ...string) (err error) {
	t.web, err = stage.Start(
		stage.Order{
			Name: "web",
			Path: t.binary,
			Args: []string{"serve"},
			Env:  append(t.env, env...),
			Dir:  t.dir,
		},
	)
	if err != nil {
		return err
	}
	return stage.Answers(ctx, t.web, t.url()+"/readyz")
}

// tool runs one of PostgreSQL's programs on the till's database.
func (t *till) tool(ctx context.Context, name string, args ...string) (string, error) {
	return t.postgres.Tool(ctx, name, append(args, t.name)...)
}

func (t *till) stop() error { return t.web.Stop(time.Minute) }

func (t *till) close() {
	for _, p := range []*stage.Program{t.web, t.sandbox} {
		if p != nil && p.Running() {
			p.Kill()
		}
	}
}

// measure is the processor time of everybody so far.
func (t *till) measure() (u used, err error) {
	for _, part := range []struct {
		pid  int
		into *time.Duration
	}{{t.web.Cmd.Process.Pid, &u.web}, {t.sandbox.Cmd.Process.Pid, &u.upstream}, {os.Getpid(), &u.driver}} {
		if *part.into, err = processorTime(part.pid); err != nil {
			return u, err
		}
	}
	if t.on == onSQLite {
		return u, nil
	}
	if u.database, err = postgresTime(t.postgres); err == nil {
		u.redis, err = processorTime(t.redis.Server.Cmd.Process.Pid)
	}
	return u, err
}

// open-hours: everybody signs in, each from an address of her own, as terminals have.
func (t *till) arrive(ctx context.Context) error {
	tills, err := t.column(
		ctx,
		"SELECT id FROM tills WHERE shop_id = (SELECT id FROM shops WHERE name = '"+shopName+"') ORDER BY number",
	)
	if err != nil {
		return err
	}
	t.cashiers = make(chan *cashier, t.people)
	var all sync.WaitGroup
	errs := make([]error, t.people)
	turns := make(chan struct{}, 4) // hashing a password takes memory
	for i, at := range tills {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			c := &cashier{till: t, at: at, browser: stage.NewBrowser(t.url)}
			c.browser.From(net.IPv4(127, 0, byte(1+i/250), byte(1+i%250)))
			if errs[i] = c.arrive(ctx, fmt.Sprint("cashier", i), at); errs[i] == nil {
				t.cashiers <- c
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return t.choose(ctx)
}

func (t *till) column(ctx context.Context, query string) (all []string, err error) {
	db, err := t.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // only read
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err has told
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return nil, err
		}
		all = append(all, value)
	}
	return all, rows.Err()
}

// choose finds two products of one price that ask for nothing.
func (t *till) choose(ctx context.Context) error {
	c := <-t.cashiers
	defer func() { t.cashiers <- c }()
	offers, err := c.lookUp(ctx)
	if err != nil {
		return err
	}
	page, err := c.browser.Get(ctx, offers.products())
	if err != nil {
		return err
	}
	for _, button := range page.Doc.Find(`button[name="sku"]`).EachIter() {
		t.sku = button.AttrOr("value", "")
		confirm, err := c.browser.Get(ctx, offers.confirm(t.sku))
		if err != nil {
			return err
		}
		form := confirm.Form("/sales")
		if form.Get("shown") != "" && len(form["shown"]) == 1 &&
			confirm.Doc.Find(`form[action="/sales"] button`).Length() > 0 &&
			form.Get("amount") == "" {
			if t.slow != "" {
				return nil
			}
			t.slow = t.sku
		}
	}
	return fmt.Errorf("nothing that is on sale can be sold: status %d: %.300s", page.Status, page.Text())
}

// number is a customer's who has not been here.
func (t *till) number() string { return fmt.Sprintf("087%07d", 1_000_000+t.customer.Add(1)) }

// cashier sells at a till of her own.
type cashier struct {
	till    *till
	at      string     // the id of her till
	ask     url.Values // the form that a number is typed into
	offers  offers     // of a number whose confirm page may be asked for again
	sale    string     // one of hers whose page may be asked for again
	browser *stage.Browser
}

func (c *cashier) arrive(ctx context.Context, name, at string) error {
	if err := c.browser.SignIn(ctx, name, password); err != nil {
		return err
	}
	page, err := c.browser.Get(ctx, "/till")
	if err != nil {
		return err
	}
	if err := c.follow(ctx, "/till", url.Values{"csrf": {page.Token()}, "till": {at}}); err != nil {
		return err
	}
	shift, err := c.browser.Get(ctx, "/shift")
	if err != nil {
		return err
	}
	if form := shift.Form("/shift/open"); form != nil { // else it is open already
		form.Set("float", "100")
		if err := c.follow(ctx, "/shift/open", form); err != nil {
			return err
		}
	}
	counter, err := c.browser.Get(ctx, "/counter")
	if err != nil {
		return err
	}
	if c.ask = counter.Form("/counter"); c.ask == nil {
		err = fmt.Errorf("no form for a number: status %d: %.200s", counter.Status, counter.Text())
	}
	return err
}

func (c *cashier) follow(ctx context.Context, path string, form url.Values) error {
	answer, err := c.browser.Post(ctx, path, form)
	if err == nil && answer.Status != http.StatusSeeOther {
		err = fmt.Errorf("%s: status %d: %.200s", path, answer.Status, strings.TrimSpace(answer.Text()))
	}
	return err
}
