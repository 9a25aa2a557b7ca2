package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/token"
)

// folded is a conversation with two compactions: one that strips reasoning, and one
// whose summary stands for all but the last turn.
func folded(t *testing.T, s *Server) *session.Session {
	t.Helper()
	c := s.Create("one", "A long day", logtest.Long(400)...)
	for _, wish := range []string{`{"strategies":["strip-reasoning"],"keep":"0"}`, `{"strategies":["summarize"],"keep":"1"}`} {
		if status, body := s.Call("POST", "/api/conversations/one/compactions", wish); status != 200 {
			t.Fatalf("compact %s: %d %s", wish, status, body)
		}
	}
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// only is the one conversation of the store.
func (s *Server) only(t *testing.T) *session.Session {
	t.Helper()
	for c, err := range s.Service.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		open, err := s.Service.Open(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		return open
	}
	t.Fatal("the store is empty")
	return nil
}

// view is the tokens that a model sees now, as the page shows them.
func view(t *testing.T, c *session.Session) int {
	t.Helper()
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return token.Calibrate(c.Log()).Tokens(c.Projection().Tokens())
}

// thousands writes 12345 as 12,345.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// press clicks the button of which the words begin so, in what a selector finds.
func press(tab *Tab, in, words string) {
	tab.t.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll(%q)].flatMap(e => [...e.querySelectorAll("button, summary, a")]).find(b => b.innerText.trim().startsWith(%q) && !b.disabled)`, in, words)
	tab.Wait(button)
	Eval[bool](tab, "("+button+".click(), true)")
}

func TestACompactionIsShownBeforeAndAfter(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	c := folded(t, s)
	raw := c.Log().Tokens()
	tab := s.Open(t, "/c/one/compactions")
	tab.WaitText(".overlays h1", "2 compactions")
	tab.WaitText(".chosen", thousands(raw)+" tokens")
	tab.WaitText(".shrinking", "After "+thousands(view(t, c))+" tokens")
	tab.Pictures("compactions")
	tab.Accessible()

	// Each compaction alone: the first left only reasoning out, and says why.
	Eval[bool](tab, `(document.querySelectorAll(".overlay")[1].click(), true)`)
	tab.WaitText(".chosen h2", "Compaction 1: strip-reasoning")
	tab.Wait(`document.querySelector(".line.fate-omitted .gone")?.innerText === "omitted: reasoning removed"`)
	if n := Eval[int](tab, `[...document.querySelectorAll(".legend button")].filter(b => !/kept|omitted|added/.test(b.innerText)).length`); n != 0 {
		t.Errorf("%d fates that removing reasoning does not give", n)
	}
	// What did not change is folded, and unfolds.
	rows := `+document.querySelector(".compared").getAttribute("aria-rowcount")`
	before := Eval[int](tab, rows)
	Eval[bool](tab, `(document.querySelector(".line.folded")?.click(), true)`)
	if Eval[bool](tab, `!!document.querySelector(".line.folded, .line.same")`) {
		tab.Wait(fmt.Sprintf("%s > %d", rows, before))
	}
	// A fate alone.
	press(tab, ".legend", "×")
	tab.Wait(`document.querySelectorAll(".lines .line").length > 3 && document.querySelectorAll(".lines .line:not(.fate-omitted)").length === 0`)
	// By keys: a row whole, both texts beside each other.
	tab.Keys("j")
	tab.Keys(Enter)
	tab.WaitText(".line.open .because", "removes the model's reasoning")
	tab.Wait(`document.querySelectorAll(".line.open .both section").length === 2`)
	tab.WaitText(".line.open .both section:nth-child(2)", "Nothing.")
	if said := tab.Text(".line.open .both section:first-child pre"); len(said) < 20 {
		t.Errorf("the text before is %q", said)
	}
	left := Eval[[]float64](tab, `[...document.querySelectorAll(".line.open .both section")].map(e => e.getBoundingClientRect().top)`)
	if left[0] != left[1] {
		t.Errorf("both sides are not beside each other: %v", left)
	}

	// The second has a summary, which stands in.
	Eval[bool](tab, `(document.querySelectorAll(".overlay")[2].click(), true)`)
	tab.WaitText(".chosen h2", "Compaction 2: summarize")
	press(tab, ".chosen", "The summary that stands in")
	tab.Wait(`document.querySelector(".summary pre").innerText.length > 100`)
	tab.Wait(`[...document.querySelectorAll(".legend button")].some(b => b.innerText.includes("summarised"))`)
	tab.WaitText(".figures", "none: no model was called")

	// On a phone the sides stand below each other, and nothing is wider than it.
	tab.Show(360, 740, false)
	tab.Go("/c/one/compactions")
	tab.Wait(`document.querySelector(".lines .line .side + .mark + .side")`)
	tops := Eval[[]float64](tab, `[...document.querySelector(".lines .line:not(.folded)").querySelectorAll(".side")].map(e => e.getBoundingClientRect().top)`)
	if tops[0] >= tops[1] {
		t.Errorf("both sides are not below each other: %v", tops)
	}
	if wide := Eval[int](tab, `document.scrollingElement.scrollWidth`); wide > 360 {
		t.Errorf("the page is %d wide on a phone of 360", wide)
	}
}

func TestUndoRedoAndPinSayWhatChanges(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	c := folded(t, s)
	short := view(t, c)
	tab := s.Open(t, "/c/one/compactions")
	press(tab, ".overlays", "Undo")
	tab.WaitText("dialog[open]", "grows from "+thousands(short)+" to ")
	press(tab, "dialog[open]", "Cancel")
	tab.Wait(`!document.querySelector("dialog[open]")`)
	if now := view(t, c); now != short {
		t.Fatalf("cancelled, and the view has %d tokens instead of %d", now, short)
	}
	// Somebody else was faster: it is as it was shown, and nothing else is undone.
	press(tab, ".overlays", "Undo")
	tab.WaitText("dialog[open]", "grows from ")
	s.Run("conversation", "undo", "one")
	press(tab, "dialog[open]", "Undo")
	tab.WaitText(".toasts", "stays at ")
	s.Run("conversation", "redo", "one")
	tab.Wait(`!document.querySelector(".overlay.undone")`)
	press(tab, ".overlays", "Undo")
	press(tab, "dialog[open]", "Undo")
	tab.Wait(`document.querySelectorAll(".overlay.undone").length === 1`)
	long := view(t, c)
	if long <= short {
		t.Fatalf("undone, and the view has %d tokens after %d", long, short)
	}
	tab.WaitText(".toasts", "grows from "+thousands(short)+" to "+thousands(long))
	press(tab, ".overlays", "Redo")
	tab.WaitText("dialog[open]", "shrinks from "+thousands(long)+" to "+thousands(short))
	press(tab, "dialog[open]", "Redo")
	tab.Wait(`!document.querySelector(".overlay.undone")`)
	if now := view(t, c); now != short {
		t.Errorf("redone, and the view has %d tokens instead of %d", now, short)
	}

	// Pin: from a row, with what that costs.
	tab.Go("/c/one/compactions")
	press(tab, ".legend", "Σ")
	tab.Wait(`document.querySelector(".lines .line.fate-summarised")`)
	tab.Keys("p")
	tab.WaitText("dialog[open]", "more tokens in each request")
	seq := Eval[int](tab, `+document.querySelector("dialog h2").innerText.match(/\d+/)[0]`)
	press(tab, "dialog[open]", "Pin")
	tab.WaitText(".toasts", fmt.Sprintf("Entry %d is pinned.", seq))
	if more := view(t, c); more <= short || !c.Projection().Pinned(int64(seq)) {
		t.Errorf("pinned %v, and the view has %d tokens after %d", c.Projection().Pinned(int64(seq)), more, short)
	}
	press(tab, ".legend", "=")
	tab.Wait(`(e => e && e.getBoundingClientRect().bottom <= e.closest(".line").getBoundingClientRect().bottom)([...document.querySelectorAll(".compared .line .entry *")].find(e => e.innerText === "pinned"))`) // it has room
}

func TestACompactionIsTriedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	// Half of the example: enough to measure, and measured in half the time.
	whole, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	s.write(filepath.Join(s.Dir, "session.jsonl"), strings.Join(lines[:len(lines)/2], ""))
	s.Run("conversation", "import", "session.jsonl")
	c := s.only(t)
	entries, size := c.Log().Version(), view(t, c)
	tab := s.Open(t, "/c/"+c.ID()+"/compactions/try")
	tab.Wait(`/CUR |took too long/.test(document.querySelector(".result")?.innerText)`) // a busy machine is not waited for
	tab.WaitText(".shrinking", "Now "+thousands(size)+" tokens")
	would := `+document.querySelector(".result .big dd").innerText.match(/[\d,]+/)[0].replaceAll(",", "")`
	tenth := Eval[int](tab, would)
	if tenth > size/10 {
		t.Errorf("10%% of %d is %d", size, tenth)
	}
	tab.Pictures("try")
	tab.Accessible()
	press(tab, ".sizes", "30%")
	tab.Wait(fmt.Sprintf("%s > %d", would, tenth*2))
	Eval[bool](tab, `(document.querySelectorAll(".ways input")[2].click(), true)`)
	tab.Wait(`document.querySelector(".strategy input")`)
	tab.Click(".strategy input")
	tab.Keys("strip-reasonin")
	tab.WaitText(".result .problem", "strip-reasonin")
	tab.Bear("400")
	tab.Bear("422")
	tab.Keys("g")
	tab.WaitText(".result .legend", "omitted")
	if now := view(t, c); now != size || c.Log().Version() != entries {
		t.Fatalf("trying wrote: %d entries, %d tokens", c.Log().Version(), now)
	}

	// Somebody else wrote meanwhile: nothing is applied, look again.
	Eval[bool](tab, `(new MutationObserver(() => { window.looked ||= document.querySelector(".result").ariaBusy === "true" }).observe(document.querySelector(".result"), {attributes: true}), true)`)
	if err := c.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("and the roof?")}}); err != nil {
		t.Fatal(err)
	}
	status, body := s.Call("POST", "/api/conversations/"+c.ID()+"/compactions", fmt.Sprintf(`{"target":"30%%","version":%d}`, entries))
	if status != 409 || !strings.Contains(body, "conflict") {
		t.Errorf("a compaction of an old version: %d %s", status, body)
	}
	tab.Wait(`window.looked && document.querySelector(".result").ariaBusy === "false"`)
	Eval[bool](tab, fmt.Sprintf(`((f) => (window.fetch = (to, o) => to.endsWith("/compactions") && o.body ? (window.fetch = f)(to, {...o, body: o.body.replace(/"version":\d+/, '"version":%d')}) : f(to, o), true))(window.fetch)`, entries))
	tab.Bear("409")
	press(tab, ".result .do", "Compact")
	press(tab, "dialog[open]", "Compact")
	tab.WaitText(".toasts", "went on while you looked")
	if view(t, c); c.Log().Version() != entries+2 {
		t.Fatal("a compaction of an old version was written")
	}
	tab.Wait(`document.querySelector(".result").getAttribute("aria-busy") === "false"`)
	press(tab, ".result .do", "Compact")
	press(tab, "dialog[open]", "Compact")
	tab.Wait(`location.pathname.includes("/compactions/") && !location.pathname.endsWith("/try")`)
	tab.WaitText(".chosen h2", "Compaction 1: strip-reasoning")
	if now := view(t, c); now >= size {
		t.Errorf("applied, and the view has %d tokens after %d", now, size)
	}
}

func TestWhatAModelSees(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	c := folded(t, s)
	tab := s.Open(t, "/c/one/view?provider=anthropic")
	tab.WaitText(".sees", thousands(view(t, c))+" tokens")
	tab.WaitText(".items .line.put", "put in by the projection")
	tab.Pictures("view")
	tab.Accessible()
	for _, provider := range []string{"anthropic", "openai-chat", "openai-responses", "gemini"} {
		tab.Go("/c/one/view?show=body&provider=" + provider)
		tab.Wait(`document.querySelector(".body pre")?.innerText.length > 100`)
		same := Eval[bool](tab, `fetch("/api/conversations/one/view?limit=0&body=true&provider=`+provider+`").then(r => r.json()).then(v =>
			JSON.stringify(JSON.parse(document.querySelector(".body pre").innerText)) === JSON.stringify(JSON.parse(v.body)))`)
		if !same {
			t.Errorf("%s: the body shown is not the API's", provider)
		}
	}
	// A request, its answer, and what came after: the boundary stands between them.
	if err := c.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("more")}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Here."}}, tenfold.Entry{Payload: tenfold.Usage{Model: "claude-sonnet-4-5", Input: 900, Output: 3}},
		tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("and more")}}); err != nil {
		t.Fatal(err)
	}
	tab.Go("/c/one/view?provider=anthropic")
	tab.WaitText(".strip", "cached: ")
	Eval[bool](tab, `(scrollTo(0, document.body.scrollHeight), true)`)
	tab.WaitText(".items .line.edge", "new from here")
}

// What a tool's own compaction cost is not known: that it called no model is not said.
func TestTheCostOfAnImportedCompaction(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "One", append(wordy("Who?", "You.", 30), tenfold.Entry{Payload: tenfold.Compaction{Source: tenfold.SourceImport, Turns: tenfold.Omit}})...)
	tab := s.Open(t, "/c/one/compactions")
	tab.WaitText(".figures", "not recorded")
}
