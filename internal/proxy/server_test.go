package proxy

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"tenfold/internal/proxy/wire"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	names  = []string{"X-Api-Key", "Authorization", "Anthropic-Beta", "X-Unknown-Thing", "Accept-Encoding", "Accept", "Content-Type", "Cookie", "Via", "X-Forwarded-For"}
	values = rapid.SampledFrom([]string{"", "a", "Bearer sk-1", "gzip, br", "trailers", "ünï", `"quoted"; x=1`, strings.Repeat("long ", 2000)})
	texts  = rapid.SampledFrom([]string{"", "x", "{}", "data: {\"a\":1}\n\n", "\x00\xff\xfe", strings.Repeat("walk ", 3000), "\r\n\r\n", "0\r\n\r\n"})
)

func drawHeader(t *rapid.T, label string) http.Header {
	h := http.Header{}
	for range rapid.IntRange(0, 5).Draw(t, label+" headers") {
		h.Add(rapid.SampledFrom(names).Draw(t, "name"), strings.TrimSpace(values.Draw(t, "value")))
	}
	if rapid.Bool().Draw(t, "agent") {
		h.Set("User-Agent", "client/1 (x; y)") // once, not empty: Go sends no other
	}
	return h
}

func drawTrailer(t *rapid.T) map[string]string {
	if !rapid.Bool().Draw(t, "trailer") {
		return nil
	}
	return map[string]string{"X-Sum": "1", "X-Other": rapid.SampledFrom([]string{"", "two"}).Draw(t, "trailer value")}
}

func drawQuestion(t *rapid.T) question {
	q := question{
		Method: rapid.SampledFrom([]string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"}).Draw(t, "method"),
		Path: rapid.SampledFrom([]string{
			"", "/", "/v1/messages?beta=true", "/v1/messages", "/v1beta/models/gemini-3:streamGenerateContent?alt=sse&key=k", "/a%2Fb/c%20d", "//double", "/v1//messages",
			"/a/../b", "/?", "/?x", "/q?a=b;c=d&%zz=%", `/we"ird'<>|`, "/ü", "/http://elsewhere.example/", "/a:b@c",
		}).Draw(t, "path"),
		Header: drawHeader(t, "question"),
	}
	if rapid.Bool().Draw(t, "te") {
		q.Header["Te"] = []string{"trailers"}
	}
	if !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, q.Method) {
		q.Body = strings.Join(rapid.SliceOfN(texts, 0, 4).Draw(t, "body"), "")
		if q.Chunked = rapid.Bool().Draw(t, "chunked"); q.Chunked && q.Body != "" { // Go sends none after nothing
			q.Trailer = drawTrailer(t)
		}
	}
	return q
}

func drawScript(t *rapid.T) script {
	s := script{
		Status:   rapid.SampledFrom([]int{200, 200, 201, 204, 206, 301, 304, 307, 400, 401, 404, 413, 429, 500, 502, 529}).Draw(t, "status"),
		Header:   drawHeader(t, "script"),
		Chunks:   slices.DeleteFunc(rapid.SliceOfN(texts, 0, 4).Draw(t, "chunks"), func(c string) bool { return c == "" }),
		Framing:  rapid.SampledFrom([]string{"length", "chunked", "close"}).Draw(t, "framing"),
		Informal: rapid.Bool().Draw(t, "informal"),
		Cut:      -1,
	}
	if rapid.Bool().Draw(t, "located") {
		s.Header.Set("Location", "https://elsewhere.example/")
	}
	if s.Status == 304 {
		s.Header.Del("Content-Type") // Go sends none
	}
	if s.Framing == "chunked" {
		s.Trailer, s.Surprise = drawTrailer(t), rapid.Bool().Draw(t, "surprise")
	}
	if rapid.IntRange(0, 2).Draw(t, "cut or not") == 0 {
		s.Cut = rapid.IntRange(0, len(s.bytes())-1).Draw(t, "cut")
	}
	return s
}

// X1, X7: a client sees of the upstream, and the upstream of a client, what they
// see of one another without us, whether the request is read or not.
func TestX1TransparentBothWays(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	for name, keeper := range map[string]Keeper{"unread": nil, "read": newScribe()} {
		s := run(t, keeper, up.URL)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				q, s1 := drawQuestion(t), drawScript(t)
				if q.Method == http.MethodHead {
					s1.Framing, s1.Cut = "none", -1
				}
				up.play(s1)
				if k, ok := keeper.(*scribe); ok {
					for len(k.done) > 0 {
						<-k.done
					}
				}
				want, sent := q.ask(t, up.URL), up.asked()
				up.play(s1)
				got, forwarded := q.ask(t, s.base), up.asked()
				if d := diff.Diff(want.framed(s1), got.framed(s1)); d != "" {
					t.Fatalf("the client sees something else (-direct +through us):\n%s", d)
				}
				if d := diff.Diff(asSent(sent), asSent(forwarded)); d != "" {
					t.Fatalf("the upstream sees something else (-direct +through us):\n%s", d)
				}
			})
		})
	}
}

// asSent leaves out how a body is framed that was read whole.
func asSent(all []seen) []seen {
	for i := range all {
		all[i].Length, all[i].Coding = 0, nil
		all[i].Header.Del("Content-Length")
	}
	return all
}

// X1: an empty body goes as one, and not in chunks.
func TestX1EmptyBodies(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	for name, keeper := range map[string]Keeper{"unread": nil, "read": newScribe()} {
		s := run(t, keeper, up.URL)
		up.play(script{Status: 200, Framing: "length", Cut: -1})
		question{Method: "POST", Path: "/v1/messages", Header: http.Header{"Content-Length": {"0"}}}.ask(t, s.base)
		if all := up.asked(); len(all) != 1 || all[0].Length != 0 || all[0].Coding != nil {
			t.Errorf("%s: the upstream sees %+v", name, all)
		}
	}
}

// X1: a response of an upstream is cut where the upstream is, at every byte.
func TestX1CutAtEveryByte(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	keeper := newScribe()
	s := run(t, keeper, up.URL)
	for _, framing := range []string{"length", "chunked"} {
		one := script{Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Chunks: []string{"data: a\n\n", "data: b\n\n"}, Framing: framing}
		for one.Cut = range len(one.bytes()) + 1 {
			up.play(one)
			q := question{Method: "POST", Path: "/v1/messages", Body: "{}"}
			want, got := q.ask(t, up.URL), q.ask(t, s.base)
			if d := diff.Diff(want, got); d != "" {
				t.Fatalf("%s cut at %d (-direct +through us):\n%s", framing, one.Cut, d)
			}
			told := <-keeper.done
			if cut := strings.HasSuffix(told, "true"); cut != (want.Cut || want.Failed) {
				t.Fatalf("%s cut at %d: the Keeper hears %q", framing, one.Cut, told)
			}
		}
	}
}

// X1: every chunk is with the client before the next one leaves the vendor.
func TestX1ChunkByChunk(t *testing.T) {
	t.Parallel()
	next := make(chan bool)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", wire.Event)
		_ = http.NewResponseController(w).Flush()
		for i := range 50 {
			if !<-next {
				return
			}
			_, _ = io.WriteString(w, strconv.Itoa(i%10))
			_ = http.NewResponseController(w).Flush()
		}
	}))
	defer up.Close()
	defer close(next)
	keeper := newScribe()
	s := run(t, keeper, up.URL)
	res, err := http.Post(s.base+"/messages", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var one [1]byte
	for i := range 50 {
		next <- true
		if _, err := io.ReadFull(res.Body, one[:]); err != nil || string(one[:]) != strconv.Itoa(i%10) {
			t.Fatalf("chunk %d: %q, %v", i, one, err)
		}
	}
	if _, err := res.Body.Read(one[:]); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if told := <-keeper.done; told != "200 false" || keeper.heard[0] != strings.Repeat("0123456789", 5) {
		t.Fatalf("the Keeper hears %q, %q", told, keeper.heard)
	}
}
