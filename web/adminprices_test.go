package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
)

func TestPriceRulesAreMadeSeenAndAllowed(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	const list, form = "/admin/prices", "/admin/prices/rule"
	rule := func(values map[string]string) map[string]string {
		all := map[string]string{"name": "Three per cent", "priority": "10", "way": "percent", "value": "3", "act": "save"}
		for name, value := range values {
			all[name] = value
		}
		return all
	}
	for field, values := range map[string]map[string]string{
		"name":        {"name": ""},
		"priority":    {"priority": "0"},
		"value":       {"value": "three"},
		"value ":      {"value": "1,500"}, // fifteen hundred, which must not become one and a half
		" value":      {"value": "-1,500", "way": "fixed"},
		"from_amount": {"from_amount": "x"},
		"to_amount":   {"from_amount": "10", "to_amount": "5"},
		"ends":        {"starts": "2026-03-02", "ends": "2026-03-01"},
		"ends ":       {"ends": "2026-02-01"}, // over
		"starts":      {"starts": "02/03/2026"},
	} {
		field = strings.TrimSpace(field)
		for _, act := range []string{"save", "preview"} {
			values["act"] = act
			got := w.post(form, w.fill(form, form, "", rule(values)))
			require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, field)
			require.Equal(t, 1, got.page(t).Find(`.field.refused [name="`+field+`"]`).Length(), "%s is named", field)
		}
	}
	preview := w.post(form, w.fill(form, form, "", rule(map[string]string{"act": "preview", "value": "-40"}))).page(t)
	require.Positive(t, preview.Find(".figures-table tbody tr").Length(), "last week's sales")
	require.Contains(t, preview.Find("main").Text(), "Raised to cost")
	require.Equal(t, "-40", preview.Find(`input[name="value"]`).AttrOr("value", ""))
	require.Contains(t, w.get(list).body, "No price rules yet", "a preview saves nothing")

	require.Equal(t, list+"?done=saved", w.post(form, w.fill(form, form, "", rule(nil))).Header.Get("Location"))
	got := w.post(form, w.fill(form, form, "", rule(map[string]string{"name": "Again", "value": "4"})))
	require.Contains(t, got.page(t).Find(".field.refused").Text(), "has the same priority", "rules that contradict each other")

	rules, err := b.server.D.Pricing.Rules(t.Context())
	require.NoError(t, err)
	require.Len(t, rules, 1)
	own := w.fill(list, "/admin/prices/retire", "", nil)
	require.Equal(t, http.StatusConflict, w.post("/admin/prices/allow", own).StatusCode, "whoever made it does not allow it below cost")
	second := b.signIn(staff.Admin)
	require.Equal(t, http.StatusSeeOther, second.post("/admin/prices/allow", second.fill(list, "/admin/prices/allow", "", nil)).StatusCode)
	require.Equal(t, http.StatusSeeOther, w.post(form, w.fill(form+"?id="+rules[0].ID, form, "", map[string]string{"value": "2", "act": "save"})).StatusCode)
	rules, err = b.server.D.Pricing.Rules(t.Context())
	require.NoError(t, err)
	require.Equal(t, "2", rules[0].Value)
	require.False(t, rules[0].BelowCost, "a changed rule is allowed anew")
	require.Equal(t, list+"?done=removed", w.post("/admin/prices/retire", w.fill(list, "/admin/prices/retire", "", nil)).Header.Get("Location"))
	require.Equal(t, http.StatusNotFound, w.get(form+"?id="+rules[0].ID).StatusCode)
}

// TestARuleThatWasChangedMeanwhileKeepsWhatIsTyped: whoever was second reads so above the form, with all they typed in
// it, and may make a rule of their own of it.
func TestARuleThatWasChangedMeanwhileKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Finance)
	const list, form = "/admin/prices", "/admin/prices/rule"
	all := map[string]string{"name": "Three per cent", "priority": "10", "way": "percent", "value": "3", "act": "save"}
	require.Equal(t, http.StatusSeeOther, w.post(form, w.fill(form, form, "", all)).StatusCode)
	rules, err := b.server.D.Pricing.Rules(t.Context())
	require.NoError(t, err)
	opened := form + "?id=" + rules[0].ID
	mine := w.fill(opened, form, "", map[string]string{"name": "Mine", "value": "5", "act": "save"})
	tried := w.fill(opened, form, "", map[string]string{"name": "Mine", "value": "5", "act": "preview"})
	sought := w.fill(opened, form, "", map[string]string{"name": "Mine", "value": "5", "find-sku": "anything", "act": "save"})
	require.Equal(t, http.StatusSeeOther, w.post(form, w.fill(opened, form, "", map[string]string{"name": "Theirs", "act": "save"})).StatusCode)

	got := w.post(form, mine)
	require.Equal(t, http.StatusConflict, got.StatusCode)
	page := got.page(t)
	require.Contains(t, page.Find("main").Text(), "This price rule was changed or removed meanwhile", "what happened")
	require.Equal(t, "Mine", page.Find(`[name="name"]`).AttrOr("value", ""))
	require.Equal(t, "5", page.Find(`[name="value"]`).AttrOr("value", ""))
	require.Empty(t, page.Find(`[name="id"]`).AttrOr("value", ""), "saved again, it is a rule of its own")
	require.Equal(t, http.StatusConflict, w.post(form, tried).StatusCode, "nor is it tried as if it were there")
	back := w.post(form, sought).Header.Get("Location")
	require.Equal(t, "Mine", w.get(back).page(t).Find(`[name="name"]`).AttrOr("value", ""), "a search keeps it, too")

	rules, err = b.server.D.Pricing.Rules(t.Context())
	require.NoError(t, err)
	require.Len(t, rules, 1, "nothing was saved")
	require.Equal(t, "Theirs", rules[0].Name)
	mine.Set("id", page.Find(`[name="id"]`).AttrOr("value", ""))
	mine.Set("priority", "20")
	require.Equal(t, list+"?done=saved", w.post(form, mine).Header.Get("Location"))
}

// TestTheBandOfARuleNamesItsCurrency wherever it is read: it is the float's, which
// need not be the shop's.
func TestTheBandOfARuleNamesItsCurrency(t *testing.T) {
	t.Parallel()
	b := trading(t)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO upstream_balances (id, asked_at, told_at, micros, currency, open_sales) VALUES ('1', ?, ?, 500000000, 'USD', 0)", b.clock(), b.clock()).Error
	}))
	w := b.signIn(staff.Finance)
	const list, form = "/admin/prices", "/admin/prices/rule"
	band := func(from, to string) map[string]string {
		return map[string]string{"name": "Small ones", "priority": "10", "way": "percent", "value": "3", "from_amount": from, "to_amount": to}
	}
	saved := func(values map[string]string, act string) answer {
		values["act"] = act
		if values["to_amount"] != "" {
			values["priority"] = "20" // the first of the list
		}
		return w.post(form, w.fill(form, form, "", values))
	}
	usd := func(micros int64) string { return locale.New(language.English, nil).Amount(money.Of(micros, "USD")) }
	closed, open := usd(5_000_000)+" – "+usd(9_990_000), usd(100_000_000)+" – …"

	for _, field := range []string{"from_amount", "to_amount"} {
		require.Contains(t, w.get(form).page(t).Find(`.field:has([name="`+field+`"])`).Text(), "In USD", field)
	}
	require.Contains(t, saved(band("5", "9.99"), "preview").page(t).Find("main .office-part").Last().Text(), "Sales this rule could apply to: "+closed)
	require.Equal(t, http.StatusSeeOther, saved(band("5", "9.99"), "save").StatusCode)
	require.Equal(t, http.StatusSeeOther, saved(band("100", ""), "save").StatusCode)
	rows := w.get(list).page(t).Find("main table").First().Text()
	require.Contains(t, rows, closed)
	require.Contains(t, rows, open)

	rules, err := b.server.D.Pricing.Rules(t.Context())
	require.NoError(t, err)
	require.Equal(t, "5.00", w.get(form+"?id="+rules[0].ID).page(t).Find(`[name="from_amount"]`).AttrOr("value", ""))
	require.Equal(t, http.StatusSeeOther, w.post(form, w.fill(form+"?id="+rules[0].ID, form, "", map[string]string{"to_amount": "8", "act": "save"})).StatusCode)
	told := b.signIn(staff.Auditor).get("/admin/audit?action=price-rule.saved").page(t).Find(".figures-table tbody tr").First().Find("details dd")
	require.Equal(t, "Up to: "+usd(9_990_000), strings.TrimSpace(told.Eq(0).Text()), "what is otherwise now")
	require.Contains(t, told.Eq(1).Text(), "From: "+usd(5_000_000)+"\n")
	require.Contains(t, told.Eq(1).Text(), "Up to: "+usd(8_000_000))
}

func TestRatesHaveDatesAndAreNeverZero(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Finance)
	const list, path = "/admin/prices", "/admin/rates"
	fields := map[string]string{"from_currency": "USD", "to_currency": "EUR", "rate": "0"}
	for field, value := range map[string]string{"rate": "0", "to_currency": "USD", "valid_from": "2020-01-01T00:00"} {
		before := fields[field]
		fields[field] = value
		if field != "rate" {
			fields["rate"] = "0,92"
		}
		got := w.post(path, w.fill(list, path, "", fields))
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, field)
		require.Equal(t, 1, got.page(t).Find(`.field.refused [name="`+field+`"]`).Length(), field)
		fields[field] = before
	}
	fields["rate"] = "0,92"
	delete(fields, "valid_from")
	asked := w.post(path, w.fill(list, path, "", fields))
	require.Equal(t, 1, asked.page(t).Find(`.field.refused [name="again"]`).Length(), "the first of its currencies is typed twice")
	fields["again"] = "0.92"
	require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(list, path, "", fields)).StatusCode)
	require.Equal(t, http.StatusConflict, w.post(path, w.fill(list, path, "", fields)).StatusCode, "one from each moment")
	require.Contains(t, w.get(list).page(t).Text(), "USD → EUR")
}

// TestARateThatDoesNotHoldYetIsTakenBack: one that was mistyped would otherwise hold, if only for a minute.
func TestARateThatDoesNotHoldYetIsTakenBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Finance)
		const list, path = "/admin/prices", "/admin/rates"
		add := func(rate, from string) int {
			return w.post(path, w.fill(list, path, "", map[string]string{
				"from_currency": "USD", "to_currency": "EUR", "rate": rate, "again": rate, "valid_from": from,
			})).StatusCode
		}
		tomorrow := b.clock().AddDate(0, 0, 1).Format("2006-01-02T15:04")
		require.Equal(t, http.StatusSeeOther, add("0.92", ""))
		require.Equal(t, http.StatusSeeOther, add("0.029", tomorrow))
		require.Equal(t, http.StatusConflict, add("0.92", tomorrow))
		require.Equal(t, 1, w.get(list).page(t).Find(`form:has([name=act][value=withdraw])`).Length(), "not the one that holds")
		mistyped := w.fill(list, path, "withdraw", nil)
		require.Equal(t, http.StatusSeeOther, w.post(path, mistyped).StatusCode)
		require.NotContains(t, w.get(list).page(t).Find("main table").Last().Text(), "0.029")
		require.Equal(t, http.StatusSeeOther, w.post(path, mistyped).StatusCode, "its answer was lost, and it is gone")
		require.Equal(t, http.StatusSeeOther, add("0.92", tomorrow))
		late := w.fill(list, path, "withdraw", nil)
		b.pass(25 * time.Hour)
		holds := b.signIn(staff.Finance).post(path, late)
		require.Equal(t, http.StatusConflict, holds.StatusCode)
		require.Contains(t, holds.page(t).Text(), "This rate holds already.")
	})
}

// TestARateIsReadAsItsLanguageWritesIt, for one that is a thousand times another sells at a thousandth.
func TestARateIsReadAsItsLanguageWritesIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Finance)
	const list, path = "/admin/prices", "/admin/rates"
	enter := func(language, rate, again string) answer {
		require.Equal(t, http.StatusSeeOther, w.post("/language", url.Values{"language": {language}}).StatusCode)
		return w.post(path, w.fill(list, path, "", map[string]string{"from_currency": "EUR", "to_currency": "AOA", "rate": rate, "again": again}))
	}
	for _, fifteenHundred := range []struct{ language, rate string }{{"en", "1,500"}, {"pt", "1.500"}, {"ar", "1.500"}} {
		got := enter(fifteenHundred.language, fifteenHundred.rate, fifteenHundred.rate)
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, fifteenHundred)
		require.Equal(t, 1, got.page(t).Find(`.field.refused [name="rate"]`).Length(), fifteenHundred)
	}
	require.Contains(t, enter("pt", "1,125", "").page(t).Find(".field.refused").Text(), "1,125", "in Portuguese 1.125 is a thousand more")
	require.Equal(t, http.StatusSeeOther, enter("pt", "1,125", "1,125").StatusCode)
	require.Contains(t, w.get(list).page(t).Find("main table").Last().Text(), "1,125")
	require.Contains(t, enter("pt", "2", "").page(t).Find(".field.refused").Text(), "1,125")
	require.Contains(t, enter("ar", "2", "").page(t).Find(".field.refused").Text(), "١٫١٢٥")
	require.Equal(t, http.StatusConflict, enter("ar", "١٫١٢٦", "").StatusCode, "is read, and one of that moment is there")
}

// TestARuleIsSavedAsItsFormHasIt in a language with a decimal comma, or marks of its own.
func TestARuleIsSavedAsItsFormHasIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Finance)
	const list, form = "/admin/prices", "/admin/prices/rule"
	rule := map[string]string{"name": "An eighth more", "way": "percent", "value": "1.125", "act": "save"}
	require.Equal(t, http.StatusSeeOther, w.post(form, w.fill(form, form, "", rule)).StatusCode)
	for language, shown := range map[string]string{"fr": "1,125", "ar": "١٫١٢٥"} {
		require.Equal(t, http.StatusSeeOther, w.post("/language", url.Values{"language": {language}}).StatusCode)
		require.Contains(t, w.get(list).page(t).Find("main table").First().Text(), shown)
		rules, err := b.server.D.Pricing.Rules(t.Context())
		require.NoError(t, err)
		got := w.post(form, w.fill(form+"?id="+rules[0].ID, form, "", map[string]string{"name": language, "act": "save"}))
		require.Equal(t, http.StatusSeeOther, got.StatusCode, language)
		rules, err = b.server.D.Pricing.Rules(t.Context())
		require.NoError(t, err)
		require.Equal(t, "1.125", rules[0].Value)
		require.Equal(t, language, rules[0].Name)
	}
}

// TestAWholeNumberIsReadAsItsLanguageWritesIt, as sums are: with digits of any script, and with groups.
func TestAWholeNumberIsReadAsItsLanguageWritesIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	const limits, rule, shops = "/admin/limits", "/admin/prices/rule", "/admin/shops"
	for i, c := range []struct {
		language, typed string
		want            int64 // 0: refused
	}{
		{"en", "1,000", 1000},
		{"en", " 12 ", 12},
		{"ar", "١٢", 12},
		{"ar", "١٬٠٠٠", 1000},
		{"ar", "۱۲", 12},
		{"fr", "1 000", 1000},
		{"fr", "1.000", 1000},
		{"en", "1.5", 0},
		{"fr", "1,5", 0},
		{"en", "1,00", 0},
		{"en", "-1", 0},
		{"en", "99999999999999999999", 0},
		{"en", "", 0},
	} {
		require.Equal(t, http.StatusSeeOther, w.post("/language", url.Values{"language": {c.language}}).StatusCode)
		set := w.post(limits, w.fill(limits, limits, "", map[string]string{"kind": "number-day", "most": c.typed}))
		made := w.post(rule, w.fill(rule, rule, "", map[string]string{"name": "A rule", "way": "percent", "value": "3", "priority": c.typed, "act": "save"}))
		if c.want == 0 {
			require.Equal(t, 1, set.page(t).Find(`.field.refused [name="most"]`).Length(), "%+v", c)
			require.Equal(t, c.typed, set.page(t).Find(`[name="most"]`).AttrOr("value", ""), "what was typed is still there")
			require.Equal(t, 1, made.page(t).Find(`.field.refused [name="priority"]`).Length(), "%+v", c)
			continue
		}
		require.Equal(t, http.StatusSeeOther, set.StatusCode, "%+v", c)
		require.Equal(t, http.StatusSeeOther, made.StatusCode, "%+v", c)
		all, err := b.server.D.Limits.All(t.Context())
		require.NoError(t, err)
		is := slices.IndexFunc(all, func(l limit.Limit) bool { return l.Name() == "number-day" && l.ShopID == "" })
		require.Equal(t, c.want, all[is].Most, "%+v", c)
		rules, err := b.server.D.Pricing.Rules(t.Context())
		require.NoError(t, err)
		require.Len(t, rules, 1)
		require.EqualValues(t, c.want, rules[0].Priority, "%+v", c)
		require.NoError(t, b.server.D.Pricing.RetireRule(t.Context(), setup, rules[0].ID))
		if c.want == 12 {
			opened := w.post(shops, w.fill(shops, shops, "", map[string]string{"name": fmt.Sprint("Shop ", i), "country": "IE", "currency": "EUR", "tills": c.typed}))
			require.Equal(t, http.StatusSeeOther, opened.StatusCode, "%+v", c)
		}
	}
}

func TestLimitsAreSetAndExplained(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	const path = "/admin/limits"
	got := w.post(path, w.fill(path, path, "", map[string]string{"kind": "number-day", "most": "many"}))
	require.Equal(t, 1, got.page(t).Find(`.field.refused [name="most"]`).Length())
	got = w.post(path, w.fill(path, path, "", map[string]string{"kind": "sale", "most": "10.5", "currency": "JPY"}))
	require.Contains(t, got.page(t).Find(".field.refused").Text(), "JPY has no decimals", "and not to type it like 10.50")
	got = w.post(path, w.fill(path, path, "", map[string]string{"kind": "float-kept", "shop": b.shop.ID, "most": "10", "currency": "EUR"}))
	require.Equal(t, http.StatusSeeOther, got.StatusCode, "what this shop leaves of the float to the others")
	got = w.post(path, w.fill(path, path, "", map[string]string{"kind": "float-kept", "most": "10", "currency": "EUR"}))
	require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
	require.Equal(t, 1, got.page(t).Find(`.field.refused [name="shop"]`).Length(), "a shop, and not all")
	got = w.post(path, w.fill(path, path, "", map[string]string{"kind": "sale", "most": "10", "currency": "euro"}))
	require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode)
	require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(path, path, "", map[string]string{"kind": "sale", "shop": b.shop.ID, "most": "7.50", "currency": "EUR"})).StatusCode)
	limits, err := b.server.D.Limits.All(t.Context())
	require.NoError(t, err)
	found := false
	for _, l := range limits {
		found = found || l.ShopID == b.shop.ID && l.Amount().String() == "7.50 EUR"
	}
	require.True(t, found, "%+v", limits)
}

// TestALimitThatMovedOnIsNotRemoved: who pressed Remove has read another value.
func TestALimitThatMovedOnIsNotRemoved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Admin)
		const path = "/admin/limits"
		mosts := func() (all []string) {
			limits, err := b.server.D.Limits.All(t.Context())
			require.NoError(t, err)
			for _, l := range limits {
				if l.ShopID == b.shop.ID {
					all = append(all, l.Amount().String())
				}
			}
			return all
		}
		set := func(most string) {
			form := w.fill(path, path, "", map[string]string{"kind": "sale", "shop": b.shop.ID, "most": most, "currency": "EUR"})
			require.Equal(t, http.StatusSeeOther, w.post(path, form).StatusCode)
		}
		buttons := func() *goquery.Selection {
			return w.get(path).page(t).Find(`form:has([name=act][value=remove]):has([name=shop][value="` + b.shop.ID + `"])`)
		}
		set("7.50")
		old := fieldsOf(buttons())
		set("5.00")
		refused := w.post(path, old)
		require.Equal(t, http.StatusConflict, refused.StatusCode)
		require.Contains(t, refused.page(t).Find("#office-problem").Text(), "changed this limit meanwhile")
		require.Equal(t, []string{"5.00 EUR"}, mosts())
		require.Equal(t, http.StatusSeeOther, w.post(path, fieldsOf(buttons())).StatusCode)
		require.Empty(t, mosts())
		require.Equal(t, http.StatusSeeOther, w.post(path, old).StatusCode, "it is gone, as was asked for")
	})
}

// TestTheAuditNamesTheRoleWhoseRuleWasSet, and leads to that role's entries. Those of earlier releases name none.
func TestTheAuditNamesTheRoleWhoseRuleWasSet(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, nil)
		w := b.signIn(staff.Admin)
		set := func(role, networks string) {
			const path = "/admin/access"
			require.Equal(t, http.StatusSeeOther, w.post(path, w.fill(path, path, role, map[string]string{"networks": networks})).StatusCode)
		}
		set("cashier", "10.0.0.0/8")
		set("manager", "127.0.0.0/8 10.0.0.0/8")
		rows := func(path string) *goquery.Selection { return w.get(path).page(t).Find(".figures-table tbody tr") }
		subject := rows("/admin/audit?action=role-rule.set").Last().Find("td").Eq(2)
		require.Equal(t, "Cashier", subject.Find("bdi").First().Text())
		require.Equal(t, "Role", subject.Find(".hint").Text())
		require.Equal(t, 1, rows(subject.Find("a").AttrOr("href", "")).Length(), "and not those of the manager")

		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return b.audit().Write(t.Context(), tx, audit.Entry{Actor: setup, Act: audit.RoleRuleSet})
		}))
		subject = rows("/admin/audit?action=role-rule.set").First().Find("td").Eq(2)
		require.Empty(t, squeezed(subject.Text()))
		require.Zero(t, subject.Find("a").Length(), "it would lead to all there is")
	})
}

func TestTheAuditIsReadAndFiltered(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Auditor)
	admin := audit.Actor{UserID: b.users[staff.Admin].ID, Name: "admin", Role: "admin"}
	_, err := b.staff.AddTill(t.Context(), admin, staff.Till{ShopID: b.shop.ID, Name: "Window"})
	require.NoError(t, err)
	all := w.get("/admin/audit").page(t).Find(".figures-table tbody tr").Length()
	mine := w.get("/admin/audit?who=" + b.users[staff.Admin].ID).page(t)
	require.Equal(t, 1, mine.Find(".figures-table tbody tr").Length())
	require.Contains(t, mine.Find(".figures-table").Text(), "Window")
	hired := w.get("/admin/audit?subject=user:" + b.users[staff.Cashier].ID).page(t).Find(".figures-table tbody tr").First().Find("td").Eq(2)
	require.Equal(t, b.users[staff.Cashier].DisplayName, hired.Find("bdi").First().Text(), "people are called by their names")
	require.Equal(t, "Person", hired.Find(".hint").Text())
	history := "/admin/audit?subject=user%3A" + b.users[staff.Cashier].ID
	require.Equal(t, history, hired.Find("a").AttrOr("href", ""), "to the page itself an auditor may not go")
	require.NotZero(t, w.get(history).page(t).Find(".figures-table tbody tr").Length())
	hired = b.signIn(staff.Admin).get("/admin/audit?subject=user:" + b.users[staff.Cashier].ID).page(t).Find(".figures-table tbody td a").First()
	require.Equal(t, "/admin/people/"+b.users[staff.Cashier].ID, hired.AttrOr("href", ""))
	require.Greater(t, all, 1)
	require.Equal(t, http.StatusUnprocessableEntity, w.get("/admin/audit?from=yesterday").StatusCode)
}
