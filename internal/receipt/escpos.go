package receipt

import (
	"bytes"
	"fmt"

	"golang.org/x/text/encoding/charmap"
)

// The ESC/POS commands in use, which every roll printer of the last twenty years knows.
const (
	escInit     = "\x1b@"
	escKick     = "\x1bp\x00\x19\xfa" // a pulse of 50 ms to the drawer
	escCodePage = "\x1bt\x10"         // table 16: Windows 1252
	escAlign    = "\x1ba"             // and 0, 1 or 2
	escBold     = "\x1bE"             // and 0 or 1
	escSize     = "\x1d!"             // and 0x00, or 0x11 for twice as wide and high
	escCut      = "\x1dV\x42\x03"     // feed to the knife and cut
	escQRModel  = "\x1d(k\x04\x001A2\x00"
	escQRSize   = "\x1d(k\x03\x001C"  // and the dots of a module
	escQRLevel  = "\x1d(k\x03\x001E1" // error correction M
	escQRPrint  = "\x1d(k\x03\x001Q0"
	escRaster   = "\x1dv0\x00" // and width in bytes, height in dots, both little-endian
)

const qrDots = 6 // of a module

// ESCPOS returns the bytes that print a paper: in the printer's own letters where it has them, drawn
// otherwise, the QR code by the printer's own command, then a cut and, if wanted, the drawer's kick. It fails
// only if our own font cannot be read.
func (p Paper) ESCPOS() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(escInit + escCodePage)
	if p.Kick {
		out.WriteString(escKick)
	}
	for _, line := range p.Lines {
		if line.Kind == Code {
			writeQR(&out, line.Value)
			continue
		}
		for _, r := range line.rows(p.Columns) {
			if err := p.writeRow(&out, r); err != nil {
				return nil, fmt.Errorf("print paper: %w", err)
			}
		}
	}
	out.WriteString(escAlign + "\x00" + escCut)
	return out.Bytes(), nil
}

func (p Paper) writeRow(out *bytes.Buffer, r row) error {
	text, ok := encoded(r.start + r.end)
	if !ok || p.RTL && text != "" {
		return drawRow(out, r, p.Columns, p.RTL)
	}
	align := r.align
	if r.end != "" {
		text, _ = encoded(r.cells(p.Columns, false)) // spaces are in every code page
		align = atStart
	} else {
		text, _ = encoded(r.start)
	}
	out.WriteString(escAlign + string(rune(align)) + escBold + flag(r.bold, 1) + escSize + flag(r.large, 0x11))
	out.WriteString(text + "\n")
	return nil
}

func flag(on bool, value byte) string {
	if !on {
		value = 0
	}
	return string(rune(value))
}

// encoded writes a text in Windows 1252, if possible.
func encoded(text string) (string, bool) {
	var out []byte
	for _, r := range text {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok || b < ' ' {
			return "", false
		}
		out = append(out, b)
	}
	return string(out), true
}

// writeQR stores a text in the printer's code and prints it.
func writeQR(out *bytes.Buffer, text string) {
	length := len(text) + 3
	out.WriteString(escAlign + "\x01" + escQRModel + escQRSize + string(rune(qrDots)) + escQRLevel)
	out.WriteString("\x1d(k")
	out.Write([]byte{byte(length), byte(length >> 8)})
	out.WriteString("1P0" + text + escQRPrint + "\n")
}
