package staff_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
	"airtill/internal/vault"
)

const password = "correct zebra battery" // of every user here

var (
	noon  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	setup = audit.Command("test")
)

// bench is a staff office of a test's own, with a clock that is moved by hand.
type bench struct {
	*staff.Service
	t     *testing.T
	deps  staff.Deps
	db    *store.DB
	audit *audit.Log
	log   *bytes.Buffer
	shop  staff.Shop
	tills []staff.Till

	mu  sync.Mutex
	now time.Time
}

func newBench(t *testing.T, db *store.DB) *bench {
	t.Helper()
	b := &bench{t: t, db: db, now: noon, log: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(b.log, nil))
	b.audit = audit.New(audit.Deps{DB: db, Now: b.clock, Log: slog.New(slog.DiscardHandler)})
	safe, err := vault.New(vault.NewKey())
	require.NoError(t, err)
	b.deps = staff.Deps{
		DB: db, Now: b.clock, Audit: b.audit, Log: log, Hashing: stafftest.Hashing(), PublicURL: "https://till.example.com",
		Seal: func(owner, text string) (string, error) { return safe.Seal(owner, vault.Receipt{Text: text}) },
		Open: func(owner, text string) (string, error) {
			opened, err := safe.Open(owner, text)
			return opened.Text, err
		},
	}
	b.Service = staff.New(b.deps)
	b.shop, b.tills, err = b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Main Street", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 2})
	require.NoError(t, err)
	return b
}

// each runs a test with a fresh office on every database.
func each(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(t, newBench(t, db)) })
}

// Decide answers what waits for a second person now.
func (b *bench) Decide(ctx context.Context, by audit.Actor, userID string, agree bool) error {
	b.t.Helper()
	return b.Service.Decide(ctx, by, userID, b.proposed(userID), agree)
}

// proposed is the name of what waits about an account, "" if nothing does.
func (b *bench) proposed(userID string) string {
	b.t.Helper()
	waiting, err := b.Proposals(b.t.Context())
	require.NoError(b.t, err)
	for _, p := range waiting {
		if p.UserID == userID {
			return p.Name()
		}
	}
	return ""
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// hire creates a user with the password of every user here.
func (b *bench) hire(username string, role staff.Role) staff.User {
	b.t.Helper()
	n := staff.NewUser{Username: username, Role: role, Password: password}
	if role.InShop() {
		n.ShopID = b.shop.ID
	}
	user, err := b.CreateUser(b.t.Context(), setup, n)
	require.NoError(b.t, err)
	return user
}

func (b *bench) login(username, password, address string) (staff.User, error) {
	return b.Login(b.t.Context(), staff.Attempt{Username: username, Password: password, Address: address})
}

// signIn starts a session as the web layer does.
func (b *bench) signIn(token string, u staff.User, tillID string) {
	b.t.Helper()
	require.NoError(b.t, b.SaveSession(b.t.Context(), token, staff.Session{UserID: u.ID, Epoch: u.Epoch, TillID: tillID, Data: []byte("{}")}))
}

func (b *bench) present(token string) (staff.Presence, bool) {
	b.t.Helper()
	p, _, live, err := b.Present(b.t.Context(), token)
	require.NoError(b.t, err)
	lives, err := b.Live(b.t.Context(), token)
	require.NoError(b.t, err)
	require.Equal(b.t, live, lives, "both ways to read a session agree whether it lives")
	return p, live
}

// lastAct is the newest audit record, in a chain that must be whole.
func (b *bench) lastAct() audit.Record {
	b.t.Helper()
	offences, err := b.audit.Verify(b.t.Context())
	require.NoError(b.t, err)
	require.Empty(b.t, offences)
	records, err := b.audit.List(b.t.Context(), audit.Filter{Limit: 1})
	require.NoError(b.t, err)
	require.Len(b.t, records, 1)
	return records[0]
}
