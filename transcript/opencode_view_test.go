package transcript

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"tenfold"
)

// TestOpenCodeViewOfOurs holds that the text which our plug-in puts in the place of
// a summary is not a summary: the overlays that it shows are in our store, and it
// would hide what they keep (C5, V6). It is exported as it was.
func TestOpenCodeViewOfOurs(t *testing.T) {
	raw, err := os.ReadFile("testdata/opencode/compacted.json")
	if err != nil {
		t.Fatal(err)
	}
	var sample map[string]any
	if err := json.Unmarshal(raw, &sample); err != nil {
		t.Fatal(err)
	}
	const ours = "Tenfold: 118k → 11k tokens, turns 0..41 trimmed; undo: tenfold conversation undo ses_x\n\n# Title"
	for text, hides := range map[string]bool{ours: false, "Tenfold: a program.\n\nundo: tenfold conversation undo ses_x": true, "They used " + ours: true} {
		for _, m := range sample["messages"].([]any) {
			m := m.(map[string]any)
			if info := m["info"].(map[string]any); info["summary"] != true {
				continue
			}
			for _, p := range m["parts"].([]any) {
				if p := p.(map[string]any); p["type"] == "text" {
					p["text"] = text
				}
			}
		}
		data, err := json.Marshal(sample)
		if err != nil {
			t.Fatal(err)
		}
		got, err := importText(t, "x.json", string(data))
		if err != nil {
			t.Fatal(err)
		}
		overlays, usage := 0, 0
		for _, e := range got.Entries {
			if c, ok := e.Payload.(tenfold.Compaction); ok && c.Summary != nil && strings.Contains(c.Summary.Text, "Tenfold") {
				overlays++
			}
			if e.Payload.Kind() == tenfold.KindUsage {
				usage++
			}
		}
		if (overlays > 0) != hides {
			t.Errorf("%q makes %d overlays", text, overlays)
		}
		checkOpenCodeWhole(t, got, data)
	}
}
