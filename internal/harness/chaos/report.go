package chaos

import (
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Report is what a run has shown.
type Report struct {
	Options  Options       `json:"options"`
	Command  string        `json:"command"` // what runs it again
	Date     time.Time     `json:"date"`
	Took     time.Duration `json:"took"`
	Storm    time.Duration `json:"storm"`
	Load     string        `json:"load"` // the machine's load average at the end of the storm, where it tells one
	HealedAt time.Time     `json:"healedAt"`
	Healing  time.Duration `json:"healing"` // of the programs' time

	Sales    int            `json:"sales"`
	Rate     int            `json:"salesPerMinute"` // while everything went wrong
	Stormed  int            `json:"stormed"`        // sales that were recorded while everything went wrong
	States   map[string]int `json:"states"`         // fulfilment/cash
	Executed int            `json:"executed"`
	Faults   []Count        `json:"faults"`
	Missing  []string       `json:"missing"` // faults that were asked for and never seen

	Lost        int           `json:"lost"`
	Double      int           `json:"double"`
	Unbalanced  int           `json:"unbalanced"`
	FirstSale   Times         `json:"firstSale"`   // from a kill to the next sale at the same process
	CalmSale    Times         `json:"calmSale"`    // the same while nothing else goes wrong
	Cut         Times         `json:"cut"`         // from the permit to the outcome, of transfers that were carried out and
	Hung        Times         `json:"hung"`        // whose connection was cut, or hung; or was
	Slow        Times         `json:"slow"`        // answered at 89.9 s
	Backlog     int           `json:"backlog"`     // sales that were unknown at once
	BacklogTook time.Duration `json:"backlogTook"` // until all were known, programs' time
	Busy        Times         `json:"busy"`        // how long what was unknown in the busy hour took to be known, programs' time
	Absent      Times         `json:"absent"`      // from the permit to the verdict, of transfers that were never carried out
	Unknown     Times         `json:"unknown"`     // how long sales stayed unknown, programs' time
	Unsettled   string        `json:"unsettled"`   // what did not come to rest in the time there was for it
	Violations  []violation   `json:"violations"`

	Troubles map[string]int `json:"troubles"` // what the robots met, for the curious
}

// Count is how often a fault was asked for and seen.
type Count struct {
	Name  string `json:"name"`
	Asked int    `json:"asked"`
	Fired int    `json:"fired"`
}

// Times sums up durations.
type Times struct {
	Count int           `json:"count"`
	P50   time.Duration `json:"p50"`
	P99   time.Duration `json:"p99"`
	Max   time.Duration `json:"max"`
}

func timesOf(all []time.Duration) Times {
	if len(all) == 0 {
		return Times{}
	}
	slices.Sort(all)
	at := func(percent int) time.Duration { return all[(len(all)-1)*percent/100] }
	return Times{len(all), at(50), at(99), all[len(all)-1]}
}

func (t Times) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	return fmt.Sprintf("%d: p50 %s, p99 %s, at most %s", t.Count, round(t.P50), round(t.P99), round(t.Max))
}

// loadNow is the machine's load average over the last minute, "unknown" where
// the system does not tell: figures of a busy machine are worse.
func loadNow() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}

// Passed says whether everything held, every fault was seen, and all came to rest.
func (r *Report) Passed() bool {
	return len(r.Violations) == 0 && len(r.Missing) == 0 && r.Unsettled == ""
}

func (r *Report) count(t *tally) {
	t.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(t.asked)) {
		r.Faults = append(r.Faults, Count{name, t.asked[name], t.fired[name]})
	}
	t.mu.Unlock()
	r.Missing = t.missing()
}

// once counts a fault that was asked for once, and was seen or not.
func (r *Report) once(name string, seen bool) {
	count := Count{Name: name, Asked: 1}
	if seen {
		count.Fired = 1
	} else {
		r.Missing = append(r.Missing, name)
	}
	r.Faults = append(r.Faults, count)
}

// fired is how often a fault was seen.
func (r *Report) fired(name string) int {
	for _, f := range r.Faults {
		if f.Name == name {
			return f.Fired
		}
	}
	return 0
}

// figures are drawn from what all sides said.
func (c *crew) figures(r *Report, t *truth) {
	r.States = map[string]int{}
	var unknown []time.Duration
	for _, s := range t.sales {
		r.Sales++
		r.States[s.Fulfilment+"/"+s.Cash]++
		unknown = append(unknown, unknownFor(t.history[s.ID])...)
	}
	for _, e := range t.executed {
		r.Executed += e.TimesExecuted
	}
	r.Unknown = timesOf(unknown)
	if minutes := r.Storm.Minutes(); minutes > 0 {
		r.Rate = int(float64(r.Stormed) / minutes) //nolint:forbidigo // no money
	}
	var firsts []time.Duration
	for _, s := range c.sites {
		firsts = append(firsts, s.firsts...)
	}
	r.FirstSale = timesOf(firsts)
	for _, v := range r.Violations {
		switch v.Law {
		case "I1", "L1":
			r.Double++
		case "I2":
			r.Lost++
		case "I3", "I4", "I5", "I6", "I7":
			r.Unbalanced++
		}
	}
}

// unknownFor are the times for which a sale was unknown.
func unknownFor(history []moved) []time.Duration {
	var all []time.Duration
	var since time.Time
	for _, m := range history {
		now := strings.HasPrefix(m.Became, "unknown/")
		switch {
		case now && since.IsZero():
			since = m.At
		case !now && !since.IsZero():
			all = append(all, m.At.Sub(since))
			since = time.Time{}
		}
	}
	return all
}

// Write writes the report for people.
func (r *Report) Write(out io.Writer) {
	fmt.Fprintf(out, "\nseed %d on %s: %d sales, %d carried out, %d a minute in the storm, in %s, load %s on %d processors\n",
		r.Options.Seed, r.Options.DB, r.Sales, r.Executed, r.Rate, r.Took.Round(time.Second), r.Load, runtime.NumCPU())
	for _, state := range slices.Sorted(maps.Keys(r.States)) {
		fmt.Fprintf(out, "  %6d %s\n", r.States[state], state)
	}
	fmt.Fprintln(out, "faults, asked for and seen:")
	for _, f := range r.Faults {
		fmt.Fprintf(out, "  %-26s %3d %3d\n", f.Name, f.Asked, f.Fired)
	}
	fmt.Fprintf(out, "kill to first new sale  %s\nunknown for             %s\n", r.FirstSale, r.Unknown)
	if r.CalmSale.Count > 0 {
		fmt.Fprintf(out, "the same in the calm    %s\n", r.CalmSale)
	}
	if r.Options.Calm {
		fmt.Fprintf(out, "known when cut          %s\nknown when hung         %s\nanswered at 89.9 s      %s\nabsent, given up after  %s\n", r.Cut, r.Hung, r.Slow, r.Absent)
	}
	if r.Busy.Count > 0 {
		fmt.Fprintf(out, "unknown of %d transfers in %s, known after %s\n", r.Options.Busy, busyFor, r.Busy)
	}
	if r.Backlog > 0 {
		fmt.Fprintf(out, "%d unknown at once, all known after %s\n", r.Backlog, r.BacklogTook.Round(time.Second))
	}
	if len(r.Troubles) > 0 {
		fmt.Fprintln(out, "what robots met most:")
		r.writeTroubles(out)
	}
	if r.Unsettled != "" {
		fmt.Fprintf(out, "NOT AT REST %s\n", r.Unsettled)
	}
	for _, name := range r.Missing {
		fmt.Fprintf(out, "NEVER SEEN %s\n", name)
	}
	for _, v := range r.Violations {
		fmt.Fprintf(out, "VIOLATION %s\n", v.Error())
	}
	fmt.Fprintf(out, "lost %d, double %d, unbalanced %d, violations %d\nagain: %s\n", r.Lost, r.Double, r.Unbalanced, len(r.Violations), r.Command)
}

func (r *Report) writeTroubles(out io.Writer) {
	names := slices.SortedFunc(maps.Keys(r.Troubles), func(a, b string) int { return r.Troubles[b] - r.Troubles[a] })
	for _, name := range names[:min(len(names), 12)] {
		fmt.Fprintf(out, "  %6d %s\n", r.Troubles[name], name)
	}
}

// verdicts are the times from the permit to the end of sales.
func verdicts(t *truth, sales []string) []time.Duration {
	var all []time.Duration
	for _, sale := range sales {
		if took, ended := knownAfter(t.history[sale]); ended {
			all = append(all, took)
		}
	}
	return all
}
