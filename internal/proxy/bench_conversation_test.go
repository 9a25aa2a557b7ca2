package proxy_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// X9 over whole conversations: turns in which the model thinks and calls tools, and what
// the person says between them, from a context that is nearly full over the beginning of
// an epoch and beyond it. All ways are sent each request, one after the other, when
// nothing is done beside the requests any more, as while a model answers.
//
//	go test ./internal/proxy -run xxx -bench X9Conversation -benchtime 6x
func BenchmarkX9Conversation(b *testing.B) {
	for _, size := range []int{400 << 10, 4 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
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
			requests, epochs := 0, 0
			var atEpochs []time.Duration
			for i := 0; b.Loop(); i++ {
				rng := rand.New(rand.NewPCG(uint64(i), 9))
				d := newSource(size*85/100, fmt.Sprint("conversation ", i))
				began, steps, after := false, 0, 0
				send := func(blocks string, measured bool) {
					answer.Store(blocks)
					body := []byte(d.head + d.text.String() + "]}")
					for _, w := range all {
						w.ask(b, d, body)
						if !measured {
							w.forget()
							continue
						}
						if w.name == "ours" && !began && arrived.Load() < int64(len(body)*9/10) {
							began = true
							epochs++
							atEpochs = append(atEpochs, w.first[len(w.first)-1])
						}
					}
					if measured {
						requests++
					}
					_, _ = fmt.Fprintf(&d.text, `,{"role":"assistant","content":[%s]}`, blocks)
					quiet()
				}
				person := func(bytes int) {
					_, _ = fmt.Fprintf(&d.text, `,{"role":"user","content":[{"type":"text","text":"And then? %s"}]}`, strings.Repeat(d.result(0), bytes/4000))
				}
				for range 2 {
					person(0)
					send(said, false)
				}
				for after < 10 {
					person(size * []int{0, 0, 3}[rng.IntN(3)] / 100)
					for range 1 + rng.IntN(6) {
						if steps++; steps > 200 {
							b.Fatal("no epoch began")
						}
						id := fmt.Sprintf("toolu_loop_%d", steps)
						think := []string{"", thought}[rng.IntN(2)]
						send(think+fmt.Sprintf(`{"type":"tool_use","id":"%s","name":"Read","input":{"file_path":"/recipes/%s.txt"}}`, id, id), true)
						_, _ = fmt.Fprintf(&d.text, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"%s"}]}`, id, strings.Repeat(d.result(0), max(size*(1+rng.IntN(4))/200/4000, 1)))
						if began {
							after++
						}
					}
					send([]string{"", thought}[rng.IntN(2)]+said, true)
				}
			}
			report(b, all)
			b.ReportMetric(float64(requests), "requests")
			b.ReportMetric(float64(epochs), "epochs")
			b.ReportMetric(float64(quantile(atEpochs, .5))/1e6, "epoch-ms-p50")
			b.ReportMetric(float64(quantile(atEpochs, 1))/1e6, "epoch-ms-max")
		})
	}
}

// quiet waits until nothing is done beside the requests, and what rests after an answer
// does.
func quiet() {
	for still := 0; still < int(restTime/(20*time.Millisecond))+3; still++ {
		before := processorTime()
		time.Sleep(20 * time.Millisecond)
		if processorTime()-before > 2*time.Millisecond {
			still = -1
		}
	}
}
