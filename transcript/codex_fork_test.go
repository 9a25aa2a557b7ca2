package transcript

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tenfold"
	"tenfold/transcript/internal/claudecode"
	"tenfold/transcript/internal/codex"
)

const (
	forkOne   = "01a204df-640e-7e93-b241-d91d1a3057f1"
	forkTwo   = "01a204df-640e-7e93-b241-d91d1a3057f2"
	forkThree = "01a204df-640e-7e93-b241-d91d1a3057f3"
)

// rolloutOf is a rollout whose lines have the ordinals from first on; base names
// the session before.
func rolloutOf(id, base, first string, said ...string) string {
	if base != "" {
		base = `,"history_base":{"thread_id":"` + base + `","end_ordinal_exclusive":` + first + `,"end_byte_offset":7}`
	}
	at, _ := codex.WholeNumber([]byte(first))
	line := func(typ, payload string) string {
		at++
		return `{"timestamp":"2026-01-01T00:00:00.` + claudecode.Decimal(100+at) + `Z","ordinal":` + claudecode.Decimal(at-1) + `,"type":"` + typ + `","payload":` + payload + "}\n"
	}
	text := line("session_meta", `{"id":"`+id+`"`+base+`,"cwd":"/demo"}`)
	for _, s := range said {
		text += line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+s+`"}]}`)
	}
	return text
}

// A forked session begins with what the one before said until then.
func TestCodexForks(t *testing.T) {
	one := rolloutOf(forkOne, "", "0", "a", "b", "after the fork")
	two := rolloutOf(forkTwo, forkOne, "3", "c", "after that")
	three := rolloutOf(forkThree, forkTwo, "5", "d")
	beside := fstest.MapFS{
		"2026/01/01/rollout-2026-01-01T00-00-00-" + forkOne + ".jsonl": {Data: []byte(one)},
		"2026/01/02/rollout-2026-01-02T00-00-00-" + forkTwo + ".jsonl": {Data: []byte(two)},
	}
	got, err := importOf(t, Source{Name: "rollout.jsonl", Reader: strings.NewReader(three), Size: int64(len(three)), Siblings: beside})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"user|a", "user|b", "user|c", "user|d"}
	if said := allSaid(t, got); got.ID != forkThree || !slices.Equal(said, want) || len(got.Warnings) > 0 {
		t.Errorf("%s says %q, %q", got.ID, said, got.Warnings)
	}
	// The whole export needs no other rollout.
	text, _ := exportText(t, Codex, got, false)
	again, err := importText(t, "rollout.jsonl", string(text))
	if err != nil {
		t.Fatal(err)
	}
	sameLog(t, again, got)
	if strings.Contains(string(text), "history_base") {
		t.Error("it still names another rollout")
	}
}

// A copy of a session that goes on elsewhere has an id of its own, for Codex finds
// sessions by that, and its lines are numbered on: Codex resumes nothing else.
func TestCodexTakesACopyBack(t *testing.T) {
	original := rolloutOf(forkOne, "", "0", "a", "b")
	got, err := importText(t, "rollout.jsonl", original)
	if err != nil {
		t.Fatal(err)
	}
	entries := slices.Clone(got.Entries)
	say := func(id, text string) {
		entries = append(entries, tenfold.Entry{ID: id, Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}})
	}
	say("x1", "c")
	more, err := importText(t, "rollout.jsonl", rolloutOf(forkOne, "", "2", "b", "d")) // as if Codex had gone on with it
	if err != nil {
		t.Fatal(err)
	}
	last := more.Entries[len(more.Entries)-1]
	last.ID, last.Seq = "x2", 0
	entries = append(entries, last)
	say("x3", "e")
	for _, copied := range []bool{true, false} {
		var b bytes.Buffer
		view := View{Conversation: got.Conversation, Projection: projected(t, entries), Copied: copied}
		view.ID = forkTwo
		if _, err := Export(&b, Codex, view); err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{true: forkTwo, false: forkOne}[copied]
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if rest := strings.Replace(lines[0], want, forkOne, 1); rest != strings.Split(original, "\n")[0] {
			t.Errorf("it begins with %s", lines[0])
		}
		for i, line := range lines {
			if !strings.Contains(line, `"ordinal":`+claudecode.Decimal(int64(i))+`,`) {
				t.Errorf("line %d is %s", i, line)
			}
		}
		again, err := importText(t, "rollout.jsonl", b.String())
		if err != nil {
			t.Fatal(err)
		}
		if said := allSaid(t, again); again.ID != want || !slices.Equal(said, []string{"user|a", "user|b", "user|c", "user|d", "user|e"}) {
			t.Errorf("%s says %q", again.ID, said)
		}
	}
}

// What came before is missed where its rollout is not there, or leads in a
// circle.
func TestCodexForksOfNothing(t *testing.T) {
	three := rolloutOf(forkThree, forkTwo, "5", "d")
	circle := fstest.MapFS{
		"rollout-x-" + forkTwo + ".jsonl":   {Data: []byte(rolloutOf(forkTwo, forkThree, "9", "c"))},
		"rollout-x-" + forkThree + ".jsonl": {Data: []byte(three)},
	}
	for name, beside := range map[string]fstest.MapFS{"nothing": nil, "a circle": circle} {
		src := Source{Name: "rollout.jsonl", Reader: strings.NewReader(three), Size: int64(len(three))}
		if beside != nil {
			src.Siblings = beside
		}
		got, err := importOf(t, src)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "the earlier part is missing") {
			t.Errorf("%s: %q", name, got.Warnings)
		}
	}
}

func TestRolloutRoot(t *testing.T) {
	for path, want := range map[string]string{
		"/h/.codex/sessions/2026/01/02/rollout-x.jsonl": "/h/.codex/sessions",
		"/h/2026/01/rollout-x.jsonl":                    "",
		"/h/2026/01/aa/rollout-x.jsonl":                 "",
		"/h/2026/01/02/x.jsonl":                         "",
		"rollout-x.jsonl":                               "",
	} {
		if got, _ := rolloutRoot(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}
