package store

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold makes texts comparable: lower case, without accents. Neither database can do it for every script.
func Fold(text string) string {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return foldUnicode(text)
		}
	}
	return strings.ToLower(text)
}

func foldUnicode(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(text)))
}
