package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestACustomersDataIsHandedOutAndErasedByTwo goes through the page: look, take away, ask,
// and a second admin who types the number from the letter; then no page shows it, and its
// receipt still prints.
func TestACustomersDataIsHandedOutAndErasedByTwo(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		cashier := b.atTill(staff.Cashier)
		path := cashier.sellTo(irish)
		b.becomes(path, sales.Complete)
		sale := b.saleAt(path)
		shown := "87 123 4567"
		require.Contains(t, cashier.get(path).page(t).Text(), shown)

		first := b.signIn(staff.Admin)
		const page = "/admin/customer"
		ask := func(w *browser, act string, fields url.Values) answer {
			fields.Set("act", act)
			fields.Set("csrf", w.csrf(page))
			return w.post(page, fields)
		}
		require.Equal(t, http.StatusUnprocessableEntity, ask(first, "look", url.Values{"number": {"12"}}).StatusCode)
		require.Contains(t, ask(first, "look", url.Values{"number": {"+353 87 000 0000"}}).page(t).Text(), "Nothing is stored")
		found := ask(first, "look", url.Values{"number": {irish}})
		require.Equal(t, http.StatusOK, found.StatusCode)
		require.Contains(t, found.page(t).Find("table").Text(), sale.Code)
		csv := ask(first, "export", url.Values{"number": {irish}, "file": {"csv"}})
		require.Equal(t, "text/csv; charset=utf-8", csv.Header.Get("Content-Type"))
		require.Contains(t, csv.body, sale.AccountNumber)
		require.True(t, strings.HasPrefix(ask(first, "export", url.Values{"number": {irish}, "file": {"xlsx"}}).body, "PK"))
		require.Equal(t, http.StatusNotFound, ask(first, "export", url.Values{"number": {irish}, "file": {"exe"}}).StatusCode)
		told, err := b.audit().List(t.Context(), audit.Filter{Act: audit.CustomerExported})
		require.NoError(t, err)
		require.Len(t, told, 2, "each file is on record")

		require.Equal(t, http.StatusUnprocessableEntity, ask(first, "propose", url.Values{"number": {irish}, "reason": {" "}}).StatusCode)
		require.Equal(t, page+"?done=asked-two", ask(first, "propose", url.Values{"number": {irish}, "reason": {"letter of 3 March"}}).Header.Get("Location"))
		confirm := first.fill(page, page, "confirm", map[string]string{"number": irish})
		require.Equal(t, http.StatusForbidden, first.post(page, confirm).StatusCode, "nobody signs twice")

		_, err = b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "admin2", Role: staff.Admin, Password: password})
		require.NoError(t, err)
		second := b.browser()
		require.Equal(t, http.StatusSeeOther, second.post("/login", url.Values{"username": {"admin2"}, "password": {password}}).StatusCode)
		waits := second.get(page)
		require.Contains(t, waits.page(t).Text(), "letter of 3 March")
		require.NotContains(t, waits.body, sale.AccountNumber)
		confirm = second.fill(page, page, "confirm", map[string]string{"number": "+353 87 000 0000"})
		require.Equal(t, http.StatusUnprocessableEntity, second.post(page, confirm).StatusCode, "another number")
		confirm.Set("number", "+353 87 123 4567")
		require.Equal(t, page+"?done=removed", second.post(page, confirm).Header.Get("Location"))

		for _, at := range []string{path, "/sales", "/sales?q=" + sale.Code, "/counter", path + "/receipt", "/customers"} {
			got := cashier.get(at)
			require.Less(t, got.StatusCode, 400, at)
			text := strings.NewReplacer(" ", "", "\u00a0", "").Replace(got.body)
			require.NotContains(t, text, "871234567", at)
		}
		require.Contains(t, cashier.get(path).page(t).Text(), "number erased")
		require.Contains(t, cashier.get(path+"/receipt").page(t).Text(), "number erased")
		for table, text := range dump(t, db) {
			require.NotContains(t, text, sale.AccountNumber, table)
		}
		offences, err := b.audit().Verify(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences)
	})
}
