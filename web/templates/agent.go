package templates

import (
	"cmp"
	"strings"
)

// Browsers and systems by what they call themselves. The first match counts, since each also names others that it wants
// to pass for.
var (
	browsers = [][2]string{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser", "Samsung Internet"},
		{"Firefox", "Firefox"},
		{"FxiOS", "Firefox"},
		{"Chrome", "Chrome"},
		{"CriOS", "Chrome"},
		{"Safari", "Safari"},
	}
	systems = [][2]string{
		{"Windows", "Windows"},
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"CrOS", "ChromeOS"},
		{"Macintosh", "macOS"},
		{"Linux", "Linux"},
	}
)

// AgentName is what a person calls a browser: "Firefox, Windows". An unknown one is named as it names itself.
func AgentName(agent string) string {
	browser, system := firstIn(agent, browsers), firstIn(agent, systems)
	if browser != "" && system != "" {
		return browser + ", " + system
	}
	return cmp.Or(browser, system, agent, "–")
}

func firstIn(agent string, names [][2]string) string {
	for _, name := range names {
		if strings.Contains(agent, name[0]) {
			return name[1]
		}
	}
	return ""
}
