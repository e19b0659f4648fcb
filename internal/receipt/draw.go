package receipt

import (
	"bytes"
	_ "embed"
	"image"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// DejaVu Sans Mono has the letters of Europe and the Middle East in one width
// (licence in font/).
//
//go:embed font/DejaVuSansMono.ttf
var fontFile []byte

const (
	cellWidth  = 12 // dots: 32 columns on 58 mm, 48 on 80 mm
	cellHeight = 26
	baseline   = 20
	fontSize   = 20 // makes letters 12 dots wide
)

// parsedFont reads the font once; it is 340 KB.
var parsedFont = sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(fontFile) })

// drawRow prints a row as an image, one bit per dot.
func drawRow(out *bytes.Buffer, r row, columns int, rtl bool) error {
	picture, err := drawn(r.cells(columns, rtl), columns, r)
	if err != nil {
		return err
	}
	box := picture.Bounds()
	across := (box.Dx() + 7) / 8
	out.WriteString(escAlign + "\x00" + escRaster)
	out.Write([]byte{byte(across), byte(across >> 8), byte(box.Dy()), byte(box.Dy() >> 8)})
	for y := range box.Dy() {
		line := make([]byte, across)
		for x := range box.Dx() {
			if picture.AlphaAt(x, y).A > 127 {
				line[x/8] |= 0x80 >> (x % 8)
			}
		}
		out.Write(line)
	}
	return nil
}

// drawn draws the cells of a row, with a question mark for what the font lacks.
func drawn(cells string, columns int, r row) (*image.Alpha, error) {
	parsed, err := parsedFont()
	if err != nil {
		return nil, err
	}
	times := 1
	if r.large {
		times = 2
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{
		Size: float64(fontSize * times), //nolint:forbidigo // a size of letters, not money
		DPI:  72, Hinting: font.HintingFull,
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = face.Close() }() // holds nothing
	picture := image.NewAlpha(image.Rect(0, 0, columns*cellWidth, cellHeight*times))
	pen := font.Drawer{Dst: picture, Src: image.Opaque, Face: face}
	for i, sign := range []rune(cells) {
		if glyph, err := parsed.GlyphIndex(nil, sign); err != nil || glyph == 0 {
			sign = '?'
		}
		for bold := range 1 + int(one(r.bold)) { // twice, a dot apart
			pen.Dot = fixed.P(i*cellWidth*times+bold, baseline*times)
			pen.DrawString(string(sign))
		}
	}
	return picture, nil
}
