//go:build e2e

package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/money"
	"airtill/internal/store"
)

// asked is a question of the day: where Today leads, what stands there, and the plain SQL
// that says the same.
type asked struct {
	link   string // on Today, in the main part
	shown  string // what the page says, in JavaScript
	sql    string
	args   []any
	amount bool // in millionths of a euro
}

// column is the figure of a row of a report's table, by the column's head.
func column(row, head string) string {
	return fmt.Sprintf(`document.querySelector(".figures-table %s").children[[...document.querySelectorAll(".figures-table thead th")].findIndex((el) => el.innerText.trim() === %q)].innerText.trim()`, row, head)
}

// TestSixQuestions: what a manager asks of a day is one click from Today, and what stands
// there is what plain SQL says.
func TestSixQuestions(t *testing.T) {
	t.Parallel()
	all := dialects()
	if all[len(all)-1] == store.SQLite {
		t.Skip("nobody reads a database of SQLite beside the program")
	}
	w := emptyWorld(t, all[len(all)-1], startSimulator(t))
	command(t, w.env, "", "web", "seed", "--sales", "3000", "--days", "30", "--shops", "2")
	command(t, w.env, w.password+"\n", "web", "user", "add", "--username", "owner", "--role", "admin")
	b := newBrowser(t, w.serve(t).ready(t).url)
	b.signIn("owner", w.password)
	db, err := store.Open(t.Context(), w.databaseURL())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })

	zone, err := time.LoadLocation("Europe/Dublin") // Lisbon's clocks show the same
	require.NoError(t, err)
	year, month, day := time.Now().In(zone).Date()
	days := func(from, to int) []any {
		return []any{time.Date(year, month, day+from, 0, 0, 0, 0, zone).UTC(), time.Date(year, month, day+to, 0, 0, 0, 0, zone).UTC()}
	}
	const sold = ` FROM sales WHERE NOT practice AND recorded_at >= ? AND recorded_at < ?`
	for name, q := range map[string]asked{
		"yesterday by cashier": {
			`a[href^="/reports/cashiers?"]`, column("tbody tr", "Paid"),
			`SELECT SUM(price_micros)` + sold + ` AND fulfilment = 'complete' AND cash = 'earned' GROUP BY cashier_id ORDER BY 1 DESC LIMIT 1`, days(-1, 0), true,
		},
		"margin by product": {
			`a[href="/reports/margin?by=product"]`, column("tbody tr", "Margin"),
			`SELECT SUM(price_micros - actual_send_micros - actual_dist_micros + commission_micros)` + sold + ` AND fulfilment = 'complete' AND cash = 'earned' GROUP BY sku_code ORDER BY 1 DESC LIMIT 1`, days(-27, 1), true,
		},
		"missing cash": {
			`a[href="/reports/cash?by=cashier"]`, column("tfoot tr", "Over or short"),
			`SELECT SUM(c.counted_micros - c.expected_micros) FROM shifts s JOIN drawer_counts c ON c.shift_id = s.id WHERE s.opened_at >= ? AND s.opened_at < ?`, days(-27, 1), true,
		},
		"what runs out": {
			`a[href="/reconcile"]:not(#technical a)`, `[...document.querySelectorAll(".figure")].find((el) => el.innerText.includes("Balance at the transfer service")).querySelector("dd bdi").innerText`,
			`SELECT micros FROM upstream_balances ORDER BY asked_at DESC LIMIT 1`, nil, true,
		},
		"who gave back what": {
			`a[href^="/admin/corrections?"]`, `String(document.querySelectorAll(".figures-table tbody tr").length)`,
			`SELECT COUNT(*) FROM sale_events e JOIN sales s ON s.id = e.sale_id WHERE NOT s.practice AND e.cause = 'refunded' AND e.at >= ? AND e.at < ?`, days(-6, 1), false,
		},
		"why sales failed": {
			`a[href="/reports/failures"]`, column("tbody tr", "Not sent"),
			`SELECT COUNT(*)` + sold + ` AND fulfilment IN ('failed', 'voided', 'cancelled') GROUP BY reason_code, reason_context ORDER BY 1 DESC LIMIT 1`, days(-27, 1), false,
		},
	} {
		var want int64
		require.NoError(t, db.Read(t.Context()).Raw(q.sql, q.args...).Scan(&want).Error, name)
		written := strconv.FormatInt(want, 10)
		if q.amount {
			written = money.Of(want, "EUR").Decimal(2)
		}
		b.open("/")
		b.until("Today, with its float", `document.querySelector("#technical")?.textContent.includes("Float")`)
		b.eval(fmt.Sprintf(`document.querySelector(%q).click()`, "main "+q.link))
		b.until(name, `!document.querySelector("#today-asks") && document.readyState === "complete"`)
		require.Equal(t, written, strings.NewReplacer("€", "", ",", "", "−", "-").Replace(asks[string](b, q.shown)), name)
		require.NotEqual(t, "0", written, "%s: a figure that is nothing proves nothing", name)
	}
}
