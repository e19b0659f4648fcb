package web

import (
	"net/http"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/limit"
	"airtill/internal/staff"
)

// TestTwoManagersSetOneLimit: whose page is older than the other's change is told, sees the limit as it is now, and
// keeps what they typed; saved again, it stands. So it is with a limit that neither of them saw.
func TestTwoManagersSetOneLimit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		const path = "/admin/limits"
		w := b.signIn(staff.Admin)
		for kind, most := range map[string][2]string{"number-day": {"3", "8"}, "cashier-hour": {"20", "90"}} {
			typed := map[string]string{"kind": kind, "most": most[1], "shop": b.shop.ID}
			older := w.fill(path, path, "", typed)
			typed["most"] = most[0]
			newer := w.fill(path, path, "", typed)
			require.Equal(t, http.StatusSeeOther, w.post(path, newer).StatusCode)
			require.Equal(t, http.StatusSeeOther, w.post(path, newer).StatusCode, "a second click")
			got := w.post(path, older)
			require.Equal(t, http.StatusConflict, got.StatusCode, kind)
			page := got.page(t)
			require.Contains(t, page.Find("#office-problem").Text(), "Somebody else has changed this limit")
			require.Equal(t, most[1], page.Find(`form [name="most"]`).AttrOr("value", ""))
			require.Equal(t, kind, page.Find(`form [name="kind"] [selected]`).AttrOr("value", ""))
			require.Contains(t, page.Find("tbody").First().Text(), most[0])
			page.Find(`form:has(select[name="kind"]) input[name^="shown_"]`).Each(func(_ int, i *goquery.Selection) {
				older.Set(i.AttrOr("name", ""), i.AttrOr("value", ""))
			})
			require.Equal(t, http.StatusSeeOther, w.post(path, older).StatusCode)
		}
	})
}

// TestALimitOrRuleIsOfAShopThatIsThere: of any other it would hold nowhere and read as of all shops.
func TestALimitOrRuleIsOfAShopThatIsThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.signIn(staff.Admin)
		limits, rules := "/admin/limits", "/admin/prices/rule"
		for path, typed := range map[string]map[string]string{
			limits: {"kind": limit.Named("number-day").Name(), "most": "4"},
			rules:  {"name": "Rule", "priority": "10", "way": "percent", "value": "3", "act": "save"},
		} {
			typed["shop"] = b.tills[0].ID
			got := w.post(path, w.fill(path, path, "", typed))
			require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, path)
			require.Contains(t, got.page(t).Find(`.field.refused:has([name="shop"]) .problem`).Text(), "There is no such shop.")
		}
	})
}
