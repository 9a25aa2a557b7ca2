package keeper_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/store/sqlite"
	"tenfold/strategy"
)

// A source gives results that are like source code: hardly a line is there twice, and
// most words are names.
func source(size int) func() string {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("%c%x", 'a'+rng.IntN(26), rng.IntN(4000)*7919) }
	return func() string {
		var b strings.Builder
		for b.Len() < size {
			_, _ = fmt.Fprintf(&b, "%d\t%s.%s(%s/%s.go, %d)\n", rng.IntN(2000), word(), word(), word(), word(), rng.IntN(1<<20))
		}
		return b.String()
	}
}

// X9: what the request at which an epoch begins has the processor do, and what it waits:
// the longest of those that lead there from a context that is not full.
func BenchmarkX9EpochAlone(b *testing.B) {
	for _, size := range []int{400 << 10, 4 << 20} {
		for _, name := range []string{"rest", "thought", "words", "loop", "cold", "jump", "paste", "anew", "expected", "recent"} {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, name), func(b *testing.B) {
				var waits, cpu, beside time.Duration
				for b.Loop() {
					w, c, s := epochAlone(b, size, name)
					waits, cpu, beside = waits+w, cpu+c, beside+s
				}
				b.ReportMetric(float64(waits)/1e6/float64(b.N), "wait-ms")
				b.ReportMetric(float64(cpu)/1e6/float64(b.N), "cpu-ms")
				b.ReportMetric(float64(beside)/1e6/float64(b.N), "beside-cpu-ms")
			})
		}
	}
}

func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func epochAlone(b *testing.B, size int, name string) (wait, cpu, beside time.Duration) {
	p := newPlace(b)
	disk, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "t.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = disk.Close() }()
	p.store = disk
	p.live = session.Live{Auto: session.LiveAuto{Enabled: true}}
	p.live.Request.Options = strategy.Options{Window: size / 4 * 100 / 82}
	p.restart()
	defer p.close()
	c := newClient(p, "s")
	c.hour = name == "paste"
	text := source(4000)
	call := func(n int) string {
		return fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/%d.go"}}`, n, n)
	}
	read := func(n int) {
		if last := c.messages[len(c.messages)-1]; !strings.Contains(last, `"tool_use"`) {
			c.messages = append(c.messages, `{"role":"assistant","content":[`+call(n)+`]}`)
		}
		c.messages = append(c.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[%s]}]}`, n, said(text())))
	}
	length := func() (n int) {
		for _, m := range c.messages {
			n += len(m)
		}
		return n
	}
	think, says := "", said("Done.")
	ask := func() (wait, cpu time.Duration, sent int) {
		raw := c.body()
		keeper.Rest(p.k, false)
		at, used := time.Now(), processor()
		ex := p.k.Take(context.Background(), proxy.Incoming{Protocol: wire.Anthropic{}, Kind: wire.Generate, Path: c.path, Header: c.header, Body: raw})
		sent = len(ex.Body())
		wait, cpu = time.Since(at), processor()-used
		keeper.Rest(p.k, false)
		blocks := think + says
		if l := ex.Heard(); l != nil {
			_, _ = fmt.Fprintf(l, `{"id":"m","type":"message","role":"assistant","model":"m","content":[%s],"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":9}}`, blocks, sent/4)
		}
		ex.Done(200, false)
		c.messages = append(c.messages, `{"role":"assistant","content":[`+blocks+`]}`)
		beside += processor() - used - cpu
		return wait, cpu, sent
	}
	c.user("Read all.")
	n := 0
	for ; length() < size*9/10; n++ {
		read(n)
	}
	c.messages = append(c.messages, `{"role":"assistant","content":[`+said("ok")+`]}`)
	for range 2 {
		c.user("And then?")
		ask()
	}
	keeper.Rest(p.k, true)
	beside = 0
	c.user("And then?")
	switch name {
	case "thought", "rest":
		for ; length() < size*51/50; n++ {
			read(n)
		}
		if name == "thought" {
			think = `{"type":"thinking","thinking":"hm","signature":"c2ln"},`
		}
		ask()
		keeper.Rest(p.k, true)
		c.user("And then?")
	case "words", "jump", "paste":
		full := map[string]int{"words": size * 51 / 50, "jump": size * 118 / 100, "paste": size * 118 / 100}[name] // 97 % of the window
		c.messages = c.messages[:len(c.messages)-1]
		c.user(strings.ReplaceAll(text(), "\t", " ") + strings.Repeat(text(), (full-length())/4000))
	case "cold":
		if p.pass(6 * time.Minute); keeper.Cool(p.k) != 1 {
			b.Fatal("nothing is done as the cache gets cold")
		}
	}
	if name == "anew" || name == "expected" || name == "recent" { // nobody was there as the cache got cold
		p.pass(6 * time.Minute)
		switch name {
		case "expected":
			p.expect.Tool = "claude-code"
		case "recent":
			p.expect.Recent = keeper.Recent
		}
		p.restart()
		used := processor()
		keeper.Ahead(p.k)
		beside += processor() - used
	}
	if name == "loop" { // step by step, with answers that call
		for ; length() < size*107/100; n++ {
			read(n)
		}
		for {
			before := length()
			var sent int
			think, says = `{"type":"thinking","thinking":"hm","signature":"c2ln"},`, call(n)
			if wait, cpu, sent = ask(); sent < before*9/10 {
				return wait, cpu, beside
			}
			read(n)
			n++
		}
	}
	for try := 1; ; try++ {
		before := length()
		w, used, sent := ask()
		if wait, cpu = max(wait, w), max(cpu, used); sent < before*9/10 {
			return wait, cpu, beside
		}
		if try == 3 {
			b.Fatal("no epoch began")
		}
		read(n)
		n++
	}
}
