package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
	"airtill/internal/storetest"
)

// Who signs in where somebody else works takes a free till, or is asked.
func TestATillInUseIsNotSharedInSilence(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	first := b.signIn(staff.Cashier)
	b.openTill(first)
	at := func(w *browser) string {
		p, live, err := b.staff.Present(t.Context(), w.session())
		require.NoError(t, err)
		require.True(t, live)
		return p.Till.ID
	}
	_, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "brid", Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
	require.NoError(t, err)
	signIn := func(w *browser, name string) string {
		return w.post("/login", url.Values{"username": {name}, "password": {password}}).Header.Get("Location")
	}
	brid := b.browser()
	require.Equal(t, "/", signIn(brid, "brid"))
	require.NotEqual(t, at(first), at(brid), "the free till")
	b.openTill(brid)

	_, err = b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "cait", Role: staff.Cashier, Password: password, ShopID: b.shop.ID})
	require.NoError(t, err)
	cait := b.browser()
	asked := signIn(cait, "cait")
	require.Equal(t, "/till?till="+at(cait), asked)
	require.Contains(t, cait.get(asked).page(t).Find("form.sheet").Text(), "Take")
	require.Equal(t, asked, cait.get("/counter").Header.Get("Location"), "nothing is sold before that is answered")
	require.Equal(t, asked, cait.get("/shift").Header.Get("Location"))
	taken := cait.post("/till", with(fieldsOf(cait.get(asked).page(t).Find("form.sheet"))))
	require.Equal(t, http.StatusSeeOther, taken.StatusCode)
	require.Equal(t, http.StatusOK, cait.get("/shift").StatusCode)
}
