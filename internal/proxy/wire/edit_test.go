package wire_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/logtest"
	"tenfold/internal/proxy/wire"
)

// opener is what these tests need of a protocol.
type opener interface {
	Scan(path string, body []byte, known []wire.Message) (*wire.Request, error)
	Head(r *wire.Request) (tenfold.ConfigDelta, error)
	Read(r *wire.Request, message int) ([]wire.Piece, error)
	Edit(r *wire.Request, upto int, pieces [][]wire.Piece, shown []tenfold.Item) ([]byte, error)
}

// vendor is a protocol with what its requests are made and checked by.
type vendor struct {
	opener
	profile body.Profile
	path    string
	// list is the member that holds the messages, message what one of the user's
	// begins with, and block a text in it.
	list, message string
	block         func(text string) string
	model         string // that the path names
}

func vendors() []vendor {
	gemini := vendor{
		wire.Gemini{},
		body.Gemini(), "", "contents", `{"role":"user","parts":[`,
		func(text string) string { return `{"text":"` + text + `"}` }, "gemini-2.5-pro",
	}
	gemini.path = "/v1beta/models/gemini-2.5-pro:generateContent"
	strict := gemini
	strict.path, strict.model = "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", "gemini-3-pro"
	return []vendor{
		{
			wire.Anthropic{},
			body.Anthropic(), "/v1/messages", "messages", `{"role":"user","content":[`,
			func(text string) string { return `{"type":"text","text":"` + text + `"}` }, "",
		},
		gemini, strict,
	}
}

// read reads all messages of a body, as a log and its pieces.
func (v vendor) read(t rapid.TB, raw []byte) (*wire.Request, [][]wire.Piece, *tenfold.Log) {
	t.Helper()
	r, err := v.Scan(v.path, raw, nil)
	if err != nil {
		t.Fatalf("scan %s: %v", raw, err)
	}
	log := tenfold.NewLog()
	head, err := v.Head(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(tenfold.Entry{ID: "head", Payload: head}); err != nil {
		t.Fatal(err)
	}
	pieces := make([][]wire.Piece, len(r.Messages))
	for i := range r.Messages {
		if pieces[i], err = v.Read(r, i); err != nil {
			t.Fatalf("read %s: %v", raw[r.Messages[i].From:r.Messages[i].To], err)
		}
		for j := range pieces[i] {
			if n, err := log.Append(pieces[i][j].Entry); err != nil || n != 1 {
				t.Fatalf("append %+v: %d, %v", pieces[i][j].Entry, n, err)
			}
			pieces[i][j].Entry, _ = log.Entry(log.Version())
		}
	}
	return r, pieces, log
}

// What was written of a log is read back as what it says (X2a).
func TestX2aReadGivesWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		rapid.Check(t, func(t *rapid.T) {
			raw := write(t, v, v.log(t, logtest.Entries(40).Draw(t, "log")))
			_, _, log := v.read(t, raw)
			again, was := v.nameless(string(write(t, v, log))), v.nameless(string(raw))
			// A projection opens one that begins with a block of a vendor's own.
			opened := strings.Replace(again, v.block("[Conversation continues]")+",", "", 1)
			if again != was && opened != was {
				t.Fatalf("read back\n%s\nof\n%s", again, raw)
			}
		})
	}
}

func logOf(t rapid.TB, entries []tenfold.Entry) *tenfold.Log {
	log := tenfold.NewLog()
	for _, e := range entries {
		if _, err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

// log makes a log whose model is the one that requests name.
func (v vendor) log(t rapid.TB, entries []tenfold.Entry) *tenfold.Log {
	log := logOf(t, entries)
	if v.model != "" {
		if _, err := log.Append(tenfold.Entry{ID: "model", Payload: tenfold.ConfigDelta{Model: v.model}}); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

func write(t rapid.TB, v vendor, log *tenfold.Log) []byte {
	raw, err := v.profile.Write(tenfold.Project(log))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// overlaid draws compactions over a log that was read.
func overlaid(t *rapid.T, log *tenfold.Log) {
	for i := range rapid.IntRange(1, 3).Draw(t, "overlays") {
		c := logtest.Compaction().Draw(t, "overlay")
		if _, err := log.Append(tenfold.Entry{ID: "overlay" + string(rune('a'+i)), Payload: c}); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever overlays say, an edited request says what a body does that is written
// of the same projection, and a vendor takes it (X2a, P10).
func TestX2aEditSaysWhatTheProjectionDoes(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		rapid.Check(t, func(t *rapid.T) {
			raw := write(t, v, v.log(t, logtest.Entries(40).Draw(t, "log")))
			if v.profile.Provider == "anthropic" && len(raw)%2 == 0 {
				raw = bytes.Replace(raw, []byte("{"), []byte(`{"thinking":{"type":"adaptive","display":"updates"},`), 1)
			}
			if bad := v.profile.Check(raw); len(bad) > 0 {
				t.Skip(bad)
			}
			r, pieces, log := v.read(t, raw)
			overlaid(t, log)
			// The newest message is as the client sent it, and ends what is compared.
			if _, err := log.Append(tenfold.Entry{ID: "newest", Payload: tenfold.TurnStart{}},
				tenfold.Entry{ID: "newest/0", Payload: tenfold.UserMessage{Parts: tenfold.Text("zz")}}); err != nil {
				t.Fatal(err)
			}
			p := tenfold.Project(log)
			prefix, err := v.Edit(v.withNewest(t, r), len(r.Messages), pieces, p.List())
			if err != nil {
				t.Fatal(err)
			}
			want, err := v.profile.Write(p)
			if err != nil {
				t.Fatal(err)
			}
			says := v.withoutNewest(v.said(t, want))
			if !bytes.Contains(raw, []byte(`"role":"system"`)) && v.unsigned(string(prefix)) != v.unsigned(says) { // a prompt may be a message, or the head
				t.Fatalf("says\n%s\nwant\n%s\nof\n%s", prefix, says, raw)
			}
			if !v.endsWithUser(prefix) {
				prefix = bytes.TrimPrefix(append(prefix, ","+v.user("zz")...), []byte(","))
			}
			if bad := v.profile.Check(r.With(prefix, len(r.Messages))); len(bad) > 0 && len(r.Messages) > 0 {
				t.Fatalf("%v in\n%s\nof\n%s", bad, prefix, raw)
			}
		})
	}
}

// unsigned takes signatures of Gemini's off: a body has that of a text that is gone on
// the next part, an edited request has it nowhere.
func (v vendor) unsigned(said string) string {
	return regexp.MustCompile(`,"thoughtSignature":"[^"]*"`).ReplaceAllString(v.nameless(said), "")
}

// nameless takes the ids of calls and results off what Gemini's bodies say: they are read
// as our own (X2).
func (vendor) nameless(said string) string {
	return regexp.MustCompile(`("function(?:Call|Response)":\{)"id":"[^"]*",`).ReplaceAllString(said, "$1")
}

// user is a message of the user's, and block a text in it.
func (v vendor) user(text string) string { return v.message + v.block(text) + "]}" }

// withNewest is a request with the newest text behind its messages.
func (v vendor) withNewest(t rapid.TB, r *wire.Request) *wire.Request {
	said := slices.Clone(r.Body[r.First:r.End])
	if len(r.Messages) > 0 {
		said = append(said, ',')
	}
	longer, err := v.Scan(v.path, slices.Concat(r.Body[:r.First], said, []byte(v.user("zz")), r.Body[r.End:]), nil)
	if err != nil {
		t.Fatal(err)
	}
	return longer
}

// withoutNewest takes the newest text off the messages of a body.
func (v vendor) withoutNewest(said string) string {
	if rest, ok := strings.CutSuffix(said, v.user("zz")); ok {
		return strings.TrimSuffix(rest, ",")
	}
	return strings.TrimSuffix(said, ","+v.block("zz")+"]}") + "]}"
}

func (v vendor) endsWithUser(said []byte) bool {
	r, err := v.Scan(v.path, []byte(`{"`+v.list+`":[`+string(said)+`]}`), nil)
	return err == nil && len(r.Messages) > 0 && !r.Messages[len(r.Messages)-1].Model
}

// said gives the messages of a body.
func (v vendor) said(t rapid.TB, raw []byte) string {
	r, err := v.Scan(v.path, raw, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, raw)
	}
	return string(raw[r.First:r.End])
}
