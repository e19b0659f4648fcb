package sales

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryStateIsReachedAndEveryFinalStateIsFinal(t *testing.T) {
	t.Parallel()
	reached := map[State]bool{}
	for _, tr := range Transitions {
		reached[tr.To] = true
		if tr.From.Final() {
			require.Contains(t, []Cause{TriedAgain, Listed}, tr.Cause, "%s → %s", tr.From, tr.To)
		}
	}
	for state := range ranks {
		require.True(t, reached[state], "%s is never reached", state)
	}
}

// TestChartIsFresh draws the state chart from the table; UPDATE=1 writes it.
func TestChartIsFresh(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../ARCHITECTURE.md", "<!-- BEGIN state chart -->\n", "<!-- END state chart -->"
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(body), begin)
	require.True(t, ok, "ARCHITECTURE.md has no state chart")
	old, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(head+begin+chart()+end+tail), 0o600))
		return
	}
	require.Equal(t, chart(), old, "run UPDATE=1 go test ./internal/sales -run TestChartIsFresh")
}

func chart() string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n")
	labels := map[[2]State][]string{}
	var order [][2]State
	for _, tr := range Transitions {
		label := strings.ReplaceAll(string(tr.Cause), "_", " ")
		if tr.Guard != "" {
			label += " (" + tr.Guard + ")"
		}
		edge := [2]State{tr.From, tr.To}
		if labels[edge] == nil {
			order = append(order, edge)
		}
		labels[edge] = append(labels[edge], label)
	}
	for _, edge := range order {
		from := string(edge[0])
		if edge[0] == None {
			from = "[*]"
		}
		b.WriteString("    " + from + " --> " + string(edge[1]) + " : " + strings.Join(labels[edge], " or ") + "\n")
	}
	b.WriteString("```\n\nBeside these, what is seen of the upstream (reply, list, webhook) moves an open state to any state of a higher rank.\n")
	return b.String()
}
