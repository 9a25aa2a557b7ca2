package transcript

import (
	"bytes"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
)

// P4, P10: of a conversation that a summary in the system prompt stands for
// altogether each format keeps the summary, and where a model would be sent it
// there is a message of the user's; also where a prompt and a turn stand beside it.
func TestP4ASummaryInTheSystemPromptIsInEveryFormat(t *testing.T) {
	const words = "The dough was made and baked."
	system := "You bake.\n\n"
	for name, test := range map[string]struct {
		entries []tenfold.Entry
		more    string
	}{
		"all of it":      {nil, ""},
		"with a prompt":  {[]tenfold.Entry{{ID: "s", Payload: tenfold.ConfigDelta{Model: "m", System: &system}}}, ""},
		"with more said": {[]tenfold.Entry{{ID: "s", Payload: tenfold.ConfigDelta{Model: "m", System: &system}}}, "and now buns"},
	} {
		l := tenfold.NewLog()
		entries := append(
			test.entries,
			tenfold.Entry{ID: "t", Payload: tenfold.TurnStart{}}, tenfold.Entry{ID: "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("bake")}},
			tenfold.Entry{ID: "a", Payload: tenfold.AssistantMessage{Text: "it is baked"}},
			tenfold.Entry{ID: "o", Payload: tenfold.Compaction{Summary: &tenfold.Summary{Text: words, Placement: tenfold.PlaceSystem}}},
		)
		if test.more != "" {
			entries = append(entries, tenfold.Entry{ID: "t2", Payload: tenfold.TurnStart{}}, tenfold.Entry{ID: "u2", Payload: tenfold.UserMessage{Parts: tenfold.Text(test.more)}})
		}
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		p := tenfold.Project(l)
		bodies := map[string]body.Profile{}
		for _, f := range body.Profiles() {
			bodies[f.Name] = f
		}
		for _, f := range Formats() {
			if !f.Export {
				continue
			}
			var out bytes.Buffer
			warnings, err := Export(&out, f.Format, View{Conversation: Conversation{ID: "c"}, Projection: p, Compacted: true})
			if err != nil {
				t.Fatalf("%s, %s: %v", name, f.Format, err)
			}
			if n := strings.Count(out.String(), words); n != 1 {
				t.Errorf("%s, %s: the summary is there %d times (%v):\n%s", name, f.Format, n, warnings, out.String())
			}
			if strings.Contains(out.String(), "it is baked") && f.Format != Tenfold {
				t.Errorf("%s, %s: what the summary stands for is there:\n%s", name, f.Format, out.String())
			}
			if !strings.Contains(out.String(), test.more) {
				t.Errorf("%s, %s: what was said after it is lost", name, f.Format)
			}
			if profile, ok := bodies[string(f.Format)]; ok {
				for _, v := range profile.Check(bytes.TrimSpace(out.Bytes())) {
					t.Errorf("%s, %s: %s", name, f.Format, v)
				}
			}
		}
	}
}
