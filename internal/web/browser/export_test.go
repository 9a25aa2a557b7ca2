package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tenfold"
	"tenfold/internal/logtest"
)

// exported opens the exported page of a conversation, from the disk.
func exported(t *testing.T, s *Server, id string, args ...string) (*Tab, string) {
	t.Helper()
	file := filepath.Join(s.Dir, id+".html")
	s.Run(append([]string{"conversation", "export", id, "--to", "html", "--out", file}, args...)...)
	tab := s.Tab(t)
	ctx, cancel := context.WithTimeout(tab.ctx, 6*patience) // the largest page is 60 MB
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Navigate("file://"+file)); err != nil {
		t.Fatal(err)
	}
	tab.Wait(`!document.querySelector("#tools").hidden`)
	return tab, file
}

// An exported conversation is a page that asks for nothing, runs nothing of the
// transcript, and is read with the keyboard.
func TestExportedPage(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	const evil = "</title><script>document.title = 'bad'</script><img src=//evil.example/x onerror=alert(1)>"
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var entries []tenfold.Entry
	add := func(p tenfold.Payload) {
		entries = append(entries, tenfold.Entry{Time: at, Payload: p})
	}
	for i := range 4 {
		add(tenfold.TurnStart{})
		add(tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("question %d of bea@acme.io %s", i, evil))})
		add(tenfold.Reasoning{Text: "hm\n" + evil})
		add(tenfold.ToolCall{CallID: fmt.Sprint(i), Name: "shell", Arguments: `{"command":"ls\n` + strings.Repeat("x", 300) + `"}`})
		add(tenfold.ToolResult{CallID: fmt.Sprint(i), Parts: tenfold.Text(fmt.Sprintf("needle%d and\n%s", i, strings.Repeat(evil+"\n", 30))), IsError: i == 2})
		add(tenfold.AssistantMessage{Text: "fine"})
	}
	s.Create("one", "A loaf "+evil, entries...)
	s.Run("conversation", "compact", "one", "--keep", "1")
	tab, _ := exported(t, s, "one")
	if title := Eval[string](tab, `document.title`); title != "A loaf "+evil {
		t.Errorf("the title is %q", title)
	}
	tab.WaitText(".redacted", "4 e-mail addresses")
	tab.WaitText(".turn time", "Jan 2, 2026")

	// Search opens what is folded, and shows where it is.
	tab.Keys("/")
	tab.Wait(`document.activeElement.id === "q"`)
	Eval[string](tab, `document.activeElement.value = ""`) // unlike a keyboard, the harness types what a script prevents
	tab.Keys("NEEDLE1" + Enter)
	tab.WaitText("#said", "1 of 1")
	tab.Wait(`document.querySelector(".at")?.checkVisibility() && document.querySelector(".at").innerText.includes("needle1")`)
	tab.Wait(`CSS.highlights.get("found").size === 1 || CSS.highlights.get("found").size === 2`) // on the line, and in the text
	tab.Keys(Escape)
	Eval[bool](tab, `(document.activeElement.blur(), true)`)
	for keys, want := range map[string]string{"e": "1 of 1", "uuu": "of 4", "c": "1 of"} {
		tab.Keys(keys)
		tab.WaitText("#said", want)
		tab.Wait(`document.querySelector(".at").checkVisibility()`)
	}
	tab.Keys("j")
	tab.Keys("k")
	tab.Click("#all")
	tab.Wait(`document.querySelectorAll(".turn:not([open])").length === 0`)
	tab.Click(".f-omitted > summary")
	tab.Wait(`[...document.querySelectorAll(".f-omitted[open] .why")].some(e => e.checkVisibility() && e.innerText.includes("omitted: reasoning removed"))`)
	tab.Pictures("export")
	tab.Accessible()
	tab.Show(360, 740, false)
	if wide := Eval[int](tab, `document.documentElement.scrollWidth`); wide > 360 {
		t.Errorf("at 360 px the page is %d px wide", wide)
	}
	tab.Accessible()
}

// A page of 100,000 entries opens and is searched.
func TestExportedPageOfManyEntries(t *testing.T) {
	Dear(t)
	s := Serve(t)
	s.Create("long", "long", logtest.Long(100_000)...)
	began := time.Now()
	tab, file := exported(t, s, "long")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	paint := Eval[float64](tab, `new Promise(done => new PerformanceObserver(l => done(l.getEntries()[0].startTime)).observe({type: "paint", buffered: true}))`)
	loaded := Eval[float64](tab, `performance.timing.loadEventEnd - performance.timing.navigationStart`)
	memory := Eval[float64](tab, `performance.memory.usedJSHeapSize / 1e6`)
	open := Eval[float64](tab, `(async () => { const from = performance.now(); document.querySelector("#all").click(); await new Promise(r => requestAnimationFrame(() => setTimeout(r))); return performance.now() - from })()`)
	search := Eval[float64](tab, `(async () => { const from = performance.now(); document.querySelector("#q").value = "nowhere to be found"; document.querySelector("#next").click();
		while (!document.querySelector("#said").textContent.includes("0 entries")) await new Promise(r => setTimeout(r, 5)); return performance.now() - from })()`)
	t.Logf("%d MB, exported and open after %v: first paint %.0f ms, loaded %.0f ms, script's heap %.0f MB, all turns opened in %.0f ms, searched in %.0f ms",
		info.Size()>>20, time.Since(began).Round(time.Millisecond), paint, loaded, memory, open, search)
	if paint > 3000 || open > 5000 || search > 30_000 {
		t.Error("too slow")
	}
}
