package staff_test

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
)

func TestShopsAndTillsChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		by := audit.Command("test")
		other, _, err := b.CreateShop(t.Context(), by, staff.NewShop{Name: "Other", Zone: "Europe/Paris", Country: "FR", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		require.NoError(t, b.ChangeShop(t.Context(), by, other.ID, staff.ShopFacts{Name: " Rue Haute ", Address: "1 Rue Haute", TaxID: "FR1"}))
		changed, err := b.Shop(t.Context(), other.ID)
		require.NoError(t, err)
		require.Equal(t, "Rue Haute", changed.Name)
		require.Equal(t, "Europe/Paris", changed.Zone)
		require.Equal(t, fault.Conflict, fault.KindOf(b.ChangeShop(t.Context(), by, other.ID, staff.ShopFacts{Name: b.shop.Name})))
		require.Equal(t, fault.Invalid, fault.KindOf(b.ChangeShop(t.Context(), by, other.ID, staff.ShopFacts{})))
		require.Equal(t, fault.NotFound, fault.KindOf(b.ChangeShop(t.Context(), by, "none", staff.ShopFacts{Name: "x"})))

		till, err := b.AddTill(t.Context(), by, staff.Till{ShopID: other.ID})
		require.NoError(t, err)
		require.Equal(t, 2, till.Number)
		require.Equal(t, "Till 2", till.Name)
		require.NoError(t, b.RenameTill(t.Context(), by, till.ID, "Window", ""))
		renamed, err := b.Till(t.Context(), till.ID)
		require.NoError(t, err)
		require.Equal(t, "Window", renamed.Name)
		require.Equal(t, fault.Invalid, fault.KindOf(b.RenameTill(t.Context(), by, till.ID, " ", "")))
		_, err = b.AddTill(t.Context(), by, staff.Till{ShopID: "none"})
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	})
}

// TestShopsAreByNameOnEveryDatabase: left to themselves, one has "akaroa" and "Évora" behind "Zug", and the other not.
func TestShopsAreByNameOnEveryDatabase(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for _, name := range []string{"Zug", "akaroa", "Évora", "évian", "Main Street 2"} {
			_, _, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: name, Zone: "UTC", Country: "FR", Currency: "EUR", Tills: 1})
			require.NoError(t, err)
		}
		shops, err := b.Shops(t.Context())
		require.NoError(t, err)
		var names []string
		for _, shop := range shops {
			names = append(names, shop.Name)
		}
		require.Equal(t, []string{"akaroa", "évian", "Évora", "Main Street", "Main Street 2", "Zug"}, names)
	})
}

// TestWhatDoesNotChangeIsNotOnRecord: a form saved as it was shown, or twice, is no act.
func TestWhatDoesNotChangeIsNotOnRecord(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		facts := staff.ShopFacts{Name: "Quay", Address: "1 Quay Street", TaxID: "IE1"}
		till, err := b.AddTill(t.Context(), setup, staff.Till{ShopID: b.shop.ID, Name: "Window"})
		require.NoError(t, err)
		for range 2 {
			require.NoError(t, b.ChangeShop(t.Context(), setup, b.shop.ID, facts))
			require.NoError(t, b.RenameTill(t.Context(), setup, till.ID, "Door", ""))
		}
		shown := staff.ShopFacts{Name: facts.Name, Address: facts.Address, TaxID: facts.TaxID}
		facts.Shown = &shown
		require.NoError(t, b.ChangeShop(t.Context(), setup, b.shop.ID, facts), "as it was shown")
		for _, act := range []audit.Act{audit.ShopChanged, audit.TillRenamed} {
			records, err := b.audit.List(t.Context(), audit.Filter{Act: act})
			require.NoError(t, err)
			require.Len(t, records, 1, act)
		}
	})
}

// TestNoTwoTillsOfAShopHaveOneName: reports and receipts tell tills apart by it. A form sent twice adds one.
func TestNoTwoTillsOfAShopHaveOneName(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		by := audit.Command("test")
		other, tills, err := b.CreateShop(t.Context(), by, staff.NewShop{Name: "Other", Zone: "Europe/Paris", Country: "FR", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		var all sync.WaitGroup
		errs := make([]error, 2)
		for i := range errs {
			all.Go(func() { _, errs[i] = b.AddTill(t.Context(), by, staff.Till{ShopID: other.ID, Name: "Window"}) })
		}
		all.Wait()
		require.NotEqual(t, errs[0] == nil, errs[1] == nil, "%v", errs)
		require.Equal(t, "till.taken", codeOf(cmp.Or(errs[0], errs[1])))
		require.Equal(t, "till.taken", codeOf(b.RenameTill(t.Context(), by, tills[0].ID, " Window ", "")))
		require.NoError(t, b.RenameTill(t.Context(), by, tills[0].ID, "Till 3", ""))
		require.NoError(t, b.RenameTill(t.Context(), by, tills[0].ID, "Till 3", ""), "its own")
		third, err := b.AddTill(t.Context(), by, staff.Till{ShopID: other.ID})
		require.NoError(t, err)
		require.Equal(t, 3, third.Number)
		require.Equal(t, "Till 4", third.Name)
		_, err = b.AddTill(t.Context(), by, staff.Till{ShopID: b.shop.ID, Name: "Window"})
		require.NoError(t, err, "another shop's is no matter")
	})
}

// TestATillIsRenamedAtOnce by two admins: the audit names what each of them replaced.
func TestATillIsRenamedAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		by := audit.Command("test")
		till, err := b.AddTill(t.Context(), by, staff.Till{ShopID: b.shop.ID, Name: "First"})
		require.NoError(t, err)
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { errs[i] = b.RenameTill(t.Context(), by, till.ID, fmt.Sprint("Name ", i), "") })
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		renamed, err := b.Till(t.Context(), till.ID)
		require.NoError(t, err)
		records, err := b.audit.List(t.Context(), audit.Filter{Act: audit.TillRenamed}) // the newest first
		require.NoError(t, err)
		require.Len(t, records, len(errs))
		became := renamed.Name
		for _, r := range records {
			facts, err := r.Facts()
			require.NoError(t, err)
			require.Equal(t, became, facts[0].After)
			became = facts[0].Before
		}
		require.Equal(t, "First", became)
		other, err := b.Till(t.Context(), b.tills[0].ID)
		require.NoError(t, err)
		require.Equal(t, b.tills[0].Name, other.Name)
	})
}

// TestATillIsNotRenamedOver: of two admins whose forms showed one name, the second is told what the first has saved.
func TestATillIsNotRenamedOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		by := audit.Command("test")
		till, err := b.AddTill(t.Context(), by, staff.Till{ShopID: b.shop.ID, Name: "First"})
		require.NoError(t, err)
		require.NoError(t, b.RenameTill(t.Context(), by, till.ID, "Theirs", "First"))
		require.NoError(t, b.RenameTill(t.Context(), by, till.ID, "Theirs", "First"), "both mean the same")
		require.NoError(t, b.RenameTill(t.Context(), by, till.ID, "First", "First"), "nothing was meant to change")
		require.Equal(t, "field.meanwhile", codeOf(b.RenameTill(t.Context(), by, till.ID, "Mine", "First")))
		renamed, err := b.Till(t.Context(), till.ID)
		require.NoError(t, err)
		require.Equal(t, "Theirs", renamed.Name)
		require.NoError(t, b.RenameTill(t.Context(), by, till.ID, "Mine", "Theirs"))
	})
}

func TestAPINIsTakenAway(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, brian, _ := b.team()
		_, err := b.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.NoError(t, err)
		require.NoError(t, b.ClearPIN(t.Context(), audit.Command("test"), aoife.ID, "seen by a customer"))
		has, err := b.HasPIN(t.Context(), aoife.ID)
		require.NoError(t, err)
		require.False(t, has)
		require.Equal(t, audit.UserPINCleared, b.lastAct().Act)
		_, err = b.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.Error(t, err)
		has, err = b.HasPIN(t.Context(), brian.ID)
		require.NoError(t, err)
		require.True(t, has, "a colleague's stays")
	})
}

// Whoever signs in is put at the first till of their shop at which nobody else works.
func TestASellerIsPutWhereNobodyWorks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		_, _, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		aoife, brian, nora := b.hire("aoife", staff.Cashier), b.hire("brian", staff.Cashier), b.hire("nora", staff.Cashier)
		first, second := b.tills[0].ID, b.tills[1].ID
		take := func(want string, u staff.User, device string, held ...string) string {
			t.Helper()
			at, device, err := b.TakeTill(t.Context(), u, device, held)
			require.NoError(t, err)
			require.Equal(t, want, at)
			return device
		}
		device := take(first, aoife, "")
		take(second, brian, "")
		take(first, aoife, device)
		b.pass(time.Minute)
		take(first, nora, "")
		b.pass(time.Minute)
		b.signIn("brian's", brian, first)
		take(second, aoife, "")
		take(first, brian, "")
		b.pass(staff.SessionIdle)
		take(first, aoife, "")
		b.pass(time.Minute)
		take(second, nora, "", first)
		take(first, nora, "", first, second)
	})
}

// TestATillIsRetiredAndReturned: nobody is sent to it meanwhile, by their browser or by signing in, and each act is on
// record once.
func TestATillIsRetiredAndReturned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		tills, err := b.Tills(t.Context(), b.shop.ID)
		require.NoError(t, err)
		cashier := b.hire("aoife", staff.Cashier)
		sent := func(device string) (tillID, token string) {
			tillID, token, err := b.TakeTill(t.Context(), cashier, device, nil)
			require.NoError(t, err)
			return tillID, token
		}
		at, device := sent("")
		require.Equal(t, tills[0].ID, at)
		retire := func(id string, retired bool) {
			for range 2 { // a second click changes nothing
				require.NoError(t, b.RetireTill(t.Context(), setup, id, retired))
			}
		}
		retire(tills[0].ID, true)
		_, stands, err := b.DeviceTill(t.Context(), device, b.shop.ID)
		require.NoError(t, err)
		require.False(t, stands)
		for _, till := range tills[1:] {
			at, _ = sent(device)
			require.Equal(t, till.ID, at)
			retire(till.ID, true)
		}
		at, _ = sent(device)
		require.Empty(t, at)
		retire(tills[0].ID, false)
		at, _ = sent(device)
		require.Equal(t, tills[0].ID, at)
		for act, times := range map[audit.Act]int{audit.TillRetired: len(tills), audit.TillReturned: 1} {
			written, err := b.audit.List(t.Context(), audit.Filter{Act: act, Limit: -1})
			require.NoError(t, err)
			require.Len(t, written, times, act)
		}
		require.Equal(t, fault.NotFound, fault.KindOf(b.RetireTill(t.Context(), setup, "none", true)))
	})
}
