package transcript

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// This file is what every importer has to do with a source that is made to fill
// the memory: take a stated multiple of its size, or refuse it.

// What docs/formats.md promises: no file takes more than so many times its size,
// unpacked, and so much beside.
const (
	memoryRatio = 32
	memoryFree  = 1 << 30
)

// heapPeak runs f and gives how far the heap rose, in bytes of objects, what
// the collector has not taken away yet included.
func heapPeak(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // whatever the tests are run with
	heap := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	runtime.GC()
	base := heap()
	peak := base
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			peak = max(peak, heap())
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	f()
	close(stop)
	<-done
	return max(peak, heap()) - base
}

// importPeak imports under limits that a small source can reach, and gives how
// far the heap rose while the entries were kept.
func importPeak(tb testing.TB, src Source, format Format, l intake.Limits) (peak int64, err error) {
	tb.Helper()
	var k Collector
	peak = heapPeak(func() {
		err = importWithin(tb.Context(), src, format, &k, l)
		runtime.KeepAlive(&k)
	})
	var ours *Error
	if err != nil && (!errors.As(err, &ours) || ours.Hint == "") {
		tb.Errorf("the error is not ours: %v", err)
	}
	return peak, err
}

// bombs gives sources of about size bytes made from a sample: records and values
// in it without end.
func bombs(w written, size int) map[string]func() []byte {
	many := func(s string) string { return strings.Repeat(s, size/len(s)) }
	list := func(s string) string { return strings.TrimSuffix(many(s), ",") }
	// within puts a value in the place of the last one of a name.
	within := func(name, value, with string) func() []byte {
		found := regexp.MustCompile(`"(?:`+name+`)"\s*:\s*(`+value+`)`).FindAllSubmatchIndex(w.data, -1)
		if found == nil {
			return nil
		}
		at := found[len(found)-1]
		return func() []byte { return []byte(string(w.data[:at[2]]) + with + string(w.data[at[3]:])) }
	}
	const text, contents = `"(?:[^"\\]|\\.)*"`, "content|parts|messages|input|output|history"
	out := map[string]func() []byte{
		"a text":             within("content|text|message", text, `"`+many(`\n`)+`"`),
		"a text not UTF-8":   within("content|text|message", text, `"`+many("\xffx")+`"`),
		"blocks":             within("content", text, "["+list(`{"type":"text","text":"x"},`)+"]"),
		"texts in a list":    within(contents, `\[`, "["+many(`"xxxxxx",`)),
		"numbers in a list":  within(contents, `\[`, "["+many("0,")),
		"objects in a list":  within(contents, `\[`, "["+many("{},")),
		"members":            within(contents, text, "{"+list(`"a":0,`)+"}"),
		"a list of a member": func() []byte { return bytes.Replace(w.data, []byte("{"), []byte(`{"zz":[`+list("[],")+`],`), 1) },
		"white space":        func() []byte { return bytes.Replace(w.data, []byte("{"), []byte("{"+many("\n")), 1) },
		"lines of nothing":   func() []byte { return []byte(string(w.data) + "\n" + many("{}\n")) },
		"damaged lines":      func() []byte { return []byte(string(w.data) + "\n" + many("{x}\n")) },
		"itself":             func() []byte { return []byte(many(string(w.data) + "\n")) },
	}
	if last := bytes.LastIndexByte(w.data, ']'); last > 0 {
		out["items of nothing"] = func() []byte { return []byte(string(w.data[:last]) + "," + list("{},") + string(w.data[last:])) }
		out["damaged items"] = func() []byte { return []byte(string(w.data[:last]) + "," + list("{x},") + string(w.data[last:])) }
	}
	if intake.NewHead(w.data, w.path).JSON.Shape == intake.ShapeText {
		out = map[string]func() []byte{
			"a line":             func() []byte { return []byte(string(w.data) + many("x")) },
			"short lines":        func() []byte { return []byte(string(w.data) + many("x\n")) },
			"blank lines":        func() []byte { return []byte(string(w.data) + many("\n")) },
			"control characters": func() []byte { return []byte(string(w.data) + many("\x01")) },
			"itself":             out["itself"],
		}
	}
	return out
}

// No source takes more memory than its size answers for, whatever it is made
// of; each is read or refused, and the refusal says what to try (A3).
func TestSamplesBombs(t *testing.T) {
	if corpustest.Unraced(t); testing.Short() {
		t.Skip("takes a minute")
	}
	const size = 2 << 20
	l := intake.Limits{Record: 1 << 30, Unpacked: 1 << 20, Kept: 8 << 20}
	seen := map[Format]bool{}
	tried := 0
	for _, w := range samples(t, "") {
		if seen[w.format] {
			continue
		}
		seen[w.format] = true
		all := bombs(w, size)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			bomb := all[name]
			if tried++; bomb == nil || !corpustest.All() && tried%9 > 0 {
				continue // each kind in some formats, and some kinds in each: a format has 14 of them
			}
			t.Run(w.path+"/"+name, func(t *testing.T) {
				data := bomb()
				peak, err := importPeak(t, Source{Name: w.path, Reader: bytes.NewReader(data), Size: int64(len(data))}, w.format, l)
				if limit := int64(memoryRatio*len(data)) + 2*walk.ScanFree + l.Kept; peak > limit {
					t.Errorf("%d MB take %d MB, want at most %d; %v", len(data)>>20, peak>>20, limit>>20, err)
				}
			})
		}
	}
}

// packedBombs gives archives that unpack to head, then to body time and again.
func packedBombs(tb testing.TB, head, body string, times int) map[string]io.Reader {
	tb.Helper()
	pack := func(text string, to io.WriteCloser, out *bytes.Buffer) string {
		if _, err := io.WriteString(to, text); err != nil {
			tb.Fatal(err)
		}
		if err := to.Close(); err != nil {
			tb.Fatal(err)
		}
		defer out.Reset()
		return out.String()
	}
	var g, z bytes.Buffer
	members := func(text string) string { return pack(text, gzip.NewWriter(&g), &g) }
	frames := func(text string) string {
		w, err := zstd.NewWriter(&z, zstd.WithWindowSize(8<<20))
		if err != nil {
			tb.Fatal(err)
		}
		return pack(text, w, &z)
	}
	return map[string]io.Reader{
		".gz":  strings.NewReader(members(head) + strings.Repeat(members(body), times)),
		".zst": strings.NewReader(frames(head) + strings.Repeat(frames(body), times)),
	}
}

// An archive of any format that unpacks to far more than its size is refused
// long before it filled the memory, and the refusal says what, where and what
// to try.
func TestSamplesPackedBombs(t *testing.T) {
	corpustest.Unraced(t)
	l := intake.Limits{Record: 1 << 30, Unpacked: 4 << 20, Kept: 4 << 20}
	seen := map[Format]bool{}
	for _, w := range samples(t, "") {
		if seen[w.format] {
			continue
		}
		seen[w.format] = true
		for name, body := range map[string]string{"one record": "x", "white space": " ", "lines": "\n"} {
			if !corpustest.All() && (len(seen)+len(name))%3 > 0 {
				continue // one kind in each format
			}
			for suffix, packed := range packedBombs(t, string(w.data), strings.Repeat(body, 1<<20), 64) {
				t.Run(w.path+"/"+name+suffix, func(t *testing.T) {
					peak, err := importPeak(t, Source{Name: "dir/x" + suffix, Reader: packed}, w.format, l)
					if err == nil || !strings.HasPrefix(err.Error(), "dir/x"+suffix+": the ") || !strings.Contains(errorText(err), " archive unpacks to more than 4 MB") ||
						!strings.Contains(errorText(err), "unpack it and import the file that comes out") {
						t.Errorf("%v", err)
					}
					if limit := memoryRatio*l.Unpacked + 32<<20; peak > limit {
						t.Errorf("peak is %d MB, want at most %d", peak>>20, limit>>20)
					}
				})
			}
		}
	}
}

// Three megabytes that unpack to three gigabytes in one event: 0.1 took seven
// gigabytes for it.
func TestPackedBomb(t *testing.T) {
	if corpustest.Unraced(t); testing.Short() {
		t.Skip("unpacks 300 MB")
	}
	for suffix, packed := range packedBombs(t, `[{"type":"chat_request","content":"`, strings.Repeat("a", 32<<20), 96) {
		size := packed.(*strings.Reader).Size()
		peak, err := importPeak(t, Source{Name: "events.json" + suffix, Reader: packed}, "", intake.DefaultLimits)
		t.Logf("%s: %d KB take %d MB: %v", suffix, size>>10, peak>>20, err)
		if err == nil || !strings.Contains(errorText(err), "unpacks to more than") || peak > memoryFree {
			t.Errorf("%s: %d KB take %d MB, %v", suffix, size>>10, peak>>20, err)
		}
	}
}

// What packs well and is sound is read: sessions do by a factor of 5 to 90.
func TestPackedSessionIsRead(t *testing.T) {
	corpustest.Unraced(t)
	var text bytes.Buffer
	if _, err := io.Copy(&text, generated(24<<20)); err != nil {
		t.Fatal(err)
	}
	packed := packGzip(t, text.String())
	var k Collector
	if err := Import(context.Background(), Source{Name: "s.jsonl.gz", Reader: strings.NewReader(packed)}, "", &k); err != nil {
		t.Errorf("%d bytes of %d: %v", len(packed), text.Len(), err)
	}
}

// A column that was added later has its default in every row, so that a small
// database holds a large one.
func TestDatabaseBomb(t *testing.T) {
	corpustest.Unraced(t)
	var script strings.Builder
	script.WriteString("CREATE TABLE session(id TEXT); CREATE TABLE message(id TEXT, session_id TEXT); CREATE TABLE part(id TEXT, message_id TEXT, data TEXT);" +
		"CREATE TABLE todo(session_id TEXT); INSERT INTO session VALUES('ses_1');" +
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000) INSERT INTO message SELECT 'msg_'||i, 'ses_1' FROM n;" +
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000) INSERT INTO todo SELECT 'ses_1' FROM n;")
	long := strings.Repeat("x", 200<<10)
	fmt.Fprintf(&script, `ALTER TABLE message ADD COLUMN data TEXT DEFAULT '{"role":"user","text":"%s"}';`, long)
	fmt.Fprintf(&script, `ALTER TABLE todo ADD COLUMN text TEXT DEFAULT '%s';`, long)
	path := writeDatabase(t, script.String())
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	peak, err := importPeak(t, f.Source, "", intake.Limits{Record: 1 << 30, Unpacked: 1 << 20, Kept: 8 << 20})
	if limit := memoryRatio*f.Size + 64<<20; err == nil || !strings.Contains(errorText(err), "out of all proportion") || peak > limit {
		t.Errorf("%d KB take %d MB, want at most %d: %v", f.Size>>10, peak>>20, limit>>20, err)
	}
}
