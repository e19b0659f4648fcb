package invariant

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAHistoryIsJudgedByItsText(t *testing.T) {
	t.Parallel()
	const sold = ";1 /none recorded/taken confirmed;2 recorded/taken sending/taken permitted;3 sending/taken complete/earned replied"
	for name, c := range map[string]struct{ text, problem, left string }{
		"sold":                        {"complete/earned 3 3" + sold, "", ""},
		"in the order of its writing": {"complete/earned 3 3;3 sending/taken complete/earned replied;1 /none recorded/taken confirmed;2 recorded/taken sending/taken permitted", "", ""},
		"without events":              {"recorded/taken 0 0", "sale.ends[]", ""},
		"one is missing":              {"recorded/taken 2 1;2 /none recorded/taken confirmed", "sale.missing[1]", ""},
		"one stands twice":            {"complete/earned 3 4" + sold + ";3 sending/taken complete/earned replied", "sale.missing[4]", ""},
		"a gap between two":           {"complete/earned 2 2;1 /none recorded/taken confirmed;2 sending/taken complete/earned replied", "sale.apart[2]", ""},
		"it stands elsewhere":         {"failed/earned 3 3" + sold, "sale.ends[]", ""},
		"it left a final state": {
			"failed/refund_due 4 4" + sold + ";4 complete/earned failed/refund_due listed", "", "sale.left[4]",
		},
		"a separator in a field": {"complete/earned 3 3" + sold + ";4 complete/earned voided/none listed", "sale.unreadable[]", ""},
		"a blank in a field":     {"complete/earned 3 3;1 /none recorded/taken confirmed or not" + sold[len(";1 /none recorded/taken confirmed"):], "sale.unreadable[]", ""},
		"nothing to read":        {"", "sale.unreadable[]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := judge(c.text)
			if c.problem == "" {
				require.Empty(t, h.problems)
			} else {
				require.NotEmpty(t, h.problems)
				require.Equal(t, c.problem, fmt.Sprint(h.problems[0].Kind, h.problems[0].Facts))
			}
			if c.left == "" {
				require.Empty(t, h.left)
			} else {
				require.Len(t, h.left, 1)
				require.Equal(t, c.left, fmt.Sprint(h.left[0].Kind, h.left[0].Facts))
			}
		})
	}
}
