package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
)

// raise lets a rule say something, and looks at it.
func (b *bench) raise(rule string, tier alert.Tier, facts ...string) {
	b.t.Helper()
	told := alert.New(alert.Deps{
		DB: b.db, Now: b.clock, Log: slog.New(slog.DiscardHandler), WebhookURL: "http://127.0.0.1:1",
		Words: func(string, alert.Tier, []string) string { return rule },
		Rules: []alert.Rule{{Name: rule, Look: func(context.Context) (alert.Tier, []string, error) { return tier, facts, nil }}},
	})
	require.NoError(b.t, told.Look(b.t.Context()))
}

// bars are the alerts over a page, each with its words in one line.
func (w *browser) bars(path string) (found []string) {
	w.b.t.Helper()
	got := w.get(path)
	require.Equal(w.b.t, http.StatusOK, got.StatusCode, got.body)
	for _, bar := range got.page(w.b.t).Find(".alert-bar").EachIter() {
		found = append(found, strings.Join(strings.Fields(bar.Text()), " "))
	}
	return found
}

func TestAlertsStandOverTheOfficeUntilSomebodyHasSeenThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.stand(reconcile.Break{Kind: reconcile.BalanceUp, ShopID: b.shop.ID})
		b.pass(5 * 24 * time.Hour)
		b.raise(alert.JobFailed, alert.Warning, "3", "catalog.sync")
		b.pass(2 * time.Hour)
		b.raise(alert.BreakOpen, alert.Critical, "1", "5")
		manager, cashier, auditor := b.signIn(staff.Manager), b.signIn(staff.Cashier), b.signIn(staff.Auditor)
		want := []string{
			"Alert Differences to deal with: 1. Days the oldest has waited: 5. just now Seen",
			"Warning Jobs that failed for good: 3. The last: Updating the catalogue. for 2 hours Seen",
		}
		for _, path := range []string{"/", "/today", "/reconcile", "/reports/sales", "/statements", "/shifts", "/admin/health"} {
			require.Equal(t, want, manager.bars(path), path)
		}
		require.Empty(t, manager.bars("/counter"), "who sells is not held up")
		for _, path := range []string{"/counter", "/sales", "/shift"} {
			require.Empty(t, cashier.bars(path), path)
		}
		require.Equal(t, []string{strings.TrimSuffix(want[0], " Seen"), strings.TrimSuffix(want[1], " Seen")}, auditor.bars("/"), "reads, and does nothing")

		bar := manager.get("/reconcile?state=resolved").page(t).Find(".alert-bar").First()
		require.Equal(t, "/reconcile", bar.Find("a").AttrOr("href", ""))
		act, exists := bar.Find("form").Attr("action")
		require.True(t, exists)
		next := url.Values{"next": {bar.Find("input[name=next]").AttrOr("value", "")}}
		require.Equal(t, http.StatusForbidden, cashier.post(act, next).StatusCode)
		require.Equal(t, http.StatusForbidden, auditor.post(act, next).StatusCode)
		require.Equal(t, http.StatusForbidden, manager.do(http.MethodPost, act, strings.NewReader(next.Encode()), http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}).StatusCode)
		require.Len(t, manager.bars("/"), 2, "nobody has seen it yet")
		seen := manager.post(act, next)
		require.Equal(t, http.StatusSeeOther, seen.StatusCode, seen.body)
		require.Equal(t, "/reconcile?state=resolved", seen.Header.Get("Location"))
		require.Equal(t, want[1:], manager.bars("/"))
		require.Len(t, b.signIn(staff.Admin).bars("/"), 1, "one person has seen it for all")
		require.Equal(t, http.StatusSeeOther, manager.post(act, next).StatusCode, "the manager has it")
		require.Equal(t, http.StatusConflict, b.signIn(staff.Admin).post(act, next).StatusCode)
		acts, err := b.server.D.Audit.List(t.Context(), audit.Filter{Limit: 1})
		require.NoError(t, err)
		require.Equal(t, []any{audit.AlertSeen, b.users[staff.Manager].ID}, []any{acts[0].Act, acts[0].UserID})
		require.Contains(t, acts[0].After, "break_open")
		require.Contains(t, manager.get("/admin/health").page(t).Find("#open-alerts").Text(), "Seen by manager, ")

		b.raise(alert.BreakOpen, alert.Fine)
		b.raise(alert.BreakOpen, alert.Critical, "1", "3")
		require.Len(t, manager.bars("/"), 2, "raised again, it is shown again")
	})
}

// TestWhatGotWorseIsNotSeenOnAnOldPage: nor is another event than the one it tells of. A figure may move meanwhile.
func TestWhatGotWorseIsNotSeenOnAnOldPage(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	form := func() (act string, fields url.Values) {
		bar := w.get("/reconcile").page(t).Find(".alert-bar form")
		return bar.AttrOr("action", ""), fieldsOf(bar)
	}
	b.raise(alert.FloatLow, alert.Warning, "80.00 EUR")
	act, old := form()
	b.raise(alert.FloatLow, alert.Critical, "0.00 EUR")
	refused := w.post(act, old)
	require.Equal(t, http.StatusConflict, refused.StatusCode)
	require.Contains(t, refused.body, "changed since")
	require.Len(t, w.bars("/"), 1, "nobody has seen that it is gone")
	act, now := form()
	b.raise(alert.FloatLow, alert.Critical, "0.10 EUR")
	require.Equal(t, http.StatusSeeOther, w.post(act, now).StatusCode)
	require.Empty(t, w.bars("/"))

	b.raise(alert.BreakGlass, alert.Warning, "Anna", "2026-03-14 10:00 UTC")
	act, old = form()
	b.raise(alert.BreakGlass, alert.Warning, "Boris", "2026-03-14 11:00 UTC")
	require.Equal(t, http.StatusConflict, w.post(act, old).StatusCode)
	require.Len(t, w.bars("/"), 1)
}

// TestAManagerIsToldOfTheOwnShop: of what is counted over all shops, its own part; of
// what goes on in others alone, nothing.
func TestAManagerIsToldOfTheOwnShop(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	b.stand(reconcile.Break{Kind: reconcile.BalanceUp, ShopID: "another"})
	b.raise(alert.BreakOpen, alert.Warning, "1", "0")
	b.raise(alert.FloatReserve, alert.Warning, "80.00 EUR", "Elsewhere")
	manager, finance := b.signIn(staff.Manager), b.signIn(staff.Finance)
	require.Empty(t, manager.bars("/"))
	require.Len(t, finance.bars("/"), 2)
	require.Equal(t, "Alerts: 2", finance.get("/").page(t).Find(".top [popovertarget=alerts]").AttrOr("aria-label", ""))
	b.stand(reconcile.Break{Kind: reconcile.CashShort, ShopID: b.shop.ID})
	b.raise(alert.BreakOpen, alert.Warning, "2", "0")
	require.Equal(t, []string{"Warning Differences to deal with: 1. Days the oldest has waited: 0. just now Seen"}, manager.bars("/"))
}

// TestAlertsAreWrittenInEachLanguage holds every rule's words in English, and that each
// other language has its own.
func TestAlertsAreWrittenInEachLanguage(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	for _, told := range [][]string{
		{alert.FloatLow, "80.00 EUR"},
		{alert.FloatReserve, "80.00 EUR", "Main Street, 24 EUR"},
		{alert.FloatRunway, "2026-03-01 16:40 UTC"},
		{alert.BreakOpen, "12", "5"},
		{alert.VerifyFailed, "I5"},
		{alert.JobFailed, "3", "catalog.sync"},
		{alert.WebhookStorm, "1200", "bad_signature 1150, malformed 50"},
		{alert.BreakGlass, "owner", "2026-03-01 11:40 UTC"},
		{alert.WrongClock, "61"},
		{alert.DamagedFile},
	} {
		b.raise(told[0], alert.Warning, told[1:]...)
		b.pass(time.Second)
	}
	w := b.signIn(staff.Finance)
	said := func(language string) (lines []string) {
		require.Equal(t, http.StatusSeeOther, w.post("/language", url.Values{"language": {language}}).StatusCode)
		for _, bar := range w.get("/").page(t).Find(".alert-bar").EachIter() {
			lines = append(lines, bar.Find("a").AttrOr("href", "")+" "+strings.Join(strings.Fields(bar.Text()), " "))
		}
		return lines
	}
	english := said("en")
	got := strings.Join(english, "\n") + "\n"
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile("testdata/alerts.golden", []byte(got), 0o644))
	}
	golden, err := os.ReadFile("testdata/alerts.golden")
	require.NoError(t, err)
	require.Equal(t, string(golden), got)
	for _, language := range locale.Languages()[1:] {
		own := said(language.Tag)
		require.Len(t, own, len(english), language.Tag)
		for i, line := range own {
			link, words, _ := strings.Cut(line, " ")
			there, inEnglish, _ := strings.Cut(english[i], " ")
			require.Equal(t, there, link, language.Tag)
			require.NotEqual(t, inEnglish, words, language.Tag)
			require.NotRegexp(t, `[a-z]\.[a-z]|[a-z]_[a-z]`, words, "a key or a code, in %s", language.Tag)
		}
	}
}

func TestTheFloatIsToldOfOnce(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return sales.RaiseIncident(t.Context(), tx, sales.Incident{Kind: sales.LowFloat, At: b.clock()})
	}))
	w := b.signIn(staff.Manager)
	float := func(path string) int {
		return w.get(path).page(t).Find(".banner:not(.alert-bar).tone-bad:not([hidden])").Length()
	}
	require.Equal(t, 1, float("/"), "at once")
	b.raise(alert.FloatLow, alert.Warning, "80.00 EUR")
	require.Len(t, w.bars("/"), 1)
	require.Zero(t, float("/"), "the alert says it")
	require.Equal(t, 1, float("/counter"))
}

func TestTheHealthPageTellsWhatNobodyWasTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Admin)
	require.Zero(t, w.get("/admin/health").page(t).Find("#unsent-alerts").Length())
	b.raise(alert.VerifyFailed, alert.Critical, "I5")
	var id string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT id FROM alert_messages").Scan(&id).Error)
	require.Error(t, b.server.D.Alerts.Send(t.Context(), id), "nobody listens there")
	b.pass(3 * time.Hour)
	w = b.signIn(staff.Admin)
	require.Equal(t, "Webhook The receiver of alerts did not answer.A check found an error in the books. This does not hold: With nothing on its way, the float account equals the balance at the transfer service. for 3 hours Attempts: 1",
		strings.Join(strings.Fields(w.get("/admin/health").page(t).Find("#unsent-alerts").Text()), " "))
	require.Equal(t, http.StatusSeeOther, w.post("/language", url.Values{"language": {"fr"}}).StatusCode)
	require.Contains(t, w.get("/admin/health").page(t).Find("#unsent-alerts").Text(), "n’a pas répondu")
	require.Equal(t, 1, b.signIn(staff.Manager).get("/admin/health").page(t).Find("#unsent-alerts li").Length(), "it concerns all shops")
	b.raise(alert.FloatReserve, alert.Warning, "80.50 EUR", "Harbour")
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT MAX(id) FROM alert_messages").Scan(&id).Error)
	require.Error(t, b.server.D.Alerts.Send(t.Context(), id))
	require.Contains(t, b.signIn(staff.Admin).get("/admin/health").page(t).Find("#unsent-alerts").Text(), "Harbour")
	require.NotContains(t, b.signIn(staff.Manager).get("/admin/health").page(t).Find("#unsent-alerts").Text(), "Harbour", "not of another's shop")
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT id FROM alerts WHERE rule = ?", alert.FloatReserve).Scan(&id).Error)
	require.Equal(t, http.StatusConflict, b.signIn(staff.Manager).post("/alerts/"+id+"/seen", url.Values{"next": {"/"}}).StatusCode, "nor is it theirs to heed")
	require.Equal(t, http.StatusSeeOther, b.signIn(staff.Admin).post("/alerts/"+id+"/seen", url.Values{"next": {"/"}}).StatusCode)
	b.pass(8 * 24 * time.Hour)
	require.Zero(t, b.signIn(staff.Admin).get("/admin/health").page(t).Find("#unsent-alerts").Length(), "old news")
}

func TestTheHealthPageSaysThatAnAlertNobodyWasToldOfIsOver(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	b.raise(alert.FloatLow, alert.Warning, "80.00 EUR")
	b.pass(time.Hour)
	b.raise(alert.FloatLow, alert.Fine)
	var id string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT id FROM alert_messages WHERE change = ?", alert.Cleared).Scan(&id).Error)
	require.Error(t, b.server.D.Alerts.Send(t.Context(), id), "nobody listens there")
	w := b.signIn(staff.Admin)
	require.Contains(t, w.get("/admin/health").page(t).Find("#unsent-alerts").Text(), "It is over: The float is low: €80.00.")
	require.Contains(t, w.get("/admin/health?file=csv").body, "It is over: The float is low: €80.00.")
}

// TestADifferenceThatIsOpenIsNotCalledOver: a shop sees its own part of what a message tells of all shops, as it is now.
func TestADifferenceThatIsOpenIsNotCalledOver(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	b.raise(alert.BreakOpen, alert.Warning, "9", "0")
	b.pass(time.Hour)
	b.raise(alert.BreakOpen, alert.Fine)
	ids, err := store.All[string](b.db.Read(t.Context()).Raw("SELECT id FROM alert_messages"))
	require.NoError(t, err)
	for _, id := range ids {
		require.Error(t, b.server.D.Alerts.Send(t.Context(), id), "nobody listens there")
	}
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Create(&reconcile.Break{
			ID: "1", Kind: reconcile.BalanceDown, Subject: "1", ShopID: b.shop.ID, Currency: "EUR", Evidence: "{}",
			State: reconcile.Open, FoundAt: b.clock(), SeenAt: b.clock(),
		}).Error
	}))
	unsent := func(role staff.Role) string {
		return b.signIn(role).get("/admin/health").page(t).Find("#unsent-alerts").Text()
	}
	require.Contains(t, unsent(staff.Admin), "It is over")
	require.Contains(t, unsent(staff.Manager), "1", "that it began")
	require.NotContains(t, unsent(staff.Manager), "It is over")
}
