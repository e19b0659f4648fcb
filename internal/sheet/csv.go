package sheet

import (
	"encoding/csv"
	"fmt"
	"io"
)

// byteOrderMark tells spreadsheets that a file is UTF-8.
const byteOrderMark = "\uFEFF"

// WriteCSV writes the table as RFC 4180 has it, with an apostrophe before what looks like a formula.
func (t Table) WriteCSV(w io.Writer) error {
	if err := t.writeCSV(w); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

func (t Table) writeCSV(w io.Writer) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	fields := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		fields[i] = Text(column.Name).safe()
	}
	if err := out.Write(fields); err != nil {
		return err
	}
	for row, err := range t.all() {
		if err != nil {
			return err
		}
		fields = fields[:0]
		for _, cell := range row {
			fields = append(fields, cell.safe())
		}
		if err := out.Write(fields); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (c Cell) safe() string {
	if c.formula() {
		return "'" + c.text
	}
	return c.plain()
}
