package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

// Figure is a row of the table.
type Figure struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Unit  string   `json:"unit"`
	Limit *float64 `json:"limit"` // measured in the same run and unit; null if there is none
	Ratio *float64 `json:"ratio"` // how near the limit is, or how often it is exceeded
	Goal  string   `json:"goal"`  // of the ratio, or of the value where there is none
	Met   *bool    `json:"met"`   // null without a goal
}

// sheet is the table while it is filled.
type sheet struct {
	out     io.Writer
	figures []Figure
}

// value adds a figure that stands for itself.
func (s *sheet) value(name string, value float64, unit string) *Figure {
	s.figures = append(s.figures, Figure{Name: name, Value: value, Unit: unit})
	fmt.Fprintf(s.out, "  %s: %s %s\n", name, short(value), unit)
	return &s.figures[len(s.figures)-1]
}

// of sets a figure beside its limit. A ratio is value ÷ limit, for a rate as for a
// cost; where less is better the goal says so.
func (f *Figure) of(limit float64) *Figure {
	ratio := f.Value / limit
	f.Limit, f.Ratio = &limit, &ratio
	return f
}

// share sets a cost beside its limit: which part of the cost the limit is.
func (f *Figure) share(limit float64) *Figure {
	ratio := limit / f.Value
	f.Limit, f.Ratio = &limit, &ratio
	return f
}

func (f *Figure) judged() float64 {
	if f.Ratio != nil {
		return *f.Ratio
	}
	return f.Value
}

// holds judges the value itself, though there is a limit beside it.
func (f *Figure) holds(most float64) {
	met := f.Value <= most
	f.Goal, f.Met = "≤ "+short(most)+" "+f.Unit, &met
}

func (f *Figure) atLeast(goal float64) {
	met := f.judged() >= goal
	f.Goal, f.Met = "≥ "+short(goal), &met
}

func (f *Figure) atMost(goal float64) {
	met := f.judged() <= goal
	f.Goal, f.Met = "≤ "+short(goal), &met
}

// short writes three significant digits.
func short(v float64) string {
	digits := 0
	if a := math.Abs(v); a > 0 && a < 100 {
		digits = max(0, 2-int(math.Floor(math.Log10(a))))
	}
	return fmt.Sprintf("%.*f", digits, v)
}

// WriteTable prints figures for people.
func WriteTable(out io.Writer, figures []Figure) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FIGURE\tMEASURED\tUNIT\tLIMIT\tRATIO\tGOAL\tMET")
	for _, f := range figures {
		limit, ratio, met := "", "", ""
		if f.Limit != nil {
			limit, ratio = short(*f.Limit), short(*f.Ratio)
		}
		if f.Met != nil {
			met = map[bool]string{true: "yes", false: "NO"}[*f.Met]
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Name, short(f.Value), f.Unit, limit, ratio, f.Goal, met)
	}
	return table.Flush()
}

// WriteFile leaves figures for programs.
func WriteFile(path string, figures []Figure) error {
	raw, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o600)
}

// median is the middle one; of an even number the higher of the two.
func median(all []float64) float64 { return quantile(all, 0.5) }

func quantile(all []float64, q float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
