package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
)

// generated gives a session of about size bytes without ever holding it.
func generated(size int) io.Reader {
	text := strings.Repeat("all work and no play makes a dull transcript\\n", 60)
	round := 0
	var rest []byte
	return readerFunc(func(p []byte) (int, error) {
		for len(rest) == 0 {
			if size <= 0 {
				return 0, io.EOF
			}
			s := &session{last: fmt.Sprintf("r%d", round)}
			round++
			if round%50 == 1 {
				s.user(fmt.Sprintf("u%d", round), fmt.Sprintf("%q", fmt.Sprint("please do number ", round)))
			}
			m, id := fmt.Sprintf("m%d", round), fmt.Sprintf("t%d", round)
			s.assistant(fmt.Sprintf("a%d", round), m, `{"type":"thinking","thinking":"`+text[:900]+`","signature":"`+strings.Repeat("Ab", 150)+`"}`)
			s.assistant(fmt.Sprintf("b%d", round), m, call(id))
			s.user(fmt.Sprintf("r%d", round), `[{"type":"tool_result","tool_use_id":"`+id+`","content":"`+text+`"}]`, `,"toolUseResult":{"stdout":"`+text+`"}`)
			rest = []byte(s.String())
			size -= len(rest)
		}
		n := copy(p, rest)
		rest = rest[n:]
		return n, nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// peakSink keeps the entries and watches the heap while they come.
type peakSink struct {
	Collector
	n    int
	peak uint64
}

func (s *peakSink) look() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.peak = max(s.peak, m.HeapAlloc)
}

// watchHeap imports and gives the peak of the heap beyond what was there.
func watchHeap(t *testing.T, src Source) (peak uint64, k Collector) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // whatever the tests are run with
	debug.FreeOSMemory()
	s := &peakSink{}
	s.look()
	base := s.peak
	src.Progress = func(int64) {
		if s.n++; s.n%4 == 0 {
			s.look()
		}
	}
	if err := Import(context.Background(), src, "", s); err != nil {
		t.Fatal(err)
	}
	s.look()
	return s.peak - base, s.Collector
}

const (
	largeSize  = 60 << 20
	largeLimit = 300 << 20
)

func TestLargeFile(t *testing.T) {
	corpustest.Unraced(t)
	if testing.Short() {
		t.Skip("imports 60 MB")
	}
	peak, k := watchHeap(t, Source{Name: "large.jsonl", Reader: generated(largeSize), Size: largeSize})
	t.Logf("peak heap %d MB, %d entries", peak>>20, len(k.Conversations[0].Entries))
	if peak > largeLimit {
		t.Errorf("peak heap is %d MB, want at most %d", peak>>20, largeLimit>>20)
	}
}

func TestLargeLine(t *testing.T) {
	corpustest.Unraced(t)
	if testing.Short() {
		t.Skip("imports 60 MB")
	}
	s := new(session).user("u1", `"go"`)
	for name, text := range map[string]string{
		"plain":   strings.Repeat("x", largeSize),
		"escaped": strings.Repeat(`line\n`, largeSize/6),
	} {
		t.Run(name, func(t *testing.T) {
			parts := []io.Reader{
				strings.NewReader(s.String()),
				strings.NewReader(`{"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"s-1","message":{"content":"`), strings.NewReader(text),
				strings.NewReader("\"}}\n" + s.String()),
			}
			peak, k := watchHeap(t, Source{Name: "large.jsonl", Reader: io.MultiReader(parts...), Size: int64(len(text)) + 1000})
			t.Logf("peak heap %d MB", peak>>20)
			if n := len(k.Conversations[0].Entries); n != 6 {
				t.Errorf("%d entries, want 6", n)
			}
			if peak > largeLimit {
				t.Errorf("peak heap is %d MB, want at most %d", peak>>20, largeLimit>>20)
			}
		})
	}
}

func TestLargeJP(t *testing.T) {
	corpustest.Unraced(t)
	if testing.Short() {
		t.Skip("imports 60 MB")
	}
	event := `{"timestamp":"2026-01-02 03:04:05","type":"tool_call_response","id":"t","content":"` + b64(strings.Repeat("text ", 2000)) + `","is_error":false}`
	n := largeSize / len(event)
	parts := []io.Reader{strings.NewReader("[")}
	for i := range n {
		sep := ",\n"
		if i == n-1 {
			sep = "]"
		}
		parts = append(parts, strings.NewReader(event), strings.NewReader(sep))
	}
	peak, k := watchHeap(t, Source{Name: "events.json", Reader: io.MultiReader(parts...)})
	t.Logf("peak heap %d MB", peak>>20)
	if got := len(k.Conversations[0].Entries); got != n {
		t.Errorf("%d entries, want %d", got, n)
	}
	if peak > largeLimit {
		t.Errorf("peak heap is %d MB, want at most %d", peak>>20, largeLimit>>20)
	}
}

// lines of any length come out whole, whatever the reader's pieces.
func TestLineReader(t *testing.T) {
	var text bytes.Buffer
	var want []int
	for i := range 40 {
		n := 1 + i*i*i*9
		want = append(want, n)
		text.Write(bytes.Repeat([]byte{'a' + byte(i%26)}, n))
		text.WriteString("\n\n")
	}
	for _, piece := range []int{7, 4096, 1 << 20} {
		data := text.Bytes()
		r := intake.NewLineReader(context.Background(), Source{Reader: readerFunc(func(p []byte) (int, error) {
			if len(data) == 0 {
				return 0, io.EOF
			}
			n := copy(p[:min(len(p), piece)], data)
			data = data[n:]
			return n, nil
		})})
		for i, n := range want {
			line, err := r.Next()
			if err != nil || len(line) != n || bytes.Count(line, line[:1]) != n {
				t.Fatalf("piece %d, line %d: %d bytes, want %d, %v", piece, i, len(line), n, err)
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("after the end: %v", err)
		}
	}
}
