package receipt_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"airtill/internal/receipt"
)

// printed is one thing that a printer was told to do.
type printed struct {
	text  string // what it prints, or [what it does]
	times int    // how wide each letter is
}

// decode reads ESC/POS as a printer does; it fails on a command that it does
// not know.
func decode(t *testing.T, stream []byte) []printed {
	t.Helper()
	var out []printed
	times, aligned := 1, byte(0)
	do := func(what string, args ...any) { out = append(out, printed{"[" + fmt.Sprintf(what, args...) + "]", 0}) }
	for len(stream) > 0 {
		after := func(prefix string) bool { return bytes.HasPrefix(stream, []byte(prefix)) }
		n := 0
		switch {
		case after("\x1b@"):
			n = 2
		case after("\x1bt\x10"):
			n = 3
		case after("\x1bp"):
			do("drawer")
			n = 5
		case after("\x1ba"):
			aligned, n = stream[2], 3
		case after("\x1bE"):
			n = 3
		case after("\x1d!"):
			times, n = int(stream[2]>>4)+1, 3
		case after("\x1dV"):
			do("cut")
			n = 4
		case after("\x1d(k"):
			n = 5 + int(stream[3]) + int(stream[4])<<8
			if stream[6] == 'P' {
				do("QR %s", stream[8:n])
			}
		case after("\x1dv0"):
			across, high := int(stream[4])+int(stream[5])<<8, int(stream[6])+int(stream[7])<<8
			n = 8 + across*high
			do("drawn %d×%d %08x", across*8, high, crc32.ChecksumIEEE(stream[8:n]))
		default:
			require.GreaterOrEqual(t, stream[0], byte('\n'), "a command that no printer knows: %q", stream[:min(8, len(stream))])
			end := bytes.IndexByte(stream, '\n')
			require.GreaterOrEqual(t, end, 0)
			n = end + 1
			line, err := charmap.Windows1252.NewDecoder().String(string(stream[:end]))
			require.NoError(t, err)
			if line != "" {
				out = append(out, printed{strings.Repeat(" ", int(aligned)) + line, times})
				out[len(out)-1].text = line
			}
		}
		stream = stream[n:]
	}
	return out
}

func TestARowIsAsWideAsThePaper(t *testing.T) {
	t.Parallel()
	p := receipt.Paper{Columns: 32, Lines: []receipt.Line{
		{Kind: receipt.Rule},
		{Kind: receipt.Pair, Name: "Price", Value: "€10.30"},
		{Kind: receipt.Pair, Name: "Provider's reference", Value: "A-LONG-REFERENCE-0123456789"},
		{Kind: receipt.Total, Name: "TOTAL", Value: "€10.30"},
		{Kind: receipt.Text, Value: "Dial *123# and then type the PIN as it is printed above, with no spaces."},
	}}
	stream, err := p.ESCPOS()
	require.NoError(t, err)
	var lines []string
	for _, line := range decode(t, stream) {
		lines = append(lines, line.text)
	}
	require.Equal(t, []string{
		"--------------------------------",
		"Price                     €10.30",
		"Provider's reference",
		"A-LONG-REFERENCE-0123456789",
		"TOTAL     €10.30",
		"Dial *123# and then type the PIN",
		"as it is printed above, with no",
		"spaces.",
		"[cut]",
	}, lines)
}

func TestWhatThePrinterHasNoLettersForIsDrawn(t *testing.T) {
	t.Parallel()
	for text, drawn := range map[string]bool{"Crédit 10 €": false, "Zażółć": true, "Пополнение": true, "شحن رصيد": true, "日本": true} {
		stream, err := receipt.Paper{Columns: 32, Lines: []receipt.Line{{Kind: receipt.Text, Value: text}}}.ESCPOS()
		require.NoError(t, err)
		require.Equal(t, drawn, strings.HasPrefix(decode(t, stream)[0].text, "[drawn 384×26"), text)
	}
}

func TestTheDrawerOpensOnlyWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, kick := range []bool{true, false} {
		stream, err := receipt.Paper{Columns: 32, Kick: kick}.ESCPOS()
		require.NoError(t, err)
		require.Equal(t, kick, decode(t, stream)[0].text == "[drawer]")
	}
}
