package logo

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // the formats read
	_ "image/jpeg"
	"image/png"
)

// Side is the longest side of a logo, in pixels.
const Side = 128

// mostPixels bounds what is decoded: a small file can unpack into gigabytes.
const mostPixels = 2048 * 2048

var errPicture = errors.New("it is no picture that can be shown")

// redraw turns a PNG, JPEG or GIF from outside into a PNG of our own, nothing in it but pixels: white where it
// was transparent, at most Side pixels a side.
func redraw(body []byte) ([]byte, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil || config.Width < 1 || config.Height < 1 || config.Width > mostPixels/config.Height {
		return nil, errPicture
	}
	original, _, err := image.Decode(bytes.NewReader(body))
	if err != nil || original.Bounds().Dx() != config.Width || original.Bounds().Dy() != config.Height {
		return nil, errPicture
	}
	flat := image.NewRGBA(image.Rect(0, 0, config.Width, config.Height))
	draw.Draw(flat, flat.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), original, original.Bounds().Min, draw.Over)
	var b bytes.Buffer
	if err := png.Encode(&b, shrunk(flat)); err != nil {
		return nil, fmt.Errorf("draw logo: %w", err)
	}
	return b.Bytes(), nil
}

// shrunk returns a picture of at most Side pixels a side, each the mean of those it stands for.
func shrunk(from *image.RGBA) *image.RGBA {
	width, height := from.Bounds().Dx(), from.Bounds().Dy()
	longest := max(width, height)
	if longest <= Side {
		return from
	}
	to := image.NewRGBA(image.Rect(0, 0, max(1, width*Side/longest), max(1, height*Side/longest)))
	for y := range to.Bounds().Dy() {
		for x := range to.Bounds().Dx() {
			area := image.Rect(
				x*width/to.Bounds().Dx(), y*height/to.Bounds().Dy(), (x+1)*width/to.Bounds().Dx(),
				(y+1)*height/to.Bounds().Dy(),
			)
			to.SetRGBA(x, y, mean(from, area))
		}
	}
	return to
}

// mean is the middle colour of an area, which is opaque.
func mean(from *image.RGBA, area image.Rectangle) color.RGBA {
	var red, green, blue, n int
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := from.RGBAAt(x, y)
			red, green, blue, n = red+int(c.R), green+int(c.G), blue+int(c.B), n+1
		}
	}
	n = max(n, 1)
	return color.RGBA{R: uint8(red / n), G: uint8(green / n), B: uint8(blue / n), A: 255}
}
