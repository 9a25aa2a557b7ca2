package proxy

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// packed packs a text in a coding, by other code than ours where there is some; a
// flush comes after each byte.
func packed(t testing.TB, coding, text string) string {
	var b bytes.Buffer
	var w interface {
		io.WriteCloser
		Flush() error
	}
	var err error
	switch coding {
	case "":
		return text
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "deflate, bare":
		w, err = flate.NewWriter(&b, 5)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(text) {
		_, _ = io.WriteString(w, text[i:i+1])
		_ = w.Flush()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var codings = []string{"", "gzip", "x-gzip", "deflate", "deflate, bare", "br", "zstd"}

// X8: packed bodies are read; what is not changed goes on as the bytes that came,
// and what is, packed in the same way.
func TestX8PackedRequests(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	up.play(script{Status: 200, Framing: "length", Cut: -1})
	for _, coding := range codings {
		name, _, _ := strings.Cut(coding, ",")
		k := newScribe()
		s := run(t, k, up.URL)
		q := question{Method: http.MethodPost, Path: "/messages", Body: packed(t, coding, "the body"), Header: http.Header{}}
		if coding != "" {
			q.Header.Set("Content-Encoding", name)
		}
		up.play(up.script)
		q.ask(t, s.base)
		if got := up.asked()[0]; got.Body != q.Body || got.Header.Get("Content-Encoding") != name {
			t.Errorf("%s: unchanged, it goes on as %q, %s", coding, got.Body, got.Header)
		}
		if coding == "br" { // no client packs requests so
			if len(k.in) != 0 {
				t.Errorf("br: read as %q", k.in[0].Body)
			}
			continue
		}
		if len(k.in) != 1 || string(k.in[0].Body) != "the body" {
			t.Fatalf("%s: read as %q", coding, k.in)
		}
		k.edit = func(b []byte) []byte { return append([]byte("changed: "), b...) }
		up.play(up.script)
		q.ask(t, s.base)
		got := up.asked()[0]
		d, err := newDecoder(name, strings.NewReader(got.Body), 1000)
		if err != nil {
			t.Fatal(coding, err)
		}
		if text, err := io.ReadAll(d); err != nil || string(text) != "changed: the body" || got.Length != int64(len(got.Body)) {
			t.Errorf("%s: changed, it goes on as %q, %v", coding, text, err)
		}
	}
}

// V7: what cannot be read passes.
func TestX8UnreadableRequestsPass(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	up.play(script{Status: 200, Framing: "length", Cut: -1})
	k := newScribe()
	k.edit = func([]byte) []byte { return []byte("changed") }
	s := run(t, k, up.URL)
	s.limits.read, s.limits.decoded = 1000, 100
	zeros := strings.Repeat("0", 101)
	for coding, body := range map[string]string{
		"gzip": "not gzip", "zstd": packed(t, "zstd", "torn")[:9], "secret": "x", "gzip, zstd": packed(t, "zstd", packed(t, "gzip", "x")), "br": packed(t, "br", "x"),
		"deflate": packed(t, "deflate", zeros), "": strings.Repeat(zeros, 10), "x-gzip": "",
	} {
		for _, chunked := range []bool{false, true} {
			q := question{Method: http.MethodPost, Path: "/messages", Body: body, Header: http.Header{}, Chunked: chunked}
			if coding != "" {
				q.Header.Set("Content-Encoding", coding)
			}
			up.play(up.script)
			if got := q.ask(t, s.base); got.Status != 200 {
				t.Errorf("%s: %v", coding, got)
			}
			if got := up.asked(); len(got) != 1 || got[0].Body != body {
				t.Errorf("%s: goes on as %v", coding, got)
			}
		}
	}
	if len(k.in) > 0 {
		t.Errorf("the Keeper was asked about %q", k.in)
	}
}

// X1: the response is read beside, whatever its coding, and goes on as it came.
func TestX1PackedResponses(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	k := newScribe()
	s := run(t, k, up.URL)
	q := question{Method: http.MethodPost, Path: "/messages", Body: "{}"}
	for _, coding := range codings {
		name, _, _ := strings.Cut(coding, ",")
		whole := packed(t, coding, "data: a stream")
		one := script{Status: 200, Framing: "chunked", Cut: -1, Header: http.Header{}}
		if coding != "" {
			one.Header.Set("Content-Encoding", name)
		}
		for cut := range len(whole) + 1 {
			one.Chunks = []string{whole[:cut]}
			if cut == 0 {
				one.Chunks = nil
			}
			up.play(one)
			if got := q.ask(t, s.base); got.Body != whole[:cut] || got.Cut {
				t.Fatalf("%s to %d: the client sees %v", coding, cut, got)
			}
			told := <-k.done
			heard := k.heard[len(k.heard)-1]
			if !strings.HasPrefix("data: a stream", heard) {
				t.Fatalf("%s to %d: heard %q", coding, cut, heard)
			}
			if cut == len(whole) && (told != "200 false" || heard != "data: a stream") {
				t.Fatalf("%s: heard %q, %q", coding, heard, told)
			}
		}
	}
	// A body that says it is packed and is not, and one that goes on after its end.
	for _, body := range []string{"not packed", packed(t, "br", "data: a stream") + "more"} {
		for _, name := range []string{"br", "gzip", "zstd", "unknown"} {
			up.play(script{Status: 200, Framing: "chunked", Cut: -1, Header: http.Header{"Content-Encoding": {name}}, Chunks: []string{body}})
			if got := q.ask(t, s.base); got.Body != body || got.Cut {
				t.Fatalf("%s: %v", name, got)
			}
			if told := <-k.done; told != "200 true" {
				t.Errorf("%s, %q: %q", name, body, told)
			}
		}
	}
	// A bomb.
	s.limits.decoded = 1000
	body := packed(t, "gzip", strings.Repeat("0", 1001))
	up.play(script{Status: 200, Framing: "chunked", Cut: -1, Header: http.Header{"Content-Encoding": {"gzip"}}, Chunks: []string{body}})
	if got := q.ask(t, s.base); got.Body != body || got.Cut {
		t.Fatal("a bomb is the client's own affair")
	}
	if told := <-k.done; told != "200 true" || len(k.heard[len(k.heard)-1]) > 1000 {
		t.Errorf("a bomb: %q", told)
	}
}

// What is unpacked and packed again says the same, and nothing panics.
func FuzzCoding(f *testing.F) {
	for _, coding := range codings {
		f.Add(coding, []byte(packed(f, coding, "text")))
	}
	f.Fuzz(func(t *testing.T, coding string, data []byte) {
		plain, err := decode(coding, data, 1<<20)
		if err != nil {
			return
		}
		if len(plain) > 1<<20 && coding != "" {
			t.Fatal("too long")
		}
		again, err := encode(coding, plain)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decode(coding, again, 1<<20); err != nil || !bytes.Equal(back, plain) {
			t.Fatalf("%q becomes %q, %v", plain, back, err)
		}
	})
}
