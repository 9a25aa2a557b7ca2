package strategy

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/token"
	"tenfold/transcript"
)

func TestZZ(t *testing.T) {
	files := strings.Fields(os.Getenv("ZZ"))
	enc := token.O200k()
	for _, f := range files {
		data, _ := os.ReadFile(f)
		_ = data
		l := load(t, f, enc)
		p := tenfold.Project(l)
		raw := p.Totals().All().Before
		t0 := time.Now()
		ix := excerpt.NewIndex()
		ix.Advance(p)
		t1 := time.Now()
		for _, target := range []string{"5%", "10%", "20%"} {
			t2 := time.Now()
			s, err := Parse("fit:target=" + target)
			if err != nil {
				t.Fatal(err)
			}
			r := tenfold.Range{ToTurn: l.Turns() - 1}
			o := Options{Range: r, Index: ix, notes: &notes{}}
			ff := fitting{fit: s.(fit), p: p, o: o, index: ix}
			ff.begin()
			least := p.With(ff.overlay(nil)).Tokens()
			plan, err := Pipeline{s}.Plan(context.Background(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(f, "raw", raw, target, "least", least, "after", plan.After.Tokens(), fmt.Sprintf("%.1f%%", 100*float64(plan.After.Tokens())/float64(raw)), "index", t1.Sub(t0), "plan", time.Since(t2), plan.Nothing)
			if target == os.Getenv("ZZP") {
				for it := range plan.After.Items() {
					b, _ := json.Marshal(tenfold.Entry{Payload: it.Payload})
					fmt.Println(it.Seq, it.Fate, it.Tokens, string(b))
				}
			}
		}
	}
}

var _ = transcript.Find

func load(t *testing.T, path string, counter tenfold.Counter) *tenfold.Log {
	file, err := transcript.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all transcript.Collector
	if err := transcript.Import(t.Context(), file.Source, "", &all); err != nil {
		t.Fatal(err)
	}
	l := tenfold.NewLog(tenfold.WithCounter(counter))
	if _, err := l.Append(all.Conversations[0].Entries...); err != nil {
		t.Fatal(err)
	}
	return l
}
