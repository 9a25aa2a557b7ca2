package transcript

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/transcript/internal/jp"
)

// jpIndexes gives the turn of each event as JP counts: a turn_start opens one
// where the turn under way holds an event already; changes of the configuration
// and compactions are not events.
func jpIndexes(types []string) []int {
	turns := make([]int, len(types))
	turn, holds := 0, false
	for i, typ := range types {
		if typ != "config_delta" && typ != "compaction" {
			if typ == "turn_start" && holds {
				turn++
			}
			holds = true
		}
		turns[i] = turn
	}
	return turns
}

// An imported compaction covers the events that it covered in JP, wherever
// turn_starts stand: at the beginning, not at all, or behind requests of an
// older version, which wrote none (B8; RFD 064).
func TestJPCompactionCoversWhatJPCovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SampledFrom([]string{
			"turn_start", "chat_request", "chat_request", "chat_response", "tool_call_request", "tool_call_response", "inquiry_request", "config_delta", "compaction",
		})
		types := rapid.SliceOfN(kinds, 1, 40).Draw(t, "types")
		var events []string
		var ranges [][2]int
		for i, typ := range types {
			from := rapid.IntRange(0, 5).Draw(t, "from")
			to := from + rapid.IntRange(0, 3).Draw(t, "more")
			ranges = append(ranges, [2]int{from, to})
			events = append(events, map[string]string{
				"turn_start":         `{"type":"turn_start"}`,
				"chat_request":       fmt.Sprintf(`{"type":"chat_request","content":"event %d"}`, i),
				"chat_response":      fmt.Sprintf(`{"type":"chat_response","message":"event %d"}`, i),
				"tool_call_request":  fmt.Sprintf(`{"type":"tool_call_request","id":"c%d","name":"event %d","arguments":{}}`, i, i),
				"tool_call_response": fmt.Sprintf(`{"type":"tool_call_response","id":"c%d","content":"event %d","is_error":false}`, i-1, i),
				"inquiry_request":    fmt.Sprintf(`{"type":"inquiry_request","id":"c%d.q","question":{"text":"event %d"}}`, i, i),
				"config_delta":       `{"type":"config_delta","delta":{}}`,
				"compaction":         fmt.Sprintf(`{"type":"compaction","from_turn":%d,"to_turn":%d,"reasoning":"strip"}`, from, to),
			}[typ])
		}
		var k Collector
		src := Source{Name: "events.json", Reader: strings.NewReader("[" + strings.Join(events, ",") + "]")}
		if err := Import(t.Context(), src, JP, &k); err != nil {
			t.Fatal(err)
		}
		log := tenfold.NewLog()
		if _, err := log.Append(k.Conversations[0].Entries...); err != nil {
			t.Fatal(err)
		}
		indexes := jpIndexes(types)
		compactions := map[string]int{} // event of each, by its entry
		var made []int
		for i, typ := range types {
			if typ == "compaction" {
				made = append(made, i)
			}
		}
		for e := range log.Entries() {
			if e.Payload.Kind() == tenfold.KindCompaction || e.Payload.Kind() == "jp.compaction" {
				compactions[e.ID], made = made[0], made[1:]
			}
		}
		covers := map[int]tenfold.Overlay{}
		for o := range tenfold.Project(log).Overlays() {
			covers[compactions[o.ID]] = o
		}
		for e := range log.Entries() {
			if !e.Payload.Kind().Visible() {
				continue
			}
			var event int
			if _, err := fmt.Sscanf(regexp.MustCompile(`event \d+`).FindString(fmt.Sprint(e.Payload)), "event %d", &event); err != nil {
				t.Fatal(err)
			}
			for i, typ := range types {
				if typ != "compaction" || i < event {
					continue // what comes later is none of its affair (C3)
				}
				o, imported := covers[i]
				jp := indexes[event] >= ranges[i][0] && indexes[event] <= ranges[i][1]
				ours := imported && o.First <= e.Seq && e.Seq <= o.Last
				if jp != ours {
					t.Fatalf("event %d of JP's turn %d: JP covers it with %v: %v, the import: %v\n%s",
						event, indexes[event], ranges[i], jp, ours, strings.Join(events, "\n"))
				}
			}
		}
	})
}

// A compaction of ours that is written for JP covers there what it covers here,
// or is left out: JP counts the same events in other turns (B8).
func TestJPExportCoversTheSame(t *testing.T) {
	said := regexp.MustCompile(`event \d+`)
	covered := func(t *rapid.T, log *tenfold.Log) (all []string) {
		for o := range tenfold.Project(log).Overlays() {
			var texts []string
			for e := range log.Entries() {
				if o.First <= e.Seq && e.Seq <= o.Last && e.Payload.Kind().Visible() {
					texts = append(texts, said.FindString(fmt.Sprint(e.Payload)))
				}
			}
			all = append(all, strings.Join(texts, ", "))
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		var events []string
		for i, request := range rapid.SliceOfN(rapid.Bool(), 1, 12).Draw(t, "requests") {
			if request {
				events = append(events, fmt.Sprintf(`{"type":"chat_request","content":"event %d"}`, i))
			} else {
				events = append(events, `{"type":"turn_start"}`)
			}
		}
		read := func(text string) (Collected, *tenfold.Log) {
			var k Collector
			if err := Import(t.Context(), Source{Name: "events.json", Reader: strings.NewReader(text)}, JP, &k); err != nil {
				t.Fatal(err)
			}
			log := tenfold.NewLog()
			if _, err := log.Append(k.Conversations[0].Entries...); err != nil {
				t.Fatal(err)
			}
			return k.Conversations[0], log
		}
		got, log := read("[" + strings.Join(events, ",") + "]")
		from := rapid.IntRange(0, 5).Draw(t, "from")
		own := tenfold.Compaction{FromTurn: from, ToTurn: from + rapid.IntRange(0, 5).Draw(t, "more"), Reasoning: &tenfold.Policy{Action: tenfold.Strip}}
		if _, err := log.Append(tenfold.Entry{ID: "cmp_own", Payload: own}); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		warned, err := Export(&out, JP, View{Conversation: got.Conversation, Projection: tenfold.Project(log)})
		if err != nil {
			t.Fatal(err)
		}
		want := covered(t, log)
		_, again := read(out.String())
		have := covered(t, again)
		if len(warned) > 0 && len(have) == 0 {
			return
		}
		if want[0] != "" && (len(have) != 1 || have[0] != want[0]) {
			t.Fatalf("covers %q, written for JP %q\n%s", want, have, out.String())
		}
	})
}

// Two requests of an older version, then two turns that are marked: to JP three
// turns, to us four.
func TestJPTurns(t *testing.T) {
	var turns jp.Turns
	turns.Holds = true // the requests, our turns 0 and 1
	turns.Start(2)
	turns.Start(3)
	for _, tt := range []struct {
		jpFrom, jpTo, from, to int
	}{{0, 0, 0, 1}, {0, 1, 0, 2}, {1, 1, 2, 2}, {2, 2, 3, 3}, {0, 2, 0, 3}} {
		if from, to := turns.Ours(tt.jpFrom, tt.jpTo, 3); from != tt.from || to != tt.to {
			t.Errorf("JP's %d..%d are %d..%d, want %d..%d", tt.jpFrom, tt.jpTo, from, to, tt.from, tt.to)
		}
		if from, to, ok := turns.Theirs(tt.from, tt.to, 3); !ok || from != tt.jpFrom || to != tt.jpTo {
			t.Errorf("%d..%d are JP's %d..%d, %v, want %d..%d", tt.from, tt.to, from, to, ok, tt.jpFrom, tt.jpTo)
		}
	}
	for _, part := range [][2]int{{0, 0}, {1, 1}, {1, 3}} {
		if from, to, ok := turns.Theirs(part[0], part[1], 3); ok {
			t.Errorf("%v is a part of what is one turn to JP, not its %d..%d", part, from, to)
		}
	}
	if from, to := turns.Ours(2, 9, 3); from != 3 || to != 10 {
		t.Errorf("turns to come: %d..%d", from, to)
	}
}
