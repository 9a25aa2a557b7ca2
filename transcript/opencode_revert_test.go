package transcript

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"tenfold"
)

// What was taken back in opencode is hidden until the next prompt, and so is the
// compaction that came with it. The export says so too.
func TestOpenCodeReverted(t *testing.T) {
	data, err := os.ReadFile("testdata/opencode/compacted.json")
	if err != nil {
		t.Fatal(err)
	}
	first := []string{"user First task.", "assistant First done."}
	for name, c := range map[string]struct {
		revert string
		want   []string
	}{
		"prompt":     {`{"messageID":"msg_a001","snapshot":"x"}`, nil},
		"compaction": {`{"messageID":"msg_a003"}`, first},
		"answer":     {`{"messageID":"msg_a002","partID":"prt_a002"}`, first}, // no more than it can hide
		"elsewhere":  {`{"messageID":"msg_zzz"}`, []string{"user Continue if you have next steps."}},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(string(data), `"projectID"`, `"revert":`+c.revert+`,"projectID"`, 1)
			got, err := importText(t, "x.json", text)
			if err != nil {
				t.Fatal(err)
			}
			log := tenfold.NewLog()
			if _, err := log.Append(got.Entries...); err != nil {
				t.Fatal(err)
			}
			var have []string
			for item := range tenfold.Project(log).Items() {
				have = append(have, said([]tenfold.Entry{{Payload: item.Payload}})...)
			}
			if name == "elsewhere" {
				have = have[:1]
			}
			if !reflect.DeepEqual(have, c.want) {
				t.Errorf("the projection is %q, want %q", have, c.want)
			}
			checkOpenCodeWhole(t, got, []byte(text))
		})
	}
}

// opencode would remove what came after a part that was taken back, so that the
// export of a session which went on leaves that part out.
func TestOpenCodeRevertedWithMore(t *testing.T) {
	data, err := os.ReadFile("testdata/opencode/compacted.json")
	if err != nil {
		t.Fatal(err)
	}
	const at, note = `"time":{"created":1780001000000,"updated":1780001090000}`, `"revert":{"messageID":"msg_a003"}`
	for name, info := range map[string]string{"within": note + "," + at, "last": at + "," + note} {
		t.Run(name, func(t *testing.T) {
			c, err := importText(t, "x.json", strings.Replace(string(data), at, info, 1))
			if err != nil {
				t.Fatal(err)
			}
			c.Entries = append(c.Entries, tenfold.Entry{ID: "t9", Payload: tenfold.TurnStart{}},
				tenfold.Entry{ID: "u9", Payload: tenfold.UserMessage{Parts: tenfold.Text("One more.")}})
			text, _ := exportOpenCode(t, c, false)
			again, err := importText(t, "x.json", string(text))
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"user First task.", "assistant First done.", "user One more."}
			if have := said(again.Entries); again.ID != c.ID || !reflect.DeepEqual(have, want) {
				t.Errorf("%s says %q, want %q", again.ID, have, want)
			}
			if strings.Contains(string(text), `"revert"`) {
				t.Error("the note of what was taken back is still there")
			}
		})
	}
}
