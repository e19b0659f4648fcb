package sandbox

import (
	"bytes"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"
)

// logoSize bounds and defaults the sides of a logo, in pixels.
const (
	logoDefault = 128
	logoLargest = 512
)

// serveLogo draws a provider's logo: a pattern of tiles in two colours that
// follow from its code. The query parameters height and width are honoured.
func serveLogo(w http.ResponseWriter, r *http.Request) {
	code := strings.TrimSuffix(r.PathValue("file"), ".png")
	width, height := side(r, "width"), side(r, "height")
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(code)) // a hash never fails
	sum := hash.Sum64()
	front := color.RGBA{uint8(sum>>8)/2 + 64, uint8(sum>>16)/2 + 32, uint8(sum>>24)/2 + 64, 255} // taking bytes is meant
	back := color.RGBA{255 - front.R/4, 255 - front.G/4, 255 - front.B/4, 255}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			column, row := x*8/width, y*8/height
			tile := min(column, 7-column) + 4*row // the halves mirror each other
			img.SetRGBA(x, y, back)
			if sum>>(tile%64)&1 == 1 {
				img.SetRGBA(x, y, front)
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		http.Error(w, "logo cannot be drawn", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "max-age=86400")
	_, _ = w.Write(b.Bytes()) // the client may have gone
}

func side(r *http.Request, name string) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 1 || n > logoLargest {
		return logoDefault
	}
	return n
}
