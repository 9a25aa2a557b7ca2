package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a test waits for something on the page. Nothing takes so long
// unless it never comes.
const patience = 3 * time.Minute

// A Tab is a tab of the browser, with cookies of its own. When the test ends it
// fails if the page asked another server for anything, or if its scripts failed or
// were blocked.
type Tab struct {
	t      testing.TB
	ctx    context.Context
	server *Server

	mu sync.Mutex
	// went are the addresses that it asked for, wrong what went wrong.
	went  []string
	wrong []string
	// bears are parts of what may go wrong; abroad is set for one that may go
	// anywhere.
	bears  []string
	abroad bool
}

// Open opens a path of the page in a tab that is signed in.
func (s *Server) Open(t testing.TB, path string) *Tab {
	t.Helper()
	tab := s.Tab(t)
	tab.signIn()
	tab.Go(path)
	return tab
}

// signIn gives the tab the cookie of who is signed in.
func (b *Tab) signIn() {
	b.t.Helper()
	cookie, secure, only := b.server.signIn(b.t), false, true
	_, err := chromedp.Call(b.ctx, network.SetCookie, network.SetCookieParams{
		Name: cookie.Name, Value: cookie.Value, URL: b.server.URL, Path: "/", Secure: &secure, HTTPOnly: &only, SameSite: network.CookieSameSiteStrict,
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// Tab makes an empty tab that is not signed in.
func (s *Server) Tab(t testing.TB) *Tab {
	t.Helper()
	browser, why := chromium()
	if why != "" {
		missing(t, why)
	}
	tab := &Tab{t: t, server: s}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(tab.hear))
	tab.ctx = ctx
	t.Cleanup(func() {
		cancel()
		tab.judge()
	})
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	// What is said in passing stands until a slow test has looked.
	tab.before(`(real => { window.setTimeout = (what, after, ...more) => real(what, after === 6000 ? 3600e3 : after, ...more) })(window.setTimeout)`)
	tab.Show(1280, 800, false)
	return tab
}

// before has each page that the tab opens run a script before its own.
func (b *Tab) before(script string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		b.t.Fatal(err)
	}
}

// hear notes what the tab asks for and what goes wrong in it.
func (b *Tab) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		b.went = append(b.went, e.Request.URL)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		b.wrong = append(b.wrong, text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			text := string(e.Type)
			for _, a := range e.Args {
				text += " " + string(a.Value) + a.Description
			}
			b.wrong = append(b.wrong, text)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			b.wrong = append(b.wrong, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// Bear lets something go wrong in the tab whose message has a part.
func (b *Tab) Bear(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bears = append(b.bears, part)
}

// judge fails the test for what the tab did.
func (b *Tab) judge() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, to := range b.went {
		if !b.abroad && !strings.HasPrefix(to, b.server.URL+"/") && !strings.HasPrefix(to, "data:") &&
			!strings.HasPrefix(to, "file://"+b.server.Dir+"/") && !strings.HasPrefix(to, "blob:"+b.server.URL+"/") && to != "about:blank" {
			b.t.Errorf("the page asked another server: %.200s", to)
		}
	}
	for _, text := range b.wrong {
		borne := false
		for _, part := range b.bears {
			borne = borne || strings.Contains(text, part)
		}
		if !borne {
			b.t.Errorf("in the tab: %.600s", text)
		}
	}
}

// Do has the browser do something.
func Do[T any](b *Tab, what string, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	got, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatalf("%s: %v%s", what, err, b.state())
	}
	return got
}

// state is what the tab shows, for a test that fails.
func (b *Tab) state() string {
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.pathname + location.search + location.hash + "\n" + document.body.innerText`))
	if err != nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return fmt.Sprintf("\nthe tab shows %.2000s\nwrong: %.2000s", text, strings.Join(b.wrong, "\n"))
}

// Go opens a path of the page, or another address, and waits until it is loaded.
func (b *Tab) Go(path string) {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.server.URL + path
	}
	Do(b, "open "+path, chromedp.Navigate(path))
}

// Eval gives the value of a JavaScript expression, that of a promise included.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	return Do(b, expression, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Wait waits until a JavaScript expression is true.
func (b *Tab) Wait(expression string) {
	b.t.Helper()
	for end, pause := time.Now().Add(patience), 10*time.Millisecond; ; time.Sleep(pause) {
		pause = min(pause*5/4, 100*time.Millisecond) // to ask takes the browser's time
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		cancel()
		switch {
		case err == nil && is:
			return
		case time.Now().After(end):
			b.t.Fatalf("wait for %s: %v%s", expression, err, b.state())
		}
	}
}

// Follows waits until the page has its conversation, which takes longer than its first
// lines, and listens to it: of what is done from then on it is told.
func (b *Tab) Follows(title string) {
	b.t.Helper()
	b.Wait(fmt.Sprintf("document.title === %q", title+" · Tenfold"))
}

// WaitText waits until an element holds a text.
func (b *Tab) WaitText(selector, text string) {
	b.t.Helper()
	b.Wait(fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", selector, text))
}

// Text is what an element shows, once it is there.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	b.Wait(fmt.Sprintf("document.querySelector(%q)", selector))
	return Eval[string](b, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

// stand scrolls to an element and waits until it stands still: what comes into view takes its
// room only then, and a click on where the element was a moment ago meets another.
const stand = `(async selector => {
	for (let was = "", n = 0; n < 100; n++) {
		const element = document.querySelector(selector);
		element?.scrollIntoView({block: "center", behavior: "instant"});
		const box = element?.getBoundingClientRect(), is = JSON.stringify(box);
		if (is === was) break;
		was = is;
		await new Promise(done => setTimeout(done, 20));
	}
	return true;
})(%q)`

// Click clicks with the mouse on what a selector finds first, once it is visible.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.Wait(fmt.Sprintf("document.querySelector(%q)", selector))
	Eval[bool](b, fmt.Sprintf(stand, selector))
	Do(b, "click "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// Keys types, as on a keyboard; kb has names for the other keys, such as Enter.
func (b *Tab) Keys(keys string) {
	b.t.Helper()
	Do(b, "type "+keys, chromedp.KeyEvent(keys))
}

// Enter and Escape are keys for [Tab.Keys].
const (
	Enter  = kb.Enter
	Escape = kb.Escape
)

// Show sets the size of the tab in CSS pixels, and the theme that the machine asks
// for.
func (b *Tab) Show(width, height int64, dark bool) {
	b.t.Helper()
	Do(b, "resize", chromedp.EmulateViewport(width, height))
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.media("prefers-color-scheme", scheme)
}

// media sets what the machine asks for.
func (b *Tab) media(name, value string) {
	b.t.Helper()
	Do(b, name, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}})
		return err
	}))
}

// Pictures takes pictures of what the tab shows at three sizes in both themes, for
// looking at, into the directory that TENFOLD_PICTURES names, if it does.
func (b *Tab) Pictures(name string) {
	b.t.Helper()
	dir := os.Getenv("TENFOLD_PICTURES")
	if dir == "" {
		return
	}
	for _, size := range [][2]int64{{360, 740}, {1280, 800}, {3840, 2160}} {
		for _, dark := range []bool{false, true} {
			b.Show(size[0], size[1], dark)
			time.Sleep(200 * time.Millisecond) // for what is drawn on a canvas
			theme := map[bool]string{false: "light", true: "dark"}[dark]
			png := Do(b, "take a picture", chromedp.CaptureScreenshot())
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, size[0], theme)), png, 0o600); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.Show(1280, 800, false)
}
