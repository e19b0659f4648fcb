package receipt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// joiningLetters are the Arabic letters in the order of Unicode's presentation forms B, from U+FE80, each with
// its number of forms: alone, at the end, and for letters that join on both sides also at the beginning and in
// the middle.
const joiningLetters = "ء1آ2أ2ؤ2إ2ئ4ا2ب4ة2ت4ث4ج4ح4خ4د2ذ2ر2ز2" +
	"س4ش4ص4ض4ط4ظ4ع4غ4ف4ق4ك4ل4م4ن4ه4و2ى2ي4"

// letter is the shapes of a letter.
type letter struct {
	alone rune // its other forms follow
	forms int  // 1, 2 or 4
}

func arabicLetters() map[rune]letter {
	letters, next := map[rune]letter{'ـ': {alone: 'ـ', forms: 0}}, rune(0xFE80)
	signs := []rune(joiningLetters)
	for i := 0; i < len(signs); i += 2 {
		forms := int(signs[i+1] - '0')
		letters[signs[i]] = letter{next, forms}
		next += rune(forms)
	}
	return letters
}

// lamAlef is the ligature of lam with an alef, alone; the next one joins the letter before.
func lamAlef(alef rune) (rune, bool) {
	i := slices.Index([]rune("آأإا"), alef)
	return 0xFEF5 + rune(2*max(i, 0)), i >= 0
}

// shaped gives Arabic letters the forms they take beside their neighbours. Marks above and below are left out,
// as printers do.
func shaped(text string) string {
	letters := arabicLetters()
	var runes []rune
	for _, r := range text {
		if r < 0x064B || r > 0x0652 {
			runes = append(runes, r)
		}
	}
	joinsOn := func(r rune) bool { l, ok := letters[r]; return ok && (l.forms == 4 || l.forms == 0) }
	joinsBack := func(r rune) bool { l, ok := letters[r]; return ok && l.forms != 1 }
	var out strings.Builder
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		l, arabic := letters[r]
		if !arabic || l.forms == 0 {
			out.WriteRune(r)
			continue
		}
		before := i > 0 && joinsOn(runes[i-1]) && joinsBack(r)
		if i+1 < len(runes) && r == 'ل' {
			if ligature, ok := lamAlef(runes[i+1]); ok {
				out.WriteRune(ligature + one(before))
				i++
				continue
			}
		}
		after := i+1 < len(runes) && l.forms == 4 && joinsBack(runes[i+1])
		out.WriteRune(l.alone + one(before) + 2*one(after))
	}
	return out.String()
}

func one(yes bool) rune {
	if yes {
		return 1
	}
	return 0
}

// visual puts a text in the order it is seen, from left to right.
func visual(text string, rtl bool) string {
	if !strings.ContainsFunc(text, rightToLeft) {
		return text
	}
	mark := "\u200e" // left to right; without it the first letter would decide alone
	if rtl = rtl || beginsAtRight(text); rtl {
		mark = "\u200f"
	}
	var paragraph bidi.Paragraph
	if _, err := paragraph.SetString(mark + shaped(text)); err != nil {
		return text
	}
	order, err := paragraph.Order()
	if err != nil {
		return text
	}
	var seen, fromRight []string
	turn := func() {
		slices.Reverse(fromRight)
		seen, fromRight = append(seen, fromRight...), nil
	}
	for i := range order.NumRuns() {
		run := order.Run(i)
		switch part := strings.TrimPrefix(run.String(), mark); {
		case run.Direction() == bidi.RightToLeft:
			fromRight = append(fromRight, bidi.ReverseString(part))
		case rtl:
			fromRight = append(fromRight, part)
		case len(fromRight) == 0:
			seen = append(seen, part)
		default:
			numbers, rest := cutNumbers(part)
			if fromRight = append(fromRight, numbers); rest != "" {
				turn()
				seen = append(seen, rest)
			}
		}
	}
	turn()
	return strings.Join(seen, "")
}

// cutNumbers parts the numbers that a text begins with from the rest: they belong to the words before it, which are
// written from right to left.
func cutNumbers(text string) (numbers, rest string) {
	end := 0
	for i, r := range text {
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() {
		case bidi.L:
			return text[:end], text[end:]
		case bidi.EN, bidi.AN:
			end = i + utf8.RuneLen(r)
		default:
		}
	}
	return text[:end], text[end:]
}

// beginsAtRight says whether the first letter of a text is written from right to left.
func beginsAtRight(text string) bool {
	for _, r := range text {
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		default:
		}
	}
	return false
}

func rightToLeft(r rune) bool {
	properties, _ := bidi.LookupRune(r)
	class := properties.Class()
	return class == bidi.R || class == bidi.AL || class == bidi.AN
}
