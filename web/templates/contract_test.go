package templates_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/web/static"
	"airtill/web/templates"
)

func pageNamed(t *testing.T, wanted string) *goquery.Document {
	t.Helper()
	for _, page := range gallery(inLanguage("en-IE")) {
		if page.name == wanted {
			return parse(t, render(t, page.component))
		}
	}
	require.FailNow(t, "no page", wanted)
	return nil
}

// button finds the one button or link of that accessible name.
func button(t *testing.T, doc *goquery.Document, wanted string) *goquery.Selection {
	t.Helper()
	found := doc.Find("main a, main button").FilterFunction(func(_ int, s *goquery.Selection) bool { return name(s) == wanted })
	require.Equal(t, 1, found.Length(), "button %q", wanted)
	return found
}

// spaced is the text of an element with a space between its parts, as one reads
// it on the screen.
func spaced(s *goquery.Selection) string {
	var parts []string
	s.Contents().Each(func(_ int, node *goquery.Selection) {
		if goquery.NodeName(node) == "#text" {
			parts = append(parts, node.Text())
		} else {
			parts = append(parts, spaced(node))
		}
	})
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

func has(s *goquery.Selection, attribute string) bool {
	_, ok := s.Attr(attribute)
	return ok
}

func TestCounterAsksForANumber(t *testing.T) {
	t.Parallel()
	doc := pageNamed(t, "counter")
	require.Equal(t, "Account number", doc.Find(`label[for="number"]`).Text())
	field := doc.Find("#number")
	require.True(t, has(field, "autofocus"))
	form := field.Closest("form")
	require.Equal(t, "/counter", form.AttrOr("action", ""))
	require.Equal(t, "post", form.AttrOr("method", ""), "what is typed stands in no address")
	button(t, doc, "Look up")
}

func TestRefusedNumberIsKept(t *testing.T) {
	t.Parallel()
	field := pageNamed(t, "counter-refused").Find("#number")
	require.Equal(t, hostile, field.AttrOr("value", ""))
	require.Equal(t, "true", field.AttrOr("aria-invalid", ""))
}

func TestProductsAnswerToTheirKeys(t *testing.T) {
	t.Parallel()
	cards := pageNamed(t, "offers").Find("button.card-offer")
	require.Equal(t, 11, cards.Length())
	cards.Each(func(i int, s *goquery.Selection) {
		if i < 9 {
			require.Equal(t, strconv.Itoa(i+1), s.AttrOr("data-key", ""))
		} else {
			require.False(t, has(s, "data-key"))
		}
		require.Equal(t, "sku", s.AttrOr("name", ""))
	})
	require.Equal(t, "Receives NGN 500 Top-up 500 NGN Pays €0.40", name(cards.First()))
}

func TestConfirmSendsOnEnter(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"confirm", "confirm-changed"} {
		doc := pageNamed(t, page)
		require.True(t, has(button(t, doc, "Cash received, send"), "autofocus"), page)
		require.Equal(t, "01J0KEY", doc.Find(`form[action="/sales"] input[name="key"]`).AttrOr("value", ""))
	}
	cash := pageNamed(t, "confirm-full").Find("#cash")
	require.True(t, has(cash, "autofocus"), "what was typed has to be corrected first")
	require.Equal(t, "true", cash.AttrOr("aria-invalid", ""))
	require.Contains(t, pageNamed(t, "confirm-changed").Find("[role=alert]").Text(), "Changed.")
}

// Enter in a field presses the first button of its form.
func TestEnterInAFieldNeverPicksForThePerson(t *testing.T) {
	t.Parallel()
	for _, page := range gallery(inLanguage("en-IE")) {
		parse(t, render(t, page.component)).Find("form").Each(func(_ int, form *goquery.Selection) {
			if form.Find(`input:not([type="hidden"], [type="radio"], [form=""])`).Length() == 0 {
				return
			}
			first := form.Find("button").First()
			require.Contains(t, []string{"", "step"}, first.AttrOr("name", ""), "%s: %s", page.name, form.AttrOr("action", ""))
		})
	}
}

func TestASecondIdenticalSaleNeedsTheKeyTwo(t *testing.T) {
	t.Parallel()
	doc := pageNamed(t, "confirm-same")
	require.NotContains(t, doc.Find("main").Text(), "Cash received, send")
	require.Contains(t, doc.Find("[role=alert]").Text(), "Press 2 to send another.")
	another := button(t, doc, "Send another")
	require.Equal(t, "2", another.AttrOr("data-key", ""))
	require.Equal(t, "another", another.AttrOr("name", ""))
	require.Zero(t, doc.Find("[autofocus]").Length(), "Enter sends nothing")
}

func TestABlockedSaleCannotBeSent(t *testing.T) {
	t.Parallel()
	require.Zero(t, pageNamed(t, "confirm-blocked").Find(`form[action="/sales"] button`).Length())
}

func TestOpenShift(t *testing.T) {
	t.Parallel()
	doc := pageNamed(t, "open-shift")
	form := button(t, doc, "Open shift").Closest("form")
	require.Equal(t, "/shift/open", form.AttrOr("action", ""))
	require.Equal(t, 1, form.Find("input[name=float]").Length())
}

func TestLoginFields(t *testing.T) {
	t.Parallel()
	form := pageNamed(t, "login-refused").Find(`form[action="/login"]`)
	require.Equal(t, hostile, form.Find("input[name=username]").AttrOr("value", ""))
	require.Equal(t, "password", form.Find("input[name=password]").AttrOr("type", ""))
	require.Empty(t, form.Find("input[name=password]").AttrOr("value", ""))
	require.Contains(t, form.Text(), "Try again in 8 seconds.")
}

func TestOutcomeWords(t *testing.T) {
	t.Parallel()
	for state, words := range map[string]string{
		"recorded": "Sending…", "sending": "Sending…",
		"submitted": "On its way.", "processing": "On its way.", "cancelling": "Cancelling…",
		"complete": "Sent.", "cancelled": "Cancelled. Nothing was charged.",
		"failed": "Not sent. Nothing was charged.", "voided": "Not sent. Nothing was charged.",
		"unknown": "We don't know yet if it went through. Do not sell it again.",
	} {
		region := pageNamed(t, "outcome-"+state).Find("[role=status]")
		require.Equal(t, 1, region.Length())
		require.Equal(t, state, region.AttrOr("data-state", ""))
		require.True(t, strings.HasPrefix(strings.TrimSpace(region.Text()), words), "%s: %s", state, region.Text())
	}
}

func TestOpenSaleUpdatesItselfWithAndWithoutScript(t *testing.T) {
	t.Parallel()
	for state, live := range map[string]bool{
		"recorded": true, "sending": true, "submitted": true, "processing": true, "cancelling": true, "unknown": true,
		"complete": false, "failed": false, "cancelled": false, "voided": false,
	} {
		html := render(t, templates.OutcomeOf(outcomePage(inLanguage("en-IE"), outcome(inLanguage("en-IE"), state))))
		doc := parse(t, html)
		require.Equal(t, live, strings.Contains(html, `http-equiv="refresh"`), state)
		require.Equal(t, live, has(doc.Find("#outcome"), "hx-sse:connect"), state)
		require.Equal(t, live, doc.Find("[data-elapsed]").Length() == 1, state)
		require.Equal(t, !live, has(button(t, doc, "Next sale"), "data-rest"), state)
	}
}

func TestOutcomeActionsFollowTheSale(t *testing.T) {
	t.Parallel()
	failed := pageNamed(t, "outcome-failed")
	require.True(t, has(button(t, failed, "Cash given back"), "data-rest"), "the cash comes first")
	require.Equal(t, "/sales/01J0SALE/retry", button(t, failed, "Try again").Closest("form").AttrOr("action", ""))
	require.Equal(t, "/sales/01J0SALE/cancel", button(t, pageNamed(t, "outcome-recorded"), "Cancel").Closest("form").AttrOr("action", ""))

	unknown := pageNamed(t, "outcome-unknown")
	require.Zero(t, unknown.Find(`form[action$="/refund"], form[action$="/retry"]`).Length(), "no refund while unknown")
	require.Equal(t, "/sales/01J0SALE/print", button(t, unknown, "Waiting slip").Closest("form").AttrOr("action", ""))
	require.Contains(t, strings.Join(strings.Fields(unknown.Find(".clock").Text()), " "), "Checking again in 9 s")
	button(t, pageNamed(t, "outcome-complete"), "Print receipt")
}

func TestEverythingOfASaleIsVisibleAtItsEnd(t *testing.T) {
	t.Parallel()
	doc := pageNamed(t, "outcome-complete")
	doc.Find("details summary").Remove()
	text := spaced(doc.Find("main"))
	for _, fact := range []string{
		"Account number +353 87 123 4567", "Operator Shannon Mobile", "Product Top-up 10", "Received €10.00",
		"Received after tax €8.13", "Tax VAT 23%, included", "Valid for 30 days", "Face value €10.00", "Paid €10.30",
		"Transfer reference 863785357", "Our reference AT0101J0SALE", "Provider's reference 9911-22", "Customer care 1747",
		"Dial *100# for your balance.", "Credit for calls and texts.", "valid in Ireland",
	} {
		require.Contains(t, text, fact)
	}
}

// TestAPriceIsNotCalledTwoThings where nothing was added to what the service takes.
func TestAPriceIsNotCalledTwoThings(t *testing.T) {
	t.Parallel()
	o := outcome(inLanguage("en-IE"), "complete")
	facts := func() string { return spaced(parse(t, render(t, templates.OutcomeRegion(o))).Find(".facts")) }
	require.Contains(t, facts(), "Face value €10.00")
	o.Total = *o.Facts.Send
	require.NotContains(t, facts(), "Face value")
	require.Contains(t, facts(), "Paid €10.00")
}

func TestPINIsShownOnlyWhenItIsGiven(t *testing.T) {
	t.Parallel()
	require.Equal(t, "4829 1550 3377", pageNamed(t, "outcome-pin").Find(".pin-value").Text())
	masked := pageNamed(t, "outcome-pin-masked")
	require.NotContains(t, strings.ReplaceAll(masked.Text(), " ", ""), "482915503377")
	require.Equal(t, "/sales/01J0SALE/reveal", button(t, masked, "Show the PIN").Closest("form").AttrOr("action", ""))
	require.Equal(t, 1, masked.Find("input[name=reason][required]").Length())
}

func TestNavigationOffersWhatTheRoleMay(t *testing.T) {
	t.Parallel()
	places := func(page string) string {
		return spaced(pageNamed(t, page).Find("header nav > ul:first-child > li:not(.more)"))
	}
	require.Equal(t, "Counter Sales Shift", places("counter"))
	require.Equal(t, "Counter Today Sales Shift Reports Differences Settings", places("today"))
	require.Equal(t, "Counter", strings.TrimSpace(pageNamed(t, "counter").Find(`nav > ul:first-child [aria-current="page"]`).Text()))
	require.Equal(t, "Today", strings.TrimSpace(pageNamed(t, "today").Find(`nav > ul:first-child [aria-current="page"]`).Text()))
}

func TestErrorPageNamesItsCorrelationID(t *testing.T) {
	t.Parallel()
	require.Contains(t, pageNamed(t, "error-500").Text(), "01J0CORRELATION")
	require.Contains(t, pageNamed(t, "error-bare").Text(), hostile)
	require.Zero(t, pageNamed(t, "error-500").Find(".pill").Length(), "what failed may be the states themselves")
}

func TestProseIsHarmless(t *testing.T) {
	t.Parallel()
	for _, attack := range []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![x](https://evil.example/pixel.png)",
		"[click](javascript:alert(1))", "[click](data:text/html,<script>alert(1)</script>)", "<iframe src=//evil.example></iframe>",
		"[x](https://e.example \"onmouseover=alert(1)\")", "<a href='vbscript:x'>x</a>", "[x](http://plain.example)", "<svg onload=alert(1)>",
		"<style>body{display:none}</style>", "<p style='position:fixed'>x</p>", "`<script>`",
	} {
		doc := parse(t, render(t, templates.Prose("Text. "+attack)))
		require.Zero(t, doc.Find("script, img, iframe, svg, style, [style], [onmouseover], [onerror], [onload]").Length(), attack)
		doc.Find("a").Each(func(_ int, s *goquery.Selection) {
			require.True(t, strings.HasPrefix(s.AttrOr("href", "https:"), "https:"), attack)
		})
		require.Contains(t, doc.Text(), "Text.")
	}
	require.Nil(t, templates.Prose(""))
	require.Equal(t, "Unlimited", parse(t, render(t, templates.Prose("**Unlimited** calls"))).Find("strong").Text())
}

// TestFirstLoadIsSmall holds the counter's first load to 100 KB and what comes
// after it to 20 KB, as they travel.
func TestFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	page := render(t, templates.Counter(templates.CounterPage{Frame: frame(inLanguage("en-IE"), "/counter"), Recent: recent()}))
	total := zipped(t, []byte(page))
	require.Less(t, total, 20_000)
	files := regexp.MustCompile(`/static/[^"]+`).FindAllString(page, -1)
	require.Greater(t, len(files), 4)
	seen := map[string]bool{}
	for _, url := range files {
		if !seen[url] {
			seen[url] = true
			total += transferred(t, url)
		}
	}
	t.Logf("first load of the counter: %d bytes", total)
	require.Less(t, total, 100_000)
	offers := render(t, templates.Offers(templates.OffersPage{Frame: frame(inLanguage("en-IE"), "/counter"), Trail: trail(lagos(), "1", ""), Groups: manyOffers(600)}))
	t.Logf("600 offers: %d bytes, %d compressed", len(offers), zipped(t, []byte(offers)))
	require.Less(t, zipped(t, []byte(offers)), 20_000)
}

func zipped(t *testing.T, body []byte) int {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Len()
}

func transferred(t *testing.T, url string) int {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	request.Header.Set("Accept-Encoding", "gzip")
	recorder := httptest.NewRecorder()
	static.Handler().ServeHTTP(recorder, request)
	require.Equal(t, http.StatusOK, recorder.Code, url)
	return recorder.Body.Len()
}

func BenchmarkOffers600(b *testing.B) {
	page := templates.Offers(templates.OffersPage{Frame: frame(inLanguage("en-IE"), "/counter"), Trail: trail(lagos(), "1", ""), Groups: manyOffers(600)})
	for b.Loop() {
		if err := page.Render(b.Context(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
