package bench

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pkoukk/tiktoken-go"

	"tenfold/token"
	"tenfold/token/internal/sample"
)

// ranks is the loader of the peer.
type ranks struct{}

func (ranks) LoadTiktokenBpe(file string) (map[string]int, error) {
	e := token.O200k()
	if strings.Contains(file, "cl100k") {
		e = token.Cl100k()
	}
	m := make(map[string]int)
	for id := uint32(0); e.Decode([]uint32{id}) != ""; id++ {
		m[e.Decode([]uint32{id})] = int(id)
	}
	return m, nil
}

// texts returns parts of real transcripts if there are any above this
// directory, else generated texts.
func texts(tb testing.TB) []string {
	var list []string
	size := 0
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		_ = filepath.WalkDir(filepath.Join(dir, "shared", "corpus"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || size > 2<<20 {
				return nil
			}
			file, err := os.Open(path)
			if err != nil {
				return err
			}
			defer file.Close()
			share := size + 20_000
			for dec := json.NewDecoder(file); size < share; {
				var v any
				if dec.Decode(&v) != nil {
					break
				}
				each(v, func(text string) {
					if len(text) >= 40 && strings.Count(text, " ")*40 > len(text) && size < share {
						list = append(list, text)
						size += len(text)
					}
				})
			}
			return nil
		})
		dir = filepath.Dir(dir)
	}
	if len(list) == 0 {
		tb.Log("no shared/corpus above this directory: generated texts")
		for i := range uint64(200) {
			list = append(list, sample.Mixed(i, 10_000))
		}
	}
	return list
}

func each(v any, yield func(string)) {
	switch v := v.(type) {
	case string:
		yield(v)
	case []any:
		for _, e := range v {
			each(e, yield)
		}
	case map[string]any:
		for _, e := range v {
			each(e, yield)
		}
	}
}

// Target T5: at least twelve times the peer, in the same run, with the same
// counts.
func BenchmarkT5Peer(b *testing.B) {
	list := texts(b)
	size := 0
	for _, text := range list {
		size += len(text)
	}
	tiktoken.SetBpeLoader(ranks{})
	for _, e := range []*token.Encoding{token.O200k(), token.Cl100k()} {
		peer, err := tiktoken.GetEncoding(e.Name())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(e.Name(), func(b *testing.B) {
			var ours, theirs time.Duration
			differ := 0
			for b.Loop() {
				differ = 0
				counts := make([]int, len(list))
				begin := time.Now()
				for i, text := range list {
					counts[i] = e.Count(text)
				}
				ours += time.Since(begin)
				begin = time.Now()
				for i, text := range list {
					if len(peer.EncodeOrdinary(text)) != counts[i] {
						differ++
					}
				}
				theirs += time.Since(begin)
			}
			mb := float64(size) / 1e6 * float64(b.N)
			b.ReportMetric(mb/ours.Seconds(), "MB/s")
			b.ReportMetric(mb/theirs.Seconds(), "peer-MB/s")
			b.ReportMetric(theirs.Seconds()/ours.Seconds(), "ratio")
			b.ReportMetric(float64(differ), "counts-differ")
			b.ReportMetric(float64(len(list)), "texts")
		})
	}
}
