package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tenfold"
)

func TestABrowserSignsInOnce(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	tab := s.Tab(t)
	tab.Go(s.invitation)
	if at := Eval[string](tab, `location.href`); at != s.URL+"/" {
		t.Errorf("the address is %s", at)
	}
	if cookie := Eval[string](tab, `document.cookie`); cookie != "" {
		t.Errorf("scripts read the cookie %q", cookie)
	}
	if status := Eval[int](tab, `fetch("/api/meta").then(r => r.status)`); status != http.StatusOK {
		t.Errorf("signed in, the API gives %d", status)
	}
	tab.Go(s.invitation) // from the terminal's scrollback
	if at := Eval[string](tab, `location.href`); at != s.URL+"/" {
		t.Errorf("opened again, the address is %s", at)
	}
	other := s.Tab(t)
	other.Bear("401")
	other.Go(s.invitation)
	other.WaitText("body", "not signed in")
	if status := Eval[int](other, `fetch("/api/meta").then(r => r.status)`); status != http.StatusUnauthorized {
		t.Errorf("another browser gets %d", status)
	}
}

// A page of a stranger's, at another port of this machine or under a name of its own,
// in the browser that is signed in.
func TestAStrangersPageGetsNothing(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("secret", "The secret recipe", told("What is in it?", "Caraway.")...)
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<h1>evil</h1><iframe src="%[1]s/"></iframe><img src="%[1]s/api/meta"><script src="%[1]s/api/conversations"></script>`, s.URL)
	}))
	t.Cleanup(stranger.Close)
	for _, address := range []string{stranger.URL, strings.Replace(stranger.URL, "127.0.0.1", "evil.test", 1)} {
		tab := s.Tab(t)
		tab.abroad = true
		tab.Bear("") // the browser says what it blocks
		tab.signIn()
		tab.Go(address + "/")
		for _, try := range []string{
			`fetch(api + "/api/conversations", {credentials: "include"}).then(r => r.text())`,
			`fetch(api + "/api/conversations", {credentials: "include", mode: "no-cors"}).then(r => r.type == "opaque" ? "" : r.text())`,
			`fetch(api + "/api/conversations", {method: "POST", credentials: "include", mode: "no-cors", headers: {"Content-Type": "text/plain"}, body: "{}"}).then(() => "")`,
			`fetch(api + "/api/conversations/secret/pins/2", {method: "PUT", credentials: "include"}).then(r => r.text())`,
			`new Promise(done => { const x = new XMLHttpRequest(); x.open("GET", api + "/api/meta"); x.withCredentials = true; x.onloadend = () => done(x.responseText); x.send() })`,
			`new Promise(done => { const e = new EventSource(api + "/api/conversations/secret/events", {withCredentials: true}); e.onopen = () => done("open"); e.onerror = () => { e.close(); done("") } })`,
			`new Promise(done => { const i = new Image(); i.onload = () => done("an image"); i.onerror = () => done(""); i.src = api + "/assets/x.png" })`,
			`new Promise(done => { const x = document.createElement("script"); x.onload = () => done("a script"); x.onerror = () => done(""); x.src = api + "/licences.txt"; document.body.append(x) })`,
			`Promise.resolve(navigator.sendBeacon(api + "/api/conversations", "{}") && "")`,
			`Promise.resolve(document.querySelector("iframe").contentDocument?.body.innerText ?? "")`,
			`Promise.resolve(String(window.open(api + "/", "other")?.document?.title ?? ""))`,
		} {
			got := Eval[string](tab, fmt.Sprintf(`(async () => { const api = %q; try { return await (%s) } catch { return "" } })()`, s.URL, try))
			if got != "" {
				t.Errorf("%s: %s gives %.200q", address, try, got)
			}
		}
		// A form goes there as a navigation.
		Eval[int](tab, fmt.Sprintf(`(() => { const f = document.createElement("form"); f.method = "POST"; f.action = %q; document.body.append(f); f.submit(); return 1 })()`, s.URL+"/api/conversations"))
		tab.Wait(`location.pathname == "/api/conversations" || location.protocol == "chrome-error:"`)
		if text := Eval[string](tab, `document.body.innerText`); strings.Contains(text, "secret") || !strings.Contains(text, "origin") {
			t.Errorf("%s: a form gives %s", address, text)
		}
	}
	if status, body := s.Call(http.MethodGet, "/api/conversations", ""); status != http.StatusOK || strings.Count(body, `"id"`) != 1 {
		t.Errorf("afterwards there is %s", body)
	}
	// Its own name leads here (DNS rebinding): one origin for the browser, no name of ours.
	tab := s.Tab(t)
	tab.abroad = true
	tab.Bear("403")
	tab.Bear("Cross-Origin-Opener-Policy") // which counts only where the origin is trusted
	tab.Go(strings.Replace(s.URL, "127.0.0.1", "evil.test", 1) + "/")
	tab.WaitText("body", "unknown host")
	if got := Eval[string](tab, `fetch("/api/conversations").then(r => r.status + "")`); got != "403" {
		t.Errorf("rebound, it gets %s", got)
	}
}

// told is a turn.
func told(ask, answer string) []tenfold.Entry {
	return []tenfold.Entry{
		{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text(ask)}}, {Payload: tenfold.AssistantMessage{Text: answer}},
	}
}

// Whatever a transcript holds is text, and reads as what it is: nothing turns it around.
func TestScriptsInATranscriptAreText(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	const evil = `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script><svg onload="window.hacked=3">`
	const markup = "%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D6%3E" // in an address
	system := evil
	const links = "[click](javascript:window.hacked=4) ![i](https://evil.test/a.png) <a href=\"javascript:window.hacked=5\">x</a> </script></title>{{7*7}}${7*7} \u202eturned\u2066\x1b[31m"
	entries := []tenfold.Entry{
		{Payload: tenfold.ConfigDelta{System: &system, Model: evil}},
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart(evil + links), {File: &tenfold.File{Type: tenfold.PartImage, MediaType: evil, Name: evil, URI: "https://evil.test/picture.png"}}}}},
		{Payload: tenfold.Reasoning{Text: evil}},
		{Payload: tenfold.ToolCall{CallID: "c1" + evil, Name: evil, Arguments: `{"path":"` + strings.ReplaceAll(evil, `"`, `\"`) + `"}`}},
		{Payload: tenfold.ToolResult{CallID: "c1" + evil, Parts: tenfold.Text(evil + links)}},
		{Payload: tenfold.AssistantMessage{Text: links + evil}},
	}
	for range 6 {
		entries = append(entries, told(evil, links)...)
	}
	s.Create("evil", "\u202eexe.\u2069"+evil, entries...)
	s.Run("conversation", "compact", "evil", "--to", "2", "--summary", evil+links)
	tab := s.Open(t, "/")
	tab.Bear("404") // of a conversation that there is not
	for _, path := range []string{"/", "/c/evil", "/c/evil#3", "/c/evil/view", "/c/evil/compactions", "/search?q=hacked", "/search?q=" + markup, "/money", "/c/evil/lab", "/c/" + markup} {
		tab.Go("/licences.txt") // or the next may be a place within the same page
		tab.Go(path)
		tab.Wait(`document.querySelector("main")?.innerText && !document.querySelector("main [aria-busy=true]")`)
		time.Sleep(50 * time.Millisecond) // for what an injected element would do later
		if hacked := Eval[string](tab, `String(window.hacked) + document.querySelectorAll("[onerror], [onload], a[href^=javascript], img[src=x], script:not([src]), iframe, base, object, embed").length`); hacked != "undefined0" {
			t.Errorf("%s: %s", path, hacked)
		}
		if turned := Eval[string](tab, `(document.title + document.body.innerText).match(/[^\n]*[\x00-\x08\x1b\u202a-\u202e\u2066-\u2069][^\n]*/)?.[0] ?? ""`); turned != "" {
			t.Errorf("%s: %.200q", path, turned)
		}
		tab.Pictures("evil" + strings.NewReplacer("/", "-", "?", "-", "%", "", "#", "-").Replace(path))
	}
}
