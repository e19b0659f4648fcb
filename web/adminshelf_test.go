package web

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

func skusOf(page *goquery.Document) []string {
	return page.Find("button[name=sku]").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") })
}

func TestAManagerArrangesTheCounterFromTheOffice(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	other, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Elsewhere", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	cashier := b.atTill(staff.Cashier)
	offered := func() []string { return skusOf(cashier.get("/counter?number=" + irish).page(t)) }
	before := offered()
	require.GreaterOrEqual(t, len(before), 3)

	w := b.signIn(staff.Manager)
	require.Equal(t, "/admin/counter", w.get("/admin/").Header.Get("Location"))
	do := func(act, sku string, more ...string) answer {
		form := url.Values{"csrf": {w.csrf("/admin/counter")}, "shop": {b.shop.ID}, "act": {act}, "sku": {sku}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return w.post("/admin/counter", form)
	}
	require.Equal(t, http.StatusSeeOther, do("pin", before[2]).StatusCode)
	require.Equal(t, http.StatusSeeOther, do("pin", before[1]).StatusCode)
	require.Equal(t, []string{before[2], before[1], before[0]}, offered()[:3])
	require.Equal(t, http.StatusSeeOther, do("up", before[1]).StatusCode)
	require.Equal(t, []string{before[1], before[2]}, offered()[:2])
	require.Equal(t, http.StatusSeeOther, do("down", before[1]).StatusCode)
	require.Equal(t, []string{before[2], before[1]}, offered()[:2])
	require.Equal(t, http.StatusSeeOther, do("unpin", before[2]).StatusCode)
	require.Equal(t, before[1], offered()[0])

	confirm := cashier.get("/counter?number=" + irish + "&sku=" + before[0]).page(t)
	form := url.Values{}
	confirm.Find("form.confirm input[type=hidden]").Each(func(_ int, f *goquery.Selection) { form.Set(f.AttrOr("name", ""), f.AttrOr("value", "")) })
	require.Equal(t, 1, do("hide", before[0]).page(t).Find(`.field.refused [name="reason"]`).Length())
	require.Equal(t, 1, do("hide", "none", "reason", "x").page(t).Find(`.field.refused [name="find-sku"]`).Length())
	require.Equal(t, 1, do("pin", "").page(t).Find(`.field.refused [name="find-sku"]`).Length(), "nothing was picked")
	require.Equal(t, http.StatusSeeOther, do("hide", before[0], "reason", "complaints").StatusCode)
	require.NotContains(t, offered(), before[0])
	require.Equal(t, http.StatusNotFound, cashier.get("/counter?number="+irish+"&sku="+before[0]).StatusCode)
	require.Equal(t, http.StatusNotFound, cashier.post("/sales", form).StatusCode, "a page from before does not sell it either")
	require.Equal(t, http.StatusSeeOther, do("show", before[0]).StatusCode)
	require.Contains(t, offered(), before[0])

	require.Equal(t, http.StatusNotFound, do("pin", before[0], "shop", other.ID).StatusCode, "another shop's counter is not theirs")
	require.Equal(t, http.StatusNotFound, do("fly", before[0]).StatusCode)
	require.Equal(t, http.StatusOK, b.signIn(staff.Admin).get("/admin/counter?shop="+other.ID).StatusCode)
	require.NotContains(t, w.get("/admin/counter").body, "In all shops", "a manager has one shop")
	require.Equal(t, http.StatusForbidden, cashier.get("/admin/counter").StatusCode)
}

// TestBeforeThereIsAShopTheCounterSaysSo: the page is in the menu of a new till.
func TestBeforeThereIsAShopTheCounterSaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for _, sql := range []string{"DELETE FROM tills", "UPDATE users SET role = 'auditor', shop_id = NULL WHERE shop_id IS NOT NULL", "DELETE FROM shops"} {
			if err := tx.Exec(sql).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	got := w.get("/admin/counter")
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Contains(t, got.page(t).Find("main").Text(), "No shops yet")
	require.Equal(t, http.StatusNotFound, w.get("/admin/counter?shop=none").StatusCode)
}

// TestAProductIsPinnedInAllShopsAtOnce: in all or, where one has no room, in none.
func TestAProductIsPinnedInAllShopsAtOnce(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	other, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Elsewhere", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	w := b.signIn(staff.Admin)
	do := func(act, sku string) answer {
		return w.post("/admin/counter", url.Values{"csrf": {w.csrf("/admin/counter")}, "shop": {b.shop.ID}, "act": {act}, "sku": {sku}})
	}
	pinned := func() (all [2][]string) {
		for i, shop := range []string{b.shop.ID, other.ID} {
			var err error
			all[i], err = b.server.D.Catalog.Favourites(t.Context(), shop)
			require.NoError(t, err)
		}
		return all
	}
	skus := skusOf(b.atTill(staff.Cashier).get("/counter?number=" + irish).page(t))
	require.NoError(t, b.server.D.Catalog.Pin(t.Context(), skus[1], other.ID))
	elsewhere := w.get("/admin/counter?shop=" + other.ID).page(t)
	require.Equal(t, 1, elsewhere.Find(`form:has([name="act"][value="pin-all"]) [name="sku"][value="`+skus[1]+`"]`).Length())
	require.Equal(t, http.StatusSeeOther, do("pin-all", skus[0]).StatusCode)
	require.Equal(t, http.StatusSeeOther, do("pin-all", skus[0]).StatusCode, "again changes nothing")
	require.Equal(t, [2][]string{{skus[0]}, {skus[1], skus[0]}}, pinned())
	require.Equal(t, http.StatusSeeOther, do("unpin-all", skus[0]).StatusCode)
	require.Equal(t, [2][]string{{}, {skus[1]}}, pinned())
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for i := range 29 {
			if err := tx.Exec("INSERT INTO favourites (shop_id, sku, pinned_at, place) VALUES (?,?,?,?)", other.ID, fmt.Sprint("gone", i), b.clock(), i+9).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	got := do("pin-all", skus[0])
	require.Equal(t, http.StatusConflict, got.StatusCode)
	require.Contains(t, got.page(t).Find("#office-problem").Text(), "Elsewhere")
	require.Empty(t, pinned()[0])
	require.Equal(t, http.StatusSeeOther, do("pin-all", skus[1]).StatusCode, "a full shop that has it already has room")
	require.Equal(t, []string{skus[1]}, pinned()[0])
}

// TestAFormThatWasSoldIsItsSale, whatever stands in the way of selling now: the
// answer to its first press may have been lost.
func TestAFormThatWasSoldIsItsSale(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.atTill(staff.Cashier)
		b.openTill(w)
		sku := skusOf(w.get("/counter?number=" + irish).page(t))[0]
		form := fieldsOf(w.get("/counter?number=" + irish + "&sku=" + sku).page(t).Find("form.confirm"))
		first := w.post("/sales", form)
		require.Equal(t, http.StatusSeeOther, first.StatusCode)

		manager := b.signIn(staff.Manager)
		hide := url.Values{"csrf": {manager.csrf("/admin/counter")}, "shop": {b.shop.ID}, "act": {"hide"}, "sku": {sku}, "reason": {"complaints"}}
		require.Equal(t, http.StatusSeeOther, manager.post("/admin/counter", hide).StatusCode)
		again := w.post("/sales", form)
		require.Equal(t, http.StatusSeeOther, again.StatusCode)
		require.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
		require.Equal(t, http.StatusNotFound, w.post("/sales", with(form, "key", "another")).StatusCode, "another form is not sold")
	})
}
