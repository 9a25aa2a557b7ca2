package logtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tenfold"
)

// Long makes n entries of an agent at work: turns of a request, some forty
// steps of reasoning, a call and its result, and an answer. Token counts are
// set. The same n gives the same entries.
func Long(n int) []tenfold.Entry {
	w := worker{random: 1, entries: make([]tenfold.Entry, 0, n+4)}
	for len(w.entries) < n {
		w.turn()
	}
	return w.entries[:n]
}

type worker struct {
	random  uint64
	entries []tenfold.Entry
	step    int
}

// next gives numbers without any order to the eye, the same every time.
func (w *worker) next(below int) int {
	w.random = w.random*6364136223846793005 + 1442695040888963407
	return int(w.random>>33) % below
}

func (w *worker) add(message string, p tenfold.Payload) {
	n := len(w.entries)
	e := tenfold.Entry{
		ID: fmt.Sprintf("0198c0de-%04x-7000-8000-%012x", n>>16, n), MessageID: message,
		Time: time.Unix(1_750_000_000+int64(n), 0).UTC(), Payload: p,
	}
	e.Tokens = tenfold.CountPayload(tenfold.Chars4{}, p)
	w.entries = append(w.entries, e)
}

var words = strings.Fields(`func return error value range index buffer token entry overlay summary turn step
	the a to of in for with when after before test build file line path name read write check if else`)

func (w *worker) text(length int) string {
	var b strings.Builder
	for b.Len() < length {
		b.WriteString(words[w.next(len(words))])
		if w.next(9) == 0 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return strings.Clone(b.String()) // without what the builder left over, which T9 would count
}

func (w *worker) turn() {
	w.add("", tenfold.TurnStart{})
	w.add("", tenfold.UserMessage{Parts: tenfold.Text(w.text(80 + w.next(200)))})
	for range 20 + w.next(40) {
		w.step++
		message := fmt.Sprintf("msg_%08x", w.step)
		if w.next(3) == 0 {
			w.add(message, tenfold.Reasoning{Text: w.text(60 + w.next(200)), Provider: "anthropic", Signature: "c2lnbmVk"})
		}
		id := fmt.Sprintf("toolu_%08x", w.step)
		name := [...]string{"Read", "Bash", "Grep", "Edit"}[w.next(4)]
		w.add(message, tenfold.ToolCall{CallID: id, Name: name, Arguments: `{"path":"` + strings.ReplaceAll(w.text(20), "\n", " ") + `"}`})
		w.add("", tenfold.ToolResult{CallID: id, Parts: tenfold.Text(w.text(50 + w.next(700))), IsError: w.next(20) == 0})
	}
	w.add("msg_end", tenfold.AssistantMessage{Text: w.text(100 + w.next(300))})
}

// Repeated gives, by name, logs of about n entries that repeat one thing: what
// grows with how often something is there, rather than with what a log holds,
// shows in them.
func Repeated(n int) map[string][]tenfold.Entry {
	call := func(id, arguments string) tenfold.Entry {
		return tenfold.Entry{Payload: tenfold.ToolCall{CallID: id, Name: "Read", Arguments: arguments}}
	}
	result := func(id, text string) tenfold.Entry {
		return tenfold.Entry{Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text)}}
	}
	begin := []tenfold.Entry{
		{ID: "turn", Payload: tenfold.TurnStart{}},
		{ID: "request", Payload: tenfold.UserMessage{Parts: tenfold.Text("Read it.")}},
		call("first", `{"path":"main.go"}`), result("first", "package main"),
	}
	last := 0
	all := map[string][]tenfold.Entry{}
	for name, each := range map[string]func(i int) []tenfold.Entry{
		"calls of one id": func(int) []tenfold.Entry { return []tenfold.Entry{call("c", `{}`), result("c", "x")} },
		"open calls":      func(int) []tenfold.Entry { return []tenfold.Entry{call("c", `{}`)} },
		"results alone":   func(int) []tenfold.Entry { return []tenfold.Entry{result("c", "x")} },
		"reads of a file": func(i int) []tenfold.Entry {
			id := fmt.Sprint("c", i)
			return []tenfold.Entry{call(id, `{"path":"`+longPath+`"}`), result(id, "one\ntwo\nthree")}
		},
		"messages": func(int) []tenfold.Entry {
			return []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: &tenfold.UserMessage{Parts: tenfold.Text("\u2003yes\u200b")}}}
		},
		"entries of one id": func(int) []tenfold.Entry {
			return []tenfold.Entry{{ID: "e", Payload: tenfold.AssistantMessage{Text: "yes"}}}
		},
		"overlays": func(i int) []tenfold.Entry {
			return []tenfold.Entry{{ID: fmt.Sprint("o", i), Payload: tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}}}
		},
		"summaries": func(i int) []tenfold.Entry {
			return []tenfold.Entry{{ID: fmt.Sprint("o", i), Payload: &tenfold.Compaction{Summary: &tenfold.Summary{Text: "It was read."}}}}
		},
		"overlays and undoings": func(i int) []tenfold.Entry {
			id := fmt.Sprint("o", i)
			return []tenfold.Entry{{ID: id, Payload: tenfold.Compaction{Turns: tenfold.Omit}}, {Payload: tenfold.CompactionRevoked{Target: id}}}
		},
		"undoings of undoings": func(i int) []tenfold.Entry {
			if i == 0 {
				return []tenfold.Entry{{ID: "u0", Payload: tenfold.Compaction{Turns: tenfold.Omit}}}
			}
			return []tenfold.Entry{{ID: fmt.Sprint("u", i), Payload: tenfold.CompactionRevoked{Target: fmt.Sprint("u", i-1)}}}
		},
		"pins": func(int) []tenfold.Entry {
			return []tenfold.Entry{{Payload: tenfold.Pin{Entries: []string{"request"}}}}
		},
	} {
		entries := slices.Clone(begin)
		for i := 0; len(entries) < n; i++ {
			entries = append(entries, each(i)...)
		}
		for i := range entries {
			if entries[i].ID == "" {
				last++
				entries[i].ID = fmt.Sprint("n", last)
			}
		}
		all[name] = entries
	}
	return all
}
