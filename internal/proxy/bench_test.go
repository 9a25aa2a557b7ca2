package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tenfold/internal/config"
	"tenfold/internal/live"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/session"
	"tenfold/store/sqlite"
)

// benchWindow is the context window of the model; 0 leaves it as it is.
var benchWindow atomic.Int64

// way is one way from a client to the upstream, with the times of its requests and what
// the process had the processor do meanwhile, client and upstream included.
type way struct {
	name             string
	base             string
	first, last, cpu []time.Duration
}

// forget drops the times of the newest request, which is not measured.
func (w *way) forget() {
	n := len(w.first) - 1
	w.first, w.last, w.cpu = w.first[:n], w.last[:n], w.cpu[:n]
}

// ways are a direct connection, the standard library's reverse proxy, ours without a
// Keeper, and ours with the real one over a store on disk; and the reverse proxy once more,
// whose times beside its own tell what the machine adds to any of them.
func ways(b *testing.B, up http.HandlerFunc) []*way {
	b.Helper()
	server := httptest.NewServer(up)
	b.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		b.Fatal(err)
	}
	reverse := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u) },
		Transport: proxy.NewTransport(), FlushInterval: -1,
	}
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // or it may lose the end of a body
		reverse.ServeHTTP(w, r)
	}))
	b.Cleanup(plain.Close)
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "t.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	k := keeper.New(keeper.Options{
		Idle: restTime,
		Open: func(context.Context) (*session.Service, error) { return session.NewService(store), nil },
		Configure: func(_, model string) (session.Live, error) {
			l, err := config.Read(config.Sources{})
			if err != nil {
				return session.Live{}, err
			}
			e, err := l.With()
			if err != nil {
				return session.Live{}, err
			}
			settings, err := live.Settings(e.Config, model)
			if n := benchWindow.Load(); n > 0 {
				settings.Request.Options.Window = int(n)
				settings.Micro.Enabled = false // it would clear old results before the window is full
			}
			return settings, err
		},
	})
	b.Cleanup(func() { _ = k.Close(context.Background()) })
	return []*way{
		{name: "direct", base: server.URL},
		{name: "ReverseProxy", base: plain.URL},
		{name: "again", base: plain.URL},
		{name: "unread", base: serveBench(b, nil, u)},
		{name: "ours", base: serveBench(b, k, u)}, // the last: what arrived last is its
	}
}

func serveBench(b *testing.B, k proxy.Keeper, u *url.URL) string {
	b.Helper()
	s := proxy.NewServer(proxy.Options{Keeper: k})
	token := s.Add("", proxy.Route{Upstreams: map[string]*url.URL{"up": u}})
	server := httptest.NewServer(s)
	b.Cleanup(server.Close)
	return proxy.Base(strings.TrimPrefix(server.URL, "http://"), token, "up")
}

// ask sends a request and notes when the first and the last byte of the response
// came.
func (w *way) ask(b *testing.B, d *dialog, body []byte) {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, w.base+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	r.Header.Set("X-Claude-Code-Session-Id", d.name)
	start, before := time.Now(), processorTime()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Error(err)
		return
	}
	var one [1]byte
	_, _ = io.ReadFull(res.Body, one[:])
	w.first = append(w.first, time.Since(start))
	_, err = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK {
		b.Error(res.Status, err)
	}
	w.last = append(w.last, time.Since(start))
	w.cpu = append(w.cpu, processorTime()-before)
}

// report prints what each way takes, and beside ReverseProxy alone: the ratio of the whole
// time (X9's overhead), and what it and the first byte come later, by clock. That is by how
// much the quantiles differ; for the reverse proxy once more it is the machine's noise.
func report(b *testing.B, all []*way) {
	b.Helper()
	reference := all[1]
	for _, w := range all {
		for _, p := range []struct {
			name  string
			share float64
		}{{"p50", .5}, {"p99", .99}} {
			b.ReportMetric(float64(quantile(w.first, p.share))/1e6, w.name+"-ms-"+p.name)
			b.ReportMetric(float64(quantile(w.cpu, p.share))/1e6, w.name+"-cpu-ms-"+p.name)
			if w == reference || w.name == "direct" {
				continue
			}
			b.ReportMetric(float64(quantile(w.last, p.share))/float64(quantile(reference.last, p.share)), w.name+"/ReverseProxy-"+p.name)
			b.ReportMetric(float64(quantile(w.last, p.share)-quantile(reference.last, p.share))/1e6, w.name+"-overhead-ms-"+p.name)
			b.ReportMetric(float64(quantile(w.first, p.share)-quantile(reference.first, p.share))/1e6, w.name+"-delay-ms-"+p.name)
		}
	}
	b.ReportMetric(0, "ns/op") // of all ways together
}

func quantile(all []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// stream is a short answer of Anthropic's.
const stream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":100000,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The loaf rises."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}

event: message_stop
data: {"type":"message_stop"}

`

func answerStream(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	for event := range strings.SplitAfterSeq(stream, "\n\n") {
		_, _ = io.WriteString(w, event)
		_ = http.NewResponseController(w).Flush()
	}
}

// A dialog is a conversation as a client sends it: calls and results to a size, and
// a turn more with each request.
type dialog struct {
	name string
	head string
	text strings.Builder

	calls  int
	result func(i int) string // what a call gives
}

func newDialog(size int, name string) *dialog {
	return dialogOf(size, name, func(i int) string { return strings.Repeat(fmt.Sprintf("line %d: flour, water, salt\\n", i), 130) })
}

// newSource is one whose results are like source code: hardly a line is there twice,
// and most words are names.
func newSource(size int, name string) *dialog {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("%c%x", 'a'+rng.IntN(26), rng.IntN(4000)*7919) }
	return dialogOf(size, name, func(int) string {
		var b strings.Builder
		for b.Len() < 4000 {
			_, _ = fmt.Fprintf(&b, "%d\\t%s.%s(%s/%s.go, %d)\\n", rng.IntN(2000), word(), word(), word(), word(), rng.IntN(1<<20))
		}
		return b.String()
	})
}

func dialogOf(size int, name string, result func(i int) string) *dialog {
	d := &dialog{name: name, head: `{"model":"claude-sonnet-4-5","max_tokens":1000,"stream":true,"system":"You bake. ` + name + `","tools":[{"name":"Read","input_schema":{"type":"object"}}],"messages":[`}
	d.text.WriteString(`{"role":"user","content":"Read all recipes of ` + name + `."}`)
	d.result = result
	for ; d.text.Len() < size; d.calls++ {
		d.call(d.calls)
	}
	return d
}

func (d *dialog) call(i int) {
	_, _ = fmt.Fprintf(&d.text, `,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/recipes/%d.txt"}}]}`, i, i)
	_, _ = fmt.Fprintf(&d.text, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":"%s"}]}`, i, d.result(i))
}

func (d *dialog) next() []byte {
	body := d.head + d.text.String() + "]}"
	d.say()
	return []byte(body)
}

// say adds the answer, and what the person says to it.
func (d *dialog) say() {
	d.text.WriteString(`,{"role":"assistant","content":[{"type":"text","text":"The loaf rises."}]},{"role":"user","content":[{"type":"text","text":"And then?"}]}`)
}

// X9: a turn more of a long conversation, which is what nearly all requests are.
func BenchmarkX9Request(b *testing.B) {
	for _, size := range []int{400 << 10, 4 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			all := ways(b, answerStream)
			d := newDialog(size, "one")
			for range 3 { // an epoch may begin
				body := d.next()
				for _, w := range all {
					w.ask(b, d, body)
					w.forget()
				}
			}
			for b.Loop() {
				body := d.next()
				for _, w := range all {
					w.ask(b, d, body)
				}
			}
			report(b, all)
		})
	}
}

// X9: the first request of a long conversation that nobody has seen: all of it is
// read and stored, and an epoch begins if it is too long.
func BenchmarkX9FirstRequest(b *testing.B) {
	for _, size := range []int{400 << 10, 4 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			all := ways(b, answerStream)
			for i := 0; b.Loop(); i++ {
				d := newDialog(size, fmt.Sprint(i))
				body := d.next()
				for _, w := range all {
					w.ask(b, d, body)
				}
			}
			report(b, all)
		})
	}
}

// X9: what a request of 400 KB allocates, client and upstream included.
func BenchmarkX9Allocations(b *testing.B) {
	for _, w := range ways(b, answerStream) {
		b.Run(w.name, func(b *testing.B) {
			d := newDialog(400<<10, "one")
			w.ask(b, d, d.next())
			b.ReportAllocs()
			for b.Loop() {
				w.ask(b, d, d.next())
			}
		})
	}
}

// X9: 200 streams at once, each with a request of 40 KB; the time is that of a
// stream's first byte.
func BenchmarkX9Streams(b *testing.B) {
	all := ways(b, answerStream)
	dialogs := make([]*dialog, 200)
	for i := range dialogs {
		dialogs[i] = newDialog(40<<10, fmt.Sprint("stream ", i))
	}
	transport, ok := http.DefaultTransport.(*http.Transport)
	if ok {
		defer func(n int) { transport.MaxIdleConnsPerHost = n }(transport.MaxIdleConnsPerHost)
		transport.MaxIdleConnsPerHost = len(dialogs)
	}
	round := func() {
		bodies := make([][]byte, len(dialogs))
		for i, d := range dialogs {
			bodies[i] = d.next()
		}
		for _, w := range all {
			own := make([]way, len(bodies))
			var asked sync.WaitGroup
			before := processorTime()
			for i, body := range bodies {
				own[i].base = w.base
				asked.Go(func() { own[i].ask(b, dialogs[i], body) })
			}
			asked.Wait()
			w.cpu = append(w.cpu, (processorTime()-before)/time.Duration(len(bodies)))
			for _, o := range own {
				w.first, w.last = append(w.first, o.first...), append(w.last, o.last...)
			}
		}
	}
	round() // the conversations are new
	for _, w := range all {
		w.first, w.last, w.cpu = nil, nil, nil
	}
	for b.Loop() {
		round()
	}
	report(b, all)
}

// X9: the request at which an epoch begins, of a conversation that was followed all
// along, and those that fill it up to there. Its answers tell what it takes, so that it
// is known when it is full: by an answer, with a thought in it or without, by what the
// person said, or inside a turn whose answers think and call.
func BenchmarkX9Epoch(b *testing.B) {
	for _, size := range []int{400 << 10, 4 << 20} {
		for _, name := range []string{"answer", "thought", "words", "loop"} {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, name), func(b *testing.B) {
				var arrived atomic.Int64
				var answer atomic.Value // the blocks of the answer
				all := ways(b, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					arrived.Store(int64(len(body)))
					w.Header().Set("Content-Type", "application/json")
					_, _ = fmt.Fprintf(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[%s],"stop_reason":"end_turn","usage":{"input_tokens":10,"cache_read_input_tokens":%d,"output_tokens":5}}`,
						answer.Load(), len(body)/3)
				})
				benchWindow.Store(int64(size) / 3 * 100 / 82) // 80 % of it are a little less than size
				defer benchWindow.Store(0)
				for i := 0; b.Loop(); i++ {
					d := newSource(size*93/100, fmt.Sprint("epoch ", i))
					// ask sends what was said, has the model answer, and tells whether an epoch
					// began. What came before is not measured.
					ask := func(blocks string, measured bool) (began bool) {
						answer.Store(blocks)
						body := []byte(d.head + d.text.String() + "]}")
						for _, w := range all {
							w.ask(b, d, body)
							if began = w.name == "ours" && arrived.Load() < int64(len(body)*9/10); !measured {
								w.forget()
							}
						}
						_, _ = fmt.Fprintf(&d.text, `,{"role":"assistant","content":[%s]}`, blocks)
						return began
					}
					person := func(text string) {
						_, _ = fmt.Fprintf(&d.text, `,{"role":"user","content":[{"type":"text","text":"%s"}]}`, text)
					}
					for range 2 {
						if ask(said, false) {
							b.Fatal("an epoch began too early")
						}
						person("And then?")
					}
					ask(said, false)
					rest()
					switch name {
					case "answer", "thought":
						d.grow(size * 51 / 50)
						ask(map[string]string{"answer": "", "thought": thought}[name]+said, false)
						rest()
						person("And then?")
					case "words":
						person(strings.Repeat(d.result(0), size*9/100/4000))
						ask(said, true)
						rest()
						person("And then?")
					case "loop":
						person("Read on.")
						for step := 0; ; step++ {
							if step == 50 {
								b.Fatal("no epoch began in the loop")
							}
							id := fmt.Sprintf("toolu_loop_%d", step)
							began := ask(thought+fmt.Sprintf(`{"type":"tool_use","id":"%s","name":"Read","input":{"file_path":"/recipes/%s.txt"}}`, id, id), d.text.Len() > size)
							if rest(); began {
								break
							}
							_, _ = fmt.Fprintf(&d.text, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"%s"}]}`, id, strings.Repeat(d.result(0), max(size/100/4000, 1)))
						}
						continue
					}
					if !ask(said, true) {
						b.Fatal("no epoch began")
					}
					rest()
				}
				report(b, all)
			})
		}
	}
}

// The blocks of answers.
const (
	said    = `{"type":"text","text":"The loaf rises."}`
	thought = `{"type":"thinking","thinking":"hm","signature":"c2ln"},`
)

// restTime is how long after an answer a conversation is at rest.
const restTime = 300 * time.Millisecond

// rest waits until nothing is done beside the requests any more.
func rest() {
	for quiet := 0; quiet < 4; quiet++ {
		before := processorTime()
		time.Sleep(500 * time.Millisecond)
		if processorTime()-before > 5*time.Millisecond {
			quiet = -1
		}
	}
}

// grow adds what a tool gave, up to a size.
func (d *dialog) grow(size int) {
	for ; d.text.Len() < size; d.calls++ {
		d.call(d.calls)
	}
}

// processorTime is what the process has used of the processor.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
