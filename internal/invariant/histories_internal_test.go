package invariant

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAHistoryIsJudgedByItsText(t *testing.T) {
	t.Parallel()
	const sold = ";1 /none recorded/taken confirmed;2 recorded/taken sending/taken permitted;3 sending/taken complete/earned replied"
	for name, c := range map[string]struct{ text, problem, left string }{
		"sold":                        {"complete/earned 3 3" + sold, "", ""},
		"in the order of its writing": {"complete/earned 3 3;3 sending/taken complete/earned replied;1 /none recorded/taken confirmed;2 recorded/taken sending/taken permitted", "", ""},
		"without events":              {"recorded/taken 0 0", "its history ends at  after 0", ""},
		"one is missing":              {"recorded/taken 2 1;2 /none recorded/taken confirmed", "event 1 is missing", ""},
		"one stands twice":            {"complete/earned 3 4" + sold + ";3 sending/taken complete/earned replied", "event 4 is missing", ""},
		"a gap between two":           {"complete/earned 2 2;1 /none recorded/taken confirmed;2 sending/taken complete/earned replied", "event 2 begins at sending/taken", ""},
		"it stands elsewhere":         {"failed/earned 3 3" + sold, "stands at failed/earned", ""},
		"it left a final state": {
			"failed/refund_due 4 4" + sold + ";4 complete/earned failed/refund_due listed", "", "event 4: it left the final state complete/earned",
		},
		"a separator in a field": {"complete/earned 3 3" + sold + ";4 complete/earned voided/none listed", "cannot be read", ""},
		"a blank in a field":     {"complete/earned 3 3;1 /none recorded/taken confirmed or not" + sold[len(";1 /none recorded/taken confirmed"):], "cannot be read", ""},
		"nothing to read":        {"", "cannot be read", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := judge(c.text)
			if c.problem == "" {
				require.Empty(t, h.problems)
			} else {
				require.NotEmpty(t, h.problems)
				require.Contains(t, h.problems[0], c.problem)
			}
			require.Contains(t, h.left, c.left)
			require.Equal(t, c.left == "", h.left == "")
		})
	}
}
