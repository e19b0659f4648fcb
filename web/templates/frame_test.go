package templates

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/web/locale"
)

func TestWhereOneIs(t *testing.T) {
	t.Parallel()
	cashier := Permissions{Sell: true, Sales: true, Shift: true}
	manager := Permissions{Sell: true, Sales: true, Shift: true, Today: true, Reports: true, Reconcile: true}
	auditor := Permissions{Sales: true}
	for _, c := range []struct {
		path string
		may  Permissions
		want string
	}{
		{"/", cashier, "/counter"},
		{"/", manager, "/"},
		{"/counter", cashier, "/counter"},
		{"/sales", cashier, "/sales"},
		{"/sales/01ABC", cashier, "/counter"},
		{"/sales/01ABC", auditor, "/sales"},
		{"/shift/cash", cashier, "/shift"},
		{"/reconcile/verdicts", manager, "/reconcile"},
		{"/nowhere", manager, ""},
	} {
		f := Frame{Locale: locale.New(language.English, nil), Path: c.path, May: c.may}
		var here []string
		for _, p := range f.places() {
			if f.here(p) {
				here = append(here, p.href)
			}
		}
		if c.want == "" {
			require.Empty(t, here, c.path)
			continue
		}
		require.Equal(t, []string{c.want}, here, c.path)
	}
}
