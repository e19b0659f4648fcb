package staff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"airtill/internal/fault"
)

const (
	longestUsername = 64
	longestText     = 200 // characters of a name or an address
)

// normaliseUsername makes one form of the many ways to write a username: trimmed, one Unicode form, lower case.
func normaliseUsername(typed string) (string, error) {
	name := foldUsername(typed)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "", fault.OnField("username", "user.name-missing")
	case n > longestUsername:
		return "", fault.OnField("username", "user.name-too-long", longestUsername)
	}
	for i, r := range name {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
		if !letter && (i == 0 || !strings.ContainsRune("._-@", r)) {
			return "", fault.OnField("username", "user.name-form")
		}
	}
	return name, nil
}

// foldUsername is the form in which usernames are compared; it takes anything.
func foldUsername(typed string) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(typed, "\uFFFD"), "\x00", "\uFFFD") // PostgreSQL accepts neither
	return strings.TrimSpace(norm.NFKC.String(strings.ToLower(norm.NFKC.String(text))))
}

// tidyText reads a line of free text: it is trimmed, and control characters are refused.
func tidyText(field, what, typed string) (string, error) {
	text := strings.TrimSpace(norm.NFC.String(typed))
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return "", fault.OnField(field, "text.not-printable", what)
	}
	if utf8.RuneCountInString(text) > longestText {
		return "", fault.OnField(field, "text.too-long", what, longestText)
	}
	return text, nil
}

func tidyLocale(typed string) (string, error) {
	if typed == "" {
		return "", nil
	}
	tag, err := language.Parse(typed)
	if err != nil {
		return "", fault.OnField("locale", "user.language", typed)
	}
	return tag.String(), nil
}

func listed[T ~string](values []T) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, fmt.Sprint(v))
	}
	return strings.Join(texts, ", ")
}
