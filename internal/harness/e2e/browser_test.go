//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// chromium is one browser for all tests; each test gets a profile of its own
// within it.
var chromium = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true),
	)
	// The headless shell draws pages and no browser around them: half the work.
	if shell, err := exec.LookPath("chromium-headless-shell"); err == nil {
		options = append(options, chromedp.ExecPath(shell))
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, closeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	whenAllIsOver(func() { closeBrowser(); closeAllocator() })
	return ctx, chromedp.Do(ctx)
})

const (
	// actWithin bounds every single act in the browser.
	actWithin = time.Minute
	// answersWithin is when an answer that the page took along when it went is
	// no longer waited for.
	answersWithin = 10 * time.Second
)

// browser is a person's browser window.
type browser struct {
	t    testing.TB
	ctx  context.Context
	base string
	keys int // pressed so far

	mu       sync.Mutex
	troubles []string
	expected []string
}

// newBrowser opens a window. The test fails if a page of it logs an error,
// breaks the content security policy or throws.
func newBrowser(t testing.TB, base string) *browser {
	t.Helper()
	parent, err := chromium()
	require.NoError(t, err, "chromium cannot be started (Debian's package is called chromium-headless-shell)")
	ctx, done := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	b := &browser{t: t, ctx: ctx, base: base}
	require.NoError(t, chromedp.Listen(ctx, b.hear))
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)))
	t.Cleanup(func() {
		if t.Failed() {
			b.shot("failed-" + strings.ReplaceAll(t.Name(), "/", "-"))
		}
		done()
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(t, b.troubles, "what the pages complained of")
	})
	return b
}

// tab opens another tab of the same window's profile.
func (b *browser) tab() *browser {
	b.t.Helper()
	ctx, done := chromedp.NewContext(b.ctx)
	other := &browser{t: b.t, ctx: ctx, base: b.base}
	require.NoError(b.t, chromedp.Listen(ctx, other.hear))
	require.NoError(b.t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)))
	b.t.Cleanup(func() {
		done()
		require.Empty(b.t, other.troubles, "what the pages of the other tab complained of")
	})
	return other
}

// front brings a tab to the front: browsers let those behind it sleep.
func (b *browser) front() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, page.BringToFront, cdp.Empty{})
	})
	require.NoError(b.t, err)
}

// hear takes note of what a page complains of.
func (b *browser) hear(event any) {
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.note(fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *runtime.EventExceptionThrown:
		b.note("exception: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			var said []string
			for _, arg := range e.Args {
				said = append(said, string(arg.Value)+" "+arg.Description)
			}
			b.note("console: " + strings.Join(said, ", "))
		}
	}
}

func (b *browser) note(trouble string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, part := range b.expected {
		if strings.Contains(trouble, part) {
			return
		}
	}
	b.troubles = append(b.troubles, trouble)
}

// expect lets pages complain of something.
func (b *browser) expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, part)
}

// expectASignedOutStream lets a page that is being signed out ask for its stream too late.
func (b *browser) expectASignedOutStream() {
	b.expect("status of 401 (Unauthorized) " + b.base + "/tray/events")
}

func (b *browser) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	require.NoError(b.t, chromedp.Do(ctx, actions...), what)
}

func (b *browser) open(path string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`window.isLeft = true; location.assign(%q)`, b.base+path))
	b.until("the page "+path, `!window.isLeft && document.readyState === "complete"`)
}

// reload loads the page anew.
func (b *browser) reload() {
	b.t.Helper()
	b.eval(`window.isLeft = true; location.reload()`)
	b.until("the page again", `!window.isLeft && document.readyState === "complete"`)
}

// typed types keys, one after another, into whatever has the focus, once the page is whole: one that comes before its
// scripts is lost.
func (b *browser) typed(keys string) {
	b.t.Helper()
	b.until("the whole page", `document.readyState === "complete"`)
	b.keys += utf8.RuneCountInString(keys)
	b.do("type", chromedp.KeyEvent(keys))
}

// enter presses Enter as a person does: not within the time in which a second
// one is taken for a scanner's.
func (b *browser) enter() {
	b.t.Helper()
	b.until("the pause after the last Enter", `performance.now() - (window.lastEnterSeen || -1000) > 450`)
	b.eval(`window.lastEnterSeen = performance.now()`)
	b.typed(kb.Enter)
}

func (b *browser) eval(script string) {
	b.t.Helper()
	b.do(script, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		return chromedp.Evaluate[chromedp.Void](script)(ctx, t)
	})
}

// asks evaluates an expression in the page, and waits for a promise.
func asks[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	return value
}

// until waits until an expression holds, over any number of page loads.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	b.untilWithin(actWithin, what, expression)
}

func (b *browser) untilWithin(patience time.Duration, what, expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		asking, enough := context.WithTimeout(ctx, answersWithin)
		holds, err := chromedp.Run(asking, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		enough()
		if err == nil && holds {
			return
		}
		if ctx.Err() != nil {
			require.Fail(b.t, "it does not come: "+what, b.says())
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond): // the page may be between two documents
		}
	}
}

// says is all the text of the page.
func (b *browser) says() string {
	ctx, cancel := context.WithTimeout(b.ctx, answersWithin) // a page that hangs says nothing
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.pathname + ': ' + (document.body ? document.body.innerText : '')"))
	if err != nil {
		return err.Error()
	}
	return text
}

// has says whether the accessibility tree has a node of a role and name.
func (b *browser) has(role, name string) bool {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	found, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (bool, error) {
		root, err := cdp.Call(ctx, t, dom.GetDocument, dom.GetDocumentParams{})
		if err != nil {
			return false, err
		}
		result, err := cdp.Call(ctx, t, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{NodeID: root.Root.NodeID, Role: role, AccessibleName: name})
		return err == nil && len(result.Nodes) > 0, err
	})
	require.NoError(b.t, err)
	return found
}

// focused waits until what has the focus has this name, and htmx has done with
// the page: at the end it sets the focus once more.
func (b *browser) focused(name string) {
	b.t.Helper()
	b.until("the focus on "+name, fmt.Sprintf(`(() => {
		const el = document.activeElement;
		const text = el?.labels?.length ? el.labels[0].textContent : el?.textContent;
		return document.readyState === "complete" && !document.querySelector(".htmx-added, .htmx-settling") && (text || "").includes(%q);
	})()`, name))
}

// state waits until the outcome shows a state, without touching the page.
func (b *browser) state(state string, patience time.Duration) {
	b.t.Helper()
	b.untilWithin(patience, "state "+state, fmt.Sprintf(`document.querySelector('[role="status"][data-state="%s"]')`, state))
}

// verdict is what the status region says.
func (b *browser) verdict() string {
	b.t.Helper()
	return asks[string](b, `document.querySelector('[role="status"][data-state]').innerText`)
}

// signIn signs in by keyboard alone.
func (b *browser) signIn(username, password string) {
	b.t.Helper()
	b.open("/login")
	b.focused("Username")
	b.typed(username + kb.Tab)
	b.typed(password)
	b.enter()
	b.until("the page after the login", `location.pathname !== "/login" && document.readyState === "complete"`)
}

// press puts the focus on the button of a name and presses Enter.
func (b *browser) press(name string) {
	b.t.Helper()
	found := fmt.Sprintf(`[...document.querySelectorAll("button, a.button")].find((el) => el.textContent.includes(%q))`, name)
	b.until("the button "+name, found)
	b.eval(found + ".focus()")
	b.enter()
}

// lookUp types a number at the counter and presses Enter.
func (b *browser) lookUp(number string) {
	b.t.Helper()
	b.focused("Account number")
	b.typed(number)
	b.enter()
}

// look sets the size of the window and the colour scheme, and waits until the
// page has taken them on: no picture shows a colour on its way.
func (b *browser) look(width, height int64, scheme string) {
	b.t.Helper()
	b.do("size", chromedp.EmulateViewport(width, height))
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
	})
	require.NoError(b.t, err)
	b.until("the new look", fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: %s)").matches &&
		document.getAnimations().every((a) => a.effect?.getComputedTiming().iterations === Infinity)`, width, scheme))
}

// pictures is where screenshots go.
func pictures() string {
	if dir := os.Getenv("SCREENSHOTS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "screenshots")
}

// shot keeps a picture of the window.
func (b *browser) shot(name string) {
	ctx, cancel := context.WithTimeout(b.ctx, actWithin)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(pictures(), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(pictures(), name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Errorf("screenshot %s: %v", name, err)
	}
}

// shots keeps pictures of the page at every size, light and dark, and leaves
// the window as it was.
func (b *browser) shots(name string) {
	b.t.Helper()
	for _, size := range [][2]int64{{1280, 800}, {1024, 768}, {390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(size[0], size[1], scheme)
			b.shot(fmt.Sprintf("%s-%d-%s", name, size[0], scheme))
		}
	}
	b.look(1280, 800, "light")
}
