package web

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
	"airtill/internal/storetest"
)

func TestStatementsAreReadAndTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	b.pass(48 * time.Hour) // the day of the open shift is over
	closed, err := b.server.d.Statements.CloseDue(t.Context())
	require.NoError(t, err)
	require.Positive(t, closed)
	w := b.signIn(staff.Manager)
	link := w.get("/statements").page(t).Find("table.list tbody a").Last()
	require.Equal(t, "1 Mar 2026", link.Text())
	page := link.AttrOr("href", "")
	got := w.get(page)
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Contains(t, got.page(t).Find("main").Text(), "€100.00", "the float of the drawer")
	for format, kind := range map[string]string{"csv": "text/csv", "xlsx": "spreadsheetml", "pdf": "application/pdf"} {
		file := w.get(page + "." + format)
		require.Equal(t, http.StatusOK, file.StatusCode, format)
		require.Contains(t, file.Header.Get("Content-Type"), kind)
		require.NotEmpty(t, file.body)
	}
	require.Contains(t, w.get(page+".csv").body, "Closing,EUR,100.00")
	require.Equal(t, http.StatusNotFound, w.get(page+".exe").StatusCode)
	require.Equal(t, http.StatusNotFound, w.get("/statements/nothing").StatusCode)

	other, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Elsewhere", Zone: "UTC", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	_, err = b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "boss2", Role: staff.Manager, ShopID: other.ID, Password: password})
	require.NoError(t, err)
	stranger := b.browser()
	require.Equal(t, http.StatusSeeOther, stranger.post("/login", map[string][]string{"username": {"boss2"}, "password": {password}}).StatusCode)
	require.Equal(t, http.StatusNotFound, stranger.get(page).StatusCode, "another shop's")
	require.NotContains(t, stranger.get("/statements").body, page)
}
