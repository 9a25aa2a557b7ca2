package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tenfold"
)

// talkative has the agent play a script, and summaries written by a model at an address.
const talkative = `
[model]
name = "play/one"
[providers.play]
type = "script"
file = "play.jsonl"
[providers.slow]
base_url = %q
[models."play/one"]
context_window = 50000
[conversation.compaction]
keep_last = 1
keep_tokens = "off"
summarizer_model = "slow/one"
[conversation.compaction.auto]
strategy = "summarize"
fallback = "none"
`

const plays = `{"text":"I write it down.","calls":[{"id":"c1","name":"fs_create_file","arguments":{"path":"bread.md","content":"# Rye"}}],"usage":{"input":2000,"output":20}}
{"text":"Done: bread.md is there.","usage":{"input":2100,"output":12}}
{"text":"Let me think about wheat as well","chunk":4,"at":5,"hang":true}
{"text":"Wheat is another matter.","usage":{"input":2200,"output":12}}
{"error":{"kind":"authentication","message":"the key is not valid"}}
{"text":"Back again.","usage":{"input":2300,"output":12}}
`

// One talks to the agent, in two tabs that show the same: what it writes, what it asks
// and is answered, how it is stopped and goes on, what fails, and that nothing can be
// sent while the conversation is compacted.
func TestOneTalksToTheAgent(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	home := filepath.Join(s.Dir, "home", "tenfold")
	s.write(filepath.Join(home, "play.jsonl"), plays)
	answers := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-answers
		http.Error(w, `{"error":{"message":"no summary today"}}`, http.StatusBadRequest)
	}))
	answer := sync.OnceFunc(func() { close(answers) })
	t.Cleanup(func() { answer(); slow.Close() })
	s.Configure(fmt.Sprintf(talkative, slow.URL))
	var entries []tenfold.Entry
	for i := range 5 {
		entries = append(
			entries, tenfold.Entry{Payload: tenfold.TurnStart{}},
			tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("How is bread %d baked?", i))}},
			tenfold.Entry{Payload: tenfold.AssistantMessage{Text: strings.Repeat("It proves overnight and bakes for an hour. ", 40)}},
		)
	}
	s.Create("bread", "Bread", entries...)
	one, two := s.Open(t, "/c/bread"), s.Open(t, "/c/bread")
	both := []*Tab{one, two}
	say := func(text string) {
		one.Wait(`document.querySelector(".chat button.primary")`) // it can be sent
		one.Click("#message")
		one.Keys(text + Enter)
	}
	button := func(b *Tab, words string) {
		b.Wait(fmt.Sprintf(`[...document.querySelectorAll(".live button")].find(x => x.innerText == %q && !x.disabled)`, words))
		Eval[bool](b, fmt.Sprintf(`[...document.querySelectorAll(".live button")].find(x => x.innerText == %q).click() ?? true`, words))
	}
	Eval[bool](two, `[...document.querySelectorAll("button")].find(x => x.innerText.includes("End")).click() ?? true`) // one follows what it sends
	shows := func(text string) {
		for _, b := range both {
			b.WaitText("main", text)
		}
	}

	say("Write about bread.")
	for _, b := range both {
		b.WaitText(".question", "fs_create_file bread.md")
		b.WaitText(".question", "# Rye")
	}
	one.Accessible()
	one.Pictures("live-question")
	if _, err := os.Stat(filepath.Join(s.Dir, "bread.md")); err == nil {
		t.Error("the file is written before it is allowed")
	}
	button(two, "Allow once")
	shows("Done: bread.md is there.")
	for _, b := range both {
		b.Wait(`!document.querySelector(".question")`)
	}
	if text, err := os.ReadFile(filepath.Join(s.Dir, "bread.md")); err != nil || string(text) != "# Rye" {
		t.Errorf("%q, %v", text, err)
	}

	say("And wheat?")
	for _, b := range both {
		b.WaitText(".live .writing", "Let me think about")
	}
	one.Pictures("live-writing")
	button(two, "Stop")
	shows("You stopped it.")
	button(one, "Go on")
	shows("Wheat is another matter.")

	say("Once more.")
	shows("the key is not valid")
	one.Pictures("live-failed")
	button(two, "Retry")
	shows("Back again.")

	button(one, "Compact now")
	for _, b := range both {
		b.WaitText(".live .compacting", "Compacting the conversation")
		b.Wait(`document.querySelector("#message").disabled`)
	}
	answer()
	shows("no summary today")
	one.Accessible()
	one.Pictures("live-not-compacted")
	for _, words := range []string{"Retry compaction", "Continue", "New session"} {
		two.WaitText(".live .trouble", words)
	}
	button(two, "New session")
	two.Wait(`location.pathname.startsWith("/c/") && location.pathname != "/c/bread"`)
	two.Wait(`document.querySelector("#message") && !document.querySelector("#message").disabled`)
}
