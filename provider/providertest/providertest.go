// Package providertest is the suite that each provider passes: one description
// of how the provider speaks, and everything that may go right or wrong with
// it. It needs no network but this machine's own.
package providertest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/provider"
)

// Key is the key the suite opens models with. It may be in a header and
// nowhere else.
const Key = "sk-suite-0123456789abcdef-secret"

// Said is a sentence of the suite's conversation: no error may repeat it.
const Said = "Please tidy the harbour ledger before the evening tide."

// Schema is what the suite asks answers to follow.
const Schema = `{"type":"object","properties":{"summary":{"type":"string"},"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}},"required":["summary","files"]}`

// View is the suite's conversation: a system prompt, a tool, a request, and
// what comes behind it.
func View(t testing.TB, more ...tenfold.Payload) *tenfold.Projection {
	t.Helper()
	system := "Be brief."
	tools := []tenfold.ToolDefinition{{Name: "read", Description: "Reads.", Schema: `{"type":"object","properties":{}}`}}
	all := append([]tenfold.Payload{
		tenfold.ConfigDelta{System: &system, Tools: &tools},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text(Said)},
	}, more...)
	log := tenfold.NewLog()
	for i, p := range all {
		e := tenfold.Entry{Seq: int64(i + 1), ID: "e" + string(rune('a'+i)), Payload: p}
		if tenfold.Kind.Visible(p.Kind()) && i > 2 {
			e.MessageID = "m"
		}
		_, err := log.Append(e)
		ok(t, err)
	}
	return tenfold.Project(log)
}

// An Open makes a model of options.
type Open func(o provider.Options) (provider.Model, error)

// Opens makes an [Open] of a provider's New, whose model has a type of its own.
func Opens[M provider.Model](open func(o provider.Options) (M, error)) Open {
	return func(o provider.Options) (provider.Model, error) {
		m, err := open(o)
		if err != nil {
			return nil, err // rather than a model that is a nil pointer
		}
		return m, nil
	}
}

// Run runs the suite.
func Run(t *testing.T, v Vendor) {
	t.Run("Answers", v.answers)
	t.Run("AnyPieces", v.pieces)
	t.Run("CutOff", v.cut)
	t.Run("Endless", v.endless)
	t.Run("EventErrors", v.eventErrors)
	t.Run("StatusErrors", v.statusErrors)
	t.Run("Requests", v.requests)
	t.Run("Addresses", v.addresses)
	t.Run("Count", v.counts)
	t.Run("Environment", v.environment)
	t.Run("Deadline", v.deadline)
	t.Run("Cancel", v.cancel)
	t.Run("Unreachable", v.unreachable)
	t.Run("Redirect", v.redirect)
}

// roundTrip is a transport that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// respond makes a client that gives one response to all.
func respond(status int, header http.Header, body func() io.Reader) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		h := http.Header{"Content-Type": {"text/event-stream"}}
		maps.Copy(h, header)
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body()), Request: r}, nil
	})}
}

// answer makes a client that gives one stream to all.
func answer(stream string) *http.Client {
	return respond(200, nil, func() io.Reader { return strings.NewReader(stream) })
}

// model opens a model with the suite's key.
func (v Vendor) model(t testing.TB, o provider.Options) provider.Model {
	t.Helper()
	o.Key = Key
	m, err := v.Open(o)
	ok(t, err)
	return m
}

// hear asks a model over a client, and says what came back.
func (v Vendor) hear(t testing.TB, c *http.Client) (heard, error) {
	t.Helper()
	return listen(t.Context(), v.model(t, provider.Options{Client: c}), provider.Request{View: View(t)})
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// heard is what a stream said.
type heard struct {
	provider.Response
	text, think string
}

func listen(ctx context.Context, m provider.Model, r provider.Request) (heard, error) {
	var h heard
	for e, err := range m.Stream(ctx, r) {
		if err != nil {
			return h, err
		}
		h.text += e.Text
		h.think += e.Reasoning
		if e.Block != nil {
			h.Blocks = append(h.Blocks, e.Block)
		}
		if e.MessageID != "" {
			h.MessageID = e.MessageID
		}
		if e.Usage != nil {
			h.Usage = *e.Usage
		}
		if e.Stop != "" {
			h.Stop = e.Stop
		}
	}
	return h, nil
}

// check compares what was heard with what was said.
func (a Answer) check(t testing.TB, got heard) {
	t.Helper()
	want := heard{
		Response: provider.Response{Blocks: a.Blocks, MessageID: a.ID, Usage: a.Usage, Stop: a.Stop},
		text:     a.Text, think: a.Think,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(heard{})); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
}

func (v Vendor) answers(t *testing.T) {
	for _, a := range v.Answers {
		t.Run(a.Name, func(t *testing.T) {
			m := v.model(t, provider.Options{Client: answer(a.Stream)})
			got, err := listen(t.Context(), m, provider.Request{View: View(t)})
			ok(t, err)
			a.check(t, got)
			body, err := m.Profile().Write(View(t, got.Blocks...))
			ok(t, err)
			for _, piece := range a.Again {
				if !strings.Contains(string(body), piece) {
					t.Errorf("the next request has no\n%s\nin\n%s", piece, body)
				}
			}
			if bad := m.Profile().Check(body); len(bad) > 0 {
				t.Errorf("the next request is refused: %v", bad)
			}
			whole, err := provider.Collect(t.Context(), m, provider.Request{View: View(t)})
			if err != nil || whole.Stop != a.Stop || len(whole.Blocks) != len(a.Blocks) {
				t.Errorf("collected %+v, %v", whole, err)
			}
		})
	}
}

// stride is how many bytes lie between the places at which streams are cut: the
// race detector would take minutes for every one.
var stride = func() int {
	switch {
	case corpustest.All():
		return 1
	case corpustest.UnderRace:
		return 13
	}
	return 3
}()

// pieces cuts the streams in two at every byte or every third, and in single bytes.
func (v Vendor) pieces(t *testing.T) {
	for _, a := range v.Answers {
		for at := 0; at <= len(a.Stream); at += stride {
			got, err := v.hear(t, respond(200, nil, func() io.Reader {
				first, second := a.Stream[:at], a.Stream[at:]
				if at == 0 {
					return oneByte{strings.NewReader(second)}
				}
				return io.MultiReader(strings.NewReader(first), strings.NewReader(second))
			}))
			if err != nil {
				t.Fatalf("%s cut at %d: %v", a.Name, at, err)
			}
			a.check(t, got)
			if t.Failed() {
				t.Fatalf("%s cut at %d", a.Name, at)
			}
		}
		// Lines may end as they do on the web.
		got, err := v.hear(t, answer(strings.ReplaceAll(a.Stream, "\n", "\r\n")))
		ok(t, err)
		a.check(t, got)
	}
}

type oneByte struct{ r io.Reader }

// Read implements [io.Reader].
func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

// broken fails where a connection was cut.
type broken struct{ err error }

// Read implements [io.Reader].
func (b broken) Read([]byte) (int, error) { return 0, b.err }

// cut ends the streams at every byte or every third, with and without the network's saying so.
func (v Vendor) cut(t *testing.T) {
	for _, a := range v.Answers {
		enough := len(strings.TrimRight(a.Stream, "\n")) - a.Open
		for at := 0; at < len(a.Stream); at += stride {
			for _, how := range []error{io.EOF, io.ErrUnexpectedEOF} {
				got, err := v.hear(t, respond(200, nil, func() io.Reader {
					return io.MultiReader(strings.NewReader(a.Stream[:at]), broken{how})
				}))
				switch {
				case err == nil && at < enough:
					t.Fatalf("%s ended at %d of %d (%v): a whole answer came of it: %+v", a.Name, at, enough, how, got)
				case err == nil && got.Stop != a.Stop:
					t.Fatalf("%s ended at %d (%v): stop is %q", a.Name, at, how, got.Stop)
				case err != nil && provider.KindOf(err) != provider.CutOff:
					t.Fatalf("%s ended at %d (%v): %v", a.Name, at, how, err)
				case err != nil && got.Stop != "":
					t.Fatalf("%s ended at %d (%v): stop and error", a.Name, at, how)
				}
				checkError(t, err)
			}
		}
		for _, junk := range []string{"data: {\"type\": tru\n\n", "data: \xff\xfe\x00\n\n", "data: 12\n\n", "<html>bad gateway</html>", ""} {
			got, err := v.hear(t, answer(junk))
			if err == nil || got.Stop != "" {
				t.Errorf("%q is an answer: %+v", junk, got)
			}
			checkError(t, err)
		}
	}
}

// forever says the same again and again, and counts.
type forever struct {
	text []byte
	read *int64
}

// Read implements [io.Reader].
func (f forever) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], f.text)
	}
	*f.read += int64(n)
	return n, nil
}

// endless holds streams without end to a bound of what is read and kept.
func (v Vendor) endless(t *testing.T) {
	const most = 80 << 20
	for name, stream := range map[string][2]string{
		"one event": {v.Begin, strings.Repeat("a", 4096)},
		"no event":  {"", ":" + strings.Repeat(" nothing", 16) + "\n\n"},
		"events":    {"", v.End},
		"error":     {"", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			if corpustest.UnderRace && name != "error" && name != "one event" {
				t.Skip("64 MB of small events, and no race") // without the detector they are read
			}
			var read int64
			status := 200
			if name == "error" {
				status = 500
			}
			m := v.model(t, provider.Options{Client: respond(status, nil, func() io.Reader {
				return io.MultiReader(strings.NewReader(stream[0]), forever{[]byte(stream[1]), &read})
			})})
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, err := listen(t.Context(), m, provider.Request{View: View(t)})
			runtime.GC()
			runtime.ReadMemStats(&after)
			if err == nil || read > most {
				t.Errorf("read %d bytes: %v", read, err)
			}
			if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > most {
				t.Errorf("kept %d bytes", kept)
			}
			checkError(t, err)
		})
	}
}

// checkError holds an error to what every error promises.
func checkError(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *provider.Error
	if !errors.As(err, &e) {
		t.Errorf("%v is no *provider.Error", err)
		return
	}
	if len(e.Message) > 300 || strings.ContainsAny(e.Error(), "\r\n\x00") {
		t.Errorf("the message is %d bytes: %q", len(e.Message), e.Message)
	}
	for at := error(e); at != nil; at = errors.Unwrap(at) {
		text := at.Error()
		for _, secret := range []string{Key, Key[3:15], Said, Said[:30], Said[20:]} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %q", secret, text)
			}
		}
	}
	if e.Model == "" {
		t.Errorf("%v names no model", err)
	}
}

func (f Failure) check(t testing.TB, err error) {
	t.Helper()
	var e *provider.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v", err)
	}
	checkError(t, err)
	got := provider.Error{Kind: e.Kind, Used: e.Used, Limit: e.Limit, MaxOutput: e.MaxOutput, After: e.After}
	if got != f.Want {
		t.Errorf("got %+v, want %+v\nof %s", got, f.Want, e.Message)
	}
	if f.Status != 0 && e.Status != f.Status {
		t.Errorf("status %d", e.Status)
	}
	if !strings.Contains(e.Message, f.Message) {
		t.Errorf("%q is not in %q", f.Message, e.Message)
	}
}

func (v Vendor) eventErrors(t *testing.T) {
	for _, f := range v.Events {
		t.Run(f.Name, func(t *testing.T) {
			got, err := v.hear(t, respond(200, f.Header, func() io.Reader { return strings.NewReader(f.Body) }))
			if got.Stop != "" {
				t.Errorf("stop %q came with the error", got.Stop)
			}
			f.check(t, err)
		})
	}
}

func (v Vendor) statusErrors(t *testing.T) {
	all := append([]Failure{
		{Name: "page", Status: 502, Body: "<html><head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>", Want: provider.Error{Kind: provider.Overloaded}, Message: "Bad Gateway"},
		{Name: "nothing", Status: 503, Want: provider.Error{Kind: provider.Overloaded}, Message: "Service Unavailable"},
		{Name: "long", Status: 400, Body: `{"error":{"type":"invalid_request_error","message":"` + strings.Repeat("bad things ", 200) + `"}}`, Want: provider.Error{Kind: provider.Invalid}},
		{Name: "echo", Status: 400, Body: `{"error":{"type":"invalid_request_error","message":"cannot read \"` + Said + `\" with key ` + Key + `"}}`, Want: provider.Error{Kind: provider.Invalid}, Message: "cannot read"},
		{Name: "lines", Status: 400, Body: "one\ntwo\x1b[31m\tthree", Want: provider.Error{Kind: provider.Invalid}, Message: "one two [31m three"},
		{Name: "not found", Status: 404, Body: `{"error":{"message":"no such model"}}`, Want: provider.Error{Kind: provider.Invalid}, Message: "no such model"},
	}, v.Refusals...)
	for _, f := range all {
		t.Run(f.Name, func(t *testing.T) {
			m := v.model(t, provider.Options{Client: respond(f.Status, f.Header, func() io.Reader { return strings.NewReader(f.Body) })})
			_, err := listen(t.Context(), m, provider.Request{View: View(t)})
			f.check(t, err)
			if v.CountPath != "" {
				_, err = m.Count(t.Context(), provider.Request{View: View(t)})
				f.check(t, err)
			}
		})
	}
}

// same compares JSON byte for byte once the white space between is gone.
func same(t testing.TB, want string, got []byte) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want), string(bytes.TrimSpace(got))); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}
