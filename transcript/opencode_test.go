package transcript

import (
	"strings"
	"testing"

	"tenfold"
)

// What opencode cleared is cleared in the projection, and back after undo.
func TestOpenCodePruned(t *testing.T) {
	w := written{OpenCode, "testdata/opencode/session.json", nil}
	for _, s := range samples(t, OpenCode) {
		if s.path == w.path {
			w = s
		}
	}
	got, err := w.read(w.data, "")
	if err != nil {
		t.Fatal(err)
	}
	log := tenfold.NewLog()
	if _, err := log.Append(got[0].Entries...); err != nil {
		t.Fatal(err)
	}
	result := func(p *tenfold.Projection, call string) string {
		for item := range p.Items() {
			if r, ok := item.Payload.(tenfold.ToolResult); ok && r.CallID == call {
				return describeParts(r.Parts)
			}
		}
		return "none"
	}
	if have, want := result(tenfold.Project(log), "call_1"), `"[compacted] read: success"`; have != want {
		t.Errorf("the cleared result shows as %s, want %s", have, want)
	}
	if have, want := result(tenfold.Project(log), "call_1~2"), `"File not found: cent.go"`; have != want {
		t.Errorf("the other result shows as %s, want %s", have, want)
	}
	for _, e := range got[0].Entries {
		if strings.HasPrefix(e.ID, "prune:") {
			if _, err := log.Append(tenfold.Entry{ID: "undo", Payload: tenfold.CompactionRevoked{Target: e.ID}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if have, want := result(tenfold.Project(log), "call_1"), `"package shop\n"`; have != want {
		t.Errorf("after undo it shows as %s, want %s", have, want)
	}
}

// The projection of a compacted session is what opencode sends: the newest
// summary and the messages it kept. Above them stands their request (P9), which
// opencode leaves out, and which the summary answers instead of a question (P3).
func TestOpenCodeCompacted(t *testing.T) {
	for _, w := range samples(t, OpenCode) {
		if w.path != "testdata/opencode/compacted.json" {
			continue
		}
		got, err := w.read(w.data, "")
		if err != nil {
			t.Fatal(err)
		}
		log := tenfold.NewLog()
		if _, err := log.Append(got[0].Entries...); err != nil {
			t.Fatal(err)
		}
		var have []string
		for item := range tenfold.Project(log).Items() {
			have = append(have, said([]tenfold.Entry{{Payload: item.Payload}})...)
		}
		want := []string{
			"user Continue if you have next steps.", "assistant Two tasks are done.\n\nNothing is open.",
			"assistant Second done.", "user Third task.", "assistant Third done.", "user Fourth task.",
		}
		if strings.Join(have, "\n") != strings.Join(want, "\n") {
			t.Errorf("the projection is\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
		}
		return
	}
	t.Error("the sample is not there")
}

// The numbers in opencode's ids begin anew every 2^36 milliseconds.
func TestOpenCodeIDsBeginAnew(t *testing.T) {
	path := writeDatabase(t, `
		CREATE TABLE session (id text, time_created integer); CREATE TABLE message (id text, session_id text, time_created integer, data text);
		CREATE TABLE part (id text, message_id text, data text);
		INSERT INTO session VALUES ('ses_a', 1);
		INSERT INTO message VALUES ('msg_0000', 'ses_a', 26 * 68719476736 + 5, '{"role":"user"}'), ('msg_ffff', 'ses_a', 26 * 68719476736 - 5, '{"role":"user"}'),
			('msg_fffe', 'ses_a', 26 * 68719476736 - 1, '{"role":"user"}');
		INSERT INTO part SELECT 'prt_' || id, id, '{"type":"text","text":"' || id || '"}' FROM message;`)
	got, err := importPath(t, path, "")
	if err != nil {
		t.Fatal(err)
	}
	if have, want := strings.Join(said(got[0].Entries), ", "), "user msg_fffe, user msg_ffff, user msg_0000"; have != want {
		t.Errorf("the order is %s, want %s", have, want)
	}
}
