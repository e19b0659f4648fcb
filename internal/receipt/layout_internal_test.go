package receipt

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// written is what rows say, each with its two ends.
func written(rows []row) (texts []string) {
	for _, r := range rows {
		text := r.start
		if r.end != "" {
			text += " | " + r.end
		}
		texts = append(texts, text)
	}
	return texts
}

// Texts break at their spaces; a word that is longer than the paper breaks where it must, and a line of nothing is one.
func TestWhereTextsBreak(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                      {""},
		"as wide as":            {"as wide as"},
		"one too wide":          {"one too", "wide"},
		"a  b\t c":              {"a b c"},
		"first\nsecond":         {"first", "second"},
		"first\n\nthird":        {"first", "", "third"},
		"0123456789":            {"0123456789"},
		"0123456789x":           {"0123456789", "x"},
		"is 0123456789012345":   {"is", "0123456789", "012345"},
		"0123456789012 and on":  {"0123456789", "012 and on"},
		"äöüäöüäöüäöü":          {"äöüäöüäöüä", "öü"},
		"ends in a space     x": {"ends in a", "space x"},
	} {
		require.Equal(t, want, written(wrapped(text, 10, row{})), text)
	}
}

// A name and its value share a row as long as a space fits between them; a total is large while it fits.
func TestWherePairsBreak(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line  Line
		want  []string
		large bool
	}{
		"they fit":                {Line{Pair, "Price", "10.30"}, []string{"Price | 10.30"}, false},
		"to the last column":      {Line{Pair, "Provider", "12345678901"}, []string{"Provider | 12345678901"}, false},
		"one too wide":            {Line{Pair, "Provider", "123456789012"}, []string{"Provider", "123456789012"}, false},
		"a value of two lines":    {Line{Pair, "Address", "here\nor there"}, []string{"Address", "here", "or there"}, false},
		"a total":                 {Line{Total, "SUM", "10.30"}, []string{"SUM | 10.30"}, true},
		"a total, to the column":  {Line{Total, "SUM", "100.30"}, []string{"SUM | 100.30"}, true},
		"a total too wide for it": {Line{Total, "SUM", "1000.30"}, []string{"SUM | 1000.30"}, false},
		"a total of two rows":     {Line{Total, "THE WHOLE SUM", "100000.30"}, []string{"THE WHOLE SUM", "100000.30"}, false},
	} {
		rows := c.line.rows(20)
		require.Equal(t, c.want, written(rows), name)
		require.Equal(t, c.large, rows[0].large, name)
		for _, r := range rows {
			require.Equal(t, c.line.Kind == Total, r.bold, name)
		}
		if len(rows) > 1 {
			require.Equal(t, atStart, rows[0].align, name)
			require.Equal(t, atTheEnd, rows[len(rows)-1].align, name)
		}
	}
}

func TestHowKindsOfLinesAreLaidOut(t *testing.T) {
	t.Parallel()
	require.Equal(t, []row{{start: strings.Repeat("-", 20)}}, Line{Kind: Rule}.rows(20))
	require.Equal(t, []row{{start: "as it is, however wide it may be"}}, Line{Kind: Raw, Value: "as it is, however wide it may be"}.rows(20))
	stamp := Line{Kind: Stamp, Value: "WAITING - NOT A RECEIPT"}.rows(20)
	require.Equal(t, []string{strings.Repeat("=", 20), "WAITING - NOT A", "RECEIPT", strings.Repeat("=", 20)}, written(stamp))
	require.True(t, stamp[1].bold && stamp[1].align == centred)
	for _, kind := range []Kind{Head, Secret} {
		rows := Line{Kind: kind, Value: "1234 5678 9012"}.rows(20)
		require.Equal(t, []string{"1234 5678", "9012"}, written(rows), "large letters are twice as wide")
		require.True(t, rows[0].large && rows[0].bold && rows[0].align == centred, kind)
	}
	require.Equal(t, centred, Line{Kind: Centre, Value: "here"}.rows(20)[0].align)
	require.Equal(t, row{start: "here"}, Line{Kind: Text, Value: "here"}.rows(20)[0])
}

// A row's cells are as it is seen, from left to right, whichever way its language is written.
func TestCellsOfARow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row  row
		rtl  bool
		want string
	}{
		"from the left":             {row{start: "abc"}, false, "abc       "},
		"from the right":            {row{start: "abc"}, true, "       abc"},
		"both ends":                 {row{start: "abc", end: "1.0"}, false, "abc    1.0"},
		"both ends, from the right": {row{start: "abc", end: "1.0"}, true, "1.0    abc"},
		"at the end":                {row{start: "abc", align: atTheEnd}, false, "       abc"},
		"at the end, to the left":   {row{start: "abc", align: atTheEnd}, true, "abc       "},
		"in the middle":             {row{start: "abc", align: centred}, false, "   abc"},
		"large, in the middle":      {row{start: "abc", align: centred, large: true}, false, " abc"},
		"too wide":                  {row{start: "0123456789ab"}, false, "0123456789ab"},
		"full":                      {row{start: "01234", end: "56789"}, false, "0123456789"},
	} {
		require.Equal(t, c.want, c.row.cells(10, c.rtl), name)
	}
}

// The printer's code page holds what Europe writes; a text that it cannot write whole is not written in part.
func TestWhatThePrinterCanWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "10.30 €": "10.30 \x80", "Crédit": "Cr\xe9dit", "“x”": "\x93x\x94"} {
		got, ok := encoded(text)
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"Zażółć", "شحن", "a\tb", "a\nb", "a\x1bb"} {
		got, ok := encoded(text)
		require.False(t, ok, text)
		require.Empty(t, got)
	}
}

// The length of a code is written low byte first, with the three bytes of its command.
func TestALongCodeIsWrittenWhole(t *testing.T) {
	t.Parallel()
	for _, length := range []int{1, 252, 253, 300, 700} {
		var out bytes.Buffer
		text := strings.Repeat("x", length)
		writeQR(&out, text)
		command := []byte("\x1d(k")
		command = append(command, byte((length+3)%256), byte((length+3)/256))
		require.Contains(t, out.String(), string(command)+"1P0"+text+escQRPrint, length)
	}
}

// Two rules never follow each other, a paper begins with none, and what says nothing takes no line.
func TestAPaperHasNoEmptyLines(t *testing.T) {
	t.Parallel()
	var p Paper
	p.rule()
	p.add(Text, " \x00\u200b ")
	p.pair(Field{Name: "Fee", Value: ""})
	require.Empty(t, p.Lines)
	p.add(Text, "first")
	p.rule()
	p.rule()
	p.pair(Field{Name: " Fee\x07", Value: "1.00\u202e"})
	require.Equal(t, []Line{{Kind: Text, Value: "first"}, {Kind: Rule}, {Kind: Pair, Name: "Fee", Value: "1.00"}}, p.Lines)
}

// Whatever comes from outside keeps its words and loses what no paper should have.
func TestWhatIsCleanedOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain": "plain", "  around \n": "around", "a\u2212b": "a-b", "a\tb": "a b", "a\u3000b": "a b", "a\u2028b\u2029c": "abc", "a\r\nb": "a\nb",
		"a\u200bb\u200db": "abb", "\ue000x": "x", "é\u0301": "é\u0301", "\x1b[31mred": "[31mred", "\xff\xfe": "?", "\u202d": "",
	} {
		require.Equal(t, want, Clean(text), "%q", text)
	}
	require.Len(t, []rune(Clean(strings.Repeat("\u202e", 5000)+strings.Repeat("x", 3000))), mostText, "what is left out does not count")
}
