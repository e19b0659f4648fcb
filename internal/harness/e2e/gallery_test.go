//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"airtill/web/locale"
)

// heaviestPicture bounds a picture of the gallery, in bytes: it is kept in the
// repository.
const heaviestPicture = 60_000

// skipUnlessPictures leaves the test out unless pictures are wanted.
func skipUnlessPictures(t *testing.T) {
	t.Helper()
	if os.Getenv("GALLERY") == "" {
		t.Skip("make screenshots takes the pictures")
	}
}

// TestGallery takes the pictures of docs/screens: every page and state of a sale
// that a cashier sees, light and dark, some of them on a tablet and a telephone.
func TestGallery(t *testing.T) {
	skipUnlessPictures(t)
	w := newWorldOn(t)
	command(t, w.env, w.password+"\n", "web", "user", "add", "--username", "finance", "--role", "finance")
	p := w.serve(t).ready(t)
	newcomer := newBrowser(t, p.url)
	newcomer.open("/login")
	newcomer.focused("Username")
	newcomer.kept("sign-in", 1280)
	newcomer.signIn("cashier", w.password)
	newcomer.focused("Cash in the drawer")
	newcomer.kept("open-shift", 1280)
	newcomer.typed("100")
	newcomer.enter()
	newcomer.focused("Account number")

	b := newcomer
	offer := topUp(t, w.simulator)
	b.confirmPage("0871234567", offer)
	b.enter()
	b.state("complete", settles)
	b.kept("sent", 1280, 1024, 390)
	sale := asks[string](b, `location.pathname`)

	b.open("/counter")
	b.focused("Account number")
	b.kept("counter", 1280, 1024, 390)
	b.typed("?")
	b.until("the keys", `document.querySelector("#keys:popover-open")`)
	b.kept("keys", 1280)
	b.expect("status of 422")
	b.open("/counter?number=hello")
	b.until("the refusal", `document.querySelector("#number-problem")?.innerText`)
	b.kept("number-refused", 1280)
	b.open("/counter?number=0871234568")
	b.until("the products", fixedKey)
	b.kept("products", 1280, 1024, 390)
	b.confirmPage("0871234568", offer)
	b.typed("50")
	b.kept("confirm", 1280, 1024, 390)
	b.open("/counter?number=0871234567&provider=" + offer.ProviderCode + "&sku=" + offer.SkuCode)
	b.until("the question", `document.body.innerText.includes("Press 2 to send another.")`)
	b.kept("same-again", 1280)
	b.changedPrice(offer)
	b.kept("changed", 1280)
	confirm := "/counter?number=0871234569&provider=" + offer.ProviderCode + "&sku=" + offer.SkuCode
	for _, page := range []screen{
		{name: "counter", path: "/counter"},
		{name: "products", path: "/counter?number=0871234568"},
		{name: "confirm", path: confirm},
		{name: "sent", path: sale},
	} {
		b.inOtherLanguages(page)
	}
	b.outcomesForGallery(w, offer)
	b.pagesForGallery(sale)
	differenceForGallery(t, w, p)
}

// differenceForGallery shows a difference as finance sees it.
func differenceForGallery(t *testing.T, w *world, p *web) {
	t.Helper()
	b := newBrowser(t, p.url)
	b.signIn("finance", w.password)
	w.simulator.sellElsewhere(t, batchProduct(t, w.simulator), "353"+batchNumber[1:], "OTHER-1")
	page := differs(b)
	b.kept("differences", 1280)
	b.open(page)
	b.kept("difference", 1280)
}

// pagesForGallery shows what else a cashier uses.
func (b *browser) pagesForGallery(sale string) {
	b.t.Helper()
	b.open("/customers?number=0871234567")
	b.until("the book", `document.querySelector("#customer-name")`)
	b.typed("Zoe Byrne")
	b.enter()
	b.until("the entry", `document.querySelector(".book-who")`)
	for _, page := range []struct{ name, path string }{
		{"customers", "/customers"},
		{"vouchers", "/counter?number=-"},
		{"receipt", sale + "/receipt"},
		{"sales", "/sales"},
		{"waiting-sales", "/sales?state=waiting"},
		{"shift", "/shift"},
		{"close-shift", "/shift/close"},
		{"own-pin", "/account"},
	} {
		b.open(page.path)
		b.kept(page.name, 1280)
	}
}

// TestGalleryOfTheOffice takes the pictures of the pages from which shops are
// run, over a month of invented trade.
func TestGalleryOfTheOffice(t *testing.T) {
	skipUnlessPictures(t)
	w, url := tradedWorld(t, []string{"--zone", inTheAfternoon()}, "admin")
	manager, admin := newBrowser(t, url), newBrowser(t, url)
	manager.signIn("manager", w.password)
	admin.signIn("admin", w.password)
	for _, page := range admin.addressed(officeScreens) {
		if page.name == "today" {
			manager.open(page.path)
			manager.kept(page.name, 1280, 1024, 390)
			manager.inOtherLanguages(page)
			continue
		}
		admin.open(page.path)
		admin.kept(page.name, 1280)
	}
}

// inTheAfternoon is a time zone where it is five or soon after: where shops are, a day has gone by.
func inTheAfternoon() string {
	zones := []string{
		"Europe/Dublin", "Atlantic/Azores", "America/Sao_Paulo", "America/New_York", "America/Denver", "Pacific/Honolulu",
		"Pacific/Auckland", "Australia/Brisbane", "Asia/Singapore", "Asia/Dhaka", "Asia/Dubai", "Africa/Nairobi",
	}
	hour := func(zone string) int {
		place, err := time.LoadLocation(zone)
		if err != nil {
			panic(err)
		}
		return (time.Now().In(place).Hour() + 24 - 17) % 24
	}
	return slices.MinFunc(zones, func(x, y string) int { return hour(x) - hour(y) })
}

// inOtherLanguages shows a page in every language but English.
func (b *browser) inOtherLanguages(page screen) {
	b.t.Helper()
	for _, language := range locale.Languages()[1:] {
		b.speak(language.Tag)
		b.open(page.path)
		b.kept(page.name+"-"+language.Tag, 1280)
	}
	b.speak("en")
}

// changedPrice confirms a page of before a change of price.
func (b *browser) changedPrice(offer product) {
	b.t.Helper()
	b.confirmPage("0871234570", offer)
	b.eval(`document.querySelector('input[name="shown"]').value = "1.23 EUR"`)
	b.expect("status of 409")
	b.enter()
	b.until("the change", `document.body.innerText.includes("Changed.")`)
}

// outcomesForGallery shows each state of a sale.
func (b *browser) outcomesForGallery(w *world, offer product) {
	b.t.Helper()
	pin := pinProduct(b.t, w.simulator)
	b.confirmPage(irish, pin)
	b.enter()
	b.state("complete", settles)
	b.until("the PIN", pinReadable)
	b.kept("sent-pin", 1280)

	w.simulator.fault(b.t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "error", "code": "AccountNumberInvalid", "context": "ProviderRefusedRequest"}, 1)
	b.confirmPage("0871234571", offer)
	b.enter()
	b.state("failed", settles)
	b.kept("not-sent", 1280)

	w.simulator.configure(b.t, map[string]any{"batchDelay": "1h"})
	b.confirmPage(batchNumber, batchProduct(b.t, w.simulator))
	b.enter()
	b.state("submitted", settles)
	b.kept("on-its-way", 1280)

	w.simulator.fault(b.t, map[string]any{"endpoint": "SendTransfer"}, map[string]any{"kind": "drop", "when": "before"}, 1)
	b.confirmPage("0871234572", offer)
	b.enter()
	b.state("unknown", settles)
	b.kept("unknown", 1280, 1024, 390)
	b.open("/counter?number=0871234572&provider=" + offer.ProviderCode + "&sku=" + offer.SkuCode)
	b.until("the stop", `document.querySelector("#approve")`)
	b.kept("manager-may-allow", 1280)

	w.simulator.fault(b.t, map[string]any{"endpoint": "Provider"}, map[string]any{"kind": "delay", "for": "15s"}, 1)
	b.confirmPage("0871234573", offer)
	b.enter()
	b.until("the page of the sale", `document.querySelector('[role="status"][data-state="sending"]')`)
	b.kept("sending", 1280)
}

// kept keeps pictures of the page at some widths, light and dark.
func (b *browser) kept(name string, widths ...int64) {
	b.t.Helper()
	heights := map[int64]int64{1280: 800, 1024: 768, 390: 844}
	require.NoError(b.t, os.MkdirAll(pictures(), 0o755))
	for _, width := range widths {
		for _, scheme := range []string{"light", "dark"} {
			b.look(width, heights[width], scheme)
			small := b.smallPicture()
			file := fmt.Sprintf("%s-%d-%s.png", name, width, scheme)
			require.LessOrEqual(b.t, len(small), heaviestPicture, file)
			require.NoError(b.t, os.WriteFile(filepath.Join(pictures(), file), small, 0o644))
		}
	}
	b.look(1280, 800, "light")
}

// smallPicture is a picture of the window with as many colours as fit into the
// gallery's bound.
func (b *browser) smallPicture() []byte {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	taken, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	whole, err := png.Decode(bytes.NewReader(taken))
	require.NoError(b.t, err)
	var small bytes.Buffer
	for _, colours := range []int{128, 64, 32, 16} {
		small.Reset()
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		require.NoError(b.t, encoder.Encode(&small, paletted(whole, colours)))
		if small.Len() <= heaviestPicture {
			break
		}
	}
	return small.Bytes()
}

// paletted draws an image anew in its most frequent colours. A page has few of
// them; what stands between two is the edge of a letter.
func paletted(whole image.Image, most int) *image.Paletted {
	bounds := whole.Bounds()
	count := map[color.RGBA]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[rgba(whole.At(x, y))]++
		}
	}
	colours := make([]color.RGBA, 0, len(count))
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return int(b.R)<<16 + int(b.G)<<8 + int(b.B) - int(a.R)<<16 - int(a.G)<<8 - int(a.B)
	})
	var palette color.Palette
	for _, c := range colours[:min(most, len(colours))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for _, c := range colours {
		nearest[c] = uint8(palette.Index(c)) // a palette of the gallery has at most 128
	}
	drawn := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			drawn.SetColorIndex(x, y, nearest[rgba(whole.At(x, y))])
		}
	}
	return drawn
}

func rgba(c color.Color) color.RGBA {
	return color.RGBAModel.Convert(c).(color.RGBA)
}
