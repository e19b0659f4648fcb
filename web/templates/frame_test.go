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
	finance := Permissions{Sales: true, Today: true, Reports: true, Reconcile: true}
	admin := Permissions{Admin: true}
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
		{"/shift/01ABC", manager, "/shift"},
		{"/shifts", manager, "/shift"},
		{"/reconcile/verdicts", manager, "/reconcile"},
		{"/statements", manager, "/reconcile"},
		{"/statements/01ABC", manager, "/reconcile"},
		{"/reports/sales", manager, "/reports/sales"},
		{"/reports/cash", manager, "/reports/sales"},
		{"/reports/cash", finance, "/reports/sales"},
		{"/shifts", finance, "/reports/sales"},
		{"/shift/01ABC", finance, "/reports/sales"},
		{"/admin/people/01ABC", admin, "/admin/"},
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
