package web

import (
	"regexp"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"airtill/internal/money"
)

// unplain is what no person reads with ease: a key of a program, a word in capitals, a name from Go or of a call, a
// length of time or a moment as programs write it, milliseconds, and our own ids.
var unplain = regexp.MustCompile(`\b\w*[A-Za-z]_\w+\b|\b[A-Z]{3,}[A-Z_]*\b|\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b|` +
	`\bP(?:\d+[YMWD])+(?:T(?:\d+[HMS])+)?\b|\bPT(?:\d+[HMS])+\b|\d ?ms\b|[Mm]illisecond|` +
	`\b\d{4}-\d\d-\d\d\b|\b[0-9A-HJKMNP-TV-Z]{26}\b`)

// plainWords are in capitals, and everybody who meets them knows them so.
var plainWords = []string{
	"PIN", "VAT", "SKU", "CFA", "CSV", "PDF", "XLSX", "UTC", "TLS",
	"PRACTICE", "TOTAL", "SENT", "PAID", "WAITING", "NOT", "RECEIPT", "DUPLICATE", "COPY", "CASH", "GIVEN", "BACK", // papers
}

// toReadOut is a sale's code as people read it to each other; any half of it may come without a digit.
var toReadOut = regexp.MustCompile(`\b[0-9A-Z]{4}-[0-9A-Z]{4}\b`)

// codesHere are the places where a code must stand, with why.
var codesHere = []struct{ path, within, why string }{
	{"/admin/catalogue/runs/", "th + td .hint", "the code under a product's name is what the transfer service's support asks for"},
	{"/admin/catalogue/texts", "th .hint", "the same"},
	{"/admin/upstream", "th .hint", "what the transfer service calls its calls and errors, for whoever asks it about them"},
	{"/admin/health", ".code", "a reference, under what to ask about it"},
	{"/admin/setup", "code", "the settings of the environment that whoever runs the till must type"},
	{"/reports/", ".mailing code", "the same: there is no mail server without them"},
	{"/sales/", ".small-print", "the transfer service's code of a refusal, in small print under the reason"},
	{"/sales/", ".facts", "references that somebody reads out to support"},
	{"/sales/", ".paper", "the same, on paper"},
}

// read collects what is not plain on a page in English, with its address without ids.
func (c *crawl) read(address string, page *goquery.Document) {
	page.Find("script, style, template, select[name=language]").Remove()
	for _, place := range codesHere {
		if strings.HasPrefix(address, place.path) {
			page.Find("main").Find(place.within).Remove()
		}
	}
	for _, n := range page.Find("body *").Nodes {
		for text := n.FirstChild; text != nil; text = text.NextSibling {
			if text.Type != html.TextNode {
				continue
			}
			for _, found := range unplain.FindAllString(toReadOut.ReplaceAllString(text.Data, ""), -1) {
				if !slices.Contains(plainWords, found) && !money.Currency(found).Known() && !ofTheCatalogue(found) {
					c.unplain[found] = anID.ReplaceAllString(address, "…") + ": " + strings.TrimSpace(text.Data)
				}
			}
		}
	}
}

// ofTheCatalogue says whether a word is a brand's, a country's or a place's own.
func ofTheCatalogue(word string) bool {
	return slices.Contains([]string{"DTH", "McDonald", "McMurdo"}, word)
}
