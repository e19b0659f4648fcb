//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheSearchIsAKeyAway on every page of the office, for who runs the business
// and for who runs a shop; and the pages tell which key it is.
func TestTheSearchIsAKeyAway(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t)
	p := w.serve(t).ready(t)
	manager := []string{"/", "/sales", "/shifts", "/reports/sales", "/reports/cash", "/reconcile", "/reconcile/outside", "/reconcile/drawers", "/statements", "/admin/counter", "/admin/health"}
	admin := []string{"/reports/sales"}
	for _, page := range officeScreens {
		// Where it is open already keys are letters of what is looked for. Reports are one
		// page, and who opens the search thirty times at once has to wait. The password and
		// the second step are changed on pages without anything else.
		if page.link == "" && page.name != "find" && page.name != "password" && page.name != "second-step" && !strings.HasPrefix(page.path, "/reports/") {
			admin = append(admin, page.path)
		}
	}
	for user, pages := range map[string][]string{"manager": manager, "admin": admin} {
		b := newBrowser(t, p.url)
		b.signIn(user, w.password)
		for _, path := range pages {
			b.open(path)
			b.typed("?")
			b.until("the keys of "+path, `document.querySelector("#keys:popover-open")`)
			told := asks[string](b, `[...document.querySelectorAll("#keys dl > div:not([hidden])")].map((line) => line.innerText.replace(/\s+/g, " ")).join("; ")`)
			require.Regexp(t, `(^|; )/ (/ )?Search`, told, path)
			b.typed("?")
			b.until("no keys", `!document.querySelector("#keys:popover-open")`)
			b.typed("/")
			b.until("the search of "+path, `document.activeElement.matches("[data-search]")`)
			if asks[string](b, `location.pathname`) != "/find" {
				b.typed("/") // there was one of the page's own
			}
			b.focused("Number, reference, receipt or name")
			require.Equal(t, "/find", asks[string](b, `location.pathname`), path)
		}
		b.typed("087")
		b.enter()
		b.until("an answer", `location.search.startsWith("?q=")`)
	}
}
