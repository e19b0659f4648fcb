package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"airtill/internal/harness/stage"
)

// world is the till with all that it stands on, each behind a proxy that can
// spoil what passes.
type world struct {
	options  Options
	dir      string
	bin      string
	env      []string // of every process of the till
	password string
	clock    *clock
	sandbox  *stage.Program
	console  *stage.Console
	upstream *proxy
	identity *proxy
	database *proxy          // nil on SQLite
	redisWay *proxy          // nil on SQLite
	postgres *stage.Postgres // nil on SQLite
	redis    *redis          // nil on SQLite
	sites    []*site
	stock    *stock

	log *os.File

	mu        sync.Mutex
	disturbed int            // how many faults keep everybody from selling now
	quietAt   time.Time      // since when none does
	troubles  map[string]int // what went wrong for the robots, by what it said
}

const (
	shopName    = "Chaos Shop"
	managerName = "manager"
	vaultKey    = "k1:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"
	openingOf   = "1000000.00" // the agent's balance
)

// newWorld builds and starts everything but the till itself.
func newWorld(ctx context.Context, o Options, dir string) (*world, error) {
	w := &world{options: o, dir: dir, bin: filepath.Join(dir, "bin"), password: "seven lamps over a quiet harbour", troubles: map[string]int{}}
	w.clock = newClock(dir)
	log, err := os.Create(filepath.Join(dir, "chaos.log"))
	if err != nil {
		return w, err
	}
	w.log = log
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"build", w.build},
		{"start the simulator", w.startSandbox},
		{"start the database", w.startServices},
		{"configure", w.configure},
		{"furnish", w.furnish},
	} {
		if err := step.do(ctx); err != nil {
			return w, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return w, nil
}

// Build compiles the programs into a directory, for Options.Bin.
func Build(ctx context.Context, root, bin string) error {
	for _, args := range [][]string{
		{"build", "-tags", "failpoints,nomsgpack", "-o", bin + "/", "airtill/cmd/web", "airtill/cmd/sandbox"},
		{"build", "-tags", "failpoints,nomsgpack", "-ldflags=-s", "-o", bin + "/web-other", "airtill/cmd/web"},
	} {
		if _, err := stage.Run(ctx, "", stage.Order{Name: "go", Path: "go", Args: args, Env: os.Environ(), Dir: root}); err != nil {
			return err
		}
	}
	return nil
}

// build compiles the programs, the till with its failpoints, and the till once
// more as another version.
func (w *world) build(ctx context.Context) error {
	if w.options.Bin != "" {
		w.bin = w.options.Bin
		if _, err := os.Stat(filepath.Join(w.bin, "web-other")); err == nil {
			return nil // it is the last that is built
		}
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	return Build(ctx, root, w.bin)
}

func (w *world) startSandbox(ctx context.Context) error {
	clock, err := w.clock.file("sandbox")
	if err != nil {
		return err
	}
	w.sandbox, w.console, err = stage.StartSandbox(stage.Order{
		Path: filepath.Join(w.bin, "sandbox"), Dir: w.dir, Env: []string{"AIRTILL_CLOCK=" + clock}, Args: []string{"--seed", fmt.Sprint(w.options.Seed)},
	})
	if err != nil {
		return err
	}
	if err := w.console.Configure(ctx, map[string]any{
		"openingBalance": openingOf, "batchDelay": "3s", "batchProcessing": "2s",
	}); err != nil {
		return err
	}
	if w.stock, err = stockOf(ctx, w.console); err != nil {
		return err
	}
	if err := w.console.Reset(ctx); err != nil {
		return err
	}
	address := strings.TrimPrefix(w.console.URL, "http://")
	if w.upstream, err = newProxy(w.options.Seed, "tcp", address); err != nil {
		return err
	}
	w.identity, err = newProxy(w.options.Seed+1, "tcp", address)
	return err
}

func (w *world) startServices(ctx context.Context) (err error) {
	if w.options.DB == sqliteDB {
		w.env = append(w.env, "DATABASE_URL=sqlite:"+w.sqlitePath())
		return nil
	}
	if w.postgres, err = stage.NewPostgres(ctx, filepath.Join(w.dir, "pg"), stage.Forgetful); err != nil {
		return err
	}
	if err = w.tool(ctx, "createdb", "airtill"); err != nil {
		return err
	}
	redisDir := filepath.Join(w.dir, "redis")
	if err = os.MkdirAll(redisDir, 0o700); err != nil {
		return err
	}
	server, err := stage.NewRedis(ctx, redisDir)
	if err != nil {
		return err
	}
	w.redis = &redis{Redis: server}
	if w.database, err = newProxy(w.options.Seed+2, "unix", w.postgres.Socket()); err != nil {
		return err
	}
	if w.redisWay, err = newProxy(w.options.Seed+3, "unix", w.redis.Socket()); err != nil {
		return err
	}
	w.env = append(w.env,
		"DATABASE_URL=postgres://airtill@"+w.database.address+"/airtill?sslmode=disable", "REDIS_URL=redis://"+w.redisWay.address+"/0")
	return nil
}

func (w *world) sqlitePath() string { return filepath.Join(w.dir, "airtill.db") }

// configure writes what the till needs to know, and makes its sites.
func (w *world) configure(ctx context.Context) error {
	vault := filepath.Join(w.dir, "vault-key")
	private, public, err := stage.NewKeyPair()
	if err != nil {
		return err
	}
	hooks := filepath.Join(w.dir, "webhook-key.pem")
	_, foreign, err := stage.NewKeyPair()
	if err != nil {
		return err
	}
	for path, text := range map[string]string{
		vault: vaultKey, hooks: private, filepath.Join(w.dir, "webhook-public.pem"): public, filepath.Join(w.dir, "webhook-foreign.pem"): foreign,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	w.env = append(w.env,
		"VAULT_KEY_FILE="+vault, "WEBHOOK_PRIVATE_KEY_FILE="+hooks, "UPSTREAM_BASE_URL=http://"+w.upstream.address, "UPSTREAM_AUTH_URL=http://"+w.identity.address,
		"UPSTREAM_CLIENT_ID=sandbox-client", "UPSTREAM_CLIENT_SECRET=sandbox-secret")
	if w.options.Broken != "" {
		w.env = append(w.env, "AIRTILL_BROKEN="+w.options.Broken)
	}
	sites := 1
	if w.options.DB == postgresDB {
		sites = 2
	}
	for i := range sites {
		if err := w.addSite(fmt.Sprintf("web%d", i+1), i); err != nil {
			return err
		}
	}
	return w.console.Configure(ctx, map[string]any{"webhookUrl": w.sites[0].url() + "/webhooks/transfers"})
}

func (w *world) addSite(name string, number int) (err error) {
	s := &site{name: name, world: w, marks: filepath.Join(w.dir, name+".marks"), binary: filepath.Join(w.bin, "web"), mode: []string{"defer", "wait"}[number%2]}
	if err = os.MkdirAll(s.marks, 0o700); err != nil {
		return err
	}
	if s.clock, err = w.clock.file(name); err != nil {
		return err
	}
	if s.own, err = stage.FreeAddress(); err != nil {
		return err
	}
	s.proxy, err = newProxy(w.options.Seed+10+uint64(number), "tcp", s.own)
	w.sites = append(w.sites, s)
	return err
}

// web runs a command of the till to its end.
func (w *world) web(ctx context.Context, input string, args ...string) (string, error) {
	return stage.Run(ctx, input, stage.Order{Name: "web", Path: filepath.Join(w.bin, "web"), Args: args, Env: append([]string{"LOG_LEVEL=ERROR", "AIRTILL_CLOCK=" + filepath.Join(w.dir, "sandbox.clock")}, w.env...), Dir: w.dir})
}

// furnish makes the shop with a till and a cashier for each robot.
func (w *world) furnish(ctx context.Context) error {
	steps := [][]string{
		{"migrate"},
		{"shop", "add", "--name", shopName, "--zone", "Europe/Dublin", "--country", "IE", "--currency", "EUR", "--tills", fmt.Sprint(w.options.Robots + extraRobots)},
	}
	for i := range w.options.Robots + extraRobots {
		steps = append(steps, []string{"user", "add", "--username", fmt.Sprintf("robot%02d", i), "--role", "cashier", "--shop", shopName})
	}
	steps = append(steps, []string{"user", "add", "--username", managerName, "--role", "manager", "--shop", shopName})
	for _, args := range steps {
		if _, err := w.web(ctx, w.password+"\n", args...); err != nil {
			return err
		}
	}
	return nil
}

// tell writes a line of the run's own log, chaos.log.
func (w *world) tell(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(w.log, time.Now().UTC().Format("15:04:05.000 ")+format+"\n", args...)
}

// disturbing begins a fault that keeps everybody from selling, if it is one;
// what it returns ends it.
func (w *world) disturbing(really bool) (end func()) {
	if !really {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.disturbed++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.disturbed--
		w.quietAt = time.Now()
	}
}

// quietSince says whether nothing has kept anybody from selling since then.
func (w *world) quietSince(then time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.disturbed == 0 && w.quietAt.Before(then)
}

// note counts what went wrong; it is told in the report, and fails nothing.
func (w *world) note(what string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.troubles[what+": "+shorten(alike.ReplaceAllString(err.Error(), "…"))]++
}

// alike is what differs between troubles that are the same.
var alike = regexp.MustCompile(`[0-9A-Z]{26}|"http[^"]*"|[0-9.]+:[0-9]+(->)?`)

func shorten(text string) string {
	const most = 160
	return text[:min(len(text), most)]
}

// close ends whatever still runs.
func (w *world) close() {
	for _, s := range w.sites {
		if err := s.close(time.Second); err != nil {
			w.note("close", err)
		}
	}
	if w.redis != nil {
		w.redis.Server.Kill()
	}
	if w.postgres != nil {
		w.postgres.Kill()
	}
	if w.sandbox != nil {
		w.sandbox.Kill()
	}
	w.clock.close()
	if w.log != nil {
		_ = w.log.Close() // only read by the curious
	}
}
