package transcript

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
)

// TestSamplesHostile gives every importer what a transcript should not hold,
// within a source that is otherwise right. Each gives an error of ours, or
// conversations that obey the laws.
func TestSamplesHostile(t *testing.T) {
	t.Parallel()
	corpustest.Unraced(t)
	const deep = 100_000
	paths := regexp.MustCompile(`("(?:id|uuid|sessionId|session_id|parentId|call_id|callID|tool_call_id|instance_id)"\s*:\s*)"[^"]*"`)
	for _, w := range samples(t, "") {
		brace := bytes.IndexByte(w.data, '{')
		if intake.NewHead(w.data, w.path).JSON.Shape == intake.ShapeText || brace < 0 {
			continue
		}
		member := func(value string) []byte {
			comma := ","
			if rest := bytes.TrimSpace(w.data[brace+1:]); rest[0] == '}' {
				comma = ""
			}
			return []byte(string(w.data[:brace+1]) + `"zz":` + value + comma + string(w.data[brace+1:]))
		}
		for name, data := range map[string][]byte{
			"nested without end": member(strings.Repeat("[", deep)),
			"nested":             member(strings.Repeat("[", deep) + strings.Repeat("]", deep)),
			"nested objects":     member(strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep)),
			"nested within what a decoder takes": member(strings.Repeat(`[{"content":`, 4_000) + `"x"` +
				strings.Repeat("}]", 4_000)),
			"ids that are paths":   paths.ReplaceAll(w.data, []byte(`$1"../../../etc/passwd"`)),
			"ids that are escapes": paths.ReplaceAll(w.data, []byte(`$1"\u001b]0;x\u0007\u0000"`)),
			"empty ids":            paths.ReplaceAll(w.data, []byte(`$1""`)),
			"long ids":             paths.ReplaceAll(w.data, []byte(`$1"`+strings.Repeat("x", 5_000)+`"`)),
			"numbers for ids":      paths.ReplaceAll(w.data, []byte(`${1}1e999`)),
			"a lone surrogate":     bytes.ReplaceAll(w.data, []byte(`e`), []byte(`\ud800`)),
			"nulls for texts":      regexp.MustCompile(`(:\s*)"[^"\\]*"`).ReplaceAll(w.data, []byte(`${1}null`)),
			"numbers for texts":    regexp.MustCompile(`(:\s*)"[^"\\]*"`).ReplaceAll(w.data, []byte(`${1}-0.5`)),
			"lists for objects":    bytes.ReplaceAll(w.data, []byte(`:{`), []byte(`:[{`)),
			"zeros at the end":     append(bytes.Clone(w.data), make([]byte, 4096)...),
			"twice":                append(bytes.Clone(w.data), w.data...),
		} {
			t.Run(w.path+"/"+name, func(t *testing.T) {
				got, err := w.read(data, w.format)
				var ours *Error
				if err != nil && !errors.As(err, &ours) {
					t.Fatalf("the error is not ours: %.300v", err)
				}
				if err != nil && len(ours.Error()) > 2_000 {
					t.Errorf("the error is %d bytes long", len(ours.Error()))
				}
				for _, c := range got {
					checkLaws(t, c)
				}
			})
		}
	}
}

// A source of one format needs at most three times its largest conversation in
// memory, and what the importer itself takes.
func TestMemory(t *testing.T) {
	corpustest.Unraced(t)
	if testing.Short() {
		t.Skip("imports the largest files of the corpus")
	}
	const own = 24 << 20
	seen := map[string]bool{}
	for _, f := range corpustest.Files(t) { // the largest first
		if h, _ := find(Format(f.Format)); h.Import == nil || seen[f.Format] {
			continue
		}
		seen[f.Format] = true
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		peak, _ := watchHeap(t, Source{Name: f.Path, Reader: bytes.NewReader(data), Size: f.Bytes, Path: f.Path})
		t.Logf("%s: %d KB, peak %d KB", f.Format, f.Bytes>>10, peak>>10)
		if peak > uint64(3*f.Bytes+own) {
			t.Errorf("%s: %d KB take %d KB", f.Name, f.Bytes>>10, peak>>10)
		}
	}
}
