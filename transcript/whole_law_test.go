package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/corpustest"
)

// losses are the words of a warning that owns up to the loss of an aspect.
var losses = map[string]*regexp.Regexp{
	"user":       regexp.MustCompile(`message`),
	"mark":       regexp.MustCompile(`no person|role`),
	"assistant":  regexp.MustCompile(`message|answer`),
	"call":       regexp.MustCompile(`call`),
	"result":     regexp.MustCompile(`result`),
	"error":      regexp.MustCompile(`result`),
	"file":       files,
	"reasoning":  regexp.MustCompile(`reasoning`),
	"item":       regexp.MustCompile(`item|block`),
	"compaction": regexp.MustCompile(`compaction|no person`), // more turns, so others cover
	"branch":     branches,
	"system":     regexp.MustCompile(`system|configuration`),
	"time":       regexp.MustCompile(`time|joined|results? without`),
}

var (
	files    = regexp.MustCompile(`file|image`)
	branches = regexp.MustCompile(`branch|sub-agent`)
)

// An aspect is something of a log that is to come back, of one kind.
type aspect struct{ kind, text string }

// aspects lists what a log says, without ids and the ways in which formats
// group it. What the warnings name as a whole is left out: sub-agents, and
// messages that hold files.
func aspects(entries []tenfold.Entry, warnings string) []aspect {
	var list []aspect
	add := func(kind, text string) {
		if text = strings.Join(strings.Fields(text), ""); text != "" {
			list = append(list, aspect{kind, text})
		}
	}
	parts := func(kind string, all []tenfold.Part) {
		if files.MatchString(warnings) && slices.ContainsFunc(all, func(p tenfold.Part) bool { return p.File != nil }) {
			return
		}
		var text strings.Builder
		for _, p := range all {
			if p.File != nil {
				add("file", "a file")
			}
			text.WriteString(p.Text)
		}
		add(kind, text.String())
	}
	for _, e := range entries {
		if e.Branch != "" && branches.MatchString(warnings) {
			continue
		}
		n := len(list)
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			parts("user", p.Parts)
			if p.Synthetic && len(list) > n {
				add("mark", list[len(list)-1].text)
			}
		case tenfold.AssistantMessage:
			add("assistant", p.Text)
		case tenfold.Reasoning:
			add("reasoning", p.Text+fmt.Sprint(" ", p.Signature != "", p.Encrypted))
		case tenfold.ToolCall:
			add("call", p.Name+" "+sameJSON(p.Arguments))
		case tenfold.ToolResult:
			parts("result", p.Parts)
			if p.IsError {
				add("error", "failed")
			}
		case tenfold.ProviderItem:
			add("item", sameJSON(p.Data))
		case tenfold.Compaction:
			add("compaction", fmt.Sprint(p.FromTurn, p.ToTurn, p.Summary != nil, p.Reasoning, p.ToolCalls, p.Texts, p.Turns))
		case tenfold.ConfigDelta:
			if p.System != nil {
				add("system", *p.System)
			}
		}
		if len(list) == n {
			continue
		}
		if e.Branch != "" {
			add("branch", list[n].text)
		}
		if kind := list[n].kind; (kind == "user" || kind == "result") && !e.Time.IsZero() {
			add("time", e.Time.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano))
		}
	}
	return list
}

// sameJSON brings JSON into one form.
func sameJSON(text string) string {
	var v any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return text
	}
	return fmt.Sprint(v)
}

// missing lists what of the one is not in the other, of each kind.
func missing(want, got []aspect) map[string][]string {
	have := map[aspect]int{}
	for _, a := range got {
		have[a]++
	}
	lost := map[string][]string{}
	for _, a := range want {
		if have[a] == 0 {
			lost[a.kind] = append(lost[a.kind], a.text)
			continue
		}
		have[a]--
	}
	return lost
}

// root gives the entries of the root: agents that work side by side have no
// order among each other.
func root(entries []tenfold.Entry) []tenfold.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e tenfold.Entry) bool { return e.Branch != "" })
}

// inBoth gives what was said that is in the other list as well, in its order.
// Results in a row are in any: they may stand in the order of their calls.
func inBoth(list, other []aspect) []aspect {
	have := map[aspect]int{}
	for _, a := range other {
		have[a]++
	}
	var both []aspect
	for _, a := range list {
		if have[a] > 0 && slices.Contains([]string{"user", "assistant", "call", "result"}, a.kind) {
			have[a]--
			both = append(both, a)
		}
	}
	for i := 0; i < len(both); {
		n := i
		for n < len(both) && both[n].kind == "result" {
			n++
		}
		slices.SortFunc(both[i:n], func(a, b aspect) int { return strings.Compare(a.text, b.text) })
		i = max(n, i+1)
	}
	return both
}

// handedOn exports a whole conversation to a format, imports that again, and
// holds that everything is there or named in a warning.
func handedOn(tb testing.TB, to Format, got Collected) {
	tb.Helper()
	if to == got.Format && to != GeminiCLI {
		return // comes back as an equal log: each format has a test of that
	}
	if !slices.ContainsFunc(got.Entries, func(e tenfold.Entry) bool { return e.Payload.Kind().Visible() }) {
		return // nothing is said: a file of that is not a session
	}
	var text bytes.Buffer
	log := tenfold.NewLog()
	if _, err := log.Append(got.Entries...); err != nil {
		tb.Fatal(err)
	}
	warnings, err := Export(&text, to, View{Conversation: got.Conversation, Projection: tenfold.Project(log)})
	if err != nil {
		tb.Errorf("%s: %v", to, err)
		return
	}
	var k Collector
	src := Source{Name: got.ID + extension(to), Reader: bytes.NewReader(text.Bytes()), Size: int64(text.Len())}
	if err := Import(context.Background(), src, to, &k); err != nil {
		tb.Errorf("%s: import again: %v", to, err)
		return
	}
	var again []tenfold.Entry
	for _, c := range k.Conversations {
		again = append(again, c.Entries...)
	}
	said := strings.Join(warnings, "\n")
	before, after := aspects(got.Entries, said), aspects(again, said)
	for kind, texts := range missing(before, after) {
		if !losses[kind].MatchString(said) {
			tb.Errorf("%s to %s: %d of kind %s lost without a word: %.200q; the warnings are %q", got.Format, to, len(texts), kind, texts[0], warnings)
		}
	}
	if strings.Contains(said, "that a model sees after") {
		return // what a compaction leaves is written again, as its history
	}
	mine, theirs := aspects(root(got.Entries), said), aspects(root(again), said)
	if a, b := inBoth(mine, theirs), inBoth(theirs, mine); !slices.Equal(a, b) && !strings.Contains(said, "joined") {
		i := 0
		for i < len(a) && i < len(b) && a[i] == b[i] {
			i++
		}
		tb.Errorf("%s to %s: another order from %d of %d on: %.150q, was %.150q; the warnings are %q", got.Format, to, i, len(a), b[i:], a[i:], warnings)
	}
	for kind, texts := range missing(after, before) {
		if files.MatchString(said) && (kind == "user" || kind == "result") {
			continue // the names of files in their place
		}
		if !mayCome(kind, texts) && !losses[kind].MatchString(said) {
			tb.Errorf("%s to %s: %d of kind %s come without a word: %.200q; the warnings are %q", got.Format, to, len(texts), kind, texts[0], warnings)
		}
	}
}

// mayCome reports whether an export may add something by itself: what answers a
// call that has no result, which clients want, and what marks a beginning.
func mayCome(kind string, texts []string) bool {
	switch kind {
	case "time", "error", "mark":
		return true
	}
	for _, text := range texts {
		if text != "Toolcallwasinterrupted." && text != "[Conversationcontinues]" && text != "[Theworkgoeson]" {
			return false
		}
	}
	return true
}

func extension(f Format) string {
	switch f {
	case OpenCode, JP:
		return ".json"
	}
	return ".jsonl"
}

// sessionFormats are those that clients go on with.
var sessionFormats = []Format{ClaudeCode, Codex, OpenCode, Pi, GeminiCLI, JP, Tenfold}

// Law: what is exported whole comes back whole, or a warning names what does not.
func TestSamplesComeBackWhole(t *testing.T) {
	for _, w := range samples(t, "") {
		all, err := w.read(w.data, w.format)
		if err != nil {
			continue // damaged on purpose
		}
		t.Run(w.path, func(t *testing.T) {
			for _, got := range all {
				for _, to := range sessionFormats {
					handedOn(t, to, got)
				}
			}
		})
	}
}

// The law of TestSamplesComeBackWhole over the corpus.
func TestCorpusComesBackWhole(t *testing.T) {
	for i, file := range corpustest.Sample(corpustest.Files(t)) {
		if !corpustest.All() && i%5 > 0 {
			continue // six exports and imports of each
		}
		t.Run(file.Name, func(t *testing.T) {
			f, err := Open(file.Path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			var k Collector
			if Import(context.Background(), f.Source, "", &k) != nil {
				return // no conversation: TestCorpus says which
			}
			for _, got := range k.Conversations {
				for _, to := range sessionFormats {
					handedOn(t, to, got)
				}
			}
		})
	}
}

// A compaction that was undone is in no whole export.
func TestSamplesWholeAfterUndo(t *testing.T) {
	for _, w := range samples(t, "") {
		all, err := w.read(w.data, w.format)
		if err != nil {
			continue // damaged on purpose
		}
		for _, got := range all {
			undone := got
			undone.Entries = append(slices.Clone(got.Entries),
				tenfold.Entry{ID: "c", Payload: tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}},
				tenfold.Entry{ID: "r", Payload: tenfold.CompactionRevoked{Target: "c"}})
			for _, to := range sessionFormats {
				if to == Tenfold {
					continue // it keeps both
				}
				want, _ := exportText(t, to, got, false)
				if have, _ := exportText(t, to, undone, false); string(have) != string(want) {
					t.Errorf("%s to %s: the undone compaction adds\n%.300s", w.path, to, strings.TrimPrefix(string(have), string(want)))
				}
			}
		}
	}
}
