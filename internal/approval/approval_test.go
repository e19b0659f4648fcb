package approval_test

import (
	"errors"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// bench is a shop with a cashier and a manager, and a clock moved by hand.
type bench struct {
	*approval.Desk
	t                *testing.T
	db               *store.DB
	office           *staff.Service
	audit            *audit.Log
	bus              *signal.Memory
	cashier, manager audit.Actor
	micros           atomic.Int64
}

func (b *bench) now() time.Time { return time.UnixMicro(b.micros.Load()).UTC() }

func (b *bench) pass(d time.Duration) { b.micros.Add(d.Microseconds()) }

func each(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := &bench{t: t, db: db, bus: signal.NewMemory()}
		b.micros.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
		log := slog.New(slog.DiscardHandler)
		b.audit = audit.New(audit.Deps{DB: db, Now: b.now, Log: log})
		b.office = staff.New(staff.Deps{DB: db, Now: b.now, Audit: b.audit, Log: log, Hashing: stafftest.Hashing()})
		shop, tills, err := b.office.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: "Main Street", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		for role, actor := range map[staff.Role]*audit.Actor{staff.Cashier: &b.cashier, staff.Manager: &b.manager} {
			u, err := b.office.CreateUser(t.Context(), audit.Command("test"), staff.NewUser{Username: string(role), Role: role, ShopID: shop.ID, Password: "correct zebra battery"})
			require.NoError(t, err)
			*actor = staff.Presence{User: u, Shop: shop, Till: tills[0]}.Actor()
		}
		b.Desk = approval.New(approval.Deps{DB: db, Audit: b.audit, Bus: b.bus, Now: b.now, Roles: staff.Approving()})
		test(t, b)
	})
}

func (b *bench) ask(subject string) approval.Request {
	b.t.Helper()
	r, err := b.Ask(b.t.Context(), approval.Request{
		ShopID: b.cashier.ShopID, TillID: b.cashier.TillID, AskedBy: b.cashier.UserID, Act: approval.Sale, Subject: subject, Summary: "€50 to •••567",
	})
	require.NoError(b.t, err)
	return r
}

// use spends an approval in a transaction of its own, and returns whose it was; "" if it does
// not stand.
func (b *bench) use(id, subject, by string) string {
	b.t.Helper()
	approver := b.approver(id, subject, by)
	err := b.db.Tx(b.t.Context(), func(tx *store.Tx) error { return approver.Spend(b.t.Context(), tx) })
	if fault.KindOf(err) == fault.Conflict {
		require.Equal(b.t, "approval.used", fault.Note(err))
		return ""
	}
	require.NoError(b.t, err)
	return approver.ID
}

func (b *bench) approver(id, subject, by string) approval.Approver {
	b.t.Helper()
	approver, err := b.Approver(b.t.Context(), b.cashier.ShopID, id, subject, by)
	require.NoError(b.t, err)
	return approver
}

func (b *bench) pending(user string) int {
	b.t.Helper()
	found, err := b.Pending(b.t.Context(), b.cashier.ShopID, user)
	require.NoError(b.t, err)
	return len(found)
}

// TestADoubleClickAsksOnce: the asker would wait for the answer to one question, and the manager give it to the other.
func TestADoubleClickAsksOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for i := range 20 {
			subject, asked := strconv.Itoa(i), make(chan string)
			for range 2 {
				go func() { asked <- b.ask(subject).ID }()
			}
			first := <-asked
			require.Equal(t, first, <-asked)
		}
	})
}

// A question that waits is only the one that was asked: another act, another person, or a later time has its own.
func TestAnotherQuestionIsAskedAnew(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first := b.ask("this")
		require.NotEqual(t, first.ID, b.ask("that").ID)
		other, err := b.Ask(t.Context(), approval.Request{
			ShopID: b.cashier.ShopID, TillID: b.cashier.TillID, AskedBy: b.manager.UserID, Act: approval.Sale,
			Subject: "this",
		})
		require.NoError(t, err)
		require.NotEqual(t, first.ID, other.ID)
		b.pass(approval.Lasts)
		late := b.ask("this")
		require.NotEqual(t, first.ID, late.ID, "nobody can decide the first any more")
		require.Equal(t, b.now().Add(approval.Lasts), late.ExpiresAt)
	})
}

// What a manager allowed at the till itself is used up with the act that it was for.
func TestWhatIsAllowedAtTheTillIsUsedUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		given := b.Given(b.manager, approval.Request{
			ShopID: b.cashier.ShopID, TillID: b.cashier.TillID, AskedBy: b.cashier.UserID, Act: approval.Sale,
			Subject: "this",
		})
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error { return given.Spend(t.Context(), tx) }))
		id, err := store.Value[string](b.db.Read(t.Context()).Raw("SELECT id FROM approvals"))
		require.NoError(t, err)
		require.Empty(t, b.use(id, "this", b.cashier.UserID))
	})
}

func TestAnApprovalIsForOneRequestAndOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		hints, cancel := b.bus.Subscribe(approval.Topic(b.cashier.ShopID))
		defer cancel()
		r := b.ask("this")
		<-hints
		require.Equal(t, r.ID, b.ask("this").ID, "asked twice is asked once")
		require.Equal(t, 1, b.pending(b.manager.UserID))
		require.Zero(t, b.pending(b.cashier.UserID), "one's own is not there to approve")
		require.Empty(t, b.use(r.ID, "this", b.cashier.UserID), "not yet")
		require.Equal(t, fault.Forbidden, fault.KindOf(b.Decide(t.Context(), b.cashier, r.ID, true)))

		require.NoError(t, b.Decide(t.Context(), b.manager, r.ID, true))
		<-hints
		require.Zero(t, b.pending(b.manager.UserID))
		require.Equal(t, fault.Conflict, fault.KindOf(b.Decide(t.Context(), b.manager, r.ID, false)))
		require.Empty(t, b.use(r.ID, "that", b.cashier.UserID), "for another request")
		require.Empty(t, b.use(r.ID, "this", b.manager.UserID), "for another person")
		require.Equal(t, b.manager.UserID, b.use(r.ID, "this", b.cashier.UserID))
		require.Empty(t, b.use(r.ID, "this", b.cashier.UserID), "spent")
		again := b.approver(r.ID, "this", b.cashier.UserID)
		require.Equal(t, b.manager.UserID, again.ID, "a double click may ask what its act has done")

		records, err := b.audit.List(t.Context(), audit.Filter{Act: audit.ApprovalGiven})
		require.NoError(t, err)
		require.Len(t, records, 1)
		require.Equal(t, b.manager.UserID, records[0].UserID)
		require.Contains(t, records[0].After, b.cashier.UserID, "the record names both")
	})
}

// An account is often disabled because somebody else has it.
func TestWhoIsDisabledSinceApprovesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		r := b.ask("this")
		require.NoError(t, b.Decide(t.Context(), b.manager, r.ID, true))
		before := b.approver(r.ID, "this", b.cashier.UserID)
		require.Equal(t, b.manager.UserID, before.ID)
		require.NoError(t, b.office.Disable(t.Context(), audit.Command("test"), b.manager.UserID, "stolen password"))
		err := b.db.Tx(t.Context(), func(tx *store.Tx) error { return before.Spend(t.Context(), tx) })
		require.Equal(t, fault.Conflict, fault.KindOf(err), "looked up a moment before")
		require.Empty(t, b.use(r.ID, "this", b.cashier.UserID))
		require.Empty(t, b.approver(r.ID, "this", b.cashier.UserID).ID)
		seen, err := b.Get(t.Context(), b.cashier.ShopID, r.ID)
		require.NoError(t, err)
		require.Equal(t, approval.Declined, seen.State(b.now()), "and the cashier may ask somebody else")
		require.NotEqual(t, r.ID, b.ask("this").ID)
	})
}

// TestWhoMayNotApproveAnyMoreApprovesNothing: they are a cashier since, or of another shop.
func TestWhoMayNotApproveAnyMoreApprovesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		quay, _, err := b.office.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		becomes := func(role staff.Role, shopID string) {
			require.NoError(t, b.office.ChangePost(t.Context(), audit.Command("test"), b.manager.UserID, staff.Post{Role: role, ShopID: shopID}, "x"))
		}
		r := b.ask("this")
		require.NoError(t, b.Decide(t.Context(), b.manager, r.ID, true))
		before := b.approver(r.ID, "this", b.cashier.UserID)
		for _, now := range []struct {
			role staff.Role
			shop string
		}{{staff.Cashier, b.cashier.ShopID}, {staff.Manager, quay.ID}} {
			becomes(now.role, now.shop)
			err = b.db.Tx(t.Context(), func(tx *store.Tx) error { return before.Spend(t.Context(), tx) })
			require.Equal(t, fault.Conflict, fault.KindOf(err), now)
			require.Empty(t, b.approver(r.ID, "this", b.cashier.UserID).ID, now)
		}
		becomes(staff.Supervisor, b.cashier.ShopID)
		require.Equal(t, b.manager.UserID, b.use(r.ID, "this", b.cashier.UserID), "a supervisor may")
	})
}

func TestWhatIsDeclinedOrTooOldApprovesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		declined := b.ask("one")
		require.NoError(t, b.Decide(t.Context(), b.manager, declined.ID, false))
		require.Empty(t, b.use(declined.ID, "one", b.cashier.UserID))
		old, late := b.ask("two"), b.ask("three")
		require.NoError(t, b.Decide(t.Context(), b.manager, old.ID, true))
		b.pass(approval.Lasts)
		require.Empty(t, b.use(old.ID, "two", b.cashier.UserID))
		require.Equal(t, fault.Conflict, fault.KindOf(b.Decide(t.Context(), b.manager, late.ID, true)))
		require.Zero(t, b.pending(b.manager.UserID))
		states := []approval.State{}
		for _, id := range []string{declined.ID, old.ID, late.ID} {
			r, err := b.Get(t.Context(), b.cashier.ShopID, id)
			require.NoError(t, err)
			states = append(states, r.State(b.now()))
		}
		require.Equal(t, []approval.State{approval.Declined, approval.Expired, approval.Expired}, states)
		stranger := b.manager
		stranger.ShopID = "another"
		require.Equal(t, fault.NotFound, fault.KindOf(b.Decide(t.Context(), stranger, late.ID, true)))

		b.pass(100 * 24 * time.Hour)
		require.NoError(t, b.Sweep(t.Context()))
		_, err := b.Get(t.Context(), b.cashier.ShopID, old.ID)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	})
}

// TestAnApprovalIsSpentWithItsAct: what stops an act, or ends the process within it, leaves the
// approval as it was; a commit leaves none.
func TestAnApprovalIsSpentWithItsAct(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		r := b.ask("this")
		require.NoError(t, b.Decide(t.Context(), b.manager, r.ID, true))
		approver := b.approver(r.ID, "this", b.cashier.UserID)
		stopped := errors.New("the shift was closed")
		for range 2 {
			require.ErrorIs(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
				require.NoError(t, approver.Spend(t.Context(), tx))
				return stopped
			}), stopped)
			b.pass(2 * time.Minute)
		}
		spent := 0
		for range 3 {
			err := b.db.Tx(t.Context(), func(tx *store.Tx) error { return approver.Spend(t.Context(), tx) })
			if err == nil {
				spent++
				continue
			}
			require.Equal(t, fault.Conflict, fault.KindOf(err))
		}
		require.Equal(t, 1, spent)

		late := b.ask("late")
		require.NoError(t, b.Decide(t.Context(), b.manager, late.ID, true))
		approver = b.approver(late.ID, "late", b.cashier.UserID)
		b.pass(approval.Lasts)
		err := b.db.Tx(t.Context(), func(tx *store.Tx) error { return approver.Spend(t.Context(), tx) })
		require.Equal(t, fault.Conflict, fault.KindOf(err), "it became too old between the form and the act")
	})
}

func TestGivenAtTheTillIsOnRecordWithItsAct(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		given := func() int {
			records, err := b.audit.List(t.Context(), audit.Filter{Act: audit.ApprovalGiven})
			require.NoError(t, err)
			return len(records)
		}
		approver := b.Given(b.manager, approval.Request{
			ShopID: b.cashier.ShopID, TillID: b.cashier.TillID, AskedBy: b.cashier.UserID, Act: approval.Sale, Subject: "this", Summary: "x",
		})
		require.Equal(t, b.manager.UserID, approver.ID)
		stopped := errors.New("the shift was closed")
		require.ErrorIs(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			require.NoError(t, approver.Spend(t.Context(), tx))
			return stopped
		}), stopped)
		require.Zero(t, given(), "what was not done was not allowed")
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error { return approver.Spend(t.Context(), tx) }))
		require.Equal(t, 1, given())
		require.Zero(t, b.pending(b.manager.UserID))
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error { return approval.Approver{ID: "x"}.Spend(t.Context(), tx) }))
		require.Equal(t, 1, given(), "one's own authority is not asked for")
	})
}

func TestAnotherShopSeesAndUsesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		const elsewhere = "another shop"
		r := b.ask("sale")
		found, err := b.Pending(t.Context(), elsewhere, b.manager.UserID)
		require.NoError(t, err)
		require.Empty(t, found)
		_, err = b.Get(t.Context(), elsewhere, r.ID)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
		require.NoError(t, b.Decide(t.Context(), b.manager, r.ID, true))
		approver, err := b.Approver(t.Context(), elsewhere, r.ID, "sale", b.cashier.UserID)
		require.NoError(t, err)
		require.Empty(t, approver.ID)
		require.Equal(t, b.manager.UserID, b.approver(r.ID, "sale", b.cashier.UserID).ID)
	})
}
