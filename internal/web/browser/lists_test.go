package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
)

// wordy is a turn whose result is as many words long.
func wordy(question, answer string, words int) []tenfold.Entry {
	return []tenfold.Entry{
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text(question)}},
		{Payload: tenfold.ToolCall{CallID: "c", Name: "read", Arguments: `{"path":"recipes.md"}`}},
		{Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(strings.Repeat("sourdough needs patience ", words/3))}},
		{Payload: tenfold.AssistantMessage{Text: answer}},
	}
}

// shelf is a store of a few conversations of two tools in two projects: the one about
// bread is the largest and compacted, the title of another would be markup.
func shelf(t *testing.T, s *Server) {
	t.Helper()
	for _, c := range []session.Create{
		{ID: "bread", Title: "A loaf of rye", Entries: append(wordy("How long does rye prove?", "Overnight.", 3000), wordy("And wheat?", "Two hours.", 30)...), Origin: store.Origin{Tool: "codex", Directory: "/home/me/bakery"}},
		{ID: "soup", Title: `<img src=x onerror="document.title='owned'">`, Entries: wordy("Which <b>pot</b> for soup?", "A tall pot.", 600), Origin: store.Origin{Tool: "claude-code", Directory: "/home/me/kitchen"}},
		{ID: "tea", Title: "Tea for two", Entries: wordy("Which pot for tea?", "A warm pot.", 60), Origin: store.Origin{Tool: "claude-code", Directory: "/home/me/kitchen"}},
	} {
		if _, err := s.Service.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	s.Run("conversation", "compact", "bread", "--keep", "1", "--strategy", "sliding-window:n=1")
}

// titles are those of the list, in its order. What is not on the screen has no
// innerText: the browser does not lay it out.
const titles = `[...document.querySelectorAll(".con-rows a.con-title")].map(a => a.textContent).join("|")`

func TestTheListOfConversations(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	shelf(t, s)
	tab := s.Open(t, "/?sort=tokens")
	tab.Wait(`document.querySelectorAll(".con-rows a.con-title").length === 3`)
	soup := `<img src=x onerror="document.title='owned'">`
	if got, want := Eval[string](tab, titles), "A loaf of rye|"+soup+"|Tea for two"; got != want {
		t.Errorf("by tokens the list is %s, want %s", got, want)
	}
	if got := Eval[string](tab, `document.title`); strings.Contains(got, "owned") {
		t.Error("a title ran as a script")
	}
	first := Eval[string](tab, `document.querySelector(".con-row:not(.con-head)").textContent`)
	for _, part := range []string{"codex", "bakery", "→", "−9", "%"} {
		if !strings.Contains(first, part) {
			t.Errorf("the row of what was compacted lacks %q:\n%s", part, first)
		}
	}
	tab.Wait(`document.querySelector(".con-sum") !== null`)
	if got := Eval[string](tab, `[...document.querySelectorAll("[role=grid] [role=row]")].map(r => r.ariaRowIndex).join() + " of " + document.querySelector("[role=grid]").ariaRowCount`); got != "1,2,3,4 of 4" {
		t.Errorf("the rows of the grid are %s", got)
	}
	var want struct {
		Sums struct{ Before, After int }
	}
	s.Get("/api/conversations?totals=true", &want)
	if sums := tab.Text(".con-sum"); want.Sums.After == 0 || want.Sums.After >= want.Sums.Before || !strings.Contains(sums, "3 conversations") || !strings.Contains(sums, fmt.Sprintf("%.0f%% less", 100*(1-float64(want.Sums.After)/float64(want.Sums.Before)))) {
		t.Errorf("the totals say %q of %+v", sums, want)
	}

	// Filters and the order stand in the address; going back takes them away.
	Eval[bool](tab, `(() => { const s = document.querySelector("select[title], search select:has(option[value='claude-code'])"); s.value = "claude-code"; return s.dispatchEvent(new Event("change", {bubbles: true})) })()`)
	tab.Wait(titles + ` === "` + strings.ReplaceAll(soup, `"`, `\"`) + `|Tea for two" && location.search === "?sort=tokens&tool=claude-code"`)
	Eval[bool](tab, `(history.back(), true)`)
	tab.Wait(titles + `.split("|").length === 3 && location.search === "?sort=tokens"`)
	tab.Go("/?q=nothing+like+this")
	tab.WaitText(".empty", "No conversation matches")
	tab.Click(".empty button")
	tab.Wait(titles + `.split("|").length === 3 && location.search === ""`)

	// What another program adds comes by itself.
	if _, err := s.Service.Create(t.Context(), session.Create{ID: "late", Title: "Milk, last", Entries: wordy("When?", "Now.", 3)}); err != nil {
		t.Fatal(err)
	}
	Eval[bool](tab, `document.dispatchEvent(new Event("visibilitychange"))`)
	tab.Wait(titles + `.includes("Milk, last")`)

	tab.Pictures("conversations")
	tab.Narrow()
	// The keyboard goes through the rows, of which Tab reaches one, and opens one.
	tab.Keys("jjjk")
	tab.Wait(`document.activeElement === document.querySelectorAll(".con-rows a.con-title")[1] && document.querySelectorAll('.con-rows a[tabindex="0"]').length === 1`)
	open := Eval[string](tab, `document.activeElement.pathname`)
	tab.Keys(Enter)
	tab.Wait(`location.pathname === "` + open + `" && location.pathname.startsWith("/c/")`)
	Eval[bool](tab, `(history.back(), true)`)
	tab.Wait(titles + `.includes("Milk, last")`)
	tab.Accessible()
}

// Narrow fails the test if the page is wider than a phone.
func (b *Tab) Narrow() {
	b.t.Helper()
	b.Show(360, 740, false)
	if wide := Eval[int](b, `document.documentElement.scrollWidth`); wide > 360 {
		b.t.Errorf("the page is %d pixels wide on a phone of 360", wide)
	}
	b.Show(1280, 800, false)
}

func TestAnEmptyStoreSaysHowToBegin(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	tab := s.Open(t, "/")
	for _, command := range []string{"tenfold compact session.jsonl", "tenfold conversation import --from claude-code", "tenfold run claude"} {
		tab.WaitText("#main", command)
	}
	tab.Pictures("begin")
	tab.Narrow()
	other := s.Open(t, "/")
	other.WaitText("#main", "No conversations yet")
	s.Create("one", "The first", wordy("Who?", "You.", 3)...)
	Eval[bool](other, `document.dispatchEvent(new Event("visibilitychange"))`)
	other.Wait(titles + ` === "The first"`)
	tab.Accessible()
}

func TestALongListComesAsItIsScrolled(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i := range 130 {
		at := begin.AddDate(0, 0, i)
		_, err := s.Service.Create(t.Context(), session.Create{Title: fmt.Sprintf("number %d", i), Created: at, Entries: []tenfold.Entry{
			{Time: at, Payload: tenfold.TurnStart{}}, {Time: at, Payload: tenfold.UserMessage{Parts: tenfold.Text("hello")}},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	tab := s.Open(t, "/")
	tab.Wait(`document.querySelectorAll(".con-rows a.con-title").length === 100 && document.querySelector(".con-day").innerText === "Today"`)
	tab.Go("/?sort=ended")
	tab.Wait(`document.querySelectorAll(".con-rows a.con-title").length === 100 && document.querySelector(".con-day").innerText !== "Today" && document.querySelector(".con-sum") !== null`)
	if got := Eval[string](tab, `document.querySelector(".con-rows a.con-title").textContent + " " + document.querySelector(".con-day").innerText + " " + document.querySelector("[role=grid]").ariaRowCount`); got != "number 129 Wednesday, July 8 131" {
		t.Errorf("the list begins with %s", got)
	}
	Eval[bool](tab, `(scrollTo(0, document.documentElement.scrollHeight), true)`)
	tab.Wait(`document.querySelectorAll(".con-rows a.con-title").length === 130 && !document.querySelector(".con-more")`)
	// Days are the reader's: what went on from a day on.
	tab.Go("/?since=2026-07-07")
	tab.Wait(titles + ` === "number 129|number 128"`)
}

func TestSearchFindsWhatIsHidden(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	shelf(t, s)
	tab := s.Open(t, "/search")
	tab.Wait(`document.activeElement.type === "search"`)
	tab.Keys("pot")
	tab.Wait(`document.querySelectorAll("a.hit").length === 4 && location.search === "?q=pot"`)
	if got := Eval[string](tab, `[...document.querySelectorAll(".found h2 a")].map(a => a.innerText).sort().join("|")`); got != `<img src=x onerror="document.title='owned'">|Tea for two` {
		t.Errorf("hits are grouped as %s", got)
	}
	// What was said is text, and its words are marked.
	if got := Eval[string](tab, `[...document.querySelectorAll(".snippet")].map(s => s.innerText + s.querySelectorAll("b").length + [...s.querySelectorAll("mark")].map(m => m.innerText)).find(s => s.includes("soup"))`); got != "Which <b>pot</b> for soup?0pot" {
		t.Errorf("a snippet is %q", got)
	}
	tab.Go("/search?q=overnight")
	tab.WaitText("a.hit", "hidden")
	tab.Pictures("search")
	tab.Narrow()
	tab.Keys("\t")
	Eval[bool](tab, `(document.querySelector("input[type=search]").blur(), true)`)
	tab.Keys("j" + Enter)
	tab.Wait(`location.pathname === "/c/bread" && location.hash === "#5"`)
	tab.Go("/search?q=nowhere+to+be+found")
	tab.WaitText(".empty", "Nothing was said of")
	tab.Go("/search?q=pot")
	tab.Wait(`document.querySelectorAll("a.hit").length === 4`)
	tab.Accessible()
}

// Get asks the API for JSON.
func (s *Server) Get(path string, into any) {
	s.t.Helper()
	status, body := s.Call("GET", path, "")
	if status != 200 {
		s.t.Fatalf("%s: %d, %s", path, status, body)
	}
	decode(s.t, body, into)
}

func decode(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
