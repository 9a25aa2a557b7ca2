package browser

import (
	"strings"
	"testing"

	"tenfold/internal/logtest"
	"tenfold/session"
)

// What stands on a page whose conversation was deleted elsewhere is of the past, and
// the page says so, whichever view it shows.
func TestADeletedConversationSaysSo(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "one", told("one?", "The only answer.")...)
	timeline, compactions := s.Open(t, "/c/one"), s.Open(t, "/c/one/compactions")
	timeline.WaitText(".timeline", "The only answer.")
	compactions.WaitText("main", "Nothing is compacted yet")
	for _, tab := range []*Tab{timeline, compactions} {
		tab.Bear("404")
		tab.Follows("one")
	}
	s.Run("conversation", "rm", "one", "--yes")
	for _, tab := range []*Tab{timeline, compactions} {
		tab.WaitText(".lost", "This conversation was deleted.")
	}
	timeline.WaitText(".timeline", "The only answer.") // it can still be read
}

// Without a file for its token a server that starts again knows no browser: the page
// that is open says what to do.
func TestAPageIsSignedOutByARestart(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "one", told("one?", "The only answer.")...)
	tab := s.Open(t, "/c/one")
	tab.Bear("")
	tab.WaitText(".timeline", "The only answer.")
	tab.Follows("one")
	s.Stop()
	s.Start()
	tab.WaitText(".lost", "What you see may be out of date.")
	tab.WaitText(".lost", "not signed in")
	tab.signIn()
	tab.Wait(`!document.querySelector(".lost")`)
}

// Of two conversations with one id a page shows the one that there is, and nothing of
// the other, even where both are of one length.
func TestAReplacedConversationIsShownAlone(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "one", told("one?", "The first answer.")...)
	tab := s.Open(t, "/c/one")
	tab.Bear("404")
	tab.Bear("409")
	tab.WaitText(".timeline", "The first answer.")
	tab.Follows("one")
	s.Run("conversation", "rm", "one", "--yes")
	s.Create("one", "one", told("two?", "Another answer.")...)
	tab.WaitText(".timeline", "Another answer.")
	if text := tab.Text("main"); strings.Contains(text, "The first answer.") {
		t.Errorf("the page shows both: %s", text)
	}
}

// A browser sends a request again whose connection broke. What was done by the first
// is not told to be undone by the second.
func TestACompactionThatIsSentTwiceIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	c := s.Create("one", "A long day", logtest.Long(400)...)
	tab := s.Open(t, "/c/one/compactions/try")
	Eval[bool](tab, `(send => (window.fetch = (to, how) => how?.method === "POST" && to.endsWith("/compactions") ? send(to, how).then(() => send(to, how)) : send(to, how), true))(fetch)`)
	press(tab, ".result", "Compact")
	press(tab, "dialog[open]", "Compact")
	tab.WaitText(".toasts", "Compacted: a model now sees")
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := 0
	for range c.Projection().Overlays() {
		made++
	}
	if made != 1 {
		t.Errorf("%d compactions were made", made)
	}
}

// What was compacted while somebody was asked about an undo was not shown, and is not
// undone.
func TestAnUndoFromTheTimelineIsOfWhatWasShown(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	c := s.Create("bread", "Bread", baking(8)...)
	compact := func(last string) {
		s.Run("conversation", "compact", "bread", "--from", "0", "--to", last, "--strategy", "sliding-window:n=1")
	}
	compact("3")
	tab := s.Open(t, "/c/bread#2")
	tab.Bear("409")
	tab.Wait(active + `?.querySelector(".fate")?.textContent === "×omitted"`)
	tab.Follows("Bread")
	tab.WaitText("main", "1 compaction") // what there is to undo is asked for beside the timeline
	tab.Keys("u")
	tab.WaitText("dialog", "Undo the last compaction?")
	compact("6")
	tab.Click("dialog .primary")
	tab.WaitText(".toasts", "nothing was written")
	if live := overlaysInEffect(t, c); live != 2 {
		t.Errorf("%d compactions are in effect", live)
	}
}

func overlaysInEffect(t *testing.T, c *session.Session) (n int) {
	t.Helper()
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for o := range c.Projection().Overlays() {
		if o.Live {
			n++
		}
	}
	return n
}

// A connection may have ended without a word while the machine slept: the page makes it
// anew when it wakes.
func TestAPageThatSleptListensAgain(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "one", told("one?", "The only answer.")...)
	tab := s.Open(t, "/c/one")
	tab.WaitText(".timeline", "The only answer.")
	tab.Follows("one")
	tab.Wait(`!document.querySelector(".head").innerText.includes("not live")`)
	Eval[bool](tab, `(real => (window.EventSource = class extends real { constructor(to) { super(to); window.streams = (window.streams ?? 0) + 1; } }, true))(EventSource)`)
	Eval[bool](tab, `(real => (Date.now = () => real() + 3600e3, true))(Date.now)`)
	tab.Wait(`window.streams > 0`)
	tab.Wait(`!document.querySelector(".head").innerText.includes("not live")`)
}

// A question that nobody answers is asked again: the page does not wait for ever.
func TestAnAnswerThatNeverComes(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	one := s.Create("one", "one", told("one?", "The first answer.")...)
	tab := s.Open(t, "/c/one")
	tab.WaitText(".timeline", "The first answer.")
	tab.Follows("one")
	Eval[bool](tab, `(real => (AbortSignal.timeout = long => real.call(AbortSignal, window.hung ? long : 500), true))(AbortSignal.timeout)`)
	Eval[bool](tab, `(send => (window.fetch = (to, how) => to.includes("/outline") && !window.hung ? new Promise((_, fail) => (window.hung = true, how.signal?.addEventListener("abort", () => fail(how.signal.reason)))) : send(to, how), true))(fetch)`)
	if err := one.Append(t.Context(), told("two?", "The second answer.")...); err != nil {
		t.Fatal(err)
	}
	tab.Wait(`window.hung`)
	tab.WaitText(".timeline", "The second answer.")
}

// A search that failed found nothing out, and says nothing of what was said.
func TestASearchThatFailedSaysNoMore(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "one", told("one?", "The only answer.")...)
	tab := s.Open(t, "/search")
	Eval[bool](tab, `(send => (window.fetch = (to, how) => to.startsWith("/api/search") ? Promise.reject(new Error("away")) : send(to, how), true))(fetch)`)
	tab.Keys("only answer")
	tab.WaitText("main", "The server does not answer.")
	if text := tab.Text("main"); strings.Contains(text, "Nothing was said") {
		t.Errorf("the page says %s", text)
	}
}
