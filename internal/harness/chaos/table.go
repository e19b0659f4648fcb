package chaos

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"
)

// WriteFaults writes a table of all faults, by lane, as Markdown.
func WriteFaults(out io.Writer) {
	names := map[string][]string{}
	var lanes []string
	for _, f := range faults() {
		if names[f.lane] == nil {
			lanes = append(lanes, f.lane)
		}
		name := f.name
		if f.on != "" {
			name += " (" + f.on + ")"
		}
		names[f.lane] = append(names[f.lane], name)
	}
	fmt.Fprint(out, "| Lane | Faults |\n|---|---|\n")
	for _, lane := range lanes {
		fmt.Fprintf(out, "| %s | %s |\n", lane, strings.Join(names[lane], " · "))
	}
}

// WriteTable writes the figures of several runs as Markdown, a line for each
// run and one for all.
func WriteTable(out io.Writer, reports []*Report) {
	fmt.Fprint(out, `| Database, seed | Load | Sales | per minute | Faults seen | Lost | Double | Unbalanced | Violations | Kill to first sale in the storm, p50, worst | in the calm, p50, worst | Cut: known, p99 | Hung: known, p99 | Absent: verdict, worst | Unknown at once: known |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
`)
	slices.SortStableFunc(reports, func(a, b *Report) int { return strings.Compare(b.Options.DB, a.Options.DB) })
	all := Report{}
	for _, r := range reports {
		fired := 0
		for _, f := range r.Faults {
			fired += f.Fired
		}
		fmt.Fprintf(out, "| %s, %d | %s | %d | %d | %d of %d kinds, %d times | %d | %d | %d | %d | %s, %s | %s, %s | %s | %s | %s | %s |\n",
			r.Options.DB, r.Options.Seed, r.Load, r.Sales, r.Rate, len(r.Faults)-len(r.Missing), len(r.Faults), fired, r.Lost, r.Double, r.Unbalanced, len(r.Violations),
			brief(r.FirstSale.P50), brief(r.FirstSale.Max), brief(r.CalmSale.P50), brief(r.CalmSale.Max), brief(r.Cut.P99), brief(r.Hung.P99), brief(r.Absent.Max), r.backlog())
		all.Sales += r.Sales
		all.Lost, all.Double, all.Unbalanced = all.Lost+r.Lost, all.Double+r.Double, all.Unbalanced+r.Unbalanced
		all.Violations = append(all.Violations, r.Violations...)
	}
	fmt.Fprintf(out, "| **all** | | **%d** | | | **%d** | **%d** | **%d** | **%d** | | | | | | |\n", all.Sales, all.Lost, all.Double, all.Unbalanced, len(all.Violations))
	if len(reports) > 0 {
		fmt.Fprintf(out, "\n%d runs on %s on a machine of %d processors, each like `%s`. Load is the load average at the end of the storm:\n"+
			"where it is above the number of processors, others were at work on the machine, and every figure that tells how soon is the worse for it.\n",
			len(reports), reports[0].Date.Format(time.DateOnly), runtime.NumCPU(), reports[len(reports)-1].Command)
	}
}

// backlog says how many were unknown at once, and how long.
func (r *Report) backlog() string {
	if r.Backlog == 0 {
		return "–"
	}
	return fmt.Sprintf("%d: %s", r.Backlog, brief(r.BacklogTook))
}

// brief writes a duration that was measured; none is nothing.
func brief(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	if d < time.Minute {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
