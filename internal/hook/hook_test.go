package hook_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/internal/hook"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/transcript"
)

// fake is a client whose events a test answers.
type fake func(ctx context.Context, h *hook.Host, event string, in []byte) ([]byte, error)

func (fake) About() hook.About {
	return hook.About{Name: "fake", Title: "Fake", Commands: []string{"fake"}, Since: "1.0", Tested: "1.2", Adapter: 1}
}

func (f fake) Handle(ctx context.Context, h *hook.Host, event string, in []byte) ([]byte, error) {
	return f(ctx, h, event, in)
}

func (fake) Files(hook.Place) ([]hook.File, error) { return nil, nil }

// newHost makes a host over a store in memory.
func newHost(tb testing.TB) (*hook.Host, store.Store) {
	tb.Helper()
	st := memory.New()
	return hostOver(tb, st), st
}

func hostOver(tb testing.TB, st store.Store) *hook.Host {
	tb.Helper()
	h := &hook.Host{Configure: configure, Data: tb.TempDir(), Version: "test", Now: time.Now}
	h.Open = func(context.Context) (*session.Service, error) {
		return session.NewService(st, session.WithClock(func() time.Time { return h.Now() })), nil
	}
	return h
}

func configure(dir string) (*config.Effective, error) {
	l, err := config.Read(config.Sources{Dir: dir})
	if err != nil {
		return nil, err
	}
	return l.With()
}

// writeTranscript writes entries as a session of Claude Code, and gives its path.
func writeTranscript(tb testing.TB, entries []tenfold.Entry) string {
	tb.Helper()
	l := tenfold.NewLog()
	if _, err := l.Append(entries...); err != nil {
		tb.Fatal(err)
	}
	name := filepath.Join(tb.TempDir(), "session.jsonl")
	var b bytes.Buffer
	view := transcript.View{Conversation: transcript.Conversation{ID: "session", Named: true, Title: "A long day"}, Projection: tenfold.Project(l)}
	if _, err := transcript.Export(&b, transcript.ClaudeCode, view); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return name
}

func TestCompactBringsTheTranscriptIntoTheStoreAndCompacts(t *testing.T) {
	h, st := newHost(t)
	path := writeTranscript(t, logtest.Long(600))
	v, err := h.Compact(t.Context(), hook.Ask{Format: transcript.ClaudeCode, Path: path, Trigger: "manual", Window: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	const target = 16_000 // half of what a model of that window may be sent (V2)
	if v.Outcome != session.Applied || v.After > target || v.After >= v.Before || v.Projection().Tokens() > target {
		t.Errorf("the view is %s: %d → %d tokens of %d", v.Outcome, v.Before, v.After, target)
	}
	if c, err := st.Conversation(t.Context(), v.ID()); err != nil || c.Title != "A long day" {
		t.Errorf("the conversation is called %q, %v", c.Title, err)
	}
	if want := "; undo: tenfold conversation undo " + v.ID(); !strings.HasPrefix(v.Line, "Tenfold: ") || !strings.HasSuffix(v.Line, want) {
		t.Errorf("the person reads %q", v.Line)
	}
	if _, err := v.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all := v.Projection().Totals().All(); all.Before != all.After {
		t.Errorf("after undo %d of %d tokens are shown", all.After, all.Before)
	}
}

// A transcript that grew is the same conversation: only what is new is written,
// and an earlier compaction stays in effect.
func TestCompactGoesOnWithTheSameConversation(t *testing.T) {
	h, st := newHost(t)
	path := writeTranscript(t, logtest.Long(700))
	longer, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(longer, []byte("\n"))
	if err := os.WriteFile(path, bytes.Join(lines[:len(lines)/2], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := hook.Ask{Format: transcript.ClaudeCode, Path: path, Window: 40_000}
	first, err := h.Compact(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	version := first.Session.Log().Version()
	if err := os.WriteFile(path, longer, 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := h.Compact(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	if second.ID() != first.ID() || second.Outcome != session.Applied {
		t.Errorf("the second is %s, %s; the first was %s", second.ID(), second.Outcome, first.ID())
	}
	for e := range second.Session.Log().Entries() {
		if e.Seq > version {
			break
		}
		if was, _ := first.Session.Log().Entry(e.Seq); was.ID != e.ID {
			t.Fatalf("entry %d was %s and is %s", e.Seq, was.ID, e.ID)
		}
	}
	n := 0
	for _, err := range st.Conversations(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 1 {
		t.Errorf("%d conversations are stored", n)
	}
}

// A view that an earlier compaction made, and that the client did not take over, is
// given again; one that it did take over is compacted further.
func TestCompactGivesTheEarlierViewAgain(t *testing.T) {
	h, _ := newHost(t)
	ask := hook.Ask{Format: transcript.ClaudeCode, Path: writeTranscript(t, logtest.Long(600)), Window: 40_000}
	first, err := h.Compact(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	epoch := func(v *hook.View) session.Epoch { return v.Control(session.Live{}).Epoch() }
	ask.Used = 3 * first.After
	again, err := h.Compact(t.Context(), ask)
	if err != nil || again.Outcome != session.Nothing || again.After != first.After || again.Line == "" || epoch(again) != epoch(first) {
		t.Errorf("it is %+v, %v", again, err)
	}
	ask.Used = first.After
	further, err := h.Compact(t.Context(), ask)
	if err != nil || further.Outcome != session.Applied || further.After > first.After/2 || epoch(further) == epoch(first) {
		t.Errorf("it is %+v, %v", further, err)
	}
}

// What the client asks for and cannot be done is an error, so that it does it
// itself (V7); the controller's record stays in the log.
func TestV7WhatCannotBeCompactedIsLeftToTheClient(t *testing.T) {
	h, _ := newHost(t)
	ask := hook.Ask{Format: transcript.ClaudeCode, Path: writeTranscript(t, logtest.Long(2)), Window: 200_000}
	if v, err := h.Compact(t.Context(), ask); err == nil {
		t.Errorf("a single request was compacted: %+v", v)
	}
}

// Before a request is sent the view is compacted where the context is full, and
// where the cache is cold anyway (V2).
func TestV2AdvanceCompactsWhatIsDue(t *testing.T) {
	entries := logtest.Long(1200)
	for entries[len(entries)-1].MessageID != "msg_end" { // the cache is looked at between turns
		entries = entries[:len(entries)-1]
	}
	path := writeTranscript(t, entries)
	last := entries[len(entries)-1].Time
	for name, c := range map[string]struct {
		window int
		later  time.Duration
		want   session.Outcome
		cold   bool
	}{
		"room, warm":     {1_000_000, time.Second, session.Nothing, false},
		"room, cold":     {1_000_000, 2 * time.Hour, session.Nothing, false},
		"due soon, cold": {80_000, 2 * time.Hour, session.Applied, true},
		"due soon, warm": {80_000, time.Second, session.Nothing, false},
		"full":           {60_000, time.Second, session.Applied, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := newHost(t)
			h.Now = func() time.Time { return last.Add(c.later) }
			ask := hook.Ask{Format: transcript.ClaudeCode, Path: path, Window: c.window}
			if worth, why, err := h.Cold(t.Context(), ask); worth != c.cold || err != nil || why == "" {
				t.Errorf("compacting is worth it: %v, %s, %v", worth, why, err)
			}
			v, err := h.Advance(t.Context(), ask)
			if err != nil || v.Outcome != c.want {
				t.Errorf("it is %s, %v", v.Outcome, err)
			}
		})
	}
}

// V2: a session that was stopped in the middle of a turn, its last call without a
// result, begins again as one between turns does.
func TestV2ColdOfASessionStoppedInMidTurn(t *testing.T) {
	entries := logtest.Long(1200)
	for entries[len(entries)-1].Payload.Kind() != tenfold.KindToolCall {
		entries = entries[:len(entries)-1]
	}
	h, _ := newHost(t)
	h.Now = func() time.Time { return entries[len(entries)-1].Time.Add(2 * time.Hour) }
	ask := hook.Ask{Format: transcript.ClaudeCode, Path: writeTranscript(t, entries), Window: 80_000}
	worth, why, err := h.Cold(t.Context(), ask)
	if !worth || err != nil || !strings.Contains(why, "cold") {
		t.Fatalf("compacting is worth it: %v, %s, %v", worth, why, err)
	}
	if v, err := h.Compact(t.Context(), ask); err != nil || v.Outcome != session.Applied {
		t.Errorf("it is %+v, %v", v, err)
	}
}

// Entries that Tenfold itself put into a transcript are left out (C5, V6).
func TestV6OwnEntriesAreLeftOut(t *testing.T) {
	h, _ := newHost(t)
	path := writeTranscript(t, logtest.Long(200))
	mark := ""
	s, err := h.Import(t.Context(), hook.Ask{Format: transcript.ClaudeCode, Path: path, Ours: func(e tenfold.Entry) bool {
		if m, ok := e.Payload.(tenfold.AssistantMessage); ok && mark == "" {
			mark = m.Text
			return true
		}
		return false
	}})
	if err != nil {
		t.Fatal(err)
	}
	if mark == "" {
		t.Fatal("the transcript has no message of the assistant")
	}
	for e := range s.Log().Entries() {
		if m, ok := e.Payload.(tenfold.AssistantMessage); ok && m.Text == mark {
			t.Errorf("entry %d is one of ours", e.Seq)
		}
	}
}

func TestTranscriptsThatAreNoFilesAreRefused(t *testing.T) {
	h, st := newHost(t)
	dir := t.TempDir()
	torn := filepath.Join(dir, "torn.jsonl")
	if err := os.WriteFile(torn, []byte("no transcript at all\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"a directory": dir, "a device": os.DevNull, "nothing": filepath.Join(dir, "gone"), "text": torn} {
		if _, err := h.Compact(t.Context(), hook.Ask{Format: transcript.ClaudeCode, Path: path}); err == nil {
			t.Errorf("%s was read as a transcript", name)
		}
	}
	for c := range st.Conversations(t.Context()) {
		t.Errorf("conversation %s was stored", c.ID)
	}
}

// Whatever goes wrong, the client goes on as without us, and the failure is on
// record (V7).
func TestV7FailuresAreRecordedAndAnsweredWithNothing(t *testing.T) {
	for name, c := range map[string]struct {
		handle fake
		in     string
		why    string
	}{
		"an error": {func(context.Context, *hook.Host, string, []byte) ([]byte, error) {
			return []byte(`{"a":1}`), errors.New("broken\x1b[2J")
		}, "", "broken"},
		"a panic":       {func(context.Context, *hook.Host, string, []byte) ([]byte, error) { panic("oh") }, "", "internal error: oh"},
		"not JSON":      {func(context.Context, *hook.Host, string, []byte) ([]byte, error) { return []byte("oops"), nil }, "", "the answer is not JSON"},
		"too slow":      {func(ctx context.Context, _ *hook.Host, _ string, _ []byte) ([]byte, error) { select {} }, "", "not done within 50ms"},
		"unknown event": {func(context.Context, *hook.Host, string, []byte) ([]byte, error) { return nil, hook.ErrUnknownEvent }, "", "unknown event"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := newHost(t)
			h.Saw("9.9")
			limit := time.Hour
			if name == "too slow" {
				limit = 50 * time.Millisecond
			}
			out := h.Run(t.Context(), c.handle, "compact", strings.NewReader(c.in), limit)
			if string(out) != hook.Nothing {
				t.Errorf("the answer is %s", out)
			}
			all, err := h.Failures(10)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d failures are on record: %v", len(all), err)
			}
			f := all[0]
			if f.Client != "fake" || f.Event != "compact" || f.Version != "9.9" || f.Tenfold != "test" || f.Time.IsZero() || !strings.Contains(f.Why, c.why) {
				t.Errorf("the record is %+v", f)
			}
			if strings.ContainsRune(f.Why, '\x1b') {
				t.Errorf("the record holds control characters: %q", f.Why)
			}
		})
	}
}

func TestRunAnswers(t *testing.T) {
	h, _ := newHost(t)
	echo := fake(func(_ context.Context, _ *hook.Host, event string, in []byte) ([]byte, error) {
		return []byte(`{"event":"` + event + `","in":` + string(in) + `}`), nil
	})
	if out := h.Run(t.Context(), echo, "compact", strings.NewReader("7"), time.Hour); string(out) != `{"event":"compact","in":7}` {
		t.Errorf("the answer is %s", out)
	}
	silent := fake(func(context.Context, *hook.Host, string, []byte) ([]byte, error) { return nil, nil })
	if out := h.Run(t.Context(), silent, "compact", strings.NewReader(""), time.Hour); string(out) != hook.Nothing {
		t.Errorf("the answer is %s", out)
	}
	if info, err := os.Stat(filepath.Join(h.Data, "failures.jsonl")); err != nil || info.Size() != 1 {
		t.Errorf("no room is kept to record a full disk: %v", err)
	}
	if all, err := h.Failures(10); len(all) > 0 || err != nil {
		t.Errorf("failures are on record: %v, %v", all, err)
	}
}

// An input that never ends, or never comes, does not hang the client (V7).
func TestV7InputIsBounded(t *testing.T) {
	h, _ := newHost(t)
	never := fake(func(context.Context, *hook.Host, string, []byte) ([]byte, error) {
		t.Error("the event was handled")
		return nil, nil
	})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(); _ = w.Close() }()
	if out := h.Run(t.Context(), never, "a", r, 20*time.Millisecond); string(out) != hook.Nothing {
		t.Errorf("the answer is %s", out)
	}
	if out := h.Run(t.Context(), never, "b", endless{}, time.Hour); string(out) != hook.Nothing {
		t.Errorf("the answer is %s", out)
	}
	all, err := h.Failures(10)
	if err != nil || len(all) != 2 || !strings.Contains(all[0].Why, "larger than 64 MiB") || !strings.Contains(all[1].Why, "not done within 20ms") {
		t.Errorf("the record is %+v, %v", all, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestFailuresAreBounded(t *testing.T) {
	h, _ := newHost(t)
	for i := range 2000 {
		h.Fail(hook.Failure{Client: "fake", Event: "compact", Why: strings.Repeat("x", i)})
	}
	info, err := os.Stat(filepath.Join(h.Data, "failures.jsonl"))
	if err != nil || info.Size() > 129<<10 || info.Size() < 60<<10 {
		t.Fatalf("the record is %d bytes: %v", info.Size(), err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the record has mode %v", info.Mode())
	}
	if all, err := h.Failures(3); err != nil || len(all) != 3 || all[0].Time.Before(all[2].Time) {
		t.Errorf("the last are %+v, %v", all, err)
	}
}

// A line that a crash tore does not hide the others.
func TestFailuresSurviveDamage(t *testing.T) {
	h, _ := newHost(t)
	h.Fail(hook.Failure{Client: "fake", Event: "one", Why: "y"})
	f, err := os.OpenFile(filepath.Join(h.Data, "failures.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("{\"client\":") // nor the next one, which a full disk had it run into
	_ = f.Close()
	h.Fail(hook.Failure{Client: "fake", Event: "two", Why: "z"})
	if all, err := h.Failures(10); err != nil || len(all) != 2 || all[0].Event != "two" {
		t.Errorf("the record is %+v, %v", all, err)
	}
}
