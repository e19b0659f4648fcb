package staff

import (
	_ "embed" // the list of common passwords
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

//go:embed common.txt
var commonList string

//go:embed listed.txt
var listedPasswords string

// listedAtMost: a password made of more listed passwords than this counts as hard to guess.
const listedAtMost = 2

// listedOnes are passwords from published leaks; the list is read once.
var listedOnes = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, word := range wordsIn(listedPasswords) {
		all[word] = true
	}
	return all
})

// commonWords are the passwords, and parts of passwords, that people choose most often; the list is read once.
var commonWords = sync.OnceValue(func() []string {
	return wordsIn(commonList)
})

func wordsIn(list string) (words []string) {
	for line := range strings.Lines(list) {
		if word := strings.TrimSpace(line); word != "" && !strings.HasPrefix(word, "#") {
			words = append(words, word)
		}
	}
	return words
}

const shortUnit = 8 // repeating a shorter piece does not make it secret

// guessable says whether a password consists only of what attackers try first: common passwords, the username and
// digits; one or two leaked passwords and digits; one short piece repeated; a run along the keyboard. Spaces and signs
// in between make no difference.
func guessable(password, username string) bool {
	compact := compactOf(password)
	return compact == "" || repeats(compact) || runsAlong(compact) || fewListed(compact) ||
		madeOf(compact, triedFirst(username))
}

func triedFirst(username string) []string {
	return slices.Concat(commonWords(), []string{compactOf(username)})
}

func compactOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(s))
}

func repeats(s string) bool {
	runes := []rune(s)
	for unit := 1; unit < shortUnit && unit < len(runes); unit++ {
		piece := string(runes[:unit])
		if strings.HasPrefix(strings.Repeat(piece, len(runes)/unit+1), s) {
			return true
		}
	}
	return false
}

func runsAlong(s string) bool {
	for _, row := range []string{
		"0123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "asdfghjkl", "qwertyuiopasdfghjklzxcvbnm",
		"qwertzuiopasdfghjklyxcvbnm", "azertyuiopqsdfghjklmwxcvbn",
		"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "qazwsxedcrfvtgbyhnujmikolp", "1q2w3e4r5t6y7u8i9o0p",
	} {
		round := strings.Repeat(row, longestPassword/len(row)+2)
		if strings.Contains(round, s) || strings.Contains(round, reversed(s)) {
			return true
		}
	}
	return false
}

func reversed(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// madeOf says whether s can be cut into words and digits, with at least one word. ways[i] says how s[:i] can be cut:
// not at all, into digits, or with a word.
func madeOf(s string, words []string) bool {
	const none, digits, withWord = 0, 1, 2
	ways := make([]int, len(s)+1)
	ways[0] = digits
	for i := range len(s) {
		if ways[i] == none {
			continue
		}
		if '0' <= s[i] && s[i] <= '9' {
			ways[i+1] = max(ways[i+1], ways[i])
		}
		for _, word := range words {
			if word != "" && strings.HasPrefix(s[i:], word) {
				ways[i+len(word)] = withWord
			}
		}
	}
	return ways[len(s)] == withWord
}

// fewListed says whether s can be cut into digits and one to listedAtMost leaked passwords.
func fewListed(s string) bool {
	if len(s) > longestPassword {
		return false // longer than two of them with a number
	}
	fewest := make([]int, len(s)+1) // of them that make s[:i]; -1: none do
	for end := 1; end <= len(s); end++ {
		fewest[end] = -1
		for begin := range end {
			cost := fewest[begin] + 1
			switch {
			case fewest[begin] < 0:
				continue
			case begin == end-1 && '0' <= s[begin] && s[begin] <= '9':
				cost--
			case !listedOnes()[s[begin:end]]:
				continue
			}
			if fewest[end] < 0 || cost < fewest[end] {
				fewest[end] = cost
			}
		}
	}
	return fewest[len(s)] >= 1 && fewest[len(s)] <= listedAtMost
}
