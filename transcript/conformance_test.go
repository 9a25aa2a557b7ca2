package transcript

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
)

// This file is what every importer has to pass. Each format has samples in
// testdata/<format>/, written by hand; a sample's golden file lists the entries
// that importing it gives, and is renewed by -update.

var update = flag.Bool("update", false, "renew the golden files of the samples")

// A hand-written source of one format.
type written struct {
	format Format
	path   string
	data   []byte
}

// samples lists the samples of one format, or of all.
func samples(tb testing.TB, format Format) []written {
	tb.Helper()
	pattern := string(format)
	if pattern == "" {
		pattern = "*"
	}
	paths, err := filepath.Glob(filepath.Join("testdata", pattern, "*"))
	if err != nil {
		tb.Fatal(err)
	}
	var list []written
	for _, path := range paths {
		f := Format(filepath.Base(filepath.Dir(path)))
		info, err := os.Stat(path)
		if err != nil {
			tb.Fatal(err)
		}
		if h, _ := find(f); h.Import == nil || info.IsDir() || strings.HasSuffix(path, ".golden") || strings.HasSuffix(path, ".sql") {
			continue
		}
		if corpustest.UnderRace && !corpustest.All() && format == "" && len(list) > 0 && list[len(list)-1].format == f {
			continue // one of each format
		}
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, written{f, path, data})
	}
	return list
}

func (w written) read(data []byte, as Format) ([]Collected, error) {
	return w.readAs(Source{}, data, as)
}

// readAs reads data in a source that is otherwise as said.
func (w written) readAs(src Source, data []byte, as Format) ([]Collected, error) {
	var k Collector
	src.Name, src.Reader, src.Size = w.path, bytes.NewReader(data), int64(len(data))
	err := Import(context.Background(), src, as, &k)
	return k.Conversations, err
}

func TestSamples(t *testing.T) {
	for _, w := range samples(t, "") {
		t.Run(w.path, func(t *testing.T) {
			got, err := w.read(w.data, "")
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for _, c := range got {
				if c.Format != w.format {
					t.Errorf("read as %q", c.Format)
				}
				checkLaws(t, c)
				all.WriteString("conversation " + c.ID + " " + c.Title + "\n" + describe(c.Entries))
				for _, text := range c.Warnings {
					all.WriteString("warning " + text + "\n")
				}
			}
			golden := w.path + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if all.String() != string(want) {
				t.Errorf("entries differ\n got:\n%s\nwant:\n%s", all.String(), want)
			}
		})
	}
}

// Every format that can be read has a sample. Those that are databases or
// whose first samples are made by code are named here.
func TestEveryFormatHasSamples(t *testing.T) {
	elsewhere := []Format{Tenfold, ClaudeCode, JP, Crush}
	for _, f := range Formats() {
		if f.Import && len(samples(t, f.Format)) == 0 && !slices.Contains(elsewhere, f.Format) {
			t.Errorf("there is nothing in testdata/%s", f.Format)
		}
	}
}

// A source that was cut off, or that has bytes changed, gives an error of ours
// or conversations that obey the laws.
func TestSamplesDamaged(t *testing.T) {
	t.Parallel()
	for _, w := range samples(t, "") {
		t.Run(w.path, func(t *testing.T) {
			step := max(1, len(w.data)/corpustest.Tries(200))
			for at := 0; at < len(w.data); at += step {
				damaged := bytes.Clone(w.data)
				damaged[at] = "\x00\xff{]\"\\9"[at/step%7]
				for _, data := range [][]byte{w.data[:at], damaged, slices.Delete(bytes.Clone(w.data), at, min(at+3, len(w.data)))} {
					got, err := w.read(data, w.format)
					var ours *Error
					if err != nil && !errors.As(err, &ours) {
						t.Fatalf("at %d: the error is not ours: %v", at, err)
					}
					for _, c := range got {
						checkLaws(t, c)
					}
					if t.Failed() {
						t.Fatalf("damaged at %d: %.300q", at, data[max(0, at-100):])
					}
				}
			}
		})
	}
}

// A source that grows by whole lines keeps its conversation and its ids, and
// what is new is new (L9): checked for the formats that are lines.
func TestSamplesGrow(t *testing.T) {
	for _, w := range samples(t, "") {
		if intake.NewHead(w.data, w.path).JSON.Shape != intake.ShapeLines {
			continue
		}
		t.Run(w.path, func(t *testing.T) {
			whole, err := w.read(w.data, w.format)
			if err != nil {
				t.Fatal(err)
			}
			for at := range w.data {
				if w.data[at] == '\n' && at+1 < len(w.data) {
					if part, err := w.read(w.data[:at+1], w.format); err == nil {
						checkGrown(t, part, whole)
					}
				}
			}
		})
	}
}

// checkGrown checks that a source read earlier is the beginning of what it is
// now: its entries are all there, unchanged. Entries that only say what the
// tool compacted may be new ones.
func checkGrown(tb testing.TB, before, now []Collected) {
	tb.Helper()
	for _, b := range before {
		i := slices.IndexFunc(now, func(c Collected) bool { return c.ID == b.ID })
		if i < 0 {
			tb.Errorf("conversation %s is gone", b.ID)
			continue
		}
		have := map[string]tenfold.Entry{}
		for _, e := range now[i].Entries {
			have[e.ID] = e
		}
		for _, e := range b.Entries {
			got, ok := have[e.ID]
			if !ok {
				tb.Errorf("entry %s of the shorter source is not in the longer one", e.ID)
			} else if !reflect.DeepEqual(got.Payload, e.Payload) {
				tb.Errorf("entry %s says %s, in the shorter source it said %s", e.ID, short(got), short(e))
			}
		}
	}
}

// Every file of the corpus imports, and no view of it breaks a provider's
// rules. What holds no conversation is refused, and the refusal says what it is.
func TestCorpus(t *testing.T) {
	parts := map[string]string{
		"/metadata.json": "of a JP conversation", "/base_config.json": "of a JP conversation", "no-samples.json": "no sample",
	}
	for _, file := range corpustest.Sample(corpustest.Files(t)) {
		t.Run(file.Name, func(t *testing.T) {
			f, err := Open(file.Path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			var k Collector
			err = Import(context.Background(), f.Source, "", &k)
			for suffix, says := range parts {
				if strings.HasSuffix(file.Name, suffix) {
					if err == nil || !strings.Contains(errorText(err), says) {
						t.Errorf("%v, want a refusal that says %q", err, says)
					}
					return
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(k.Conversations) == 0 {
				t.Error("no conversation")
			}
			for _, c := range k.Conversations {
				checkLaws(t, c)
			}
		})
	}
}
