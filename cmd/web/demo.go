package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airtill/internal/app"
	"airtill/internal/audit"
	"airtill/internal/dial"
	"airtill/internal/money"
	"airtill/internal/sandbox"
	"airtill/internal/staff"
	"airtill/internal/till"
)

const (
	demoShop  = "airtill demo shop"
	demoFloat = "100.00"
)

type demoFlags struct {
	addr string
	data string
	seed int64
}

// demo runs the till with a simulator of the transfer service.
func demo(ctx context.Context, t terminal) error {
	var f demoFlags
	t.flags.StringVar(&f.addr, "addr", "127.0.0.1:8080", "loopback address to listen on; port 0 picks a free one")
	t.flags.StringVar(&f.data, "data", "data", "directory for everything that is kept")
	t.flags.Int64Var(&f.seed, "seed", 1, "seed of the simulator's catalogue")
	if err := t.parse(); err != nil {
		return err
	}
	outliveReaders()
	if host, _, err := net.SplitHostPort(f.addr); err != nil || !dial.ThisMachine(host) {
		return fmt.Errorf(
			"the demo's passwords are printed, so it listens on this machine only: %q is not a loopback address",
			f.addr,
		)
	}
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		return err
	}
	upstream, err := startSandbox(ctx, f)
	if err != nil {
		return err
	}
	return errors.Join(f.sell(ctx, t, upstream), upstream.close())
}

// demoSandbox is the simulator on its own loopback port.
type demoSandbox struct {
	service *sandbox.Service
	server  *http.Server
	url     string
}

func startSandbox(ctx context.Context, f demoFlags) (*demoSandbox, error) {
	service, err := sandbox.New(sandbox.Deps{Data: filepath.Join(f.data, "sandbox"), Seed: f.seed, Now: now})
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("simulator: %w", err), service.Close())
	}
	s := &demoSandbox{
		service: service, url: "http://" + listener.Addr().String(),
		server: &http.Server{Handler: service.Handler(), ReadHeaderTimeout: 10 * time.Second},
	}
	go func() { _ = s.server.Serve(listener) }() // ends with close, which reports what matters
	return s, nil
}

func (s *demoSandbox) close() error { return errors.Join(s.server.Close(), s.service.Close()) }

func (f demoFlags) config(env map[string]string, address, upstream string) (config, error) {
	c, err := readConfig(map[string]string{
		"DATABASE_URL": "sqlite:" + filepath.Join(f.data, "airtill.db"),
		"LISTEN_ADDR":  address, "PUBLIC_URL": "http://" + address,
		"UPSTREAM_BASE_URL": upstream, "UPSTREAM_AUTH_URL": upstream,
		"UPSTREAM_CLIENT_ID": "sandbox-client", "UPSTREAM_CLIENT_SECRET": "sandbox-secret",
		"LOG_LEVEL": env["LOG_LEVEL"], "PRACTICE": "true", "SECOND_FACTOR": app.SecondOptional,
	})
	c.LogoSimulator = strings.TrimPrefix(upstream, "http://")
	if err == nil && env["LOG_LEVEL"] == "" {
		c.LogLevel = slog.LevelWarn // people trying it out read the lines below
	}
	return c, errors.Join(err, c.checkServe())
}

// sell migrates and fills the database, and serves.
func (f demoFlags) sell(ctx context.Context, t terminal, upstream *demoSandbox) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen: %w; choose another port with --addr 127.0.0.1:0", err)
	}
	c, err := f.config(t.env, listener.Addr().String(), upstream.url)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	b, err := app.OpenBooks(ctx, c.deps(newLog(t.err, c.LogLevel)))
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	users, err := furnish(ctx, b)
	if err != nil {
		return errors.Join(err, listener.Close(), b.Close())
	}
	err = serveAt(ctx, b, listener, func(string) error { return announce(t, c.PublicURL, upstream.url, users) })
	return errors.Join(err, b.Close())
}

// demoUser is somebody who can sign in to the demo.
type demoUser struct {
	Username string     `json:"username"`
	Password string     `json:"password"`
	Role     staff.Role `json:"role"`
}

// announce tells people where to go, and programs in the last line.
func announce(t terminal, url, upstream string, users []demoUser) error {
	fmt.Fprintf(
		t.out, "airtill is ready: %s\nThe simulator's ledger, faults and settings: %s/_sandbox/\n\nSign in as:\n", url,
		upstream,
	)
	for _, u := range users {
		fmt.Fprintf(t.out, "  %-8s %s\n", u.Username, u.Password)
	}
	fmt.Fprint(
		t.out,
		"\nThen type 0871234567, press Enter, choose a product with a digit, and press Enter\nwhen the cash is in "+
			"the drawer. Ctrl-C ends it; what was sold stays.\n\n",
	)
	return json.NewEncoder(t.out).Encode(map[string]any{"url": url, "sandbox": upstream, "users": users})
}

// furnish makes what a first run lacks, and gives the users new passwords.
func furnish(ctx context.Context, b *app.Books) ([]demoUser, error) {
	if err := b.DB.Migrate(ctx); err != nil {
		return nil, err
	}
	known, err := b.Staff.Users(ctx)
	if err != nil {
		return nil, err
	}
	home, err := makeShop(ctx, b, known)
	if err != nil {
		return nil, err
	}
	var users []demoUser
	for _, role := range []staff.Role{staff.Cashier, staff.Manager, staff.Admin} {
		u := demoUser{Username: string(role), Password: newPassword(), Role: role}
		id, err := makeUser(ctx, b, u, home, known)
		if err != nil {
			return nil, err
		}
		if role == staff.Cashier {
			err = openShift(ctx, b, home, id)
		}
		if err != nil {
			return nil, err
		}
		users = append(users, u)
	}
	return users, nil
}

func demoActor() audit.Actor { return audit.Command("web demo") }

// makeShop makes the cashier's shop, or returns it, whatever it is called by now.
func makeShop(ctx context.Context, b *app.Books, known []staff.User) (staff.Shop, error) {
	shops, err := b.Staff.Shops(ctx)
	if err != nil {
		return staff.Shop{}, err
	}
	theirs := func(shop staff.Shop) bool {
		return slices.ContainsFunc(known, func(u staff.User) bool {
			return u.Username == string(staff.Cashier) && u.ShopID == shop.ID
		})
	}
	named := func(shop staff.Shop) bool { return shop.Name == demoShop } // of a first run that was cut off
	for _, is := range []func(staff.Shop) bool{theirs, named} {
		if i := slices.IndexFunc(shops, is); i >= 0 {
			return shops[i], nil
		}
	}
	shop, _, err := b.Staff.CreateShop(ctx, demoActor(), staff.NewShop{
		Name: demoShop, Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Address: "1 Example Street, Dublin",
		Tills: 2,
	})
	return shop, err
}

// makeUser makes a user, or gives an existing one the new password, and returns the user's id.
func makeUser(ctx context.Context, b *app.Books, u demoUser, home staff.Shop, known []staff.User) (string, error) {
	for _, user := range known {
		if user.Username == u.Username {
			return user.ID, b.Staff.SetPassword(ctx, demoActor(), user.ID, u.Password, 0, "the demo begins")
		}
	}
	wanted := staff.NewUser{Username: u.Username, Role: u.Role, Password: u.Password, Locale: "en-IE"}
	if u.Role.InShop() {
		wanted.ShopID = home.ID
	}
	user, err := b.Staff.CreateUser(ctx, demoActor(), wanted)
	return user.ID, err
}

// openShift opens the cashier's shift at the first till.
func openShift(ctx context.Context, b *app.Books, home staff.Shop, cashierID string) error {
	tills, err := b.Staff.Tills(ctx, home.ID)
	if err != nil {
		return err
	}
	open, err := b.Till.Current(ctx, tills[0].ID)
	if err != nil || open != nil {
		return err
	}
	float, err := money.Parse(demoFloat, home.Currency)
	if err != nil {
		return err
	}
	cashier := demoActor()
	cashier.UserID = cashierID
	_, err = b.Till.Open(ctx, till.Opening{
		Actor: cashier, ShopID: home.ID, TillID: tills[0].ID, Float: till.Counted(float),
	})
	return err
}

// newPassword returns 16 random characters in groups of four, 80 bits, in an
// alphabet without look-alikes.
func newPassword() string {
	text := strings.ToLower(rand.Text())
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:16]
}
