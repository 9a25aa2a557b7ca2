package browser

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"tenfold/session"
	"tenfold/store"
)

// slowly is a script by which a test keeps answers back: those to addresses that match
// holds wait, as many as held says, until let is called, and the first one to an address
// that matches fails is a refusal.
const slowly = `globalThis.held = []; globalThis.let_ = () => held.splice(0).forEach(go => go()); (real => {
	window.fetch = async (...args) => {
		if (globalThis.fails?.test(args[0])) {
			globalThis.fails = undefined;
			return new Response('{"title": "Too Many Requests", "detail": "more than 5 requests a second", "errors": [{"message": "5 requests a second"}]}', {status: 429});
		}
		const waits = globalThis.holds?.test(args[0]); // when it is asked
		const answer = await real(...args);
		if (waits) await new Promise(go => held.push(go));
		return answer;
	};
})(window.fetch)`

// hold keeps back answers to what matches from now on, none where that is empty.
func (b *Tab) hold(pattern string) {
	b.t.Helper()
	script := "globalThis.holds = undefined"
	if pattern != "" {
		script = "globalThis.holds = new RegExp(" + fmt.Sprintf("%q", pattern) + ")"
	}
	Eval[bool](b, "("+script+", true)")
}

// let gives all answers that were kept back, and waits until the page has drawn them.
func (b *Tab) let() {
	b.t.Helper()
	Eval[bool](b, `(let_(), new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))))`)
}

// openWith opens a path in a tab that runs scripts before those of the page.
func (s *Server) openWith(t *testing.T, path string, scripts ...string) *Tab {
	t.Helper()
	tab := s.Tab(t)
	for _, script := range append([]string{slowly}, scripts...) {
		tab.before(script)
	}
	tab.signIn()
	tab.Go(path)
	return tab
}

// What came later stays, whichever answer is the last: of the conversation, and of what
// goes on in it.
func TestALateAnswerChangesNothingBack(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "one", told("one?", "The first answer.")...)
	// The test tells of statuses, and the page asks again only because it is told of a pin.
	tab := s.openWith(t, "/c/one", `(real => { window.EventSource = class extends real {
			addEventListener(name, told) { if (name === "status") globalThis.tells = told; else super.addEventListener(name, told) }
		} })(window.EventSource);
		(real => { window.setTimeout = (what, after, ...more) => real(what, after === 1000 ? 3600e3 : after, ...more) })(window.setTimeout)`)
	tab.Follows("one")
	tab.WaitText(".head", "3 entries")
	pin := func(method string) {
		t.Helper()
		if status, body := s.Call(method, "/api/conversations/one/pins/2", ""); status >= 300 {
			t.Fatalf("a pin: %d, %s", status, body)
		}
	}
	// A status that the stream tells of while the conversation is asked for.
	tab.hold("/api/conversations/one$")
	pin(http.MethodPut)
	tab.Wait(`held.length > 0`)
	Eval[bool](tab, `(tells(new MessageEvent("status", {data: JSON.stringify({status: {state: "ready", busy: false, tokens: 4242, window: 0, method: "estimate", compactions: 0, running: [], waiting: [], offers: []}})})), true)`)
	tab.WaitText(".head .context", "4,242")
	tab.let()
	tab.WaitText(".head", "4 entries")
	if got := tab.Text(".head .context"); !strings.Contains(got, "4,242") {
		t.Errorf("the context is %s", got)
	}
	// An answer that another one overtakes.
	pin(http.MethodDelete)
	tab.Wait(`held.length > 0`)
	tab.hold("")
	pin(http.MethodPut)
	tab.WaitText(".head", "6 entries")
	tab.let()
	if got := tab.Text(".head"); !strings.Contains(got, "6 entries") {
		t.Errorf("it goes back to %s", got)
	}
}

// Where the first answer is a refusal, one tries again and follows from then on; and what
// is refused is said once.
func TestTryingAgainFollows(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	one := s.Create("one", "", told("one?", "The first answer.")...)
	tab := s.openWith(t, "/c/one", `globalThis.fails = new RegExp("/api/conversations/one$")`)
	tab.WaitText(".problem", "more than 5 requests a second")
	if got := tab.Text(".problem"); strings.Count(got, "5 requests a second") != 1 {
		t.Errorf("it says %s", got)
	}
	tab.Click(".problem button")
	tab.Follows("Untitled conversation")
	tab.Wait(`!document.querySelector(".head .badge")`)
	if err := one.Append(t.Context(), told("two?", "The second answer.")...); err != nil {
		t.Fatal(err)
	}
	tab.WaitText("main", "The second answer.")
}

// A list that takes longer to come than it is polled comes all the same.
func TestASlowListComes(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "The first", told("one?", "The first answer.")...)
	tab := s.openWith(t, "/", `(real => { window.setInterval = (what, after, ...more) => real(what, after === 5000 ? 20 : after, ...more) })(window.setInterval);
		(real => { window.fetch = async (...args) => { const answer = await real(...args); await new Promise(go => setTimeout(go, 500)); return answer } })(window.fetch)`)
	tab.Wait(titles + ` === "The first"`)
}

// What is shown until an answer comes is what it was asked as.
func TestFiguresKeepTheirNamesUntilOthersCome(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	begin := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	s.Create("one", "Bread", spent("claude-haiku-4-5", false, 1_000_000, 100_000, begin)...)
	tab := s.openWith(t, "/money")
	tab.WaitText(".totals", "$1.50")
	tab.Wait(`!document.querySelector(".measuring")`)
	tab.hold("by=conversation")
	Eval[bool](tab, `(() => { const s = document.querySelector(".page select"); s.value = "conversation"; return s.dispatchEvent(new Event("change", {bubbles: true})) })()`)
	tab.Wait(`held.length > 0 && location.search === "?by=conversation"`)
	if got := Eval[string](tab, `document.querySelector("table.sheet").innerText + document.querySelectorAll("table.sheet a").length`); !strings.Contains(got, "Costs by day") || !strings.HasSuffix(got, "0") {
		t.Errorf("meanwhile it shows %s", got)
	}
	tab.hold("")
	tab.let()
	tab.WaitText("table.sheet caption", "Costs by conversation")
	tab.WaitText("table.sheet", "Bread")
	// Hits of the words before are not gone to.
	tab.Go("/search?q=request")
	tab.Wait(`document.querySelector("a.hit")`)
	tab.hold("/api/search")
	Eval[bool](tab, `(() => { const f = document.querySelector("input[type=search]"); f.focus(); f.value = "long"; return f.dispatchEvent(new Event("input", {bubbles: true})) })()`)
	tab.Keys(Enter)
	tab.Wait(`held.length > 0`)
	if Eval[bool](tab, `document.activeElement.matches("a.hit")`) {
		t.Error("Enter goes to a hit of other words")
	}
	tab.hold("")
	tab.let()
	tab.Wait(`document.querySelectorAll("mark").length && [...document.querySelectorAll("mark")].every(m => m.innerText === "long")`)
	tab.Keys(Enter)
	tab.Wait(`document.activeElement.matches("a.hit")`)
}

// What a person types while a message is on its way stays.
func TestWhatIsTypedMeanwhileStays(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	home := filepath.Join(s.Dir, "home", "tenfold")
	s.write(filepath.Join(home, "play.jsonl"), plays)
	s.Configure(fmt.Sprintf(talkative, "http://127.0.0.1:1"))
	s.Create("one", "one", told("one?", "The first answer.")...)
	tab := s.openWith(t, "/c/one")
	tab.Wait(`document.querySelector("#message") && document.querySelector(".chat button.primary")`)
	tab.Click("#message")
	tab.hold("/messages$")
	tab.Keys("Write." + Enter)
	tab.Wait(`held.length === 1`)
	tab.Keys(" And then?")
	tab.let()
	tab.WaitText(".question", "fs_create_file bread.md")
	if got := Eval[string](tab, `document.querySelector("#message").value`); got != "And then?" {
		t.Errorf("the box has %q", got)
	}
}

// Characters count as on the server, which tells whether there are more; what is missing
// because it was refused is told.
func TestCharactersCountOnce(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	long := strings.Repeat("\U0001F35E", 20_100)
	if _, err := s.Service.Create(t.Context(), session.Create{ID: "one", Title: "one", Entries: told("one?", long), Origin: store.Origin{Directory: "/home/\u202eme"}}); err != nil {
		t.Fatal(err)
	}
	tab := s.openWith(t, "/")
	tab.Wait(`document.querySelector(".con-project")`)
	if got := Eval[string](tab, `document.querySelector(".con-project").title`); got != `/home/\u202eme` {
		t.Errorf("what is shown over a project is %q", got)
	}
	tab.Go("/c/one/view?provider=anthropic")
	tab.Wait(`document.querySelectorAll(".sees .line .said").length === 2 && document.querySelectorAll(".sees .line .said")[1].innerText.length > 9`)
	Eval[bool](tab, `(globalThis.fails = new RegExp("/entries/3"), document.querySelectorAll(".sees .line .said")[1].click(), true)`)
	tab.WaitText(".whole .problem", "more than 5 requests a second")
	tab.Click(".whole .problem button")
	tab.Wait(`[...document.querySelector(".whole pre").textContent].length === 20100`)
	// The keys that scroll a text scroll it, and do not go through the list behind it.
	Eval[bool](tab, `(document.querySelector(".whole pre").focus(), true)`)
	tab.Keys(kb.ArrowUp)
	if !Eval[bool](tab, `document.querySelector(".sees .line.at").classList.contains("open")`) {
		t.Error("an arrow in a text goes through the list")
	}
	tab.Keys("k")
	tab.Wait(`!document.querySelector(".sees .line.at").classList.contains("open")`)
	tab.Go("/c/one#-5")
	tab.WaitText(".timeline", "one?")
	// The rows of a comparison.
	s.Run("conversation", "compact", "one", "--summary", "It was about bread.", "--to", "0")
	tab.before(`globalThis.fails = new RegExp("/compactions/all/rows")`)
	tab.Go("/c/one/compactions")
	tab.WaitText(".toast.bad", "more than 5 requests a second")
	tab.Bear("404")
	tab.Go("/c/one/compactions/no-such")
	tab.Wait(`document.querySelector(".chosen .problem")`)
	if got := tab.Text(".chosen h2"); strings.Contains(got, "All") {
		t.Errorf("a compaction that there is not is %q", got)
	}
}

// What the server offers is asked for until it says so.
func TestWhatTheServerOffersIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "one", told("one?", "The first answer.")...)
	tab := s.openWith(t, "/c/one/view", `globalThis.fails = new RegExp("/api/meta")`)
	tab.WaitText(".toast.bad", "more than 5 requests a second")
	tab.WaitText("main", "The first answer.")
}

// A measurement that ends early says why, whatever it has measured by then.
func TestWhyAMeasurementEndedEarly(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "one", told("one?", "The first answer.")...)
	tab := s.openWith(t, "/c/one/lab", `(real => { window.fetch = (to, ...more) => /\/lab$/.test(to) ? Promise.resolve(new Response(
		'event: point\ndata: {"strategy":"fit:target=10%","family":"fit","share":0.1,"cur":0.5,"edr":null,"baseline":false,"sessions":1}\n\nevent: done\ndata: {"sessions":1,"skipped":0,"error":"the store was closed"}\n\n')) : real(to, ...more) })(window.fetch)`)
	tab.WaitText(".lab table", "10%")
	tab.WaitText(".lab .problem", "The measurement ended early: the store was closed")
}
