package wire_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/logtest"
	"tenfold/internal/proxy/wire"
)

func openAI() []vendor {
	return []vendor{
		{opener: wire.OpenAIResponses{}, profile: body.OpenAIResponses(), path: "/v1/responses", list: "input"},
		{opener: wire.OpenAIChat{}, profile: body.OpenAIChat(), path: "/v1/chat/completions", list: "messages"},
	}
}

// What was written of a log is read back as what it says (X2a).
func TestX2aRequestsOfOpenAIAreReadAsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, v := range openAI() {
		rapid.Check(t, func(t *rapid.T) {
			entries := slices.DeleteFunc(logtest.Entries(40).Draw(t, "log"), func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindProviderItem })
			raw := write(t, v, logOf(t, entries))
			_, _, log := v.read(t, raw)
			if again := write(t, v, log); !alike(t, again, raw) {
				t.Fatalf("read back\n%s\nof\n%s", again, raw)
			}
		})
	}
}

// parted gives the entries that a model sees, and the overlays over them.
func parted(entries []tenfold.Entry) (said, overlays []tenfold.Entry) {
	for _, e := range entries {
		p, _ := tenfold.Value(e.Payload)
		switch p.(type) {
		case tenfold.Compaction, tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin:
			overlays = append(overlays, e)
		default:
			said = append(said, e)
		}
	}
	return said, overlays
}

// Whatever overlays are laid over a conversation, the edited request says what its
// projection says, and the vendor takes it (X2a, P10).
func TestX2aEditedRequestsOfOpenAISayWhatTheProjectionSays(t *testing.T) {
	t.Parallel()
	for _, v := range openAI() {
		t.Run(v.profile.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				said, overlays := parted(logtest.Entries(60).Draw(t, "log"))
				raw := write(t, v, logOf(t, said))
				r, pieces, log := v.read(t, raw)
				for _, e := range overlays {
					e.ID += "-overlay"
					if _, err := log.Append(e); err != nil {
						t.Fatal(err)
					}
				}
				view := tenfold.Project(log)
				prefix, err := v.Edit(r, len(r.Messages), pieces, view.List())
				if err != nil {
					t.Fatalf("edit %s: %v", raw, err)
				}
				out := r.With(prefix, len(r.Messages))
				if bad := v.profile.Check(out); len(bad) > 0 {
					t.Fatalf("%v in\n%s\nof\n%s", bad, out, raw)
				}
				want := write(t, v, log)
				got, wanted := flat(t, out), flat(t, want)
				shown := slices.DeleteFunc(view.List(), func(it tenfold.Item) bool { return !ofSystem(it.Payload) })
				if v.list == "messages" && !tenfold.Blank(view.Config().System) {
					wanted.systems--
				}
				if wanted.systems < len(shown) {
					return // the writer of bodies gives what the system says to the user where nothing else is left
				}
				// What was thought goes with what was said after it.
				thought := len(slices.DeleteFunc(slices.Clone(got.thoughts), func(w string) bool { return slices.Contains(wanted.thoughts, w) }))
				if !slices.Equal(got.lines, wanted.lines) || got.note != wanted.note || !slices.Equal(got.system, flat(t, raw).system) || thought > 0 {
					t.Fatalf("edited\n%s\nof\n%s\nwant\n%s", out, raw, want)
				}
			})
		})
	}
}

func ofSystem(p tenfold.Payload) bool {
	m, ok := p.(tenfold.UserMessage)
	return ok && m.Role != ""
}

// Where nothing is to change nothing does, however a client writes it (X2a).
func TestX2aUnchangedRequestsOfOpenAIStayByteForByte(t *testing.T) {
	t.Parallel()
	for _, v := range openAI() {
		rapid.Check(t, func(t *rapid.T) {
			said, _ := parted(logtest.Entries(40).Draw(t, "log"))
			raw := write(t, v, logOf(t, said))
			r, pieces, log := v.read(t, raw)
			prefix, err := v.Edit(r, len(r.Messages), pieces, tenfold.Project(log).List())
			if out := r.With(prefix, len(r.Messages)); err != nil || string(out) != string(raw) {
				t.Fatalf("%v: edited\n%s\nof\n%s", err, out, raw)
			}
		})
	}
}
